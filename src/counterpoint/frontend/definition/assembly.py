"""Inline assembly: an empty template does nothing, and hands on what is tied; any other is UNSUPPORTED, or changes its
outputs only, to any values, where the user says so (`--asm outputs-only`).

An output is tied to the input that names it, or that is in the same machine register. In an empty template, a tied
output has the input's value; one that is neither tied nor an operand in memory that is an input as well holds what was
in its register before: any value.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition import accesses
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument, leading_type
from counterpoint.frontend.lower.text import matching, split_commas, unescaped

APPROXIMATED = "approximated"
"""The kind of a site whose values the program computes in a way that has no exact model here."""
OUTPUT = "inline assembly"

_ASSEMBLY = regex(
    r'(?:sideeffect )?(?:alignstack )?(?:inteldialect )?(?:unwind )?"((?:[^"\\]|\\.)*)", "([^"]*)"\('
)
_ELEMENT = regex(r"elementtype\(")
_HEAD = regex(r"^  (?:(%[^ ]+) = )?(?:tail )?call ")


@dataclass(frozen=True, slots=True)
class _Operand:
    """`constraint` without its marks; `argument` the text that is handed over, "" for a result."""

    constraint: str
    argument: str

    @property
    def value(self) -> str:
        return argument(self.argument)[1]


@dataclass(frozen=True, slots=True)
class _Assembly:
    """One piece of assembly; outputs with an argument are written through that pointer."""

    result: str
    type: str
    template: str
    outputs: tuple[_Operand, ...]
    inputs: tuple[_Operand, ...]

    def is_empty(self) -> bool:
        return not self.template.strip()

    def tied(self, index: int) -> _Operand | None:
        """The input that is where output `index` is, before the assembly."""
        place = self.outputs[index].constraint.replace("*", "")
        for operand in self.inputs:
            if operand.constraint == str(index) or (place.startswith("{") and operand.constraint == place):
                return operand
        return None

    def is_kept(self, index: int) -> bool:
        """Whether output `index` is memory that is an input as well."""
        output = self.outputs[index]
        return any("*" in operand.constraint and operand.value == output.value for operand in self.inputs)


def rewrite(body: Body, line: str, debug: str) -> None:
    """Writes what a `call` of inline assembly means; UNSUPPORTED for forms that are not known."""
    found = _parsed(line)
    if found is None or not (found.is_empty() or body.shared.assembly):
        body.unsupported("inline assembly", debug)
        body.out.append(line)
        return
    if not found.is_empty():
        at = body.shared.tables.at(debug)
        body.shared.tables.assume(f"the inline assembly at {at} gives its outputs any values and has no other effect")
    _write_outputs(body, found, debug)


def register(body: Body, call: Call, debug: str) -> None:
    """A read or a write of a global variable that is a machine register."""
    body.shared.tables.assume("variables in machine registers hold any value whenever they are read")
    if call.type != "void":
        body.nondet(call.type, APPROXIMATED, OUTPUT, debug, call.result)


def _parsed(line: str) -> _Assembly | None:
    head = _HEAD.match(line)
    if head is None:
        return None
    type_ = leading_type(line[head.end() :])
    rest = line[head.end() + len(type_) :].partition(" asm ")
    match = _ASSEMBLY.match(rest[2])
    if rest[0].strip() or match is None:
        return None
    close = matching(rest[2], match.end() - 1)
    arguments = iter(split_commas(rest[2][match.end() : close]))
    outputs, inputs = [], []
    for constraint in unescaped(match[2]).decode("latin-1").split(","):
        if not constraint or constraint[0] == "~":
            continue
        if constraint[0] == "!":
            return None
        if constraint[0] == "=":
            mark = constraint[1:].lstrip("&")
            outputs.append(_Operand(mark, next(arguments, "") if "*" in mark else ""))
        else:
            inputs.append(_Operand(constraint.lstrip("%&"), next(arguments, "")))
    given = [*inputs, *(operand for operand in outputs if "*" in operand.constraint)]
    if any(not operand.argument for operand in given):
        return None
    template = unescaped(match[1]).decode("latin-1")
    return _Assembly(head[1] or "", type_, template, tuple(outputs), tuple(inputs))


def _write_outputs(body: Body, found: _Assembly, debug: str) -> None:
    results = [index for index, output in enumerate(found.outputs) if not output.argument]
    types = [found.type] if len(results) == 1 else split_commas(found.type[1:-1].strip()) if results else []
    values = [_value(body, found, index, type_, debug) for index, type_ in zip(results, types, strict=True)]
    if len(values) == 1:
        body.compute(f"freeze {types[0]} {values[0]}", debug, found.result)
    whole = "zeroinitializer"
    for position, (type_, value) in enumerate(zip(types, values, strict=True)):
        if len(values) > 1:
            target = found.result if position == len(values) - 1 else ""
            text = f"insertvalue {found.type} {whole}, {type_} {value}, {position}"
            whole = body.compute(text, debug, target)
    for index, output in enumerate(found.outputs):
        if output.argument and not (found.is_empty() and found.is_kept(index)):
            _write_memory(body, found, index, debug)


def _value(body: Body, found: _Assembly, index: int, type_: str, debug: str) -> str:
    """The value of output `index` after the assembly."""
    tied = found.tied(index) if found.is_empty() else None
    if tied is None:
        return body.nondet(type_, APPROXIMATED, OUTPUT, debug)
    given = argument(tied.argument)[0]
    if given == type_:
        return tied.value
    wide = re.fullmatch(r"i(\d+)", type_), re.fullmatch(r"i(\d+)", given)
    if wide[0] is None or wide[1] is None:
        body.unsupported("inline assembly that hands on a value as another type", debug)
        return "zeroinitializer"
    operation = "trunc" if int(wide[1][1]) > int(wide[0][1]) else "zext"
    return body.compute(f"{operation} {given} {tied.value} to {type_}", debug)


def _write_memory(body: Body, found: _Assembly, index: int, debug: str) -> None:
    """Stores output `index`, whose argument is its address."""
    text = found.outputs[index].argument
    address, element = argument(text)[1], _ELEMENT.search(text)
    if element is None:
        body.unsupported("inline assembly", debug)
        return
    type_ = text[element.end() : matching(text, element.end() - 1)]
    size = body.shared.types.size(body.shared.types.parse(type_))
    word = body.shared.word
    accesses.check_access(body, address, word, str(size), debug, "write")
    if found.is_empty() and found.tied(index) is not None:
        body.emit(f"store {type_} {_value(body, found, index, type_, debug)}, ptr {address}, align 1", debug)
    else:
        site = body.site(APPROXIMATED, OUTPUT, type_, debug)
        body.kernel("__cp_havoc", f"ptr {address}, {word} {size}, i32 {site}", debug)
