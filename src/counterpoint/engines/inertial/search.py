"""All error conditions of a program: hoisted from where they stand, refined at the program's entry.

    for each function with checks: exclude what fails in no state at its entry
    for each context outwards: exclude what fails in no state at the entry of its root
    at the program's entry: refine each condition, in turns

Source: [inertial refinement, algorithm 1].
Deviation: conditions that contradict themselves on the way out go no further, which the paper's Hoist leaves to Ref;
those of one function go together.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from contextlib import closing
from dataclasses import field

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.contexts import Calls, Context, Hoisting, sites
from counterpoint.engines.inertial.refinement import Refinement
from counterpoint.engines.inertial.strategies.protocol import Excluded, Strategy, Undecided
from counterpoint.engines.inertial.unfolding import Setting, Unfolding, Unfoldings
from counterpoint.evidence.verdict import Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.program import model as m
from counterpoint.program.graph import call_components, reachable_functions
from counterpoint.program.inputs import Input
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.term import build

TURN = 4
"""Iterations of one condition before it is the next one's turn."""

HOISTED_SECONDS = 0.3
"""Limit of one question about all conditions of a context: what has no answer by then is asked about further out. Those
of figure 3's programs that had one within a second nearly all had it within this time."""

REPLAY_SECONDS = 5.0


