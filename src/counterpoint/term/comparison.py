"""Equality and order of bit-vectors.

Only EQ, ULT and SLT exist; the others are their complements, so that `a < b` and `b <= a` are recognised
as opposite. Constants are moved to one side, extensions are stripped, comparisons of constants with trees of
ITEs are done at the leaves.
"""

from __future__ import annotations

from counterpoint.term import meaning
from counterpoint.term.arithmetic import add, split_constant
from counterpoint.term.bits import extract, flag
from counterpoint.term.boolean import and_, bool_ite, iff, not_, or_
from counterpoint.term.choice import map_leaves
from counterpoint.term.owned import plain
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V, intern

_ADD = Op.ADD
_EQ = Op.EQ
_ULT = Op.ULT
_SLT = Op.SLT
_ITE = Op.ITE
_ZEXT = Op.ZEXT
_SEXT = Op.SEXT
_CONCAT = Op.CONCAT


def _narrow(term: Term) -> int:
    """The width of what CONCAT puts below, or ZEXT, SEXT extend."""
    assert isinstance(term.payload, int)
    return term.payload


def eq(a: V, b: V, width: int, fuel: int = 32) -> V:
    """a = b. `fuel` bounds how many nested ITEs are looked into."""
    a, b = plain(a), plain(b)  # addresses are compared, whoever owns them
    if type(a) is int:
        if type(b) is int:
            return 1 if a == b else 0
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        simpler = _eq_constant(a, b, width, fuel)
        return intern(_EQ, (a, b), width, BOOL) if simpler is None else simpler
    assert isinstance(b, Term)
    if a is b:
        return 1
    return _eq_terms(a, b, width, fuel)


def ne(a: V, b: V, width: int) -> V:
    """a != b."""
    return not_(eq(a, b, width))


def _eq_terms(a: Term, b: Term, width: int, fuel: int) -> V:
    if a.op is _ADD or b.op is _ADD:
        simpler = _eq_sums(a, b, width, fuel)
        if simpler is not None:
            return simpler
    elif a.op is b.op and a.payload == b.payload:
        simpler = _eq_same_shape(a, b, fuel)
        if simpler is not None:
            return simpler
    if a.leaves == 2 and b.leaves == 2:
        left, right = flag(a), flag(b)
        if left is not None and right is not None:
            return iff(left, right)
    if fuel:
        for choice, other in ((a, b), (b, a)):
            if choice.op is _ITE:
                condition, x, y = choice.args
                if x is other:
                    return or_(condition, eq(y, other, width, fuel - 1))
                if y is other:
                    return or_(not_(condition), eq(x, other, width, fuel - 1))
    return intern(_EQ, (a, b) if a.index < b.index else (b, a), width, BOOL)


def _eq_sums(a: Term, b: Term, width: int, fuel: int) -> V | None:
    """a = b where one of them is an ADD: common summands cancel, the constant goes to the younger side."""
    x, left = split_constant(a)
    y, right = split_constant(b)
    assert isinstance(x, Term) and isinstance(y, Term)
    if x is y:
        return 1 if left == right else 0
    if not fuel:
        return None
    if left == right and left:
        return eq(x, y, width, fuel - 1)
    for total, summand, rest in ((x, y, right - left), (y, x, left - right)):
        if total.op is _ADD and (total.args[0] is summand or total.args[1] is summand):
            other = total.args[1] if total.args[0] is summand else total.args[0]
            return eq(other, rest & ((1 << width) - 1), width, fuel - 1)
    if x.op is _ADD and y.op is _ADD:
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            if x.args[i] is y.args[j]:
                return eq(add(x.args[1 - i], left, width), add(y.args[1 - j], right, width), width, fuel - 1)
    if left or right:
        if x.index > y.index:
            x, y, left, right = y, x, right, left
        shifted = add(y, right - left & ((1 << width) - 1), width)
        assert isinstance(shifted, Term)
        return intern(_EQ, (x, shifted) if x.index < shifted.index else (shifted, x), width, BOOL)
    return None


def _eq_same_shape(a: Term, b: Term, fuel: int) -> V | None:
    """a = b for two terms of the same operator and payload."""
    op = a.op
    if not fuel:
        return None
    if op is _ZEXT or op is _SEXT:
        return eq(a.args[0], b.args[0], _narrow(a), fuel - 1)
    if op is Op.BVNOT or op is Op.NEG:
        assert isinstance(a.sort, BitVec)
        return eq(a.args[0], b.args[0], a.sort.width, fuel - 1)
    if op is _CONCAT:
        assert isinstance(a.sort, BitVec)
        low = _narrow(a)
        high = eq(a.args[0], b.args[0], a.sort.width - low, fuel - 1)
        return and_(high, eq(a.args[1], b.args[1], low, fuel - 1)) if high != 0 else 0
    return None


