"""The row of a matrix's index: `(100 * i + j) / 100 == i`, where j is a column.

What the cells of a matrix are hangs on the quotient of an arbitrary cell's index. This law says what it is for the cell
that a loop is at. It needs no invariant, but a solver takes seconds wherever it has to find it out beside others; below
a bound of the rows, and by itself, tenths of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.invariants.array_cells import Index, accesses, indices, without_invalid_reads
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.cells import LARGEST_STRIDE
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.atoms import atoms
from counterpoint.regions.cut_graph import START, CutGraph, Region
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

MOST_BOUNDS, MOST_ROWS = 2, LARGEST_STRIDE
"""Bounds of one row, the smallest, and the largest of them: the law of larger ones takes seconds."""


def _guesses(context: Context) -> Iterator[Guess]:
    graph, bits = context.graph, context.graph.program.layout.pointer_bits
    tested = _tested(graph)
    for region in graph.regions:
        if region.start != START:
            for row, column in dict.fromkeys(_parts(region, bits)):
                yield from ((region.start, law) for law in _laws(row, column, tested.get(row.x, ()), bits))


def _tested(graph: CutGraph) -> dict[Term, list[int]]:
    """The numbers that ways compare each variable with, rising."""
    found: dict[Term, set[int]] = {}
    for region in graph.regions:
        for atom in region.start_values.back_all(list(atoms([way.formula for way in region.ways]))):
            compared = atom.args if isinstance(atom, Term) and len(atom.args) == 2 else ()
            for one, other in zip(compared, compared[::-1], strict=True):
                if isinstance(one, Term) and isinstance(other, int) and 1 < other <= MOST_ROWS:
                    found.setdefault(one, set()).add(other)
    return {variable: sorted(numbers) for variable, numbers in found.items()}


def _parts(region: Region, bits: int) -> Iterator[tuple[Index, Index]]:
    """The indices of the region that are `c * i + j`, by i and by j."""
    values = [value for way in region.ways for value in (way.formula, *way.values.values.values())]
    values += [failure.formula for failure in region.failures]
    used = dict.fromkeys(index for _, index in accesses(without_invalid_reads(values), bits))
    for term in region.start_values.back_all(used):
        ways = [way for way in indices(term) if way.unit == 1] if term is not None else []
        if len(ways) == 2:
            low, high = sorted(ways, key=lambda way: abs(way.slope))
            if low.slope == 1 and 0 < high.slope <= LARGEST_STRIDE and high.slope & (high.slope - 1):  # no shift
                yield high, low


def _laws(row: Index, column: Index, bounds: Sequence[int], bits: int) -> Iterator[V]:
    """For rows up to each of the bounds."""
    i, j, stride = _wide(row, bits), _wide(column, bits), row.slope
    inside = build.and_(build.ult(j, stride, bits), build.sle(0, i, bits))
    for most in bounds[:MOST_BOUNDS]:
        here = build.and_(inside, build.sle(i, most, bits))
        yield build.implies(here, build.eq(build.udiv(row.term, stride, bits), i, bits))


def _wide(part: Index, bits: int) -> V:
    assert isinstance(part.x.sort, BitVec)
    width = part.x.sort.width
    return build.sext(part.x, width, bits) if width < bits else part.x


SOURCE = GuessSource("matrix_indices", 2, "the row of a matrix's index is the index divided by its length", _guesses)
