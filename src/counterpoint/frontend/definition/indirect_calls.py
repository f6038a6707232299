"""Calls through a pointer: a chain of comparisons with the functions whose address is taken.

A pointer that is none of them leads to an undefined function if it is outside of the program; else the call has no
meaning, or is an invalid access where memory safety is the property.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import call_types, missing_returns, outside_calls
from counterpoint.frontend.definition.arithmetic import check_library_result
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, FunctionText
from counterpoint.frontend.lower.text import NAME, unquoted
from counterpoint.program.external import EXTERNAL_BASE
from counterpoint.property import Instrument

_MENTION = regex(rf"@({NAME})(?!\()(?![-\w.$])")


def address_taken(lines: Iterable[str]) -> set[str]:
    """The symbols that are mentioned other than as a callee."""
    mentioned: set[str] = set()
    for line in lines:
        if "@" in line:
            mentioned.update(_MENTION.findall(line))
    return {unquoted(name) for name in mentioned}


def rewrite(body: Body, call: Call, debug: str, by_environment: bool = False) -> None:
    """Replaces an indirect call by direct ones. The environment may hand over more than the function takes."""
    pointer = call.callee
    candidates = [
        (function, one)
        for function in body.shared.address_taken
        if not call_types.mismatch(one := passed(call, function, by_environment), function)
    ]
    missing_returns.expect(body)
    join = body.fresh_label("called")
    incoming: list[tuple[str, str]] = []
    for function, one in candidates:
        same = body.compute(f"icmp eq ptr {pointer}, {call_types.symbol(function.name)}", debug)
        taken, other = body.fresh_label("call"), body.fresh_label("other")
        body.emit(f"br i1 {same}, label %{taken}, label %{other}", debug)
        body.split(taken)
        result = body.fresh() if call.result else ""
        check_library_result(body, one, function, debug)
        if call_types.emit_call(body, replace(one, result=result), function, debug):
            incoming.append((result, body.block))
            body.emit(f"br label %{join}", debug)
        else:
            body.emit("unreachable", debug)
        body.split(other)
    outside = body.fresh() if call.result else ""
    if left := no_target(body, replace(call, result=outside), debug, join):
        incoming.append((outside, left))
    if not incoming:
        return
    body.emit("unreachable")
    body.split(join)
    if call.result:
        edges = ", ".join(f"[ {value}, %{block} ]" for value, block in incoming)
        body.compute(f"phi {call.type} {edges}", debug, call.result)
        missing_returns.check(body, call, "", debug)


def no_target(body: Body, call: Call, debug: str, join: str) -> str:
    """The pointer is none of the known functions. The block that is open afterwards is unreachable.

    Outside the program there may be functions of any type: undefined ones, which return to `join` from the block that
    is given, if any. Null, data and functions of other types cannot be called.
    """
    first, left = EXTERNAL_BASE.get(body.shared.pointer_bits), ""
    if first is not None:
        within = body.compute(f"icmp ult ptr {call.callee}, inttoptr ({body.shared.word} {first} to ptr)", debug)
        inside, outside = body.fresh_label("inside"), body.fresh_label("outside")
        body.emit(f"br i1 {within}, label %{inside}, label %{outside}")  # no branch of the source
        body.split(outside)
        if outside_calls.call_outside(body, call, debug):
            left = body.block
            body.emit(f"br label %{join}", debug)
        else:
            body.emit("unreachable", debug)
        body.split(inside)
    not_callable(body, "the called pointer is null or no function of this type", debug)
    return left


def not_callable(body: Body, what: str, debug: str) -> None:
    """A call of what is no function: an invalid dereference where that is asked for."""
    if body.shared.property.asks_for(Instrument.ACCESSES):
        body.violation("valid-deref", what, debug)
    else:
        body.undefined(what, debug)


def passed(call: Call, function: FunctionText, by_environment: bool) -> Call:
    """The call as it means the function: what the environment passes beyond its parameters, it does not see."""
    if not by_environment:
        return call
    arguments = call.arguments[: len(function.types)]
    return replace(call, type=function.result, function_type=function.result, arguments=arguments)
