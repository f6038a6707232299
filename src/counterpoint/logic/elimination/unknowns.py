"""Which unwanted variables a term contains, and new ones in place of old ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final

from counterpoint.term.sorts import Sort
from counterpoint.term.term import Op, Term, V, variable
from counterpoint.term.walk import reachable_outside

NONE: Final[frozenset[Term]] = frozenset()
_by_index = attrgetter("index")


class Unknowns:
    """The unwanted variables of one elimination; `fresh` makes more of them."""

    __slots__ = ("_below", "_made", "_unwanted")

    def __init__(self, unwanted: Callable[[Term], bool]) -> None:
        self._unwanted = unwanted
        self._below: dict[Term, frozenset[Term]] = {}
        self._made = 0

    def of(self, value: V) -> frozenset[Term]:
        """The unwanted variables below the value; for membership only, its order is arbitrary. Memoised."""
        if isinstance(value, int):
            return NONE
        below = self._below
        found = below.get(value)
        if found is not None:
            return found
        for term in reachable_outside((value,), below):
            if term.op is Op.VARIABLE:
                below[term] = frozenset((term,)) if self._unwanted(term) else NONE
                continue
            union = NONE
            for arg in term.args:
                if isinstance(arg, Term):
                    more = below[arg]
                    if more and more is not union:
                        union = union | more if union else more
            below[term] = union
        return below[value]

    def ordered(self, values: Iterable[V]) -> list[Term]:
        """The unwanted variables below the values, oldest first."""
        found: set[Term] = set()
        for value in values:
            found |= self.of(value)
        return sorted(found, key=_by_index)

    def fresh(self, sort: Sort) -> Term:
        """Another unwanted variable; the names are taken up again by the next elimination."""
        made = variable(f"eliminated!{self._made}", sort)
        self._made += 1
        self._below[made] = frozenset((made,))
        return made
