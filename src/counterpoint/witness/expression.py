"""Expressions of others: only C without effects gets into a program.

An expression is cut into tokens and parsed; what goes on is put together from the tokens. It has names, numbers,
characters, operators that change nothing, casts, members and elements; no calls, no assignments, no commas. What it
cannot do is judged by its tokens, so no name in it may be a macro (`monitor.py` sees to that).
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 100_000
_DEEPEST: Final = 200

_TOKEN: Final = re.compile(
    r"""\s+|(?P<number>(?:0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?|\d[\d.]*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)[uUlLfF]*)
    |(?P<name>[A-Za-z_]\w*)|(?P<character>'(?:[^'\\\n]|\\[^\n])+')|(?P<extended>\\(?:result|at|old)\b)
    |(?P<sign>->|<<=?|>>=?|[-+*/%&|^<>=!]=|\+\+|--|&&|\|\||[-+*/%&|^~!<>?:.,()=\[\]{};])""",
    re.VERBOSE,
)
_WORDS: Final = frozenset(
    {
        *("int", "char", "short", "long", "signed", "unsigned", "_Bool", "float", "double", "void", "__int128"),
        *("const", "volatile", "struct", "union", "enum"),
    }
)
_UNARY: Final = frozenset("+-!~*&")
_BINARY: Final = frozenset("+-*/%&|^<>") | {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}
_REFUSED_WORDS: Final = frozenset(
    {
        *("if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto"),
        *("sizeof", "_Alignof", "typeof", "__typeof__", "asm", "__asm__", "__extension__", "_Generic", "__auto_type"),
        *("inline", "static", "extern", "register", "auto", "typedef", "__attribute__", "_Atomic"),
    }
)
OPENS: Final = ("__builtin", "__counterpoint", "counterpoint_", "__cp_")
"""How names begin that no expression of others has."""


class NoExpression(Exception):
    """What was given is no such expression; the reason in words."""


@dataclass(frozen=True, slots=True)
class Expression:
    """`text` has a blank between any two tokens; `names` are its identifiers but those of members."""

    text: str
    names: frozenset[str]
    tokens: tuple[str, ...]


def parsed(text: str, types: Set[str] = frozenset(), extended: bool = False) -> Expression:
    """The expression; `types` are names of types, `extended` lets it speak of `\\result` and `\\at(x, Old)`.

    Raises NoExpression.
    """
    if len(text) > MOST_CHARACTERS:
        raise NoExpression(f"it has more than {MOST_CHARACTERS:,} characters")
    parser = _Parser(_tokens(text), types, extended)
    parser.conditional(0)
    if parser.here:
        raise NoExpression(f"`{parser.here}` is not expected behind `{parser.before}`")
    return Expression(" ".join(parser.tokens), frozenset(parser.names), tuple(parser.tokens))


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise NoExpression(f"`{text[position]}` is no part of a C expression")
        position = token.end()
        if not token[0].isspace():
            found.append(token[0])
    return found


class _Parser:
    """By recursive descent; precedence does not matter for what is allowed."""

    def __init__(self, tokens: list[str], types: Set[str], extended: bool) -> None:
        self.tokens, self.types, self.extended = tokens, types, extended
        self.at = 0
        self.names: set[str] = set()

    @property
    def here(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    @property
    def before(self) -> str:
        return self.tokens[self.at - 1] if self.at else ""

    def take(self, wanted: str) -> None:
        if self.here != wanted:
            raise NoExpression(f"`{wanted}` is expected, not `{self.here or 'the end'}`")
        self.at += 1

    def conditional(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise NoExpression("it is nested too deeply")
        self.operand(depth)
        while self.here in _BINARY:
            self.at += 1
            self.operand(depth)
        if self.here == "?":
            self.at += 1
            self.conditional(depth + 1)
            self.take(":")
            self.conditional(depth + 1)

    def operand(self, depth: int) -> None:
        steps = 0
        while self.here in _UNARY or self._cast():
            steps += 1
            if steps > _DEEPEST:
                raise NoExpression("it is nested too deeply")
            if self.here in _UNARY:
                self.at += 1
        self._primary(depth)
        while self.here in ("[", ".", "->"):
            sign = self.here
            self.at += 1
            if sign == "[":
                self.conditional(depth + 1)
                self.take("]")
            elif self._is_name(self.here):
                self.at += 1
            else:
                raise NoExpression(f"a member's name is expected behind `{sign}`")
        if self.here == "(":
            raise NoExpression("it calls a function")

    def _cast(self) -> bool:
        """Goes behind a cast; False, and nothing is changed, where there is none."""
        if self.here != "(":
            return False
        end = self.at + 1
        seen = False
        while end < len(self.tokens) and self._is_of_type(end):
            seen = seen or self.tokens[end] != "*"
            end += 1
        if not seen or end >= len(self.tokens) or self.tokens[end] != ")":
            return False
        self.at = end + 1
        return True

    def _is_of_type(self, at: int) -> bool:
        word = self.tokens[at]
        if word in _WORDS or word in self.types or word == "*":
            return True
        return self.tokens[at - 1] in ("struct", "union", "enum") and self._is_name(word)

    def _primary(self, depth: int) -> None:
        token = self.here
        if token == "(":
            self.at += 1
            self.conditional(depth + 1)
            self.take(")")
        elif token[:1] == "\\":
            self._special(token)
        elif token[:1].isdigit() or token[:1] == "'" or (token[:1] == "." and token[1:2].isdigit()):
            self.at += 1
        elif self._is_name(token):
            self.names.add(token)
            self.at += 1
        else:
            raise NoExpression(f"a value is expected, not `{token or 'the end'}`")

    def _special(self, token: str) -> None:
        """`\\result` and `\\at(x, Old)`, with the names that formats give to a function's entry."""
        if not self.extended:
            raise NoExpression(f"`{token}` means nothing here")
        self.at += 1
        if token == "\\result":
            return
        self.take("(")
        if not self._is_name(self.here):
            raise NoExpression(f"a variable's name is expected in `{token}(...)`")
        self.names.add(self.here)
        self.at += 1
        if token == "\\at":
            self.take(",")
            if self.here not in ("Old", "Pre"):
                raise NoExpression(f"`\\at(.., {self.here})` is not understood")
            self.at += 1
        self.take(")")

    def _is_name(self, token: str) -> bool:
        if not re.fullmatch(r"[A-Za-z_]\w*", token, re.ASCII) or token in _WORDS or token in _REFUSED_WORDS:
            return False
        if token.startswith(OPENS):
            raise NoExpression(f"`{token}` is a name of the checker's own")
        return True
