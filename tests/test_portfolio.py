"""The portfolio: the pool of facts, features, schedules, and what they make of engines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from counterpoint.portfolio import pool as pool_module
from counterpoint.portfolio.pool import FilePool
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

X = build.variable("x", BitVec(32))


def below(limit: int) -> V:
    return build.ult(X, limit, 32)


def fact(limit: int, block: int = 1) -> Fact:
    return Fact("main", block, below(limit))


# ---------------------------------------------------------------- the pool


def test_facts_reach_others_and_never_oneself(tmp_path: Path) -> None:
    one, two = FilePool(tmp_path / "p", "f"), FilePool(tmp_path / "p", "f")
    one.tell([fact(7), fact(8)], proved=False, source="one")
    two.tell([fact(9)], proved=True, source="two")
    assert [(told.fact, told.proved, told.source) for told in two.heard()] == [
        (fact(7), False, "one"),
        (fact(8), False, "one"),
    ]
    assert [told.fact for told in one.heard()] == [fact(9)]
    assert one.heard() == two.heard() == []
    assert (one.told, one.heard_count, two.told, two.heard_count) == (2, 1, 1, 2)


def test_later_processes_hear_what_was_told_before(tmp_path: Path) -> None:
    FilePool(tmp_path / "p", "f").tell([fact(7)], proved=True, source="one")
    assert [told.fact for told in FilePool(tmp_path / "p", "f").heard()] == [fact(7)]


def test_repetitions_are_dropped_but_a_proof_is_news(tmp_path: Path) -> None:
    one, two = FilePool(tmp_path / "p", "f"), FilePool(tmp_path / "p", "f")
    one.tell([fact(7), fact(7)], proved=False, source="one")
    one.tell([fact(7)], proved=False, source="one")
    assert len(two.heard()) == 1
    two.tell([fact(7)], proved=False, source="two")
    assert one.heard() == []
    one.tell([fact(7)], proved=True, source="one")
    assert [told.proved for told in two.heard()] == [True]
    one.tell([fact(7)], proved=False, source="one")
    assert two.heard() == [] and one.told == 2


def test_facts_about_another_program_are_not_believed(tmp_path: Path) -> None:
    FilePool(tmp_path / "p", "other").tell([fact(7)], proved=True, source="one")
    assert FilePool(tmp_path / "p", "f").heard() == []


BROKEN = [
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"program": "f"}',
    b'{"program": "f", "function": "main", "block": "x", "formula": "", "proved": true, "source": ""}',
    b'{"program": "f", "function": "main", "block": 1, "formula": "(assert", "proved": true, "source": ""}',
    b'{"program": "f", "function": "main", "block": 1, "formula": "(check-sat)", "proved": 1, "source": ""}',
    b"[" * 50_000,
]


@pytest.mark.parametrize("line", BROKEN)
def test_broken_lines_are_passed_over(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(line + b"\n")
    one, two = FilePool(tmp_path / "p", "f"), FilePool(tmp_path / "p", "f")
    assert one.heard() == []
    one.tell([fact(7)], proved=False, source="one")
    assert [told.fact for told in two.heard()] == [fact(7)]


def test_proved_must_be_said_in_so_many_words(tmp_path: Path) -> None:
    FilePool(tmp_path / "p", "f").tell([fact(7)], proved=True, source="one")
    entry = json.loads((tmp_path / "p").read_text())
    (tmp_path / "p").write_text(json.dumps({**entry, "proved": "yes"}) + "\n")
    assert [told.proved for told in FilePool(tmp_path / "p", "f").heard()] == [False]


def test_half_a_line_waits_for_its_rest(tmp_path: Path) -> None:
    FilePool(tmp_path / "p", "f").tell([fact(7)], proved=False, source="one")
    whole = (tmp_path / "p").read_bytes()
    (tmp_path / "p").write_bytes(whole[:40])
    reader = FilePool(tmp_path / "p", "f")
    assert reader.heard() == []
    with (tmp_path / "p").open("ab") as file:
        file.write(whole[40:])
    assert [told.fact for told in reader.heard()] == [fact(7)]


def test_a_writer_killed_in_the_middle_spoils_only_its_own_line(tmp_path: Path) -> None:
    FilePool(tmp_path / "p", "f").tell([fact(7)], proved=False, source="one")
    (tmp_path / "p").write_bytes((tmp_path / "p").read_bytes()[:40])
    FilePool(tmp_path / "p", "f").tell([fact(8)], proved=False, source="two")
    assert [told.fact for told in FilePool(tmp_path / "p", "f").heard()] == [fact(8)]


def test_processes_that_write_at_once_do_not_mix(tmp_path: Path) -> None:
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            mine = FilePool(tmp_path / "p", "f")
            for step in range(50):
                mine.tell([fact(1000 * number + step + 1)], proved=False, source=str(number))
                mine.heard()
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    heard = FilePool(tmp_path / "p", "f").heard()
    assert len(heard) == 200
    for number in range(4):
        mine = [told.fact for told in heard if told.source == str(number)]
        assert mine == [fact(1000 * number + step + 1) for step in range(50)]


def test_the_pool_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MOST_FACTS", 5)
    many = FilePool(tmp_path / "p", "f")
    many.tell([fact(limit) for limit in range(1, 20)], proved=False, source="one")
    assert many.told == 5
    FilePool(tmp_path / "p", "f").tell([fact(30)], proved=False, source="two")
    assert len(FilePool(tmp_path / "p", "f").heard()) == 5
    monkeypatch.setattr(pool_module, "MOST_BYTES", (tmp_path / "p").stat().st_size)
    late = FilePool(tmp_path / "p", "f")
    late.tell([fact(40)], proved=False, source="three")
    assert late.told == 0
    monkeypatch.setattr(pool_module, "LONGEST", 10)
    short = FilePool(tmp_path / "q", "f")
    short.tell([fact(40)], proved=False, source="three")
    assert short.told == 0 and short.heard() == []


def test_a_pool_that_cannot_be_written_is_an_empty_one(tmp_path: Path) -> None:
    lost = FilePool(tmp_path / "nowhere" / "p", "f")
    lost.tell([fact(7)], proved=True, source="one")
    assert lost.heard() == [] and lost.told == 0
