"""A project's run: the same table for any number of jobs, rows for what breaks, baselines, changes, reports."""

from __future__ import annotations

import json
import os
import subprocess
import time
import xml.etree.ElementTree as xml
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio import several
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Counterexample, Outcome
from counterpoint.projects.baseline import Baseline, Known, read_baseline
from counterpoint.projects.changes import Changes, changes_since
from counterpoint.projects.configuration import Configuration
from counterpoint.projects.programs import Program
from counterpoint.projects.run import Checked, NotRun, Refusal, check_project
from counterpoint.report.github import annotations_of_project
from counterpoint.report.project import junit, programs_json, row_of, summary_of
from counterpoint.report.sarif import project_sarif

MAIN = "int main(void) { return 0; }\n"
LIBRARY = '#include "queue.h"\nint put(int *to) {\n    return *to = DEPTH;\n}\n'
TRUE = CheckResult(Outcome.TRUE, "unreach-call", ("a.c",), "LP64", "main")


def a_project(folder: Path, **files: str) -> Path:
    """`queue` stands for queue.c; the folder of the database is the project's own."""
    commands = []
    for name, text in files.items():
        (folder / f"{name}.c").write_text(text)
        commands.append({"directory": str(folder), "file": f"{name}.c", "command": f"cc -c {name}.c"})
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return folder


def false(line: int, file: str = "queue.c", message: str = "invalid write", **more: object) -> CheckResult:
    at = SourceLocation(file, line, 5, "put")
    found = Counterexample(0, "invalid-deref", message, at, "none")
    result = CheckResult(Outcome.FALSE, "memory-safety", (file,), "LP64", "main", violated="valid-deref")
    return replace(result, counterexample=found, findings=(found,), **more)


def rows(folder: Path, ask: Callable[[Request], CheckResult], jobs: int = 1, **more: object) -> list[str]:
    request = Request((), compilation_database=folder, timeout=20.0)
    told: list[Checked] = []
    found = check_project(request, Configuration(**more), folder, told.append, jobs, ask)  # type: ignore[arg-type]
    assert tuple(told) == found
    return [f"{one.program.name} {one.verdict}" for one in found]


def test_any_number_of_jobs_and_what_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are in order whoever is done first; of a check that raises, ends or is killed there is a row, too."""
    monkeypatch.chdir(tmp_path)
    a_project(tmp_path, **dict.fromkeys(("a", "b", "c", "d", "e"), MAIN))

    def ask(request: Request) -> CheckResult:
        match request.files[0].name:
            case "a.c":
                time.sleep(0.2)
            case "b.c":
                raise ValueError("of no use")
            case "c.c":
                os._exit(3)
            case "d.c":
                raise UnusableInput("d.c: is not C")
        return TRUE

    expected = ["a.c TRUE", "b.c UNKNOWN(INTERNAL_ERROR)", "c.c UNKNOWN(INTERNAL_ERROR)", "d.c UNUSABLE", "e.c TRUE"]
    assert rows(tmp_path, ask) == rows(tmp_path, ask, jobs=2) == rows(tmp_path, ask, jobs=7) == expected
    assert "ValueError: of no use" in "".join(path.read_text() for path in tmp_path.glob("counterpoint-crash-*"))


def test_files_of_a_program(tmp_path: Path) -> None:
    """A file that is included, as a test does with what it tests, is not linked a second time; of two definitions the
    one nearby counts."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    files = {
        "lib": "int put(void) { return 1; } int get(void) { return 2; }\n",
        "utils": "int put(void); int get(void); int swap(void) { return put() + get(); }\n",
        "inside": '#include "lib.c"\nint swap(void); int main(void) { return swap(); }\n',
        "one/common": "int setup(void) { return 1; }\n",
        "two/common": "int setup(void) { return 2; }\n",
        "two/start": "int setup(void); extern int (*const table[])(void); int main(void) { return table[0](); }\n",
        "two/table": "int setup(void); int (*const table[])(void) = { setup };\n",
    }
    a_project(tmp_path, **files)
    asked: dict[str, str] = {}

    def ask(request: Request) -> CheckResult:
        return replace(TRUE, files=tuple(str(file.relative_to(tmp_path)) for file in request.files))

    request = Request((), compilation_database=tmp_path)
    for one in check_project(request, Configuration(), tmp_path, lambda one: None, 2, ask):
        asked[one.program.name] = " ".join(one.result.files if one.result is not None else ())
    assert asked == {"inside.c": "inside.c utils.c", "two/start.c": "two/start.c two/common.c two/table.c"}


# ---------------------------------------------------------------- what was known before


def known(folder: Path, before: Baseline, *results: CheckResult) -> tuple[Known, tuple[Checked, ...]]:
    rows = tuple(Checked(Program(f"{number}.c", (folder / f"{number}.c",)), one) for number, one in enumerate(results))
    found = Known(folder, before)
    found.add(rows)
    return found, rows


