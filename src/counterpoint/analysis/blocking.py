"""Candidates from counterexamples to induction: facts that are false in a state from which a failure was reached.

Source: counterexamples to induction as in IC3 (Bradley, VMCAI 2011), here generalised by templates and
filtered by Houdini instead of frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from counterpoint.analysis.chains import Reached
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

MAX_PAIRED = 16
"""Components of one width that are compared with one another."""


def against(states: Iterable[Reached]) -> list[Fact]:
    """Facts each of which is false in one of the states, and so excludes the run through them; in a fixed order."""
    found: dict[Fact, None] = {}
    for state in states:
        for formula in _false_in(state):
            if formula not in (0, 1):
                found[Fact(*state.place, formula)] = None
    return list(found)


def _false_in(state: Reached) -> Iterator[V]:
    by_width: dict[int, list[Term]] = {}
    for component, value in state.values.items():
        if component.sort is BOOL:
            yield build.not_(component) if value else component
        elif isinstance(component.sort, BitVec):
            by_width.setdefault(component.sort.width, []).append(component)
            yield from _bounds(component, value, component.sort.width)
    for width, group in by_width.items():
        for one, two in combinations(group[:MAX_PAIRED], 2):
            yield from _relations(one, two, state.values[one], state.values[two], width)


def _bounds(component: Term, value: int, width: int) -> Iterator[V]:
    yield build.slt(component, value, width)
    yield build.slt(value, component, width)
    yield build.ult(component, value, width)
    yield build.ult(value, component, width)
    yield build.ne(component, value, width)


def _relations(one: Term, two: Term, left: int, right: int, width: int) -> Iterator[V]:
    sign = 1 << (width - 1)
    if left == right:
        yield build.ne(one, two, width)
        for less in (build.slt, build.ult):
            yield less(one, two, width)
            yield less(two, one, width)
        return
    yield build.eq(one, two, width)
    low, high = (one, two) if left ^ sign < right ^ sign else (two, one)
    yield build.sle(high, low, width)
    low, high = (one, two) if left < right else (two, one)
    yield build.ule(high, low, width)
