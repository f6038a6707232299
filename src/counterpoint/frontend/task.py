"""What is to be checked: source files, target and property, however the user stated them.

Reads SV-COMP task definitions (format 2.0), property files and compilation databases. Everything
that cannot be used raises UnusableInput with one line: what, where, what to do next.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput

DATA_MODELS = ("ILP32", "LP64")
PLAIN_DATA_MODEL = "LP64"
"""Of files that are given by themselves, in any language: the host's, so that they mean what they mean there."""
TASK_DATA_MODEL = "ILP32"
"""Of a task definition that states none, as in SV-COMP."""
SIMPLE_C = "SimpleC"
BLOCK_GRAPH = "BGD"
LANGUAGES = ("C", SIMPLE_C, BLOCK_GRAPH)
TRANSLATED = {SIMPLE_C: ".sc", BLOCK_GRAPH: ".bgd"}
"""The languages that are translated to C, with how their files end; a program in one of them is one file."""
BEFORE_RETURN = "before-return"
CALLBACKS = ("unsupported", BEFORE_RETURN)
"""What a call of an undefined function that is handed functions means; see docs/decisions/callbacks.md."""
OUTPUTS_ONLY = "outputs-only"
ASSEMBLY = ("unsupported", OUTPUTS_ONLY)
"""What inline assembly means; see frontend/assembly.py."""
ARBITRARY = "arbitrary"
VOLATILE = ("ordinary", ARBITRARY)
"""What a read of volatile memory gives; see frontend/volatile.py."""
LARGEST_SOURCE = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class SourceTask:
    """A program and the property to check, before compilation.

    `target` is an LLVM triple that overrides `data_model`; `property` a name that
    `counterpoint.property.named` knows; `cc` another clang than the one that comes along; `language` one of
    LANGUAGES; `callbacks` one of CALLBACKS, `asm` of ASSEMBLY, `volatile` of VOLATILE; `malloc_may_fail`: any
    allocation may give null; `malloc_limit`: one of more than PTRDIFF_MAX bytes does.
    A program in one of TRANSLATED is one file; preprocessor options and `std` do not concern it.
    """

    files: tuple[Path, ...]
    data_model: str = PLAIN_DATA_MODEL
    target: str | None = None
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    extra: tuple[str, ...] = ()
    entry: str = "main"
    property: str = "unreach-call"
    cc: str | None = None
    language: str = "C"
    callbacks: str = "unsupported"
    asm: str = "unsupported"
    volatile: str = "ordinary"
    malloc_may_fail: bool = False
    malloc_limit: bool = False


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


def language_of(files: tuple[Path, ...], stated: str = "C") -> str:
    """The language of a program's files, by how they end, or as stated. Raises UnusableInput for mixtures."""
    for language, called in ((SIMPLE_C, "program in Simple C"), (BLOCK_GRAPH, "block graph")):
        found = [file for file in files if file.suffix == TRANSLATED[language] or stated == language]
        if found and len(files) > 1:
            raise UnusableInput(f"{found[0]}: a {called} is one file: give it alone")
        if found:
            return language
    return stated


