"""Large programs are tested before they are looked at."""

from __future__ import annotations

import select
import time
from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Progress
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import early
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.ledger import Ledger
from counterpoint.portfolio.processes import Send, spawn
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.portfolio.run import run, unanswered
from counterpoint.portfolio.schedule import EARLY, Lane, Schedule
from counterpoint.portfolio.worker import Portfolio

BUG = "extern int __VERIFIER_nondet_int(void); void reach_error(void);\nint main(void) { int x = __VERIFIER_nondet_int();\n"


def checked(tmp_path: Path, text: str, **options: object) -> CheckResult:
    file = tmp_path / "early.c"
    file.write_text(BUG + text)
    return run(Request((file,), timeout=20.0, **options))  # type: ignore[arg-type]


def test_small_programs_are_not(tmp_path: Path) -> None:
    result = checked(tmp_path, "for (int i = 0; i < x; i++) if (i == 70) reach_error(); return 0; }")
    assert result.outcome is Outcome.FALSE
    assert sum(one.engine == "random" for one in result.engines) <= 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bug_is_found_and_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(early, "LARGE", 0)
    result = checked(tmp_path, "for (int i = 0; i < x; i++) if (i == 70) reach_error(); return 0; }", jobs=jobs)
    assert result.outcome is Outcome.FALSE and result.counterexample is not None


def test_the_engines_go_on_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "LARGE", 0)
    result = checked(tmp_path, "for (int i = 0; i < 5; i++) if (i == x && x > 4) reach_error(); return 0; }")
    assert result.outcome is Outcome.TRUE
    first = next(one for one in result.engines if one.engine == "random")
    began = first.statistics["first_run_seconds"]
    assert isinstance(began, float) and began > 0.0
    assert 0.0 < result.compiled <= first.started < first.started + began < result.seconds


def test_what_it_told_while_the_program_was_prepared_is_told_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "early.c"
    file.write_text(BUG + "return 0; }")
    subject, request = compile_subject(SourceTask((file,))), Request((file,))

    def work(send: Send) -> None:
        send((Progress("random", "testing"), {"first_run_seconds": 0.25}))
        time.sleep(60)

    child = spawn(work)
    assert select.select([child.reader], [], [], 20.0)[0]
    schedule, base = Schedule((Lane(),)), unanswered(request, "", "")
    portfolio = Portfolio(
        subject, request, schedule, Budget(0.0), base, lambda message: None, Ledger(subject.focus), Running(EARLY, child, 0.0)
    )
    assert [one.statistics for one in portfolio.run().engines] == [{"first_run_seconds": 0.25}]


def test_what_cannot_be_built_is_left_to_the_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "LARGE", 0)
    result = checked(tmp_path, 'if (x == 1) __asm__ volatile("hlt"); return 0; }')
    assert result.outcome is Outcome.UNKNOWN and not result.crash_reports


def test_the_option_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="early"):
        checked(tmp_path, "return 0; }", engines=("random",), options=(("random.early", "perhaps"),))
