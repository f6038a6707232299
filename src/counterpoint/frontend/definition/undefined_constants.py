"""Undefined constants: clang writes `poison` or `undef` where C leaves a constant's value open."""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body, nondet_suffix
from counterpoint.frontend.irtext import debug_of, leading_type
from counterpoint.frontend.lower.text import split_commas

_UNDEFINED = regex(r"(?<![@%\w.$\"-])(?:poison|undef)(?![\w.$\"-])")
_TYPED = regex(
    r"(i\d+|ptr|float|double|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|%[-\w.$]+)((?: align \d+)?)"
    r" (?:poison|undef)(?![\w.$\"-])"
)
_IN_PARTS = regex(
    r"(?:(<\d+ x [^<>]+>) )?<((?!\d+ x )[^<>]*)>|(\[\d+ x [^\[\]]+\]) \[([^\[\]]*)\]|(\{[^{}]*\}) \{([^{}]*)\}"
)
"""A constant vector (without its type where the operation has told it), array or structure."""

_SHUFFLE = regex(
    r"^  (%[^ ]+) = shufflevector (<(\d+) x ([^<>]+)>) (.*), <(\d+) x i32> "
    r"(<[^<>]*>|poison|undef|zeroinitializer)(?=$|, !)"
)
_STARTING_VALUES = ("insertvalue", "insertelement", "shufflevector")
_GLOBAL_VALUE = regex(r"(?<= )(?:undef|poison)\b(?=[ ,\]\})>]|$)")
_LINKAGE = regex(
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
    if opcode == "shufflevector":
        line = _arbitrary_lanes(body, line, debug)
        opcode = "insertelement" if " = insertelement " in line else opcode
    line = _with_arbitrary_parts(body, line, opcode, debug)
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


def _with_arbitrary_parts(body: Body, line: str, opcode: str, debug: str) -> str:
    """The line with each constant vector, array or structure that is undefined in part put together anew."""

    def together(match: re.Match[str]) -> str:
        told = match[1] or match[3] or match[5]
        parts = split_commas(match[2] or match[4] or match[6] or "")
        open_ = [position for position, part in enumerate(parts) if _UNDEFINED.search(part) is not None]
        if not open_:
            return match[0]
        start, constant = len(body.out), match[0][len(told) + 1 if told else 0 :]
        type_ = told or leading_type(line[line.index(f"{opcode} ") + len(opcode) + 1 :])
        value = _UNDEFINED.sub("zeroinitializer", constant)
        kind = "insertelement" if constant[0] == "<" else "insertvalue"
        for position in open_:
            part = leading_type(parts[position])
            leaf = body.nondet(part, "undef", "an undefined constant", debug)
            where = f"i32 {position}" if kind == "insertelement" else str(position)
            value = body.compute(f"{kind} {type_} {value}, {part} {leaf}, {where}", debug)
        if opcode == "phi":
            body.top += body.out[start:]
            del body.out[start:]
        return f"{told} {value}" if told else value

    return _IN_PARTS.sub(together, line)


def _arbitrary_lanes(body: Body, line: str, debug: str) -> str:
    """A shuffle whose lanes are all chosen; those that are not, or are of an undefined vector, are arbitrary then."""
    match = _SHUFFLE.match(line)
    if match is None:
        return line
    result, source, width, lane, operands, count, mask = match.groups()
    lanes = split_commas(mask[1:-1]) if mask[0] == "<" else ["i32 0" if mask[0] == "z" else "i32 poison"] * int(count)
    nothing = f", {source} " in operands and operands.endswith(("poison", "undef"))
    open_ = [
        position
        for position, text in enumerate(lanes)
        if not (number := text.split()[-1]).isdigit() or (nothing and int(number) >= int(width))
    ]
    if not open_:
        return line
    chosen = ", ".join("i32 0" if position in open_ else text for position, text in enumerate(lanes))
    operands = _UNDEFINED.sub("zeroinitializer", _with_arbitrary_parts(body, operands, "", debug))
    value = body.compute(f"shufflevector {source} {operands}, <{count} x i32> <{chosen}>", debug)
    made = f"<{count} x {lane}>"
    for position in open_:
        leaf = body.nondet(lane, "undef", "an undefined constant", debug)
        text = f"insertelement {made} {value}, {lane} {leaf}, i32 {position}"
        if position == open_[-1]:
            return f"  {result} = {text}" + (f", !dbg {debug}" if debug else "")
        value = body.compute(text, debug)
    return line


def may_be_no_quotient(line: str, opcode: str) -> bool:
    """Whether the line uses an integer for which LLVM has written `poison`: of constants without a quotient, say."""
    return "poison" in line and opcode not in _STARTING_VALUES and _NO_INTEGER.search(line) is not None


_NO_INTEGER = regex(r" (?:i\d+(?: noundef)?|\w+ i\d+ [-\w%.]+,|phi i\d+ .*\[) poison(?![\w.$\"-])")


def without_undefined(line: str) -> str:
    """A global's line, made internal, with bytes that nothing sets as zero. Strings stay as they are."""
    line = _LINKAGE.sub(" = internal ", line, count=1)
    if "undef" not in line and "poison" not in line:
        return line
    pieces = re.split(r'("[^"]*")', line)
    pieces[::2] = [_GLOBAL_VALUE.sub("zeroinitializer", piece) for piece in pieces[::2]]
    return "".join(pieces)
