"""What a function may change, as the analysis of pointers tells of its driver's program.

It needs no proof, so that it is known early: `early` is the contract that says this alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from counterpoint.contracts.contract import Clause, Contract, Status
from counterpoint.contracts.declarations import Function
from counterpoint.contracts.names import in_source
from counterpoint.contracts.outside import writes_outside, written_whole
from counterpoint.contracts.views import DRIVER, Driver, Location
from counterpoint.program import model as m
from counterpoint.semantics.facts import Fact
from counterpoint.static.mod_ref import effects_of
from counterpoint.static.points_to import EXTERNAL, PointsTo

INVALID: Final = "its accesses to memory are valid, which is not proved of all these calls"
FREES_NOTHING: Final = "it frees nothing that its arguments or globals point to"
DEFINED: Final = "it does nothing that C leaves undefined"


@dataclass(frozen=True, slots=True)
class EffectsSeen:
    """What `function`, which the program calls `name`, may change of the driver's locations and others."""

    points: PointsTo
    driver: Driver
    function: Function
    name: str

    def assigns(self, unchanged: Callable[[Location], list[Fact]]) -> tuple[tuple[str, ...], list[Fact]]:
        """What may be changed, without what is proved to be as before; the facts for which anything was left out.
        `unchanged`: those from which it follows that a location is as before."""
        effects = effects_of(self.points, self.name)
        by_name: dict[str, int] = {}
        for thing in self.points.objects:
            if thing.item is not None or thing.function == DRIVER:
                name = in_source(thing.name)
                by_name[name] = by_name.get(name, 0) | 1 << thing.number
        found: list[str] = []
        covered, used, pieces = 0, list[Fact](), written_whole(self.points, self.name)
        for location in self.driver.locations:
            objects = self.objects(location, by_name)
            covered |= objects
            if effects.modified & objects & pieces and location.whole != location.text:
                found.append(location.whole)
            elif effects.modified & objects:
                # More than one: static ones of that name in other files are among them.
                alone = bool(location.object) or objects.bit_count() == 1
                same = unchanged(location) if alone else []
                used += same
                found += [] if same else [location.text]
        for thing in self.points.objects:
            if (effects.modified & ~covered) >> thing.number & 1:
                if thing.item is not None and not (thing.item.constant or thing.item.code):
                    found.append(f"static {in_source(thing.name).rpartition('.')[2]}")
                elif thing.number == EXTERNAL and writes_outside(self.points, self.name):
                    found.append("memory outside of the program")
        return tuple(dict.fromkeys(found)), used

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
        assumed = (*self.driver.assumed, INVALID, *((FREES_NOTHING,) if self.may_free() else ()), DEFINED)
        return replace(
            empty,
            requires=tuple(Clause(text, Status.PROVED) for text in self.driver.requires),
            assumed=assumed,
            assigns=self.assigns(lambda _: [])[0],
        )


def _joined(sets: Iterable[int]) -> int:
    found = 0
    for bits in sets:
        found |= bits
    return found
