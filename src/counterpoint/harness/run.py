"""Writes a harness, and lets the compiler say whether it is good C: by the file's headers, or else with the file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from counterpoint.contracts.declarations import Declarations, Function, declarations
from counterpoint.contracts.shapes import Types
from counterpoint.core.errors import CompilationFailed, UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.frontend.c.clang import compile_file, macros
from counterpoint.frontend.task import SourceTask
from counterpoint.harness.arguments import NoHarness, Parts, parts_of
from counterpoint.harness.including import Including, ways
from counterpoint.harness.request import Harness, Wanted
from counterpoint.harness.writing import command_of, text_of

_WARNINGS = ("-Wall", "-Wno-unused-function")
_MAIN = "main"
_SCRATCH = "harness.c"
_FOLDERS = regex(r"at (?:[^()]*/)?([^/()]+)\)")


def harness(wanted: Wanted) -> Harness:
    """Raises UnusableInput for what is no C, for a function that is not there, and for one that takes what no harness
    gives; CompilationFailed for files that do not compile."""
    task = wanted.task
    for file in task.files:
        _check_name(file)
        compile_file(task, file)
    known = {file: declarations(task, file) for file in task.files}
    declared, function = _found(wanted, known)
    others = [one for file, one in known.items() if one is not declared]
    return written(wanted, declared, function, others, macros(task, declared.file))


def written(
    wanted: Wanted, declared: Declarations, function: Function, others: list[Declarations], taken: frozenset[str]
) -> Harness:
    """The harness by the first way of including that compiles without a word of the compiler. Raises UnusableInput."""
    try:
        parts = parts_of(declared, function, others, wanted.depth, wanted.most is not None, wanted.aliases, taken)
    except NoHarness as why:
        raise UnusableInput(f"{function.name}: {why}") from None
    said = ""
    best: Harness | None = None
    for including in ways(declared.file, wanted.folder, function.static):
        one = _text(wanted, declared, others, function, parts, including)
        try:
            heard = _heard(wanted, one.text)
        except CompilationFailed as error:
            said = re.sub(rf"\S*/(?={_SCRATCH})", "", str(error).partition("\n")[0])
            continue
        if not including.sure and not _same_types(wanted, one.text, declared):
            continue
        if not heard:
            return one
        best = best or replace(one, warnings=heard)
    if best is None:
        raise UnusableInput(f"{function.name}: its harness is no C that compiles ({said}): write it by hand")
    return best


def _found(wanted: Wanted, known: Mapping[Path, Declarations]) -> tuple[Declarations, Function]:
    """Raises UnusableInput."""
    found = [(one, one.functions[wanted.function]) for one in known.values() if wanted.function in one.functions]
    if wanted.function == _MAIN:
        raise UnusableInput("main: needs no harness: check the files as they are")
    if not found:
        names = [name for one in known.values() for name, f in one.functions.items() if f.file in ("", str(one.file))]
        near = [name for name in names if wanted.function.lower() in name.lower()] or names
        there = ", ".join(shown(name) for name in near[:8])
        files = ", ".join(str(one.file) for one in known.values())
        raise UnusableInput(f"{wanted.function}: no function of {files}; there is {there or 'none'}")
    own = [(one, f) for one, f in found if f.file in ("", str(one.file))]
    if len(own) > 1:
        files = " and ".join(str(one.file) for one, _ in own)
        raise UnusableInput(f"{wanted.function}: {files} define it: give one of them")
    return (own or found)[0]


def _text(
    wanted: Wanted, declared: Declarations, others: list[Declarations], function: Function, parts: Parts,
    including: Including,
) -> Harness:  # fmt: skip
    has_main = any(_MAIN in one.functions for one in (declared, *others))
    entry = f"harness_{function.name}" if has_main else _MAIN
    own = [] if including.whole else [declared.file]
    sources = [str(file) for file in wanted.task.files if file in own or file != declared.file]
    options = [*wanted.options, *(("--entry", entry) if has_main else ())]
    command = command_of(wanted.output, sources, options)
    place = f"{declared.file}:{function.line}"
    text = text_of(parts, including, function.name, place, command, wanted.most, entry)
    assumed = text.count("assumed:")
    return Harness(text, command, assumed)


def _heard(wanted: Wanted, text: str) -> tuple[str, ...]:
    """What the compiler warns of in the harness. Raises CompilationFailed."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        path = Path(folder) / _SCRATCH
        said = compile_file(_task_of(wanted, path, text), path).said
    found = re.findall(rf"^{re.escape(str(path))}:(\d+):\d+: (?:warning|error): (.*)$", said, re.MULTILINE)
    return tuple(f"line {line}: {message}" for line, message in found)


def _task_of(wanted: Wanted, path: Path, text: str) -> SourceTask:
    """The text as a file of the path, compiled as if it lay in its folder."""
    path.write_text(text, "utf-8")
    strict = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Werror=int-conversion")
    extra = (*wanted.task.extra, "-iquote", str(wanted.folder.absolute()), *_WARNINGS, *strict)
    return replace(wanted.task, files=(path,), extra=extra)


def _same_types(wanted: Wanted, text: str, declared: Declarations) -> bool:
    """Whether records have the same members by the headers alone as in the file."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        path = Path(folder) / _SCRATCH
        there = declarations(_task_of(wanted, path, text), path).types
    here, also = _members(declared.types), _members(there)
    return all(here[name] == fields for name, fields in also.items() if name in here)


def _members(types: Types) -> dict[str, tuple[tuple[str, str, bool], ...]]:
    """Of all records; those without names by the place where they stand, however its path is written."""

    def placed(type_: str) -> str:
        return _FOLDERS.sub(r"at \1)", type_)

    records = {**types.records, **types.inside}
    return {placed(n): tuple((f.name, placed(f.type), f.bits) for f in one.fields) for n, one in records.items()}


def _check_name(file: Path) -> None:
    name = str(file.absolute())
    if shown(name) != name or any(character in name for character in '"\\'):
        raise UnusableInput(f"{file}: has a name that no #include can say: rename it")
