"""Destructive equality resolution: a conjunct that says what an unwanted variable is removes the variable.

An equation is turned around one operator at a time: `node = target` becomes `argument = inverse of target`, under
conditions that no longer need the variable. Where the inverse is not unique, what stays open is a fresh variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

MOST_TURNS: Final = 48
"""Operators of one equation that are turned around."""


@dataclass(frozen=True, slots=True)
class Solution:
    """exists v. part  <=>  exists (fresh). conditions, and there v = value. `opened` counts the fresh variables."""

    variable: Term
    value: V
    conditions: tuple[V, ...]
    opened: int


def solution(part: V, unknowns: Unknowns) -> Solution | None:
    """What the conjunct says about one of its unwanted variables; solutions without fresh variables first."""
    best: Solution | None = None
    for found in _solutions(part, 1, unknowns):
        if not found.opened:
            return found
        best = best or found
    return best


def image_condition(node: V, wanted: Term, target: V, unknowns: Unknowns) -> V | None:
    """exists wanted. node = target, where `wanted` occurs once in node and not in target; None if not known."""
    for found in _solutions(node, target, unknowns):
        if found.variable is wanted:
            return build.conjunction(found.conditions)
    return None


def _solutions(node: V, target: V, unknowns: Unknowns) -> Iterator[Solution]:
    stack: list[tuple[V, V, tuple[V, ...], int]] = [(node, target, (), 0)]
    for _ in range(MOST_TURNS):
        if not stack:
            return
        term, value, conditions, opened = stack.pop()
        mine = unknowns.of(term)
        if not mine:
            continue
        assert isinstance(term, Term)
        if term.op is Op.VARIABLE:
            if term not in unknowns.of(value):
                yield Solution(term, value, conditions, opened)
            continue
        for inner, turned, more, fresh in reversed(list(_turned(term, value, unknowns))):
            stack.append((inner, turned, conditions + more, opened + fresh))


_Turn = tuple[V, V, tuple[V, ...], int]
"""Argument, what it must be, conditions besides, fresh variables in it."""


def _turned(term: Term, target: V, unknowns: Unknowns) -> Iterator[_Turn]:
    """Ways to read `term = target` as an equation of an argument."""
    op, args, sort = term.op, term.args, term.sort
    if op is Op.NOT:
        yield args[0], build.not_(target), (), 0
    elif op is Op.XOR:
        yield args[0], build.xor_(args[1], target), (), 0
        yield args[1], build.xor_(args[0], target), (), 0
    elif op is Op.EQ:
        if target == 1:
            yield args[0], args[1], (), 0
            yield args[1], args[0], (), 0
        elif target == 0 and term.payload == 1:
            yield args[0], build.bvnot(args[1], 1), (), 0
            yield args[1], build.bvnot(args[0], 1), (), 0
    elif op is Op.SELECT:
        array = args[0]
        assert isinstance(array, Term)
        elsewhere = unknowns.of(args[1]) | unknowns.of(target)
        if array.op is Op.VARIABLE and array in unknowns.of(array) and array not in elsewhere:
            yield array, build.store(unknowns.fresh(array.sort), args[1], target), (), 1
    elif isinstance(sort, BitVec):
        yield from _turned_bits(term, target, sort.width, unknowns)


def _turned_bits(term: Term, target: V, width: int, unknowns: Unknowns) -> Iterator[_Turn]:
    op, args = term.op, term.args
    match op:
        case Op.ADD:
            yield args[0], build.sub(target, args[1], width), (), 0
            yield args[1], build.sub(target, args[0], width), (), 0
        case Op.SUB:
            yield args[0], build.add(target, args[1], width), (), 0
            yield args[1], build.sub(args[0], target, width), (), 0
        case Op.NEG:
            yield args[0], build.neg(target, width), (), 0
        case Op.BVNOT:
            yield args[0], build.bvnot(target, width), (), 0
        case Op.BVXOR:
            yield args[0], build.bvxor(args[1], target, width), (), 0
            yield args[1], build.bvxor(args[0], target, width), (), 0
        case Op.MUL:
            if isinstance(args[1], int) and args[1] & 1:
                yield args[0], build.mul(target, pow(args[1], -1, 1 << width), width), (), 0
            elif isinstance(args[1], int):
                yield _product(args[0], args[1], target, width, unknowns)
        case Op.SHL:
            if isinstance(args[1], int):
                yield _product(args[0], 1 << args[1], target, width, unknowns)
        case Op.ITE:
            condition, yes, no = args
            if isinstance(yes, int) and isinstance(no, int):
                is_yes = build.eq(target, yes, width)
                yield condition, is_yes, (build.or_(is_yes, build.eq(target, no, width)),), 0
        case Op.BVAND | Op.BVOR:
            if isinstance(args[1], int):
                yield _masked(args[0], args[1], target, op is Op.BVAND, width, unknowns)
        case Op.CONCAT | Op.EXTRACT | Op.ZEXT | Op.SEXT:
            yield from _turned_width(term, target, width, unknowns)


def _turned_width(term: Term, target: V, width: int, unknowns: Unknowns) -> Iterator[_Turn]:
    op, args, parameter = term.op, term.args, term.payload
    assert isinstance(parameter, int)
    if op is Op.CONCAT:
        high = build.extract(width - 1, parameter, target, width)
        low = build.extract(parameter - 1, 0, target, width)
        yield args[0], high, (build.eq(args[1], low, parameter),), 0
        yield args[1], low, (build.eq(args[0], high, width - parameter),), 0
    elif op is Op.EXTRACT:
        inner = args[0]
        assert isinstance(inner, Term) and isinstance(inner.sort, BitVec)
        above, value, opened, total = inner.sort.width - parameter - width, target, 0, width
        if parameter:
            value = build.concat(value, width, unknowns.fresh(BitVec(parameter)), parameter)
            opened, total = 1, width + parameter
        if above:
            value = build.concat(unknowns.fresh(BitVec(above)), above, value, total)
            opened += 1
        yield inner, value, (), opened
    else:
        short = build.extract(parameter - 1, 0, target, width)
        longer = build.zext if op is Op.ZEXT else build.sext
        yield args[0], short, (build.eq(longer(short, parameter, width), target, width),), 0


def _product(inner: V, factor: int, target: V, width: int, unknowns: Unknowns) -> _Turn:
    """inner * factor = target, for an even constant factor: the upper bits of `inner` stay open."""
    zeros = (factor & -factor).bit_length() - 1
    kept = width - zeros
    quotient = build.extract(width - 1, zeros, target, width)
    quotient = build.mul(quotient, pow(factor >> zeros, -1, 1 << kept), kept)
    value = build.concat(unknowns.fresh(BitVec(zeros)), zeros, quotient, kept)
    return inner, value, (build.eq(build.extract(zeros - 1, 0, target, width), 0, zeros),), 1


def _masked(inner: V, mask: int, target: V, conjunctive: bool, width: int, unknowns: Unknowns) -> _Turn:
    """inner & mask = target, or inner | mask = target: the other bits of `inner` stay open."""
    open_bits = mask ^ ((1 << width) - 1) if conjunctive else mask
    opened, low = 0, 0
    condition = build.eq(build.bvand(target, open_bits, width), 0 if conjunctive else mask, width)
    pieces: list[tuple[V, int]] = []
    while low < width:
        is_open, high = open_bits >> low & 1, low
        while high + 1 < width and open_bits >> (high + 1) & 1 == is_open:
            high += 1
        size = high - low + 1
        pieces.append((unknowns.fresh(BitVec(size)) if is_open else build.extract(high, low, target, width), size))
        opened, low = opened + is_open, high + 1
    whole, total = pieces[0]
    for piece, size in pieces[1:]:
        whole, total = build.concat(piece, size, whole, total), total + size
    return inner, whole, (condition,), opened


def first_solution(parts: Sequence[V], unknowns: Unknowns) -> tuple[int, Solution] | None:
    """The first conjunct that can be solved, solutions without fresh variables first."""
    best: tuple[int, Solution] | None = None
    for place, part in enumerate(parts):
        found = solution(part, unknowns)
        if found is not None:
            if not found.opened:
                return place, found
            best = best or (place, found)
    return best
