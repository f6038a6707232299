"""Projects: which programs there are, a row for each, and one clear line where something is wrong."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.compilation_database import compilation_database
from counterpoint.portfolio.request import Request
from counterpoint.projects.configuration import Configuration, configuration
from counterpoint.projects.programs import programs_of

QUEUE = "int filled; static int helper(void) { return 1; } int put(void) { return filled += helper(); }\n"
HARNESS = "extern void reach_error(void); int put(void); int main(void) { if (put() != WANTED) reach_error(); }\n"


def project(folder: Path, **files: str) -> Path:
    """A build folder; `queue` stands for queue.c, and so on."""
    build = folder / "build"
    build.mkdir()
    commands = []
    for name, text in files.items():
        (folder / f"{name}.c").write_text(text)
        commands.append({"directory": str(build), "file": f"../{name}.c", "command": f"cc -DWANTED=1 -c ../{name}.c"})
    (build / "compile_commands.json").write_text(json.dumps(commands))
    return build


def found(build: Path, folder: Path, given: Configuration | None = None) -> dict[str, list[str]]:
    programs = programs_of(compilation_database(build), Request(()), given or Configuration(), folder)
    return {program.name: [file.name for file in program.files] for program in programs}


def test_programs_have_the_files_that_they_need(tmp_path: Path) -> None:
    build = project(tmp_path, queue=QUEUE, other="int other(void) { return 2; }\n", demo="int main(void) { return 0; }\n")
    (tmp_path / "put_harness.c").write_text(HARNESS)
    assert found(build, tmp_path) == {"demo.c": ["demo.c"], "put_harness.c": ["put_harness.c", "queue.c"]}
    assert found(build, tmp_path, Configuration((), ("put*",))) == {"demo.c": ["demo.c"]}


def test_each_program_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    build = project(tmp_path, broken="int main(void) { return x; }\n", demo="int main(void) { return 0; }\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counterpoint.toml").write_text('timeout = 20\nproperty = "unreach-call"\n')
    assert run_command(["check", "-p", str(build), "--json", "r.json", "--junit", "r.xml"]) == 3
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["broken.c", "UNUSABLE"], ["demo.c", "TRUE"]]
    assert lines[-1] == "PROGRAMS: 2, 1 TRUE, 1 UNUSABLE"
    told = json.loads((tmp_path / "r.json").read_text())["programs"]
    assert [one["verdict"] for one in told] == ["UNUSABLE", "TRUE"] and told[1]["result"]["verdict"] == "TRUE"
    suites = xml.parse(tmp_path / "r.xml").getroot()
    assert [(suite.get("name"), suite.get("errors")) for suite in suites] == [("broken.c", "1"), ("demo.c", "0")]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("counterpoint.toml", "harnesses = 'x'", "a list"),
        ("counterpoint.toml", "harnesses = [1]", "a text"),
        ("counterpoint.toml", "harnesses = ['']", "patterns"),
        ("counterpoint.toml", "exclude = {}", "a list"),
        ("counterpoint.toml", "property = 3", "a text"),
        ("counterpoint.toml", "timeout = '5'", "a number"),
        ("counterpoint.toml", "timeout = 0", "more than 0"),
        ("counterpoint.toml", "timeout = nan", "a number"),
        ("counterpoint.toml", "timeout = 1e9", "at most"),
        ("counterpoint.toml", "timeout = true", "a number"),
        ("counterpoint.toml", "colour = 1", "`colour`: there is"),
        ("counterpoint.toml", "not toml", "is not TOML"),
        ("counterpoint.toml", "a = 1\na = 2", "is not TOML"),
        ("counterpoint.toml", "x = " + "[" * 5000, "is not TOML"),
        ("pyproject.toml", "[tool.counterpoint]\ntimeout = -1", "a number"),
        ("pyproject.toml", "[tool]\ncounterpoint = 1", "an object"),
        ("pyproject.toml", "tool = 1", "an object"),
        ("pyproject.toml", "[tool", "is not TOML"),
    ],
)
def test_wrong_configurations_are_one_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UnusableInput, match=said) as error:
        configuration(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{}", "a list"),
        ("3", "a list"),
        ("[3]", "an object"),
        ('[{"directory": "."}]', "no `file`"),
        ('[{"file": 3}]', "a text"),
        ('[{"file": "a\\u0000.c"}]', "NUL"),
        ('[{"directory": 3, "file": "a.c"}]', "a text"),
        ('[{"directory": ".", "file": "gone.c"}]', "not there"),
        ('[{"directory": ".", "file": "a.c", "file": "b.c"}]', "occurs twice"),
        ("[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_wrong_databases_are_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(UnusableInput, match=said) as error:
        compilation_database(tmp_path).files()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "FILE"),
        (["-p", "nowhere"], "compile_commands.json"),
        (["-p", "build"], "no file of the project defines main"),
        (["-p", "build", "--entry", "start"], "defines start"),
        (["-p", "build", "--witness", "w.yml"], "one program"),
        (["-p", "build", "--html", "w.html"], "one program"),
        (["-p", "build", "--junit", "no/such/f.xml"], "folder"),
        (["queue.c", "--junit", "r.xml"], "programs of a project"),
    ],
)
def test_wrong_commands_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    project(tmp_path, queue=QUEUE)
    monkeypatch.chdir(tmp_path)
    assert run_command(["check", *options]) == 2
    error = capfd.readouterr().err
    assert said in error and error.count("\n") == 1
