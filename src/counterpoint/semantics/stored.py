"""Values as memory stores them: taking bytes apart, putting them together, choosing between them.

A stored value is an int, a bit-vector term or a Float term, as it was written.
"""

from __future__ import annotations

from counterpoint.term import build
from counterpoint.term.sorts import BitVec, Float
from counterpoint.term.term import Op, Term, V


def as_bits(value: V) -> V:
    """A stored value as a bit-vector."""
    if isinstance(value, Term) and isinstance(value.sort, Float):
        return build.bits_from_fp(value, value.sort)
    return value


def choose(condition: V, yes: V, no: V, bits: int) -> V:
    """ite over stored values, which may be Float terms on one side and bits on the other."""
    if condition == 1 or yes is no:
        return yes
    if condition == 0:
        return no
    sorts = {value.sort for value in (yes, no) if isinstance(value, Term)}
    if len(sorts) == 1:
        (sort,) = sorts
        return build.ite(condition, yes, no, sort)
    return build.ite(condition, as_bits(yes), as_bits(no), BitVec(bits))


def join_bytes(parts: list[tuple[int, V]], big_endian: bool) -> V:
    """Puts (bytes, value) parts, in address order, together to one bit-vector."""
    ordered = parts if big_endian else parts[::-1]
    size, value = ordered[0]
    for more, low in ordered[1:]:
        value = build.concat(value, 8 * size, low, 8 * more)
        size += more
    return value


def part_of(value: V, size: int, start: int, length: int, big_endian: bool) -> V:
    """Bytes [start, start+length) in address order of a stored value of `size` bytes."""
    if length == size:
        return value
    bits = as_bits(value)
    low = 8 * (size - start - length) if big_endian else 8 * start
    return build.extract(low + 8 * length - 1, low, bits, 8 * size)


_alignments: dict[int, dict[Term, int]] = {}
_FIRST_ONLY = frozenset({Op.NEG, Op.ZEXT, Op.SEXT, Op.SHL})
_NEEDED = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.CONCAT, Op.BVAND), slice(0, 2)),
    **dict.fromkeys(_FIRST_ONLY, slice(0, 1)),
    Op.ITE: slice(1, 3),
}
MAX_ALIGNMENT = 64


def known_alignment(offset: V, bases: int = 1) -> int:
    """A power of two that divides the offset, also modulo any power of two above it (at most 64).

    `bases` is what is known to divide every object's base address (World.base_alignment).
    """
    if isinstance(offset, int):
        return min(offset & -offset, MAX_ALIGNMENT) if offset else MAX_ALIGNMENT
    known = _alignments.setdefault(bases, {})
    stack = [offset]
    while stack:
        term = stack[-1]
        parts = term.args[_NEEDED[term.op]] if term.op in _NEEDED else ()
        waiting = [part for part in parts if isinstance(part, Term) and part not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        each = [known[part] if isinstance(part, Term) else known_alignment(part) for part in parts]
        known[term] = bases if term.op is Op.ADDRESS else min(MAX_ALIGNMENT, _alignment(term, each))
    return known[offset]


def _alignment(term: Term, parts: list[int]) -> int:
    """The alignment of a term from those of the arguments that matter."""
    match term.op:
        case Op.ADD | Op.SUB | Op.ITE:
            return min(parts)
        case Op.MUL:
            return parts[0] * parts[1]
        case Op.SHL:
            by = term.args[1]
            return parts[0] << (min(by, 6) if isinstance(by, int) else 0)
        case Op.CONCAT:
            width = term.payload
            assert isinstance(width, int)
            return parts[0] << min(width, 6) if term.args[1] == 0 else min(parts[1], 1 << min(width, 6))
        case Op.NEG | Op.ZEXT | Op.SEXT:
            return parts[0]
        case Op.BVAND:
            return max(parts)
    return 1
