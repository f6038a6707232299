"""Files without what one function cannot reach: many functions of large code are checked by themselves, and linking all
files for each would take most of the time.

A file's bitcode stays a file's: what is left has its linkage, and its tables of constructors. Who mentions whom is
read from LLVM's text once. A name that other files can see stands for its definitions in all of them; what models of
the library may mention by its name stays, and so does all that an alias leads to. Where a name cannot be read the
files stay whole. To leave something in is never wrong: `link` takes out what nothing reaches from the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Final

import llvmlite.binding as llvm

from counterpoint.core.closure import reached
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.bitcode import read, refuse_nul
from counterpoint.frontend.c.clang import Compiled
from counterpoint.frontend.c.library import LIBC
from counterpoint.frontend.c.link import pass_builder
from counterpoint.frontend.c.link_roots import section_of
from counterpoint.frontend.lower.text import unescaped

_SYMBOL: Final = regex(r'@("[^"\n]*"|[-\w$.]+)')
_DEFINITION: Final = regex(
    r'^(?:define (?P<local>internal |private )?[^\n]*?@(?P<function>"[^"\n]*"|[-\w$.]+)\((?:[^\n]*\n(?!}))*[^\n]*'
    r'|@(?P<variable>"[^"\n]*"|[-\w$.]+) = (?P<kept>internal |private )?[^\n]*)',
    re.MULTILINE,
)
_ALIAS: Final = regex(r'@(?:"[^"\n]*"|[-\w$.]+) = [^"(]*\b(?:alias|ifunc) ')
_DECLARED: Final = regex(r'@(?:"[^"\n]*"|[-\w$.]+) = (?:external|extern_weak) ')
_WORD: Final = regex(r"[A-Za-z_]\w*")

Symbol = tuple[int, str]
"""The number of a file, or ANY, and a name as LLVM has it."""

ANY: Final = -1
"""Where a name stands for its definitions in all files."""


@dataclass(frozen=True, slots=True)
class Part:
    """`mentioned` by each definition; `seen` by other files; `kept` in any case. `empty`: the file with these alone."""

    mentioned: Mapping[str, frozenset[str]]
    seen: frozenset[str]
    kept: frozenset[str]
    empty: bytes


@dataclass(slots=True)
class Slices:
    """Of these files, in their order."""

    whole: tuple[Compiled, ...]
    files: tuple[Part, ...] | None = None
    made: dict[tuple[int, frozenset[str]], Compiled] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[tuple[Compiled, Part | None]]) -> Slices:
        """Of files with what `part` says of them; whole ones where that is nothing of one."""
        parts = tuple(one for _, one in files if one is not None)
        return cls(tuple(code for code, _ in files), parts if len(parts) == len(files) else None)

    def reached(self, entry: str) -> tuple[Compiled, ...]:
        """The files with what the entry reaches, at least."""
        if self.files is None:
            return self.whole
        found = reached((ANY, entry), self._following)
        for number, file in enumerate(self.files):
            found |= {one for name in file.kept for one in reached((number, name), self._following)}
        names = [{name for number, name in found if number == one} for one in range(len(self.files))]
        return tuple(self._slice(number, frozenset(some)) for number, some in enumerate(names))

    def _following(self, symbol: Symbol) -> Iterator[Symbol]:
        assert self.files is not None
        number, name = symbol
        if number == ANY:
            yield from ((one, name) for one, file in enumerate(self.files) if name in file.seen)
            return
        file = self.files[number]
        for one in file.mentioned.get(name, ()):
            yield (ANY if one in file.seen or one not in file.mentioned else number), one

    def _slice(self, number: int, names: frozenset[str]) -> Compiled:
        assert self.files is not None
        file, compiled = self.files[number], self.whole[number]
        wanted = names & file.seen
        if wanted <= file.kept:
            return replace(compiled, code=file.empty, whole=compiled.code)
        if (number, wanted) not in self.made:
            code = _without_others(read(compiled.code), wanted | file.kept)
            self.made[number, wanted] = replace(compiled, code=code, whole=compiled.code)
        return self.made[number, wanted]


def part(compiled: Compiled) -> Part | None:
    """None where a name cannot be read. Raises UnusableInput for what `link` refuses in any case."""
    refuse_nul(compiled.code)
    try:
        return _read(compiled.code)
    except UnicodeDecodeError:
        return None


def _read(code: bytes) -> Part:
    module = read(code)
    mentioned: dict[str, frozenset[str]] = {}
    seen, kept = set[str](), set[str]()
    for found in _DEFINITION.finditer(str(module)):
        written = found["function"] or found["variable"]
        name, line = _name(written), found[0]
        if found["variable"] and _DECLARED.match(line) is not None:
            continue
        mentioned[name] = frozenset(map(_name, _SYMBOL.findall(line))) - {name}
        if not (found["local"] or found["kept"]):
            seen.add(name)
        if found["variable"] and (name.startswith("llvm.") or _ALIAS.match(line) or section_of(line)[0]):
            kept.add(name)
    kept |= {name for name in seen if name.startswith("__") or name in _words_of_models()}
    return Part(mentioned, frozenset(seen), frozenset(kept), _without_others(module, kept))


def _name(written: str) -> str:
    """Raises UnicodeDecodeError."""
    return unescaped(written[1:-1]).decode() if written[0] == '"' else written


@cache
def _words_of_models() -> frozenset[str]:
    """All names that models of the library can mention, and more; but for those of a compiler's own (`__...`)."""
    texts = (file.read_text("utf-8") for file in sorted(LIBC.glob("*.[ch]")))
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _without_others(module: llvm.ModuleRef, names: Iterable[str]) -> bytes:
    """The module's bitcode without what none of these reaches in it."""
    wanted, before = frozenset(names), dict[str, tuple[str, str]]()
    for value in (*module.functions, *module.global_variables):
        linkage = value.linkage.name
        if not value.is_declaration and value.name not in wanted and linkage not in ("internal", "private"):
            before[value.name] = linkage, value.visibility.name
            value.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_debug_info_pass()
    passes.run(module, pass_builder(module))
    for value in (*module.functions, *module.global_variables):
        if value.name in before:
            value.linkage, value.visibility = before[value.name]
    return bytes(module.as_bitcode())
