"""Functions that end without a value although one is used (C17 6.9.1p12), for the property `undefined`.

clang keeps a function's value in a variable where it returns at several places or falls off its end. Whether anything
was stored there is kept beside it; returning sets a flag, which is looked at where the call's value is used. Under
other properties such a value is arbitrary, as that of any local is which nothing was stored into. Structures that are
returned through memory are not seen.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.definition.locals import returned_variable
from counterpoint.frontend.definition.scopes import written
from counterpoint.frontend.irtext import Call
from counterpoint.property import Instrument

_FLAG = "__cp_fell"
_STATE = "%cp.returned"
_PART = regex(r"^  (%[-\w.$]+) = getelementptr .*?, ptr (%[-\w.$]+),")


def prepare(shared: Rewriting) -> None:
    """Marks where functions get their values, if the property asks for it."""
    if not shared.property.asks_for(Instrument.UNDEFINED):
        return
    for function in shared.module.functions.values():
        variable = returned_variable(function.lines, shared.tables.metadata) if function.name != shared.entry else ""
        if variable:
            shared.falling.add(function.name)
            function.lines = list(_with_marks(function.lines, variable))
    if shared.falling:
        shared.module.globals[_FLAG] = f"@{_FLAG} = internal global i8 0, align 1"


def _with_marks(lines: list[str], variable: str) -> list[str]:
    parts, new = {variable}, []
    top = [f"  {_STATE} = alloca i1, align 1", f"  store i1 false, ptr {_STATE}, align 1"]
    for line in lines:
        if top and line[0] == " " and " = alloca " not in line:
            new += top
            top = []
        if line.startswith("  ret "):
            new += [
                f"  {_STATE}.1 = load i1, ptr {_STATE}, align 1",
                f"  {_STATE}.2 = xor i1 {_STATE}.1, true",
                f"  {_STATE}.3 = zext i1 {_STATE}.2 to i8",
                f"  store i8 {_STATE}.3, ptr @{_FLAG}, align 1",
            ]
        new.append(line)
        if (part := _PART.match(line)) is not None and part[2] in parts:
            parts.add(part[1])
        if written(line) in parts:
            new.append(f"  store i1 true, ptr {_STATE}, align 1")
    return new


def expect(body: Body) -> None:
    """Before a call of a function that is not known: it returns a value unless it says otherwise."""
    if body.shared.falling:
        body.emit(f"store i8 0, ptr @{_FLAG}, align 1")


def check(body: Body, call: Call, name: str, debug: str) -> None:
    """After a call of the function `name` ("" for any): it has returned a value if that is used."""
    falling = body.shared.falling
    if not falling or not call.result or (name and name not in falling) or not is_used(body, call.result):
        return
    fell = body.compute(f"load i8, ptr @{_FLAG}, align 1", debug)
    holds = body.compute(f"icmp eq i8 {fell}, 0", debug)
    body.meaningful(holds, "the value of a function that returned none is used", debug)


def is_used(body: Body, register: str) -> bool:
    """Whether the function mentions the register anywhere but where it is set."""
    mention = re.compile(re.escape(register) + r"(?![-\w.$])")
    return sum(1 for line in body.function.lines if mention.search(line)) > 1
