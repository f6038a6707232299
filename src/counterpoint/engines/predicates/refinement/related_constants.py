"""Predicates that come one after the other: a variable compared with many constants is the state of a machine.

Once some predicates `x == c` were needed at a place, those with all other constants that the code there compares x
with, or that it gives to x, will be as well. They exclude each other: all together make no more abstract states than x
has values. The constants given to x matter where x keeps a state for later (`next = 3; state = wait;`), and is itself
compared with nothing. In the same way `x == y + c` calls for those with the constants between: x has run ahead of y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import choices, reachable, variables

ENOUGH: Final = 3
"""Constants that have to be found by refinement first."""

REPEATED: Final = 4
"""Bounds of the same variables that make it likely that there is no end to them."""

MOST: Final = 60
"""Constants of one variable that are added."""

WIDEST: Final = 16
"""From the least to the greatest difference of two variables."""


def related(
    predicates: Sequence[V], formulas: Iterable[V], values: Callable[[Term], Iterable[V]]
) -> Iterator[V]:
    """`x == c` for the constants with which the formulas compare those x that ENOUGH of the predicates do, and for
    those among its `values` behind the edges that lead there."""
    yield from _constants_between(predicates)
    found: dict[Term, int] = {}
    for variable in _compared(predicates):
        found[variable] = found.get(variable, 0) + 1
    wanted = [variable for variable, count in found.items() if count >= ENOUGH]
    if not wanted:
        return
    known = set(predicates)
    atoms = [term for term in reachable(formulas) if term.op is Op.EQ]
    for variable in wanted:
        compared = [atom for atom in atoms if [*_compared([atom])] == [variable]]
        taken = [_equal(variable, value) for value in choices(values(variable)) if isinstance(value, int)]
        yield from [atom for atom in dict.fromkeys((*compared, *taken)) if atom not in known][:MOST]


def _constants_between(predicates: Sequence[V]) -> Iterator[V]:
    """`x == y + c` for each c between the least and the greatest, once there are ENOUGH of one x and y."""
    found: dict[tuple[Term, Term, int], set[int]] = {}
    for predicate in predicates:
        difference = _difference(predicate)
        if difference is not None:
            found.setdefault(difference[:3], set()).add(difference[3])
    for (x, y, width), constants in found.items():
        least, greatest = min(constants), max(constants)
        if len(constants) >= ENOUGH and greatest - least <= WIDEST:
            for constant in sorted({*range(least, greatest + 1)} - constants):
                yield build.eq(x, build.add(y, constant % (1 << width), width), width)


def _difference(predicate: V) -> tuple[Term, Term, int, int] | None:
    """The variables x and y, their width, and the signed constant c of `x == y + c`, in whichever form; x comes first
    by name."""
    if not isinstance(predicate, Term) or predicate.op is not Op.EQ:
        return None
    (x, left), (y, right) = sorted(map(_moved, predicate.args), key=lambda side: str(side[0] and side[0].payload))
    if x is None or y is None or not isinstance(x.sort, BitVec):
        return None
    width = x.sort.width
    constant = (right - left) % (1 << width)
    return x, y, width, constant - (1 << width) if constant >> (width - 1) else constant


def _moved(side: V) -> tuple[Term | None, int]:
    """The variable and the constant of `x + c`."""
    if isinstance(side, Term) and side.op is Op.ADD and isinstance(side.args[1], int):
        return _moved(side.args[0])[0], side.args[1]
    return (side, 0) if isinstance(side, Term) and side.op is Op.VARIABLE else (None, 0)


def _equal(variable: Term, constant: int) -> V:
    assert isinstance(variable.sort, BitVec)
    return build.eq(variable, constant, variable.sort.width)


def growing(predicates: Iterable[V]) -> bool:
    """REPEATED of the predicates bound the same variables: each unrolling adds a bound, and no bound is the last."""
    counts: dict[tuple[Term, ...], int] = {}
    for predicate in predicates:
        if isinstance(predicate, Term) and predicate.op in (Op.ULT, Op.SLT):
            about = tuple(variables(predicate))
            counts[about] = counts.get(about, 0) + 1
    return any(count >= REPEATED for count in counts.values())


def _compared(predicates: Iterable[V]) -> Iterator[Term]:
    """The variables of those that compare one with a constant."""
    for predicate in predicates:
        if isinstance(predicate, Term) and predicate.op is Op.EQ:
            left, right = predicate.args[0], predicate.args[1]
            if isinstance(left, int):
                left, right = right, left
            if isinstance(left, Term) and left.op is Op.VARIABLE and isinstance(right, int):
                yield left
