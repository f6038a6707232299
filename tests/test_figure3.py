"""What benchmarks/figure3.py counts: the checkers' checks, the tokens of a grammar, rows by name."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.core.errors import UnusableInput
from counterpoint.execute.subject import MODULAR, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Program
from counterpoint.program.validate import validate

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import figure3
import figure3_rows
from figure3_checkers import CHECKERS, NULL

TEXT = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int one, two; };
int main(void) {
    int a[4] = {0}, i = __VERIFIER_nondet_int();
    char to[4];
    struct pair *p = i == 5 ? NULL : malloc(sizeof *p);
    p->one = p->two = 1;
    if (i > 7) a[i] = 1;
    if (i == 3) strcpy(to, "four");
    return 0;
}
"""

TASK = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int half(int x) { return x > 100 ? x / 3 : x / 2; }
int main(void) {
    int x = __VERIFIER_nondet_int(), y = half(x), z = x > 7 ? half(y) : y;
    if (x == 5) reach_error();
    if (y + z < -4000000 && x > 0) reach_error(); return 0; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("figure3") / "a.c"
    file.write_text(TEXT)
    return compile_subject(SourceTask((file,), "LP64", property="memory-safety")).program(MODULAR)


def lines(program: Program) -> list[int]:
    """Where the checks stand that count."""
    assert program.focus is not None
    validate(program)
    return sorted({program.checks[index].at.line for index in program.focus})


@pytest.mark.parametrize(("letter", "where"), [("A", [11]), ("N", [10])])
def test_a_checker_has_its_checks(program: Program, letter: str, where: list[int]) -> None:
    assert lines(CHECKERS[letter].choose(program)) == where


def test_strings_are_what_the_library_accesses(program: Program) -> None:
    chosen = CHECKERS["S"].choose(program)
    assert chosen.focus
    assert 11 not in lines(chosen) and 10 not in lines(chosen)


def test_a_null_pointer_is_found_and_what_it_is_not_is_excluded(program: Program) -> None:
    null = CHECKERS["N"].choose(program)
    assert {null.checks[index].message for index in null.focus or ()} == {NULL}
    for letter, strategy in (("N", "ir"), ("N", "dcr+"), ("A", "ir")):
        chosen = CHECKERS[letter].choose(program)
        found = figure3.measure(chosen, {"inertial.strategy": strategy, "inertial.contexts": "1"}, 60.0)
        assert (found["ended"], found["violated"], found["given_up"]) == (True, 1, 0)


def test_a_table_of_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.c"
    file.write_text(TASK)
    row = figure3_rows.Row("t", "", (str(file),), checkers="R")
    options = Namespace(strategies="ir,dcr+", seconds=30.0, contexts=1, query=2, sources=tmp_path, json=tmp_path / "kept.json")
    every = figure3.table([row], options)
    figure3.summed_up(every, ["ir", "dcr+"])
    assert [(one["name"], one["strategy"], one["error_conditions"], one["violated"]) for one in every] == [
        ("t-R", "ir", 2, 1),
        ("t-R", "dcr+", 2, 1),
    ]
    printed = capsys.readouterr().out
    assert "| t-R | 7 | 2 | 3 | " in printed
    assert "Rows in which all ended: 1 of 1\nir: 3 regions" in printed
    (failed,) = figure3.table([replace(row, files=("nowhere.c",))], options)
    assert "failed: " in str(failed["error"])


def test_conditions_that_both_decided_are_compared_region_by_region(capsys: pytest.CaptureFixture[str]) -> None:
    """Only what both say is, however long the runs were; a region counts for each condition that it is entered for."""
    mine = {"a": ["excluded", 3, 1.5], "b": ["open", 9, 9.0], "c": ["violated", 1, 0.5], "d": ["excluded", 0, 0.0]}
    other = {"a": ["excluded", 1, 1.0], "b": ["excluded", 2, 1.0], "c": ["given up", 4, 1.0], "d": ["excluded", 0, 0.0]}
    runs = [{"name": "x-A", "strategy": "dcr+", "conditions": mine}, {"name": "x-A", "strategy": "ir", "conditions": other}]
    assert figure3.in_common(*runs) == figure3.Common(2, 1, (3, 1), (1.5, 1.0))
    figure3.compared(runs, ["dcr+", "ir"])
    assert "| all | 2 | 1 | 3 | 1 | 1.5 | 1.0 |" in capsys.readouterr().out
    mine["a"] = ["violated", 3, 1.5]
    with pytest.raises(AssertionError, match="strategies disagree"):
        figure3.in_common(*runs)


def test_what_is_said_of_conditions_adds_up(tmp_path: Path) -> None:
    file = tmp_path / "t.c"
    file.write_text(TASK)
    program = CHECKERS["R"].choose(compile_subject(SourceTask((file,), "LP64", property="unreach-call")).program(MODULAR))
    for strategy in ("ir", "dcr+"):
        found = figure3.measure(program, {"inertial.strategy": strategy, "inertial.contexts": "1"}, 60.0)
        conditions = found["conditions"]
        assert isinstance(conditions, dict) and len(conditions) == found["error_conditions"] == 2
        entered = sum(regions for _, regions, _ in conditions.values())
        assert entered == found["regions_expanded"] and found["regions_distinct"] == 2 <= entered
        assert {said for said, _, _ in conditions.values()} == {"excluded", "violated"}


def test_tokens_are_numbered_as_yacc_does(tmp_path: Path) -> None:
    (tmp_path / "Src").mkdir()
    (tmp_path / "Src/spin.y").write_text("%{\n#define A\n%}\n%token\tA B\t/* val */\n%right  C\n%left '|'\n%left '+' D\n%%\n")
    (row,) = [row for row in figure3_rows.ROWS if row.name == "spin"]
    text = row.made["Src/y.tab.h"](tmp_path)
    assert text == "#define A 258\n#define B 259\n#define C 260\n#define D 261\n"


def test_rows_by_name_and_checker() -> None:
    assert len(figure3_rows.ROWS) == 10 and all(set(row.checkers) == set("ANS") for row in figure3_rows.ROWS)
    chosen = figure3._chosen(figure3_rows.ROWS, "cjson-A,bc")
    assert [(row.name, row.checkers) for row in chosen] == [("cjson", "A"), ("bc", "ANS")]
    with pytest.raises(UnusableInput, match="row `x`: expected some of cjson"):
        figure3._chosen(figure3_rows.ROWS, "x")
