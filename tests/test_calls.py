"""Programs of several files: error functions of each, constructors of each, weak symbols of one."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterpoint

PREPARATIONS = ("default", "none")


def verdict(folder: Path, files: dict[str, str], prepare: str, property_: str = "unreach-call") -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [folder / name for name in files]
    result = counterpoint.check(*paths, property=property_, prepare=prepare, timeout=30.0, jobs=1)
    return "UNKNOWN" if result.outcome.value == "UNKNOWN" else result.verdict


@pytest.mark.parametrize("prepare", PREPARATIONS)
@pytest.mark.parametrize("bad", [0, 1])
def test_each_file_has_an_error_function_of_its_own(bad: int, prepare: str, tmp_path: Path) -> None:
    error = "static int calls; static void reach_error(void) { calls++; }\n"
    other = f"{error} void (*handler(int x))(void) {{ return x == {bad} ? reach_error : 0; }}"
    main = f"{error} void (*handler(int))(void); void none(void) {{}}"
    main += "int main(void) { void (*f)(void) = handler(1); if (!f) f = none; f(); if (calls) reach_error(); return 0; }"
    expected = "FALSE(unreach-call)" if bad else "TRUE"
    assert verdict(tmp_path, {"main.c": main, "other.c": other}, prepare) == expected
