"""Benchmark runs: collecting questions, judging, scoring, comparing, limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from counterpoint.benchmarking.execution import execute
from counterpoint.benchmarking.rows import Kind, Row, kind_of
from counterpoint.benchmarking.runner import Suite, read_rows
from counterpoint.benchmarking.side_by_side import read_runs, side_by_side_lines
from counterpoint.benchmarking.tables import comparison_lines, report_lines
from counterpoint.benchmarking.tasks import BenchTask, collect
from counterpoint.benchmarking.tools import other_tool, verdict_in
from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.processes import descendants

UNREACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
OVERFLOW = "CHECK( init(main()), LTL(G ! overflow) )\n"
TERMINATION = "CHECK( init(main()), LTL(F end) )\n"
BUG = "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n"


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two families, one set with a pattern, properties."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("unreach", UNREACH), ("overflow", OVERFLOW), ("termination", TERMINATION)):
        (tmp_path / f"{name}.prp").write_text(text)
    for family in ("one", "two"):
        folder = tmp_path / family
        folder.mkdir()
        for name, expected in (("a", "true"), ("b", "false")):
            (folder / f"{name}.c").write_text(BUG)
            (folder / f"{name}.yml").write_text(
                f"format_version: '2.0'\ninput_files: {name}.c\nproperties:\n"
                f"  - property_file: ../unreach.prp\n    expected_verdict: {expected}\n"
                "options: {language: C, data_model: LP64}\n"
            )
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "all.set").write_text("# both\n../one/*.yml\n../two/a.yml\n../two/a.yml\n")
    return tmp_path


def test_collecting(tasks: Path) -> None:
    found = collect([tasks / "sets" / "all.set"])
    assert [task.name for task in found] == ["one/a", "one/b", "two/a"]
    assert [task.expected for task in found] == [True, False, True]
    assert found[0].family == "one" and found[0].data_model == "LP64" and found[0].property == "unreach-call"
    assert len(collect([tasks])) == 4
    assert len(collect([tasks, tasks / "one" / "a.yml"])) == 4
    assert len(collect([tasks / "two" / "b.yml"])) == 1


def test_collecting_plain_files(tasks: Path) -> None:
    """They state no verdict, and are about unreach-call on the host's data model if nothing else is asked for."""
    (found,) = collect([tasks / "one" / "a.c"])
    assert (found.name, found.property, found.expected, found.data_model) == ("one/a.c", "unreach-call", None, "LP64")
    assert collect([tasks / "one" / "a.c"], "no-overflow")[0].property == "no-overflow"
    with pytest.raises(UnusableInput, match=r"none\.c: no such file"):
        collect([tasks / "none.c"])


def test_collecting_several_properties(tasks: Path) -> None:
    (tasks / "one" / "a.yml").write_text(
        "format_version: '2.0'\ninput_files: a.c\nproperties:\n"
        "  - {property_file: ../unreach.prp, expected_verdict: false}\n"
        "  - {property_file: ../overflow.prp, expected_verdict: true}\n"
        "  - {property_file: ../termination.prp, expected_verdict: true}\n"
    )
    found = collect([tasks / "one" / "a.yml"])
    assert [(task.property, task.expected) for task in found] == [
        ("unreach-call", False),
        ("no-overflow", True),
        ("termination", None),
    ]
    assert [task.property for task in collect([tasks / "one"], "no-overflow")] == ["no-overflow"]


