"""What a precondition is made of: conditions on the choices of the caller, as C and as contracts say them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from operator import eq, ge, gt, le, lt, ne
from typing import Final, TypeAlias

from counterpoint.contracts.views import PREFIX
from counterpoint.core.records import dataclass
from counterpoint.entries.environment import Environment
from counterpoint.entries.given import MORE, Given, What, present

MOST_CONSTANTS: Final = 12
MOST_NUMBERS: Final = 24
"""Numbers of the caller that are compared with each other and with constants: arguments first."""

TIMES: Final = (2, 3, 4)
"""So many elements for each that a number counts: what encodes bytes as text makes more of them."""

State: TypeAlias = Mapping[str, int]
"""What the caller chose in one run, by `Given.source`; numbers with their sign."""


COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "&": lambda left, right: left & right != 0,
    "!&": lambda left, right: left & right == 0,
}
"""By `Literal.operator`."""


class Rank(IntEnum):
    """Which of two literals is tried first."""

    NOT_NULL = 0
    SIGN = 1
    LENGTH = 2
    PAIR = 3
    CONSTANT = 4
    BIT = 5
    NULL = 6


@dataclass(frozen=True, slots=True)
class Literal:
    """A condition on one choice of the caller, or two: `left` and `right` are their sources, or `right` a constant.

    `operator`: a comparison of C, or "&" and "!&": the bits `right` of `left` are not all zero, or all zero. It holds
    where one of `needs`, the sources of pointers that have to be there, is null: `guard` in C of the driver, their
    texts are `said`. `times`: as often `left` is taken.
    """

    rank: Rank
    left: str
    operator: str
    right: str | int
    text: str
    code: str
    needs: tuple[str, ...] = ()
    guard: str = ""
    said: tuple[str, ...] = ()
    times: int = 1

    def holds(self, state: State) -> bool:
        """Of a run that got to the call."""
        for source in self.needs:
            if not state.get(source):
                return True
        left = state.get(self.left)
        right = self.right if isinstance(self.right, int) else state.get(self.right)
        return left is None or right is None or COMPARISONS[self.operator](left * self.times, right)

    def is_met(self, state: State) -> bool:
        """It holds, and not for want of a pointer on the way."""
        return self.left in state and self.holds(state) and all(state.get(source, 0) for source in self.needs)

    def condition(self) -> str:
        """In C, of the driver."""
        return f"(!({self.guard}) || {self.code})" if self.guard else self.code


Clause: TypeAlias = tuple[Literal, ...]
"""One of its literals holds."""


def holds(clause: Clause, state: State) -> bool:
    """Whether the caller's choices fulfil it."""
    return any(literal.holds(state) for literal in clause)


def condition_of(clause: Clause) -> str:
    """In C, of the driver."""
    return " || ".join(literal.condition() for literal in clause)


def text_of(clause: Clause) -> str:
    """As contracts say it: `p != \\null ==> (n > 0 || p->x != \\null)`."""
    absent = [literal.text for literal in clause if literal.rank is Rank.NULL]
    guards = dict.fromkeys(present(name) for literal in clause for name in literal.said)
    guards = dict.fromkeys((*guards, *(text.replace("==", "!=") for text in absent)))
    inner = " || ".join(literal.text for literal in clause if literal.rank is not Rank.NULL)
    if not inner:
        guards = dict.fromkeys(present(name) for literal in clause for name in literal.said)
        inner = " || ".join(absent)
    if not guards:
        return inner
    return f"{' && '.join(guards)} ==> {f'({inner})' if '||' in inner or '==' in inner else inner}"


def literals(environment: Environment, constants: Sequence[int], offsets: Sequence[int] = ()) -> list[Literal]:
    """All that a precondition may be made of, in the order in which they are tried; blocks of bytes may have to have a
    byte at each of the `offsets`."""
    found = list(_Vocabulary(environment, constants, offsets).all())
    return sorted(found, key=lambda one: (one.rank, len(one.needs)))


def with_lengths(
    environment: Environment, vocabulary: Sequence[Literal], needed: Iterable[tuple[Given, int]]
) -> Sequence[Literal]:
    """With the literal that the block has so many elements, for each length that is `needed`: in front of those that
    name other numbers, behind those that name a choice of the caller."""
    found = list(vocabulary)
    for length, value in needed:
        known = [n for n, one in enumerate(found) if one.left == length.source and isinstance(one.right, int)]
        behind = (n for n, one in enumerate(found) if one.rank > Rank.LENGTH)
        found.insert(known[0] if known else next(behind, len(found)), _Vocabulary(environment).least(length, value))
    return found


