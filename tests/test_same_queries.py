"""What the comparison of two source trees sees, on results that are made up."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from same_queries import DEFAULT, ROOT, Case, differences, run

LESS = "(declare-const {0} (_ BitVec 8))(declare-const {1} (_ BitVec 8))(assert (bvult {0} {1}))(check-sat)"


def results(
    folder: Path, calls: int = 3, verdict: str = "TRUE", claim: str = "", asked: str = "5\n7\n", reason: str = ""
) -> Path:
    (folder / "asked").mkdir(parents=True)
    (folder / "claims").mkdir()
    engines = [{"statistics": {"solver_calls": calls, "solver_seconds": calls * 0.1}}]
    (folder / "result.json").write_text(json.dumps({"verdict": verdict, "reason": reason, "engines": engines}))
    (folder / "asked" / "1.asked").write_text(asked)
    (folder / "claims" / "claim-00001.smt2").write_text(claim or LESS.format("x", "y"))
    return folder


def test_the_same_up_to_names_and_times(tmp_path: Path) -> None:
    other = results(tmp_path / "new", claim=LESS.format("b", "a"))
    assert differences(results(tmp_path / "base"), other) == ([], [])


@pytest.mark.parametrize(
    "changed, told",
    [
        ({"calls": 4}, ["solver_calls: 3 before, 4 after"]),
        ({"asked": "5\n8\n"}, ["formula nodes: 12 before, 13 after"]),
        ({"asked": "12\n"}, ["backend calls: 2 before, 1 after"]),
        ({"verdict": "FALSE"}, ["verdict: TRUE before, FALSE after"]),
    ],
)
def test_numbers_that_differ(tmp_path: Path, changed: dict[str, object], told: list[str]) -> None:
    other = results(tmp_path / "new", **changed)  # type: ignore[arg-type]
    assert differences(results(tmp_path / "base"), other) == (told, [])


def test_another_claim(tmp_path: Path) -> None:
    other = results(tmp_path / "new", claim=LESS.format("x", "y").replace("bvult", "bvslt"))
    found, unknown = differences(results(tmp_path / "base"), other)
    assert [line.partition(",")[0] for line in found] == ["claim only before", "claim only after"]
    assert not unknown


@pytest.mark.parametrize(("reason", "said"), [("TIMEOUT", "out of time"), ("INTERNAL_ERROR", "crashed")])
def test_what_did_not_come_to_an_end_is_not_compared(reason: str, said: str, tmp_path: Path) -> None:
    base = results(tmp_path / "base", verdict="UNKNOWN", reason=reason)
    both = results(tmp_path / "both", verdict="UNKNOWN", reason=reason)
    assert differences(results(tmp_path / "good"), both) == ([], [f"{said} after: nothing is compared"])
    assert differences(base, both) == ([], [f"{said} before and after: nothing is compared"])


def test_an_engine_that_asks_in_scopes_is_watched(tmp_path: Path) -> None:
    """A run as the comparison makes it: what engines ask is counted, and it ends with a verdict."""
    case = Case("tests/slides/slam.c", (), "dash")
    run(case, ROOT / "src", tmp_path, argparse.Namespace(queries=False, timeout=60.0, root=ROOT))
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["verdict"] in ("TRUE", "FALSE"), (tmp_path / "check.txt").read_text()
    assert any(file.read_text() for file in (tmp_path / "asked").glob("*.asked"))


def test_the_default_programs_are_there() -> None:
    assert len(DEFAULT) > 20
    assert all((ROOT / program.partition(":")[0]).is_file() for program, _ in DEFAULT)
