"""z3's formulas over integers as bit-vector Terms of enough bits, so that no step of their arithmetic wraps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.bitvectors import postorder
from counterpoint.logic.horn.view import Native, Untranslatable
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V

MAX_BITS: Final = 192
"""Numbers of a formula that would need more are given up."""

CONSTANT: Final = -1
"""Stands for no variable in a sum; z3's ids are not negative."""


@dataclass(frozen=True, slots=True)
class Range:
    """All values of a number; negative ones mean that its bits are read as signed."""

    low: int
    high: int


class IntegerDecoder:
    """`arguments`: z3's constants, the component variables they stand for, and in which range they are seen."""

    def __init__(self, z3: Any, arguments: Sequence[tuple[Native, Term, Range | None]]) -> None:
        self._z3 = z3
        self._arguments = {constant.get_id(): (term, range_) for constant, term, range_ in arguments}
        self._ranges: dict[int, Range] = {}
        self._bits = 1
        self._comparisons = {z3.Z3_OP_LE: "<=", z3.Z3_OP_LT: "<", z3.Z3_OP_GE: ">=", z3.Z3_OP_GT: ">"}

    def of(self, formula: Native) -> V:
        """The Bool as a Term. Raises Untranslatable."""
        order = postorder(formula)
        for node in order:
            if self._z3.is_int(node):
                self._ranges[node.get_id()] = self._range(node)
        widest = max((max(abs(r.low), abs(r.high)) for r in self._ranges.values()), default=0)
        self._bits = widest.bit_length() + 2
        if self._bits > MAX_BITS:
            raise Untranslatable(f"numbers of {self._bits} bits")
        done: dict[int, V] = {}
        for node in order:
            done[node.get_id()] = self._term(node, [done[child.get_id()] for child in node.children()])
        return done[formula.get_id()]

    # ------------------------------------------------------------ ranges

    def _range(self, node: Native) -> Range:
        """By interval arithmetic; also of every partial sum and product, since these only add to it."""
        z3 = self._z3
        known = self._arguments.get(node.get_id())
        if known is not None:
            if known[1] is None:
                raise Untranslatable("a number without a range")
            return known[1]
        if z3.is_int_value(node):
            value = node.as_long()
            return Range(value, value)
        kind = node.decl().kind()
        if kind == z3.Z3_OP_SELECT:
            return self._selected(node)
        args = [self._ranges[child.get_id()] for child in node.children() if z3.is_int(child)]
        if kind in (z3.Z3_OP_ADD, z3.Z3_OP_SUB, z3.Z3_OP_UMINUS):
            bound = sum(_bound(arg) for arg in args)
            return Range(-bound, bound)
        if kind == z3.Z3_OP_MUL:
            bound = 1
            for arg in args:
                bound *= max(1, _bound(arg))
            return Range(-bound, bound)
        if kind == z3.Z3_OP_ITE:
            return Range(min(arg.low for arg in args), max(arg.high for arg in args))
        if kind in (z3.Z3_OP_IDIV, z3.Z3_OP_MOD) and args[1].low == args[1].high > 0:
            # room for the multiple that makes the dividend positive
            bound = 2 * _bound(args[0]) + 2 * args[1].high
            return Range(-bound, bound)
        raise Untranslatable(f"z3's operator {node.decl().name()}")

    def _selected(self, node: Native) -> Range:
        known = self._arguments.get(node.arg(0).get_id())
        if known is None or known[1] is None:
            raise Untranslatable("an element of an array that is no argument")
        return known[1]

    # ------------------------------------------------------------ terms

    def _term(self, node: Native, args: list[V]) -> V:
        z3, width = self._z3, self._bits
        known = self._arguments.get(node.get_id())
        if known is not None:
            return self._wide(*known)
        if z3.is_int_value(node):
            return int(node.as_long()) & ((1 << width) - 1)
        kind = node.decl().kind()
        if z3.is_bool(node):
            return self._bool(node, kind, args)
        if kind == z3.Z3_OP_ADD:
            return self._folded(build.add, args)
        if kind == z3.Z3_OP_SUB:
            return self._folded(build.sub, args)
        if kind == z3.Z3_OP_MUL:
            return self._folded(build.mul, args)
        if kind == z3.Z3_OP_UMINUS:
            return build.neg(args[0], width)
        if kind == z3.Z3_OP_ITE:
            return build.ite(args[0], args[1], args[2], BitVec(width))
        if kind in (z3.Z3_OP_IDIV, z3.Z3_OP_MOD):
            return self._divided(node, args, kind == z3.Z3_OP_IDIV)
        if kind == z3.Z3_OP_SELECT:
            return self._element(node, args[1])
        raise Untranslatable(f"z3's operator {node.decl().name()}")

    def _wide(self, term: Term, range_: Range | None) -> V:
        if not isinstance(term.sort, BitVec):
            return term
        assert range_ is not None
        extend = build.sext if range_.low < 0 else build.zext
        return extend(term, term.sort.width, self._bits)

    def _folded(self, make: Any, args: list[V]) -> V:
        result = args[0]
        for arg in args[1:]:
            result = make(result, arg, self._bits)
        return result

    def _divided(self, node: Native, args: list[V], quotient: bool) -> V:
        """z3's div and mod by d > 0 round down: a + k*d is not negative and has the same remainder."""
        divisor = node.arg(1).as_long()
        low = self._ranges[node.arg(0).get_id()].low
        times = -(low // divisor) if low < 0 else 0
        raised = build.add(args[0], times * divisor, self._bits)
        if not quotient:
            return build.urem(raised, divisor, self._bits)
        return build.sub(build.udiv(raised, divisor, self._bits), times, self._bits)

    def _element(self, node: Native, index: V) -> V:
        array, range_ = self._arguments[node.arg(0).get_id()]
        assert isinstance(array.sort, ArraySort) and range_ is not None
        place = self._resized(index, array.sort.index)
        extend = build.sext if range_.low < 0 else build.zext
        value = build.select(array, place)
        if array.sort.element >= self._bits:
            raise Untranslatable("an element without room")
        return extend(value, array.sort.element, self._bits)

    def _resized(self, value: V, width: int) -> V:
        if width > self._bits:
            return build.sext(value, self._bits, width)
        return build.extract(width - 1, 0, value, self._bits) if width < self._bits else value

    def _bool(self, node: Native, kind: int, args: list[V]) -> V:
        z3, width = self._z3, self._bits
        if z3.is_true(node) or z3.is_false(node):
            return int(z3.is_true(node))
        numbers = bool(node.children()) and z3.is_int(node.arg(0))
        if numbers and kind in self._comparisons and (plain := self._linear(node, self._comparisons[kind])) is not None:
            return plain
        match kind:
            case z3.Z3_OP_NOT:
                return build.not_(args[0])
            case z3.Z3_OP_AND:
                return build.conjunction(args)
            case z3.Z3_OP_OR:
                return build.disjunction(args)
            case z3.Z3_OP_IMPLIES:
                return build.implies(args[0], args[1])
            case z3.Z3_OP_LE if numbers:
                return build.sle(args[0], args[1], width)
            case z3.Z3_OP_LT if numbers:
                return build.slt(args[0], args[1], width)
            case z3.Z3_OP_GE if numbers:
                return build.sle(args[1], args[0], width)
            case z3.Z3_OP_GT if numbers:
                return build.slt(args[1], args[0], width)
            case z3.Z3_OP_EQ | z3.Z3_OP_IFF:
                return self._equal(node, args)
            case z3.Z3_OP_DISTINCT if len(args) == 2:
                return build.not_(self._equal(node, args))
            case z3.Z3_OP_ITE:
                return build.or_(build.and_(args[0], args[1]), build.and_(build.not_(args[0]), args[2]))
            case z3.Z3_OP_XOR:
                return build.xor_(args[0], args[1])
        raise Untranslatable(f"z3's operator {node.decl().name()}")

    # ------------------------------------------------------------ comparisons of one or two variables

    def _linear(self, node: Native, symbol: str) -> V | None:
        """x <= k, x <= y and x < y as comparisons of the variables' own width; None for others.

        These are equivalent to the wide ones and much easier for solvers.
        """
        left, right = (self._sum(child) for child in node.children())
        if left is None or right is None:
            return None
        if symbol in (">=", ">"):
            left, right = right, left
        factors = dict(left)
        for key, factor in right.items():
            factors[key] = factors.get(key, 0) - factor
        rest = factors.pop(CONSTANT, 0) + (1 if symbol in ("<", ">") else 0)
        terms = [(self._arguments[key], factor) for key, factor in factors.items() if factor]
        match terms:
            case [((term, Range() as range_), 1)]:
                return _at_most(term, range_, -rest)
            case [((term, Range() as range_), -1)]:
                return build.not_(_at_most(term, range_, rest - 1))
            case [((one, Range() as range_), 1 | -1 as factor), ((two, Range() as other), opposite)] if (
                opposite == -factor and range_ == other and one.sort is two.sort and rest in (0, 1)
            ):
                low, high = (one, two) if factor == 1 else (two, one)
                return _at_most_that(low, high, range_) if rest == 0 else build.not_(_at_most_that(high, low, range_))
        return None

    def _sum(self, node: Native) -> dict[int, int] | None:
        """Factors by z3's id of the arguments, and the rest under CONSTANT; None if it is no such sum."""
        z3, found = self._z3, {CONSTANT: 0}
        stack = [(node, 1)]
        while stack:
            part, factor = stack.pop()
            kind, children = part.decl().kind(), part.children()
            if part.get_id() in self._arguments:
                found[part.get_id()] = found.get(part.get_id(), 0) + factor
            elif z3.is_int_value(part):
                found[CONSTANT] += factor * part.as_long()
            elif kind == z3.Z3_OP_ADD:
                stack += ((child, factor) for child in children)
            elif kind == z3.Z3_OP_SUB:
                stack += ((child, factor if k == 0 else -factor) for k, child in enumerate(children))
            elif kind == z3.Z3_OP_UMINUS:
                stack.append((children[0], -factor))
            elif kind == z3.Z3_OP_MUL and len(children) == 2 and z3.is_int_value(children[0]):
                stack.append((children[1], factor * children[0].as_long()))
            else:
                return None
        return found

    def _equal(self, node: Native, args: list[V]) -> V:
        if self._z3.is_int(node.arg(0)):
            return build.eq(args[0], args[1], self._bits)
        if self._z3.is_bool(node.arg(0)):
            return build.iff(args[0], args[1])
        raise Untranslatable("an equality of arrays")


def _at_most(term: Term, range_: Range, limit: int) -> V:
    if limit < range_.low or limit >= range_.high:
        return int(limit >= range_.high)
    assert isinstance(term.sort, BitVec)
    compare = build.sle if range_.low < 0 else build.ule
    return compare(term, limit & term.sort.mask, term.sort.width)


def _at_most_that(one: Term, two: Term, range_: Range) -> V:
    assert isinstance(one.sort, BitVec)
    compare = build.sle if range_.low < 0 else build.ule
    return compare(one, two, one.sort.width)


def _bound(range_: Range) -> int:
    return max(abs(range_.low), abs(range_.high))
