"""SV-COMP task definitions (format 2.0) and property files.

What cannot be used raises UnusableInput with one line: what, where, what to do next.
"""

from __future__ import annotations

import os
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.documents import Given, read_text, read_yaml
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend import languages
from counterpoint.frontend.task import DATA_MODELS, TASK_DATA_MODEL, check_source


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a task definition says about one property; `subproperty` is "" where it says none."""

    property: str
    verdict: bool | None
    subproperty: str = ""


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """A task definition file: its program, and what it expects.

    `unchecked` are properties of the file that have no check here (termination, coverage).
    """

    path: Path
    files: tuple[Path, ...]
    data_model: str
    language: str
    expectations: tuple[Expectation, ...]
    unchecked: tuple[str, ...]


def language_of(files: tuple[Path, ...], stated: str = languages.C) -> str:
    """The language of a program's files, by how they end, or as stated. Raises UnusableInput for mixtures."""
    for language in languages.languages():
        found = [file for file in files if file.suffix == language.suffix or stated == language.name]
        if found and len(files) > 1:
            raise UnusableInput(f"{found[0]}: a {language.title} is one file: give it alone")
        if found:
            return language.name
    return stated


_CHECK = regex(r"^\s*(CHECK|COVER)\s*\(\s*(.*)\)\s*$")


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
    return TaskDefinition(path, files, data_model, language_of(files, language), expectations, unchecked)


def property_files(path: Path) -> tuple[Path, ...]:
    """The files in which the properties of a task definition stand. Raises UnusableInput if it is none."""
    entries = read_yaml(path, "task definition").get("properties")
    named = [entry.get("property_file") for entry in entries.items()] if entries is not None else []
    return tuple(path.parent / name.text() for name in named if name is not None)


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
