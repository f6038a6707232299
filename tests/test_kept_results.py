"""Results that are kept: the same check is answered at once, any other is made, and no entry gives another verdict."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import attack_results
from counterpoint.cli.command import run_command
from counterpoint.frontend.c.preprocessed import preprocessed
from counterpoint.frontend.cache import cache_folder
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import several
from counterpoint.portfolio.kept_results import check
from counterpoint.portfolio.request import GIB, Request
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, EngineRun, Outcome, Proof, Reused
from counterpoint.portfolio.result_key import key_of
from counterpoint.portfolio.result_text import NoResult, document_of, result_of
from counterpoint.projects.configuration import Configuration
from counterpoint.projects.run import check_project
from counterpoint.report.json import as_json
from schema import violations

HEADER = "#define MOST 7\n"
PROGRAM = """
#include "most.h"
#if __has_include("extra.h")
#include "extra.h"
#endif
#ifdef STAMP
const char *when = __DATE__;
#endif
extern void reach_error(void);
int main(void) { if (MOST > 9) reach_error(); return 0; }
"""
DAY = 86_400


LOOKED_UP = """
import sys
from counterpoint.cli.command import run_command
run_command(sys.argv[1:])
print([name for name in ("llvmlite", "z3", "bitwuzla", "rich", "numpy", "counterpoint.execute") if name in sys.modules])
"""
"""A check that is answered at once needs no solver, no compiler in the process, and nothing that runs programs."""


class Checker:
    """Stands for the portfolio: counts the checks that are made, and gives the answer `says`."""

    def __init__(self, says: CheckResult) -> None:
        self.says, self.made = says, 0

    def __call__(self, request: Request, show: object = None) -> CheckResult:
        self.made += 1
        return self.says


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checker]:
    true = CheckResult(Outcome.TRUE, "unreach-call", ("f.c",), "LP64", "main", engine="bmc", seconds=1.5)
    made = Checker(true)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(several, "check", made)
    monkeypatch.chdir(tmp_path)
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    (tmp_path / "second" / "most.h").write_text(HEADER)
    (tmp_path / "f.c").write_text(PROGRAM)
    yield made


def request(**options: object) -> Request:
    made = Request((Path("f.c"),), include=("first", "second"), cache=Path("store"))
    return replace(made, **options)  # type: ignore[arg-type]


def answered(one: Request) -> bool:
    """Whether the result is not new."""
    result = check(one)
    return result.cached is not None and bool(result.cached.answered)


def test_the_same_again(checker: Checker) -> None:
    assert not answered(request()) and checker.made == 1
    assert answered(request()) and answered(request(timeout=999.0, memory=GIB, jobs=1)) and checker.made == 1
    again = check(request())
    assert replace(again, cached=None) == checker.says
    assert not answered(request(recording=True)) and answered(request())
    assert not answered(request(cache=Path("elsewhere"))) and not answered(request(cache=None))


def test_what_the_answer_depends_on(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each difference is another check; and what was there before is answered still."""
    assert not answered(request())
    options: tuple[dict[str, object], ...] = (
        {"property": "no-overflow"}, {"entry": "other"}, {"data_model": "ILP32"}, {"seed": 3},
        {"target": "x86_64-windows-gnu"}, {"defines": ("MORE",)}, {"std": "c99"}, {"engines": ("bmc",)},
        {"options": (("bmc.bound", "3"),)}, {"malloc_may_fail": True}, {"volatile": "arbitrary"}, {"shrink": False},
        {"prepare": "none"}, {"contracts": "all"}, {"proof_runs": False}, {"findings": "more"},
        {"reuse": Path("reuse")}, {"include": ("second", "first")},
    )  # fmt: skip
    keys = [key_of(request(**option), 60.0) for option in ({}, *options)]
    assert None not in keys and len(set(keys)) == len(keys)
    for name, value in (("C_INCLUDE_PATH", "third"), ("CPATH", "third"), ("SOURCE_DATE_EPOCH", "1"), ("LD_PRELOAD", "")):
        monkeypatch.setenv(name, value)
        assert not answered(request()), name
        monkeypatch.delenv(name)
    assert answered(request())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("f.c", PROGRAM + "int more;"),
        ("f.c", PROGRAM + "/* loop invariant */"),
        ("second/most.h", "#define MOST 8\n"),
        ("second/most.h", HEADER + "// a comment\n"),
        ("first/most.h", HEADER),
        ("first/extra.h", ""),
    ],
)
def test_edits(checker: Checker, file: str, content: str) -> None:
    """Also of comments, and headers that are found now and were not before."""
    assert not answered(request()) and answered(request())
    before = Path(file).read_text() if Path(file).exists() else None
    Path(file).write_text(content)
    assert not answered(request()) and answered(request())
    if before is None:
        Path(file).unlink()
    else:
        Path(file).write_text(before)
    assert answered(request()) and checker.made == 2


