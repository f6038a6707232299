"""What the comparison of two source trees sees, on results that are made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from same_queries import DEFAULT, ROOT, differences

LESS = "(declare-const {0} (_ BitVec 8))(declare-const {1} (_ BitVec 8))(assert (bvult {0} {1}))(check-sat)"


def results(folder: Path, calls: int = 3, verdict: str = "TRUE", claim: str = "", asked: str = "5\n7\n") -> Path:
    (folder / "asked").mkdir(parents=True)
    (folder / "claims").mkdir()
    engines = [{"statistics": {"solver_calls": calls, "solver_seconds": calls * 0.1}}]
    reason = "OUT_OF_TIME" if verdict == "UNKNOWN" else ""
    (folder / "result.json").write_text(json.dumps({"verdict": verdict, "reason": reason, "detail": "late", "engines": engines}))
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


def test_what_ran_out_of_time_is_not_compared(tmp_path: Path) -> None:
    other = results(tmp_path / "new", verdict="UNKNOWN")
    assert differences(results(tmp_path / "base"), other) == ([], ["OUT_OF_TIME after: nothing is compared (late)"])


def test_the_default_programs_are_there() -> None:
    assert len(DEFAULT) > 20
    assert all((ROOT / program.partition(":")[0]).is_file() for program, _ in DEFAULT)
