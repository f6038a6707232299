"""Short names of formulas by what they say, the same in every process, for hints: two formulas may share one.

Operands that may be exchanged count in any order: constructors order them by when they were made.
"""

from __future__ import annotations

import hashlib
from typing import Final

from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable_outside

LENGTH: Final = 5
"""Bytes of a mark."""

_EXCHANGED: Final = frozenset({Op.AND, Op.XOR, Op.EQ, Op.ADD, Op.MUL, Op.BVAND, Op.BVOR, Op.BVXOR})


class Marks:
    """Marks of formulas, in hexadecimal. Each term is looked at once."""

    def __init__(self) -> None:
        self._known: dict[Term, str] = {}

    def of(self, formula: V) -> str:
        """Linear in what is new of the formula."""
        if isinstance(formula, int):
            return str(formula)
        for term in reachable_outside((formula,), self._known):
            args = [str(arg) if isinstance(arg, int) else self._known[arg] for arg in term.args]
            if term.op in _EXCHANGED:
                args.sort()
            said = "|".join((term.op.name, str(term.payload), str(term.sort), *args))
            self._known[term] = hashlib.blake2b(said.encode(), digest_size=LENGTH).hexdigest()
        return self._known[formula]
