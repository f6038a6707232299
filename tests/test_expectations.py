"""Files that say what the answer must be: the lines, the pytest plugin, the command; the action, the hooks, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from counterpoint.cli.command import run_command
from counterpoint.projects.expectations import CASES, FLAGS, LISTS, WITH, Answer, BadExpectation, cases_of
from documents import ROOT

SOURCE = ROOT / "src"
GOOD = "// expect: TRUE engine=bmc timeout=60\nint main(void) { return 0; }\n"
BAD = "// expect: FALSE(unreach-call) engine=bmc\n#include <assert.h>\nint main(void) { assert(1); }\n"


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_lines(tmp_path: Path) -> None:
    text = """// expect: FALSE(valid-deref) or UNKNOWN property=memory-safety model=LP64,ILP32 define=A,B=2 include=inc with=b.c
    //expect: TRUE
// a remark, behind which nothing is expected
// expect: FALSE
"""
    first, second, third = cases_of(written(tmp_path, "a.c", text))
    assert first.verdicts == ("FALSE(valid-deref)", "UNKNOWN") and third.verdicts == ("TRUE",)
    assert (first.line, second.line, third.line) == (1, 1, 2)
    words = " ".join(second.arguments()).replace(f"{tmp_path}/", "")
    assert words == "a.c --property memory-safety --data-model ILP32 -D A -D B=2 -I inc b.c"
    assert len({one.name for one in (first, second, third)}) == 3
    assert cases_of(written(tmp_path, "none.c", "int main(void) {}\n")) == ()
    assert cases_of(written(tmp_path, "bytes.c", "\xff\x00")) == ()


@pytest.mark.parametrize("line", ["TRUE or", "true", "FALSE()", "", "TRUE speed=9", "MAYBE", "TRUE FALSE"])
def test_lines_that_are_wrong(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadExpectation, match=r"a\.c:1: .*(write|there is)"):
        cases_of(written(tmp_path, "a.c", f"// expect: {line}\n"))


def test_answers() -> None:
    assert Answer("FALSE(valid-deref)", "").is_one_of(["TRUE", "FALSE"])
    assert Answer("UNKNOWN(OUT_OF_TIME)", "").is_one_of(["UNKNOWN"])
    assert not Answer("FALSE(valid-deref)", "").is_one_of(["FALSE(valid-free)"])
    assert not Answer("UNKNOWN(INTERNAL_ERROR)", "").is_one_of(["UNKNOWN"])
    assert not Answer("", "refused").is_one_of(["TRUE", "FALSE", "UNKNOWN"])


def test_options_are_those_of_the_command() -> None:
    from counterpoint.cli.check import command

    known = {name for param in command.params for name in param.opts}
    assert {*FLAGS.values(), *LISTS.values()} <= known
    assert set(CASES) <= set(FLAGS) and WITH not in FLAGS


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "counterpoint.pytest_plugin", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


def test_the_plugin(tmp_path: Path) -> None:
    written(tmp_path, "good.c", GOOD)
    written(tmp_path, "bad.c", BAD)
    written(tmp_path, "wrong.c", "// expect: MAYBE\n")
    written(tmp_path, "nothing.c", "this is no C\n")
    written(tmp_path, "test_a.py", "def test_a():\n    pass\n")
    assert "1 passed" in pytest_in(tmp_path).stdout.strip().split("\n")[-1]
    written(tmp_path, "pytest.ini", "[pytest]\ncounterpoint = true\ncounterpoint_options = --jobs 1 --no-proof-runs\n")
    ran = pytest_in(tmp_path, "--continue-on-collection-errors")
    assert ran.stdout.strip().split("\n")[-1].startswith("====") and ran.returncode == 1
    assert "1 failed, 2 passed, 1 error" in ran.stdout
    assert "expected FALSE(unreach-call)" in ran.stdout and "VERDICT: TRUE" in ran.stdout
    assert "wrong.c:1: `MAYBE` is no verdict" in ran.stdout and "Traceback" not in ran.stdout


def test_the_plugin_costs_nothing_unused(tmp_path: Path) -> None:
    code = "import sys, counterpoint.pytest_plugin; print(sorted(n for n in sys.modules if n.startswith('counterpoint')))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert said.stdout.strip() == "['counterpoint', 'counterpoint.pytest_plugin']"


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"good.c": Answer("TRUE", "VERDICT: TRUE"), "bad.c": Answer("", "counterpoint: \x1b[31mred")}
    monkeypatch.setattr("counterpoint.projects.expectations.answer", lambda case, more: said[case.file.name])
    good, bad = written(tmp_path, "good.c", GOOD), written(tmp_path, "bad.c", BAD)
    assert run_command(["expect", str(good), str(written(tmp_path, "none.c", ""))]) == 0
    assert capfd.readouterr().out.endswith("EXPECTED: 1 of 1\n")
    assert run_command(["expect", "-q", str(good), str(bad)]) == 1
    out = capfd.readouterr().out
    assert "WRONG: FALSE(unreach-call)-bmc" in out and "\x1b" not in out and "as expected" not in out
    assert run_command(["expect", str(written(tmp_path, "a.c", "// expect: YES\n"))]) == 2
    assert run_command(["expect", str(tmp_path / "gone.c")]) == 2
    assert len(capfd.readouterr().err.strip().split("\n")) == 2


# ---------------------------------------------------------------- what other programs read


def hook_entries() -> list[str]:
    return [hook["entry"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())]


def test_hooks_name_commands() -> None:
    from counterpoint.cli.command import _SUBCOMMANDS

    assert [entry.split()[:1] + entry.split()[1:2] for entry in hook_entries()] == [
        ["counterpoint", "expect"], ["counterpoint", "check"],
    ]  # fmt: skip
    assert {entry.split()[1] for entry in hook_entries()} <= _SUBCOMMANDS.keys()


@pytest.mark.parametrize(
    ("status", "unknown", "options", "files", "ended", "words"),
    [
        (0, "warn", "", "a.c\n  b c.c\n", 0, ["check", "a.c", "b c.c"]),
        (1, "warn", "--property 'a b' -D \"X=1 2\"", "", 1, ["check", "--property", "a b", "-D", "X=1 2"]),
        (3, "warn", "-p build", "", 0, ["check", "-p", "build"]),
        (3, "fail", "-p build", "", 3, ["check", "-p", "build"]),
        (2, "warn", "", "$(touch no);`id`", 2, ["check", "$(touch no);`id`"]),
        (0, "maybe", "", "a.c", 2, None),
    ],
)
def test_the_action(
    tmp_path: Path, status: int, unknown: str, options: str, files: str, ended: int, words: list[str] | None
) -> None:
    (step,) = [one for one in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if one.get("id")]
    fake = written(tmp_path, "counterpoint", f'#!/bin/sh\nprintf "%s\\n" "$@" > words\necho VERDICT: X\nexit {status}\n')
    fake.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "FILES": files, "OPTIONS": options, "UNKNOWN": unknown,
        "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out"),
    }  # fmt: skip
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == ended, ran.stderr
    if words is None:
        assert not (tmp_path / "words").exists()
        return
    assert (tmp_path / "words").read_text().split("\n")[:-1] == words
    assert (tmp_path / "out").read_text() == f"status={status}\nverdict=VERDICT: X\n"
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("words", "position", "wanted"),
    [("counterpoint ha", 1, "harness"), ("counterpoint harness --mo", 2, "--most")],
)
def test_completion(words: str, position: int, wanted: str) -> None:
    environment = {
        **os.environ, "PYTHONPATH": str(SOURCE), "_COUNTERPOINT_COMPLETE": "bash_complete", "COMP_WORDS": words,
        "COMP_CWORD": str(position),
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-m", "counterpoint"], capture_output=True, text=True, env=environment)
    assert wanted in ran.stdout and ran.returncode in (0, 1) and not ran.stderr
