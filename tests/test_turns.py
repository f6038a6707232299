"""What other turns of the provers would have cost, replayed from measured answers (`benchmarks/turns.py`)."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from counterpoint.portfolio.features import Features
from counterpoint.portfolio.schedule import PROVERS

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import turns
from turns import ANSWERS, ENDS, OPEN, Known, Measured

LOOP = Features(loops=1, instructions=10)
ROW = next(number for number, (_, fits, _) in enumerate(PROVERS) if fits(LOOP))


def measured(task: str, family: str, **engines: Known) -> Measured:
    return Measured(task, family, 0.5, LOOP, engines)


def result(task: str, engine: str, *spent: tuple[str, str, float], kind: str = "correct") -> dict[str, Any]:
    engines = [{"engine": name, "answer": answer, "seconds": seconds} for name, answer, seconds in spent]
    seconds = 0.5 + sum(seconds for _, _, seconds in spent)
    features = {"loops": 1, "instructions": 10, "nested": False, "unknown_one": 3}
    return {
        "task": task, "family": "f", "kind": kind, "engine": engine, "seconds": seconds, "engines": engines,
        "features": features,
    }  # fmt: skip


def test_runs_with_an_engine_left_out_say_who_else_answers(tmp_path: Path) -> None:
    base, other = tmp_path / "base.json", tmp_path / "engine-houdini.json"
    one = result("f/a", "houdini", ("random", "UNKNOWN(NO_PROGRESS)", 0.2), ("bmc", "UNKNOWN(OUT_OF_TIME)", 0.5),
                 ("houdini", "UNKNOWN(OUT_OF_TIME)", 3.5), ("houdini", "TRUE", 1.0))  # fmt: skip
    open_ = result("f/b", "", ("bmc", "UNKNOWN(OUT_OF_TIME)", 19.0), kind="unknown")
    base.write_text(json.dumps({"rows": [one, open_]}))
    without = result("f/a", "ice", ("bmc", "UNKNOWN(OUT_OF_TIME)", 2.5), ("ice", "TRUE", 4.0))
    other.write_text(json.dumps({"rows": [without]}))
    (found,) = turns.collect(base, [other])
    assert found == Measured("f/a", "f", 0.5, LOOP, {
        "random": Known(ENDS, 0.2), "bmc": Known(OPEN, 2.5), "houdini": Known(ANSWERS, 4.5), "ice": Known(ANSWERS, 4.0),
    })  # fmt: skip
    text = io.StringIO()
    turns.write([found], text)
    (tmp_path / "turns.tsv").write_text(text.getvalue())
    assert turns.read(tmp_path / "turns.tsv") == [found]


@pytest.mark.parametrize(
    ("engines", "least", "most"),
    [
        ({"random": Known(ANSWERS, 0.1)}, 0.6, 0.61),
        ({"random": Known(ENDS, 0.1), "bmc": Known(ANSWERS, 0.4)}, 1.0, 1.01),
        ({"random": Known(ENDS, 0.0), "bmc": Known(ENDS, 0.0), "houdini": Known(ANSWERS, 2.0)}, 2.5, 2.51),
        ({"houdini": Known(ENDS, 1.0), "dash": Known(ANSWERS, 1.0)}, 4.0, 6.0),
        ({"houdini": Known(ANSWERS, 4.5)}, 7.9, 8.1),
    ],
)
def test_schedules_are_replayed(engines: dict[str, Known], least: float, most: float) -> None:
    seconds = turns.cost(measured("f/a", "f", **engines), PROVERS)
    assert seconds is not None and least <= seconds <= most


def test_what_nobody_answers_in_time_is_undecided() -> None:
    assert turns.cost(measured("f/a", "f"), PROVERS) is None
    assert turns.cost(measured("f/a", "f", houdini=Known(ANSWERS, 30.0)), PROVERS) is None
    assert turns.judged([measured("f/a", "f")], PROVERS) == (0, turns.LIMIT)


def test_turns_are_fitted_and_judged_by_other_families() -> None:
    late = [measured(f"{family}/a", family, ice=Known(ANSWERS, 12.0)) for family in "abc"]
    assert turns.judged(late, PROVERS)[0] == 0
    slices = turns.fitted(late, ROW)
    assert {part.engine for part in slices} == {part.engine for part in PROVERS[ROW][2]}
    assert turns.judged(late, turns.with_row(ROW, slices))[0] == 3
    assert turns.crossed(late, ROW)[0] == 3
    assert turns.crossed(late[:1], ROW) == turns.judged(late[:1], PROVERS), "nothing was fitted to others"


def test_the_table_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    turns.fit([measured("a/a", "a", random=Known(ANSWERS, 0.1))])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3 and printed[2].startswith("| other loops | 1 | 1, 1 s | 1, 1 s | 1, 1 s | houdini 5, ")
