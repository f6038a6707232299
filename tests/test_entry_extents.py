"""How long the blocks of an arbitrary caller have to be: what runs with other lengths tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.source import SourceLocation
from counterpoint.entries.extents import LONG, needed
from counterpoint.entries.findings import Required, once_a_line
from counterpoint.entries.given import Given, What
from counterpoint.entries.literals import State
from counterpoint.entries.trials import Fate, Trials

LENGTH = Given(What.LENGTH, "d", "d_length", "length_of_d")
NUMBER = Given(What.NUMBER, "n", "n", "value_of_n")


def _trials(ends: Callable[[int], Fate], short: int = 3) -> Trials:
    """A failing run that ends so with other lengths."""

    def rerun(state: State) -> tuple[Fate, State]:
        return ends(state[LENGTH.source]), state

    return Trials({LENGTH.source: short, NUMBER.source: 1}, (), rerun, dict)


def _passes_from(least: int) -> Trials:
    return _trials(lambda length: Fate.PASSES if length >= least else Fate.SAME)


@pytest.mark.parametrize("least", [4, 5, 16, 64, 1000, LONG])
def test_theleast_length_is_found_exactly(least: int) -> None:
    assert list(needed((NUMBER, LENGTH), [_passes_from(least), _passes_from(least)])) == [(LENGTH, least)]


def test_lengths_that_hang_on_something_else_are_left_out() -> None:
    assert not list(needed((LENGTH,), [_passes_from(8), _passes_from(9)]))
    assert not list(needed((LENGTH,), [_passes_from(LONG + 1)]))
    assert not list(needed((LENGTH,), [_trials(lambda _: Fate.NONE)]))
    assert not list(needed((LENGTH,), []))


def test_a_length_that_other_numbers_make_larger_is_left_out() -> None:
    """All three runs have one number by chance."""

    def rerun(state: State) -> tuple[Fate, State]:
        return Fate.PASSES if state[LENGTH.source] >= 4 * state[NUMBER.source] else Fate.SAME, state

    def run(most: int) -> Trials:
        numbers = cycle(range(1, most))
        return Trials({LENGTH.source: 3, NUMBER.source: 8}, (), rerun, lambda: {NUMBER.source: next(numbers)})

    assert not list(needed((NUMBER, LENGTH), [run(20), run(20), run(20)]))
    assert list(needed((NUMBER, LENGTH), [run(9)])) == [(LENGTH, 32)]


def test_the_whole_run_has_to_end_as_with_a_long_block() -> None:
    """Not only to fail elsewhere: what is behind the block at one line is so at the next."""

    def ends(length: int) -> Fate:
        return Fate.SAME if length < 7 else Fate.OTHER if length < 12 else Fate.PASSES

    assert list(needed((LENGTH,), [_trials(ends)])) == [(LENGTH, 12)]


PROGRAM = """#include <stdint.h>
void put(unsigned char *d, const uint32_t *s) {
    for (int i = 0; i < 5; i++) {
        d[i * 4] = s[i]; d[i * 4 + 1] = s[i] >> 8; d[i * 4 + 2] = s[i] >> 16; d[i * 4 + 3] = s[i] >> 24;
    }
}
uint32_t sum(const unsigned char *block) {
    uint32_t a = 0;
    for (int i = 0; i < 16; i++)
        a += block[3 * i] | (uint32_t)block[3 * i + 1] << 8;
    return a;
}
"""


def _checked(folder: Path) -> dict[str, Any]:
    file, out = folder / "p.c", folder / "out.json"
    file.write_text(PROGRAM)
    run_command(["check", str(file), "--entry-each", "--timeout", "60", "--no-cache", "--json", str(out)])
    return {one["function"]: one for one in json.loads(out.read_text())["functions"]}


def test_lengths_that_no_text_names(tmp_path: Path) -> None:
    found = _checked(tmp_path)
    texts = {name: {one["text"] for one in entry["requires"]} for name, entry in found.items()}
    assert texts["put"] >= {"d != \\null ==> \\valid(d + (0 .. 19))", "s != \\null ==> \\valid(s + (0 .. 4))"}
    assert texts["sum"] == {"block != \\null", "block != \\null ==> \\valid(block + (0 .. 46))"}
    assert not any("" in said for said in texts.values())
    assert len(found["sum"]["requires"]) == 2


def test_what_is_required_at_one_line_is_told_once() -> None:
    places = [SourceLocation("p.c", *at) for at in ((5, 9), (5, 30), (6, 9))]
    required = [Required("\\valid(d)", "valid-deref", at, "invalid write", True) for at in places]
    assert once_a_line(required) == (required[0], required[2])
