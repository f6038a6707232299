"""Entry values (components.Old) in concrete runs: what components were when each activation at work began."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from counterpoint.core.records import dataclass
from counterpoint.execute.component_values import Observed, Reader, reader
from counterpoint.semantics.components import Component, Old
from counterpoint.semantics.cutpoint import CutPoint, entry_of

MOST_BEGUN = 3_000
"""Activations of a run whose beginnings are read; of further ones nothing is known."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is read when an activation of a function begins: at `cut`, its entry."""

    cut: CutPoint
    readers: Mapping[Component, Reader]

    @property
    def function(self) -> str:
        return self.cut.function.name

    @property
    def registers(self) -> tuple[int, ...]:
        """Of the probes at the function's block 0 and EXIT."""
        return tuple(register.index for register in self.cut.registers)

    def begins(self, seen: Observed) -> Callable[..., None]:
        """The probe at block 0."""

        def begin(*numbers: int) -> None:
            seen.activations += 1
            known = seen.activations <= MOST_BEGUN
            values = {component: read(seen, numbers) for component, read in self.readers.items()} if known else {}
            seen.begun.setdefault(self.function, []).append(values)

        return begin

    def ends(self, seen: Observed) -> Callable[..., None]:
        """The probe at EXIT, behind all others there."""

        def end(*_: int) -> None:
            seen.begun[self.function].pop()

        return end


def beginnings(wanted: Iterable[tuple[CutPoint, Component]]) -> dict[str, Beginning]:
    """By function: what is needed for the entry values among these components at cut points of it."""
    found: dict[str, dict[Component, Reader]] = {}
    cuts: dict[str, CutPoint] = {}
    for cut, component in wanted:
        if isinstance(component, Old):
            entry = entry_of(cut)
            read = reader(component.of, entry)
            if read is not None:
                cuts[cut.function.name] = entry
                found.setdefault(cut.function.name, {})[component.of] = read
    return {name: Beginning(cuts[name], readers) for name, readers in found.items()}


def in_turn(first: Callable[..., None], second: Callable[..., None]) -> Callable[..., None]:
    """A probe that calls one, then the other."""

    def both(*numbers: int) -> None:
        first(*numbers)
        second(*numbers)

    return both
