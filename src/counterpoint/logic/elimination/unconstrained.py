"""Unconstrained variables: an operation on a variable that occurs nowhere else gives any result that it can give.

`x + t` with such an x is as arbitrary as x itself, so a fresh variable stands for it; `x < t` is an arbitrary truth
value where t is not 0. In general n(x, t) becomes g(y, t) with a fresh y, where both take the same values for every
t. That is an equivalence under the existential quantifier (the preprocessing step of SMT solvers, here without
leaving the formula's variables undefined). One pass goes bottom-up through all conjuncts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import chain
from typing import Final, NamedTuple

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination.equations import image_condition
from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

_ANY_RESULT: Final = frozenset({Op.NOT, Op.XOR, Op.ADD, Op.SUB, Op.NEG, Op.BVXOR, Op.BVNOT, Op.EXTRACT})
"""One arbitrary argument makes the result arbitrary."""

_BOTH: Final = frozenset({Op.AND, Op.MUL, Op.BVAND, Op.BVOR, Op.CONCAT, Op.SHL, Op.LSHR, Op.ASHR})
"""Two arbitrary arguments make the result arbitrary."""

_INJECTIVE: Final = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.BVXOR, Op.BVNOT, Op.ZEXT, Op.SEXT, Op.CONCAT})


class _Part(NamedTuple):
    """A node whose value depends on `variable`, which is nowhere else, and is not constant for any other values.

    `low`, `high`: its least and greatest value, unsigned, if known; `dense`: it takes all values between them.
    """

    variable: Term
    low: V | None = None
    high: V | None = None
    dense: bool = False


def released(parts: Sequence[V], unknowns: Unknowns) -> list[V] | None:
    """The conjuncts with such operations replaced; None if there are none."""
    order = [term for term in reachable(parts) if unknowns.of(term)]
    uses: dict[V, int] = dict.fromkeys(order, 0)
    for value in chain(parts, *(term.args for term in order)):
        if value in uses:
            uses[value] += 1
    if not any(uses[term] == 1 for term in order if term.op is Op.VARIABLE):
        return None
    run = _Pass(unknowns, uses)
    for term in order:
        run.visit(term)
    return [run.image(part) for part in parts] if run.changed else None


@dataclass(slots=True)
class _Pass:
    unknowns: Unknowns
    uses: dict[V, int]
    images: dict[Term, V] = field(default_factory=dict)
    free: set[Term] = field(default_factory=set)
    """Old terms used once whose new one is an unwanted variable that is nowhere else."""
    partial: dict[Term, _Part] = field(default_factory=dict)
    changed: bool = False

    def image(self, value: V) -> V:
        return value if isinstance(value, int) else self.images.get(value, value)

    def visit(self, term: Term) -> None:
        once = self.uses.get(term) == 1
        if term.op is Op.VARIABLE:
            if once:
                self.free.add(term)
            return
        places = [k for k, arg in enumerate(term.args) if arg in self.free]
        if not places and not self.images and not self.partial:
            return
        args = [self.image(arg) for arg in term.args]
        new = self._arbitrary(term, args, places) if places or self.partial else None
        if new is not None:
            self.changed = True
            self.images[term] = new
            if once and isinstance(new, Term) and new.op is Op.VARIABLE:
                self.free.add(term)
            return
        if any(a is not b for a, b in zip(args, term.args, strict=True)):
            self.images[term] = rebuild(term, args)
        if once and isinstance(term.sort, BitVec):
            self._note_partial(term, args, places)

    def _arbitrary(self, term: Term, args: list[V], places: list[int]) -> V | None:
        """The term that takes the same values, if one with fewer operations is known."""
        op = term.op
        fresh = self.unknowns.fresh
        if places:
            if op in _ANY_RESULT or (op in _BOTH and len(places) == 2):
                return fresh(term.sort)
            if op is Op.ITE and 0 in places and len(places) > 1:
                return fresh(term.sort)
            if op is Op.SELECT and 0 in places:
                return fresh(term.sort)
            if op is Op.MUL and isinstance(args[1], int):
                return self._multiple(term, args[1])
            if op is Op.SHL and isinstance(args[1], int):
                return self._multiple(term, 1 << args[1])
            if op is Op.FP_FROM_BITS:
                return fresh(term.sort)
            if op in (Op.FP_EQ, Op.FP_LT, Op.FP_LE, Op.FP_IS_NAN, Op.FP_IS_INF, Op.FP_IS_ZERO, Op.FP_IS_NEGATIVE):
                return self._float(term, args, places)
        if op is Op.EQ or op is Op.ULT or op is Op.SLT:
            return self._compared(term, args, places)
        return None

    def _multiple(self, term: Term, factor: int) -> V:
        """All multiples of the power of two in a constant factor."""
        assert isinstance(term.sort, BitVec)
        zeros = (factor & -factor).bit_length() - 1
        kept = term.sort.width - zeros
        any_value = self.unknowns.fresh(BitVec(kept))
        return build.concat(any_value, kept, 0, zeros) if zeros else any_value

    def _float(self, term: Term, args: list[V], places: list[int]) -> V | None:
        any_truth = self.unknowns.fresh(BOOL)
        if len(args) == 1 or len(places) == 2:
            return any_truth
        place = places[0]
        other, sort = args[1 - place], next(arg.sort for arg in term.args if isinstance(arg, Term))
        assert isinstance(sort, Float)
        possible = build.not_(build.fp_is_nan(other, sort))
        if term.op is Op.FP_LT:
            infinity = sort.infinity | (sort.sign_bit if place == 0 else 0)
            end = build.fp_from_bits(infinity, sort)
            possible = build.fp_lt(end, other, sort) if place == 0 else build.fp_lt(other, end, sort)
        return build.and_(any_truth, possible)

    def _compared(self, term: Term, args: list[V], places: list[int]) -> V | None:
        """A comparison: true where it can be true, false where it can be false, else what it must be."""
        assert isinstance(term.payload, int)
        width, fresh = term.payload, self.unknowns.fresh
        if term.op is Op.EQ and places:
            return fresh(BOOL)
        for place in (0, 1):
            old, mine, other = term.args[place], args[place], args[1 - place]
            part = self._part(old, width)
            if part is not None:
                result = self._range_compared(term.op, part, place, mine, other, width)
                if result is not None:
                    return result
            elif self._choice_of_free(old):
                assert isinstance(mine, Term)
                condition, yes, no = (
                    rebuild(term, [value, other] if place == 0 else [other, value]) if k else value
                    for k, value in enumerate(mine.args)
                )
                return build.ite(condition, yes, no, BOOL)
        return None

    def _part(self, old: V, width: int) -> _Part | None:
        if not isinstance(old, Term):
            return None
        if old in self.free:
            variable = self.image(old)
            assert isinstance(variable, Term)
            return _Part(variable, 0, (1 << width) - 1, True)
        return self.partial.get(old)

    def _choice_of_free(self, old: V) -> bool:
        """Whether it is an ite, used once, one of whose values is arbitrary."""
        if not isinstance(old, Term) or old.op is not Op.ITE or self.uses.get(old) != 1:
            return False
        new = self.image(old)
        if not isinstance(new, Term) or new.op is not Op.ITE:
            return False
        return any(arg in self.free for arg in old.args[1:])

    def _range_compared(self, op: Op, part: _Part, place: int, mine: V, other: V, width: int) -> V | None:
        any_truth = self.unknowns.fresh(BOOL)
        if op is Op.EQ:
            if part.dense and part.low is not None and part.high is not None:
                inside = build.and_(build.ule(part.low, other, width), build.ule(other, part.high, width))
                return build.and_(any_truth, inside)
            possible = image_condition(mine, part.variable, other, self.unknowns)
            return None if possible is None else build.and_(any_truth, possible)
        low, high = part.low, part.high
        if low is None or high is None:
            return None
        less = build.ult
        if op is Op.SLT:
            less, half = build.slt, 1 << (width - 1)
            if low == 0 and high == (1 << width) - 1 and part.dense:
                low, high = half, half - 1
            elif build.extract(width - 1, width - 1, low, width) != build.extract(width - 1, width - 1, high, width):
                return None
        if place == 0:
            possible, always = less(low, other, width), less(high, other, width)
        else:
            possible, always = less(other, high, width), less(other, low, width)
        return build.or_(build.and_(any_truth, possible), always)

    def _note_partial(self, term: Term, args: list[V], places: list[int]) -> None:
        """Remembers what values a node takes that is not arbitrary but depends on an arbitrary argument."""
        op, image = term.op, self.image(term)
        if not isinstance(image, Term) or image.op is not op:
            return
        if not places:
            inner = [arg for arg in term.args if isinstance(arg, Term) and arg in self.partial]
            if len(inner) == 1 and op in _INJECTIVE:
                part = self.partial[inner[0]]
                low, high = self._joined(term, args, inner[0], part) if op is Op.CONCAT else (None, None)
                self.partial[term] = _Part(part.variable, low, high)
            return
        if len(places) > 1:
            return
        place = places[0]
        variable, constant = args[place], args[1 - place] if len(args) == 2 else 0
        assert isinstance(variable, Term) and isinstance(term.sort, BitVec)
        mask = term.sort.mask
        match op:
            case Op.ZEXT:
                self.partial[term] = _Part(variable, 0, (1 << _payload(term)) - 1, True)
            case Op.SEXT:
                self.partial[term] = _Part(variable)
            case Op.CONCAT:
                assert isinstance(variable.sort, BitVec)
                ends = self._joined(term, args, term.args[place], _Part(variable, 0, variable.sort.mask))
                self.partial[term] = _Part(variable, *ends)
            case Op.BVAND if isinstance(constant, int):
                self.partial[term] = _Part(variable, 0, constant)
            case Op.BVOR if isinstance(constant, int):
                self.partial[term] = _Part(variable, constant, mask)
            case Op.UDIV if place == 0 and isinstance(constant, int) and constant > 0:
                self.partial[term] = _Part(variable, 0, mask // constant, True)
            case Op.UREM if place == 0 and isinstance(constant, int) and constant > 1:
                self.partial[term] = _Part(variable, 0, constant - 1, True)

    @staticmethod
    def _joined(term: Term, args: list[V], inner: V, part: _Part) -> tuple[V | None, V | None]:
        """The least and greatest value of a CONCAT one of whose arguments, `inner`, has those of `part`."""
        assert isinstance(term.sort, BitVec)
        if part.low is None or part.high is None:
            return None, None
        below = _payload(term)
        above = term.sort.width - below
        if term.args[0] is inner:
            return build.concat(part.low, above, args[1], below), build.concat(part.high, above, args[1], below)
        return build.concat(args[0], above, part.low, below), build.concat(args[0], above, part.high, below)


def _payload(term: Term) -> int:
    assert isinstance(term.payload, int)
    return term.payload
