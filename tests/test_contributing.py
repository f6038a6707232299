"""The examples of CONTRIBUTING.md, each in a tree of its own: its files are found by name, and its test passes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

import counterpoint

SOURCE = Path(counterpoint.__file__).parent
TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "CONTRIBUTING.md").read_text()
PACKAGE = PurePosixPath("src/counterpoint")

_HEADING = re.compile(r"^### (.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(?:python|c)\n(?:#|//) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^```python\n# row of src/counterpoint/semantics/access_rules\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> dict[str, dict[str, str]]:
    """By heading the files of each example."""
    parts = _HEADING.split(PAGE)
    found = {heading: dict(_BLOCK.findall(text)) for heading, text in zip(parts[1::2], parts[2::2], strict=True)}
    return {heading: files for heading, files in found.items() if files}


def grown(copy: Path, added: Mapping[PurePosixPath, str], original: Path = SOURCE) -> None:
    """A folder that links to what the original has, but for the files that are added."""
    copy.mkdir(parents=True)
    deeper: dict[str, dict[PurePosixPath, str]] = {}
    for path, text in added.items():
        if len(path.parts) == 1:
            (copy / path).write_text(text)
        else:
            deeper.setdefault(path.parts[0], {})[PurePosixPath(*path.parts[1:])] = text
    for name, more in deeper.items():
        grown(copy / name, more, original / name)
    for entry in original.iterdir() if original.exists() else ():
        if entry.name != "__pycache__" and not (copy / entry.name).exists():
            (copy / entry.name).symlink_to(entry)


def run_tests(folder: Path, *arguments: str) -> None:
    """Runs tests on the package in the folder; they pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_there_is_an_example_of_each() -> None:
    assert len(examples()) == 6 and _ROW.search(PAGE)
    assert all(sum(file.startswith("tests/") for file in files) == 1 for files in examples().values())


@pytest.mark.parametrize("heading", examples())
def test_example(heading: str, tmp_path: Path) -> None:
    files = {PurePosixPath(name): text for name, text in examples()[heading].items()}
    added = {path.relative_to(PACKAGE): text for path, text in files.items() if path.is_relative_to(PACKAGE)}
    assert added and not any((SOURCE / path).exists() for path in added)
    grown(tmp_path / "counterpoint", added)
    for path in files.keys() - {PACKAGE / path for path in added}:
        (tmp_path / path.name).write_text(files[path])
        run_tests(tmp_path, path.name)


def test_a_rule_of_accesses(tmp_path: Path) -> None:
    row = _ROW.search(PAGE)
    assert row is not None
    table = PurePosixPath("semantics", "access_rules.py")
    text, end = (SOURCE / table).read_text(), "\n)\n\n_TEXT"
    assert text.count(end) == 1
    grown(tmp_path / "counterpoint", {table: text.replace(end, f"\n{row[1].rstrip()}{end}")})
    run_tests(tmp_path, str(TESTS / "test_access_rules.py"), "-k", "EXTERNAL-ANOTHER")
