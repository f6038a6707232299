"""Questions with many hypotheses of which few matter: these come in as models call for them.

Source: lazy instantiation, as in satisfiability modulo theories: what is told is only what the last model violates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Answer, Sat, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term.term import V
from counterpoint.term.walk import size

AT_ONCE, GROWTH = 2, 2
"""Hypotheses that come in behind the first model, and how many times as many behind the next one."""


FEW = 1 / 4
"""The part of the time that is left for one goal with those hypotheses that it calls for."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The answer to the question with those hypotheses that were `used`, by their numbers. Where it is Sat, the model
    fulfils all others too."""

    answer: Answer
    used: tuple[int, ...]


def chosen(goal: V, hypotheses: Sequence[V], seconds: float, first: int | None = None, seed: int = 0) -> Chosen:
    """Whether the goal is possible with all hypotheses. The `first` ones, small before large, come in before others, of
    which an unsat core tells those that are needed."""
    count = len(hypotheses) if first is None else first
    found = _grown(goal, hypotheses, count, seconds, seed)
    others = [number for number in found.used if number >= count]
    if not isinstance(found.answer, Unsat) or len(others) <= 1:
        return found
    base = [number for number in found.used if number < count]
    solver = backend("bitwuzla").connect(Settings(seed))
    try:
        for formula in (goal, *(hypotheses[number] for number in base)):
            solver.add(formula)
        answer = solver.check([hypotheses[number] for number in others], seconds)
    finally:
        solver.close()
    if not isinstance(answer, Unsat):
        return found
    core = set(answer.core)
    return Chosen(answer, (*base, *(number for number in others if hypotheses[number] in core)))


def excluded_by_few(
    goal: V, hypotheses: Sequence[V], refutes: Callable[[Sequence[V], float], bool], budget: Budget
) -> bool:
    """Whether the goal is impossible with the few hypotheses that its models call for. A solver here chooses these;
    that they are enough is for `refutes` to say: whether formulas are impossible together, as far as is known in so
    many seconds. Raises OutOfBudget."""
    budget.spend()
    seconds = FEW * budget.remaining()
    found = chosen(goal, hypotheses, seconds)
    few = [goal, *(hypotheses[number] for number in sorted(found.used))]
    return isinstance(found.answer, Unsat) and refutes(few, seconds)


def _grown(goal: V, hypotheses: Sequence[V], count: int, seconds: float, seed: int) -> Chosen:
    order = sorted(range(count), key=lambda number: size(hypotheses[number])), list(range(count, len(hypotheses)))
    used, at_once, until = list[int](), AT_ONCE, clock.now() + seconds
    solver = backend("bitwuzla").connect(Settings(seed))
    try:
        solver.add(goal)
        while True:
            answer = solver.check((), max(0.001, until - clock.now()))
            if not isinstance(answer, Sat):
                return Chosen(answer, tuple(used))
            violated = _violated(answer, hypotheses, order[0]) or _violated(answer, hypotheses, order[1])
            if not violated:
                return Chosen(answer, tuple(used))
            for number in violated[:at_once]:
                solver.add(hypotheses[number])
                used.append(number)
            at_once *= GROWTH
    finally:
        solver.close()


def _violated(answer: Sat, hypotheses: Sequence[V], numbers: Sequence[int]) -> list[int]:
    values = answer.model.values([hypotheses[number] for number in numbers])
    return [number for number, value in zip(numbers, values, strict=True) if value != 1]
