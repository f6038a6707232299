"""The weakest precondition, as far as runs tell: clauses that exclude what fails and leave no branch dead.

Source: Blackshear, Lahiri, Almost-correct specifications (PLDI 2013), section 3: the weakest conjunction of clauses
over a set of predicates that excludes the failures, as long as no block of the function becomes dead. Deviation: what
passes and what is dead is known from runs, not from a predicate cover, and a clause is short, not maximal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Final, Generic, TypeVar

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.entries.literals import Clause, Literal, Rank, State
from counterpoint.entries.table import Row, Table

MOST_PAIRED: Final = 40
"""Literals of which clauses of two are made."""

LEAST_PASSING: Final = 0.25
"""Of the runs that pass, how many a clause has to leave that excludes some."""

LEAST_SHOWN: Final = 6
"""Runs that pass (or half of them) that meet what a failing line does not speak of: fewer do so by chance."""

_COUNTS: Final = regex(r"(?:n|len|length|size|count|num|sz|cnt|max|nmemb|bytes|off|offset|pos|index|idx|i)\b")
"""How names of numbers end that count elements or say which."""

_COMPARED: Final = regex(r"\s*(?:[=!<>]=|<(?!<)|>(?!>))")
_COMPARED_WITH: Final = regex(r"(?:[=!<>]=|(?<!<)<|(?<![->])>)\s*(?:[A-Za-z_]\w*(?:->|\.))*$")
"""What stands behind a name that is compared, and in front of one."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Passing(Generic[R]):
    """Those of the table's runs that passed, as bits."""

    table: Table[R]
    bits: int

    def __len__(self) -> int:
        return self.bits.bit_count()

    def holding(self, literal: Literal) -> int:
        return self.table.holding(literal) & self.bits

    def meeting(self, literal: Literal) -> int:
        return self.table.meeting(literal) & self.bits


def clause_for(
    failing: Sequence[State], passed: Passing[R], vocabulary: Sequence[Literal], hint: str
) -> Clause | None:
    """A clause that no failing state fulfils; `hint` is text that speaks of what fails: names in it come first.

    Simple ones that all passing runs fulfil are tried first; then the pointer that the failing line follows, if every
    branch is still taken where it is not null; two together; a pointer that is not null, a sign or a length that
    is kept, though some runs pass without, if every branch is still taken; then comparisons of all kinds. Each literal
    is met by a run that passes; only of pointers that are not null that is not asked where none passes yet.
    """
    words = _words(hint)
    usable = [one for one in vocabulary if not any(one.holds(state) for state in failing)]
    usable = [one for one in usable if _is_supported(one, passed)]
    usable.sort(key=_order(hint))
    truth = {one: passed.holding(one) for one in usable}
    everything = passed.bits
    simple = [one for one in usable if one.rank <= Rank.LENGTH and _is_shown(one, passed, words)]
    guards = [one for one in usable if one.rank is Rank.NULL]
    return (
        _single(simple, truth, everything)
        or _natural([one for one in simple if is_followed(one, hint)], truth, passed)
        or _double([*simple, *guards], truth, everything, words)
        or _natural([one for one in simple if _is_near(one, words, hint)], truth, passed)
        or _single(usable, truth, everything)
        or _guarded(usable, guards, truth, everything, words)
        or _double(usable, truth, everything, words)
    )


