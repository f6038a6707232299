"""What is to be checked: source files, target and property, however the user stated them.

Reads SV-COMP task definitions (format 2.0), property files and compilation databases. Everything
that cannot be used raises UnusableInput with one line: what, where, what to do next.
"""

from __future__ import annotations

import builtins
import hashlib
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.core.files import read_given
from counterpoint.frontend import languages
from counterpoint.frontend.documents import Given, read_json, read_text, read_yaml

DATA_MODELS = ("ILP32", "LP64")
PLAIN_DATA_MODEL = "LP64"
"""Of files that are given by themselves, in any language: the host's, so that they mean what they mean there."""
TASK_DATA_MODEL = "ILP32"
"""Of a task definition that states none, as in SV-COMP."""
BEFORE_RETURN = "before-return"
CALLBACKS = ("unsupported", BEFORE_RETURN)
"""What a call of an undefined function that is handed functions means; see docs/decisions/callbacks.md."""
OUTPUTS_ONLY = "outputs-only"
ASSEMBLY = ("unsupported", OUTPUTS_ONLY)
"""What inline assembly means; see frontend/definition/assembly.py."""
ARBITRARY = "arbitrary"
VOLATILE = ("ordinary", ARBITRARY)
"""What a read of volatile memory gives; see frontend/definition/volatile.py."""
REUSED = "reused"
ADDRESSES = ("fresh", REUSED)
"""Where new objects may lie: only where none lay before, or also where dead ones did;
see frontend/definition/address_reuse.py."""
LARGEST_SOURCE = 64_000_000  # bytes
LARGEST_DATABASE = 256_000_000  # bytes


@dataclass(frozen=True, slots=True)
class SourceTask:
    """A program and the property to check, before compilation.

    `target` is an LLVM triple that overrides `data_model`; `property` a name that
    `counterpoint.property.named` knows; `cc` another clang than the one that comes along; `language` one of
    `languages.names()`; `callbacks` one of CALLBACKS, `asm` of ASSEMBLY, `volatile` of VOLATILE, `addresses` of
    ADDRESSES;
    `malloc_may_fail`: any allocation may give null; `malloc_limit`: one of more than PTRDIFF_MAX bytes does.
    A program in another language than C is one file; preprocessor options and `std` do not concern it.
    """

    files: tuple[Path, ...]
    data_model: str = PLAIN_DATA_MODEL
    target: str | None = None
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    extra: tuple[str, ...] = ()
    entry: str = "main"
    property: str = properties.DEFAULT
    cc: str | None = None
    language: str = languages.C
    callbacks: str = "unsupported"
    asm: str = "unsupported"
    volatile: str = "ordinary"
    addresses: str = "fresh"
    malloc_may_fail: bool = False
    malloc_limit: bool = False

    @builtins.property
    def is_translated(self) -> bool:
        """Whether the compiler sees a translation instead of the task's file."""
        return self.language != languages.C


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a task definition says about one property; `subproperty` is "" where it says none."""

    property: str
    verdict: bool | None
    subproperty: str = ""


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """A task definition file: the task for its first checkable property, and what it expects.

    `unchecked` are properties of the file that have no check here (termination, coverage).
    """

    path: Path
    task: SourceTask
    expectations: tuple[Expectation, ...]
    unchecked: tuple[str, ...]

    def for_property(self, name: str) -> SourceTask:
        return replace(self.task, property=name)


def language_of(files: tuple[Path, ...], stated: str = languages.C) -> str:
    """The language of a program's files, by how they end, or as stated. Raises UnusableInput for mixtures."""
    for language in languages.languages():
        found = [file for file in files if file.suffix == language.suffix or stated == language.name]
        if found and len(files) > 1:
            raise UnusableInput(f"{found[0]}: a {language.title} is one file: give it alone")
        if found:
            return language.name
    return stated


def check_source(path: Path) -> None:
    """Raises UnusableInput unless `path` can be a C source file: there, regular, readable, text, not empty."""
    content = read_source(path)
    if not content[:65536].strip():
        raise UnusableInput(f"{path}: is empty: expected a C program")
    if b"\0" in content[:65536]:
        raise UnusableInput(f"{path}: is a binary file: expected C source text")


def read_source(path: Path) -> bytes:
    """The bytes of a source file. Raises UnusableInput."""
    return read_given(path, "C file", LARGEST_SOURCE)


def digest(path: Path) -> str:
    """The SHA-256 of a source file. Raises UnusableInput."""
    return hashlib.sha256(read_source(path)).hexdigest()


_CHECK = re.compile(r"^\s*(CHECK|COVER)\s*\(\s*(.*)\)\s*$")


