"""What C files say of themselves: `// expect: FALSE(valid-deref) property=memory-safety`, and whether it is so.

Each of the first lines that begins with `// expect:` is a case: the right verdicts, joined by ` or `, then options as
NAME=VALUE. A check runs in a process of its own, as the command would, so that whoever asks is not disturbed by it.

Imports nothing of the package: what collects files is to cost nothing (counterpoint.pytest_plugin).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_LINE: Final = regex(r"//\s*expect:\s*(.*)")
_OPTION: Final = regex(r"([\w-]+)=(\S+)")
_VERDICT: Final = regex(r"TRUE|FALSE(?:\([\w-]+\))?|UNKNOWN(?:\(\w+\))?")
_FIRST: Final = 1 << 14
"""Bytes of a file in which expectations stand."""

FLAGS: Final = {
    "property": "--property", "model": "--data-model", "target": "--target", "entry": "--entry", "std": "-std",
    "timeout": "--timeout", "memory": "--memory", "seed": "--seed", "prepare": "--prepare", "engine": "--engine",
    "engines": "--engine", "contracts": "--contracts", "callbacks": "--callbacks", "asm": "--asm",
    "volatile": "--volatile", "addresses": "--addresses", "annotations": "--annotations",
}  # fmt: skip
"""Options with one value, by their names in a file."""

LISTS: Final = {"define": "-D", "include": "-I"}
"""Options that are given once for each of the values, which commas separate."""

WITH: Final = "with"
"""Further files of the program, from the file's folder."""

CASES: Final = ("model", "prepare")
"""Of these, each value that commas separate is a case of its own."""



class BadExpectation(Exception):
    """A line that cannot be understood; what, where and what next."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question about a file, and the right answers."""

    file: Path
    line: int
    verdicts: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The verdicts and the options, without limits."""
        shown = [value for name, value in self.options if name not in ("timeout", "memory", "seed", "include")]
        return "-".join((" or ".join(self.verdicts), *shown))

    def arguments(self) -> list[str]:
        """Of `counterpoint check`."""
        words = [str(self.file)]
        for name, value in self.options:
            if name == WITH:
                words += [str(self.file.parent / other) for other in value.split(",")]
            elif name in LISTS:
                folder = self.file.parent if name == "include" else None
                words += [w for one in value.split(",") for w in (LISTS[name], str(folder / one) if folder else one)]
            else:
                words += [FLAGS[name], value]
        return words


@dataclass(frozen=True, slots=True)
class Answer:
    """What a check said: `verdict` is empty where it said none; `output` of both streams."""

    verdict: str
    output: str

    def is_one_of(self, verdicts: Sequence[str]) -> bool:
        """Whether one of the verdicts is meant: a word alone stands for any in its parentheses, but an internal error
        is never right."""
        outcome = self.verdict.partition("(")[0]
        return "INTERNAL_ERROR" not in self.verdict and bool({self.verdict, outcome}.intersection(verdicts) - {""})


def cases_of(file: Path) -> tuple[Case, ...]:
    """The cases of a file, none of one that says nothing. Raises BadExpectation, OSError."""
    with file.open("rb") as opened:
        text = opened.read(_FIRST).decode("utf-8", "replace")
    found: list[Case] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        said = _LINE.match(line.strip())
        if said is None:
            break
        found += _cases(file, number, said[1])
    return tuple(found)


def _cases(file: Path, line: int, said: str) -> list[Case]:
    options = dict(_OPTION.findall(said))
    verdicts = tuple(part.strip() for part in _OPTION.sub("", said).split(" or "))
    wrong = next((one for one in verdicts if not _VERDICT.fullmatch(one)), None)
    if wrong is not None:
        raise BadExpectation(f"{file}:{line}: `{wrong}` is no verdict: write TRUE, FALSE(property) or UNKNOWN(reason)")
    for name in options:
        if name not in FLAGS and name not in LISTS and name != WITH:
            known = ", ".join((*FLAGS, *LISTS, WITH))
            raise BadExpectation(f"{file}:{line}: no option `{name}`: there is {known}")
    names = [name for name in CASES if "," in options.get(name, "")]
    chosen = product(*(options[name].split(",") for name in names))
    return [Case(file, line, verdicts, tuple((options | dict(zip(names, one, strict=True))).items())) for one in chosen]


def answer(case: Case, more: Sequence[str] = ()) -> Answer:
    """What the check says, `more` options given in front of those of the case."""
    command = [sys.executable, "-m", "counterpoint", "check", *more, *case.arguments()]
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    ran = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    output = ran.stdout.strip()
    last = output.rpartition("\n")[2]
    return Answer(last.removeprefix("VERDICT: ") if last.startswith("VERDICT: ") else "", output)