def _eq_constant(a: Term, k: int, width: int, fuel: int) -> V | None:
    """a = k in simpler terms, or None."""
    if a.leaves:
        return map_leaves(a, lambda leaf: 1 if leaf == k else 0, BOOL)
    if not fuel:
        return None
    op = a.op
    if op is _ITE:
        return _eq_choice(a, k, width, fuel)
    if op is _ZEXT:
        return 0 if k >> _narrow(a) else eq(a.args[0], k, _narrow(a), fuel - 1)
    if op is _SEXT:
        source = _narrow(a)
        short = k & ((1 << source) - 1)
        return eq(a.args[0], short, source, fuel - 1) if meaning.sext(short, source, width) == k else 0
    if op is _CONCAT:
        low = _narrow(a)
        high = eq(a.args[0], k >> low, width - low, fuel - 1)
        return and_(high, eq(a.args[1], k & ((1 << low) - 1), low, fuel - 1)) if high != 0 else 0
    if len(a.args) == 2 and type(a.args[1]) is int:
        return _eq_constant_operation(a, a.args[1], k, width, fuel)
    mask = (1 << width) - 1
    if op is Op.BVNOT:
        return eq(a.args[0], k ^ mask, width, fuel - 1)
    if op is Op.NEG:
        return eq(a.args[0], -k & mask, width, fuel - 1)
    if op is Op.SUB and k == 0:
        return eq(a.args[0], a.args[1], width, fuel - 1)
    return None


def _eq_choice(a: Term, k: int, width: int, fuel: int) -> V | None:
    """ite(c, x, y) = k where x or y is constant."""
    condition, x, y = a.args
    if type(x) is int:
        rest = eq(y, k, width, fuel - 1)
        return or_(condition, rest) if x == k else and_(not_(condition), rest)
    if type(y) is int:
        rest = eq(x, k, width, fuel - 1)
        return or_(not_(condition), rest) if y == k else and_(condition, rest)
    return None


def _eq_constant_operation(a: Term, c: int, k: int, width: int, fuel: int) -> V | None:
    """(x op c) = k."""
    op, x = a.op, a.args[0]
    mask = (1 << width) - 1
    if op is _ADD:
        return eq(x, k - c & mask, width, fuel - 1)
    if op is Op.BVXOR:
        return eq(x, k ^ c, width, fuel - 1)
    if op is Op.BVAND:
        return 0 if k & ~c else None
    if op is Op.BVOR:
        return 0 if c & ~k else None
    if op is Op.SHL:
        if k & ((1 << c) - 1):
            return 0
        return eq(extract(width - 1 - c, 0, x, width), k >> c, width - c, fuel - 1)
    if op is Op.MUL and c & 1:
        return eq(x, k * pow(c, -1, 1 << width) & mask, width, fuel - 1)
    if op is Op.UREM and c:
        return 0 if k >= c else None
    return None


def ult(a: V, b: V, width: int, fuel: int = 32) -> V:
    """a < b, unsigned. `fuel` as in `eq`."""
    a, b = plain(a), plain(b)  # addresses are compared, whoever owns them
    if type(b) is int:
        if type(a) is int:
            return 1 if a < b else 0
        assert isinstance(a, Term)
        simpler = _ult_below(a, b, width, fuel)
    elif type(a) is int:
        assert isinstance(b, Term)
        simpler = _ult_above(a, b, width, fuel)
    else:
        if a is b:
            return 0
        assert isinstance(a, Term) and isinstance(b, Term)
        simpler = None
        if fuel and (a.op is _ZEXT or a.op is _SEXT) and a.op is b.op and a.payload == b.payload:
            simpler = ult(a.args[0], b.args[0], _narrow(a), fuel - 1)
    return intern(_ULT, (a, b), width, BOOL) if simpler is None else simpler


def _ult_below(a: Term, k: int, width: int, fuel: int) -> V | None:
    """a < k, unsigned, in simpler terms, or None."""
    if k == 0:
        return 0
    if k == 1:
        return eq(a, 0, width)
    if k == (1 << width) - 1:
        return ne(a, k, width)
    if a.leaves:
        return map_leaves(a, lambda leaf: 1 if leaf < k else 0, BOOL)
    if not fuel:
        return None
    if a.op is _ZEXT:
        return 1 if k >> _narrow(a) else ult(a.args[0], k, _narrow(a), fuel - 1)
    if a.op is _ITE and (type(a.args[1]) is int or type(a.args[2]) is int):
        condition, x, y = a.args
        return bool_ite(condition, ult(x, k, width, fuel - 1), ult(y, k, width, fuel - 1))
    if a.op is _CONCAT and k & ((1 << _narrow(a)) - 1) == 0:
        low = _narrow(a)
        return ult(a.args[0], k >> low, width - low, fuel - 1)
    if len(a.args) == 2 and type(a.args[1]) is int:
        right = a.args[1]
        if (a.op is Op.UREM and 0 < right <= k) or (a.op is Op.BVAND and right < k):
            return 1
    return None