def test_a_baseline_knows_findings_where_they_have_moved(tmp_path: Path) -> None:
    text = "int *p;\n*p = 1;\n*p = 2;\n  *p  =  1;\n"
    (tmp_path / "queue.c").write_text(text)
    unknown = CheckResult(Outcome.UNKNOWN, "memory-safety", ("b.c",), "LP64", "main", reason="OUT_OF_TIME")
    first, _ = known(tmp_path, Baseline(), false(2), false(2), unknown)
    (tmp_path / "b.json").write_text(first.now().text())
    before = read_baseline(tmp_path / "b.json")
    assert before == first.now() and before.findings.total() == 1
    (tmp_path / "queue.c").write_text("\n\n" + text)
    for results, new in (
        ([false(4), false(4), unknown], False),
        ([false(4), false(5)], True),
        ([false(4), false(6)], True),  # the same text once more
        ([TRUE, TRUE, TRUE], False),
        ([unknown], True),  # of another program
        ([false(4), TRUE, replace(unknown, property="no-overflow")], True),
        ([replace(false(4), counterexample=None, findings=())], True),
    ):
        now, checked = known(tmp_path, before, *results)
        assert any(not now.answers_nothing_new(one) for one in checked) is new


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[]", "an object"),
        ('{"findings": []}', "no `format`"),
        ('{"format": 2}', "another version"),
        ('{"format": "1"}', "a whole number"),
        ('{"format": 1}', "no `findings`"),
        ('{"format": 1, "findings": {}}', "a list"),
        ('{"format": 1, "findings": [{}]}', "no `file`"),
        ('{"format": 1, "findings": [{"file": 1}]}', "a text"),
        ('{"format": 1, "findings": [], "open": 1}', "a list"),
        ('{"format": 1, "findings": [], "open": [{"program": "a"}]}', "no `property`"),
        ('{"format":1,"findings":[{"file":"","function":"","kind":"","cause":"","text":"","count":0}]}', "from 1 to"),
    ],
)
def test_wrong_baselines_are_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UnusableInput, match=said) as error:
        read_baseline(tmp_path / "b.json")
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------- what has changed


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=m")
    subprocess.run(["git", "-C", str(folder), *settings, *arguments], check=True, capture_output=True)


def test_only_what_depends_on_changes_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    uses = "int put(int *); int main(void) { int x; return put(&x); }\n"
    (tmp_path / "queue.h").write_text("#define DEPTH 3\n")
    a_project(tmp_path, queue=LIBRARY, apart=MAIN, uses=uses, broken='#include "nowhere.h"\nint main(void) { return 0; }\n')
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")

    def told() -> list[str]:
        return rows(tmp_path, lambda request: TRUE, 3, changed_since="HEAD")

    assert told() == ["apart.c NOT RUN", "broken.c TRUE", "uses.c NOT RUN"]  # of a broken one it is not known
    (tmp_path / "queue.h").write_text("#define DEPTH 4\n")
    assert told() == ["apart.c NOT RUN", "broken.c TRUE", "uses.c TRUE"]
    git(tmp_path, "checkout", "queue.h")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "queue.h").write_text("#define DEPTH 5\n")  # may be found before the other
    assert told() == ["apart.c NOT RUN", "broken.c TRUE", "uses.c TRUE"]
    (tmp_path / "inc" / "queue.h").unlink()
    (tmp_path / "queue.c").write_text(LIBRARY.replace("put", "other"))  # what it had is found nowhere now
    assert told() == ["apart.c NOT RUN", "broken.c TRUE", "uses.c TRUE"]
    (tmp_path / "queue.c").unlink()
    a_project(tmp_path, apart=MAIN, uses=uses)
    assert told() == ["apart.c NOT RUN", "uses.c TRUE"]
    (tmp_path / "CMakeLists.txt").write_text("\n")
    assert set(told()) == {"apart.c TRUE", "uses.c TRUE"}