@dataclass(slots=True)
class Search:
    """The search in `setting.program`. `replayed` is the program that inputs are run on: it has loops.

    Afterwards `entered` has the functions that had to be entered to exclude a condition, `deepest` the most activations
    that one call had in there, and `undecided` why nothing is known of some checks. `found` are violations, by
    check: the first one ends the search, unless `every` check is wanted. `at_once` are the conditions at the program's
    entry that nothing had to be entered for, with their contexts, `refinements` the others.

    With bounded `contexts` it is for deciding as many conditions as possible in little time: each context has one
    iteration of one condition after it, and a condition is given up at the first question that has no answer.
    """

    setting: Setting
    calls: Calls
    strategy: Strategy
    replayed: m.Program
    preparation: str
    batches: bool
    contexts: int = 0
    every: bool = False
    found: dict[int, Violation] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    deepest: int = 1
    undecided: dict[int, str] = field(default_factory=dict)
    at_once: list[tuple[int, Context]] = field(default_factory=list)
    refinements: list[Refinement] = field(default_factory=list)
    _hoisting: Hoisting = field(init=False)
    _unfoldings: Unfoldings = field(init=False)
    _waiting: deque[tuple[Context, frozenset[int]]] = field(default_factory=deque)
    _refined: deque[Refinement] = field(default_factory=deque)
    _waiting_twice: set[tuple[Context, frozenset[int]]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._hoisting = Hoisting(self.calls, self.setting.program.entry, self.contexts)
        self._unfoldings = Unfoldings(self.setting)

    @property
    def cut_short(self) -> bool:
        """Some contexts have not been looked at."""
        return self._hoisting.cut_short

    def search(self) -> None:
        """Until all conditions are decided or given up, or a violation is found. Raises OutOfBudget."""
        for name, checks in checks_by_function(self.setting.program).items():
            self._waiting.append((Context(name), checks))
        with closing(self._unfoldings):
            while (self._waiting or self._refined) and not self._over:
                self.setting.tools.budget.spend()
                if self._waiting:
                    self._hoist(*self._waiting.popleft())
                if self._refined and not self._over:
                    self._refined_further(self._refined.popleft(), 1 if self.contexts else TURN)

    @property
    def _over(self) -> bool:
        return bool(self.found) and not self.every

    # ------------------------------------------------------------ contexts

    def _hoist(self, context: Context, checks: frozenset[int]) -> None:
        self.setting.count("contexts")
        what = f"{context.function} from {context.root}, {len(checks)} checks"
        self.setting.tools.observe(Progress("inertial", what))
        unfolding = self._unfoldings.of(context, frozenset())
        if unfolding.cut != 0:
            self._hoisting.cut_short = True
        if context.steps and self._goes_deeper(unfolding):
            self._wait(self._hoisting.longer(context), checks)
        if context.root == self.setting.program.entry:
            self._refine(unfolding, checks)
            return
        left = self._possible(unfolding, checks)
        if left != checks:
            self.setting.count("conditions_excluded_below", len(checks - left))
            self.entered.update(step.callee for step in context.steps)
        if left:
            for further in self._hoisting.outwards(context):
                self._wait(further, left)

    def _wait(self, context: Context | None, checks: frozenset[int]) -> None:
        if context is not None and (context, checks) not in self._waiting_twice:
            self._waiting_twice.add((context, checks))
            if self.contexts:  # all begin at the entry: one function after the other
                self._waiting.appendleft((context, checks))
            else:
                self._waiting.append((context, checks))

    def _possible(self, unfolding: Unfolding, checks: frozenset[int]) -> frozenset[int]:
        """The checks whose conditions runs may satisfy, whatever the placeholders stand for: all others at once."""
        asked = [check for check in sorted(checks) if unfolding.condition(check) != 0]
        found: set[int] = set()
        while asked:
            either = build.disjunction([unfolding.condition(check) for check in asked])
            match unfolding.ask(either, purpose="hoisted", seconds=HOISTED_SECONDS):
                case Sat(model):
                    found.update(check for check in asked if model.value(unfolding.condition(check)) == 1)
                    asked = [check for check in asked if check not in found]
                case Unsat():
                    break
                case SolverUnknown():
                    found.update(asked)
                    break
        return frozenset(found)

    def _goes_deeper(self, unfolding: Unfolding) -> bool:
        """Runs may go on to more activations of the function of the first step."""
        first = unfolding.context.steps[0]
        own = self.calls.own[first.callee]
        if not own:
            return False
        deepest = [
            one.instance
            for one in unfolding.placeholders.values()
            if len(path := sites(one.instance)) == first.times + 1 and path[0] == first.site and set(path[1:]) <= own
        ]
        either = build.disjunction([unfolding.passing(name) for name in deepest])
        return not isinstance(unfolding.ask(either, purpose="deeper", seconds=HOISTED_SECONDS), Unsat)

    # ------------------------------------------------------------ conditions at the program's entry

    def _refine(self, unfolding: Unfolding, checks: frozenset[int]) -> None:
        conditions = frozenset(check for check in checks if unfolding.condition(check) != 0)
        left = self._not_excluded_at_once(unfolding, conditions)
        self.setting.count("error_conditions", len(conditions))
        self.setting.count("conditions_excluded", len(conditions - left))
        self.at_once += [(check, unfolding.context) for check in sorted(conditions - left)]
        if left != checks:
            self.entered.update(step.callee for step in unfolding.context.steps)
        for check in sorted(left):
            if not self._over:
                refinement = Refinement(self._unfoldings, self.strategy, check, unfolding.context, self.batches)
                self.refinements.append(refinement)
                if self.contexts:
                    refinement.guesses = 0
                    self._refined.append(refinement)
                else:
                    self._refined_further(refinement, 1)

    def _not_excluded_at_once(self, unfolding: Unfolding, checks: frozenset[int]) -> frozenset[int]:
        """Those that are left for the strategy: all together are excluded, or each one, where that takes little time.
        It does so itself, but conditions that take long would come before others that do not."""
        either = build.disjunction([unfolding.condition(check) for check in sorted(checks)])
        if isinstance(unfolding.ask(either, purpose="hoisted", seconds=HOISTED_SECONDS), Unsat):
            return frozenset()
        left = set(checks)
        for check in sorted(checks) if len(checks) > 1 else ():
            answer = unfolding.ask(unfolding.condition(check), purpose="hoisted", seconds=HOISTED_SECONDS)
            left -= {check} if isinstance(answer, Unsat) else set()
        return frozenset(left)

    def _refined_further(self, one: Refinement, most: int) -> None:
        if one.check in self.undecided or one.check in self.found:
            return
        match one.steps(most):
            case None:
                self._refined.append(one)
            case Excluded():
                one.outcome = "excluded"
                self.setting.count("conditions_excluded")
                self.entered.update(step.callee for step in one.context.steps)
                self.entered.update(self._callee(name) for name in one.entered)
                repeated = [max(Counter(sites(name)).values()) for name in one.entered]
                self.deepest = max(self.deepest, 1 + max(repeated, default=0))
            case Undecided(reason):
                one.outcome = "given up"
                self.undecided[one.check] = reason
            case inputs:
                self._replay(one.check, inputs)
                one.outcome = "violated" if one.check in self.found else "given up"

    def _callee(self, instance: str) -> str:
        """The function that the call instance enters."""
        function, _, place = sites(instance)[-1].rpartition(":")
        block, _, position = place.partition(".")
        call = self.setting.program.functions[function].blocks[int(block)].instructions[int(position)]
        assert isinstance(call, m.Call)
        return call.callee

    def _replay(self, check: int, inputs: tuple[Input, ...]) -> None:
        """What the program does with the inputs; where that is no violation, nothing more is asked about the check."""
        seconds = min(REPLAY_SECONDS, self.setting.tools.budget.remaining())
        done = run(self.replayed, ReplayInputs(inputs), Limits(seconds=seconds))
        match done.outcome:
            case Violated(failed):
                self.found[failed] = Violation(failed, done.inputs, self.preparation)
        if check not in self.found:
            self.setting.count("runs_not_reproduced")
            self.undecided[check] = "a run of the formulas is none of the program"


def checks_by_function(program: m.Program) -> Mapping[str, frozenset[int]]:
    """The checks that stand in each function that the entry reaches, callers before callees."""
    reachable = reachable_functions(program)
    found: dict[str, frozenset[int]] = {}
    for component in reversed(call_components(program)):
        for name in sorted(reachable & set(component)):
            blocks = program.functions[name].blocks
            checks = frozenset(i.check for block in blocks for i in block.instructions if isinstance(i, m.Check))
            if checks:
                found[name] = checks
    return found
