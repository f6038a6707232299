"""Assertions and loop invariants of comments as checks: what cannot be asked for is refused, results say how they were
made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fuzz_places
from counterpoint.cli.command import run_command
from fuzz_conditions import compiler, round_of

Capture = pytest.CaptureFixture[str]

REFUSED = {
    r"\forall integer k; k > 0": "it has a quantifier",
    "f(1) > 0": "`f`, which has no meaning in C",
    "i / s > 0": "divided by",
    "i << s > 0": "amount of a shift",
    "p + 1 > p": "computes with integers",
    "*p++ > 0": "`++`",
    "unknown > 1": "`unknown` is not declared",
    "i = 3": "`=`",
    "i * i * i * i > 0": "256 bits",
    "__counterpoint_x > 0": "the checker's own",
    "NEXT > 0": "`NEXT` is a macro, and no constant",
    r"\result > 0": r"`\result` means nothing here",
    "i > 0 //": "`;` is missing",
    "i >> 256 > 0": "256 or more",
    "wide > 0": "too wide",
    "$next > 0": "`$next` is a macro, and no constant",
    "é > 0": "`é` is a macro, and no constant",
    "ä > 0": "`ä` is not declared",
    "i < s > 0": "do not go one way",
    "i != s != 0": "do not go one way",
}


QUICK = ("--engine", "bmc", "--jobs", "1", "--no-proof-runs")
"""The programs are small, and few have loops: one engine decides them."""


def asked(capfd: Capture, *words: object, how: str = "checks") -> tuple[int, str]:
    quick = QUICK if words[0] == "check" and "--engine" not in words else ()
    status = run_command([*map(str, words), *quick, "--annotations", how])
    said = capfd.readouterr()
    return status, said.out + said.err


@pytest.mark.parametrize("condition", REFUSED)
def test_what_has_no_check_is_refused_in_one_line(condition: str, tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "f.c"
    head = "#define NEXT i++\n#define $next i++\n#define é i++\nint f(int);\nint main(int argc, char **argv) { int i = argc, s = 1; int *p = &i; __int128 wide = i;\n"
    file.write_text(f"{head}//@ assert {condition};\nreturn s - 1; }}\n")
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == 2
    assert REFUSED[condition] in said and len(said.splitlines()) == 1 and f"{file}:" in said


def test_names_have_all_letters_that_clang_takes(tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "f.c"
    file.write_text(
        "#define a$b 4\nint é;\nint main(void) { int x$do = a$b;\n//@ assert x$do == a$b && é == 0;\né = x$do;\n"
        "//@ assert é == 4;\nreturn 0; }\n"
    )
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == 0, said


@pytest.mark.parametrize(
    "code",
    [
        "if (i)\n//@ assert i;\nelse i = 2;",
        "int a[2] = {\n//@ assert i;\n1, 2};",
        "for (;\n//@ assert i;\ni;) {}",
        "//@ loop invariant i;\ni = 3;",
        "//@ loop invariant i;\ndo i = 3; while (0);",
    ],
)
def test_a_place_without_a_statement_is_refused(code: str, tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "f.c"
    file.write_text(f"int main(void) {{ int i = 1; {code}\nreturn 0; }}\n")
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == 2 and "cannot be checked" in said


def test_a_result_says_that_annotations_are_checks(tmp_path: Path, capfd: Capture) -> None:
    file, kept = tmp_path / "f.c", tmp_path / "r.json"
    file.write_text("int main(int argc, char **argv) {\n//@ assert argc < 3;\nreturn 0; }\n")
    status, said = asked(capfd, "check", file, "--no-cache", "--json", kept)
    assert status == 1 and "`assert argc < 3 (line 3)` does not hold" in said
    assert json.loads(kept.read_text())["compilation"]["annotations"] == "checks"
    status, said = asked(capfd, "replay", file, kept, how="candidates")
    assert status == 2 and "--annotations" in said
    status, said = asked(capfd, "replay", file, kept)
    assert status == 1, said


def test_headers_beside_the_file_are_found(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "limits_of_ours.h").write_text("#define MOST 4\n")
    file = tmp_path / "f.c"
    file.write_text('#include "limits_of_ours.h"\nint main(void) { int i = 3;\n//@ check i < MOST;\nreturn 0; }\n')
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == 0, said


def test_lines_that_are_called_otherwise(tmp_path: Path, capfd: Capture) -> None:
    """`#line` takes no assertion away, and lines of directives may end as anywhere."""
    file = tmp_path / "f.c"
    text = (
        '#line 100 "other.h"\ntypedef unsigned char u8;\nint main(void) { u8 a = 200;\n'
        "//@ assert (u8)(a + a) == 1;\nreturn 0; }\n"
    )
    others = text.replace("\n", "\r\n"), text.replace("#line", "#"), text.replace("(u8)(a + a) == 1", "a == 1")
    for written in (text, *others):
        file.write_bytes(written.encode())
        status, said = asked(capfd, "check", file, "--no-cache")
        assert status == 1 and "does not hold" in said, said
    file.write_bytes(text.replace("== 1;", "== 144;").encode())
    assert asked(capfd, "check", file, "--no-cache")[0] == 0


VALUES = {
    "(i != 9 ? 5 : 7) == 5": True,
    "(i != 9 ? 5 : 7) == 1": False,
    "(i == 9 ? i : -1) < u": True,
    "i == s == 1": True,
    "t == t == 1": False,
    "i < t == 2 <= 3": True,
    "i == 9 ==> s != 9 ? i == 9 : i == 1": False,
    "i == 1 ==> s != 9 ? i == 1 : i == 9": True,
}


@pytest.mark.parametrize("condition", VALUES)
def test_conditions_mean_what_acsl_says(condition: str, tmp_path: Path, capfd: Capture) -> None:
    """Numbers that are chosen, chains of comparisons, and what `?` binds."""
    file = tmp_path / "f.c"
    declared = "int i = 1, s = 1, t = 2; unsigned u = 0;"
    file.write_text(f"int main(void) {{ {declared}\n//@ assert {condition};\nreturn 0; }}\n")
    assert asked(capfd, "check", file, "--no-cache")[0] == (0 if VALUES[condition] else 1)


@pytest.mark.parametrize("clause", ["for some: assert i == 1;", "invariant i == 1;"])
def test_no_clause_is_passed_over_in_silence(clause: str, tmp_path: Path, capfd: Capture) -> None:
    """Those of a behavior, and invariants of no loop."""
    file = tmp_path / "f.c"
    file.write_text(f"int main(void) {{ int i = 1;\n//@ {clause}\nreturn 0; }}\n")
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == 2 and "cannot be checked" in said


def test_checks_of_headers_are_refused(tmp_path: Path, capfd: Capture) -> None:
    header, file = tmp_path / "step.h", tmp_path / "f.c"
    text = "/*@ requires x > 0; */ static int step(int x) {\n%s return x; }\n"
    file.write_text('#include "step.h"\nint main(void) { return step(0); }\n')
    for comment, wanted in (("//@ assert x;\n", 2), ("", 0), ("#if 0\n//@ assert x;\n#endif\n", 0)):
        header.write_text(text % comment)
        status, said = asked(capfd, "check", file, "--no-cache")
        assert status == wanted, said


PLACES = {
    "#line 100\n//@ assert i == 2;\n;": 1,
    "#line LINE\n//@ assert i == 2;\n;": 1,
    "#if 0\n#line 9\n#endif\n//@ assert i == 2;\n;": 1,
    "#line 9\n#if 0\n//@ assert i == 2;\n#endif\n#line 9\ni = 1; i = 1;\ni = 1;\ni = 1;": 0,
    "TWICE({ i = 1;\n//@ assert i == 2;\ni = 3; })": 2,
    "#if 1\n#endif //@ assert i == 2;\n;": 2,
    "#if 0\n#define OTHER //@ assert i == 2;\n#endif\n;": 0,
    "#define NEXT (i++)\n//@ assert NEXT == 1;\n;\n#undef NEXT\n#define NEXT 1\n": 2,
    "// text \\\n//@ assert i == 2;\n;": 0,
    "float f = 16777216; int n = 16777217;\n//@ assert f == n;\n;": 1,
    "float f = 3; unsigned n = 3;\n//@ assert f == n && n < 3.5f + 0 == 0;\n;": 2,
    "float f = 3; unsigned n = 3;\n//@ assert f == n && f <= 'a' && -1 < n;\n;": 0,
    "double d = i; long n = i;\n//@ assert d == n;\n;": 2,
}


@pytest.mark.parametrize("code", PLACES)
def test_nothing_hides_an_assertion(code: str, tmp_path: Path, capfd: Capture) -> None:
    """Neither `#line`, nor macros, nor that C would compare other numbers."""
    file = tmp_path / "f.c"
    file.write_text(f"#define TWICE(x) x\n#define LINE 50\nint main(void) {{ int i = 1;\n{code}\nreturn 0; }}\n")
    status, said = asked(capfd, "check", file, "--no-cache")
    assert status == PLACES[code], said


@pytest.mark.parametrize("seed", range(6))
def test_random_places(seed: int, tmp_path: Path) -> None:
    """Native runs of the copy agree with checks that are written by hand."""
    assert not fuzz_places.round_of(seed, tmp_path, compiler(tmp_path / "asked.c"))[1]


def test_random_conditions(tmp_path: Path) -> None:
    """Native runs of the copy agree with numbers that have no bounds."""
    count, wrong = round_of(1, tmp_path, compiler(tmp_path / "asked.c"))
    assert count > 100 and not wrong