def read_text(path: Path, what: str) -> str:
    """The text of a small file that the user named. Raises UnusableInput."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnusableInput(f"{path}: no such {what}: check the path") from None
    except IsADirectoryError:
        raise UnusableInput(f"{path}: is a directory, expected a {what}") from None
    except UnicodeDecodeError:
        raise UnusableInput(f"{path}: is not text, expected a {what}") from None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None


def check_source(path: Path) -> None:
    """Raises UnusableInput unless `path` can be a C source file: there, readable, text, not empty."""
    try:
        if path.is_dir():
            raise UnusableInput(f"{path}: is a directory: name its C files instead")
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(65536)
    except FileNotFoundError:
        raise UnusableInput(f"{path}: no such file: check the path") from None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    if not start.strip():
        raise UnusableInput(f"{path}: is empty: expected a C program")
    if b"\0" in start:
        raise UnusableInput(f"{path}: is a binary file: expected C source text")
    if size > LARGEST_SOURCE:
        raise UnusableInput(f"{path}: has {size} bytes, more than {LARGEST_SOURCE}: split the program")


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
    content = _mapping(_yaml(path), path, "a task definition")
    version = str(content.get("format_version", ""))
    if not version.startswith("2."):
        raise UnusableInput(f"{path}: format_version is `{version}`: expected '2.0'")
    options = content.get("options") or {}
    language = "C"
    data_model = TASK_DATA_MODEL
    if options:
        options = _mapping(options, path, "options")
        language = str(options.get("language", "C"))
        data_model = str(options.get("data_model", TASK_DATA_MODEL))
    if data_model not in DATA_MODELS:
        raise UnusableInput(f"{path}: data_model is `{data_model}`: expected one of {', '.join(DATA_MODELS)}")
    files = tuple(path.parent / name for name in _names(content.get("input_files"), path))
    for file in files:
        check_source(file)
    if language not in LANGUAGES:
        raise UnusableInput(f"{path}: language is `{language}`: expected one of {', '.join(LANGUAGES)}")
    expectations, unchecked = _expectations(content.get("properties") or [], path)
    task = SourceTask(files=files, data_model=data_model, language=language_of(files, language))
    if expectations:
        task = replace(task, property=expectations[0].property)
    return TaskDefinition(path, task, expectations, unchecked)


def _expectations(entries: Any, path: Path) -> tuple[tuple[Expectation, ...], tuple[str, ...]]:
    if not isinstance(entries, list):
        raise UnusableInput(f"{path}: properties: expected a list of property_file and expected_verdict")
    expectations, unchecked = [], []
    for entry in entries:
        entry = _mapping(entry, path, "an entry of properties")
        file = path.parent / str(entry.get("property_file", ""))
        verdict = entry.get("expected_verdict")
        if verdict is not None and not isinstance(verdict, bool):
            raise UnusableInput(f"{path}: expected_verdict is `{verdict}`: expected true or false")
        try:
            known = properties.from_specification(read_property_file(file), str(file))
        except UnusableInput:
            if not file.is_file():
                raise
            unchecked.append(file.stem)
            continue
        expectations.append(Expectation(known.name, verdict, str(entry.get("subproperty") or "")))
    return tuple(expectations), tuple(unchecked)


def _yaml(path: Path) -> Any:
    import yaml  # imported late: it costs 20 ms and only task definitions need it

    try:
        return yaml.safe_load(read_text(path, "task definition"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise UnusableInput(f"{path}{where}: {problem}: expected an SV-COMP task definition") from None


def _mapping(value: Any, path: Path, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UnusableInput(f"{path}: {what} must be a mapping of names to values")
    return value


def _names(value: Any, path: Path) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UnusableInput(f"{path}: input_files must name one or more source files")
    return names


# ------------------------------------------------------------------ compile_commands.json


def with_compilation_database(task: SourceTask, directory: Path) -> SourceTask:
    """The task with the -I, -D and -std that `directory`/compile_commands.json records for its files.

    Raises UnusableInput if the database is missing, broken, or does not mention one of the files.
    """
    path = directory / "compile_commands.json"
    try:
        entries = json.loads(read_text(path, "compilation database"))
    except json.JSONDecodeError as error:
        raise UnusableInput(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    if not isinstance(entries, list):
        raise UnusableInput(f"{path}: expected a list of compile commands")
    by_file: dict[Path, list[str]] = {}
    for entry in entries:
        entry = _mapping(entry, path, "an entry")
        base = Path(str(entry.get("directory", directory)))
        arguments = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
        by_file[(base / str(entry.get("file", ""))).resolve()] = _relevant(arguments, base)
    wanted: list[str] = []
    for file in task.files:
        flags = by_file.get(file.resolve())
        if flags is None:
            raise UnusableInput(f"{path}: has no command for {file}: add it or leave -p out")
        wanted += [flag for flag in flags if flag not in wanted]
    return replace(task, extra=(*task.extra, *wanted))


_PATH_OPTIONS = ("-I", "-isystem", "-iquote", "-include")


def _relevant(arguments: list[str], base: Path) -> list[str]:
    """The preprocessor options and -std of a recorded command, paths made absolute, each as one word."""
    flags: list[str] = []
    words = iter(arguments)
    for word in words:
        option = next((o for o in (*_PATH_OPTIONS, "-D", "-U") if word.startswith(o)), None)
        if word.startswith("-std="):
            flags.append(word)
        elif option is not None:
            value = word[len(option) :] or next(words, "")
            flags.append(option + (str(base / value) if option in _PATH_OPTIONS else value))
    return flags
