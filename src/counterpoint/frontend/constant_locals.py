"""Locals that are defined `const`: only their initialisers write them.

LLVM's locals are never constant. Debug information tells which variables are, and which *atom* of the source (a
declaration, an assignment) an instruction carries out. A write to such a local that names it directly, by another atom
than its declaration's, is an invalid access. A write through a pointer that was kept in memory or handed to a function
is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from counterpoint.frontend.irtext import debug_of

_DECLARED = re.compile(r"^ +#dbg_declare\(ptr (%[^ ,]+), (!\d+), ")
_TYPE = re.compile(r"\b(?:type|baseType): (!\d+)")
_TAG = re.compile(r"\btag: (DW_TAG_\w+)")
_ATOM = re.compile(r"\batomGroup: (\d+)")
_TARGET = re.compile(r"^  store .*?, ptr (%[-\w.$]+)|@llvm\.mem\w+[\w.]*\(ptr (?:align \d+ )?(%[-\w.$]+)")
_THROUGH = frozenset({"DW_TAG_typedef", "DW_TAG_array_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type"})


class ConstantLocals:
    """The constant locals of one function; `metadata` is the module's."""

    def __init__(self, lines: list[str], metadata: Mapping[str, str]) -> None:
        self._metadata = metadata
        self._atoms: dict[str, str | None] = {}
        for line in lines:
            found = _DECLARED.match(line) if "#dbg_declare(" in line else None
            if found is not None and self._is_constant(found[2]):
                self._atoms[found[1]] = None

    def __bool__(self) -> bool:
        return bool(self._atoms)

    def _is_constant(self, variable: str) -> bool:
        text = self._metadata.get(variable, "")
        for _ in range(32):
            type_ = _TYPE.search(text)
            text = self._metadata.get(type_[1], "") if type_ is not None else ""
            tag = _TAG.search(text)
            if tag is None or tag[1] not in _THROUGH:
                return tag is not None and tag[1] == "DW_TAG_const_type"
        return False

    def modified(self, line: str, start_of: Callable[[str], str]) -> bool:
        """Whether the line writes one of them and is no part of its initialisation.

        Lines come in the order of the text, in which the declaration's writes are the first. `start_of` gives the
        value that the computation of an address started from.
        """
        found = _TARGET.search(line)
        local = start_of(found[1] or found[2]) if found is not None else ""
        if local not in self._atoms:
            return False
        atom = _ATOM.search(self._metadata.get(debug_of(line), ""))
        if atom is None:
            return False
        known = self._atoms[local]
        if known is None:
            self._atoms[local] = atom[1]
        return known is not None and known != atom[1]
