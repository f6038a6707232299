"""What likely invariants are inferred from, and what is reported. Nothing here needs numpy."""

from __future__ import annotations

from enum import Enum

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term, V

WIDEST = 64
"""Bits of a column's numbers, and of an array's indices and elements, at most."""


class Role(Enum):
    """What a component is for a function: INPUT is a parameter or an entry value `old(x)`, OUTPUT a result or a
    component that may have changed, PLACE any other, as at a loop head."""

    INPUT = "input"
    OUTPUT = "output"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Column:
    """A component by its variable: a bit-vector of 1 to 64 bits, a Bool, or an array of such bit-vectors.

    `pointer`: compared only with null and with other pointers. `groups`: what it depends on; columns that have none in
    common are not related to each other (None: related to all). `old`: the variable of the column with its entry value.
    `size`: of an array its elements, of a pointer to an object's start the object's bytes; an int or the variable of a
    column. `granule`: of an array over addresses, the bytes of an element (the index is the address divided by it).
    `assigned`: the function may change it. `border`: an address that divides objects made earlier from those
    made later. `term`: what is reported instead of the variable, as of what a pointer points to.
    """

    variable: Term
    role: Role = Role.PLACE
    pointer: bool = False
    groups: frozenset[str] | None = None
    old: Term | None = None
    size: V | None = None
    granule: int | None = None
    assigned: bool = False
    border: bool = False
    term: Term | None = None

    def __post_init__(self) -> None:
        match self.variable.sort:
            case BitVec(width=width) if width <= WIDEST:
                return
            case ArraySort(index=index, element=element) if max(index, element) <= WIDEST:
                return
            case sort if sort is BOOL:
                return
        raise InternalError(f"nothing is inferred about {self.variable}, a {self.variable.sort}")

    @property
    def is_array(self) -> bool:
        return isinstance(self.variable.sort, ArraySort)

    @property
    def is_bool(self) -> bool:
        return self.variable.sort is BOOL

    @property
    def width(self) -> int:
        """Bits of the number, or of an array's elements."""
        sort = self.variable.sort
        return sort.element if isinstance(sort, ArraySort) else sort.width

    def related(self, other: Column) -> bool:
        """They depend on something in common, as far as is known."""
        if self.groups is None or other.groups is None:
            return True
        return not self.groups.isdisjoint(other.groups)


@dataclass(frozen=True, slots=True)
class Likely:
    """An invariant that held on all rows (where `condition` did), over the columns' variables and ghosts.

    `formula` is `condition => invariant` where there is a condition. `support`: the rows that it speaks of, each as
    often as it was given. `confidence`: one minus the probability that it holds on these by chance (confidence.py).
    """

    formula: Term
    template: str
    support: int
    confidence: float
    condition: Term | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """`confidence`: what is less sure is not reported, nor takes anything else's place. `implied`: report also what
    follows from what is reported. `conditions`: under the conditions of branches, too. `numbers`: the program's
    constants, signed or unsigned: what is a likely limit. `templates`: only these. `most`: as many at
    most. `splits`: as many conditions at most, beside the caller's.
    """

    confidence: float = 0.5
    implied: bool = False
    conditions: bool = True
    numbers: frozenset[int] = frozenset()
    templates: frozenset[str] | None = None
    most: int = 1000
    splits: int = 24
