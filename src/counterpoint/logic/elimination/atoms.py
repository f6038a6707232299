"""Atoms whose truth is left open: a coarser formula that keeps what only the atoms' repetition says.

Where a variable cannot be eliminated, each comparison that mentions it becomes an unwanted Bool, the same one
wherever the same comparison stands. That follows from the formula, and says more than forgetting conjuncts does:
of `a = x*x | p`, `a != x*x | q` it leaves `p | q`.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute_all

_CONNECTIVES = frozenset({Op.NOT, Op.AND, Op.XOR})


def opened(parts: Sequence[V], unknowns: Unknowns, victim: Term | None) -> list[V] | None:
    """The conjuncts with the outermost atoms about `victim` (None: about any unwanted variable that is no Bool) left
    open; None if there are no such atoms."""
    atoms: dict[Term, V] = {}
    seen: set[Term] = set()
    stack = [part for part in reversed(parts) if isinstance(part, Term)]
    while stack:
        term = stack.pop()
        if term in seen or not unknowns.of(term):
            continue
        seen.add(term)
        if term.op in _CONNECTIVES:
            stack.extend(arg for arg in reversed(term.args) if isinstance(arg, Term))
        elif term.op is not Op.VARIABLE and (victim is None or victim in unknowns.of(term)):
            atoms[term] = unknowns.fresh(BOOL)
    return substitute_all(parts, atoms) if atoms else None