def _ult_above(k: int, b: Term, width: int, fuel: int) -> V | None:
    """k < b, unsigned, in simpler terms, or None."""
    largest = (1 << width) - 1
    if k == 0:
        return ne(b, 0, width)
    if k == largest:
        return 0
    if k == largest - 1:
        return eq(b, largest, width)
    if b.leaves:
        return map_leaves(b, lambda leaf: 1 if k < leaf else 0, BOOL)
    if not fuel:
        return None
    if b.op is _ZEXT:
        return 0 if k >> _narrow(b) else ult(k, b.args[0], _narrow(b), fuel - 1)
    if b.op is _ITE and (type(b.args[1]) is int or type(b.args[2]) is int):
        condition, x, y = b.args
        return bool_ite(condition, ult(k, x, width, fuel - 1), ult(k, y, width, fuel - 1))
    if len(b.args) == 2 and type(b.args[1]) is int:
        right = b.args[1]
        if (b.op is Op.UREM and 0 < right <= k + 1) or (b.op is Op.BVAND and right <= k):
            return 0
    return None


def ule(a: V, b: V, width: int) -> V:
    """a <= b, unsigned."""
    return not_(ult(b, a, width))


def slt(a: V, b: V, width: int, fuel: int = 32) -> V:
    """a < b, signed. `fuel` as in `eq`."""
    a, b = plain(a), plain(b)  # addresses are compared, whoever owns them
    if type(b) is int:
        if type(a) is int:
            return meaning.slt(a, b, width)
        assert isinstance(a, Term)
        simpler = _slt_below(a, b, width, fuel)
    elif type(a) is int:
        assert isinstance(b, Term)
        simpler = _slt_above(a, b, width, fuel)
    else:
        if a is b:
            return 0
        assert isinstance(a, Term) and isinstance(b, Term)
        simpler = None
        if fuel and a.op is b.op and a.payload == b.payload:
            if a.op is _ZEXT:
                simpler = ult(a.args[0], b.args[0], _narrow(a), fuel - 1)
            elif a.op is _SEXT:
                simpler = slt(a.args[0], b.args[0], _narrow(a), fuel - 1)
    return intern(_SLT, (a, b), width, BOOL) if simpler is None else simpler


def _slt_below(a: Term, k: int, width: int, fuel: int) -> V | None:
    """a < k, signed, in simpler terms, or None."""
    least = 1 << (width - 1)
    if k == least:
        return 0
    if k == least - 1:
        return ne(a, k, width)
    if k == least + 1:
        return eq(a, least, width)
    if a.leaves:
        return map_leaves(a, lambda leaf: meaning.slt(leaf, k, width), BOOL)
    if not fuel:
        return None
    if a.op is _ZEXT:
        return 0 if k & least else ult(a, k, width, fuel - 1)
    if a.op is _SEXT:
        source = _narrow(a)
        short = k & ((1 << source) - 1)
        if meaning.sext(short, source, width) == k:
            return slt(a.args[0], short, source, fuel - 1)
        return 0 if k & least else 1
    if a.op is _ITE and (type(a.args[1]) is int or type(a.args[2]) is int):
        condition, x, y = a.args
        return bool_ite(condition, slt(x, k, width, fuel - 1), slt(y, k, width, fuel - 1))
    return None


def _slt_above(k: int, b: Term, width: int, fuel: int) -> V | None:
    """k < b, signed, in simpler terms, or None."""
    least = 1 << (width - 1)
    largest = least - 1
    if k == largest:
        return 0
    if k == least:
        return ne(b, k, width)
    if k == largest - 1 and width > 1:
        return eq(b, largest, width)
    if b.leaves:
        return map_leaves(b, lambda leaf: meaning.slt(k, leaf, width), BOOL)
    if not fuel:
        return None
    if b.op is _ZEXT:
        return 1 if k & least else ult(k, b, width, fuel - 1)
    if b.op is _SEXT:
        source = _narrow(b)
        short = k & ((1 << source) - 1)
        if meaning.sext(short, source, width) == k:
            return slt(short, b.args[0], source, fuel - 1)
        return 1 if k & least else 0
    if b.op is _ITE and (type(b.args[1]) is int or type(b.args[2]) is int):
        condition, x, y = b.args
        return bool_ite(condition, slt(k, x, width, fuel - 1), slt(k, y, width, fuel - 1))
    return None


def sle(a: V, b: V, width: int) -> V:
    """a <= b, signed."""
    return not_(slt(b, a, width))
