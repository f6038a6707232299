"""A file of the task compiled again: with names for LLVM's registers, which tell what clang made each alloca for, and
with debug information of all types.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import llvmlite.binding as llvm

from counterpoint.core.records import dataclass
from counterpoint.frontend.c import clang
from counterpoint.frontend.debug_fields import LINE_AND_COLUMN, NAME_FIELD
from counterpoint.frontend.definition.initialisers import Location
from counterpoint.frontend.definition.locals import fixed_allocas
from counterpoint.frontend.irtext import ModuleText, parse
from counterpoint.frontend.lower.irtypes import TypeTable
from counterpoint.frontend.lower.text import quoted
from counterpoint.frontend.printed import printed_first
from counterpoint.frontend.task import SourceTask

_OPTIONS = ("-fno-discard-value-names", "-fno-eliminate-unused-debug-types")


@dataclass(frozen=True, slots=True)
class Named:
    """Such a file; `metadata` by reference."""

    module: ModuleText
    metadata: Mapping[str, str]
    types: TypeTable

    def allocas(self, name: str, line: int) -> dict[str, str]:
        """The types of the allocas of a function, by name; {} if it is not there."""
        for function in self.module.functions.values():
            here = location_of(self.metadata, function.debug) or (0, 0)
            if (name_of(self.metadata, function.debug), here[0]) == (name, line):
                return fixed_allocas(function.lines)
        return {}


def compiled_with_names(task: SourceTask, file: Path) -> Named:
    """Raises CompilationFailed, which the first compilation did not."""
    module = parse(printed_first(llvm.parse_bitcode(clang.compile_file(task, file, _OPTIONS).code)))
    metadata = dict(line.split(" = ", 1) for line in module.metadata)
    return Named(module, metadata, TypeTable(module.datalayout, module.triple, module.types))


def location_of(metadata: Mapping[str, str], given: str) -> Location | None:
    """Line and column of a node, column 0 if it has none."""
    found = LINE_AND_COLUMN.search(metadata.get(given, ""))
    return (int(found[1]), int(found[2] or 0)) if found is not None else None


def name_of(metadata: Mapping[str, str], reference: str) -> str:
    """The name of a node, "" if it has none."""
    found = NAME_FIELD.search(metadata.get(reference, ""))
    return quoted(found[1]) if found is not None else ""
