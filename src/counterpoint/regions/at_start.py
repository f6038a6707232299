"""Formulas of a region read as facts: its own variables replaced by the component variables they are the values of.

The inverse of `Valuation.of`, where there is one: a variable (or the address of an object) that is the whole value
of a component becomes that component's variable. A formula with anything else left in it is no fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterpoint.regions.cut_graph import Region, Way
from counterpoint.semantics.facts import Valuation, is_ghost
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute_all


def inverse(values: Mapping[Term, V]) -> dict[Term, V]:
    """What stands for the terms that are components' whole values; the first component wins.

    Registers whose low bits are known to be 0 have a value that is a variable shifted up: it inverts, too. An
    object's address is its Base rather than a register that holds it.
    """
    found: dict[Term, V] = {}
    for variable, value in values.items():
        if not isinstance(value, Term):
            continue
        if value.op is Op.VARIABLE:
            found.setdefault(value, variable)
        elif value.op is Op.ADDRESS:
            if value not in found or str(variable.payload).startswith("&"):
                found[value] = variable
        elif value.op is Op.CONCAT and value.args[1] == 0:
            high, low, sort = value.args[0], value.payload, value.sort
            if isinstance(high, Term) and high.op is Op.VARIABLE and isinstance(low, int) and isinstance(sort, BitVec):
                found.setdefault(value, variable)
                found.setdefault(high, build.extract(sort.width - 1, low, variable, sort.width))
    return found


def rewritten(values: Mapping[Term, V], formulas: Iterable[V]) -> list[V | None]:
    """The formulas over the variables that have these values; None where something else is left."""
    known = _inverse_once(values)
    return [new if _only(new, values) else None for new in substitute_all(formulas, known)]


_remembered: dict[int, tuple[Mapping[Term, V], dict[Term, V]]] = {}
_MOST_REMEMBERED = 256


def _inverse_once(values: Mapping[Term, V]) -> dict[Term, V]:
    """`inverse`, by the identity of the mapping."""
    known = _remembered.get(id(values))
    if known is None or known[0] is not values:
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.pop(next(iter(_remembered)))
        known = _remembered[id(values)] = (values, inverse(values))
    return known[1]


def _only(formula: V, known: Mapping[Term, V]) -> bool:
    for term in reachable((formula,)):
        if term.op is Op.ADDRESS or (term.op is Op.VARIABLE and term not in known and not is_ghost(term)):
            return False
    return True


def as_facts(region: Region, formulas: Iterable[V]) -> list[V | None]:
    """Formulas (or other terms) of the region over the components of its start; None where that is impossible."""
    return rewritten(region.start_values.values, formulas)


def as_fact(region: Region, formula: V) -> V | None:
    """`as_facts` for one formula."""
    return as_facts(region, (formula,))[0]


def behind(way: Way, formula: V) -> V | None:
    """A formula (or other term) of the region over the components at the way's end; None if that is impossible."""
    return rewritten(way.values.values, (formula,))[0]


def pulled_back(region: Region, way: Way, fact: V) -> V | None:
    """What has to hold at the region's start for `fact` to hold at the way's end, as a fact; the way's condition
    is not part of it. None if it depends on anything but the start's components."""
    return as_fact(region, way.values.of(fact)) if way.values.covers(fact) else None


def pushed(region: Region, way: Way, fact: V) -> V | None:
    """A fact at the region's start, over the components at the way's end; None if it speaks of others as well."""
    values: Valuation = region.start_values
    return behind(way, values.of(fact)) if values.covers(fact) else None
