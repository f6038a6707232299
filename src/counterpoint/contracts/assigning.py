"""What a function may change, as the analysis of pointers tells of its driver's program.

It needs no proof, so that it is known early: `early` is the contract that says this alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from counterpoint.contracts.contract import GIVEN_TO_IT, OUTSIDE, Clause, Contract, Status
from counterpoint.contracts.declarations import Function
from counterpoint.contracts.names import in_source
from counterpoint.contracts.outside import CALLERS, GIVEN, HIDDEN, UNSET, writes_outside, written_whole
from counterpoint.contracts.views import DRIVER, Driver, Location
from counterpoint.program import model as m
from counterpoint.static.mod_ref import effects_of
from counterpoint.static.points_to import EXTERNAL, PointsTo

INVALID: Final = "its accesses to memory stay in what is required to be valid, which is not proved of all these calls"
"""That they are valid would not do: the objects of a driver are as large as `requires` says, those of callers may be
larger, and a write behind the required part is one there."""
FREES_NOTHING: Final = "it frees nothing that its arguments or globals point to"
DEFINED: Final = "it does nothing that C leaves undefined"
OPEN: Final = "pointers that it writes through were not hidden in numbers or bytes that it was given"
INITIALISED: Final = "it writes through no pointer that was not initialised"


@dataclass(frozen=True, slots=True)
class EffectsSeen:
    """What `function`, which the program calls `name`, may change of the driver's locations and others."""

    points: PointsTo
    driver: Driver
    function: Function
    name: str

    def assigned(self) -> list[Location]:
        """The driver's locations that may be changed and of which facts can tell that they are not."""
        return [location for location, _, alone in self.modified() if alone]

    def modified(self) -> Iterator[tuple[Location, str, bool]]:
        """The driver's locations that may be changed, as they are called; whether values of them tell all of it."""
        effects, by_name = effects_of(self.points, self.name), self.by_name()
        pieces = written_whole(self.points, self.name)
        for location in self.driver.locations:
            objects = self.objects(location, by_name)
            if effects.modified & objects & pieces and location.whole != location.text:
                yield location, location.whole, False
            elif effects.modified & objects:
                # More than one: static ones of that name in other files are among them.
                yield location, location.text, bool(location.object) or objects.bit_count() == 1

    def assigns(self, left_out: Collection[Location] = ()) -> tuple[str, ...]:
        """What may be changed, but for what is proved to be as before."""
        found = [text for location, text, alone in self.modified() if not (alone and location in left_out)]
        effects, by_name = effects_of(self.points, self.name), self.by_name()
        covered = _joined(self.objects(location, by_name) for location in self.driver.locations)
        for thing in self.points.objects:
            if (effects.modified & ~covered) >> thing.number & 1:
                if thing.item is not None and not (thing.item.constant or thing.item.code):
                    found.append(f"static {in_source(thing.name).rpartition('.')[2]}")
                elif thing.number == EXTERNAL and self.outside():
                    found += [OUTSIDE] if self.outside() & CALLERS else [GIVEN_TO_IT] if self.outside() & GIVEN else []
        return tuple(dict.fromkeys(found))

    def outside(self) -> int:
        """Which memory outside of the program may be changed (outside.py)."""
        return self.points.remember("writes outside", self.name, lambda: writes_outside(self.points, self.name))

    def hopes_for_initialised(self) -> bool:
        """What `assigns` says is of calls that write through no pointer that was not initialised."""
        modified = effects_of(self.points, self.name).modified
        return bool(modified >> EXTERNAL & 1 and self.outside() & UNSET and not self.outside() & CALLERS)

    def hopes(self) -> tuple[str, ...]:
        """What is assumed of calls, as lines: what `assigns` says is of those that are given pointers as pointers."""
        open_ones = self.outside() & HIDDEN and not self.outside() & CALLERS
        return (*((FREES_NOTHING,) if self.may_free() else ()), *((OPEN,) if open_ones else ()))

    def by_name(self) -> dict[str, int]:
        """The abstract objects that each name stands for."""
        found: dict[str, int] = {}
        for thing in self.points.objects:
            if thing.item is not None or thing.function == DRIVER:
                name = in_source(thing.name)
                found[name] = found.get(name, 0) | 1 << thing.number
        return found

    def objects(self, location: Location, by_name: dict[str, int]) -> int:
        """The abstract objects that the location lies in."""
        if location.object.startswith("="):
            position = [f"=counterpoint_arg_{p.name}" for p in self.function.parameters].index(location.object)
            functions = self.points.program.functions
            calls = (
                i
                for function in (DRIVER, "__cp_main")
                for block in (functions[function].blocks if function in functions else ())
                for i in block.instructions
                if isinstance(i, m.Call) and i.callee == self.name
            )
            return _joined(self.points.targets(DRIVER, call.arguments[position]) for call in calls)
        return by_name.get(location.object or location.text.removeprefix("static ").split("[")[0].split(".")[0], 0)

    def may_free(self) -> bool:
        """One of the objects that the driver made, which are no heap blocks of their own, may be freed."""
        ends = effects_of(self.points, self.name).lives
        return any(ends >> thing.number & 1 for thing in self.points.objects if thing.function == DRIVER)

    def early(self, empty: Contract) -> Contract:
        """The contract without what proofs tell."""
        assumed = (*self.driver.assumed, INVALID, *self.hopes(), DEFINED)
        return replace(
            empty,
            requires=tuple(Clause(text, Status.PROVED) for text in self.driver.requires),
            assumed=assumed,
            assigns=self.assigns(),
        )


def _joined(sets: Iterable[int]) -> int:
    found = 0
    for bits in sets:
        found |= bits
    return found
