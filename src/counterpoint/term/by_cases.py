"""Comparisons moved into choices: `ite(c, x, y) == z` is `c ? x == z : y == z`.

Where numbers only move by constants on a path, what is left compares the same few terms: `x + 1 == y + 9` and
`x == y + 8` become one condition, and a solver needs no carries to see it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable_outside

MOST_PAIRS: Final = 1_000
"""Pairs of terms that one comparison may come to; with more, it stays as it is."""

_Pair = tuple[V, V]


class _TooMany(Exception):
    """More pairs than that."""


@dataclass(slots=True)
class ByCases:
    """Rewrites formulas, and remembers what it did. The results are equivalent to what was given."""

    _done: dict[Term, V] = field(default_factory=dict)
    _compared: dict[tuple[Op, int, V, V], V] = field(default_factory=dict)

    def of(self, formula: V) -> V:
        """The formula with each comparison of choices by cases. About linear in its new nodes."""
        for term in reachable_outside((formula,), self._done):
            args = [arg if isinstance(arg, int) else self._done[arg] for arg in term.args]
            changed = any(new is not old for new, old in zip(args, term.args, strict=True))
            new = rebuild(term, args) if changed else term
            if isinstance(new, Term) and new.op in (Op.EQ, Op.ULT, Op.SLT):
                new = self._by_cases(new)
            self._done[term] = new
        return formula if isinstance(formula, int) else self._done[formula]

    def _by_cases(self, comparison: Term) -> V:
        assert isinstance(comparison.payload, int)
        try:
            return self._compare(comparison.op, comparison.payload, comparison.args[0], comparison.args[1])
        except _TooMany:
            return comparison

    def _compare(self, op: Op, width: int, left: V, right: V) -> V:
        """Iterative: each pair once, those that it is made of first."""
        made: dict[_Pair, V] = {}
        stack: list[_Pair] = [(left, right)]
        while stack:
            pair = stack[-1]
            parts = _split(op, width, *pair)
            if pair in made or parts is None:
                if pair not in made:
                    made[pair] = _compared(op, width, *pair)
                stack.pop()
                continue
            condition, yes, no = parts
            waiting = [part for part in (yes, no) if part not in made]
            if waiting:
                stack += waiting
            else:
                made[pair] = build.ite(condition, made[yes], made[no], BOOL)
                stack.pop()
            if len(made) + len(stack) > MOST_PAIRS:
                raise _TooMany
        return made[left, right]


def _split(op: Op, width: int, left: V, right: V) -> tuple[V, _Pair, _Pair] | None:
    """The condition of a choice on either side, and what is compared if it holds and if not."""
    for one, other, swapped in ((left, right, False), (right, left, True)):
        if isinstance(one, Term) and op is Op.EQ and one.op is Op.ADD:
            first, second = one.args
            if isinstance(first, Term) and isinstance(second, int) and first.op is Op.ITE:
                one, other = first, build.sub(other, second, width)
        if isinstance(one, Term) and one.op is Op.ITE:
            yes, no = (one.args[1], other), (one.args[2], other)
            if swapped:
                yes, no = yes[::-1], no[::-1]
            return one.args[0], yes, no
    return None


def _compared(op: Op, width: int, left: V, right: V) -> V:
    match op:
        case Op.EQ:
            return build.eq(left, right, width)
        case Op.ULT:
            return build.ult(left, right, width)
        case _:
            return build.slt(left, right, width)
