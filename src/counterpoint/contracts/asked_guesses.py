"""Guesses about a view that were not proved as facts are asked as checks: the view's function reaches an error where
its values refute the guess.

The driver's text stays as it is, but for the body of that function. So a proof says of all calls what a fact at the
view would say, and may use what a fact of a function by contract cannot: the function's body stands at its call, and
what loops keep is about the values that the driver kept of the time before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from counterpoint.contracts.essential import follows
from counterpoint.contracts.questions import DECLARED, ERROR
from counterpoint.contracts.views import PREFIX, Driver, Seen, View
from counterpoint.contracts.wording import CPROVER, Unsayable, Words
from counterpoint.core.budget import Budget
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

MOST_ASKED: Final = 8
"""Guesses about one function that get a share of the time."""

FOLLOWING_SHARE: Final = 0.02
"""Of the time, for seeing that a guess follows from what is known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A guess about a view, and the program that reaches an error where it is false."""

    view: View
    formula: V
    text: str


def asked(
    driver: Driver, guesses: Iterable[tuple[View, V]], names: Callable[[View], Mapping[Term, Seen]], long_bits: int
) -> Iterator[Asked]:
    """Those that C can say."""
    for view, formula in guesses:
        with suppress(Unsayable):
            yield Asked(view, formula, refuting(driver.text, view, formula, names(view), long_bits))


def refuting(text: str, view: View, formula: V, names: Mapping[Term, Seen], long_bits: int) -> str:
    """The driver's text, in which the view's function refutes the formula. Raises Unsayable."""
    numbered = {variable: number for number, variable in enumerate(names)}
    called = {
        variable: replace(seen, text=f"{PREFIX}v{numbered[variable]}", argument=True, old=False, result=False, needs=())
        for variable, seen in names.items()
    }
    condition = Words(called, frozenset(), CPROVER, long_bits=long_bits).condition(formula)
    head = f" void {view.name}("
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if head in line and line.endswith(") {}"))
    opened = lines[at].removesuffix("{}").replace("__attribute__((noinline)) ", "")
    lines[at] = f"{DECLARED}\n{opened}{{ if (!({condition})) {ERROR}(); }}"
    return "\n".join([*lines, ""])


def proved_ones(
    found: Iterable[Asked], known: Mapping[View, list[V]], is_safe: Callable[[str, Budget], bool], budget: Budget,
    least: float,
) -> Iterator[tuple[View, V]]:
    """Those of which `is_safe` says so within its share of the time, which has at least `least` seconds; none that
    follows from what is known of the view by then."""
    asked_by_now = 0
    said = {view: list(some) for view, some in known.items()}
    for one in found:
        left = MOST_ASKED - asked_by_now
        if left <= 0 or budget.remaining() < least:
            return
        here = said.setdefault(one.view, [])
        related = [other for other in here if set(variables(other)) & set(variables(one.formula))]
        if follows(one.formula, related, budget.share(FOLLOWING_SHARE)):
            continue
        asked_by_now += 1
        if is_safe(one.text, budget.share(2 / (left + 1))):
            here.append(one.formula)
            yield one.view, one.formula
