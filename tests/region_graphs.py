"""Graphs of regions made of proofs by invariants: what the checker and the attack on it are tried with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from counterpoint.core.budget import Budget
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, Place, Region, cut_graph
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term import build as b
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute, variables

Maker = Callable[[str, Sequence[Fact], CutGraph], RegionGraph | None]
"""Preparation, invariants and places to a certificate; None where a fact has ghosts."""


def one_region_each(preparation: str, facts: Sequence[Fact], graph: CutGraph) -> RegionGraph | None:
    """At each place the region where the invariants hold; all edges."""
    return _graph(preparation, [Fact(*p, _holds(facts, p)) for p in graph.cuts], graph)


def with_outside(preparation: str, facts: Sequence[Fact], graph: CutGraph) -> RegionGraph | None:
    """The same, and the region where they do not hold, to which no edge leads."""
    regions = [Fact(*p, v) for p in graph.cuts for v in (_holds(facts, p), b.not_(_holds(facts, p)))]
    return _graph(preparation, regions, graph, inside=lambda number: number % 2 == 0)


def halved(preparation: str, facts: Sequence[Fact], graph: CutGraph) -> RegionGraph | None:
    """The invariants for odd and for even values of a variable, and two regions that both hold the outside."""
    regions: list[Fact] = []
    for place in graph.cuts:
        holds = _holds(facts, place)
        odd = next((b.eq(b.extract(0, 0, v, v.sort.width), 1, 1) for v in _numbers(holds)), 1)
        parts = [b.and_(holds, odd), b.and_(holds, b.not_(odd)), b.not_(holds), b.not_(holds)]
        regions += [Fact(*place, part) for part in parts]
    return _graph(preparation, regions, graph, inside=lambda number: number % 4 < 2)


MAKERS: tuple[Maker, ...] = (one_region_each, with_outside, halved)


def _holds(facts: Iterable[Fact], place: Place) -> V:
    return b.conjunction([fact.formula for fact in facts if fact.place == place])


def _numbers(formula: V) -> list[Term]:
    return [variable for variable in variables(formula) if isinstance(variable.sort, BitVec)]


def _graph(
    preparation: str, regions: Sequence[Fact], graph: CutGraph, inside: Callable[[int], bool] = lambda number: True
) -> RegionGraph | None:
    """With all edges to the regions inside, from all regions and the start."""
    if any(ghosts(region.formula) for region in regions):
        return None
    called = {(name, 0) for name in graph.contracts}
    edges = [(-1, target) for target in range(len(regions)) if inside(target)]
    for source, region in enumerate(regions):
        for target, other in enumerate(regions):
            if inside(target) and region.block != EXIT and (other.function == region.function or other.place in called):
                edges.append((source, target))
    return RegionGraph(preparation, tuple(regions), tuple(edges), tuple(sorted(graph.granules.items())))


# ---------------------------------------------------------------- every block


EVERY_BLOCK = ("element", "even", "global", "global in recursion", "kept global", "machine", "three deep", "twice")
"""The programs of loop_proofs that `at_every_block` proves."""


def at_every_block(made: Program, facts: Sequence[Fact], seconds: float = 20) -> tuple[list[Fact], CutGraph]:
    """Inductive facts at all blocks: the given ones and the branches taken, wherever their components exist.

    Only those of EVERY_BLOCK are proved by these.
    """
    loose = cut_graph(made, Budget(seconds))
    functions = (made.entry, *loose.contracts)
    blocks = [(name, n) for name in functions for n in range(len(made.functions[name].blocks)) if n or name != made.entry]
    graph = cut_graph(made, Budget(seconds), blocks)
    known = {place: {variable_of(c, 64) for c in graph.components(place)} for place in graph.cuts}
    said = dict.fromkeys([*(f.formula for f in facts), *(v for region in graph.regions for v in _branches(region))])
    candidates = [
        Fact(*place, formula) for place in graph.cuts for formula in said if known[place].issuperset(variables(formula))
    ]
    houdini = Houdini(graph, Budget(seconds))
    try:
        return houdini.extend(candidates), graph
    finally:
        houdini.close()


def _branches(region: Region) -> Iterable[V]:
    """The conditions of the ways from the region's start, over components there, where that can be said."""
    back = {value: component for component, value in region.start_values.values.items() if isinstance(value, Term)}
    for way in region.ways:
        if way.formula != 1 and all(v in back for v in variables(way.formula)):
            yield substitute(way.formula, back)
