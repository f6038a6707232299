"""Calls: kernel calls, intrinsics, and functions of the program."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.lower.arithmetic import Handler
from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.intrinsics import intrinsic
from counterpoint.frontend.lower.irtypes import VOID, NotModelled, skip_attributes
from counterpoint.frontend.lower.kernel import kernel_call
from counterpoint.frontend.lower.text import NAME, matching, split_commas, split_type, unquoted
from counterpoint.program.model import Call, Value
from counterpoint.program.names import original

_CALLEE = regex(rf"@({NAME})\(")


def call(body: Body, name: str, text: str) -> None:
    """A call of any kind; raises NotModelled for what is none of the three."""
    found = _CALLEE.search(text)
    if " asm " in text[: found.start() if found else None]:
        raise NotModelled("inline assembly")
    if found is None:
        raise NotModelled("an indirect call")
    callee = unquoted(found.group(1))
    opening = found.end() - 1
    inner = text[opening + 1 : matching(text, opening)]
    if callee.startswith("llvm."):
        intrinsic(body, name, callee, split_commas(inner))
    elif callee.startswith("__cp_") and callee not in body.context.module.functions:
        kernel_call(body, name, callee, split_commas(inner))
    else:
        direct_call(body, name, callee, text[: found.start()], split_commas(inner))


def direct_call(body: Body, name: str, callee: str, before: str, arguments: list[str]) -> None:
    """Calls a defined function. Arguments beyond its parameters are evaluated and dropped, as machines do."""
    target = body.context.aliases.get(callee)
    if target is not None and target.startswith("ptr @"):
        callee = unquoted(target[5:])
    signature = body.context.signature(callee)
    if signature is None:
        raise NotModelled(f"a call of {original(callee)}, which has no definition")
    values: list[Value] = []
    types = body.types
    given = [body.typed(argument)[1] for argument in arguments]
    if len(given) < len(signature.parameters):
        raise NotModelled(f"a call of {original(callee)} with too few arguments")
    for actual, parameter in zip(given, signature.parameters, strict=False):
        if [value.type for value in actual] != [leaf for _, leaf in types.leaves(parameter.type)]:
            raise NotModelled(f"a call of {original(callee)} with an argument of another type")
        values.extend(actual)
    leaves = types.leaves(signature.result)
    if name:
        wanted = types.parse(split_type(skip_attributes(before))[0])
        if wanted is not VOID and types.leaves(wanted) != leaves:
            raise NotModelled(f"a call of {original(callee)} with a result of another type")
    results = tuple([body.register(leaf, name) for _, leaf in leaves])
    body.context.called.append(callee)
    body.emit(Call(results, callee, tuple(values), body.at))
    body.define(name, *results)


HANDLERS: dict[str, Handler] = {"call": call}
