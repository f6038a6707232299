"""How long a block has to be is asked of other calls too: no requirement fits a few runs only."""

from __future__ import annotations

import json
from pathlib import Path

from counterpoint.cli.command import run_command
from counterpoint.entries.enough import is_no_longer
from counterpoint.entries.literals import Literal, Rank

PROGRAM = """
struct state { int column; };
void hex(const unsigned char *text, int text_length, char *out, struct state *s) {
    for (const unsigned char *end = text + text_length; text < end; text++) {
        *out++ = "0123456789abcdef"[*text >> 4];
        *out++ = "0123456789abcdef"[*text & 15];
        s->column += 2;
    }
}
void copy(char *out, const char *in) {
    while (*in)
        *out++ = *in++;
    *out = 0;
}
void four(char *out, int k) {
    out[0] = 'a';
    if (k > 3) {
        out[1] = 'b';
        out[2] = 'c';
    }
    out[k > 7 ? 3 : 0] = 'd';
}
"""


def _least(value: int) -> Literal:
    return Literal(Rank.LENGTH, "length", ">=", value, "", "")


def _of_number(operator: str, times: int = 1, number: str = "n") -> Literal:
    return Literal(Rank.LENGTH, number, operator, "length", "", "", times=times)


def test_what_asks_for_no_more() -> None:
    assert is_no_longer(_least(3), _least(4)) and is_no_longer(_least(4), _least(4))
    assert not is_no_longer(_least(5), _least(4))
    assert is_no_longer(_of_number("<=", 2), _of_number("<=", 3))
    assert not is_no_longer(_of_number("<=", 3), _of_number("<=", 2))
    assert not is_no_longer(_of_number("<"), _of_number("<=", 2))  # of no elements
    assert not is_no_longer(_of_number("<=", 2, "m"), _of_number("<=", 3))
    assert not is_no_longer(_least(3), _of_number("<="))


def test_a_number_is_taken_more_than_once() -> None:
    twice = _of_number("<=", 2)
    assert twice.holds({"n": 4, "length": 8}) and not twice.holds({"n": 4, "length": 7})
    assert twice.holds({"n": -4, "length": 1})


def test_requirements_of_lengths(tmp_path: Path) -> None:
    file, out = tmp_path / "p.c", tmp_path / "out.json"
    file.write_text(PROGRAM)
    run_command(["check", str(file), "--entry-each", "--timeout", "90", "--no-cache", "--json", str(out)])
    found = {one["function"]: [r["text"] for r in one["requires"]] for one in json.loads(out.read_text())["functions"]}
    lengths = {name: {text for text in texts if "valid(out" in text} for name, texts in found.items()}
    assert lengths["four"] <= {f"out != \\null ==> \\valid(out + (0 .. {last}))" for last in (2, 3)}
    assert not lengths["copy"]
    assert not any("text_length" in text for text in found["hex"])  # that it be 0 leaves the loop dead
