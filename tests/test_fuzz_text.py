"""A few programs with pieces of IR as names and strings; more of them: `make fuzz-text N=30000`."""

from __future__ import annotations

import pytest

from fuzz_text import checked, compared, literal, unevaluated


@pytest.mark.parametrize("seed", [3, 21])
def test_names_and_strings_change_no_program(seed: int) -> None:
    counts, told = compared(seed)
    assert not told
    assert counts["the same"] == 10


@pytest.mark.parametrize("seed", [8, 29, 54, 75])
def test_names_and_strings_change_no_answer(seed: int) -> None:
    counts, told = checked(seed)
    assert not told
    assert not any(answer.startswith("refused") for answer in counts)


def test_strings_are_spelled_for_c() -> None:
    assert literal('a"\n?ä\udcff') == '"a\\042\\012\\077\\303\\244\\377"'
    assert unevaluated('a"\n\\ä') == '"a\\"\\n\\\\ä"'
