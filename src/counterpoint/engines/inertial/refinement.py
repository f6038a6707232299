"""One error condition, entered further until it is excluded or a run satisfies it.

Source: [inertial refinement, Ref in algorithm 1]; [section IV.A] for loops.
Deviation: a loop that is chosen again is entered for 2, 4, 8, ... more iterations at once, unless that is switched
off: each iteration of the refinement walks all that is entered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Final, Literal, TypeAlias

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.contexts import Context, sites
from counterpoint.engines.inertial.strategies.protocol import Enter, Excluded, Found, Strategy, Undecided
from counterpoint.engines.inertial.unfolding import Placeholder, Setting, Unfolding, Unfoldings
from counterpoint.program.inputs import Input
from counterpoint.regions.inputs import inputs_from

MOST_AT_ONCE = 128
"""Iterations of a loop that are entered at once."""

MOST_GUESSED = 4
"""Choices of one condition for which a question had no answer, after which it is given up."""

Outcome: TypeAlias = Literal["open", "excluded", "violated", "given up"]
OPEN: Final = "open"


@dataclass(slots=True)
class Refinement:
    """The condition that `check` fails in `context`, whose root is the program's entry. `entered` beside the context's
    own calls; `iterations` so far, and the `seconds` they took; `outcome` as of now. `guesses` are left."""

    unfoldings: Unfoldings
    strategy: Strategy
    check: int
    context: Context
    batches: bool
    entered: frozenset[str] = frozenset()
    iterations: int = 0
    seconds: float = 0.0
    outcome: Outcome = OPEN
    guesses: int = MOST_GUESSED
    _chosen: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def steps(self, most: int) -> Excluded | Undecided | tuple[Input, ...] | None:
        """At most so many iterations; None if it needs more. The inputs of a run that the formulas have violate the
        check. Raises OutOfBudget."""
        budget = self.setting.tools.budget
        before = budget.elapsed()
        try:
            for _ in range(most):
                decided = self._step(self.unfoldings.of(self.context, self.entered))
                if decided is not None:
                    return decided
            return None
        finally:
            self.seconds += budget.elapsed() - before

    @property
    def setting(self) -> Setting:
        return self.unfoldings.setting

    def _step(self, unfolding: Unfolding) -> Excluded | Undecided | tuple[Input, ...] | None:
        self.iterations += 1
        self.setting.count("iterations")
        condition = unfolding.condition(self.check)
        match self.strategy.decide(unfolding, condition):
            case Found(model):
                return inputs_from(unfolding.summary.world, model)
            case Enter(chosen, guessed):
                self.guesses -= guessed
                if self.guesses < 0:
                    return Undecided("no solver could tell what has to be entered")
                self._enter(chosen)
                return None
            case decision:
                return decision

    def _enter(self, chosen: tuple[Placeholder, ...]) -> None:
        more = {name for one in chosen for name in self._instances(one)} - self.entered
        self.setting.count("regions_expanded", len(more))
        self.entered |= more
        names = ", ".join(sorted({one.callee for one in chosen}))
        self.setting.tools.observe(Progress("inertial", f"check {self.check}: entering {names}"))

    def _instances(self, one: Placeholder) -> list[str]:
        """The call, and, of a function that calls itself at one place and was chosen before, calls inside it."""
        own = self.setting.own[one.callee]
        path = sites(one.instance)
        while path and path[-1] in own:
            path = path[:-1]
        if not self.batches or len(own) != 1 or path == sites(one.instance):
            return [one.instance]
        self._chosen[path] += 1
        (again,) = own
        count = min(1 << self._chosen[path], MOST_AT_ONCE)
        return [one.instance + f"{again}[]/" * further for further in range(count)]
