"""ACSL, the comments of Frama-C: `/*@ requires ... */` in front of functions, `/*@ loop invariant ... */` of loops.

Read are contracts of functions, their behaviors, loop invariants and assertions; other clauses are passed over.
Source: ANSI/ISO C Specification Language, version 1.17, sections 2.3 and 2.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.frontend.annotations.expressions import ACSL, Language, NoExpression, parsed
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.program.annotations import Says

_PIECE: Final = regex(
    r"""
    "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | /\*(?P<block>.*?)(?:\*/|\Z) | //(?P<line>(?:\\\r?\n|[^\n])*)
    | (?P<blank>\s+) | [^\s"'/]+ | .
    """,
    re.DOTALL | re.VERBOSE,
)
_CLAUSE: Final = regex(
    r"(?:\A|(?<=[;:]))\s*(?P<loop>loop\s+)?"
    r"(?P<word>requires|ensures|assigns|assumes|behavior|invariant|variant|decreases|terminates|frees|allocates|complete"
    r"|disjoint|assert|ghost|predicate|logic|axiomatic|lemma|type|global|admit|check)\b"
)
_REMARK: Final = regex(r"//[^\n]*|^[ \t]*@", re.MULTILINE)
_OF_BEHAVIORS: Final = regex(r"(?:\A|;)\s*for\b[^;:]*:\s*\Z")
_WORDS: Final = {
    "requires": Says.REQUIRES, "ensures": Says.ENSURES, "assert": Says.ASSERT, "check": Says.ASSERT,
}  # fmt: skip


def read(text: str, language: Language = ACSL) -> Iterator[Said | Broken]:
    """The conditions of a file's text, with the lines of the code that they stand in front of."""
    waiting: list[tuple[int, str]] = []
    line = 1
    for piece in _PIECE.finditer(text):
        comment = piece["block"] if piece["block"] is not None else piece["line"]
        if comment is not None and comment.startswith("@"):
            waiting.append((line, comment[1:]))
        elif comment is None and piece["blank"] is None and waiting:
            for begins, said in waiting:
                yield from _clauses(said, begins, line, piece.start(), language)
            waiting.clear()
        line += piece[0].count("\n")


def _clauses(comment: str, begins: int, line: int, offset: int, language: Language) -> Iterator[Said | Broken]:
    """Those of one comment, in front of what begins at the line and the offset."""
    text = _REMARK.sub(lambda found: " " * len(found[0]), comment.removesuffix("@"))
    heads = list(_CLAUSE.finditer(text))
    assumes: list[str] = []
    at, counted = begins, 0
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        body, word = text[head.end() : end].strip(), head["word"]
        at += text.count("\n", counted, head.start("word"))
        counted = head.start("word")
        if word == "behavior":
            assumes = []
            continue
        says = Says.INVARIANT if word == "invariant" and head["loop"] else _WORDS.get(word)
        if says is None and word not in ("assumes", "invariant"):
            continue
        try:
            if word == "invariant" and not head["loop"]:
                raise NoExpression("it is not of a loop")
            if _OF_BEHAVIORS.search(text, 0, head.start()):
                raise NoExpression("it is of a behavior only")
            if not body.endswith(";"):
                raise NoExpression("`;` is missing at its end")
            body = body[:-1].strip()
            parsed(body, language)
        except NoExpression as why:
            yield Broken(at, f"`{word} {' '.join(body.split())}`", str(why), begins)
            continue
        if says is None:
            assumes.append(f"({body})")
        else:
            yield Said(says, line, body, " && ".join(assumes), offset, begins)
