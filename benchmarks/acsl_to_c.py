"""Clauses of `counterpoint infer` (ACSL over integers without bounds) in the language of contract_text.py.

There expressions are C with the machine's arithmetic: what is read is made an __int128, in which nothing that a clause
computes wraps around (CT_NUM), and casts are C's.
"""

from __future__ import annotations

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.annotations import expressions as e

_TYPES = (
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long",
    "long long", "unsigned long long", "_Bool",
)  # fmt: skip
MACROS = f"#define CT_NUM(x) _Generic((x), {', '.join(f'{one}: (__int128)(x)' for one in _TYPES)}, default: (x))\n"


def clause(text: str) -> str:
    """Raises UnusableInput for what it has no words for."""
    try:
        return _condition(e.parsed(text))
    except e.NoExpression as why:
        raise UnusableInput(f"`{text}`: {why}") from None


def _condition(found: e.Expression) -> str:
    match found:
        case e.Binary("==>", one, two):
            return f"!({_condition(one)}) || ({_condition(two)})"
        case e.Binary("&&" | "||" as sign, one, two):
            return f"({_condition(one)}) {sign} ({_condition(two)})"
        case e.Unary("!", one):
            return f"!({_condition(one)})"
        case e.Every(name, e.Binary("==>", e.Binary("&&", low, high), body), True):
            return f"forall({name}, {_bound(low, name, False)}, {_bound(high, name, True)}, {_condition(body)})"
        case e.Every(name, e.Binary("&&", e.Binary("&&", low, high), body), False):
            return f"exists({name}, {_bound(low, name, False)}, {_bound(high, name, True)}, {_condition(body)})"
        case e.Apply("\\valid", (pointer,)):
            return _valid(pointer)
        case e.Apply("\\separated", args):
            parts = [_lvalue(arg) for arg in args]
            pairs = [(one, two) for at, one in enumerate(parts) for two in parts[at + 1 :]]
            return " && ".join(f"separate({one}, {two})" for one, two in pairs)
    return _value(found)


def _bound(found: e.Expression, name: str, above: bool) -> str:
    match found:
        case e.Binary("<=", low, e.Name(own)) if own == name and not above:
            return _value(low)
        case e.Binary("<", e.Name(own), high) if own == name and above:
            return _value(high)
    raise UnusableInput(f"the range of {name} is not 0 <= {name} < n")


def _valid(pointer: e.Expression) -> str:
    match pointer:
        case e.Binary("+", start, e.Binary("..", e.Number(0), e.Apply("strlen", _))):
            return f"string({_lvalue(start)})"
        case e.Binary("+", start, e.Binary("..", e.Number(0), e.Binary("-", count, e.Number(1)))):
            return f"valid({_lvalue(start)}, {_value(count)})"
        case e.Binary("+", start, e.Binary("..", e.Number(0), last)):
            return f"valid({_lvalue(start)}, {_value(last)} + 1)"
    return f"valid({_lvalue(pointer)})"


def _value(found: e.Expression) -> str:
    match found:
        case e.Number(value):
            return f"(__int128){value}u" if value < 1 << 32 else f"(__int128){value}ull"
        case e.Name("\\null" | "\\false"):
            return "0"
        case e.Name("\\true"):
            return "1"
        case e.Unary("-" | "+" | "~" as sign, arg):
            return f"({sign}{_value(arg)})"
        case e.Binary("&&" | "||" | "==>", _, _) | e.Unary("!", _) | e.Every() | e.Apply("\\valid" | "\\separated", _):
            return f"({_condition(found)})"
        case e.Binary(sign, one, two) if sign not in ("..", "^^", "<==>"):
            return f"({_value(one)} {sign} {_value(two)})"
        case e.Choice(condition, one, two):
            return f"({_condition(condition)} ? {_value(one)} : {_value(two)})"
        case e.Apply("strlen", (arg,)):
            return f"CT_NUM(strlen({_lvalue(arg)}))"
        case e.Cast(type_, arg):
            return f"CT_NUM(({type_})({_value(arg)}))"
    return f"CT_NUM({_lvalue(found)})"


def _lvalue(found: e.Expression) -> str:
    match found:
        case e.Name("\\result"):
            return "result"
        case e.Name(text) if not text.startswith("\\"):
            return text
        case e.Unary("*" | "&" as sign, arg):
            return f"({sign}{_lvalue(arg)})"
        case e.Field(of, name, arrow):
            return f"{_lvalue(of)}{'->' if arrow else '.'}{name}"
        case e.Element(start, index):
            return f"{_lvalue(start)}[{_value(index)}]"
        case e.Apply("\\old", (arg,)):
            return f"old({_lvalue(arg)})"
        case e.Binary("+", one, two):
            return f"({_lvalue(one)} + {_value(two)})"
    raise UnusableInput(f"there are no words for {type(found).__name__} here")
