"""The tactics of predicate abstraction: which there are, in which order, and that the first one that helps is taken."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates import Options, Search
from counterpoint.engines.predicates import search as loop
from counterpoint.engines.predicates import tactics as package
from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.tactics import TACTICS, Tactic
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Reason, Safe, Unknown

DOCUMENT = Path(__file__).parent.parent / "docs/engines/predicates.md"

NAMES = [tactic.__name__ for tactic in TACTICS]

TEXT = "int main(void) { int n = any(), s = 0; while (any()) { check(s != 2); if (n) s = 3 - s; } }"


def test_each_file_is_one_tactic() -> None:
    files = [module.name for module in pkgutil.iter_modules(package.__path__)]
    assert sorted(NAMES) == sorted(files)
    for tactic in TACTICS:
        module = importlib.import_module(f"{package.__name__}.{tactic.__name__}")
        assert getattr(module, tactic.__name__) is tactic


def test_the_document_has_them_in_their_order() -> None:
    section = DOCUMENT.read_text().partition("## Refinement")[2].partition("\n## ")[0]
    assert re.findall(r"^\d+\. .*?\(`(\w+)\.py`", section, re.MULTILINE) == NAMES


def searched(tactics: tuple[Tactic, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[Search, object]:
    monkeypatch.setattr(loop, "TACTICS", tactics)
    found = Search(program(TEXT), Options(facts=False, trials=False), Tools(Budget(90.0)), {})
    verdict = found.run()
    found.close()
    return found, verdict


def test_the_first_one_that_helps_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes behind a refinement is not tried; what comes behind a tactic that says nothing is."""
    met: list[str] = []

    def silent(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
        met.append("silent")
        return None

    def refining(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
        met.append("refining")
        return next(found for tactic in TACTICS if (found := tactic(abstraction, trace)) is not None)

    def never(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
        raise AssertionError("behind one that helped")

    found, verdict = searched((silent, refining, never), monkeypatch)
    assert isinstance(verdict, Safe)
    assert met == ["silent", "refining"] * found.refinements and met


def test_a_verdict_ends_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Unknown(Reason.UNSUPPORTED, "because")
    found, verdict = searched((lambda abstraction, trace: wanted,), monkeypatch)
    assert verdict is wanted and found.refinements == 1


def test_without_any_help_the_loop_says_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    _, verdict = searched((lambda abstraction, trace: None,), monkeypatch)
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.NO_PROGRESS and "error trace" in verdict.detail
