"""Every assumption of docs/soundness.md has a guard that exists and a break that `make breaks` tries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soundness_breaks import ROOT, SOURCES, Row, breaks_of, rows
from soundness_rows import BREAKS, Break

ROWS = rows()


def test_rows_are_found() -> None:
    assert len(ROWS) > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.assumption[:40])
def test_every_row_has_a_guard_and_a_break(row: Row) -> None:
    named = re.findall(r"`(tests/[^`]+)`", row.guard)
    assert named, f"no guard: {row.assumption}"
    for guard in named:
        assert list(ROOT.glob(guard)), f"{guard} does not exist"
    assert breaks_of(row), f"tests/soundness_rows.py has no break for: {row.assumption}"


@pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.row[:40])
def test_every_break_has_its_row_its_place_and_its_guards(one: Break) -> None:
    assert any(row.assumption.startswith(one.row) for row in ROWS), f"no row begins with: {one.row}"
    text = (SOURCES / one.file).read_text(encoding="utf-8")
    assert text.count(one.old) == 1, f"{one.file}: {text.count(one.old)} times `{one.old}`, expected once"
    assert one.guards
    for guard in one.guards:
        assert (ROOT / guard.partition("::")[0]).exists() or guard == "-k" or not guard.startswith("tests/"), guard


def test_guards_are_paths_or_selections() -> None:
    assert all(Path(one.file).suffix for one in BREAKS)