def test_changes(tmp_path: Path) -> None:
    a_project(tmp_path, a=MAIN, b=MAIN, c=MAIN)
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    (tmp_path / ".gitignore").write_text("build\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "made.c").write_text(MAIN)
    git(tmp_path, "mv", "a.c", "ä \n.c")
    (tmp_path / "b.c").unlink()
    found = changes_since("HEAD", tmp_path / "build")
    assert {Path(path).name for path in found.paths} == {"a.c", "b.c", "ä \n.c", ".gitignore"}
    assert found.touch([tmp_path / "b.c"], ()) and not found.touch([tmp_path / "c.c"], ("/usr/include/stdio.h",))
    assert Changes("", frozenset({"/x/h.h"})).touch((), ("/usr/include/h.h",))


@pytest.mark.parametrize("revision", ["", "-x", "--all", "nothing", "HEAD~5", "a b", "HEAD\0", "HEAD:a.c", "\x1b[31m"])
def test_revisions_that_are_none(revision: str, tmp_path: Path) -> None:
    a_project(tmp_path, a=MAIN)
    for _ in range(2):  # at first there is no repository
        with pytest.raises(UnusableInput, match="--changed-since") as error:
            changes_since(revision, tmp_path)
        assert "\n" not in str(error.value) and "\x1b" not in str(error.value)
        git(tmp_path, "init")


# ---------------------------------------------------------------- reports


def test_reports_of_everything_at_once(tmp_path: Path) -> None:
    """Annotations escape what would end them, SARIF names files from the folder, JUnit counts."""
    (tmp_path / "queue.c").write_text(LIBRARY)
    evil = false(3, str(tmp_path / "que,ue:%.c"), "50% \n::error::x")
    results = (TRUE, false(3, str(tmp_path / "queue.c")), false(3, str(tmp_path / "queue.c")), evil)
    before, _ = known(tmp_path, Baseline(), results[1])
    now, checked = known(tmp_path, before.now(), *results)
    refused = Checked(Program("x.c", (tmp_path / "x.c",)), Refusal("x.c: \x1b[31mis no C"))
    since = Checked(Program("y.c", (tmp_path / "y.c",)), NotRun("v1"))
    everything = (*checked, refused, since)
    assert list(annotations_of_project(everything, tmp_path, now)) == [
        "::error file=que%2Cue%3A%25.c,line=3,col=5,title=invalid-deref::50%25 \\x0a::error::x",
        "::warning file=x.c,line=1,title=UNUSABLE::x.c: \\x1b[31mis no C",
    ]
    (run,) = json.loads(project_sarif(everything, now))["runs"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]]
    assert places == ["queue.c", "que%2Cue%3A%25.c"]
    assert [(one["baselineState"], one["properties"]["programs"]) for one in run["results"]] == [
        ("unchanged", ["1.c", "2.c"]), ("new", ["3.c"]),
    ]  # fmt: skip
    assert [one["level"] for one in run["invocations"][0]["toolExecutionNotifications"]] == ["error", "note"]
    suites = list(xml.fromstring(junit(everything, now).partition("\n")[2]))
    counts = [[suite.get(name) for name in ("tests", "failures", "errors", "skipped")] for suite in suites]
    assert counts == [list("1000"), list("1001"), list("1001"), list("1100"), list("1010"), list("1001")]
    assert summary_of(everything, now) == "PROGRAMS: 6, 1 TRUE, 3 FALSE (2 known before), 1 UNUSABLE, 1 NOT RUN"
    told = json.loads(programs_json(everything, now))["programs"]
    assert [(one["known"], one["refused"] != "", one["since"]) for one in told] == [
        *[(True, False, "")] * 3, (False, False, ""), (False, True, ""), (True, False, "v1"),
    ]  # fmt: skip
    assert "".join(text for text, _ in row_of(everything[1], 4, tmp_path)).endswith("queue.c:3:5: invalid write")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """All options together; what fails a run is known from then on, and what is new fails it again."""
    monkeypatch.chdir(tmp_path)
    a_project(tmp_path, demo=MAIN, queue=LIBRARY.replace('#include "queue.h"\n', ""))
    found = [false(2)]
    monkeypatch.setattr(several, "check", lambda request, show=None: found[0])
    usual = ["check", "-p", ".", "--no-cache", "--jobs", "2"]
    files = ["--json", "r.json", "--sarif", "r.sarif", "--junit", "r.xml"]
    assert run_command([*usual, "--github", *files]) == 1
    assert "::error file=queue.c,line=2,col=5,title=invalid-deref::invalid write\n" in capfd.readouterr().out
    assert all((tmp_path / name).stat().st_size for name in files[1::2])
    assert run_command([*usual, "--write-baseline", "b.json"]) == 0
    (tmp_path / "counterpoint.toml").write_text('baseline = "b.json"\njobs = 2\n')
    assert run_command([*usual, "--github"]) == 0
    said = capfd.readouterr().out
    assert "::" not in said and said.endswith("PROGRAMS: 1, 1 FALSE (1 known before)\n")
    found[0] = false(3)
    assert run_command(usual) == 1
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    capfd.readouterr()
    assert run_command([*usual, "--changed-since", "HEAD", "--write-baseline", "c.json"]) == 0
    assert capfd.readouterr().out.endswith("PROGRAMS: 1, 1 NOT RUN\n")
    assert (tmp_path / "c.json").read_text() == (tmp_path / "b.json").read_text()  # nothing is forgotten
