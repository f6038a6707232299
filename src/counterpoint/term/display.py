"""Terms as short infix text for people; not meant to be read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from counterpoint.term.operators import Op
from counterpoint.term.sorts import Sort


class Shown(Protocol):
    """What is shown of a term."""

    @property
    def op(self) -> Op: ...

    @property
    def args(self) -> Sequence[int | Shown]: ...

    @property
    def payload(self) -> int | str | None: ...

    @property
    def sort(self) -> Sort: ...


_INFIX: Final = {
    Op.AND: "&&", Op.XOR: "^^", Op.EQ: "==", Op.ULT: "<u", Op.SLT: "<", Op.ADD: "+", Op.SUB: "-",
    Op.MUL: "*", Op.UDIV: "/u", Op.UREM: "%u", Op.SDIV: "/", Op.SREM: "%", Op.BVAND: "&", Op.BVOR: "|",
    Op.BVXOR: "^", Op.SHL: "<<", Op.LSHR: ">>u", Op.ASHR: ">>", Op.CONCAT: "::", Op.FP_ADD: "+.",
    Op.FP_SUB: "-.", Op.FP_MUL: "*.", Op.FP_DIV: "/.", Op.FP_EQ: "==.", Op.FP_LT: "<.", Op.FP_LE: "<=.",
}  # fmt: skip
_SIGNED: Final = frozenset({Op.SLT, Op.ADD, Op.SUB, Op.MUL, Op.SDIV, Op.SREM, Op.EQ})
_NEGATED: Final = {Op.EQ: "!=", Op.FP_EQ: "!=."}
_SWAPPED: Final = {Op.ULT: "<=u", Op.SLT: "<="}


def rendered(value: int | Shown, limit: int = 400) -> str:
    """`value` in at most about `limit` characters; what does not fit is `..`."""
    parts: list[str] = []
    stack: list[int | Shown | str] = [value]
    length = 0
    while stack:
        item = stack.pop()
        if not isinstance(item, int | str):
            if length > limit:
                item = ".."
            else:
                stack.extend(reversed(_pieces(item)))
                continue
        text = str(item)
        parts.append(text)
        length += len(text)
    return "".join(parts)


def _constant(value: int | Shown, like: Shown) -> int | Shown | str:
    """A constant operand, signed where the operator is, hexadecimal where it is large."""
    if isinstance(value, int):
        width = like.payload if isinstance(like.payload, int) else getattr(like.sort, "width", 0)
        if like.op in _SIGNED and width > 1 and value >> (width - 1):
            value -= 1 << width
        return hex(value) if abs(value) > 0xFFFF else str(value)
    return value


def _infix(term: Shown, symbol: str, args: Sequence[int | Shown]) -> list[int | Shown | str]:
    return ["(", _constant(args[0], term), f" {symbol} ", _constant(args[1], term), ")"]


def _pieces(term: Shown) -> list[int | Shown | str]:
    op, args = term.op, term.args
    if op is Op.VARIABLE:
        return [str(term.payload)]
    if op is Op.ADDRESS:
        return [f"&{term.payload}"]
    if op in _INFIX:
        return _infix(term, _INFIX[op], args)
    if op is Op.NOT:
        return _complement(args[0])
    if op is Op.ITE:
        return ["(", args[0], " ? ", args[1], " : ", args[2], ")"]
    if op is Op.EXTRACT:
        low = term.payload
        assert isinstance(low, int) and not isinstance(args[0], int)
        return [args[0], f"[{low + getattr(term.sort, 'width', 1) - 1}:{low}]"]
    if op is Op.ZEXT or op is Op.SEXT:
        return [f"{op.name.lower()}{getattr(term.sort, 'width', '')}(", args[0], ")"]
    if op is Op.SELECT:
        return [args[0], "[", args[1], "]"]
    if op is Op.STORE:
        return [args[0], "{", args[1], " := ", args[2], "}"]
    pieces: list[int | Shown | str] = [f"{op.name.lower()}("]
    for position, arg in enumerate(args):
        pieces += [", ", arg] if position else [arg]
    return [*pieces, ")"]


def _complement(inner: int | Shown) -> list[int | Shown | str]:
    if not isinstance(inner, int):
        args = inner.args
        if inner.op in _NEGATED:
            return _infix(inner, _NEGATED[inner.op], args)
        if inner.op in _SWAPPED:
            return _infix(inner, _SWAPPED[inner.op], (args[1], args[0]))
        if inner.op is Op.AND:
            left, right = ([] if isinstance(arg, int) else _flipped(arg) for arg in args)
            return ["(", *left, " || ", *right, ")"]
    return ["!", inner]


def _flipped(term: Shown) -> list[int | Shown | str]:
    """The complement of a term, without a double NOT."""
    return [term.args[0]] if term.op is Op.NOT else _complement(term)
