"""`alloca` as a function that the program declares: its calls are the compiler's `alloca`."""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.irtext import ModuleText, argument, debug_of, parse_call

_NAME = "alloca"
_CALLED = regex(r" call (?:[^@]* )?@alloca\(")


def calls_as_allocas(module: ModuleText) -> None:
    """Rewrites every direct call of an undefined `alloca` with one integer, in place.

    The block is aligned as for any type, and lives as long as the call of the function, or the scope of
    a variable-length array that is left later.
    """
    if _NAME not in module.declared:
        return
    for function in module.functions.values():
        function.lines = [_as_alloca(line) if _CALLED.search(line) else line for line in function.lines]


def _as_alloca(line: str) -> str:
    call = parse_call(line)
    if call is None or call.callee != f"@{_NAME}" or call.type != "ptr" or len(call.arguments) != 1 or not call.result:
        return line
    type_, size = argument(call.arguments[0])
    if re.fullmatch(r"i\d+", type_) is None:
        return line
    return f"  {call.result} = alloca i8, {type_} {size}, align 16, !dbg {debug_of(line)}".removesuffix(", !dbg ")
