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
    refused = [answer for answer in counts if answer.startswith("refused")]
    assert all("what the checker's own library is called" in answer for answer in refused)


def test_strings_are_spelled_for_c() -> None:
    assert literal('a"\n?ä\udcff') == '"a\\042\\012\\077\\303\\244\\377"'
    assert unevaluated('a"\n\\ä') == '"a\\"\\n\\\\ä"'