@dataclass(slots=True)
class _Vocabulary:
    environment: Environment
    constants: Sequence[int] = ()
    offsets: Sequence[int] = ()

    def all(self) -> Iterator[Literal]:
        given = self.environment.given
        for one in given:
            if one.what is What.POINTER:
                yield self.literal(Rank.NOT_NULL, one, "!=", 0, f"{one.text} != \\null", f"{one.code} != 0")
                yield self.literal(Rank.NULL, one, "==", 0, f"{one.text} == \\null", f"{one.code} == 0")
        numbers = sorted((one for one in given if one.what is What.NUMBER), key=lambda one: len(one.needs))
        numbers = numbers[:MOST_NUMBERS]
        for one in numbers:
            yield from self.constant(one)
        lengths = [one for one in given if one.what is What.LENGTH]
        for length in lengths:
            for one in numbers:
                if _related(one.text, length.text):
                    yield from self.length(one, length)
            last = self.offsets if self.is_of_bytes(length) else ()
            for value in dict.fromkeys((*self.constants[:MOST_CONSTANTS], *(one + 1 for one in last))):
                if value > 0:
                    yield self.least(length, value)
        for position, one in enumerate(numbers):
            for other in numbers[position + 1 :]:
                yield from self.pair(one, other)

    def is_of_bytes(self, length: Given) -> bool:
        """The block has so many characters."""
        made = f"{length.code} * sizeof("
        kinds = (line.partition(made)[2].partition(")")[0] for line in self.environment.lines)
        return any(kind.split()[-1:] == ["char"] for kind in kinds)

    def least(self, length: Given, value: int) -> Literal:
        """The block has so many elements."""
        text = f"\\valid({length.text} + (0 .. {value - 1}))"
        return self.literal(Rank.LENGTH, length, ">=", value, text, f"{length.code} >= {value}ULL")

    def literal(self, rank: Rank, one: Given, operator: str, right: int, text: str, code: str) -> Literal:
        return self.made(rank, one.source, operator, right, text, code, one.needs)

    def made(
        self, rank: Rank, left: str, operator: str, right: str | int, text: str, code: str, needs: tuple[str, ...]
    ) -> Literal:
        pointers = {one.text: one for one in self.environment.given if one.what is What.POINTER}
        sources = tuple(pointers[need].source for need in needs if need in pointers)
        said = tuple(need for need in needs if need in pointers or MORE in need)
        codes = " && ".join(f"{PREFIX}arg_{one}" if MORE in one else f"{pointers[one].code} != 0" for one in said)
        return Literal(rank, left, operator, right, text, f"({code})", sources, codes, said)

    def constant(self, one: Given) -> Iterator[Literal]:
        suffix = "LL" if one.signed else "ULL"
        orders = (">", ">=", "!=", "<", "<=", "==") if one.signed else ("!=", "==")
        for operator in orders:
            text = f"{one.text} {operator} 0"
            yield self.literal(Rank.SIGN, one, operator, 0, text, f"{one.code} {operator} 0")
        for value in self.constants[:MOST_CONSTANTS]:
            for operator in ("<", "<=", "!=", ">", ">=", "==") if value > 1 else ("!=", "=="):  # others are signs
                said = f"{one.text} {operator} {value}"
                code = f"{one.code} {operator} {value}{suffix}"
                yield self.literal(Rank.CONSTANT, one, operator, value, said, code)
            if value > 1 and not value & (value - 1):
                for operator, sign in (("&", "!="), ("!&", "==")):
                    said = f"({one.text} & {value}) {sign} 0"
                    code = f"({one.code} & {value}) {sign} 0"
                    yield self.literal(Rank.BIT, one, operator, value, said, code)

    def length(self, one: Given, length: Given) -> Iterator[Literal]:
        """The number is an index of the block, or at most its length."""
        needs = tuple(dict.fromkeys((*one.needs, *length.needs)))
        negative = f"{one.code} < 0 || " if one.signed else ""
        for operator, text in (
            ("<", f"\\valid({length.text} + {one.text})"),
            ("<=", f"\\valid({length.text} + (0 .. {one.text} - 1))"),
        ):
            code = f"{negative}(__SIZE_TYPE__){one.code} {operator} {length.code}"
            yield self.made(Rank.LENGTH, one.source, operator, length.source, text, code, needs)
        for times in TIMES:
            code = f"{negative}(__SIZE_TYPE__){one.code} <= {length.code} / {times}"
            text = f"\\valid({length.text} + (0 .. {times} * {one.text} - 1))"
            yield replace(self.made(Rank.LENGTH, one.source, "<=", length.source, text, code, needs), times=times)

    def pair(self, one: Given, other: Given) -> Iterator[Literal]:
        if one.signed != other.signed or not _related(one.text, other.text):
            return
        needs = tuple(dict.fromkeys((*one.needs, *other.needs)))
        for operator in ("<", "<=", "!=", ">", ">=", "=="):
            text, code = f"{one.text} {operator} {other.text}", f"{one.code} {operator} {other.code}"
            yield self.made(Rank.PAIR, one.source, operator, other.source, text, code, needs)


def _related(one: str, other: str) -> bool:
    """Members of one object, or arguments."""
    parts = [text.rpartition("->")[0] or text.rpartition(".")[0] for text in (one, other)]
    return parts[0] == parts[1] or "" in parts
