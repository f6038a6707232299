"""The portfolio: the pool of facts, features, schedules, and what they make of engines."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint import check, engines
from counterpoint.cli.command import run_command
from counterpoint.cli.exit_status import status_of
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.evidence.verdict import Reason, Unknown
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import pool as pool_module
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.features import Features, features_of
from counterpoint.portfolio.ledger import Ledger
from counterpoint.portfolio.pool import FilePool
from counterpoint.portfolio.processes import LARGE_PROCESS, Send, descendants, memory_of, spawn
from counterpoint.portfolio.reasons import most_telling
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.run import run
from counterpoint.portfolio.schedule import Lane, Schedule, Slice, schedule_for
from counterpoint.portfolio.scheduler import LEAST, Turns
from counterpoint.portfolio.worker import Portfolio
from counterpoint.report.terminal import lines_of
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

X = build.variable("x", BitVec(32))


def below(limit: int) -> V:
    return build.ult(X, limit, 32)


def fact(limit: int, block: int = 1) -> Fact:
    return Fact("main", block, below(limit))


def pool(path: Path, program: str = "f") -> FilePool:
    return FilePool(path, lambda: program)


# ---------------------------------------------------------------- the pool


def test_facts_reach_others_and_never_oneself(tmp_path: Path) -> None:
    one, two = pool(tmp_path / "p"), pool(tmp_path / "p")
    one.tell([fact(7), fact(8)], proved=False, source="one")
    two.tell([fact(9)], proved=True, source="two")
    assert [(told.fact, told.proved, told.source) for told in two.heard()] == [
        (fact(7), False, "one"),
        (fact(8), False, "one"),
    ]
    assert [told.fact for told in one.heard()] == [fact(9)]
    assert one.heard() == two.heard() == []
    assert (one.told, one.heard_count, two.told, two.heard_count) == (2, 1, 1, 2)


def test_later_processes_hear_what_was_told_before(tmp_path: Path) -> None:
    pool(tmp_path / "p").tell([fact(7)], proved=True, source="one")
    assert [told.fact for told in pool(tmp_path / "p").heard()] == [fact(7)]


def test_repetitions_are_dropped_but_a_proof_is_news(tmp_path: Path) -> None:
    one, two = pool(tmp_path / "p"), pool(tmp_path / "p")
    one.tell([fact(7), fact(7)], proved=False, source="one")
    one.tell([fact(7)], proved=False, source="one")
    assert len(two.heard()) == 1
    two.tell([fact(7)], proved=False, source="two")
    assert one.heard() == []
    one.tell([fact(7)], proved=True, source="one")
    assert [told.proved for told in two.heard()] == [True]
    one.tell([fact(7)], proved=False, source="one")
    assert two.heard() == [] and one.told == 2


def test_facts_about_another_program_are_not_believed(tmp_path: Path) -> None:
    pool(tmp_path / "p", "other").tell([fact(7)], proved=True, source="one")
    assert pool(tmp_path / "p").heard() == []


BROKEN = [
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"program": "f"}',
    b'{"program": "f", "function": "main", "block": "x", "formula": "", "proved": true, "source": ""}',
    b'{"program": "f", "function": "main", "block": 1, "formula": "(assert", "proved": true, "source": ""}',
    b'{"program": "f", "function": "main", "block": 1, "formula": "(check-sat)", "proved": 1, "source": ""}',
    b"[" * 50_000,
]


@pytest.mark.parametrize("line", BROKEN)
def test_broken_lines_are_passed_over(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(line + b"\n")
    one, two = pool(tmp_path / "p"), pool(tmp_path / "p")
    assert one.heard() == []
    one.tell([fact(7)], proved=False, source="one")
    assert [told.fact for told in two.heard()] == [fact(7)]


def test_proved_must_be_said_in_so_many_words(tmp_path: Path) -> None:
    pool(tmp_path / "p").tell([fact(7)], proved=True, source="one")
    entry = json.loads((tmp_path / "p").read_text())
    (tmp_path / "p").write_text(json.dumps({**entry, "proved": "yes"}) + "\n")
    assert [told.proved for told in pool(tmp_path / "p").heard()] == [False]


def test_half_a_line_waits_for_its_rest(tmp_path: Path) -> None:
    pool(tmp_path / "p").tell([fact(7)], proved=False, source="one")
    whole = (tmp_path / "p").read_bytes()
    (tmp_path / "p").write_bytes(whole[:40])
    reader = pool(tmp_path / "p")
    assert reader.heard() == []
    with (tmp_path / "p").open("ab") as file:
        file.write(whole[40:])
    assert [told.fact for told in reader.heard()] == [fact(7)]


def test_a_writer_killed_in_the_middle_spoils_only_its_own_line(tmp_path: Path) -> None:
    pool(tmp_path / "p").tell([fact(7)], proved=False, source="one")
    (tmp_path / "p").write_bytes((tmp_path / "p").read_bytes()[:40])
    pool(tmp_path / "p").tell([fact(8)], proved=False, source="two")
    assert [told.fact for told in pool(tmp_path / "p").heard()] == [fact(8)]


def test_processes_that_write_at_once_do_not_mix(tmp_path: Path) -> None:
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            mine = pool(tmp_path / "p")
            for step in range(50):
                mine.tell([fact(1000 * number + step + 1)], proved=False, source=str(number))
                mine.heard()
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    heard = pool(tmp_path / "p").heard()
    assert len(heard) == 200
    for number in range(4):
        his = [told.fact for told in heard if told.source == str(number)]
        assert his == [fact(1000 * number + step + 1) for step in range(50)]


def test_the_pool_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MOST_FACTS", 5)
    many = pool(tmp_path / "p")
    many.tell([fact(limit) for limit in range(1, 20)], proved=False, source="one")
    assert many.told == 5
    pool(tmp_path / "p").tell([fact(30)], proved=False, source="two")
    assert len(pool(tmp_path / "p").heard()) == 5
    monkeypatch.setattr(pool_module, "MOST_BYTES", (tmp_path / "p").stat().st_size)
    late = pool(tmp_path / "p")
    late.tell([fact(40)], proved=False, source="three")
    assert late.told == 0
    monkeypatch.setattr(pool_module, "LONGEST", 10)
    short = pool(tmp_path / "q")
    short.tell([fact(40)], proved=False, source="three")
    assert short.told == 0 and short.heard() == []


def test_a_pool_that_cannot_be_written_is_an_empty_one(tmp_path: Path) -> None:
    lost = pool(tmp_path / "nowhere" / "p")
    lost.tell([fact(7)], proved=True, source="one")
    assert lost.heard() == [] and lost.told == 0


# ---------------------------------------------------------------- features


def features(source: str, tmp_path: Path) -> Features:
    path = tmp_path / "p.c"
    path.write_text(DECLARATIONS + source)
    return features_of(compile_subject(SourceTask((path,))).program("flat"))


DECLARATIONS = """extern int __VERIFIER_nondet_int(void); extern double __VERIFIER_nondet_double(void);
extern void reach_error(void); void *malloc(unsigned long);
"""

FEATURES: dict[str, tuple[str, dict[str, object]]] = {
    "loop_free": ("int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }", {"loops": 0}),
    "bounded": (
        "int main(void) { for (int i = 0; i < 10; i++) if (__VERIFIER_nondet_int() == i) reach_error(); return 0; }",
        {"loops": 1, "bounded": True, "nested": False},
    ),
    "down_in_a_do_loop": (
        "int main(void) { int i = 90; do { i -= 3; if (!__VERIFIER_nondet_int()) reach_error(); } while (i != 0); }",
        {"loops": 1, "bounded": True},
    ),
    "away_from_the_limit": (
        "int main(void) { for (unsigned i = 10; i >= 9; i += 2) if (!__VERIFIER_nondet_int()) reach_error(); }",
        {"loops": 1, "bounded": False},
    ),
    "far": (
        "int main(void) { for (int i = 0; i < 100000; i++) if (!__VERIFIER_nondet_int()) reach_error(); }",
        {"bounded": False},
    ),
    "nested_arrays": (
        "int a[9]; int main(void) { int n = __VERIFIER_nondet_int();"
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) { if (a[j % 9]) reach_error(); a[i % 9] = j; } }",
        {"loops": 2, "nested": True, "arrays": True, "bounded": False, "floats": False},
    ),
    "recursive": (
        "int f(int n) { return n > 0 ? f(n - 1) * n : 1; }"
        "int main(void) { if (f(__VERIFIER_nondet_int()) == 6) reach_error(); return 0; }",
        {"recursive": True, "loops": 0, "nonlinear": True, "bounded": False},
    ),
    "floats_and_heap": (
        "int main(void) { double *p = malloc(8); *p = __VERIFIER_nondet_double() + 1; int **q = malloc(8);"
        "*q = malloc(__VERIFIER_nondet_int()); if (*p > 3 && **q) reach_error(); }",
        {"floats": True, "heap": True, "pointers": True, "recursive": False},
    ),
}


@pytest.mark.parametrize("name", FEATURES)
def test_features(name: str, tmp_path: Path) -> None:
    source, expected = FEATURES[name]
    found = features(source, tmp_path)
    assert {key: getattr(found, key) for key in expected} == expected
    assert found.loop_free == (name in ("loop_free", "floats_and_heap"))
    assert found.words[0].endswith("loops") or found.words[0] == "1 loop"


# ---------------------------------------------------------------- schedules

ALL = ("bmc", "houdini", "kinduction", "random", "spacer")


@pytest.fixture
def every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterpoint.engines.names", lambda: ALL)


def engines_of(schedule: Schedule) -> list[list[str]]:
    return [[part.engine for part in (*lane.once, *lane.again)] for lane in schedule.lanes]


def test_loop_free_programs_need_one_process_at_first(every_engine: None) -> None:
    schedule = schedule_for(("auto",), 2, Features())
    assert engines_of(schedule) == [["bmc"], ["random"]]
    assert [lane.after > 0 for lane in schedule.lanes] == [False, True]
    assert engines_of(schedule_for(("auto",), 1, Features())) == [["bmc"]]


def test_one_lane_looks_for_bugs_and_the_others_prove(every_engine: None) -> None:
    assert engines_of(schedule_for(("auto",), 2, Features(loops=1))) == [
        ["random", "bmc", "random"],
        ["houdini", "spacer", "kinduction"],
    ]
    assert engines_of(schedule_for(("auto",), 3, Features(recursive=True))) == [
        ["random", "bmc", "random"],
        ["spacer", "kinduction"],
        ["houdini"],
    ]
    assert engines_of(schedule_for(("auto",), 2, Features(loops=1, bounded=True)))[0] == ["bmc", "random"]
    for jobs in range(1, 9):
        for found in (Features(), Features(loops=2, arrays=True), Features(loops=1, floats=True, bounded=True)):
            assert 1 <= len(schedule_for(("auto",), jobs, found).lanes) <= jobs


def test_one_process_soon_gives_the_first_prover_a_turn(every_engine: None) -> None:
    (lane,) = schedule_for(("auto",), 1, Features(loops=1, floats=True)).lanes
    assert [part.engine for part in lane.once] == ["random", "bmc", "houdini", "random", "bmc"]
    assert [part.engine for part in lane.again] == ["kinduction", "spacer", "houdini", "bmc", "random"]
    (lane,) = schedule_for(("auto",), 1, Features(loops=1, arrays=True)).lanes
    assert lane.again[0] == Slice("houdini", 10.0)  # of 13.5
    (lane,) = schedule_for(("auto",), 1, Features(loops=1, bounded=True)).lanes
    assert [part.engine for part in lane.once] == ["bmc", "random"]


def test_what_ended_for_good_is_not_begun_again() -> None:
    turns = Turns(Schedule((Lane((Slice("bmc", 1.0), Slice("random", 1.0), Slice("bmc", 1.0))),)))
    for reason in (Reason.UNSUPPORTED, Reason.NO_PROGRESS):
        turn = turns.next(0, 0.0, 10.0)
        assert turn is not None
        turns.ended(turn.part, reason, 0)
    assert turns.next(0, 0.0, 10.0) is None


def test_auto_without_engines_is_auto_but_for_their_turns() -> None:
    for jobs in (1, 2, 3):
        for found in (Features(), Features(loops=1, arrays=True), Features(recursive=True)):
            whole = engines_of(schedule_for(("auto",), jobs, found))
            some = schedule_for(("auto", "-houdini", "-random"), jobs, found)
            assert engines_of(some) == [[e for e in lane if e not in ("houdini", "random")] for lane in whole]
            assert some.idle is None
    assert schedule_for(("auto", "-random"), 2, None).idle is None
    with pytest.raises(UnusableInput, match=r"`ice` behind `auto`: .* left out, as -ice"):
        schedule_for(("auto", "ice"), 2)
    with pytest.raises(UnusableInput, match="unknown engine `-nobody`"):
        schedule_for(("auto", "-nobody"), 2)
    with pytest.raises(UnusableInput, match="unknown engine `-ice`"):
        schedule_for(("-ice",), 2)


def test_schedules_do_without_missing_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterpoint.engines.names", lambda: ("bmc", "random"))
    for jobs in (1, 2, 5):
        used = {name for lane in engines_of(schedule_for(("auto",), jobs, Features(loops=1))) for name in lane}
        assert used <= {"bmc", "random"}


def test_named_engines_get_lanes_while_there_are_jobs(every_engine: None) -> None:
    assert engines_of(schedule_for(("bmc",), 4)) == [["bmc"]]
    assert engines_of(schedule_for(("bmc", "random", "spacer", "bmc"), 2)) == [["bmc", "spacer"], ["random"]]
    with pytest.raises(UnusableInput, match="unknown engine"):
        schedule_for(("nobody",), 2)


# ---------------------------------------------------------------- turns

A, B, C = Slice("a", 2.0), Slice("b", 3.0), Slice("c")


def run_of(turns: Turns, lane: int, remaining: float, news: int = 0) -> tuple[str, float] | None:
    turn = turns.next(lane, 0.0, remaining, news)
    return (turn.part.engine, turn.seconds) if turn is not None else None


def test_a_single_engine_keeps_all_the_time() -> None:
    turns = Turns(Schedule((Lane((C,)),)))
    assert run_of(turns, 0, 50.0) == ("c", 50.0)
    turns.ended(C, Reason.OUT_OF_TIME, 0)
    assert run_of(turns, 0, 10.0) is None


def test_who_proved_some_of_it_goes_on_with_the_rest_behind_the_others_where_engines_have_one_turn() -> None:
    turns = Turns(Schedule((Lane((C, Slice("d"))),)))
    assert run_of(turns, 0, 50.0) == ("c", 25.0)
    turns.ended(C, Reason.OUT_OF_TIME, 0)
    turns.proved_some(0, C)
    assert run_of(turns, 0, 40.0) == ("d", 40.0)
    turns.ended(Slice("d"), Reason.NO_PROGRESS, 0)
    assert run_of(turns, 0, 30.0) == ("c", 30.0)
    turns.ended(C, Reason.OUT_OF_TIME, 0)
    assert run_of(turns, 0, 20.0) is None
    turns = Turns(Schedule((Lane((), (A, B)),)))
    assert run_of(turns, 0, 100.0) == ("a", 2.0)
    turns.ended(A, Reason.OUT_OF_TIME, 0)
    turns.proved_some(0, A)
    assert run_of(turns, 0, 90.0) == ("b", 3.0)


def test_engines_take_turns_that_grow() -> None:
    turns = Turns(Schedule((Lane((), (A, B)),)))
    seen = []
    remaining = 100.0
    while (turn := turns.next(0, 0.0, remaining)) is not None:
        seen.append((turn.part.engine, turn.seconds, turn.before))
        remaining -= turn.seconds
        turns.ended(turn.part, Reason.OUT_OF_TIME, 0)
    assert seen[:4] == [("a", 2, 0), ("b", 3, 0), ("a", 4, 1), ("b", 6, 1)]
    assert sum(seconds for _, seconds, _ in seen) == 100.0


def test_an_engine_at_its_end_comes_back_only_for_news() -> None:
    turns = Turns(Schedule((Lane((), (A, B)),)))
    assert run_of(turns, 0, 100.0) == ("a", 2.0)
    turns.ended(A, Reason.NO_PROGRESS, 40)
    assert run_of(turns, 0, 98.0, 40) == ("b", 98.0)
    turns.ended(B, Reason.OUT_OF_TIME, 60)
    assert run_of(turns, 0, 80.0, 60) == ("a", 4.0)
    turns.ended(A, Reason.UNSUPPORTED, 60)
    assert run_of(turns, 0, 70.0, 99) == ("b", 70.0)
    turns.ended(B, None, 99)
    assert run_of(turns, 0, 60.0, 999) is None


def test_an_idle_lane_helps_but_never_runs_an_engine_twice_at_a_time() -> None:
    turns = Turns(Schedule((Lane((C,)), Lane((), (A, B))), shared=True, idle=Slice("tests")))
    assert run_of(turns, 0, 50.0) == ("c", 50.0)
    assert run_of(turns, 1, 50.0) == ("a", 2.0)
    turns.ended(C, Reason.UNSUPPORTED, 0)
    assert run_of(turns, 0, 49.0) == ("b", 49.0)
    turns.ended(A, Reason.UNSUPPORTED, 0)
    assert run_of(turns, 1, 48.0) == ("tests", 48.0)
    turns.ended(B, Reason.UNSUPPORTED, 0)
    assert run_of(turns, 0, 40.0) is None


def test_limited_slices_do_not_count_as_the_end_of_an_engine() -> None:
    short = Slice("a", options=(("a.seconds", "1"),))
    turns = Turns(Schedule((Lane((short,), (A,)),)))
    assert run_of(turns, 0, 20.0) == ("a", 20.0)
    turns.ended(short, Reason.NO_PROGRESS, 0)
    assert run_of(turns, 0, 19.0) == ("a", 19.0)


def test_a_lane_waits_for_its_time() -> None:
    turns = Turns(Schedule((Lane((C,)), Lane((A,), after=2.0))))
    assert turns.next(1, 0.5, 50.0) is None and turns.next_due(0.5) == 1.5
    later = turns.next(1, 2.1, 50.0)
    assert later is not None and later.part is A and turns.next_due(2.1) == float("inf")


def test_shares_and_limits_of_single_slices() -> None:
    turns = Turns(Schedule((Lane((Slice("a", 5.0, 0.1), Slice("b", share=0.5), C, Slice("d"))),)))
    assert [run_of(turns, 0, 20.0) for _ in range(5)] == [("a", 2.0), ("b", 10.0), ("c", 10.0), ("d", 20.0), None]


ENDS = st.sampled_from((Reason.OUT_OF_TIME, Reason.OUT_OF_TIME, Reason.NO_PROGRESS, Reason.UNSUPPORTED, None))


@given(st.integers(1, 5), st.builds(Features, st.just(9), loops=st.integers(0, 2), bounded=st.booleans()), st.data())
def test_turns_of_any_course(jobs: int, found: Features, data: st.DataObject) -> None:
    """No engine is at work twice, and no turn goes beyond the end."""
    schedule = schedule_for(("auto",), jobs, found)
    turns = Turns(schedule)
    running: dict[int, tuple[float, Slice]] = {}
    now, news = 0.0, 0
    for _ in range(60):
        for lane in range(len(schedule.lanes)):
            turn = turns.next(lane, now, 30.0 - now, news) if lane not in running else None
            if turn is not None:
                assert turn.part.engine not in [part.engine for _, part in running.values()]
                assert LEAST <= turn.seconds <= 30.0 - now + 1e-9
                running[lane] = (now + turn.seconds, turn.part)
        if not running:
            break
        lane = min(running, key=lambda lane: running[lane][0])
        end, part = running.pop(lane)
        how = data.draw(ENDS)
        now = end if how is Reason.OUT_OF_TIME else (now + end) / 2
        news += data.draw(st.integers(0, 1))
        turns.ended(part, how, news)


# ---------------------------------------------------------------- why there is no answer


def test_the_most_telling_reason() -> None:
    time_, unsupported = Unknown(Reason.OUT_OF_TIME, "late"), Unknown(Reason.UNSUPPORTED, "setjmp")
    none = Unknown(Reason.NO_PROGRESS, "nothing")
    assert most_telling([]).reason is Reason.OUT_OF_TIME
    assert most_telling([("random", none)]) == none
    assert most_telling([("random", none)], late=True).reason is Reason.OUT_OF_TIME
    assert most_telling([("random", none), ("bmc", none)], late=True).reason is Reason.NO_PROGRESS
    assert most_telling([("random", time_), ("bmc", unsupported)]) == unsupported
    assert most_telling([("random", unsupported), ("bmc", time_)]) == time_
    assert most_telling([("spacer", unsupported), ("bmc", time_), ("houdini", none)]) == time_
    assert most_telling([("bmc", time_), ("bmc", none)]) == none
    assert most_telling([("random", unsupported)]) == unsupported


# ---------------------------------------------------------------- from the command line

COUNTS = """extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n) {
        if (i == LIMIT)
            reach_error();
        i += 2;
    }
}
"""


def checked(tmp_path: Path, limit: str, **options: object) -> CheckResult:
    path = tmp_path / "counts.c"
    path.write_text(COUNTS)
    return check(path, defines=(f"LIMIT={limit}",), timeout=90.0, **options)


def test_a_bound_ends_the_search_without_a_claim(tmp_path: Path) -> None:
    bounded = (("bmc.bound", "3"),)
    result = checked(tmp_path, "40", engines=("bmc",), options=bounded)
    assert result.verdict == "UNKNOWN(BOUND_REACHED)" and "within 3 iterations" in result.detail
    assert checked(tmp_path, "4", engines=("bmc",), options=bounded).verdict == "FALSE(unreach-call)"
    sound = (*bounded, ("bmc.sound", "true"))
    assert checked(tmp_path, "40", engines=("bmc",), options=sound).verdict == "UNKNOWN(BOUND_REACHED)"


def test_a_crash_of_one_engine_is_a_line_of_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name, says, reference, summary = "houdini", ("TRUE",), "none", "crashes"

        def verify(self, *_: object) -> object:
            raise KeyError("no such block")

    get = engines.get
    monkeypatch.setattr(engines, "get", lambda name: Broken() if name == "houdini" else get(name))
    monkeypatch.chdir(tmp_path)
    options = (("bmc.bound", "3"),)
    beside = checked(tmp_path, "40", engines=("houdini", "bmc"), options=options)
    assert beside.verdict == "UNKNOWN(BOUND_REACHED)" and "houdini crashed: KeyError: 'no such block'" in beside.detail
    (report,) = beside.crash_reports
    assert "no such block" in Path(report).read_text() and status_of(beside) == 3
    assert [run.answer for run in beside.engines if run.engine == "houdini"] == ["INTERNAL_ERROR"]
    alone = checked(tmp_path, "40", engines=("houdini",))
    assert alone.verdict == "UNKNOWN(INTERNAL_ERROR)" and status_of(alone) == 4


def test_only_the_sound_mode_proves_by_unwinding_assertions(tmp_path: Path) -> None:
    path = tmp_path / "few.c"
    path.write_text(
        "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);"
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (n > 2) return 0;"
        "for (unsigned i = 0; i < n; i++) if (i == 2) reach_error(); }"
    )
    bounded = (("bmc.bound", "3"),)
    sound = (*bounded, ("bmc.sound", "true"))
    assert check(path, engines=("bmc",), options=bounded, timeout=90.0).reason == "BOUND_REACHED"
    assert check(path, engines=("bmc",), options=sound, timeout=90.0).verdict == "TRUE"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((("bmc.bund", "3"),), "bmc has bmc.bound, bmc.cases, bmc.sound"),
        ((("nobody.x", "3"),), "the engine one of bmc"),
        ((("bound", "3"),), "ENGINE.OPTION"),
        ((("bmc.bound", "0"),), "not a number from 1"),
        ((("bmc.sound", "maybe"),), "neither true nor false"),
        ((("houdini.generate", "maybe"),), "neither true nor false"),
    ],
)
def test_options_that_are_none(options: tuple[tuple[str, str], ...], said: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match=re.escape(said)):
        checked(tmp_path, "4", engines=("bmc",), options=options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bound", "3"], "--bound is about bmc: add --engine bmc"),
        (["--sound", "--engine", "random"], "--sound is about bmc"),
        (["--no-generate", "--engine", "bmc"], "--no-generate is about houdini"),
        (["-O", "bmc.bound"], "write ENGINE.OPTION=VALUE"),
    ],
)
def test_short_forms_out_of_place(
    arguments: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    assert run_command(["check", str(tmp_path / "p.c"), *arguments]) == 2
    for number, handler in handlers.items():
        signal.signal(number, handler)
    out, err = capfd.readouterr()
    assert said in err and out == "" and len(err.splitlines()) == 1


def test_what_each_engine_did_is_told(tmp_path: Path) -> None:
    result = checked(tmp_path, "40", engines=("auto",))
    assert result.verdict == "FALSE(unreach-call)"
    assert result.features["loops"] == 1 and result.features["recursive"] is False
    shown = ["".join(text for text, _ in line) for line in lines_of(result, verbose=True)]
    assert any("loops 1" in line for line in shown)
    assert any(line.startswith(f"  {result.engine} ") for line in shown)
    named = checked(tmp_path, "4", engines=("bmc",))
    assert named.features == {} and [run.engine for run in named.engines] == ["bmc"]


# ---------------------------------------------------------------- pauses


def test_a_paused_engine_stands_still_with_all_below_it_and_goes_on(tmp_path: Path) -> None:
    ticks = tmp_path / "ticks"

    def work(send: Send) -> None:
        code = f"import time\nwhile True:\n    open({str(ticks)!r}, 'a').write('.')\n    time.sleep(0.01)"
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        time.sleep(60)

    def grows(seconds: float) -> bool:
        before = ticks.stat().st_size if ticks.exists() else 0
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if ticks.exists() and ticks.stat().st_size > before:
                return True
        return False

    running = Running(Slice("a"), spawn(work), 0.0)
    try:
        assert grows(5.0)
        running.pause()
        time.sleep(0.05)
        seconds = running.seconds
        assert not grows(0.3) and running.seconds == seconds
        running.resume(7.0)
        assert grows(5.0) and running.seconds > seconds and running.deadline == 7.0
        below = descendants(running.child.pid)
        assert len(below) == 2 and running.memory() > 0
    finally:
        for pid in descendants(running.child.pid)[1:]:
            os.kill(pid, signal.SIGKILL)
        running.child.kill()


ENDLESS = """extern void reach_error(void);
int main(void) {
    unsigned long long x = 88172645463325252;
    for (;;) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; if (x == 1) reach_error(); }
}
"""


def test_engines_that_share_a_lane_take_turns_and_are_told_once(tmp_path: Path) -> None:
    path = tmp_path / "endless.c"
    path.write_text(ENDLESS)
    request = Request((path,), timeout=4.0, engines=("bmc", "kinduction"))
    slices = (Slice("bmc", 0.3), Slice("kinduction", 0.3))
    schedule = Schedule((Lane((), slices),), shared=True)

    def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
        subject = compile_subject(task)
        return Portfolio(subject, request, schedule, budget, base, send, Ledger(subject.focus)).run()

    result = run(request, decide=decide)
    assert result.verdict == "UNKNOWN(OUT_OF_TIME)"
    assert sorted(done.engine for done in result.engines) == ["bmc", "kinduction"]
    assert all(done.seconds > 0.6 for done in result.engines)
    assert sum(done.seconds for done in result.engines) < 4.5


def test_houdini_with_given_candidates_only(tmp_path: Path) -> None:
    source = """extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
