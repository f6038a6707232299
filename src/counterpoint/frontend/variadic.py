"""Variable arguments: the caller lays them out in memory, the callee gets the address.

A variadic function that reads its list gets one more parameter, the address of an array with the
arguments in the order and at the alignment in which the target passes them on the stack. `va_start`
makes the list point there; on x86-64 its register areas are marked as used up. Functions that never
read their list lose it.
"""

from __future__ import annotations

import re

from counterpoint.frontend import accesses, returns
from counterpoint.frontend.body import Body
from counterpoint.frontend.irtext import Call, FunctionText, argument
from counterpoint.program.names import original

AREA = "%cp.va"
_BYVAL = re.compile(r"byval\(((?:[^()]|\([^()]*\))*)\)")
_PASSING_ATTRIBUTES = re.compile(r" (?:byval|sret)\((?:[^()]|\([^()]*\))*\)| align \d+(?= [%@])")


def call_defined(body: Body, line: str, call: Call, function: FunctionText, debug: str) -> None:
    """A direct call of a defined function, whatever type the call site believes it has."""
    types = function.types
    plain = not function.variadic and call.function_type == function.result == call.type
    if plain and len(types) == len(call.arguments):
        arguments = [argument(text) for text in call.arguments]
        if all(given[0] == wanted for given, wanted in zip(arguments, types, strict=True)):
            body.out.append(_PASSING_ATTRIBUTES.sub("", line) if "val(" in line or "sret(" in line else line)
            returns.check(body, call, function.name, debug)
            return
    emit_call(body, call, function, debug)


def emit_call(body: Body, call: Call, function: FunctionText, debug: str) -> bool:
    """Calls `function` with the arguments of `call`, converted where only their types differ.

    False (and UNSUPPORTED written) if a conversion has no meaning here.
    """
    given = [argument(text) for text in call.arguments]
    if len(given) < len(function.types):
        body.meaningful("false", f"{original(function.name)} is called with too few arguments", debug)
    fixed = len(function.parameters)
    values = []
    for position, wanted in enumerate(function.types):
        if position < len(given):
            value = convert(body, given[position], wanted, debug)
        else:
            value = body.nondet(wanted, "undefined", f"missing argument of {function.name}", debug)
        if value is None:
            body.unsupported(f"call of {function.name} with arguments of other types", debug)
            return False
        values.append(f"{wanted} {value}")
    if function.reads_list:
        area = lay_out(body, call.arguments[fixed:], debug)
        if area is None:
            body.unsupported(f"call of {function.name} with variable arguments of this kind", debug)
            return False
        values.append(f"ptr {area}")
    return _call(body, call, function, ", ".join(values), debug)


def _call(body: Body, call: Call, function: FunctionText, arguments: str, debug: str) -> bool:
    name = symbol(function.name)
    text = f"call {function.result} {name}({arguments})"
    if function.result == "void" or call.type == "void" or not call.result:
        if function.result == "void":
            body.emit(text, debug)
        else:
            body.compute(text, debug)
        if call.result:
            body.nondet(call.type, "undefined", function.name, debug, call.result)
        return True
    if function.result == call.type:
        body.compute(text, debug, call.result)
        returns.check(body, call, function.name, debug)
        return True
    value = body.compute(text, debug)
    returns.check(body, call, function.name, debug)
    if convertible(body, function.result, call.type):
        convert(body, (function.result, value), call.type, debug, call.result)
    elif not returns.is_used(body, call.result):
        body.nondet(call.type, "undefined", function.name, debug, call.result)
    else:
        body.unsupported(f"call of {function.name} with a result of another type", debug)
        return False
    return True


def convert(body: Body, given: tuple[str, str], wanted: str, debug: str, result: str = "") -> str | None:
    """The same bits (or fewer) as another type; None where a call site and a definition disagree further."""
    type_, value = given
    if type_ == wanted:
        return body.compute(f"freeze {type_} {value}", debug, result) if result else value
    bits = body.shared.pointer_bits
    if wanted == "ptr" and type_ == f"i{bits}":
        return body.compute(f"inttoptr {type_} {value} to ptr", debug, result)
    if type_ == "ptr" and wanted == f"i{bits}":
        return body.compute(f"ptrtoint ptr {value} to {wanted}", debug, result)
    if type_[0] == wanted[0] == "i" and int(type_[1:]) > int(wanted[1:]):
        return body.compute(f"trunc {type_} {value} to {wanted}", debug, result)
    return None


