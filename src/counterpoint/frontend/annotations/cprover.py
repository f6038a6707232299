"""CBMC's clauses: `__CPROVER_loop_invariant(...)` between a loop's head and its body, `__CPROVER_requires(...)` and
`__CPROVER_ensures(...)` behind a function's parameters. Other clauses are passed over. Source: CBMC's manual, "Code
Contracts".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.frontend.annotations.expressions import NoExpression, parsed
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.program.annotations import Says

_TOKEN: Final = regex(
    r"""(?P<remark>/\*.*?(?:\*/|\Z)|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<blank>\s+)
    |(?P<directive>(?<![^\n])[ \t]*\#(?:\\\n|[^\n])*)|(?P<word>(?!\d)[\w$]+)|.""",
    re.DOTALL | re.VERBOSE,
)
_CLAUSES: Final = {
    "__CPROVER_loop_invariant": Says.INVARIANT,
    "__CPROVER_requires": Says.REQUIRES,
    "__CPROVER_ensures": Says.ENSURES,
}
_PREFIX: Final = "__CPROVER_"
_WORDS: Final = ((re.compile(r"\b__CPROVER_return_value\b"), r"\\result"), (re.compile(r"\b__CPROVER_old\b"), r"\\old"))


def read(text: str) -> Iterator[Said | Broken]:
    """The conditions of a file's text, with the lines of the loops and functions that they stand behind."""
    tokens = [found for found in _TOKEN.finditer(text) if not (found["remark"] or found["blank"] or found["directive"])]
    head, opened, at = 0, list[int](), 0
    while at < len(tokens):
        found = tokens[at][0]
        if found == "(":
            opened.append(tokens[at].start())
        elif found == ")" and opened:
            head = opened.pop()
        elif found in (";", "{", "}"):
            head = head if opened else 0
        elif found.startswith(_PREFIX) and not opened and head:
            end = _closing(tokens, at + 1)
            if end is None:
                return
            if found in _CLAUSES:
                inside = text[tokens[at + 1].end() : tokens[end].start()]
                line, own = (text.count("\n", 0, offset) + 1 for offset in (head, tokens[at].start()))
                yield _clause(_CLAUSES[found], inside, line, own)
            at = end
        at += 1


def _closing(tokens: list[re.Match[str]], at: int) -> int | None:
    """Where the parentheses that open there are closed."""
    depth = 0
    for number in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[number][0], 0)
        if depth <= 0:
            return number if number > at else None
    return None


def _clause(says: Says, inside: str, line: int, at: int) -> Said | Broken:
    said = " ".join(_TOKEN.sub(lambda found: " " if found["remark"] else found[0], inside).split())
    for pattern, meant in _WORDS:
        said = pattern.sub(meant, said)
    try:
        parsed(said)
    except NoExpression as why:
        return Broken(at, f"`{says.value} {said}`", str(why))
    return Said(says, line, said)
