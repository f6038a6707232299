"""A few programs of the fuzzer of corners, with their answers; more of them: `make fuzz-corners`, `make fuzz-pairs`."""

from __future__ import annotations

import pytest

from counterpoint import engines
from fuzz_corners import host, reduce
from fuzz_corners.kit import shapes
from fuzz_corners.programs import generate, planned
from fuzz_corners.verdicts import PREPARATIONS, Answer, Question, ask, wrong

CORNERS = sorted({name.partition(".")[0] for name in shapes()})
SEEDS = {corner: 7 + number for number, corner in enumerate(CORNERS)} | {"linkage": 30, "undefined": 41}


def test_all_corners_are_found() -> None:
    assert len(CORNERS) >= 21
    assert len(shapes()) >= 150


def test_the_same_seed_gives_the_same_program() -> None:
    assert generate(11) == generate(11)
    assert generate(11, fault=True).text != generate(11, fault=False).text
    assert planned(11) == planned(11)


@pytest.mark.parametrize("name", shapes())
def test_a_fault_changes_the_program(name: str) -> None:
    """In either data model, with nothing left to be numbered."""
    for model in shapes()[name].models:
        for seed in range(3):
            safe, unsafe = (generate(seed, fault, only=(name,), model=model) for fault in (False, True))
            assert safe.text != unsafe.text
            assert "$" not in safe.text + unsafe.text
            assert (safe.violates, unsafe.violates) == ("", shapes()[name].violates)
            assert safe.model == unsafe.model == model


@pytest.mark.parametrize("corner", CORNERS)
def test_answers(corner: str) -> None:
    """Each corner under one preparation, both faulty and not by turns."""
    seed = SEEDS[corner]
    case = generate(seed, bool(seed % 2), only=(corner,))
    builds = host.available(case)
    if builds and not host.complaints(case, [builds[seed % len(builds)]]):
        answer = ask(case.text, case.property, case.model, Question(PREPARATIONS[seed // 2 % 2], seconds=10))
        assert not wrong(case, answer), case.text


@pytest.mark.parametrize("fault", [False, True])
def test_engines_by_name(fault: bool) -> None:
    """Of a safe and an unsafe program: no engine contradicts, each under another preparation than the next."""
    case = generate(3, fault, only=("conversions",))
    for number, engine in enumerate(engines.names()):
        question = Question(PREPARATIONS[(number + fault) % 2], engine, 1.0)
        assert not wrong(case, ask(case.text, case.property, case.model, question)), case.text


def test_a_program_is_cut_to_the_part_with_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a checker that says TRUE of everything."""
    case = next(c for c in map(generate, range(100)) if c.violates and len(c.names) == 3)
    monkeypatch.setattr(reduce, "ask", lambda text, property, model, question: Answer(question, "TRUE", "", 0.0))
    monkeypatch.setattr(reduce.host, "available", lambda case: [])
    assert reduce.reduced(case, Question(), ()).names == (case.guilty,)


def test_a_wrong_answer_is_seen() -> None:
    case = generate(4, fault=True)
    assert wrong(case, Answer(Question(), "TRUE", "", 0.0))
    assert wrong(case, Answer(Question(), "UNKNOWN(INTERNAL_ERROR)", "", 0.0, "traceback"))
    assert not wrong(case, Answer(Question(), "UNKNOWN(OUT_OF_TIME)", "", 0.0))
    assert not wrong(case, Answer(Question(), case.expected, "", 0.0))
    assert wrong(generate(4, fault=False), Answer(Question(), case.expected, "", 0.0))
