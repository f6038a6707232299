"""Parsers that lark makes from grammar files, and what they refuse in the user's words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedToken

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.cache import cache_folder


def parser_of(grammar: Path, name: str, builder: Transformer[Token, Any]) -> Lark:
    """An LALR parser that starts at `program`. The tables are made once per version of lark and grammar, and kept in
    the user's cache folder as `name`."""
    folder = cache_folder()
    return Lark(
        grammar.read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        start="program",
        transformer=builder,
        cache=str(folder / name) if folder is not None else False,
    )


@dataclass(frozen=True, slots=True)
class Words:
    """What users call the terminals of a grammar: whole `groups` of them by one word, single ones by `named`; all
    others are what the grammar spells."""

    groups: Sequence[tuple[Collection[str], str]]
    named: Mapping[str, str]

    def expected(self, names: Collection[str], parser: Lark) -> str:
        """What could stand in a place."""
        spelled = {t.name: str(t.pattern.value) for t in parser.terminals if t.pattern.type == "str"}
        left = set(names)
        words = []
        for group, word in self.groups:
            if left.issuperset(group):
                words.append(word)
                left.difference_update(group)
        words += sorted(self.named.get(name) or f"`{spelled.get(name, name.lower())}`" for name in left)
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def refused(file: str, error: UnexpectedToken, parser: Lark, words: Words) -> UnusableInput:
    """The error with `file`, line, column and what was expected there."""
    token = error.token
    where = f"{file}:{token.line or 1}:{token.column or 1}"
    what = f"unexpected `{token}`"
    if token.type == "$END":
        where = f"{file}:{token.end_line or 1}:{token.end_column or 1}"
        what = "unexpected end of file"
    return UnusableInput(f"{where}: {what}: expected {words.expected(error.accepts or error.expected, parser)}")


def shown(character: str) -> str:
    """A character that no grammar knows; bytes that are no UTF-8 come as surrogates."""
    if character.isprintable():
        return f"`{character}`"
    return f"character {ord(character):#x}" if ord(character) < 0xDC80 else "byte that is no UTF-8 text"
