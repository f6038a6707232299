"""What proofs, the interpreter and native code take for granted of the environment's pointers (semantics/found.py)."""

from __future__ import annotations

import pytest

from attack_environments import compare, program_of
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.protocol import Outcome
from counterpoint.execute.outcome import AssumptionFailed, Finished, Limits, Violated
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.semantics.layout import EXTERNAL_CONTENTS, EXTERNAL_SIZE, external_base

BASE = external_base(64)
TEXT = """
extern void reach_error(void);
struct node { struct node *next; int value; };
struct either { int is_pointer; union { long number; struct node *pointer; } of; };
static struct node kept;
int follow(struct node *p) { return p && p->next ? p->next->value : 0; }
int copied(struct node *p) { struct node n; if (!p) return 0; n = *p; kept = n; return kept.next ? kept.next->value : 0; }
int number(struct either *e) { if (e && !e->is_pointer && e->of.number == 5) reach_error(); return 0; }
int both(struct node *p, struct node *q) { if (p && p == q) reach_error(); return 0; }
"""


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Subject]:
    path = tmp_path_factory.mktemp("environments") / "a.c"
    path.write_text(TEXT)
    return {
        entry: compile_subject(SourceTask((path,), property="unreach-call", entry=entry))
        for entry in ("follow", "copied", "number", "both")
    }


def _inputs(subject: Subject, pointers: tuple[int, ...], word: int, at: int = 0) -> tuple[Input, ...]:
    sites = [site.index for site in subject.program("none").sites if site.kind == "argument"]
    contents = tuple((at + k, byte) for k, byte in enumerate(word.to_bytes(8, "little")) if byte)
    scalars = tuple(ScalarInput(site, value, 64) for site, value in zip(sites, pointers, strict=True))
    return (*scalars, MemoryInput(EXTERNAL_CONTENTS, 1 << 20, contents))


CASES = {
    "null": ("follow", 0, Finished, Outcome.FINISHED),
    "itself": ("follow", BASE, Finished, Outcome.FINISHED),
    "another": ("follow", BASE + 7 * EXTERNAL_SIZE, Finished, Outcome.FINISHED),
    "inside of one": ("follow", BASE + 8, AssumptionFailed, Outcome.ASSUMPTION),
    "a number": ("follow", 5, AssumptionFailed, Outcome.ASSUMPTION),
    "one that a function gave": ("follow", BASE + 512 * EXTERNAL_SIZE, AssumptionFailed, Outcome.ASSUMPTION),
    "an object of the program": ("follow", 0x40_0000, AssumptionFailed, Outcome.ASSUMPTION),
    "a number in a copy": ("copied", 5, AssumptionFailed, Outcome.ASSUMPTION),
    "a pointer in a copy": ("copied", BASE, Finished, Outcome.FINISHED),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_found_is_null_or_leads_to_a_block(subjects: dict[str, Subject], case: str) -> None:
    entry, word, outcome, native = CASES[case]
    inputs = _inputs(subjects[entry], (BASE,), word)
    assert isinstance(run(subjects[entry].program("none"), ReplayInputs(inputs)).outcome, outcome)
    assert subjects[entry].native("none").replay(inputs).outcome is native


def test_a_word_that_is_no_pointer_has_any_value(subjects: dict[str, Subject]) -> None:
    inputs = _inputs(subjects["number"], (BASE,), 5, at=8)
    assert isinstance(run(subjects["number"].program("none"), ReplayInputs(inputs)).outcome, Violated)
    assert subjects["number"].native("none").replay(inputs).outcome is Outcome.VIOLATED


def test_arguments_may_be_equal(subjects: dict[str, Subject]) -> None:
    inputs = _inputs(subjects["both"], (BASE, BASE), 0)
    assert isinstance(run(subjects["both"].program("none"), ReplayInputs(inputs)).outcome, Violated)
    assert subjects["both"].native("none").replay(inputs).outcome is Outcome.VIOLATED
    program = subjects["both"].program("none")
    assert any(isinstance(run(program, RandomInputs(seed)).outcome, Violated) for seed in range(50))


def test_random_runs_find_pointers(subjects: dict[str, Subject]) -> None:
    program = subjects["follow"].program("none")
    runs = [run(program, RandomInputs(seed), Limits(steps=1_000)) for seed in range(20)]
    assert all(isinstance(done.outcome, Finished) for done in runs)
    for done in runs:
        again = run(program, ReplayInputs(done.inputs, strict=True))
        assert (again.outcome, again.inputs) == (done.outcome, done.inputs)


@pytest.mark.parametrize("seed", [2, 5, 173])
def test_no_run_contradicts_a_proof_and_violations_replay(seed: int) -> None:
    found = compare(*program_of(seed), runs=150, native=500)
    assert found.answer in ("Safe", "Unsafe") and not found.wrong, found
