"""Runs to the error that a path slice promises: its model says what the kept edges read, draws say the rest.

Source: Jhala, Majumdar, "Path slicing" (PLDI 2005), theorem 1: a feasible slice's error is reachable if what was left
out ends. Here that is found out by running it; nothing is unrolled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import EdgeFormulas
from counterpoint.engines.predicates.traces.runs import inputs_on
from counterpoint.engines.predicates.traces.slicing import Slice
from counterpoint.execute.inputs import Contents, InputSource, RandomInputs, ReplayInputs, SmallInputs
from counterpoint.execute.interpreter import ProbedProgram
from counterpoint.execute.memory import Memory
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.points import Probe
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.layout import EXTERNAL_CONTENTS
from counterpoint.solver.answers import Model

RUNS = 4
"""Attempts with one model: zeros for what it leaves open, then small values, then any."""

SPAN = 8
"""How large small values are: loops end soon."""


def violating_inputs(
    program: Program,
    formulas: EdgeFormulas,
    slice_: Slice,
    model: Model,
    seed: int,
    limits: Limits,
    runs: int = RUNS,
) -> tuple[Input, ...] | None:
    """The inputs of a run that violates the property, all that it consumed: ReplayInputs does it again.

    `model` is one of the slice's formula. None if none of `runs` runs ends so; that says nothing. The limits hold for
    each run. Raises GranuleConflict and OutOfBudget as the formulas do.
    """
    read = tuple(_read(formulas, slice_, model))
    places = {stretch.source for stretch in read} | {stretch.target for stretch in read}
    names = {place: f"at{number}" for number, place in enumerate(sorted(places))}
    probed = ProbedProgram(program, {place: Probe(name, ()) for place, name in names.items()}, {})
    for number in range(runs):
        guided = GuidedInputs(read, _draws(number, seed))
        found = probed.run(guided, limits, partial(_observers, names, guided))
        if isinstance(found.outcome, Violated):
            return found.inputs
        if not guided.drawn:
            return None
    return None


def _observers(names: dict[Place, str], guided: GuidedInputs, _: Memory) -> dict[str, Callable[..., None]]:
    return {name: partial(guided.at, place) for place, name in names.items()}


def _draws(number: int, seed: int) -> InputSource:
    match number:
        case 0:
            return ReplayInputs(())
        case 1 | 2:
            return SmallInputs(seed + number, SPAN)
    return RandomInputs(seed + number)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A kept edge, from the entry of `source` to that of `target`, and what the model's run reads there."""

    source: Place
    target: Place
    inputs: tuple[Input, ...]


def _read(formulas: EdgeFormulas, slice_: Slice, model: Model) -> Iterator[Stretch]:
    for number, edge in enumerate(slice_.kept.edges):
        yield Stretch(edge.source, edge.target, inputs_on(formulas, slice_.kept, number, model))


@dataclass(slots=True)
class GuidedInputs:
    """What the stretches read while the run is on them, in each one the k-th value of a site; `others` everywhere else,
    and where a stretch has none left. One object serves one run."""

    stretches: Sequence[Stretch]
    others: InputSource
    drawn: int = 0
    _next: int = 0
    _until: Place = START
    _scalars: dict[int, deque[int]] = field(default_factory=dict)
    _memories: dict[int, deque[Contents]] = field(default_factory=dict)
    _external: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for stretch in self.stretches:
            for item in stretch.inputs:
                if isinstance(item, MemoryInput) and item.site == EXTERNAL_CONTENTS:
                    self._external = self._external or dict(item.contents)
        self.at(START)

    def at(self, place: Place) -> None:
        """The run enters the place (at its start: START)."""
        if place == self._until:
            self._scalars, self._memories = {}, {}
        if self._next < len(self.stretches) and self.stretches[self._next].source == place:
            self._enter(self.stretches[self._next])
            self._next += 1

    def _enter(self, stretch: Stretch) -> None:
        self._until = stretch.target
        self._scalars, self._memories = {}, {}
        for item in stretch.inputs:
            match item:
                case ScalarInput(site, value):
                    self._scalars.setdefault(site, deque()).append(value)
                case MemoryInput(site, _, contents) if site != EXTERNAL_CONTENTS:
                    self._memories.setdefault(site, deque()).append(contents)

    def scalar(self, site: int, bits: int) -> int:
        known = self._scalars.get(site)
        return known.popleft() if known else self._drawn().scalar(site, bits)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        known = self._scalars.get(site)
        return known.popleft() if known else self._drawn().pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        known = self._memories.get(site)
        return known.popleft() if known else self._drawn().memory(site, size)

    def external_byte(self, offset: int) -> int:
        return self._external[offset] if offset in self._external else self.others.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return None if self._scalars.get(site) or self._external else self.others.found(site, known)

    def _drawn(self) -> InputSource:
        self.drawn += 1
        return self.others
