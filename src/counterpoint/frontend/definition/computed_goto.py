"""GNU C's labels as values: the address of a label becomes a number, `goto *p` a switch over numbers.

A number that belongs to no label of the function is UNSUPPORTED.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.lower.text import NAME

_ADDRESS = regex(rf"blockaddress\(@({NAME}), %({NAME})\)")
_JUMP = regex(r"^  indirectbr ptr (.*), \[(.*)\]")
_WORD = regex(r'^target datalayout = "[^"]*\bp:(\d+):', re.MULTILINE)


def numbered_labels(text: str) -> tuple[str, dict[tuple[str, str], int]]:
    """The module with every address of a label as a number, and the numbers by function and label."""
    if "blockaddress(" not in text:
        return text, {}
    numbers: dict[tuple[str, str], int] = {}
    found = _WORD.search(text)
    word = f"i{found[1] if found else 64}"

    def number(match: re.Match[str]) -> str:
        value = numbers.setdefault((match[1], match[2]), len(numbers) + 1)
        return f"inttoptr ({word} {value} to ptr)"

    return _ADDRESS.sub(number, text), numbers


def rewrite(body: Body, line: str, debug: str) -> None:
    """Replaces an `indirectbr` line."""
    match = _JUMP.match(line)
    if match is None:
        body.unsupported("a computed goto", debug)
        body.out.append(line)
        return
    address, word = match[1], body.shared.word
    value = body.compute(f"ptrtoint ptr {address} to {word}", debug)
    cases = []
    for label in dict.fromkeys(re.findall(rf"label %({NAME})", match[2])):  # taken twice: listed twice
        number = body.shared.labels.get((body.function.name, label))
        if number is not None:
            cases.append(f"{word} {number}, label %{label}")
    other = body.fresh_label("other")
    body.emit(f"switch {word} {value}, label %{other} [ {' '.join(cases)} ]", debug)
    source = body.block
    body.out.append(f"{other}:")
    body.block = other
    body.unsupported("a computed goto to no label of this function", debug)
    body.out.append("  unreachable")
    body.moved[body.original] = source
