"""Which variables the heuristics of SRTool, section VIII, compare, and the comparisons of two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.logic.atoms import atoms
from counterpoint.logic.loop_shape import LoopShape
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import is_ghost
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables


def comparable(terms: Iterable[V]) -> list[Term]:
    """The bit-vector variables among them that are worth comparing: no base addresses, sizes or counters."""
    return [
        term
        for term in terms
        if isinstance(term, Term)
        and isinstance(term.sort, BitVec)
        and term.op is Op.VARIABLE
        and not is_ghost(term)
        and not str(term.payload).startswith(("&", "size "))
        and term.payload != "counter"
    ]


def modified(loop: LoopShape) -> list[Term]:
    """The variables that the loop changes."""
    return comparable(variable for variable in loop.variables if variable in loop.modified)


def used(loop: LoopShape) -> list[Term]:
    """The variables of the head that the loop's conditions or new values depend on."""
    found: dict[Term, None] = {}
    for region in loop.regions:
        terms: list[V] = [failure.formula for failure in region.failures]
        for way in region.ways:
            terms.append(way.formula)
            before = region.start_values.values
            terms += (v for c, v in way.values.values.items() if before.get(c) is not v)
        inside = set(variables(*terms))
        for component, value in region.start_values.values.items():
            if isinstance(value, Term) and any(v in inside for v in variables(value)):
                found[component] = None
    return [v for v in comparable(found) if v in loop.variables]


def checked(graph: CutGraph, loop: LoopShape) -> list[Term]:
    """The variables of the loop's head that failing checks anywhere depend on."""
    inside: dict[Term, None] = {}
    for region in graph.regions:
        known = region.start_values.values
        for failure in region.failures:
            below = set(variables(failure.formula))
            for component, value in known.items():
                if isinstance(value, Term) and value in below:
                    inside[component] = None
    return [v for v in comparable(loop.variables) if v in inside]


def constants(graph: CutGraph, width: int) -> list[int]:
    """0, 1, -1 and the constants that checks and guards compare with, checks first, at this width."""
    found: dict[int, None] = dict.fromkeys((0, 1, (1 << width) - 1))
    for terms in (
        [f.formula for region in graph.regions for f in region.failures],
        [w.formula for region in graph.regions for w in region.ways],
    ):
        for atom in atoms(terms):
            if atom.payload == width and atom.op in (Op.EQ, Op.ULT, Op.SLT):
                found.update((arg, None) for arg in atom.args if isinstance(arg, int))
    return list(found)


def compared(a: V, b: V, width: int) -> Iterator[V]:
    """`==`, `<=`, `>=`, `<`, `>`, `!=`, signed and then unsigned."""
    yield build.eq(a, b, width)
    for at_most, below in ((build.sle, build.slt), (build.ule, build.ult)):
        yield at_most(a, b, width)
        yield at_most(b, a, width)
        yield below(a, b, width)
        yield below(b, a, width)
    yield build.ne(a, b, width)


def compared_variables(a: Term, b: Term) -> Iterator[V]:
    """All comparisons of two bit-vector variables; of different widths: of the narrow one, extended both ways."""
    assert isinstance(a.sort, BitVec) and isinstance(b.sort, BitVec)
    if a.sort.width == b.sort.width:
        yield from compared(a, b, a.sort.width)
        return
    narrow, wide = (a, b) if a.sort.width < b.sort.width else (b, a)
    assert isinstance(narrow.sort, BitVec) and isinstance(wide.sort, BitVec)
    for extend in (build.sext, build.zext):
        yield from compared(extend(narrow, narrow.sort.width, wide.sort.width), wide, wide.sort.width)
