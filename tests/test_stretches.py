"""What runs do is a model of the checker's regions (tests/stretches.py), and what is broken there is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

import stretches
from attack_unrollings import Numbers
from c_programs import subject
from contract_proofs import CONTRACTED
from counterpoint.semantics import contracts, summary
from test_contracts import PICKED


def report(text: str, property_: str = "unreach-call", *numbers: int) -> stretches.Report:
    program = subject(text, property_).program("modular", ("all",))
    return stretches.examine(program, [Numbers(*numbers)] if numbers else (), runs=2, most=1)


@pytest.mark.parametrize("name", CONTRACTED)
def test_runs_are_models(name: str) -> None:
    found = report(CONTRACTED[name].text, CONTRACTED[name].property)
    assert found.models >= 3
    assert not found.complaints
    assert not found.excused


def test_a_place_for_what_is_not_made_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address is left for q's block beside one of n + 4 bytes, which is not made."""
    assert not report(PICKED, "unreach-call", -5).complaints
    monkeypatch.setattr(summary, "_may_lie_somewhere", lambda world, index: 1)
    assert report(PICKED, "unreach-call", -5).complaints


def test_an_object_that_a_call_leaves_as_it_was_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    forget = contracts._Called.forget

    def forgets_no_global(self: contracts._Called, name: str) -> None:
        globals_ = sum(1 << t.number for t in self.points.objects if t.item is not None and t.name == "g")
        self.effects = replace(self.effects, modified=self.effects.modified & ~globals_)
        forget(self, name)

    text = CONTRACTED["chosen"].text
    assert not report(text, "unreach-call", 3).complaints
    monkeypatch.setattr(contracts._Called, "forget", forgets_no_global)
    assert report(text, "unreach-call", 3).complaints
