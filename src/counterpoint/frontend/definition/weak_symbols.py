"""Weak symbols that no file defines: their address is null, or that of a function or object outside the program.

Which of the two is chosen once, where a run starts, and kept in a pointer of its own; what mentions the symbol reads
that pointer. A direct call of a function that is not there is one through null.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import call_types, constant_locals, indirect_calls, locals
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import FunctionText, ModuleText, leading_type
from counterpoint.frontend.lower.text import NAME, matching
from counterpoint.program.names import original

_PREFIX = "__cp_weak."
_DECLARED = regex(r"^declare (?:!dbg !\d+ )?extern_weak ")
_OBJECT = regex(r" = (?:[\w()]+ )*?extern_weak ")
_MENTION = regex(rf"@({NAME})(?!\()(?![-\w.$])")
_CONSTANT = regex(r"(?<![@%\w.$])(getelementptr|ptrtoint)\b[^(,]*\(")
_VALUE = regex(r" (global|constant) ")


def undefined_symbols(module: ModuleText) -> Mapping[str, str]:
    """The weak functions and objects without a definition, with the name of the pointer that stands for each."""
    functions = [name for name, line in module.declared.items() if _DECLARED.match(line)]
    objects = [name for name, line in module.globals.items() if _OBJECT.search(line)]
    return {name: _PREFIX + name for name in (*functions, *objects)}


def read_pointers(function: FunctionText, weak: Mapping[str, str]) -> None:
    """Replaces what a body says of the addresses of weak symbols: it reads their pointers first."""
    if not any("@" in line and _mentioned(line, weak) for line in function.lines):
        return
    registers = {name: f"%cp.weak.{position}" for position, name in enumerate(weak)}
    used: dict[str, None] = {}
    first: list[str] = []
    lines = []
    for line in function.lines:
        if "@" in line and _mentioned(line, weak):
            used.update(dict.fromkeys(_mentioned(line, weak)))
            line = _without_constants(line, registers, first)
            line = _MENTION.sub(lambda match: registers.get(match[1], match[0]), line)
        lines.append(line)
    loads = [f"  {registers[name]} = load ptr, ptr @{weak[name]}, align 1" for name in used]
    start = next((i for i, line in enumerate(lines) if line[0] == " " and " = alloca " not in line), 0)
    function.lines = [*lines[:start], *loads, *first, *lines[start:]]


def _mentioned(line: str, weak: Mapping[str, str]) -> list[str]:
    return [name for name in _MENTION.findall(line) if name in weak]


def _without_constants(line: str, registers: Mapping[str, str], first: list[str]) -> str:
    """The line with constant expressions over weak symbols as registers; their instructions are appended to `first`."""
    position = 0
    while (found := _CONSTANT.search(line, position)) is not None:
        close = matching(line, found.end() - 1)
        inside = line[found.end() : close]
        if line[: found.start()].endswith(" = ") or not _mentioned(inside, registers):
            position = found.end()
            continue
        inner = _without_constants(inside, registers, first)
        name = f"%cp.weak.at.{len(first)}"
        operands = _MENTION.sub(lambda match: registers.get(match[1], match[0]), inner)
        first.append(f"  {name} = {found[1]} {operands}")
        line = line[: found.start()] + name + line[close + 1 :]
        position = found.start()
    return line


def choose(body: Body, weak: Mapping[str, str]) -> None:
    """At the start of a run: whether each of the symbols is there; objects that hold their addresses follow."""
    module = body.shared.module
    for name, pointer in weak.items():
        module.globals[pointer] = f"@{pointer} = internal global ptr null, align {body.shared.pointer_bits // 8}"
        there = body.nondet("i1", "external", f"{original(name)} exists", "")
        chosen = body.compute(f"select i1 {there}, ptr {call_types.symbol(name)}, ptr null")
        body.emit(f"store ptr {chosen}, ptr @{pointer}, align 1")
        body.shared.tables.assume(f"the weak symbol {original(name)} may be null or outside the program")
    for holder, line in list(module.globals.items()):
        value = _VALUE.search(line)
        held = _mentioned(line[value.end() :], weak) if value is not None and not holder.startswith("llvm.") else []
        if held and value is not None:
            module.globals[holder] = f"{line[: value.start()]} global {line[value.end() :]}"
            for name in dict.fromkeys(held):
                constant = value[1] == "constant" or holder in body.shared.partly_constant
                _store_in(body, holder, leading_type(line[value.end() :]), name, weak[name], constant)


def _store_in(body: Body, holder: str, type_: str, name: str, pointer: str, constant: bool) -> None:
    """Makes the pointers in an object, perhaps a `constant` one, that are initially the symbol's address what was
    chosen."""
    pieces = locals.scalars(body, type_)
    if pieces is None:
        body.unsupported(f"the address of the weak symbol {original(name)} in {original(holder)}", "")
        return
    chosen = body.compute(f"load ptr, ptr @{pointer}, align 1")
    for offset, scalar in pieces:
        if scalar != "ptr":
            continue
        place = body.compute(f"getelementptr i8, ptr {call_types.symbol(holder)}, {body.shared.word} {offset}")
        value = body.compute(f"load ptr, ptr {place}, align 1")
        same = body.compute(f"icmp eq ptr {value}, {call_types.symbol(name)}")
        new = body.compute(f"select i1 {same}, ptr {chosen}, ptr {value}")
        written = f"store ptr {new}, ptr {place}, align 1"
        if constant:
            constant_locals.initialise(body, f"  {written}")
        else:
            body.emit(written)


def require(body: Body, pointer: str, debug: str) -> None:
    """A direct call of a weak function goes on only if it is there."""
    value = body.compute(f"load ptr, ptr @{pointer}, align 1", debug)
    there = body.compute(f"icmp ne ptr {value}, null", debug)
    here, absent = body.fresh_label("there"), body.fresh_label("absent")
    body.emit(f"br i1 {there}, label %{here}, label %{absent}", debug)
    body.split(absent)
    indirect_calls.not_callable(body, "the called weak function is null", debug)
    body.emit("unreachable")
    body.split(here)
