"""`__counterpoint_*`: functions by which a program speaks to the checker (docs/simple-c.md).

Arithmetic that is defined for all operands is written as plain IR without branches or undefined cases.
"""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument
from counterpoint.frontend.lower.text import unescaped, unquoted

PREFIX = "__counterpoint_"
CONDITIONAL = frozenset({"assume", "candidate", "invariant", "choose"})
"""Those whose first argument is a condition."""

_STRING = regex(r' c"([^"]*)"')


def rewrite(body: Body, call: Call, name: str, truth: str, debug: str, wanted: bool) -> bool:
    """Writes what a call of the undefined function `name` means; False if it is no such function.

    `truth` is the first argument's truth value (i1), "" if it has none; `wanted`: the property asks for errors.
    """
    request = name.removeprefix(PREFIX)
    types = [argument(text)[0] for text in call.arguments]
    values = [argument(text)[1] for text in call.arguments]
    if request == "candidate" and len(values) == 1 and call.type in ("void", "i32"):  # int where it is not declared
        body.kernel("__cp_hint", f"i1 {truth}", debug)
        return True
    if call.type == "i32" and any(type_ not in ("i32", "ptr") for type_ in types[-2:]):
        return False
    match request, values, call.type:
        case "assume", [_], "void":
            body.kernel("__cp_assume", f"i1 {truth}", debug)
        case "invariant", [_, text], "void":
            _required(body, truth, _text(body, text), debug, wanted)
        case "variable", [text], "i32":
            body.nondet("i32", "variable", _text(body, text), debug, call.result, "int")
        case "choose", [_, chosen, other], "i32":
            body.compute(f"select i1 {truth}, i32 {chosen}, i32 {other}", debug, call.result)
        case ("divide" | "remainder"), [left, right], "i32":
            _divide(body, request, (left, right), call.result, debug)
        case ("shift_left" | "shift_right"), [left, right], "i32":
            _shift(body, request, (left, right), call.result, debug)
        case _:
            return False
    return True


def _required(body: Body, holds: str, text: str, debug: str, wanted: bool) -> None:
    """A required invariant is a check, and a hint for engines that look for invariants."""
    body.kernel("__cp_hint", f"i1 {holds}", debug)
    if wanted:
        shown = f"`{text}` " if text else ""
        index = body.shared.tables.check("unreach-call", f"the required invariant {shown}does not hold", debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)


def _divide(body: Body, operation: str, operands: tuple[str, str], result: str, debug: str) -> None:
    """bvsdiv and bvsrem: where IR's division is undefined, the divisor is 1 instead, which gives the right
    values for INT_MIN and -1."""
    left, right = operands
    zero = body.compute(f"icmp eq i32 {right}, 0", debug)
    minus = body.compute(f"icmp eq i32 {right}, -1", debug)
    least = body.compute(f"icmp eq i32 {left}, -2147483648", debug)
    overflow = body.compute(f"and i1 {minus}, {least}", debug)
    bad = body.compute(f"or i1 {zero}, {overflow}", debug)
    safe = body.compute(f"select i1 {bad}, i32 1, i32 {right}", debug)
    if operation == "remainder":
        by_zero = left
        value = body.compute(f"srem i32 {left}, {safe}", debug)
    else:
        negative = body.compute(f"icmp slt i32 {left}, 0", debug)
        by_zero = body.compute(f"select i1 {negative}, i32 1, i32 -1", debug)
        value = body.compute(f"sdiv i32 {left}, {safe}", debug)
    body.compute(f"select i1 {zero}, i32 {by_zero}, i32 {value}", debug, result)


def _shift(body: Body, operation: str, operands: tuple[str, str], result: str, debug: str) -> None:
    """bvshl and bvashr: an unsigned amount of 32 or more leaves nothing but zeros, or the sign."""
    left, right = operands
    large = body.compute(f"icmp ugt i32 {right}, 31", debug)
    if operation == "shift_right":
        amount = body.compute(f"select i1 {large}, i32 31, i32 {right}", debug)
        body.compute(f"ashr i32 {left}, {amount}", debug, result)
        return
    amount = body.compute(f"select i1 {large}, i32 0, i32 {right}", debug)
    value = body.compute(f"shl i32 {left}, {amount}", debug)
    body.compute(f"select i1 {large}, i32 0, i32 {value}", debug, result)


def _text(body: Body, value: str) -> str:
    """The string constant that an argument names, "" if it names none."""
    line = body.shared.module.globals.get(unquoted(value[1:]), "") if value[:1] == "@" else ""
    found = _STRING.search(line)
    if found is None:
        return ""
    return unescaped(found[1]).partition(b"\0")[0].decode("utf-8", "replace")
