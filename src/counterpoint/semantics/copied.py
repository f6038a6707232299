"""Copies and fills of many bytes at once, their number unknown: arrays that are defined where they are read.

What the object contains afterwards is an array variable `after`, defined by

    after[i] = new[i - start]   where the instruction has an effect and i - start < size,
    after[i] = before[i]        elsewhere,

for all i at once. A formula sees of an array what it reads, so the definition is given, as an axiom, for each index
at which `after`, or an array made from it by stores and choices, is read. Within one encoding that loses nothing: a
model gives values at these indices, and the definition continues it to all others, because no formula compares
arrays (Bradley, Manna, Sipma, "What's Decidable About Arrays?", VMCAI 2006). At a cut point the array becomes the
value of a component, and what is read there later is arbitrary: more runs, sound for proofs.
"""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term.term import Term, V

Source: TypeAlias = tuple[V, Term, V]
"""(guard, array of bytes, index of the first): where a copy may read. Guards exclude each other."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The definition of one such array: its effect where `condition` holds, on `size` elements from index `start` on.

    The new bytes come from `sources`, one of whose guards holds then; all are `byte` if there are none.
    """

    before: Term
    condition: V
    start: V
    size: V
    sources: tuple[Source, ...] = ()
    byte: V = 0

    def arrays(self) -> tuple[Term, ...]:
        """The arrays that it reads."""
        return self.before, *(array for _, array, _ in self.sources)
