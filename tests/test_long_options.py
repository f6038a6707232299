"""Long forms of engines' options."""

from __future__ import annotations

import pytest

from counterpoint.cli.command import run_command
from counterpoint.cli.long_options import spelled_out
from counterpoint.core.errors import UnusableInput

OWN = {"--engine": True, "--timeout": True, "--quiet": False, "-I": True, "--solver": True}
"""Some command's options, and whether they take a value."""


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["check", "--dash-refine", "wp", "a.c"], ["check", "-O", "dash.refine=wp", "a.c"]),
        (["--dash-block=basic"], ["-O", "dash.block=basic"]),
        (["--kinduction-max-k", "3"], ["-O", "kinduction.max_k=3"]),
        (["--data-model", "LP64"], ["--data-model", "LP64"]),
        (["--dash-nothing", "1"], ["--dash-nothing", "1"]),
        (["--dash-refine"], ["--dash-refine"]),
        (["--", "--dash-refine", "wp"], ["--", "--dash-refine", "wp"]),
    ],
)
def test_spelled_out(given: list[str], meant: list[str]) -> None:
    assert spelled_out(given) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--engine predicates --block basic a.c", "--engine predicates -O predicates.block=basic a.c"),
        ("a.c --engine=predicates --block=large", "a.c --engine=predicates -O predicates.block=large"),
        ("--engine predicates --boolean-program a.c", "--engine predicates -O predicates.boolean_program=true a.c"),
        ("--engine predicates --trials false a.c", "--engine predicates -O predicates.trials=false a.c"),
        ("--engine kinduction --max-k 3", "--engine kinduction -O kinduction.max_k=3"),
        ("--engine predicates --solver z3", "--engine predicates --solver z3"),
        ("--engine predicates -I --block a.c", "--engine predicates -I --block a.c"),
        ("--engine predicates -- --block basic", "--engine predicates -- --block basic"),
        ("--engine predicates,bmc --block basic", "--engine predicates,bmc --block basic"),
        ("--engine auto --block basic", "--engine auto --block basic"),
        ("--engine dash --dash-refine wp --quiet", "--engine dash -O dash.refine=wp --quiet"),
    ],
)
def test_short_forms(given: str, meant: str) -> None:
    """Of the options of a single engine, where the command has none of that name."""
    assert spelled_out(given.split(), OWN) == meant.split()


@pytest.mark.parametrize("given", ["--blok basic", "--block", "--wide=1"])
def test_nobodys_option(given: str) -> None:
    with pytest.raises(UnusableInput):
        spelled_out(["--engine", "predicates", *given.split()], OWN)


@pytest.mark.parametrize(
    ("command", "given", "said"),
    [
        ("check", "--blok basic", "no such option: --blok"),
        ("bench", "--blok basic", "no such option: --blok"),
        ("check", "--block tiny", "`tiny` is not one of"),
        ("check", "--bound 3", "--bound is about bmc"),
    ],
)
def test_one_line_and_status_2(command: str, given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A value is the engine's to refuse; --bound is an option of `check` about another engine."""
    assert run_command([command, "--engine", "predicates", *given.split(), "examples/median.c"]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
