"""Long forms of engines' options."""

from __future__ import annotations

import pytest

from counterpoint.cli.long_options import spelled_out


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
