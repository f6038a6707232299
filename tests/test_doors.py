"""What is handed in is data: results, names, `#line`, escapes; and the exit status when streams fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.documents import read_json, read_yaml
from counterpoint.core.errors import UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.source import SourceLocation
from counterpoint.core.version import version
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json
from counterpoint.report.lines import clean
from counterpoint.report.sarif import as_sarif
from counterpoint.report.terminal import lines_of

BUG = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { int n = __VERIFIER_nondet_int(); if (n == 7) reach_error(); return 0; }
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The result of a program with a bug, in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(BUG)
    Path("mark.sh").write_text(f"#!/bin/sh\ntouch {tmp_path}/STARTED\nexit 1\n")
    Path("mark.sh").chmod(0o755)
    Path("r.json").write_text(result_of_bug())
    capfd.readouterr()
    document: dict[str, Any] = json.loads(Path("r.json").read_text())
    return document


@cache
def result_of_bug() -> str:
    """Made once, in the first test's directory: nothing in it is of that."""
    assert run_command(["check", "p.c", "--engine", "bmc", "--json", "r.json"]) == 1
    text = Path("r.json").read_text()
    assert str(Path.cwd()) not in text
    return text


def refusal(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command(list(arguments)) == 2
    said = capfd.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1
    return said.err


# ---------------------------------------------------------------- results

DIFFERENCES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "compiler": (lambda r: r["compilation"].update(cc="./mark.sh"), "made with --cc ./mark.sh, not without --cc: give --cc ./mark.sh"),
    "defines": (lambda r: r["compilation"].update(defines=["A=1", "B"]), "made with -D A=1 -D B, not without -D: give -D A=1 -D B"),
    "includes": (lambda r: r["compilation"].update(include=["@x"]), "give -I @x"),
    "dialect": (lambda r: r["compilation"].update(std="c99 -o out"), "made with --std c99 -o out, not with --std gnu11"),
    "target": (lambda r: r["compilation"].update(target="i386-linux-musl"), "give --target i386-linux-musl"),
    "allocation": (lambda r: r["compilation"].update(malloc_may_fail=True), "give --malloc-may-fail"),
    "database": (lambda r: r["compilation"].update(compilation_database="/etc"), "give -p /etc"),
    "property": (lambda r: r.update(property="no-overflow"), "made with --property no-overflow, not with --property unreach-call"),
    "entry": (lambda r: r.update(entry="start"), "give --entry start"),
    "data model": (lambda r: r.update(data_model="ILP32"), "give --data-model ILP32"),
    "version": (lambda r: r["tool"].update(version="9.9"), f"made by version 9.9, this is {version()}"),
    "contents": (lambda r: r.update(digests=["00" * 32]), "p.c has other contents"),
    "files": (lambda r: r.update(files=["p.c", "/etc/passwd"], digests=[*r["digests"], "00"]), "is about 2 files"),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_result_made_elsewhere_is_refused(name: str, made: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    change, said = DIFFERENCES[name]
    change(made)
    Path("r.json").write_text(json.dumps(made))
    before = sorted(Path.cwd().iterdir())
    assert said in refusal(capfd, "replay", "p.c", "r.json")
    assert sorted(Path.cwd().iterdir()) == before


def test_a_result_names_no_files_to_read(made: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    assert "name the source files" in refusal(capfd, "replay", "r.json")


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "compilation": (lambda r: r.update(compilation=[]), "compilation is a list: expected an object"),
    "digits": (lambda r: r["counterexample"].update(check=10**4000), "check is a number of 13288 bits"),
    "width": (lambda r: r["counterexample"]["inputs"][0].update(bits=2**64), "bits is a number of 65 bits"),
    "no width": (lambda r: r["counterexample"]["inputs"][0].update(bits=-5), "bits is -5"),
    "too wide": (lambda r: r["counterexample"]["inputs"][0].update(value=2**32), "value is 4294967296"),
    "truth": (lambda r: r["counterexample"]["inputs"][0].update(site=True), "site is true"),
    "order": (lambda r: r["counterexample"]["inputs"][0].update(value=None, size=9, contents=[[3, 1], [1, 2]]), "contents[1][0] is 1"),
    "outside": (lambda r: r["counterexample"]["inputs"][0].update(value=None, size=9, contents=[[2**60, 1]]), "contents[0][0]"),
    "preparation": (lambda r: r["counterexample"].update(preparation="../x"), "preparation is `../x`: expected one of"),
    "inputs": (lambda r: r["counterexample"].update(inputs={}), "inputs is an object: expected a list"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_result_is_refused(name: str, made: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    change, said = BROKEN[name]
    change(made)
    Path("r.json").write_text(json.dumps(made))
    assert said in refusal(capfd, "replay", "p.c", "r.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "`a` occurs twice"), ('{"a": NaN}', "NaN"), ("9" * 5000, "5000 digits"), ("[" * 100_000, "nested"), ('{"a"', "is not JSON"), ("\ufeff{}", "JSON"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_data(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(UnusableInput, match=said):
        read_json(tmp_path / "r.json", "result", 1 << 20)


@pytest.mark.parametrize(
    "text",
    ["a: [" * 2000, "a: 1\na: 2\n", "? [x]\n: y\n", "a: *b\n", "&a [*a]", "a: \0\n", "a: &a [b,b,b,b,b,b,b,b,b]\n" + "".join(f"{n}: &{n} [{', '.join(['*' + o] * 9)}]\n" for o, n in zip("abcdefgh", "bcdefghi", strict=True))],
    ids=["deep", "twice", "key", "alias", "itself", "nul", "bomb"],
)  # fmt: skip
def test_yaml_that_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text(text)
    with pytest.raises(UnusableInput) as error:
        read_yaml(tmp_path / "t.yml", "task definition")
    assert "\n" not in str(error.value)


def test_tags_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text("a: !!int zz\nb: !!python/object/apply:os.getcwd []\n")
    assert read_yaml(tmp_path / "t.yml", "task definition").value == {"a": "zz", "b": []}


# ---------------------------------------------------------------- files


def test_names_like_options_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("@p.c", "-p.c"):
        Path(name).write_text(BUG)
    Path("p.c").write_text("-o written")
    Path("t.yml").write_text("format_version: '2.0'\ninput_files: '@p.c'\n")
    before = sorted(tmp_path.iterdir())
    for named in ("@p.c", "-p.c", "t.yml"):
        assert run_command(["check", "--engine", "bmc", "--quiet", "--", named]) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero", "/proc/self/mem", "directory"])
def test_what_is_no_regular_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(kind)
    with pytest.raises(UnusableInput, match=r"p\.c: "):
        source_task(Request((path,)))


def test_only_lines_of_compiled_files_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret").write_text("the secret\n" * 9)
    os.mkfifo("pipe")
    Path("shared.h").write_text("static void fails(void) { reach_error(); }\n")
    for name in ("secret", "/proc/self/environ", "pipe", "/dev/zero"):
        Path("p.c").write_text(f'extern void reach_error(void);\n#include "shared.h"\n#line 2 "{name}"\nint main(void) {{\n int x = 1;\n fails(); return x; }}\n')
        assert run_command(["check", "p.c", "--engine", "bmc", "--json", "r.json", "--html", "r.html", "--sarif", "r.sarif"]) == 1
        said = capfd.readouterr().out + Path("r.html").read_text() + Path("r.json").read_text() + Path("r.sarif").read_text()
        assert "the secret" not in said and "PATH=" not in said
        assert "static void fails(void)" in said


def test_no_code_of_the_program_is_the_library_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("<libc>/string.c", "<libc>.c", "own/a<libc>/b.c"):
        Path("p.c").write_text(f'#line 1 "{name}"\n{BUG}')
        assert "<libc>" in refusal(capfd, "check", "p.c")
    Path("p.c").write_text(BUG.replace("int n", 'const char *s = "<libc>"; int n'))
    assert run_command(["check", "p.c", "--engine", "bmc", "--quiet"]) == 1


# ---------------------------------------------------------------- what is shown

BASE = CheckResult(Outcome.UNKNOWN, "unreach-call", ("p.c",), "LP64", "main", reason="OUT_OF_TIME")


@pytest.mark.parametrize("text", ["\x1b[31m", "\x9b31m", "\x07", "\u202e", "\u2066", "\u200b", "\ufeff", "\r", "\n", "\x7f", "\udc9b", "\u3164"])
def test_nothing_that_a_terminal_obeys(text: str) -> None:
    assert shown(text).isprintable() and shown(text) != text
    result = replace(BASE, files=(f"{text}.c",), detail=f"a{text}b", advice=(text,), assumptions=(text,), crash_reports=(text,))
    lines = ["".join(piece for piece, _ in clean(line)) for line in lines_of(result, verbose=True)]
    told = [*lines, *as_html(result).split("\n"), *as_json(result).split("\n"), *as_sarif(result).split("\n")]
    assert all(line.isprintable() for line in told)


def test_letters_of_any_script_stay() -> None:
    assert shown("größe 名前\tπ") == "größe 名前 π"


def test_long_lines_are_cut() -> None:
    lines = list(map(clean, lines_of(replace(BASE, detail="x" * 100_000))))
    assert max(sum(len(text) for text, _ in line) for line in lines) < 1100


def test_uris_are_encoded() -> None:
    at = SourceLocation("ü/p 1%#.c", 3)
    (artifact,) = json.loads(as_sarif(replace(BASE, files=(at.file,))))["runs"][0]["artifacts"]
    assert artifact["location"]["uri"] == "%C3%BC/p%201%25%23.c"
    (artifact,) = json.loads(as_sarif(replace(BASE, files=("/a b\udcff.c",))))["runs"][0]["artifacts"]
    assert artifact["location"]["uri"] == "file:///a%20b%FF.c"


# ---------------------------------------------------------------- streams

STREAMS = {
    "full": (">/dev/full", 2, "No space left"), "closed": (">&-", 2, "cannot be written"), "no reader": ("| head -c 0", 2, "Broken pipe"),
    "none": (">&- 2>&- <&-", 2, ""), "stderr full": (">/dev/null 2>/dev/full", 1, ""), "no stderr": (">/dev/null 2>&-", 1, ""), "no stdin": (">/dev/null <&-", 1, ""),
}  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", STREAMS)
def test_a_verdict_that_cannot_be_written_is_none(name: str, tmp_path: Path) -> None:
    redirected, status, said = STREAMS[name]
    (tmp_path / "p.c").write_text(BUG)
    check = f"{sys.executable} -m counterpoint check p.c --engine bmc --quiet"
    script = f"(sleep 1; {check}; echo $? >status) {redirected}" if redirected[0] == "|" else f"{check} {redirected}; echo $? >status"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "status").read_text() == f"{status}\n"
    assert said in done.stderr and len(done.stderr.splitlines()) == (1 if said else 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.c", "status"]


def test_symbols_with_a_nul_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """LLVM would end the process on reading one."""
    monkeypatch.chdir(tmp_path)
    for declared in ('int g asm("a\\0b") = 3;', 'int g(void) asm("\\0"); int g(void) { return 3; }', 'extern int g asm("g\\0");'):
        Path("p.c").write_text(f"{declared}\nint main(void) {{ return sizeof(g) + (&g != 0); }}\n")
        assert "NUL" in refusal(capfd, "check", "p.c")
    Path("p.c").write_text('int g asm("a b") = 3; const char *s = "a\\0b"; int main(void) { return g + *s; }\n')
    assert run_command(["check", "p.c", "--engine", "bmc", "--quiet"]) == 0
