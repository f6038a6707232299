"""Expressions without effects: C's, and those of ACSL, with `\\result`, `\\old(e)`, `\\forall`, `==>` and ranges.

Only the form is read here; what names mean, and whether numbers have bounds, is the reader's business. An expression is
written from its tree, with blanks between all tokens, so that no two of them become another one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass


class NoExpression(Exception):
    """The text is no expression that is understood; the reason in words."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer or character constant; `text` as it is written, which tells its type."""

    value: int
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Real:
    """A floating constant."""

    text: str


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
    """`sign`: an operator of C without effect; in ACSL also `==>`, `<==>`, `^^`, and `..` for a range."""

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


Expression: TypeAlias = Number | Real | Name | Unary | Binary | Choice | Cast | Apply | Element | Field | Every


@dataclass(frozen=True, slots=True)
class Language:
    """`types`: names of types; `logic`: the operators of ACSL are read, and `a < b == c` says both. Limits are those of
    an expression's characters and of what is nested in it."""

    types: Set[str]
    logic: bool
    longest: int
    deepest: int


C_TYPES: Final = frozenset({
    "char", "short", "int", "long", "unsigned", "signed", "_Bool", "float", "double", "void", "struct", "union", "enum",
    "const", "volatile", "__int128",
})  # fmt: skip
ACSL: Final = Language(
    C_TYPES | {"integer", "size_t", "ssize_t", "uintptr_t", "intptr_t"}
    | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    logic=True, longest=20_000, deepest=60,
)  # fmt: skip

_TOKEN: Final = regex(
    r"""\s*(?:
    (?P<real>(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+
             |\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)[fFlL]?(?![\w.]))
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]{0,3}(?!\w|\.(?!\.)))
  | (?P<character>'(?:[^'\\\n]|\\(?:[abfnrtv'"?\\]|[0-7]{1,3}|x[0-9a-fA-F]{1,2}))')
  | (?P<name>\\?[A-Za-z_$\x80-\U0010ffff][\w$\x80-\U0010ffff]*)
  | (?P<sign><==>|==>|\.\.|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\^\^|/[*/]|[-+*/%&|^]=
      |[-+*/%<>!~&|^?:;,.()=\[\]{}])
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
_STRENGTH: Final = {
    "<==>": 2, "==>": 3, "||": 4, "^^": 5, "&&": 6, "|": 7, "^": 8, "&": 9, "==": 10, "!=": 10,
    "<": 11, "<=": 11, ">": 11, ">=": 11, "..": 12, "<<": 13, ">>": 13, "+": 14, "-": 14, "*": 15, "/": 15, "%": 15,
}  # fmt: skip
_CHOICE: Final = 1
_PREFIX: Final = 16
_POSTFIX: Final = 17
_LOGIC: Final = frozenset({"<==>", "==>", "^^", ".."})
_COMPARED: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_UNARY: Final = frozenset("-+!~*&")


def parsed(text: str, language: Language = ACSL) -> Expression:
    """The expression. Raises NoExpression."""
    if len(text) > language.longest:
        raise NoExpression(f"it has more than {language.longest:,} characters")
    reader = _Reader(_tokens(text), language)
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
    language: Language
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
        if depth > self.language.deepest:
            raise NoExpression("it goes too deep")
        if self.peek() in ("\\forall", "\\exists"):
            return self.every(depth)
        left, middle = self.unary(depth + 1), None
        while True:
            sign = self.peek()
            strength = self.strength(sign)
            if sign == "?" and least <= _CHOICE:
                left, middle = self.choice(left, depth), None
            elif strength < max(least, 0):
                return left
            else:
                left, middle = self.operated(left, middle, strength, depth)

    def strength(self, sign: str) -> int:
        """How strongly the operator binds, -1 if it is none; all of ACSL's comparisons bind alike."""
        if not self.language.logic:
            return _STRENGTH.get(sign, -1) if sign not in _LOGIC else -1
        return _STRENGTH["<"] if sign in _COMPARED else _STRENGTH.get(sign, -1)

    def operated(
        self, left: Expression, middle: Expression | None, strength: int, depth: int
    ) -> tuple[Expression, Expression | None]:
        """`left`, the operator that stands behind it, and its other operand; in `a < b < c`, where `a < b` is on the
        left, b is the `middle`: this, or None, is given back for the next one."""
        sign = self.take()
        right = self.expression(strength + (sign != "==>"), depth + 1)
        if sign not in _COMPARED or not self.language.logic:
            return Binary(sign, left, right), None
        if middle is not None:
            _refuse_directions([sign, *_chained(left)])
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
            if self.take() not in self.language.types:
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
        if depth > self.language.deepest:
            raise NoExpression("it goes too deep")
        sign = self.peek()
        if sign in _UNARY:
            self.take()
            return Unary(sign, self.unary(depth + 1))
        if sign == "(" and self.peek(1) in self.language.types:
            self.take()
            type_ = self.type()
            self.take(")")
            return Cast(type_, self.unary(depth + 1))
        return self.postfix(depth)

    def type(self) -> str:
        words: list[str] = []
        while self.peek() not in (")", ""):
            word = self.take()
            is_tag = bool(words) and words[-1] in ("struct", "union", "enum") and _is_name(word)
            if word != "*" and not is_tag and word not in self.language.types:
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
                member = self.take()
                if not _is_name(member):
                    raise NoExpression(f"a member's name is expected, not `{member}`")
                found = Field(found, member, sign == "->")
        return found

    def primary(self, depth: int) -> Expression:
        token = self.take()
        if token == "(":
            inner = self.expression(0, depth + 1)
            self.take(")")
            return inner
        if token[0].isdigit() or (token[0] == "." and token[1:2].isdigit()):
            number = _number(token)
            if isinstance(number, Real) and self.language.logic:
                raise NoExpression(f"`{token}` is no whole number")
            return number
        if token[0] == "'":
            return Number(_character(token), token)
        if not _is_name(token.removeprefix("\\")):
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


def _is_name(token: str) -> bool:
    """Of a token: with `$` and letters beyond ASCII, whatever they are, as the text may be one of bytes."""
    return not token.isascii() or token.replace("$", "_").isidentifier()


def _chained(left: Expression) -> Iterator[str]:
    """The comparisons of a chain, from the last one on."""
    while isinstance(left, Binary) and left.sign == "&&" and isinstance(left.two, Binary):
        yield left.two.sign
        left = left.one
    if isinstance(left, Binary):
        yield left.sign


def _refuse_directions(signs: Collection[str]) -> None:
    """Unless all go one way, as ACSL wants it (section 2.2.1)."""
    if "!=" in signs or len({sign[0] for sign in signs} - {"="}) > 1:
        raise NoExpression("comparisons of a chain do not go one way")


def _number(token: str) -> Number | Real:
    digits = token.rstrip("uUlL")
    try:
        if digits[:2].lower() == "0x" and "p" not in digits.lower():
            return Number(int(digits, 16), token)
        if digits.isdecimal():
            return Number(int(digits, 8 if digits.startswith("0") else 10), token)
    except ValueError:
        raise NoExpression(f"`{token[:20]}` is no number") from None
    return Real(token)


def _character(token: str) -> int:
    inside = token[1:-1]
    if not inside.isascii():
        raise NoExpression(f"the character {token} is not understood")
    if not inside.startswith("\\"):
        return ord(inside)
    if inside[1] in _ESCAPES:
        return _ESCAPES[inside[1]]
    value = int(inside[2:], 16) if inside[1] == "x" else int(inside[1:], 8)
    if value > 127:
        raise NoExpression(f"whether the character {token} is negative is not known")
    return value


# ---------------------------------------------------------------- trees


def below(expression: Expression) -> Iterator[Expression]:
    """The expression and all in it, without recursion."""
    waiting: list[Expression] = [expression]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(_operands(found)))


