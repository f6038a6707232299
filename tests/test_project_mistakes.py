"""Projects that are wrong somewhere, by layout, configuration, database or command: one clear line each, exit status 2."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command

MAIN = "int main(void) { return 0; }\n"
LONG = "x" * 5000


def commands(**named: object) -> str:
    """A database of one entry."""
    return json.dumps([{"directory": ".", "file": "a.c", **named}])


DATABASE = commands(command="cc -c a.c")


def toml(text: str) -> dict[str, str]:
    return {"counterpoint.toml": text}


def recorded(**named: object) -> dict[str, str]:
    return {"compile_commands.json": commands(**named)}


FILES = (
    # the configuration
    (toml("jobs = 0"), [], "a whole number"),
    (toml("jobs = 65"), [], "a whole number"),
    (toml("jobs = '2'"), [], "a whole number"),
    (toml("data-model = 'LP32'"), [], "ILP32, LP64"),
    (toml("data_model = 'LP64'"), [], "`data_model`: there is"),
    (toml("target = ''"), [], "not empty"),
    (toml("entry = ''"), [], "not empty"),
    (toml("entry = 'start'"), [], "defines start"),
    (toml("property = ''"), [], "not empty"),
    (toml("property = 'nonsense'"), [], "nonsense"),
    (toml("property = 'nowhere.prp'"), [], "nowhere.prp"),
    (toml("baseline = 3"), [], "a text"),
    (toml("baseline = ''"), [], "not empty"),
    (toml("baseline = 'nowhere.json'"), [], "nowhere.json: no such file"),
    (toml("baseline = '.'"), [], "is a directory"),
    (toml("baseline = 'a.c'"), [], "is not JSON"),
    (toml('baseline = "a\\u0000"'), [], "NUL"),
    (toml("changed-since = ''"), [], "not empty"),
    (toml("changed-since = 'HEAD'"), [], "not a git repository"),
    (toml("changed-since = '--output=x'"), [], "is no revision"),
    (toml("exclude = ['*']"), [], "no file in C"),
    (toml("exclude = ['a.*']"), [], "no file in C"),
    (toml("harnesses = [[]]"), [], "a text"),
    (toml("[tool.counterpoint]\njobs = 2"), [], "`tool`: there is"),
    ({"counterpoint.toml/x": ""}, [], "is a directory"),
    ({"pyproject.toml/x": ""}, [], "is a directory"),
    ({"pyproject.toml": "[tool.counterpoint]\ntimeouts = 3"}, [], "`timeouts`: there is"),
    ({"pyproject.toml": "[[tool.counterpoint]]\ntimeout = 3"}, [], "an object"),
    # the database
    (recorded(command="cc 'a.c"), [], "as a shell reads it"),
    (recorded(command=["cc", "a.c"]), [], "a text"),
    (recorded(arguments="cc a.c"), [], "a list"),
    (recorded(arguments=["cc", 3]), [], "a text"),
    (recorded(file="a.cpp", command="c++ a.cpp"), [], "no file in C"),
    (recorded(file=".", command="cc ."), [], "no file in C"),
    (recorded(file="nowhere/a.c", command="cc a.c"), [], "not there"),
    (recorded(file=f"{LONG}.c", command="cc a.c"), [], "json: names xxx"),
    (recorded(file="folder.c", command="cc a.c") | {"folder.c/x": ""}, [], "not there"),
    (recorded(command="avr-gcc -c a.c"), [], "a.c: is compiled for avr"),
    (recorded(command="x86_64-w64-mingw32-gcc -c a.c"), [], "give --target or --data-model"),
    (recorded(command="cc @loop -c a.c") | {"loop": "@loop"}, [], "too many other files of options"),
    (recorded(command="cc @odd -c a.c") | {"odd": "'"}, [], "no file of options"),
    (recorded(command=f"cc @{LONG} -D1 -c a.c"), [], "is no macro"),
    ({"compile_commands.json": "[]"}, [], "no file in C"),
    ({"compile_commands.json": "\ufeff[]"}, [], "is not JSON"),
    ({"compile_commands.json/x": ""}, [], "is a directory"),
    ({"a.c": "int other;\n"}, [], "no file of the project defines main"),
    # the command
    ({}, ["--jobs", "0"], "--jobs"),
    ({}, ["--baseline", "nowhere.json"], "nowhere.json: no such file"),
    ({}, ["--write-baseline", "no/such.json"], "the folder no does not exist"),
    ({}, ["--write-baseline", "."], "is a directory"),
    ({}, ["--write-baseline", "a.c"], "is a file that is read"),
    ({}, ["--json", "compile_commands.json"], "is a file that is read"),
    ({}, ["--changed-since", "HEAD"], "not a git repository"),
    ({}, ["--changed-since", ""], "is no revision"),
    ({}, ["--changed-since"], "requires an argument"),
    ({}, ["--sarif", "r", "--json", "r"], "r"),
    ({}, ["--property", "nonsense"], "nonsense"),
    ({}, ["--entry-each"], "name the files"),
    ({}, ["--github", "--html", "x.html"], "one program"),
    ({}, ["--cc", "/nowhere/clang"], "/nowhere/clang"),
    ({}, ["a.c", "--baseline", "b.json"], "give -p and no file"),
    ({}, ["a.c", "--write-baseline", "b.json"], "give -p and no file"),
    ({}, ["a.c", "--changed-since", "HEAD"], "give -p and no file"),
    ({}, ["a.c", "--entry-each", "--github"], "leave --entry-each out"),
)


def mistakes() -> list[object]:
    return [pytest.param(files, options, said, id=f"{number}-{said[:20]}") for number, (files, options, said) in enumerate(FILES)]


@pytest.mark.parametrize(("files", "options", "said"), mistakes())
def test_mistakes_are_one_line(
    files: Mapping[str, str], options: list[str], said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name, text in ({"a.c": MAIN, "compile_commands.json": DATABASE} | {n.partition("/")[0]: "" for n in files} | dict(files)).items():
        path = tmp_path / name
        if path.parent != tmp_path and path.parent.is_file():
            path.parent.unlink()
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    before = sorted(tmp_path.iterdir())
    assert run_command(["check", "-p", ".", "--no-cache", *options]) == 2
    told = capfd.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and len(told.err) < 6000 and "PROGRAMS" not in told.out
    assert sorted(tmp_path.iterdir()) == before
