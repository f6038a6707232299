"""A counterexample as a C file that any compiler builds together with the program."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.portfolio.result import Counterexample, InputValue

_HEAD = """\
/* {message} ({at}): a harness that repeats this run.

   Build it with the program and run it:

       cc -g {flags} program.c {name} -o run && ./run

   {ending}
   It answers each function below with the values of the run, in the order of the calls.
{notes}*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void harness_end(const char *what, int status) {{
    fprintf(stderr, "%s\\n", what);
    fflush(0);
    _Exit(status);
}}

__attribute__((weak)) void reach_error(void) {{ harness_end("reach_error was called", 1); }}
__attribute__((weak)) void __VERIFIER_error(void) {{ harness_end("__VERIFIER_error was called", 1); }}
__attribute__((weak)) void __VERIFIER_assume(int holds) {{
    if (!holds)
        harness_end("an assumption is false: this build reads its inputs in another order", 3);
}}
"""

_ANSWERED = ("call", "undefined")
"""Kinds of site that are functions which the harness can stand for."""


def as_harness(found: Counterexample, name: str) -> str:
    """The C text; `name` is the file's own name, for the comment."""
    functions: dict[str, list[InputValue]] = {}
    for value in found.inputs:
        if value.kind in _ANSWERED and value.value is not None and value.name:
            functions.setdefault(value.name, []).append(value)
    parts = [_head(found, name)]
    parts += [_function(function, values) for function, values in functions.items()]
    return "\n".join(parts)


def _head(found: Counterexample, name: str) -> str:
    memory = found.kind.startswith("valid-")
    overflow = found.kind == "overflow"
    flags = "-fsanitize=address" if memory else "-fsanitize=signed-integer-overflow" if overflow else ""
    ending = "The sanitizer reports the error." if memory or overflow else "The error ends it with status 1."
    notes = "".join(_notes(found))
    where = _comment(f"{found.at}")
    text = _HEAD.format(
        message=_comment(found.message), at=where, flags=flags, name=name, ending=ending, notes=notes
    )
    return text.replace("-g  ", "-g ")


def _notes(found: Counterexample) -> Iterator[str]:
    kinds = {value.kind for value in found.inputs}
    if "uninitialised" in kinds:
        yield "   Uninitialised variables of the run cannot be set from here: another build may differ.\n"
    if "input" in kinds:
        yield "   The run also reads standard input, which is not answered here.\n"
    for note in found.notes:
        yield f"   Note: {note}.\n"


def _function(name: str, values: list[InputValue]) -> str:
    type_ = _c_type(values[0])
    items = ",\n".join(f"        {_literal(value, type_)}" for value in values)
    return (
        f"{type_} {name}() {{\n"
        f"    static const {_table_type(type_)} values[] = {{\n{items},\n    }};\n"
        f"    static unsigned next;\n"
        f"    if (next == sizeof values / sizeof *values)\n"
        f'        harness_end("{name} is called more often than in the run", 3);\n'
        f"    {_return(type_)}\n}}\n"
    )


_BY_BITS = {1: "_Bool", 8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}


def _c_type(value: InputValue) -> str:
    """The C type of the function's result, as far as the site tells; else by its width."""
    type_ = value.type
    if "*" in type_ or type_ == "ptr":
        return "void *"
    words = set(type_.replace("*", " ").split())
    known = {"int", "unsigned", "signed", "char", "short", "long", "float", "double", "_Bool", "__int128"}
    if words and words <= known:
        return type_
    return "unsigned __int128" if value.bits > 64 else _BY_BITS.get(value.bits, "unsigned long long")


def _table_type(type_: str) -> str:
    if type_ == "float":
        return "unsigned"
    if type_ in ("double", "void *"):
        return "unsigned long long"
    return type_


def _literal(value: InputValue, type_: str) -> str:
    assert value.value is not None
    bits = value.value
    if value.bits > 64:
        number = f"(({type_})0x{bits >> 64:x}ull << 64 | 0x{bits & (2**64 - 1):x}ull)"
    elif type_ in ("float", "double", "void *"):
        number = f"0x{bits:x}ull"
    else:
        number = f"({type_})0x{bits:x}ull"
    return f"{number} /* {_comment(f'{value.text}, {value.at.file}:{value.at.line}')} */"


def _comment(text: str) -> str:
    """Text that does not end a comment."""
    return text.replace("*/", "* /").replace("\n", " ")


def _return(type_: str) -> str:
    if type_ == "void *":
        return "static char outside[4096];\n    return values[next++] ? outside : 0;"
    if type_ in ("float", "double"):
        return f"{type_} result;\n    memcpy(&result, &values[next++], sizeof result);\n    return result;"
    return "return values[next++];"
