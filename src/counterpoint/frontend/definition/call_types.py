"""Calls of defined functions, whatever type the call site believes them to have.

A variadic function that reads its list gets one more parameter, the address of its variable arguments
(variable_arguments.py). Functions that never read their list lose it.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import missing_returns, variable_arguments
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, FunctionText, argument
from counterpoint.frontend.lower.text import split_commas
from counterpoint.program.names import original
from counterpoint.property import Instrument

_PASSING_ATTRIBUTES = regex(r" (?:byval|sret)\((?:[^()]|\([^()]*\))*\)| align \d+(?= [%@])")


def call_defined(body: Body, line: str, call: Call, function: FunctionText, debug: str) -> None:
    """A direct call of a defined function, whatever type the call site believes it has."""
    types = function.types
    plain = not function.variadic and call.function_type == function.result == call.type
    if plain and len(types) == len(call.arguments):
        arguments = [argument(text) for text in call.arguments]
        if all(given[0] == wanted for given, wanted in zip(arguments, types, strict=True)):
            body.out.append(_PASSING_ATTRIBUTES.sub("", line) if "val(" in line or "sret(" in line else line)
            missing_returns.check(body, call, function.name, debug)
            return
    emit_call(body, call, function, debug)


def mismatch(call: Call, function: FunctionText) -> str:
    """In what the function's type differs from the one it is called as (C17 6.5.2.2p6, p9); "" if in nothing.

    As far as LLVM's types tell: signed and unsigned are one there, so are all pointers, and integers of one width.
    """
    given = [argument(text)[0] for text in call.arguments]
    if function.variadic and not function.parameters:  # declared without a prototype, or C23's `f(...)`
        return ""
    if call.type != function.result:
        return "as a function with another result"
    named = split_commas(call.function_type[len(call.type) + 2 : -1])  # of a call with `...`
    unprototyped = len(named) - 1 in (0, len(given))  # clang names the types of what it is handed, or none
    if function.variadic:
        if len(named) - 1 != len(function.types):
            return "as a function with other variable arguments"
    elif named and not unprototyped:
        return "as a function with variable arguments"
    elif len(given) != len(function.types):
        return f"with {len(given)} instead of {len(function.types)} arguments"
    if any(type_ != wanted for type_, wanted in zip(given, function.types, strict=False)):
        return "with arguments of other types"
    return ""


BEYOND = "a function that is handed more arguments than it has parameters does not see them"


def beyond_parameters(body: Body, call: Call, function: FunctionText) -> bool:
    """Whether all that is wrong with a call by name is that it hands over more than the function has parameters.

    Old programs do that to functions without a prototype, and no calling convention of C's minds.
    """
    given = [argument(text)[0] for text in call.arguments]
    fewer = len(function.types) < len(given) and tuple(given[: len(function.types)]) == function.types
    asked = body.shared.property.asks_for(Instrument.UNDEFINED)
    return call.callee[0] == "@" and fewer and not function.variadic and call.type == function.result and not asked


def emit_call(body: Body, call: Call, function: FunctionText, debug: str) -> bool:
    """Calls `function` with the arguments of `call`. C gives calls as a function of another type no meaning; a
    function of the library is what it is, and arguments are converted to its types.

    False (and UNDEFINED or UNSUPPORTED written) if the run cannot go on.
    """
    given = [argument(text) for text in call.arguments]
    if not body.shared.is_model(function):
        if beyond_parameters(body, call, function):
            body.shared.tables.assume(BEYOND)
        elif wrong := mismatch(call, function):
            body.undefined(f"{original(function.name)} is called {wrong}", debug)
            return False
    elif len(given) < len(function.types):
        body.undefined(f"{original(function.name)} is called with too few arguments", debug)
        return False
    fixed = len(function.parameters)
    values = []
    for position, wanted in enumerate(function.types):
        value = convert(body, given[position], wanted, debug)
        if value is None:
            body.unsupported(f"call of {function.name} with arguments of other types", debug)
            return False
        values.append(f"{wanted} {value}")
    if function.reads_list:
        area = variable_arguments.lay_out(body, call.arguments[fixed:], debug)
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
        missing_returns.check(body, call, function.name, debug)
        return True
    value = body.compute(text, debug)
    missing_returns.check(body, call, function.name, debug)
    if convertible(body, function.result, call.type):
        convert(body, (function.result, value), call.type, debug, call.result)
    elif not missing_returns.is_used(body, call.result):
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
