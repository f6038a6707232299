"""Which values the terms of a question can have, where that are few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

from counterpoint.core.records import dataclass
from counterpoint.term.evaluate import applied, evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable

MOST_VALUES = 256
"""Of a term, beyond which bits are the better encoding."""

MOST_COMBINATIONS = 1 << 16
"""Of the arguments of one operation."""

Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Domains:
    """The values of every bit vector below some formulas: ascending, at least one, none left out that a model has.

    `facts` are the formulas that are not said by the values of one variable already.
    """

    values: Mapping[Term, Values]
    facts: tuple[V, ...]


def domains(formulas: Sequence[V]) -> Domains | None:
    """The values of all terms below the formulas, which hold together; None where one of them has too many, or is
    neither a Bool nor a bit vector. Linear in the size of the formulas."""
    terms = reachable(formulas)
    if any(term.sort is not BOOL and not (isinstance(term.sort, BitVec) and _has_meaning(term)) for term in terms):
        return None
    only = _only_leaves(terms)
    alone: dict[Term, list[Term]] = {}
    facts: list[V] = []
    for formula in (part for whole in formulas for part in conjuncts(whole)):
        leaf = only[formula] if isinstance(formula, Term) else None
        if isinstance(formula, Term) and leaf is not None and leaf.sort is not BOOL:
            alone.setdefault(leaf, []).append(formula)
        else:
            facts.append(formula)
    values: dict[Term, Values] = {}
    for term in reachable([*facts, *alone]):
        if term.sort is BOOL:
            continue
        found = _of_variable(term, alone.get(term, [])) if term.op is Op.VARIABLE else _of_operation(term, values)
        if found is None:
            return None
        if not found:
            return Domains({}, (0,))
        values[term] = found
    return Domains(values, tuple(facts))


def _has_meaning(term: Term) -> bool:
    """It is a variable, or an operation on what is below it."""
    return term.op is Op.VARIABLE or bool(term.args)


def _only_leaves(terms: Iterable[Term]) -> dict[Term, Term | None]:
    """For each term, which come after what they are built on, the one variable below it; None where there are more."""
    found: dict[Term, Term | None] = {}
    for term in terms:
        below = {found[arg] for arg in term.args if isinstance(arg, Term)}
        found[term] = term if term.op is Op.VARIABLE else below.pop() if len(below) == 1 else None
    return found


def _of_variable(variable: Term, conditions: Iterable[Term]) -> Values | None:
    """Those that fulfil the conditions, of which some have to be bounds."""
    if not isinstance(variable.sort, BitVec) or not isinstance(variable.payload, str):
        return None
    bits = variable.sort.width
    least, most = _bounds(variable, conditions, bits)
    if most - least >= MOST_VALUES:
        return None
    name, mask = variable.payload, (1 << bits) - 1
    fit = (value & mask for value in range(least, most + 1))
    return tuple(sorted(value for value in fit if all(evaluate(c, {name: value}) == 1 for c in conditions)))


def _bounds(variable: Term, conditions: Iterable[Term], bits: int) -> tuple[int, int]:
    """The narrower of the ranges that the conditions leave, as unsigned and as signed numbers."""
    size = 1 << bits
    ranges = [found for condition in conditions if (found := _range(variable, condition, size)) is not None]
    views = [_intersection(ranges, lowest, size) for lowest in (0, -(size >> 1))]
    return min(views, key=lambda limits: limits[1] - limits[0])


def _intersection(ranges: Iterable[tuple[int, int]], lowest: int, size: int) -> tuple[int, int]:
    """Of those that are no two ranges in numbers from `lowest` on."""
    least, most = lowest, lowest + size - 1
    for first, count in ranges:
        begin = (first - lowest) % size + lowest
        if begin + count <= lowest + size:
            least, most = max(least, begin), min(most, begin + count - 1)
    return least, most


def _range(variable: Term, condition: Term, size: int) -> tuple[int, int] | None:
    """The values for which a comparison with a constant holds: the first, modulo `size`, and how many. None for any
    other condition."""
    holds = condition.op is not Op.NOT
    comparison = condition if holds else condition.args[0]
    if not isinstance(comparison, Term) or comparison.op not in (Op.EQ, Op.ULT, Op.SLT):
        return None
    left, right = comparison.args
    lowest = -(size >> 1) if comparison.op is Op.SLT else 0
    if isinstance(right, int):
        bound = (right - lowest) % size
        first, count, moved = (right, 1, left) if comparison.op is Op.EQ else (lowest, bound, left)
    elif isinstance(left, int):
        bound = (left - lowest) % size
        first, count, moved = (left, 1, right) if comparison.op is Op.EQ else (left + 1, size - 1 - bound, right)
    else:
        return None
    if not holds:
        first, count = first + count, size - count
    if moved is variable:
        return first, count
    if isinstance(moved, Term) and moved.op is Op.ADD and variable in moved.args:
        (added,) = (arg for arg in moved.args if arg is not variable) if len(set(moved.args)) == 2 else (None,)
        return (first - added, count) if isinstance(added, int) else None
    return None


def _of_operation(term: Term, values: Mapping[Term, Values]) -> Values | None:
    """What the operation makes of the values of its arguments."""
    if not isinstance(term.sort, BitVec):
        return None
    if term.op is Op.ITE:
        found = {value for arg in term.args[1:] for value in ((arg,) if isinstance(arg, int) else values[arg])}
        return tuple(sorted(found)) if len(found) <= MOST_VALUES else None
    if any(isinstance(arg, Term) and arg not in values for arg in term.args):
        return None
    choices = [(arg,) if isinstance(arg, int) else values[arg] for arg in term.args]
    if prod(map(len, choices)) > MOST_COMBINATIONS:
        return None
    made = {applied(term, combination) for combination in product(*choices)}
    return tuple(sorted(v for v in made if isinstance(v, int))) if len(made) <= MOST_VALUES else None