def read_property_file(path: Path) -> tuple[str, ...]:
    """The formulas of a `.prp` file, without the CHECK around them. Raises UnusableInput."""
    formulas = []
    for number, line in enumerate(read_text(path, "property file").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        match = _CHECK.match(line)
        if match is None:
            raise UnusableInput(f"{path}:{number}: expected CHECK( init(main()), LTL(...) )")
        if match[1] == "COVER":
            raise UnusableInput(f"{path}:{number}: a coverage goal has no verdict: give a CHECK property")
        formulas.append(match[2].strip())
    if not formulas:
        raise UnusableInput(f"{path}: states no property: expected CHECK( init(main()), LTL(...) )")
    return tuple(formulas)


def property_named(name: str) -> properties.Property:
    """The property that an option's value names: a property's name, or the path of a `.prp` file."""
    if name.endswith(".prp"):
        return properties.from_specification(read_property_file(Path(name)), name)
    return properties.named(name)


def read_task_definition(path: Path) -> TaskDefinition:
    """The SV-COMP task definition in `path`. Raises UnusableInput if it is none or names missing files."""
    content = read_yaml(path, "task definition")
    version = content.get("format_version")
    if version is None or not version.text().startswith("2."):
        (version or Given(None, f"{path}: format_version")).refused("'2.0'")
    options = content.get("options")
    stated = options.get("language") if options is not None else None
    model = options.get("data_model") if options is not None else None
    language = stated.one_of(*languages.names()) if stated is not None else languages.C
    data_model = model.one_of(*DATA_MODELS) if model is not None else TASK_DATA_MODEL
    files = tuple(path.parent / name for name in _names(content))
    for file in files:
        check_source(file)
    expectations, unchecked = _expectations(content, path)
    task = SourceTask(files=files, data_model=data_model, language=language_of(files, language))
    if expectations:
        task = replace(task, property=expectations[0].property)
    return TaskDefinition(path, task, expectations, unchecked)


def _expectations(content: Given, path: Path) -> tuple[tuple[Expectation, ...], tuple[str, ...]]:
    entries = content.get("properties")
    expectations, unchecked = [], []
    for entry in entries.items() if entries is not None else ():
        named, sub = entry.get("property_file"), entry.get("subproperty")
        file = path.parent / (named.text() if named is not None else "")
        verdict = _expected(entry.get("expected_verdict"))
        try:
            known = properties.from_specification(read_property_file(file), str(file))
        except UnusableInput:
            if not os.path.isfile(file):  # noqa: PTH113 (false for what can be no name)
                raise
            unchecked.append(file.stem)
            continue
        expectations.append(Expectation(known.name, verdict, sub.text() if sub is not None else ""))
    return tuple(expectations), tuple(unchecked)


def _expected(verdict: Given | None) -> bool | None:
    if verdict is None:
        return None
    if not isinstance(verdict.value, str) or verdict.value.lower() not in ("true", "false"):
        verdict.refused("true or false")
    return bool(verdict.value.lower() == "true")


def _names(content: Given) -> tuple[str, ...]:
    files = content.get("input_files")
    if files is None:
        raise UnusableInput(f"{content.where} input_files must name one or more source files")
    names = (files.text(),) if isinstance(files.value, str) else files.texts()
    if not names:
        files.refused("one or more source files")
    return names


# ------------------------------------------------------------------ compile_commands.json


def with_compilation_database(task: SourceTask, directory: Path) -> SourceTask:
    """The task with the -I, -D and -std that `directory`/compile_commands.json records for its files.

    Raises UnusableInput if the database is missing, broken, or does not mention one of the files.
    """
    path = directory / "compile_commands.json"
    database = read_json(path, "compilation database", LARGEST_DATABASE)
    by_file: dict[str, list[str]] = {}
    for entry in database.items():
        named = entry.get("directory")
        base = Path(named.text()) if named is not None else directory
        file = entry.get("file")
        if file is not None:
            by_file[os.path.realpath(base / file.text())] = _relevant(_words(entry), base)
    wanted: list[str] = []
    for source in task.files:
        flags = by_file.get(os.path.realpath(source))
        if flags is None:
            raise UnusableInput(f"{path}: has no command for {source}: add it or leave -p out")
        wanted += [flag for flag in flags if flag not in wanted]
    return replace(task, extra=(*task.extra, *wanted))


def _words(entry: Given) -> tuple[str, ...]:
    """The words of a recorded command."""
    arguments, command = entry.get("arguments"), entry.get("command")
    if arguments is not None:
        return arguments.texts()
    if command is None:
        return ()
    try:
        return tuple(shlex.split(command.text()))
    except ValueError:
        command.refused("a command as a shell reads it")


_PATH_OPTIONS = ("-I", "-isystem", "-iquote", "-include")


def _relevant(arguments: Iterable[str], base: Path) -> list[str]:
    """The preprocessor options and -std of a recorded command, paths made absolute, each as one word."""
    flags: list[str] = []
    words = iter(arguments)
    for word in words:
        option = next((o for o in (*_PATH_OPTIONS, "-D", "-U") if word.startswith(o)), None)
        if word.startswith("-std="):
            flags.append(word)
        elif option is not None:
            value = word[len(option) :] or next(words, "")
            if not value:
                continue
            flags.append(option + (str(base / value) if option in _PATH_OPTIONS else value))
    return flags