def _operands(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Unary(_, arg) | Cast(_, arg):
            return (arg,)
        case Binary(_, one, two):
            return one, two
        case Choice(condition, one, two):
            return condition, one, two
        case Apply(_, args):
            return args
        case Element(start, index):
            return start, index
        case Field(of):
            return (of,)
        case Every(_, body):
            return (body,)
    return ()


def in_c(expression: Expression, words: Mapping[Expression, str]) -> str:
    """As C that is read as this tree: a blank between any two tokens, and parentheses where they are needed. `words`:
    for names and applications that C does not have.

    Raises NoExpression for what has no C.
    """
    return " ".join(_written(expression, 0, words))


def _written(expression: Expression, least: int, words: Mapping[Expression, str]) -> Iterator[str]:
    """Its tokens, where operators that bind less than `least` stand in parentheses."""
    strength = _strength(expression)
    if strength < least:
        yield "("
        yield from _written(expression, 0, words)
        yield ")"
        return
    match expression:
        case Number(value, text):
            yield text or str(value)
        case Name() | Apply() if expression in words:
            yield words[expression]
        case Real(text) | Name(text) if not text.startswith("\\"):
            yield text
        case Unary(sign, arg):
            yield sign
            yield from _written(arg, _PREFIX, words)
        case Cast(type_, arg):
            yield from ("(", type_, ")")
            yield from _written(arg, _PREFIX, words)
        case Binary(sign) if sign not in _LOGIC:
            yield from _chain(expression, strength, words)
        case Choice(condition, one, two):
            yield from _written(condition, _CHOICE + 1, words)
            yield "?"
            yield from _written(one, 0, words)
            yield ":"
            yield from _written(two, _CHOICE, words)
        case Element(start, index):
            yield from _written(start, _POSTFIX, words)
            yield "["
            yield from _written(index, 0, words)
            yield "]"
        case Field(of, name, arrow):
            yield from _written(of, _POSTFIX, words)
            yield from ("->" if arrow else ".", name)
        case _:
            raise NoExpression("it has parts that are not C")


def _chain(expression: Expression, strength: int, words: Mapping[Expression, str]) -> Iterator[str]:
    """Operators that bind as strongly, from the left, however many there are."""
    behind: list[tuple[str, Expression]] = []
    while isinstance(expression, Binary) and _STRENGTH[expression.sign] == strength:
        behind.append((expression.sign, expression.two))
        expression = expression.one
    yield from _written(expression, strength + 1, words)
    for sign, operand in reversed(behind):
        yield sign
        yield from _written(operand, strength + 1, words)


def _strength(expression: Expression) -> int:
    match expression:
        case Binary(sign):
            return _STRENGTH[sign]
        case Choice():
            return _CHOICE
        case Unary() | Cast():
            return _PREFIX
    return _POSTFIX
