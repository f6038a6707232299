"""The programs and generators of `benchmarks/` make what they say."""

from __future__ import annotations

import json
import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from counterpoint.benchmarking.tasks import collect

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

import attack_inferred  # noqa: E402
import kratos  # noqa: E402
import mutate_functions  # noqa: E402
import rings  # noqa: E402
import table1  # noqa: E402
import tasks  # noqa: E402
from attack_contracts import attack, told  # noqa: E402
from contract_text import Contract, Translation, contracts_of, split  # noqa: E402


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


# ------------------------------------------------------------ contracts of functions

FUNCTIONS = sorted((ROOT / "benchmarks" / "functions").glob("*.c"))
with_a_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def test_every_function_has_a_contract() -> None:
    found = [contract for file in FUNCTIONS for contract in contracts_of(file)]
    assert [one.function for one in found] == [file.stem for file in FUNCTIONS]
    assert len(found) == 40 and all(one.ensures and one.assigns is not None for one in found)


def test_clauses_become_c() -> None:
    assert split("a, f(b, c), d[e, f]", ",") == ["a", "f(b, c)", "d[e, f]"]
    made = Translation(entry="int *a = before;")
    assert made.clause("old(g) > 0 ==> x == 1") == "!((ct_old_0) > 0) || (x == 1)"
    assert made.saved == ["__typeof__((g) + 0) ct_old_0 = 0; CT_TRY(ct_old_0 = g);"]
    assert "({ int *a = before; a[i]; })" in made.clause("forall(i, 0, n, a[i] == old(a[i]))")
    with pytest.raises(tasks.UnusableInput, match="a bracket is not closed"):
        made.clause("old(g")


def test_claims_are_read_from_json(tmp_path: Path) -> None:
    claim = {"file": "a.c", "function": "f", "requires": ["x > 0"], "ensures": ["result"], "assigns": None}
    file = tmp_path / "claims.json"
    file.write_text(json.dumps([claim]))
    assert contracts_of(file) == [Contract(tmp_path / "a.c", "f", ("x > 0",), ("result",), None)]
    file.write_text('[{"file": "a.c"}]')
    with pytest.raises(tasks.UnusableInput, match="expected a list of objects"):
        contracts_of(file)


SEVERAL = """
int g, h, table[4];
struct node { int value; struct node *next; };
int first(const struct node *n, int *p, unsigned k) {
    if (k == 77) table[k & 3]++;
    if (p) { *p = n->value; g = 1; }
    return n->next ? 2 : 1;
}
"""


@with_a_compiler
@pytest.mark.parametrize(
    ("requires", "ensures", "assigns", "violated"),
    [
        (("valid(n)", "p == 0 || valid(p)"), ("result == 1 || result == 2",), ("*p", "g", "table[1]"), ""),
        (("valid(n)", "p == 0 || valid(p)"), ("forall(i, 0, 4, table[i] == old(table[i]))",), None, "ensures 1"),
        (("valid(n)", "valid(p) && separate(n, p)"), ("1", "*p == n->value && g == 1"), None, "ensures 2"),
        (("valid(n)", "valid(p) && separate(n, p) && separate(p, &g)"), ("*p == n->value",), ("*p", "g"), "assigns"),
        (("valid(n)",), ("result == 1",), None, "ensures 1"),
    ],
)
def test_an_attack(tmp_path: Path, requires: tuple[str, ...], ensures: tuple[str, ...], assigns: tuple[str, ...] | None, violated: str) -> None:
    """Null pointers, pointers to globals, a structure's successor, a write for one constant of the program."""
    file = tmp_path / "a.c"
    file.write_text(SEVERAL)
    contract = Contract(file, "first", requires, ensures, assigns)
    found = attack(contract, 20_000, 60.0)
    assert found.violated == violated, told(contract, found)
    assert found.calls > (0 if violated else 19_999)


@with_a_compiler
def test_calls_do_not_write_over_the_harness(tmp_path: Path) -> None:
    """A pointer to a smaller global variable, functions that are nowhere, members that are unnamed or call back."""
    file = tmp_path / "a.c"
    file.write_text("""
        char small; struct s { struct { int a, b; } pair[9]; int (*back)(void *); unsigned bit : 3; };
        int elsewhere(void);
        void clear(struct s *p, int (*f)(int), int x) {
          if (x == 5) x = elsewhere(); if (x == 6) f(x);
          for (unsigned i = 0; i < sizeof *p; i++) ((char *)p)[i] = 0; }""")
    found = attack(Contract(file, "clear", (), ("p->pair[8].b == 0",), None), 20_000, 60.0)
    assert found.calls == 20_000 and found.within > 20_000


@with_a_compiler
def test_mutants_break_their_contracts(tmp_path: Path) -> None:
    (clamp,) = [contract for file in FUNCTIONS if file.stem == "clamp" for contract in contracts_of(file)]
    assert mutate_functions.write([clamp], tmp_path, 1, 2_000, 0) == 1
    (row,) = json.loads((tmp_path / "mutants.json").read_text())
    (mutant,) = contracts_of(tmp_path / row["file"])
    assert mutant.ensures == clamp.ensures and row["violates"].startswith("ensures")


def test_what_is_inferred_is_compared_without_bounds(tmp_path: Path) -> None:
    """ACSL's sum does not wrap around: as `\\result == a + b` the machine's is false, and what a null pointer leads to
    is not asked for."""
    file = tmp_path / "f.c"
    file.write_text("int add(int a, int b) { return a + b; }\nint get(int *p) { return p ? *p : 7; }\n")
    cases = [
        ("add", "\\result == (int)(a + b)", ""), ("add", "\\result == a + b", "ensures 1"),
        ("get", "p != \\null ==> \\result == \\old(*p)", ""), ("get", "p == \\null ==> \\result == 8", "ensures 1"),
    ]  # fmt: skip
    for function, text, violated in cases:
        requires = [] if function == "add" else [{"text": "p == \\null || \\valid(p)"}]
        given = {
            "name": function, "requires": requires, "ensures": [{"text": text, "status": "proved"}], "assigns": [],
            "assigns_status": "proved",
        }  # fmt: skip
        contract, without = attack_inferred.claims(file, given)
        assert not without
        assert attack(contract, 3_000, 20.0).violated == violated