@pytest.mark.parametrize(("path", "said"), [("nowhere.set", "no such"), ("unreach.prp", "expected a .set")])
def test_collecting_nothing(tasks: Path, path: str, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        collect([tasks / path])


def test_patterns_that_match_nothing(tasks: Path) -> None:
    (tasks / "sets" / "none.set").write_text("../three/*.yml\n")
    with pytest.raises(UnusableInput, match=r"none\.set:1"):
        collect([tasks / "sets" / "none.set"])


def task(expected: bool | None, subproperty: str = "") -> BenchTask:
    return BenchTask(Path("t.yml"), "f/t", "f", "memory-safety", expected, subproperty)


@pytest.mark.parametrize(
    ("expected", "subproperty", "verdict", "kind"),
    [
        (True, "", "TRUE", Kind.CORRECT),
        (True, "", "FALSE(valid-deref)", Kind.WRONG),
        (False, "", "TRUE", Kind.WRONG),
        (False, "", "FALSE(valid-deref)", Kind.CORRECT),
        (False, "valid-free", "FALSE(valid-deref)", Kind.WRONG),
        (False, "valid-free", "FALSE(valid-free)", Kind.CORRECT),
        (False, "valid-free", "FALSE", Kind.CORRECT),
        (True, "", "UNKNOWN(OUT_OF_TIME)", Kind.UNKNOWN),
        (None, "", "TRUE", Kind.UNSCORED),
        (True, "", "REFUSED", Kind.REFUSED),
        (True, "", "ERROR(internal)", Kind.ERROR),
        (True, "", "", Kind.ERROR),
    ],
)
def test_judging(expected: bool | None, subproperty: str, verdict: str, kind: Kind) -> None:
    assert kind_of(task(expected, subproperty), verdict) is kind


def row(name: str, verdict: str, kind: Kind, seconds: float = 1.0, expected: bool = True) -> Row:
    family = name.split("/")[0]
    return Row("counterpoint", name, family, "unreach-call", expected, "", verdict, kind, seconds, 0)


def test_scores() -> None:
    scores = {
        ("TRUE", Kind.CORRECT): 2,
        ("FALSE(unreach-call)", Kind.CORRECT): 1,
        ("TRUE", Kind.WRONG): -32,
        ("FALSE(unreach-call)", Kind.WRONG): -16,
        ("UNKNOWN(OUT_OF_TIME)", Kind.UNKNOWN): 0,
        ("REFUSED", Kind.REFUSED): 0,
    }
    for (verdict, kind), score in scores.items():
        assert row("f/t", verdict, kind).score == score


def text(lines: object) -> str:
    return "\n".join("".join(piece for piece, _ in line) for line in lines)  # type: ignore[attr-defined]


def test_tables() -> None:
    rows = [
        row("one/a", "TRUE", Kind.CORRECT, 0.5),
        row("one/b", "FALSE(unreach-call)", Kind.CORRECT, 7.25, expected=False),
        row("two/a", "TRUE", Kind.WRONG, expected=False),
        row("two/b", "UNKNOWN(OUT_OF_TIME)", Kind.UNKNOWN),
    ]
    shown = text(report_lines(rows))
    lines = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert lines["one"][:3] == ["2", "1", "1"]
    assert lines["two"][:4] == ["2", "0", "0", "1"]
    assert "-29" in shown  # 2 + 1 - 32
    assert "1  UNKNOWN(OUT_OF_TIME)" in shown
    assert "WRONG" in shown and "two/a" in shown and "expected FALSE" in shown
    assert "7.2 s  one/b" in shown


def test_comparison() -> None:
    old = [
        row("f/lost", "TRUE", Kind.CORRECT),
        row("f/gained", "UNKNOWN(OUT_OF_TIME)", Kind.UNKNOWN),
        row("f/slow", "TRUE", Kind.CORRECT, 1.0),
        row("f/absent", "TRUE", Kind.CORRECT),
    ]
    new = [
        row("f/lost", "UNKNOWN(OUT_OF_TIME)", Kind.UNKNOWN),
        row("f/gained", "TRUE", Kind.CORRECT),
        row("f/slow", "TRUE", Kind.CORRECT, 9.0),
        row("f/new", "TRUE", Kind.WRONG),
    ]
    shown = text(comparison_lines(old, new))
    assert "3 common questions" in shown
    for title in ("lost: 1", "gained: 1", "more than twice as slow: 1"):
        assert title in shown
    assert "newly wrong" not in shown
    false = row("f/lost", "FALSE(unreach-call)", Kind.WRONG)
    assert "contradicting answers: 1" in text(comparison_lines(old, [false]))
    assert "newly wrong: 1" in text(comparison_lines(new[:1], [row("f/lost", "TRUE", Kind.WRONG)]))


def runs_from(table: dict[str, dict[str, tuple[str, float]]]) -> dict[str, dict[tuple[str, str], Row]]:
    """By name and task: the verdict and the seconds; all are expected to be true."""
    kinds = {"TRUE": Kind.CORRECT, "FALSE": Kind.WRONG}
    return {
        name: {
            (task, "unreach-call"): row(task, verdict, kinds.get(verdict, Kind.UNKNOWN), seconds)
            for task, (verdict, seconds) in answers.items()
        }
        for name, answers in table.items()
    }


def test_side_by_side() -> None:
    none = ("UNKNOWN(OUT_OF_TIME)", 30.0)
    runs = runs_from(
        {
            "auto": {"f/a": ("TRUE", 2.0), "f/b": ("TRUE", 9.0), "g/c": none, "g/d": none},
            "bmc": {"f/a": ("TRUE", 1.0), "f/b": none, "g/c": ("FALSE", 1.0), "g/d": none},
            "houdini": {"f/a": ("TRUE", 3.0), "f/b": ("TRUE", 2.0), "g/c": ("TRUE", 5.0), "g/d": none, "g/e": none},
        }
    )
    shown = text(side_by_side_lines(runs))
    lines = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert "4 common questions" in shown
    assert lines["bmc"] == ["1", "1", "0", "1", "0", "1"]
    assert lines["houdini"] == ["3", "3", "0", "0", "2", "10"]
    assert lines["virtual"] == ["best", "3", "8"]
    assert lines["f"] == ["2", "2", "1", "2", "2"] and lines["g"] == ["2", "0", "0", "1", "1"]
    assert "only houdini decides  (2)" in shown and "only bmc" not in shown
    assert "decides 2 of the 3 that they decide together: 66.7%" in shown
    assert "11 s on those; the best of each 3 s; 2 times that and 1 s each: 8 s" in shown
    assert "slow  f/b: 2.0 s -> 9.0 s" in shown and "slow  f/a" not in shown
    assert "lost  g/c: UNKNOWN(OUT_OF_TIME), decided by houdini" in shown


def test_files_of_runs_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for engine in ("auto", "random"):
        suite = Suite({"engine": engine}, (tmp_path / f"{engine}.json").write_text)  # type: ignore[arg-type]
        answer = row("f/t", "TRUE" if engine == "auto" else "UNKNOWN(NO_PROGRESS)", Kind.CORRECT)
        suite.rows[answer.key] = answer
        (tmp_path / f"{engine}.json").write_text(suite.text())
    files = [tmp_path / "auto.json", tmp_path / "random.json", tmp_path / "random.json"]
    assert list(read_runs(files)) == ["auto", "random", "random: random"]
    assert run_command(["bench", *map(str, files[:2])]) == 0
    assert "1 common questions" in capsys.readouterr().out
    assert run_command(["bench", str(tmp_path / "none.json")]) == 2


# ---------------------------------------------------------------- running


def test_limits_kill_everything() -> None:
    started = time.monotonic()
    code = "import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)"
    run = execute([sys.executable, "-c", code], -2.5, threading.Event())
    assert run.killed and run.status == -signal.SIGKILL
    assert time.monotonic() - started < 3
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    assert execute(["sleep", "60"], 60, stop).killed
    assert time.monotonic() - started < 5


def test_output_of_a_command() -> None:
    run = execute(["sh", "-c", "echo out; echo err >&2; exit 7"], 5, threading.Event())
    assert (run.stdout, run.stderr, run.status, run.killed) == ("out\n", "err\n", 7, False)


def test_suite_saves_valid_files_and_resumes(tasks: Path) -> None:
    questions = collect([tasks])
    asked: list[str] = []

    def tool(question: BenchTask, stop: threading.Event) -> Row:
        asked.append(question.name)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return row(question.name, "TRUE", Kind.CORRECT)

    target = tasks / "out.json"
    suite = Suite({"timeout": 1}, target.write_text)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        suite.run({"counterpoint": tool}, questions, 1, lambda row, done, total: None)
    rows = read_rows(target)
    assert [key[1] for key in rows] == ["one/a", "one/b"]
    again = Suite({}, target.write_text, dict(rows))  # type: ignore[arg-type]
    asked.clear()
    asked.extend(["-"] * 5)
    again.run({"counterpoint": tool}, questions, 2, lambda row, done, total: None)
    assert sorted(asked[5:]) == ["two/a", "two/b"]
    assert len(read_rows(target)) == 4


@pytest.mark.parametrize(
    "contents", ["", "{}", "[]", '{"format": 77, "rows": []}', '{"format": 1, "rows": [{}]}']
)
def test_files_that_are_no_bench_results(contents: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(contents)
    with pytest.raises(UnusableInput, match=r"x\.json"):
        read_rows(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ("noise\nVERDICT: TRUE\n", "TRUE"),
        ("VERDICT: FALSE(valid-deref)\n", "FALSE(valid-deref)"),
        ("RESULT: false(unreach-call)\n", "FALSE(unreach-call)"),
        ("Verification result: TRUE. No property violation\nMore details\n", "TRUE"),
        ("** 1 of 3 failed\nVERIFICATION FAILED\n", "FALSE"),
        ("VERIFICATION SUCCESSFUL\n", "TRUE"),
        ("it is unknown\n", "UNKNOWN"),
        ("", "ERROR(no verdict)"),
    ],
)
def test_verdicts_of_other_tools(output: str, verdict: str) -> None:
    assert verdict_in(output) == verdict


def test_another_tool(tasks: Path) -> None:
    (question,) = collect([tasks / "one" / "b.yml"])
    tool = other_tool("sh -c 'test -f $0 && echo false' {file}", 5, 1 << 30)
    answer = tool(question, threading.Event())
    assert (answer.tool, answer.verdict, answer.kind) == ("sh", "FALSE", Kind.CORRECT)
    with pytest.raises(UnusableInput, match="file"):
        other_tool("sh", 5, 1 << 30)


def test_bench_end_to_end(tasks: Path, capfd: pytest.CaptureFixture[str]) -> None:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        options = ["--engine", "random", "--timeout", "10", "--json", "out.json", "--alone", "bmc"]
        status = run_command(["bench", "one", *options, "--tool", "echo {file} TRUE"])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    out = capfd.readouterr().out
    assert status == 1  # one/a has a wrong label
    assert "WRONG" in out and "echo: by family" in out and "bmc: by family" in out
    assert "2 common questions" in out
    document = json.loads((tasks / "out.json").read_text())
    ours = {entry["task"]: entry for entry in document["rows"] if entry["tool"] == "counterpoint"}
    assert ours["one/a"]["verdict"] == ours["one/b"]["verdict"] == "FALSE(unreach-call)"
    assert ours["one/b"]["kind"] == "correct" and ours["one/b"]["engine"] == "random"


def test_an_interrupted_bench_leaves_nothing_running(tasks: Path) -> None:
    endless = (
        "int main(void) { unsigned long long x = 88172645463325252;"
        "for (;;) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; if (x == 1) reach_error(); } }\n"
    )
    for path in tasks.glob("*/*.c"):
        path.write_text("extern void reach_error(void);\n" + endless)
    command = [sys.executable, "-m", "counterpoint", "bench", "one", "--timeout", "60", "--json", "o.json"]
    environment = {**os.environ, "COUNTERPOINT_TEST_MARK": "bench"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    deadline = time.monotonic() + 20
    while len(descendants(process.pid)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=5)
    assert process.returncode == 130
    assert read_rows(tasks / "o.json") == {}
    from test_cli_processes import gone

    assert gone("bench")
