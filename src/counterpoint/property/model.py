"""What a property is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Instrument(Enum):
    """A family of checks that the front end can insert."""

    ERROR_CALLS = "calls of reach_error and its relatives"
    ACCESSES = "every access to memory lies inside a live object"
    FREES = "only live heap blocks are freed, by their start"
    LEAKS = "heap blocks that are still live at the end"
    UNDEFINED = "places that no run with a meaning in C reaches"
    OVERFLOWS = "signed integer operations that leave their range"
    SHIFTS = "amounts of shifts below the width, and no negative number shifted left"


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its names, what states it in a property file, and the checks that decide it.

    `specification` pairs a formula with the kind of check that it is about; `kinds` are the kinds
    whose failure is a violation; `compile_flags` come after the standard ones.
    """

    name: str
    aliases: tuple[str, ...]
    specification: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    instruments: frozenset[Instrument]
    compile_flags: tuple[str, ...] = ()

    def restricted(self, kinds: tuple[str, ...]) -> Property:
        """The same property with only these kinds of check counting as violations."""
        return replace(self, kinds=tuple(kind for kind in self.kinds if kind in kinds))

    def asks_for(self, instrument: Instrument) -> bool:
        return instrument in self.instruments
