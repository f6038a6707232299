"""The programs and generators of `benchmarks/` make what they say."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from counterpoint.benchmarking.tasks import collect

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

import kratos  # noqa: E402
import rings  # noqa: E402
import table1  # noqa: E402
import tasks  # noqa: E402


def test_a_set_asks_what_the_programs_say(tmp_path: Path) -> None:
    asked = [one for file in tasks.files_in([ROOT / "benchmarks" / "contracts"]) for one in tasks.questions(file)]
    found = collect([tasks.write_set(asked, tmp_path / "contracts")])
    assert [(task.expected, task.property) for task in found] == [(one.verdict, one.asks) for one in asked]
    pairs = {task.name.partition("_unsafe")[0].partition("_safe")[0] for task in found}
    assert (len(found), len(pairs), sum(task.expected is True for task in found)) == (40, 20, 20)
    (freed,) = [task for task in found if "freed_in_callee_unsafe" in task.name]
    assert (freed.property, freed.subproperty) == ("memory-safety", "valid-free")


@pytest.mark.parametrize("text", ["", "// UNKNOWN\n", "int main(void) { return 0; }\n// TRUE\n"])
def test_a_program_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(text)
    with pytest.raises(tasks.UnusableInput, match=r"a\.c: its first line says no verdict"):
        tasks.questions(file)


@pytest.mark.parametrize(("safe", "function"), [(True, "start_simulation"), (False, "activate_threads")])
def test_the_check_of_a_ring(safe: bool, function: str) -> None:
    text = rings.ring(3, safe)
    assert text.startswith("// TRUE model=ILP32\n" if safe else "// FALSE(unreach-call) model=ILP32\n")
    assert re.findall(r"\berror\(\);", text) == ["error();"]
    assert "error();" in text.partition(f"void {function}(void)\n")[2].partition("\n}\n}\n")[0]


def test_rows_of_table_1() -> None:
    results = [(row.paper.app, row.paper.div) for row in table1.ROWS]
    assert len(results) == 18 and [div for _, div in results].count("TO") == 3
    (row,) = [row for row in table1.ROWS if row.function == "is_transmit9_triggered"]
    text = table1.program(row, Path("none"), bounded=True)
    assert re.findall(r"\berror\(\);", text) == ["error();"]
    assert text.count("rounds >= 10") == 2
    assert not re.search(r"(?m)^int \w+ *=", text) and "  E_M = __VERIFIER_nondet_int();" in text
    assert "tmp_ndt_1 = 1;" in text and "token = __VERIFIER_nondet_int();" in text
    inside = text.partition("int is_transmit9_triggered(void)\n")[2].partition("\n}\n}\n")[0]
    assert "if (! (!(E_9 == 1 && m_pc == 1 && t8_st == 1)))" in inside
    assert "rounds" not in table1.program(row, Path("none"), bounded=False)


def test_missing_models_are_told(tmp_path: Path) -> None:
    with pytest.raises(tasks.UnusableInput, match=r"bist_cell_safe\.c: not readable"):
        table1.program(table1.ROWS[1], tmp_path, bounded=True)


def test_programs_of_the_family_grow_by_the_same_lines() -> None:
    for make in (kratos.token_ring, kratos.transmitter):
        counts = [make(n).count("\n") for n in (2, 3, 4, 5)]
        assert len({after - before for before, after in pairwise(counts)}) == 1
