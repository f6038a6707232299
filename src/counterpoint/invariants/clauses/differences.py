"""A clause about the difference of two variables says which value it has, rather than one that it has not.

`t2_st != 0 || token != local + 11` excludes one number. The counterexample to it is about the number before, one step
earlier, and so on without end. Where all examples of `t2_st == 0`, or of that and one more condition that held in the
counterexample, agree about the difference, the clause excludes all other numbers:
`t2_st != 0 || t2_pc != 1 || token == local + 1`. What is too strong, an example refutes like any other clause.

Source: that examples decide between hypotheses, of which the strongest that agrees with all is tried, is Garg et al.
(engines/ice.py); equations that samples agree about: Sharma et al., "A data driven approach for algebraic loop
invariants" (ESOP 2013), of which these are the shortest. Deviation: equations under a condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.core.records import dataclass
from counterpoint.invariants.clauses.examples import Examples
from counterpoint.invariants.filtering import column_of
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

AGREEING = 5
"""Examples that have to agree about a difference; fewer may do so by chance."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Of an equation of bit-vectors in which more than one variable occurs."""

    left: V
    right: V
    width: int


def stronger(conditions: Sequence[V], besides: Sequence[V], examples: Examples) -> Iterator[tuple[V, ...]]:
    """Conditions that no example fulfils together, and that more states fulfil than these, which no example fulfils
    together either; with one of `besides` where these alone do not say enough."""
    for number, condition in enumerate(conditions):
        found = _sides(condition)
        if found is not None:
            rest = (*conditions[:number], *conditions[number + 1 :])
            for more in ((), *((one,) for one in besides if one not in conditions)):
                excluded = _other_differences(found, (*rest, *more), examples)
                if excluded is not None:
                    yield (*rest, *more, excluded)
                    break


def _sides(condition: V) -> Sides | None:
    """None where it is no such equation."""
    if not isinstance(condition, Term) or condition.op is not Op.EQ or len(set(variables(condition))) < 2:
        return None
    left, right = condition.args
    sort = left.sort if isinstance(left, Term) else right.sort if isinstance(right, Term) else None
    return Sides(left, right, sort.width) if isinstance(sort, BitVec) else None


def _other_differences(sides: Sides, conditions: Sequence[V], examples: Examples) -> V | None:
    """That the sides differ by another number than the one that enough examples of the conditions agree about."""
    chosen = examples.all
    for condition in conditions:
        chosen &= examples.fulfilling(condition)
    if chosen.bit_count() < AGREEING:
        return None
    difference = build.sub(sides.left, sides.right, sides.width)
    if isinstance(difference, int):
        return None
    states = [state for number, state in enumerate(examples.states) if chosen >> number & 1]
    found = set(column_of(difference)(states))
    if len(found) != 1 or None in found:
        return None
    number = found.pop() % (1 << sides.width)
    agreed = build.eq(sides.left, build.add(sides.right, number, sides.width), sides.width)
    return build.not_(agreed) if number else None
