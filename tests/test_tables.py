"""Tables of constants that are read at unknown indices: trees over the index's bits, which say what the bytes are."""

from __future__ import annotations

import immutables
import pytest

from counterpoint.program.model import Program
from counterpoint.program.types import Layout
from counterpoint.semantics.contents import Cells, Initial, read
from counterpoint.semantics.objects import World
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term
from counterpoint.term.walk import reachable

BITS = 64


def table(size: int, entry: int, big_endian: bool) -> tuple[Cells, World]:
    """`size` bytes of entries that differ; each fifth was not written, and is zero."""
    world = World(Program({}, {}, Layout(BITS, big_endian), "main"))
    cells = {at: (entry, (at * 2654435761 + 97) % (1 << 8 * entry)) for at in range(0, size, entry) if at // entry % 5}
    return Cells(immutables.Map(cells), Initial(world, "table", None)), world


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize(("size", "entry", "width"), [(65, 1, 1), (80, 1, 1), (160, 4, 4), (96, 4, 2), (72, 2, 4), (256, 8, 1)])
def test_each_index_reads_what_is_there(size: int, entry: int, width: int, big_endian: bool) -> None:
    contents, world = table(size, entry, big_endian)
    index = build.variable("i", BitVec(BITS))
    offset = build.mul(index, width, BITS)
    value = read(contents, offset, width, size, "table", world, pointer=False)
    assert isinstance(value, Term)
    assert not any(term.op is Op.SELECT for term in reachable([value]))
    for number in range((size - width) // width + 1):
        assert evaluate(value, {"i": number}) == contents.read(number * width, width, world)


def test_what_is_not_constant_is_no_table() -> None:
    contents, world = table(200, 1, False)
    index = build.variable("i", BitVec(BITS))
    other = contents.write(7, 1, build.variable("x", BitVec(8)), world)
    value = read(other, index, 1, 200, "table", world, pointer=False)
    assert isinstance(value, Term)
    assert value.op is Op.SELECT
    arbitrary = Cells(immutables.Map(), Initial(world, "bytes", "bytes"))
    assert isinstance(read(arbitrary, index, 1, 200, "bytes", world, pointer=False), Term)
    assert not arbitrary.map