def convertible(body: Body, given: str, wanted: str) -> bool:
    """Whether `convert` has a meaning for these types."""
    if given == wanted:
        return True
    pair, word = {given, wanted}, f"i{body.shared.pointer_bits}"
    if pair == {"ptr", word}:
        return True
    return given[0] == wanted[0] == "i" and int(given[1:]) > int(wanted[1:])


def symbol(name: str) -> str:
    """A function's name as LLVM writes it."""
    return f"@{name}" if re.fullmatch(r"[-\w.$]+", name) else f'@"{name}"'


# ------------------------------------------------------------------ the argument area


def lay_out(body: Body, arguments: list[str], debug: str) -> str | None:
    """Stores the arguments into an array of the calling function; its address, None if one has no place."""
    places: list[tuple[int, str, str, int]] = []  # offset, type, value, bytes to copy (0: a value)
    end = 0
    for text in arguments:
        type_, value = argument(text)
        inside = _BYVAL.search(text)
        parsed = body.shared.types.parse(inside[1] if inside else type_)
        size = body.shared.types.size(parsed)
        if size == 0 and not inside:
            return None
        slot = _slot(body, body.shared.types.alignment(parsed))
        if slot is None:
            return None
        end = -(-end // slot) * slot
        places.append((end, type_, value, size if inside else 0))
        least = _slot(body, 1) or 1
        end += -(-size // least) * least
    area = body.fresh()
    body.top.append(f"  {area} = alloca [{end} x i8], align 16")
    for offset, type_, value, size in places:
        address = area
        if offset:
            address = body.compute(f"getelementptr i8, ptr {area}, {body.shared.word} {offset}", debug)
        if size:
            copy(body, address, value, size, debug)
        else:
            body.emit(f"store {type_} {value}, ptr {address}, align 1", debug)
    return area


def _slot(body: Body, alignment: int) -> int | None:
    """The alignment of a variable argument on the stack, None for targets that are not modelled."""
    triple = body.shared.module.triple
    if triple.startswith("x86_64"):
        return max(8, min(alignment, 16))
    if re.match(r"i[3-6]86|x86", triple):
        return 4
    if triple.startswith(("arm", "thumb")):
        return max(4, min(alignment, 8))
    return None


def copy(body: Body, to: str, source: str, size: int, debug: str) -> None:
    """memcpy of a known number of bytes."""
    word = body.shared.word
    accesses.check_access(body, source, word, str(size), debug)
    body.shared.module.declared.setdefault(
        f"llvm.memcpy.p0.p0.{word}", f"declare void @llvm.memcpy.p0.p0.{word}(ptr, ptr, {word}, i1)"
    )
    body.emit(f"call void @llvm.memcpy.p0.p0.{word}(ptr {to}, ptr {source}, {word} {size}, i1 false)", debug)


def rewrite_list(body: Body, call: Call, name: str, debug: str) -> None:
    """va_start and va_copy."""
    word, bits = body.shared.word, body.shared.pointer_bits
    address = argument(call.arguments[0])[1]
    on_x86_64 = body.shared.module.triple.startswith("x86_64")
    if "va_copy" in name:
        copy(body, address, argument(call.arguments[1])[1], 24 if on_x86_64 else bits // 8, debug)
    elif _slot(body, 1) is None:
        body.unsupported("va_start on this target", debug)
    elif on_x86_64:
        fields = ((0, "i32 48"), (4, "i32 176"), (8, f"ptr {AREA}"), (16, "ptr null"))
        for offset, value in fields:
            place = body.compute(f"getelementptr i8, ptr {address}, {word} {offset}", debug)
            body.emit(f"store {value}, ptr {place}, align 1", debug)
    else:
        body.emit(f"store ptr {AREA}, ptr {address}, align 1", debug)
