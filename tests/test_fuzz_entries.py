"""The generator of functions for `check --entry-each`: its native calls see what fails, and what calls pass."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from fuzz_entries import CHECKED, TYPES, Function, Writer, native, wrong

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("gcc", "addr2line"))), reason="gcc or addr2line is not installed"
)

TEXT = """int f(int *a, int n) {
int x = 0;
if (!a) return 0;
if (n == 3)
x = a[n];
return x;
}
int g(struct node *l) {
int *made = malloc(4);
if (!l) return 0;
free(made);
return l->key;
}
"""


def _wrong(tmp_path: Path, name: str, **said: Any) -> list[str]:
    start = (CHECKED + TYPES).count("\n")
    functions = {
        "f": Function("f", "int", (("int *", "a"), ("int", "n")), start + 1, start + 7),
        "g": Function("g", "int", (("struct node *", "l"),), start + 8, start + 13),
    }
    given = {
        "f": ["a != \\null ==> n >= 0", "a != \\null ==> \\valid(a + (0 .. n - 1))"],
        "g": ["l != \\null ==> \\valid(l)"],
    }
    file = tmp_path / "a.c"
    file.write_text(CHECKED + TYPES + TEXT)
    function = functions[name]
    proved = [("valid-deref", start + 5), ("valid-memtrack", start + 8), ("valid-deref", start + 12)]
    checks = [{"kind": kind, "line": line, "answer": "proved"} for kind, line in proved]
    entry = {"given": given[name], "requires": [], "assumed": [], "findings": [], "checks": checks, **said}
    calls = native(file, [(function, entry)])[name]
    told = list(wrong(function, entry, calls, file.read_text().splitlines()))
    return [one.replace(str(start + 5), "five").replace(str(start + 8), "eight") for one in told]


def test_what_is_proved_and_fails_is_wrong(tmp_path: Path) -> None:
    (told,) = _wrong(tmp_path, "f")
    assert told.startswith("f: valid-deref of line five is proved, and ")
    (told,) = _wrong(tmp_path, "g")
    assert told.startswith("g: valid-memtrack of line eight is proved, and ")


@pytest.mark.parametrize(("name", "required"), [("f", "n != 3"), ("g", "l != \\null")])
def test_calls_keep_what_is_required(tmp_path: Path, name: str, required: str) -> None:
    assert _wrong(tmp_path, name, requires=[{"text": required}]) == []


def test_a_finding_of_which_calls_pass_is_wrong(tmp_path: Path) -> None:
    finding = {"grade": "manifest", "why": "no call was found that passes", "precondition": ""}
    told = _wrong(tmp_path, "f", findings=[finding], requires=[{"text": "n != 3"}])
    assert told[0].startswith("f: no call was found that passes, and ")


def test_programs_of_seeds_are_the_same() -> None:
    assert Writer(random.Random(3)).program() == Writer(random.Random(3)).program()
