"""Reads of unwanted arrays become unwanted bit-vectors, one index after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute_all

MOST_READS: Final = 6
"""Reads of one array that are compared with each other; if there are more, their values are not related."""

MOST_LOOKED_UP: Final = 32
"""Writes that one step looks through."""


def without_arrays(parts: Sequence[V], unknowns: Unknowns) -> tuple[list[V], bool] | None:
    """(the conjuncts with one step less of arrays, whether they are equivalent under the quantifier).

    None if no unwanted array is left. A step opens a read of a write or of a choice, or replaces the reads of one
    array that is only a variable any more.
    """
    reads = [term for term in reachable(parts) if term.op is Op.SELECT and _unwanted_array(term.args[0], unknowns)]
    if not reads:
        return None
    opened = {read: _opened(read) for read in reads if read.args[0].op is not Op.VARIABLE}  # type: ignore[union-attr]
    if opened:
        return substitute_all(parts, dict(list(opened.items())[:MOST_LOOKED_UP])), True
    array = reads[0].args[0]
    assert isinstance(array, Term)
    return _named(array, [read for read in reads if read.args[0] is array], parts, unknowns)


def _unwanted_array(array: V, unknowns: Unknowns) -> bool:
    """Whether an unwanted array variable is below the stores and choices of the array."""
    stack, seen = [array], set()
    while stack:
        term = stack.pop()
        if not isinstance(term, Term) or term in seen or not unknowns.of(term):
            continue
        seen.add(term)
        if term.op is Op.VARIABLE:
            return True
        if term.op is Op.STORE:
            stack.append(term.args[0])
        elif term.op is Op.ITE:
            stack += term.args[1:]
    return False


def _opened(read: Term) -> V:
    """A read of a STORE or an ITE in terms of reads of what is below."""
    array, index = read.args
    assert isinstance(array, Term) and isinstance(array.sort, ArraySort)
    element = BitVec(array.sort.element)
    if array.op is Op.STORE:
        below, place, value = array.args
        assert isinstance(below, Term)
        return build.ite(build.eq(place, index, array.sort.index), value, build.select(below, index), element)
    condition, yes, no = array.args
    assert isinstance(yes, Term) and isinstance(no, Term)
    return build.ite(condition, build.select(yes, index), build.select(no, index), element)


def _named(array: Term, reads: list[Term], parts: Sequence[V], unknowns: Unknowns) -> tuple[list[V], bool]:
    """The array is one with an arbitrary element at the index of one of its reads: that read is this element."""
    inner = [read for read in reads if array not in unknowns.of(read.args[1])]
    if len(reads) > MOST_READS:
        return substitute_all(parts, {read: unknowns.fresh(read.sort) for read in inner}), False
    rest, element = unknowns.fresh(array.sort), unknowns.fresh(inner[0].sort)
    return substitute_all(parts, {array: build.store(rest, inner[0].args[1], element)}), True
