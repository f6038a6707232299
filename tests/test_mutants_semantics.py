"""Wrong meanings that make verdicts wrong are caught by runs: a few of those that `make mutants` tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.semantics import all_operations
from mutants_semantics.campaign import compiled, fitting, in_a_process, summary
from mutants_semantics.mutants import mutants
from mutants_semantics.programs import programs

ALL = {mutant.name: mutant for mutant in mutants()}
NAMES = (
    "integers 0: a + b", "integers 11: a < b", "LIVE, ONE_PAST, s, read", "FREED, INSIDE, f, write", "CONSTANT, INSIDE, (char *)fixed, write"
)  # fmt: skip


def test_every_operation_has_a_mutant() -> None:
    assert {mutant.about for mutant in mutants() if mutant.kind == "operation"} == set(all_operations())
    assert len(ALL) == len(mutants()) > 100


@pytest.mark.parametrize("name", ["add always", "slt always", "one past is valid", "freed blocks live", "constants may be written"])
def test_a_wrong_meaning_is_caught(name: str, tmp_path: Path) -> None:
    chosen = compiled([one for one in programs() if one.name in NAMES], tmp_path)
    row = in_a_process(ALL[name], fitting(ALL[name], chosen, 4), 120)
    assert row.wrong and row.caught == row.wrong and not row.broken
    assert "(100%)" in summary([row])
