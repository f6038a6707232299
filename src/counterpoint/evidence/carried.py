"""Regions that know only the components on which claims depend: the states that a simple path compares.

A claim depends on the variables and addresses in it, in the ways to its region and in the facts that are used
there; these on components at the region's start; these on what the regions before leave in them. Which components
are chosen has no part in soundness (evidence/chains.py): without one that matters, the proof does not go through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from counterpoint.core.errors import Unsupported
from counterpoint.evidence.induction import Setting, assumed
from counterpoint.evidence.places import Place
from counterpoint.evidence.regions import Region, Values
from counterpoint.term.sorts import BitVec, Bool
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable


def comparable(setting: Setting, regions: Mapping[Place, Region]) -> dict[Place, Region]:
    """The regions; at their starts and ends only the components from which a claim depends, in any number of steps.

    Raises Unsupported where one of these is an array or a float.
    """
    globals_ = len(setting.places.program.globals)
    ends = _leading(regions)
    owners = {place: _owners(r.begin, globals_) for place, r in regions.items()}
    kept: dict[Place, dict[Term, None]] = {place: {} for place in regions}
    waiting = [(place, v) for place in ends for v in _needed(setting, regions[place], ends, owners[place])]
    while waiting:
        place, variable = waiting.pop()
        if variable in kept[place]:
            continue
        if not isinstance(variable.sort, BitVec | Bool):
            where = setting.places.name(place)
            raise Unsupported(f"a simple path compares numbers, but {variable.payload} at {where} is none")
        kept[place][variable] = None
        for source, r in regions.items():
            left = [a.values[variable] for a in r.arrivals if a.target == place and variable in a.values]
            waiting += ((source, needed) for needed in _owning(left, owners[source]))
    return {place: _only(r, kept) for place, r in regions.items()}


def _leading(regions: Mapping[Place, Region]) -> frozenset[Place]:
    """The places from which a claim can be met, in any number of steps."""
    found = {place for place, r in regions.items() if any(claim.formula != 0 for claim in r.claims)}
    while True:
        more = {p for p, r in regions.items() if p not in found and any(a.target in found for a in r.arrivals)}
        if not more:
            return frozenset(found)
        found |= more


def _needed(
    setting: Setting, r: Region, ends: frozenset[Place], owners: Mapping[Term, Sequence[Term]]
) -> list[Term]:
    """The components at the region's start from which its claims, its ways on and the facts in it depend."""
    hypotheses, after, _ = assumed(setting, r, r.begin)
    said = [*hypotheses, after[-1], *(claim.formula for claim in r.claims)]
    said += [arrival.guard for arrival in r.arrivals if arrival.target in ends]
    return [*(v for v in setting.needed(r.start) if v in r.begin), *_owning(said, owners)]


def _owners(begin: Values, globals_: int) -> dict[Term, list[Term]]:
    """The components in whose value at the start a variable or an address occurs, but for addresses of globals."""
    found: dict[Term, list[Term]] = {}
    for component, value in begin.items():
        for leaf in _leaves([value]):
            if leaf.op is Op.VARIABLE or not isinstance(leaf.payload, int) or leaf.payload >= globals_:
                found.setdefault(leaf, []).append(component)
    return found


def _owning(values: Iterable[V], owners: Mapping[Term, Sequence[Term]]) -> list[Term]:
    return [component for leaf in _leaves(values) for component in owners.get(leaf, ())]


def _leaves(values: Iterable[V]) -> list[Term]:
    return [term for term in reachable(values) if term.op in (Op.VARIABLE, Op.ADDRESS)]


def _only(r: Region, kept: Mapping[Place, Mapping[Term, None]]) -> Region:
    begin = {v: value for v, value in r.begin.items() if v in kept[r.start]}
    arrivals = []
    for arrival in r.arrivals:
        known = kept.get(arrival.target, {})
        arrivals.append(replace(arrival, values={v: value for v, value in arrival.values.items() if v in known}))
    return replace(r, begin=begin, arrivals=arrivals)
