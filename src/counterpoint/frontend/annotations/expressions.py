"""Expressions of specification languages: C's without effects, and `\\result`, `\\old(e)`, `\\forall`, `==>`, ranges.

Only the form is read here; what names mean, and whether numbers have bounds, is the reader's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias


class NoExpression(Exception):
    """The text is no expression that is understood; the reason in words."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer or character constant."""

    value: int


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or a word of the language, as `\\result`, with its backslash."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary:
    """`sign`: one of - + ! ~ * &."""

    sign: str
    arg: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """`sign`: an operator of C without effect, `==>` or `<==>`, `..` for a range, `,` for nothing."""

    sign: str
    one: Expression
    two: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? one : two`."""

    condition: Expression
    one: Expression
    two: Expression


@dataclass(frozen=True, slots=True)
class Cast:
    """`type`: as it is written, its words with one blank between them."""

    type: str
    arg: Expression


@dataclass(frozen=True, slots=True)
class Apply:
    """`\\old(x)`, `\\valid(p)`: a word of the language or a function's name."""

    name: str
    args: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """`start[index]`."""

    start: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Field:
    """`of.name`, or of what `of` points to (`arrow`)."""

    of: Expression
    name: str
    arrow: bool


@dataclass(frozen=True, slots=True)
class Every:
    """`\\forall integer name; body`, or `\\exists` (not `all`)."""

    name: str
    body: Expression
    all: bool = True


Expression: TypeAlias = Number | Name | Unary | Binary | Choice | Cast | Apply | Element | Field | Every

LONGEST: Final = 20_000
"""Characters of an expression."""

DEEPEST: Final = 60

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.]))
  | (?P<character>'(?:[^'\\\n]|\\.)')
  | (?P<name>\\?[A-Za-z_]\w*)
  | (?P<sign><==>|==>|\.\.|->|<<|>>|<=|>=|==|!=|&&|\|\||\^\^|[-+*/%<>!~&|^?:;,.()\[\]{}])
    )""",
    re.VERBOSE,
)
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}
_STRENGTH: Final = {
    "<==>": 1, "==>": 2, "||": 4, "^^": 5, "&&": 6, "|": 7, "^": 8, "&": 9, "==": 10, "!=": 10,
    "<": 11, "<=": 11, ">": 11, ">=": 11, "..": 12, "<<": 13, ">>": 13, "+": 14, "-": 14, "*": 15, "/": 15, "%": 15,
}  # fmt: skip
_CHOICE: Final = 3
_COMPARED: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_UNARY: Final = frozenset("-+!~*&")
_TYPES: Final = frozenset({
    "char", "short", "int", "long", "unsigned", "signed", "_Bool", "float", "double", "void", "struct", "union", "enum",
    "const", "volatile", "integer", "size_t", "ssize_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
    "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "intptr_t",
})  # fmt: skip


def parsed(text: str) -> Expression:
    """The expression. Raises NoExpression."""
    if len(text) > LONGEST:
        raise NoExpression("it is too long")
    reader = _Reader(_tokens(text))
    found = reader.expression(0, 0)
    if reader.at < len(reader.tokens):
        raise NoExpression(f"`{reader.tokens[reader.at]}` was not expected")
    return found


def _tokens(text: str) -> list[str]:
    found, at = list[str](), 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NoExpression(f"`{text[at : at + 10].strip()}` is not understood")
        found.append(match[match.lastgroup or 0])
        at = match.end()
    return found


@dataclass(slots=True)
class _Reader:
    """Precedence climbing over tokens."""

    tokens: list[str]
    at: int = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise NoExpression(f"expected {f'`{wanted}`' if wanted else 'more'} before `{found or 'the end'}`")
        self.at += 1
        return found

    def expression(self, least: int, depth: int) -> Expression:
        """Operators that bind at least so strongly."""
        if depth > DEEPEST:
            raise NoExpression("it goes too deep")
        if self.peek() in ("\\forall", "\\exists"):
            return self.every(depth)
        left, middle = self.unary(depth + 1), None
        while True:
            sign = self.peek()
            strength = _STRENGTH.get(sign, -1)
            if sign == "?" and least <= _CHOICE:
                left, middle = self.choice(left, depth), None
            elif strength < max(least, 0):
                return left
            else:
                left, middle = self.operated(left, middle, strength, depth)

    def operated(
        self, left: Expression, middle: Expression | None, strength: int, depth: int
    ) -> tuple[Expression, Expression | None]:
        """`left`, the operator that stands behind it, and its other operand; in `a < b < c`, where `a < b` is on the
        left, b is the `middle`: this, or None, is given back for the next one."""
        sign = self.take()
        right = self.expression(strength + (sign != "==>"), depth + 1)
        if sign not in _COMPARED or strength < _STRENGTH["<"]:
            return Binary(sign, left, right), None
        if middle is not None:
            return Binary("&&", left, Binary(sign, middle, right)), right
        return Binary(sign, left, right), right

    def choice(self, condition: Expression, depth: int) -> Expression:
        self.take("?")
        one = self.expression(0, depth + 1)
        self.take(":")
        return Choice(condition, one, self.expression(_CHOICE, depth + 1))

    def every(self, depth: int) -> Expression:
        all_ = self.take() == "\\forall"
        while self.peek(1) not in (";", ","):
            if self.take() not in _TYPES:
                raise NoExpression("a quantified variable has a type of numbers")
        names = [self.take()]
        while self.peek() == ",":
            self.take()
            names.append(self.take())
        self.take(";")
        body = self.expression(0, depth + 1)
        for name in reversed(names):
            body = Every(name, body, all_)
        return body

    def unary(self, depth: int) -> Expression:
        if depth > DEEPEST:
            raise NoExpression("it goes too deep")
        sign = self.peek()
        if sign in _UNARY:
            self.take()
            return Unary(sign, self.unary(depth + 1))
        if sign == "(" and self.peek(1) in _TYPES:
            self.take()
            type_ = self.type()
            self.take(")")
            return Cast(type_, self.unary(depth + 1))
        return self.postfix(depth)

    def type(self) -> str:
        words = []
        while self.peek() not in (")", ""):
            word = self.take()
            if word != "*" and not word.isidentifier():
                raise NoExpression(f"`{word}` is no part of a type")
            words.append(word)
        return " ".join(words)

    def postfix(self, depth: int) -> Expression:
        found = self.primary(depth)
        while (sign := self.peek()) in ("[", ".", "->"):
            self.take()
            if sign == "[":
                found = Element(found, self.expression(0, depth + 1))
                self.take("]")
            else:
                found = Field(found, self.take(), sign == "->")
        return found

    def primary(self, depth: int) -> Expression:
        token = self.take()
        if token == "(":
            inner = self.expression(0, depth + 1)
            self.take(")")
            return inner
        if token[0].isdigit():
            return Number(_number(token))
        if token[0] == "'":
            return Number(_character(token))
        if not (token[0].isalpha() or token[0] in "_\\"):
            raise NoExpression(f"`{token}` was not expected")
        if self.peek() != "(":
            return Name(token)
        self.take()
        args = [] if self.peek() == ")" else [self.expression(0, depth + 1)]
        while self.peek() == ",":
            self.take()
            args.append(self.expression(0, depth + 1))
        self.take(")")
        return Apply(token, tuple(args))


def _number(token: str) -> int:
    digits = token.rstrip("uUlL")
    if digits[:2].lower() == "0x":
        return int(digits, 16)
    try:
        return int(digits, 8 if digits.startswith("0") else 10)
    except ValueError:
        raise NoExpression(f"`{token}` is no number") from None


def _character(token: str) -> int:
    inside = token[1:-1]
    if not inside.startswith("\\"):
        return ord(inside)
    if inside[1] not in _ESCAPES:
        raise NoExpression(f"the character {token} is not understood")
    return _ESCAPES[inside[1]]
