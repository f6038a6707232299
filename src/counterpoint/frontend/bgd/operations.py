"""C expressions for the operations of the format; every iN is an unsigned _BitInt(N).

The symbols of the thesis's grammar are signed, as C's int is; LLVM's words say the sign themselves. `bvsdiv` and
its like are SMT-LIB's, defined for all operands.
"""

from __future__ import annotations

from counterpoint.frontend.bgd import syntax as s

_PLAIN = {
    "+": "+", "add": "+", "-": "-", "sub": "-", "*": "*", "mul": "*", "|": "|", "or": "|", "&": "&", "and": "&",
    "^": "^", "xor": "^", "<<": "<<", "shl": "<<", "lshr": ">>", "udiv": "/", "urem": "%",
}  # fmt: skip
_SIGNED = {"/": "/", "sdiv": "/", "%": "%", "srem": "%", ">>": ">>", "ashr": ">>"}
_COMPARED = {"==": "==", "eq": "==", "!=": "!=", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_COMPARED_SIGNED = {"<": "<", "slt": "<", "<=": "<=", "sle": "<=", ">": ">", "sgt": ">", ">=": ">=", "sge": ">="}
_TOTAL = {"bvsdiv": "divide", "bvsrem": "remainder", "bvshl": "shift_left", "bvashr": "shift_right"}


def type_name(type_: s.Type) -> str:
    return str(type_)


def number(value: int, type_: s.Type) -> str:
    """A literal; as a pointer, the address with that number."""
    if type_ == s.POINTER:
        return f"((ptr)(__UINTPTR_TYPE__){value:#x}ULL)"
    return f"((i{type_.bits}){value:#x}ULL)"


def signed(text: str, type_: s.Type) -> str:
    """The same bits as a signed C value. C has no signed type of one bit: there 1 is -1, in two bits."""
    if type_ == s.POINTER:
        return f"((__INTPTR_TYPE__){text})"
    return f"((s{type_.bits}){text})" if type_.bits > 1 else f"((s2)-(i2){text})"


def binary(operator: str, left: str, right: str, type_: s.Type) -> str:
    """`left operator right`; `type_` is the operands', the result's is i1 for comparisons."""
    if operator in _COMPARED:
        if type_ == s.POINTER:
            left, right = (f"(__UINTPTR_TYPE__){text}" for text in (left, right))
        return f"(i1)({left} {_COMPARED[operator]} {right})"
    if operator in _COMPARED_SIGNED:
        return f"(i1)({signed(left, type_)} {_COMPARED_SIGNED[operator]} {signed(right, type_)})"
    if operator in _PLAIN:
        return f"({type_})({left} {_PLAIN[operator]} {right})"
    if operator in _SIGNED:
        amount = right if operator in (">>", "ashr") else signed(right, type_)
        return f"({type_})({signed(left, type_)} {_SIGNED[operator]} {amount})"
    if operator in _TOTAL and type_.bits == 32:
        return f"(i32)__counterpoint_{_TOTAL[operator]}((int){left}, (int){right})"
    return f"({type_})({_total(operator, left, right, type_)})"


def _total(operator: str, a: str, b: str, type_: s.Type) -> str:
    """SMT-LIB's value for all operands."""
    width, zero, one = type_.bits, number(0, type_), number(1, type_)
    ones = number((1 << width) - 1, type_)
    minus = f"({type_})-{a}"
    match operator:
        case "bvudiv":
            return f"{b} == {zero} ? {ones} : ({type_})({a} / {b})"
        case "bvurem":
            return f"{b} == {zero} ? {a} : ({type_})({a} % {b})"
        case "bvsdiv":
            by_zero = f"({signed(a, type_)} < 0 ? {one} : {ones})"
            rest = f"{b} == {ones} ? {minus} : ({type_})({signed(a, type_)} / {signed(b, type_)})"
            return f"{b} == {zero} ? {by_zero} : {rest}"
        case "bvsrem":
            rest = f"{b} == {ones} ? {zero} : ({type_})({signed(a, type_)} % {signed(b, type_)})"
            return f"{b} == {zero} ? {a} : {rest}"
    over = f"{b} > {number(width - 1, type_)}"
    match operator:
        case "bvshl":
            return f"{over} ? {zero} : ({type_})({a} << {b})"
        case "bvlshr":
            return f"{over} ? {zero} : ({type_})({a} >> {b})"
    return f"({type_})({signed(a, type_)} >> ({over} ? {number(width - 1, type_)} : {b}))"


def conversion(operator: str, text: str, source: s.Type, target: s.Type) -> str:
    match operator:
        case "sext":
            return f"({target}){signed(text, source)}"
        case "ptrtoint":
            return f"({target})(__UINTPTR_TYPE__){text}"
        case "inttoptr":
            return f"(ptr)(__UINTPTR_TYPE__){text}"
    return f"({target}){text}"