def _is_shown(one: Literal, passed: Passing[R], words: frozenset[str]) -> bool:
    """It is more than chance that runs that pass fulfil it, or the failing line speaks of it."""
    least = min(LEAST_SHOWN, len(passed) // 2)
    return _last_name(one) in words or passed.meeting(one).bit_count() >= least


def is_followed(one: Literal, hint: str) -> bool:
    """The failing line reads or writes through this very pointer."""
    if one.rank is not Rank.NOT_NULL:
        return False
    name = re.escape(one.text.removesuffix(" != \\null"))
    return re.search(rf"(?<![\w.>]){name}\s*(?:->|\[)|\*\s*{name}(?![\w.(\[]|->)", hint) is not None


def _is_near(one: Literal, words: frozenset[str], hint: str) -> bool:
    """What callers keep is about a pointer or a block, or about a number that the failing line speaks of, and not only
    to compare something with it."""
    return one.rank is not Rank.SIGN or (_last_name(one) in words and not is_compared(one, hint))


def is_compared(one: Literal, hint: str) -> bool:
    """The failing line speaks of the number, but only compares with it: it says nothing of where memory is accessed."""
    name = _last_name(one)
    every = list(re.finditer(rf"\b{re.escape(name)}\b", hint)) if name else []
    return bool(every) and all(
        _COMPARED_WITH.search(hint[: found.start()]) or _COMPARED.match(hint[found.end() :]) for found in every
    )


def _is_supported(one: Literal, passed: Passing[R]) -> bool:
    return passed.meeting(one) != 0 if passed else one.rank is Rank.NOT_NULL


def is_restriction_to_null(clause: Clause) -> bool:
    """It asks that a pointer be null: whoever calls with a valid one fails."""
    return all(literal.rank is Rank.NULL for literal in clause)


def is_simple(clause: Clause) -> bool:
    """A pointer that is not null, a sign, a length."""
    return len(clause) == 1 and clause[0].rank <= Rank.LENGTH


def _single(usable: Iterable[Literal], truth: dict[Literal, int], everything: int) -> Clause | None:
    return next(((one,) for one in usable if truth[one] == everything), None)


def _double(
    usable: Sequence[Literal], truth: dict[Literal, int], everything: int, words: frozenset[str]
) -> Clause | None:
    """One of the two speaks of what fails, or it is about null pointers alone."""
    best = sorted(usable, key=lambda one: -truth[one].bit_count())[:MOST_PAIRED]
    ranked = [one for one in usable if one in frozenset(best)]
    for pair in combinations(ranked, 2):
        near = any(_last_name(one) in words for one in pair) or is_restriction_to_null(pair)
        if near and truth[pair[0]] | truth[pair[1]] == everything:
            return pair
    return None


def _guarded(
    usable: Sequence[Literal], guards: Sequence[Literal], truth: dict[Literal, int], everything: int,
    words: frozenset[str],
) -> Clause | None:
    """A comparison that has to hold where a pointer is not null; the failing line speaks of both."""
    for one in usable:
        if one.rank is Rank.NULL or _last_name(one) not in words:
            continue
        for guard in guards:
            if _last_name(guard) in words and truth[one] | truth[guard] == everything:
                return (one, guard)
    return None


def _natural(usable: Iterable[Literal], truth: dict[Literal, int], passed: Passing[R]) -> Clause | None:
    """What callers keep though not every run needs it: that which leaves most, and no direction dead."""
    reached = passed.table.taken(passed.bits).keys()
    found: list[tuple[int, Literal]] = []
    for one in usable:
        if one.rank > Rank.LENGTH or truth[one].bit_count() < LEAST_PASSING * len(passed):
            continue
        if one.rank is Rank.SIGN and one.operator == "==":  # it leaves no choice, and that others pass is known
            continue
        if passed.table.taken(truth[one]).keys() == reached:
            found.append((truth[one].bit_count(), one))
    return (max(found, key=lambda pair: pair[0])[1],) if found else None


def _order(hint: str) -> Callable[[Literal], tuple[int, int, int]]:
    words = _words(hint)

    def order(one: Literal) -> tuple[int, int, int]:
        strange = int(_last_name(one) not in words)
        count = int(one.rank is Rank.LENGTH and not _COUNTS.search(one.text))
        return (int(one.rank is Rank.NULL), int(one.rank) + 2 * strange + count, len(one.needs))

    return order


def _words(hint: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", hint))


def _last_name(one: Literal) -> str:
    names = re.findall(r"[A-Za-z_]\w*", one.text.replace("\\null", "").replace("\\valid", ""))
    return names[-1] if names else ""
