"""Calls of functions that are not part of the program: they return any value and change nothing."""

from __future__ import annotations

import re

from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument
from counterpoint.frontend.lower.text import unquoted

OUTSIDE = "a function outside of the program"


def return_anything(body: Body, call: Call, name: str, debug: str) -> None:
    """The effect of an undefined function: an arbitrary result, also one returned through memory."""
    if call.arguments and "sret(" in call.arguments[0]:
        type_ = re.search(r"sret\(((?:[^()]|\([^()]*\))*)\)", call.arguments[0])
        if type_ is not None:
            address = argument(call.arguments[0])[1]
            size = body.shared.types.size(body.shared.types.parse(type_[1]))
            index = body.site("undefined", name, type_[1], debug)
            body.kernel("__cp_havoc", f"ptr {address}, {body.shared.word} {size}, i32 {index}", debug)
    if call.type != "void":
        body.nondet(call.type, "undefined", name, debug, call.result)



def call_outside(body: Body, call: Call, debug: str) -> bool:
    """A call through a pointer that the environment gave; whether it returns. One that is handed a function by name has
    no meaning: it may call it."""
    handed = {unquoted(argument(text)[1][1:]) for text in call.arguments if argument(text)[1].startswith("@")}
    if handed & (body.shared.module.functions.keys() | body.shared.module.declared.keys()):
        body.unsupported("call through a pointer to memory outside the program, with a function pointer", debug)
        return False
    body.shared.tables.assume(
        "functions outside of the program that it has pointers to return any value, change nothing and call none of its"
        " functions"
    )
    return_anything(body, call, OUTSIDE, debug)
    return True
