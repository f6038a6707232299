"""Undefined constants: clang writes `poison` or `undef` where C leaves a constant's value open."""

from __future__ import annotations

import re

from counterpoint.frontend.definition.body import Body, nondet_suffix
from counterpoint.frontend.irtext import debug_of, leading_type

_UNDEFINED = re.compile(r"(?<![@%\w.$\"-])(?:poison|undef)(?![\w.$\"-])")
_TYPED = re.compile(
    r"(i\d+|ptr|float|double|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|%[-\w.$]+)((?: align \d+)?)"
    r" (?:poison|undef)(?![\w.$\"-])"
)
_STARTING_VALUES = ("insertvalue", "insertelement", "shufflevector")
_GLOBAL_VALUE = re.compile(r"(?<= )(?:undef|poison)\b(?=[ ,\]\})>]|$)")
_LINKAGE = re.compile(
    r" = (?:(?:private|internal|external|common|weak_odr|weak|linkonce_odr|linkonce|appending|extern_weak"
    r"|available_externally|dso_local|dso_preemptable|hidden|protected|default|local_unnamed_addr"
    r"|unnamed_addr|dllimport|dllexport|externally_initialized|thread_local(?:\(\w+\))?) )*"
)


def arbitrary_operands(body: Body, line: str, opcode: str) -> str:
    """The line with each undefined operand replaced by an arbitrary value.

    Aggregates that are still being put together may start from nothing; a phi's value is chosen
    where the function is entered.
    """
    if "#dbg" in line or "@llvm.lifetime" in line or opcode == "unreachable":
        return line
    debug = debug_of(line)
    at_entry = opcode == "phi"
    if opcode in _STARTING_VALUES:
        return _UNDEFINED.sub("zeroinitializer", line, count=1) if "zeroinitializer" not in line else line

    def chosen(type_: str) -> str:
        start = len(body.out)
        value = body.nondet(type_, "undef", "an undefined constant", debug)
        if at_entry:
            body.top += body.out[start:]
            del body.out[start:]
        return value

    if "x86_fp80 " in line or "fp128 " in line:
        return line  # has no meaning behind the front end anyway
    line = _TYPED.sub(lambda match: f"{match[1]}{match[2]} {chosen(match[1])}", line)
    operands = re.search(rf"\b{opcode} (?:(?:eq|ne|[us][gl][te]|[ou]\w\w|ord|uno) )?", line)
    if _UNDEFINED.search(line) is None or operands is None:
        return line
    type_ = leading_type(line[operands.end() :])
    if nondet_suffix(type_) is None and type_[0] not in "<{[%":
        return line
    return _UNDEFINED.sub(lambda match: chosen(type_), line)


def may_be_no_quotient(line: str, opcode: str) -> bool:
    """Whether the line uses an integer for which LLVM has written `poison`: of constants without a quotient, say."""
    return "poison" in line and opcode not in _STARTING_VALUES and _NO_INTEGER.search(line) is not None


_NO_INTEGER = re.compile(r" (?:i\d+(?: noundef)?|\w+ i\d+ [-\w%.]+,|phi i\d+ .*\[) poison(?![\w.$\"-])")


def without_undefined(line: str) -> str:
    """A global's line, made internal, with bytes that nothing sets as zero. Strings stay as they are."""
    line = _LINKAGE.sub(" = internal ", line, count=1)
    if "undef" not in line and "poison" not in line:
        return line
    pieces = re.split(r'("[^"]*")', line)
    pieces[::2] = [_GLOBAL_VALUE.sub("zeroinitializer", piece) for piece in pieces[::2]]
    return "".join(pieces)
