"""Answers about programs that are kept: by identity, for the last few."""

from __future__ import annotations

from dataclasses import replace

from c_programs import program
from counterpoint.program.model import Program
from counterpoint.program.remembered import remembered

TEXT = "int main(void) { return 0; }"


def test_answers_are_kept_by_identity_and_by_what_else_is_asked() -> None:
    asked: list[tuple[Program, int]] = []

    @remembered(2)
    def number(of: Program, more: int) -> int:
        asked.append((of, more))
        return len(asked)

    one = program(TEXT)
    other = replace(one)
    assert other == one
    assert [number(one, 1), number(one, 1), number(one, 2), number(other, 1)] == [1, 1, 2, 3]
    assert number(one, 2) == 2 and number(other, 1) == 3
    assert number(one, 1) == 4, "the first answer had to go"
    assert [more for _, more in asked] == [1, 2, 1, 1]