def test_what_changes_by_itself(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The day is part of the text, where it is used; so is the product."""
    stamped = request(defines=("STAMP",))
    for day in (0, DAY):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(day))
        assert not answered(stamped) and answered(stamped)
    key = key_of(request(), 60.0)
    for name in ("product", "installed"):
        monkeypatch.setattr(f"counterpoint.portfolio.result_key.{name}", lambda: "another")
        assert key_of(request(), 60.0) != key
        monkeypatch.undo()


def test_what_the_text_does_not_show(checker: Checker) -> None:
    """Data that is embedded is in the text; a precompiled header is not."""
    Path("f.c").write_text('const char data[] = {\n#embed "data"\n};\nint main(void) { return data[0]; }\n')
    Path("data").write_text("A")
    embedding = request(std="c23")
    assert not answered(embedding) and answered(embedding)
    Path("data").write_text("B")
    assert not answered(embedding)
    task = SourceTask((Path("f.c"),), std="c23", extra=("-includesecond/most.h",))
    assert preprocessed(task, task.files[0], time.monotonic() + 60.0) is not None
    Path("second/most.h.pch").write_text("")
    assert preprocessed(task, task.files[0], time.monotonic() + 60.0) is None


def test_limits_of_no_answer(checker: Checker) -> None:
    """An UNKNOWN is one for no more time, memory or engines than there were; not if something went wrong."""
    unknown = replace(checker.says, outcome=Outcome.UNKNOWN, reason="OUT_OF_TIME")
    checker.says = unknown
    assert not answered(request(timeout=10.0)) and answered(request(timeout=10.0)) and answered(request(timeout=5.0))
    more: tuple[dict[str, object], ...] = ({"timeout": 60.0}, {"memory": 99 * GIB}, {"jobs": 3})
    for option in more:
        assert not answered(request(**{"timeout": 10.0, **option})), option
    both = replace(checker.says, parts=(replace(unknown, outcome=Outcome.TRUE, reason=""), unknown))
    wrong = (replace(unknown, reason=INTERNAL_ERROR), replace(unknown, crash_reports=("crash",)))
    for number, says in enumerate((*wrong, both)):
        checker.says = says
        one = request(seed=number + 1, timeout=9.0)
        assert [answered(one), answered(one)] == [False, says is both]
        assert not answered(replace(one, timeout=60.0))
    checker.says = unknown
    assert not answered(request(reuse=Path("reuse"))) and not answered(request(reuse=Path("reuse")))


def test_files_that_change_meanwhile(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was checked may be another text than the key's: it is not kept, also if the file is as before."""

    def check_and(write: list[str]) -> None:
        def checking(request: Request, show: object = None) -> CheckResult:
            for text in write:
                Path("second/most.h").write_text(text)
            return checker(request)

        monkeypatch.setattr(several, "check", checking)

    check_and(["#define MOST 10\n", HEADER])
    assert not answered(request()) and not answered(request())
    check_and(["#define MOST 11\n"])
    assert not answered(request())
    check_and([])
    assert not answered(request()) and answered(request())


def test_what_cannot_be_kept(checker: Checker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is checked, and one line says why nothing is kept. What does not compile is as it is without."""
    Path("store").write_text("in the way")
    result = check(request())
    assert result.verdict == "TRUE" and result.cached is not None and "cannot be kept" in result.cached.note
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/nothing")
    result = check(request(cache=Path("other")))
    assert result.cached is not None and "without a key" in result.cached.note
    Path("f.c").write_text("#error no\n")
    assert key_of(request(), 60.0) is None and check(request()).cached is None
    assert key_of(request(files=(Path("missing.c"),)), 60.0) is None


def comes_back(result: CheckResult) -> None:
    text = json.dumps(document_of(result))
    again = result_of(json.loads(text))
    assert as_json(again) == as_json(result) and json.dumps(document_of(again)) == text
    assert again.checks == result.checks and again.counterexample == result.counterexample


def test_results_as_text() -> None:
    """All that there is comes back; what is none is refused."""
    reused = Reused("folder", 1, 2, "the proof of houdini", 3, ("note",))
    true = CheckResult(Outcome.TRUE, "p", ("\udcff.c",), "LP64", "main", features={"loops": 3}, reused=reused)
    for result in (true, replace(true, parts=(true, true), engines=(EngineRun("bmc", "TRUE", "", 1.0, {"bound": 4}),))):
        comes_back(result)
    document = document_of(true)
    for wrong in (None, [], {}, {**document, "outcome": "MAYBE"}, {**document, "files": "f.c"}, {**document, "x": 1}):
        with pytest.raises((NoResult, ValueError)):
            result_of(wrong)


def test_attacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python tests/attack_results.py` does that with many."""

    def guessed(one: Request, show: object = None) -> CheckResult:
        name = one.files[0].name
        result = CheckResult(Outcome.TRUE, "unreach-call", (name,), "LP64", "main", proof=Proof("kind", name, {"x": 1}))
        return result if "safe" in name else replace(result, outcome=Outcome.FALSE, violated=name, proof=None)

    monkeypatch.setattr(several, "check", guessed)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = attack_results.store(tmp_path)
    monkeypatch.setattr(several, "check", made.known)
    for what, name, result in attack_results.attacks(made, 14, random.randrange(1000)):
        assert result.verdict == made.fresh[name].verdict, (what, name)
        assert result.cached is not None and not result.cached.answered and "does not count" in result.cached.note
    assert all(check(one).cached is not None for one in made.requests.values())


@pytest.mark.usefixtures("checker")
def test_programs_of_a_project() -> None:
    """After an edit of one function only programs with its file are checked."""
    sources = {
        "one.c": "int one(void) { return 1; }",
        "two.c": "int two(void) { return 2; }",
        "a.c": "int one(void); int main(void) { return one() - 1; }",
        "b.c": "int two(void); int main(void) { return two() - 2; }",
    }
    for name, text in sources.items():
        Path(name).write_text(text)
    commands = [{"directory": str(Path.cwd()), "file": name, "command": f"cc -c {name}"} for name in sources]
    Path("compile_commands.json").write_text(json.dumps(commands))
    project = Request((), compilation_database=Path(), cache=Path("store"))

    def told() -> dict[str, bool]:
        found = check_project(project, Configuration(), Path.cwd(), lambda one: None)
        assert all(one.result is not None for one in found)
        return {one.program.name: bool(one.result and one.result.cached) for one in found}

    assert told() == {"a.c": False, "b.c": False} and told() == {"a.c": True, "b.c": True}
    Path("two.c").write_text("int two(void) { return 3 - 1; }")
    assert told() == {"a.c": True, "b.c": False}


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """By default results are kept; all that is written is as it was; one line says so, also where nothing else does."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COUNTERPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("COUNTERPOINT_NO_CACHE")
    cache_folder.cache_clear()
    file = tmp_path / "f.c"
    file.write_text("extern void reach_error(void); int main(void) { reach_error(); return 0; }")
    written = {"--json": "r.json", "--sarif": "r.sarif", "--witness": "r.yml"}
    out = [part for option, name in written.items() for part in (option, str(tmp_path / name))]
    command = ["check", str(file), "--engine", "random", "--timeout", "20", *out]
    try:
        assert run_command(command) == 1
        first = {name: (tmp_path / name).read_text() for name in ("r.json", "r.sarif")}
        assert "RE-USED" not in capsys.readouterr().out and len(list((tmp_path / "cache").rglob("results/*/*"))) == 1
        assert run_command(command) == 1
        assert capsys.readouterr().out.count("\nRE-USED: this was answered at 20") == 1
        again = json.loads((tmp_path / "r.json").read_text())
        assert again.pop("cached")["answered"] and json.loads(first["r.json"]).items() > again.items()
        assert not violations(again, json.loads(Path("docs/result-schema.json").read_text()))
        assert (tmp_path / "r.sarif").read_text() == first["r.sarif"]
        assert "violation_sequence" in (tmp_path / "r.yml").read_text()
        assert run_command([*command, "--quiet"]) == 1
        said = capsys.readouterr()
        assert said.out == "VERDICT: FALSE(unreach-call)\n" and said.err.count("RE-USED") == 1
        known = subprocess.run([sys.executable, "-c", LOOKED_UP, *command[:6]], capture_output=True, text=True, check=True)
        assert known.stdout.splitlines()[-2:] == ["VERDICT: FALSE(unreach-call)", "[]"]
        for wrong in (("--no-cache", "--cache"), ("--check-cache",), (f"--cache={file}",)):
            assert run_command([*command, *wrong]) == 2
    finally:
        cache_folder.cache_clear()


def test_a_folder_that_others_write_to(tmp_path: Path) -> None:
    """Evidence counts only if it holds; entries of this kind are not read as the user's own."""
    made = attack_results.store(tmp_path, True, ("safe.c", "input.c"))
    for name, one in made.requests.items():
        comes_back(made.fresh[name])
        again = check(one)
        assert again.verdict == made.fresh[name].verdict and again.engine == "cache", name
        assert again.cached is not None and again.cached.rechecked
        assert [replace(one, by="") for one in again.checks] == [replace(one, by="") for one in made.fresh[name].checks]
    own = check(replace(made.requests["safe.c"], check_cache=False))
    assert own.cached is None
    for what, name, result in attack_results.attacks(made, 3, 3):
        assert result.verdict == made.fresh[name].verdict, (what, name)
