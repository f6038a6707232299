"""The value of a condition of ACSL, in numbers without bounds, by a reader of its own."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

WIDTHS = {
    "char": (8, True), "signed char": (8, True), "unsigned char": (8, False), "short": (16, True), "unsigned short": (16, False),
    "int": (32, True), "unsigned": (32, False), "unsigned int": (32, False), "long": (64, True), "unsigned long": (64, False),
}  # fmt: skip
WORDS = ("signed", "unsigned", "char", "short", "int", "long")
TOKEN = re.compile(r"\s*(\\?\w+|==>|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:()\[\];])")
INDICES = range(-1, 9)
"""What `integer` variables stand for."""


class Unknown(Exception):
    """The condition speaks of what is not known here."""


@dataclass(frozen=True)
class State:
    """Values by name: numbers, and lists for arrays; `now` is where names are read, `bound` are quantified."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    before: bool = False
    bound: Mapping[str, int] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        known = self.old if self.before else self.new
        if name not in self.bound and name not in known:
            raise Unknown(name)
        return self.bound.get(name, known.get(name))


Value = Callable[[State], Any]


def number(bits: int, width: int, signed: bool) -> int:
    bits &= (1 << width) - 1
    return bits - (1 << width) if signed and bits >> (width - 1) else bits


def quotient(a: int, b: int) -> int:
    if b == 0:
        raise Unknown("a quotient")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
COMPUTED: dict[str, Callable[[int, int], int]] = {
    "|": operator.or_, "^": operator.xor, "&": operator.and_, "<<": operator.lshift, ">>": operator.rshift, "+": operator.add,
    "-": operator.sub, "*": operator.mul, "/": quotient, "%": lambda a, b: a - b * quotient(a, b),
}  # fmt: skip
LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))


class Reader:
    """Reads one condition. Parameters have their values from before the call."""

    def __init__(self, text: str, parameters: Sequence[str] = ()) -> None:
        self.tokens, self.at, self.parameters = [*TOKEN.findall(text), ""], 0, frozenset(parameters)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise Unknown(text)

    def whole(self) -> Value:
        found = self.choice()
        assert not self.tokens[self.at], self.tokens
        return found

    def take(self, wanted: str = "") -> str:
        token = self.tokens[self.at]
        assert not wanted or token == wanted, (self.tokens, self.at)
        self.at += 1
        return token

    def choice(self) -> Value:
        if self.tokens[self.at] in ("\\forall", "\\exists"):
            return self.quantified()
        condition = self.implied()
        if self.tokens[self.at] != "?":
            return condition
        self.take()
        one = self.choice()
        self.take(":")
        two = self.choice()
        return lambda state: one(state) if condition(state) else two(state)

    def quantified(self) -> Value:
        every = self.take() == "\\forall"
        self.take("integer")
        name = self.take()
        self.take(";")
        body = self.choice()

        def values(state: State) -> Iterator[bool]:
            for value in INDICES:
                try:
                    yield bool(body(replace(state, bound={**state.bound, name: value})))
                except IndexError:
                    yield every

        return lambda state: all(values(state)) if every else any(values(state))

    def implied(self) -> Value:
        condition = self.level(0)
        if self.tokens[self.at] != "==>":
            return condition
        self.take()
        then = self.choice() if self.tokens[self.at].startswith("\\") else self.implied()
        return lambda state: not condition(state) or bool(then(state))

    def level(self, number_: int) -> Value:
        if number_ == len(LEVELS):
            return self.unary()
        parts, signs = [self.level(number_ + 1)], list[str]()
        while self.tokens[self.at] in LEVELS[number_]:
            signs.append(self.take())
            parts.append(self.level(number_ + 1))
        return self.joined(parts, signs) if signs else parts[0]

    def joined(self, parts: Sequence[Value], signs: Sequence[str]) -> Value:
        if signs[0] in ("||", "&&"):
            both = all if signs[0] == "&&" else any
            return lambda state: both(part(state) for part in parts)
        if signs[0] in COMPARED:

            def chain(state: State) -> bool:
                values = [part(state) for part in parts]
                return all(COMPARED[sign](*pair) for sign, pair in zip(signs, pairwise(values), strict=True))

            return chain

        def computed(state: State) -> int:
            found: int = parts[0](state)
            for sign, part in zip(signs, parts[1:], strict=True):
                found = COMPUTED[sign](found, part(state))
            return found

        return computed

    def unary(self) -> Value:
        token = self.take()
        if token in ("-", "~", "!", "*"):
            inner = self.unary()
            return {
                "-": lambda state: -inner(state), "~": lambda state: ~inner(state), "!": lambda state: not inner(state),
                "*": lambda state: element(inner(state), 0),
            }[token]  # fmt: skip
        if token == "(":
            words: list[str] = []
            while self.tokens[self.at] in WORDS:
                words.append(self.take())
            if words:
                self.take(")")
                inner, width = self.unary(), WIDTHS[" ".join(words)]
                return lambda state: number(inner(state), *width)
        return self.suffixed(self.primary(token))

    def primary(self, token: str) -> Value:
        if token == "(":
            inner = self.choice()
            self.take(")")
            return inner
        if token == "\\old":
            self.take("(")
            inner = self.choice()
            self.take(")")
            return lambda state: inner(replace(state, before=True))
        if token.isdecimal():
            return lambda state: int(token)
        if token in ("\\true", "\\false"):
            return lambda state: token == "\\true"
        if not token.isidentifier() and token != "\\result":
            raise Unknown(token)
        fixed = token in self.parameters
        return lambda state: _kept(token, state) if fixed else state.value(token)

    def suffixed(self, of: Value) -> Value:
        while self.tokens[self.at] == "[":
            self.take()
            of = self.indexed(of, self.choice())
            self.take("]")
        return of

    def indexed(self, of: Value, index: Value) -> Value:
        return lambda state: element(of(state), index(state))


def _kept(name: str, state: State) -> Any:
    """An argument: what it leads to may be another, the argument is not."""
    value = state.value(name)
    return value if isinstance(value, list) or name in state.bound else state.old[name]


def element(of: Any, index: int) -> Any:
    if not isinstance(of, list):
        raise Unknown("no array")
    if not 0 <= index < len(of):
        raise IndexError(index)
    return of[index]
