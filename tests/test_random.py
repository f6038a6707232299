"""The engine `random`: violations with inputs, honest reasons otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Event, TestsRun
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.random import ENGINE
from counterpoint.evidence.verdict import Reason, Unknown, Unsafe, Verdict
from counterpoint.execute.native.build import Outcome
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import ScalarInput

PROTOTYPES = "extern int __VERIFIER_nondet_int(void); extern void abort(void); void reach_error(void) {}\n"
BUG = "int main(void) { int x = __VERIFIER_nondet_int(); if (x * 2 == 8642) reach_error(); }"
DEEP = """int main(void) {
    unsigned long long x = 0;
    for (int i = 0; i < 4; i++) x = (x ^ (x >> 29)) * 0x9E3779B97F4A7C15ull + __VERIFIER_nondet_int();
    x = (x ^ (x >> 31)) * 0x94D049BB133111EBull;
    if ((x ^ (x >> 33)) == 0x123456789ABCDEFull) reach_error();
}"""


def verify(
    folder: Path,
    source: str,
    options: Mapping[str, str] | None = None,
    *,
    property_: str = "unreach-call",
    seconds: float = 10.0,
    seed: int = 0,
) -> tuple[Verdict, list[Event]]:
    """The verdict and the events; a violation has been replayed on the unprepared program."""
    file = folder / "program.c"
    file.write_text(PROTOTYPES + source)
    events: list[Event] = []
    subject = compile_subject(SourceTask((file,), property=property_))
    try:
        verdict = ENGINE.verify(Task(subject, options or {}), Tools(Budget(seconds), events.append, seed))
        if isinstance(verdict, Unsafe):
            again = subject.native("none").replay(verdict.violation.inputs)
            assert (again.outcome, again.detail) == (Outcome.VIOLATED, verdict.violation.check)
    finally:
        subject.close()
    return verdict, events


def test_a_bug_is_found_with_its_input(tmp_path: Path) -> None:
    verdict, events = verify(tmp_path, BUG)
    assert isinstance(verdict, Unsafe)
    assert any(isinstance(event, TestsRun) and event.runs > 0 for event in events)


def test_a_violation_behind_a_hundred_million_rounds_is_found(tmp_path: Path) -> None:
    source = """int main(void) {
        unsigned x = 0, y = 0;
        while (x < 100000000) { if (x > 60000000) y += 2; x++; }
        if (y > 79999990 && y % 4 == 2) reach_error();
    }"""
    assert isinstance(verify(tmp_path, source)[0], Unsafe)
    assert isinstance(verify(tmp_path, source.replace("60000000", "60000001"), {"random.seconds": "0.1"})[0], Unknown)


EXCHANGES = """int a[30000];
int main(void) {
    for (int i = 0; i < 30000; i++) a[i] = __VERIFIER_nondet_int();
    for (int again = 1; again;) {
        again = 0;
        for (int i = 1; i < 30000; i++)
            if (a[i - 1] < a[i]) { int t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; again = 1; }
    }
    for (int i = 1; i < 30000; i++) if (a[i - 1] > a[i] + 1) reach_error();
}"""


def test_a_long_run_of_which_only_the_first_values_matter_is_found(tmp_path: Path) -> None:
    """Of other values than falling ones the exchanges go on for billions of steps."""
    verdict, _ = verify(tmp_path, EXCHANGES, seconds=30)
    assert isinstance(verdict, Unsafe)
    assert sum(given.value > 0 for given in verdict.violation.inputs if isinstance(given, ScalarInput)) <= 3


@pytest.mark.parametrize("seed", range(4))
def test_short_runs_that_cover_nothing_new_leave_time_to_long_ones(seed: int, tmp_path: Path) -> None:
    source = EXCHANGES.replace("30000", "100000")
    verdict, _ = verify(tmp_path, source, {"random.runs": "300"}, seconds=30, seed=seed)
    assert isinstance(verdict, Unsafe)


def test_tests_run_before_anything_else(tmp_path: Path) -> None:
    source = "int main(void) { for (int i = __VERIFIER_nondet_int(); i > 5; i -= 1 + i / 9) if (i < 0) reach_error(); }"
    verdict, events = verify(tmp_path, source, {"random.seconds": "0.5"})
    kinds = [event for event in events if isinstance(event, TestsRun) or "long loops" in getattr(event, "state", "")]
    looks = [number for number, event in enumerate(kinds) if not isinstance(event, TestsRun)]
    assert isinstance(verdict, Unknown) and len(looks) == 1 and looks[0] > 0
    runs = [event.runs for event in kinds if isinstance(event, TestsRun)]
    assert runs == sorted(runs) and runs[-1] > runs[looks[0] - 1] > 0


def test_a_search_that_covers_nothing_new_ends_at_a_run_that_the_seed_says(tmp_path: Path) -> None:
    source = """int main(void) {
        int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
        if (n > 5 && m == n - 5 && n * m == 2147117569) reach_error();
    }"""
    said = [verify(tmp_path, source, {"random.dull": "2000", "random.seconds": "20"})[0] for _ in range(2)]
    assert said[0] == said[1] and isinstance(said[0], Unknown) and "runs found no violation" in said[0].detail
    runs = int(said[0].detail.split()[0].replace(",", ""))
    assert 2000 <= runs < 20_000


@pytest.mark.parametrize(
    ("property_", "source", "kind"),
    [
        ("memory-safety", "int main(void) { int a[4]; a[__VERIFIER_nondet_int() & 7] = 1; }", "valid-deref"),
        (
            "memory-safety",
            '#include <stdlib.h>\nint main(void) { char *p = malloc(3); free(p); if (p) free(p); }',
            "valid-free",
        ),
        ("memory-safety", "#include <stdlib.h>\nint main(void) { char *p = malloc(3); p = 0; }", "valid-memtrack"),
        ("no-overflow", "int main(void) { int x = __VERIFIER_nondet_int(); return x + 9 > x; }", "overflow"),
    ],
)  # fmt: skip
def test_properties(property_: str, source: str, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + source)
    subject = compile_subject(SourceTask((file,), property=property_))
    try:
        verdict = ENGINE.verify(Task(subject), Tools(Budget(10)))
        assert isinstance(verdict, Unsafe)
        assert subject.module("flat").checks[verdict.violation.check].kind == kind
    finally:
        subject.close()


def test_floats_of_the_program_are_tried(tmp_path: Path) -> None:
    text = "extern double __VERIFIER_nondet_double(void); int main(void) { double x = __VERIFIER_nondet_double(), "
    text += "y = __VERIFIER_nondet_double(); if (x == 0.7 && y == -2.25f) reach_error(); }"
    verdict, _ = verify(tmp_path, text)
    assert isinstance(verdict, Unsafe)


def test_nothing_is_proved(tmp_path: Path) -> None:
    verdict, _ = verify(tmp_path, "int main(void) { return 0; }")
    assert verdict == Unknown(Reason.NO_PROGRESS, "the program's only run shows no violation")


def test_reads_outside_of_objects_hold_on_the_unprepared_program(tmp_path: Path) -> None:
    """The flat preparation may read *p once, the unprepared program reads it four times."""
    source = """int a[2];
    int main(void) {
        int i = __VERIFIER_nondet_int();
        a[i & 1] = i;
        int *p = a + 500 + i % 2;
        if (*p > 5 && *p < 7 && *p != 4 && *p % 2 == 0) reach_error();
    }"""
    verdict, _ = verify(tmp_path, source)
    assert isinstance(verdict, Unsafe)


def test_a_limited_search_ends_and_repeats(tmp_path: Path) -> None:
    first, events = verify(tmp_path, DEEP, {"random.runs": "2000"})
    second, again = verify(tmp_path, DEEP, {"random.runs": "2000"})
    assert isinstance(first, Unknown) and first.reason is Reason.NO_PROGRESS
    assert "2,000 runs" in first.detail
    assert first == second
    assert events[-2:] == again[-2:]


def test_time_ends_the_search(tmp_path: Path) -> None:
    verdict, _ = verify(tmp_path, DEEP, seconds=1.5)
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.OUT_OF_TIME


def test_what_is_not_supported_is_named(tmp_path: Path) -> None:
    source = """int pthread_create(void *, void *, void *, void *);
    int main(void) { if (__VERIFIER_nondet_int() == 1) return pthread_create(0, 0, 0, 0); return 0; }"""
    verdict, _ = verify(tmp_path, source, {"random.runs": "500"})
    assert isinstance(verdict, Unknown) and "pthread_create" in verdict.detail


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match=r"random\.runs"):
        verify(tmp_path, BUG, {"random.runs": "many"})
