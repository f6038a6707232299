"""What a violation says that calls returned, as inputs of the program."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.editing.syntax import Call, Syntax
from counterpoint.program import model as m
from counterpoint.program.inputs import Input, ScalarInput
from counterpoint.witness.checked_copy import NotUnderstood, located
from counterpoint.witness.document import FOLLOW, RETURN, Violation, Waypoint

_NUMBER: Final = regex(r"\(?([+-]?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*(?:\s*-\s*(\d+)[uUlL]*)?\)?")
_SAID: Final = regex(r"\s*(?P<name>.*?)\s*==\s*(?P<value>.*?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Returned:
    """`is_exact`: the waypoint says just that of each call there; else this is a guess."""

    point: Waypoint
    input: ScalarInput
    is_exact: bool


def returned(witness: Violation, program: m.Program, files: Mapping[Path, Syntax]) -> Iterator[Returned]:
    """By the waypoints that say one value; `program`: the unprepared one."""
    bits = dict(_widths(program))
    for segment in witness.segments:
        point = segment[-1]
        if point.type != RETURN or point.action != FOLLOW:
            continue
        with suppress(NotUnderstood):
            _, syntax = located(files, point.location)
            call = _call(syntax, point.location.line, point.location.column)
            site = _site(program, syntax, call) if call is not None else None
            said = _SAID.fullmatch(point.constraint)
            if call is None or site is None or site not in bits or said is None:
                continue
            type_ = program.sites[site].type
            value = bits_of(said["value"], bits[site], type_)
            if value is not None:
                is_plain = call.plain and said["name"] == "\\result" and len(segment) == 1
                is_exact = is_plain and _is_of(value, said["value"], bits[site], type_)
                yield Returned(point, ScalarInput(site, value, bits[site]), is_exact)


def _is_of(value: int, text: str, bits: int, type_: str) -> bool:
    """Whether the constant is just that value of the type, so that comparing them in C says the same."""
    if type_ in ("float", "double"):
        return text.lower().endswith("f") if type_ == "float" else text[-1:].isdigit()
    number = _number(text)
    if number is None or ("u" in text.lower() and ("-" in text or bits > 32)):
        return False  # C computes such a constant, or compares with it, without a sign
    unsigned = type_.startswith(("u", "_Bool", "bool", "size_t"))
    return number == value if unsigned or value < 1 << (bits - 1) else number == value - (1 << bits)


def goes_as_said(said: Sequence[ScalarInput], ran: Sequence[Input]) -> bool:
    """Whether the run's inputs are these, in this order: where the call of the one that is due returns, it is that."""
    at = 0
    for one in ran:
        if at < len(said) and one.site == said[at].site:
            if not isinstance(one, ScalarInput) or one.value != said[at].value:
                return False
            at += 1
    return at == len(said)


def _widths(program: m.Program) -> Iterator[tuple[int, int]]:
    for function in program.functions.values():
        for block in function.blocks:
            for one in block.instructions:
                if isinstance(one, m.Nondet):
                    yield one.site, one.result.type.bits


def _call(syntax: Syntax, line: int, column: int) -> Call | None:
    if column:
        offset = syntax.text.offset(line, column)
        return next((call for call in syntax.calls if call.close == offset), None)
    on_line = [call for call in syntax.calls if syntax.text.place(call.close)[0] == line]
    return min(on_line, key=lambda call: call.close, default=None)


def _site(program: m.Program, syntax: Syntax, call: Call) -> int | None:
    for site in program.sites:
        if (site.kind, site.name) != ("call", call.callee):
            continue
        if syntax.text.offset_of(site.at.file, site.at.line, site.at.column) == call.range.begin:
            return site.index
    return None


def bits_of(text: str, bits: int, type_: str) -> int | None:
    """A constant of C as the bits of a value of so many; None for what is no plain number."""
    if type_ in ("float", "double"):
        with suppress(ValueError, OverflowError, struct.error):
            value = float(text.rstrip("fFlL") if not text.lower().startswith("0x") else text)
            if math.isfinite(value):
                pack, unpack = ("<f", "<I") if bits == 32 else ("<d", "<Q")
                return int(struct.unpack(unpack, struct.pack(pack, value))[0])
        return None
    number = _number(text)
    return number & ((1 << bits) - 1) if number is not None else None


def _number(text: str) -> int | None:
    """As C has it: in one of its bases, or one less another, as the least number is written."""
    found = _NUMBER.fullmatch(text)
    if found is None or len(text) > 60:
        return None
    digits = found[1].lower().lstrip("+-")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()
    if octal and not set(digits) <= set("01234567"):
        return None
    number = int(digits, 8 if octal else 16 if digits.startswith("0x") else 10)
    number = -number if found[1].startswith("-") else number
    return number - (int(found[2]) if found[2] else 0)
