"""Clauses that no call keeps together are no precondition: what is proved under them is nothing."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

from counterpoint.cli.command import run_command
from counterpoint.entries.joint import related, says_something, with_pointers
from counterpoint.entries.literals import Clause, Literal, Rank, State

PROGRAM = """#include <stdlib.h>
void twice(int *a, int c) { if (c > 5) free(a); if (c < 7) free(a); }
void own(int *a, int c) { int *b = malloc(4); if (c > 5) free(b); if (c < 7) free(b); }
"""


def _number(operator: str, right: int) -> Literal:
    return Literal(Rank.SIGN, "n", operator, right, f"*p {operator} {right}", "", ("p",), "", ("p",))


NOT_NULL = Literal(Rank.NOT_NULL, "p", "!=", 0, "p != \\null", "")
NULL = Literal(Rank.NULL, "p", "==", 0, "p == \\null", "")
STATES: list[State] = [{"p": p, "n": n} for p in (0, 1) for n in (-1, 0, 1)]


def _says(*clauses: Clause) -> bool:
    return says_something(clauses, STATES)


def test_what_can_be_kept_together_says_something() -> None:
    assert _says()
    assert _says((NOT_NULL,), (_number(">=", 0),), (_number("!=", 0),))
    assert _says((NULL, _number(">=", 0)), (NULL, _number("<=", 0)))
    assert _says((NULL,))


def test_what_only_null_pointers_keep_says_nothing() -> None:
    above, below, other = (_number(">=", 0),), (_number("<=", 0),), (_number("!=", 0),)
    assert all(_says(*pair) for pair in combinations((above, below, other), 2))
    assert not _says(above, below, other)
    assert not _says((NULL, *above), (NULL, *below), (NULL, *other))
    assert not _says((NOT_NULL,), (NULL,))
    assert not _says((NULL,), above)


def test_pointers_that_a_clause_needs_are_tried() -> None:
    clause = (_number(">=", 0),)
    assert not says_something([clause], [{"p": 0, "n": 1}])
    assert says_something([clause], with_pointers(clause, [{"p": 0, "n": 1}]))


def test_only_what_speaks_of_the_same_can_contradict() -> None:
    number, beside = (_number(">=", 0),), (Literal(Rank.SIGN, "m", ">", 0, "*p > 0", "", ("p",)),)
    assert related([beside], number) == (number,)
    assert set(related([beside, (NULL,)], number)) == {number, (NULL,), beside}
    assert related([(NOT_NULL,), (_number("<", 0),)], number)[1:] == ((NOT_NULL,), (_number("<", 0),))


def test_no_function_requires_a_contradiction(tmp_path: Path) -> None:
    file, out = tmp_path / "p.c", tmp_path / "out.json"
    file.write_text(PROGRAM)
    run_command(["check", str(file), "--entry-each", "--timeout", "40", "--no-cache", "--json", str(out)])
    for entry in json.loads(out.read_text())["functions"]:
        texts = {one["text"] for one in entry["requires"]}
        assert len([text for text in texts if "*a" in text]) < 3, texts
        freed = [one for one in entry["checks"] if one["kind"] == "valid-free"]
        assert any(one["answer"] != "proved" for one in freed) or not texts