extern void __counterpoint_candidate(int);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    while (i < n) { HINT i += 3; j += 3; }
    if (i != j) reach_error();
}
"""
    path = tmp_path / "hint.c"
    verdicts = []
    for hint, options in (
        ("__counterpoint_candidate(i == j);", (("houdini.generate", "false"),)),
        ("", (("houdini.generate", "false"),)),
    ):
        path.write_text(source.replace("HINT", hint))
        verdicts.append(check(path, engines=("houdini",), options=options, timeout=90.0).verdict)
    assert verdicts == ["TRUE", "UNKNOWN(NO_PROGRESS)"]


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell shared pages apart")
def test_memory_that_forked_processes_share_is_counted_once() -> None:
    program = f"""
import os, time
size = {2 * LARGE_PROCESS}
held = bytearray(size)
held[::4096] = bytes(len(held[::4096]))
for _ in range(2):
    if os.fork() == 0:
        time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None and parent.stdout.readline() == "ready\n"
        family = descendants(parent.pid)
        assert len(family) == 3
        assert 0.9 * 2 * LARGE_PROCESS < sum(map(memory_of, family)) < 1.3 * 2 * LARGE_PROCESS
    finally:
        for pid in reversed(descendants(parent.pid)):
            os.kill(pid, signal.SIGKILL)
        parent.wait()


def test_nobody_goes_on_where_every_run_was_seen(tmp_path: Path) -> None:
    program = tmp_path / "ends.c"
    program.write_text(
        "int __VERIFIER_nondet_int(void); int main(void) { if (__VERIFIER_nondet_int() == 3) __builtin_unreachable(); return 0; }\n"
    )
    result = check(program, timeout=300, jobs=2)
    assert result.reason == Reason.UNDEFINED
    assert result.detail.endswith("undefined: unreachable code is reached")
    assert {run.answer for run in result.engines} <= {"UNKNOWN(UNDEFINED)", "stopped"}
