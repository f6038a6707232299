"""Facts that are asserted once a model violates them: few of many matter to a question.

    check                 without the facts that wait
    no model              none with them either
    it violates some      they are asserted, and it is asked again
    it violates none      a model with all of them

Source: none of its own; lemmas on demand [Brummayer and Biere 2009], with facts that are known beforehand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import closing

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import Layer
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.term import build
from counterpoint.term.marks import Marks
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, size

MOST_ROUNDS = 24
"""Models of one question that may violate facts, after which all of them are asserted."""

AT_ONCE, GROWTH = 2, 2
"""Hypotheses that come in behind the first model, and how many times as many behind the next one, where few are
wanted."""

FEW = 1 / 4
"""The part of the time that is left for one goal with those hypotheses that it calls for."""


class Lazily(Layer):
    """A solver in which `facts` hold, and those `later`, which are asserted where a model violates none of the others.
    They are no part of its scopes. `called` are those that models called for, in this order; with `few` only some of
    what a model violates is."""

    def __init__(self, inner: Solver, facts: Iterable[V], later: Iterable[V] = (), *, few: bool = False) -> None:
        super().__init__(inner)
        self.called: list[V] = []
        self._few = few
        sooner = dict.fromkeys(facts)
        self._waiting = [list(sooner), [fact for fact in dict.fromkeys(later) if fact not in sooner]]

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        """As any solver's; a limit counts work where the machine does other things as well, up to twice as long."""
        started, worked = clock.now(), time.process_time()
        left = seconds
        for further in range(MOST_ROUNDS, -1, -1):
            answer = self.inner.check(assumptions, left)
            if not isinstance(answer, Sat):
                return answer
            violated = self._violated(answer.model)
            if not violated:
                return answer
            del answer  # nobody else wants this model: the solver need not copy it
            most = AT_ONCE * GROWTH ** (MOST_ROUNDS - further) if self._few else None
            self._assert(violated[:most] if further > 1 else [fact for group in self._waiting for fact in group])
            if seconds is not None:
                left = seconds - max(time.process_time() - worked, (clock.now() - started) / 2)
                if left <= 0:
                    return SolverUnknown("timeout")
        raise AssertionError("nothing waits in the last round")

    def _violated(self, model: Model) -> list[V]:
        """Of the first facts, if there are any, else of the later ones."""
        found: list[V] = []
        for group in self._waiting:
            found = found or [fact for fact, value in zip(group, model.values(group), strict=True) if value != 1]
        return found

    def _assert(self, facts: Sequence[V]) -> None:
        for fact in facts:
            self.inner.add(fact)
        self.called += facts
        asserted = frozenset(facts)
        self._waiting = [[fact for fact in group if fact not in asserted] for group in self._waiting]


# ---------------------------------------------------------------- goals and hypotheses


@dataclass(frozen=True, slots=True)
class Chosen:
    """The answer to the question with those hypotheses that were `used`, by their numbers. Where it is Sat, the model
    fulfils all others too."""

    answer: Answer
    used: tuple[int, ...]


def chosen(
    goal: V,
    hypotheses: Sequence[V],
    seconds: float,
    first: int | None = None,
    likely: Container[V] = frozenset(),
    given: Sequence[V] = (),
    seed: int = 0,
) -> Chosen:
    """Whether the goal is possible with all hypotheses. The `first` ones, small before large, come in before others, of
    which an unsat core tells those that are needed; before all, of either part, those that are `likely` needed. What
    is `given`, hypotheses or 1, holds from the beginning."""
    count = len(hypotheses) if first is None else first
    numbers = {hypothesis: number for number, hypothesis in reversed(list(enumerate(hypotheses)))}
    first_of_all = [one for one in hypotheses if one in likely]
    before = [*first_of_all, *sorted(hypotheses[:count], key=size)]
    behind = hypotheses[count:]
    with closing(Lazily(backend("bitwuzla").connect(Settings(seed)), before, behind, few=True)) as lazy:
        for formula in (goal, *given):
            lazy.add(formula)
        answer = lazy.check((), seconds)
        called = dict.fromkeys((*given, *lazy.called))
        used = tuple(numbers[fact] for fact in called if fact != 1)
    others = [number for number in used if number >= count]
    if not isinstance(answer, Unsat) or len(others) <= 1:
        return Chosen(answer, used)
    base = [number for number in used if number < count]
    with closing(backend("bitwuzla").connect(Settings(seed))) as solver:
        for formula in (goal, *(hypotheses[number] for number in base)):
            solver.add(formula)
        again = solver.check([hypotheses[number] for number in others], seconds)
    if not isinstance(again, Unsat):
        return Chosen(answer, used)
    core = set(again.core)
    return Chosen(again, (*base, *(number for number in others if hypotheses[number] in core)))


class Hinted:
    """Which hypotheses hints name for goals: in each a goal's mark, and behind it those of hypotheses."""

    def __init__(self, hints: Iterable[Sequence[str]] = ()) -> None:
        self._named: dict[str, set[str]] = {}
        self._marks = Marks()
        for goal, *named in filter(None, hints):
            self._named.setdefault(goal, set()).update(named)

    def few(self, goal: V, hypotheses: Iterable[V]) -> list[V] | None:
        """Those named for this goal, if it is named."""
        named = self._named.get(self._marks.of(goal)) if self._named else None
        return [one for one in hypotheses if self._marks.of(one) in named] if named is not None else None


def excluded_by_few(
    goal: V,
    hypotheses: Sequence[V],
    refutes: Callable[[Sequence[V], float], bool],
    budget: Budget,
    hinted: Hinted,
) -> bool:
    """Whether the goal is impossible with few hypotheses: those that are hinted at, or else those that its models call
    for. A solver here chooses the latter; that they are enough is for `refutes` to say: whether formulas are impossible
    together, as far as is known in so many seconds. Raises OutOfBudget."""
    budget.spend()
    seconds = FEW * budget.remaining()
    few = hinted.few(goal, hypotheses)
    if few is not None and refutes([goal, *few], seconds):
        return True
    found = chosen(goal, hypotheses, seconds)
    few = [goal, *(hypotheses[number] for number in sorted(found.used))]
    return isinstance(found.answer, Unsat) and refutes(few, seconds)


# ---------------------------------------------------------------- parts of facts


def parts(facts: Iterable[V]) -> list[V]:
    """Their conjuncts, also of what an implication implies."""
    found: list[V] = []
    for one in (part for fact in facts for part in conjuncts(fact)):
        implied = _implied(one)
        if implied is None:
            found.append(one)
        else:
            condition, what = implied
            found += [build.implies(condition, part) for part in conjuncts(what)]
    return found


def _implied(fact: V) -> tuple[V, V] | None:
    """A fact of the form `condition implies (a and b)`."""
    if not isinstance(fact, Term) or fact.op is not Op.NOT:
        return None
    both = fact.args[0]
    if not isinstance(both, Term) or both.op is not Op.AND:
        return None
    condition, denied = both.args
    for one, other in ((condition, denied), (denied, condition)):
        if isinstance(other, Term) and other.op is Op.NOT and _is(other.args[0], Op.AND):
            return one, other.args[0]
    return None


def _is(value: V, op: Op) -> bool:
    return isinstance(value, Term) and value.op is op
