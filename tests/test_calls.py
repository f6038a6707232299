"""Programs of several files: error functions of each, constructors of each, weak symbols of one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fresh
from counterpoint.core.errors import UnusableInput

PREPARATIONS = ("default", "none")


def verdict(folder: Path, files: dict[str, str], prepare: str, property_: str = "unreach-call") -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [folder / name for name in files]
    result = fresh.check(*paths, property=property_, prepare=prepare, timeout=30.0, jobs=1)
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


RESERVED = {
    "calls": "void __cp_assume(_Bool);\nint main(void) {\n    __cp_assume(0);\n    return 0;\n}\n",
    "defines": "\n\nint __cp_nondet_i32(unsigned n) { return 3; }\nint main(void) { return __cp_nondet_i32(0); }\n",
    "labels": '\n\nextern int odd(void) __asm__("__cp_odd");\nint main(void) { return odd(); }\n',
    "object": "\n\nint __cp_leaving;\nint main(void) { return __cp_leaving; }\n",
    "alias": '\n\nint x; extern int y __asm__("__cp_y") __attribute__((alias("x"))); int main(void) { return y; }\n',
    "static": "\n\nstatic void __cp_main(void) {}\nint main(void) { __cp_main(); return 0; }\n",
    "weak": "\n\nextern void __cp_stop(int) __attribute__((weak));\nint main(void) { return __cp_stop != 0; }\n",
    "pointer": "extern void __cp_free(void *);\n\nvoid (*f)(void *) = __cp_free;\nint main(void) { f(0); return 0; }\n",
}


@pytest.mark.parametrize("name", RESERVED)
def test_programs_cannot_use_names_of_the_checker(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(RESERVED[name])
    with pytest.raises(UnusableInput) as refused:
        fresh.check(tmp_path / "program.c", timeout=10.0, jobs=1)
    assert re.search(r"program\.c(:[1-4])?: the name __cp_\w+ belongs to the checker", str(refused.value))


def test_what_only_looks_like_a_name_of_the_checker(tmp_path: Path) -> None:
    source = 'struct __cp_s { int __cp_x; }; int main(void) { struct __cp_s s = {0}; const char *__cp_t = "@__cp_main(";'
    source += " return s.__cp_x + __cp_t[0] - __cp_t[0]; }"
    assert verdict(tmp_path, {"a.c": source}, "none") == "TRUE"
