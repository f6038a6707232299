"""Functions that run before the entry function and after it: constructors, destructors, and the pointers that a
program puts into the sections `.preinit_array`, `.init_array` and `.fini_array`.

Constructors run by ascending priority, those without one last; destructors in the opposite order. Where a section's
entries and constructors have the same priority, the entries come first, as clang writes them; order among files is
the order of the files.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.link_roots import section_of
from counterpoint.frontend.definition import call_types, indirect_calls
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, FunctionText, ModuleText, leading_type
from counterpoint.frontend.lower.text import NAME, unquoted

_ENTRY = regex(rf"\{{ i32, ptr, ptr \}} \{{ i32 (\d+), ptr @({NAME}), ptr [^}}]* \}}")
_VALUE = regex(r" (?:global|constant) ")


@dataclass(frozen=True, slots=True)
class Entry:
    """A function by name, or `count` pointers in the object `table`. Ordered by `priority`, then as they are found."""

    priority: int
    function: str = ""
    table: str = ""
    count: int = 0


def constructors(module: ModuleText) -> list[Entry]:
    """What runs before the entry function, in order."""
    tables = [*_tables(module, "preinit_array"), *_tables(module, "init_array")]
    return _ordered(tables, _listed(module, "llvm.global_ctors"))


def destructors(module: ModuleText) -> list[Entry]:
    """What runs after it, in the opposite order."""
    return _ordered(_tables(module, "fini_array"), _listed(module, "llvm.global_dtors"))


def outdated(module: ModuleText) -> str:
    """The name of an object in one of the sections that this does not model, or ""."""
    return next((name for name, line in module.globals.items() if section_of(line)[0] in ("ctors", "dtors")), "")


def call(body: Body, entry: Entry, given: list[str], debug: str) -> None:
    """Calls what the entry names; `given` are the arguments that the environment passes, `type value`."""
    module = body.shared.module
    if entry.function:
        function = module.functions.get(entry.function)
        if function is not None:
            _call(body, function, given, debug)
        return
    bytes_ = body.shared.pointer_bits // 8
    place = call_types.symbol(entry.table)
    for position in range(entry.count):
        address = place
        if position:
            address = body.compute(f"getelementptr i8, ptr {place}, {body.shared.word} {position * bytes_}")
        pointer = body.compute(f"load ptr, ptr {address}, align 1")
        indirect_calls.rewrite(body, Call("", "void", pointer, given, "void", ""), debug, by_environment=True)


def _call(body: Body, function: FunctionText, given: list[str], debug: str) -> None:
    symbol = call_types.symbol(function.name)
    call = Call("", "void", symbol, given, "void", "")
    call_types.emit_call(body, indirect_calls.passed(call, function, by_environment=True), function, debug)


def _ordered(tables: list[Entry], listed: list[Entry]) -> list[Entry]:
    return sorted([*tables, *listed], key=lambda entry: entry.priority)


def _listed(module: ModuleText, name: str) -> list[Entry]:
    found = _ENTRY.findall(module.globals.get(name, ""))
    return [Entry(int(priority), function=unquoted(function)) for priority, function in found]


def _tables(module: ModuleText, section: str) -> list[Entry]:
    found = []
    for name, line in module.globals.items():
        where, priority = section_of(line)
        if where == section:
            found.append(Entry(-1 if section == "preinit_array" else priority, table=name, count=_pointers(line)))
    return found


def _pointers(line: str) -> int:
    """How many pointers an object is made of; 0 if it has another type."""
    value = _VALUE.search(line)
    type_ = leading_type(line[value.end() :]) if value is not None else ""
    array = re.fullmatch(r"\[(\d+) x ptr\]", type_)
    return int(array[1]) if array is not None else int(type_ == "ptr")
