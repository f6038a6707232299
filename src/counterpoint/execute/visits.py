"""The visits of one run to chosen places, with values of components there: what certificates are run on.

Unlike snapshots, which are a sample of many runs, visits are in the order of the run; and they are read from this
run's memory when it is at the place, so that nothing about them is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.execute.accesses import Excluded, Touches, WatchedAccesses
from counterpoint.execute.component_values import Observed, Reader, reader, statics
from counterpoint.execute.entry_values import beginnings, in_turn
from counterpoint.execute.inputs import InputSource
from counterpoint.execute.interpreter import ProbedProgram, Run
from counterpoint.execute.memory import Memory
from counterpoint.execute.outcome import EndOfRun, Limits, StepLimit
from counterpoint.execute.points import Probe
from counterpoint.execute.snapshots import Place, thinning
from counterpoint.program import model as m
from counterpoint.semantics.components import Component, RegisterValue, ResultValue
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.layout import global_addresses
from counterpoint.term.evaluate import Value
from counterpoint.term.term import Term

Visit = tuple[Place, Mapping[Term, Value]]


@dataclass(slots=True)
class _Place:
    """What is read at a place: numbers by their position in what the probe is given, the rest from memory."""

    place: Place
    name: str
    registers: tuple[int, ...] = ()
    numbers: list[tuple[Term, int]] = field(default_factory=list)
    readers: list[tuple[Term, Reader]] = field(default_factory=list)

    def values(self, seen: Observed, given: tuple[int, ...]) -> Mapping[Term, Value]:
        found: dict[Term, Value] = {variable: given[position] for variable, position in self.numbers}
        for variable, read in self.readers:
            value = read(seen, given)
            if value is not None:
                found[variable] = value
        return found


def _place(place: Place, index: int, cut: CutPoint | None, wanted: Mapping[Term, Component]) -> _Place:
    found = _Place(place, f"p{index}")
    if cut is None:
        return found
    found.registers = tuple(register.index for register in cut.registers)
    for variable, component in wanted.items():
        match component:
            case RegisterValue(_, register):
                found.numbers.append((variable, found.registers.index(register.index)))
            case ResultValue(_, index, _):
                found.numbers.append((variable, len(found.registers) + index))
            case _:
                read = reader(component, cut)
                if read is not None:
                    found.readers.append((variable, read))
    return found


@dataclass(frozen=True, slots=True)
class Visited:
    """A run, its visits, and what it touched that analyses exclude."""

    run: Run
    visits: list[Visit]
    excluded: tuple[Excluded, ...]


class VisitedProgram:
    """A program whose runs tell of their visits to `cuts`, and of accesses as `watched` sees them. Of places without a
    CutPoint nothing is read."""

    def __init__(
        self,
        program: m.Program,
        cuts: Mapping[Place, CutPoint | None],
        wanted: Mapping[Place, Mapping[Term, Component]],
        watched: WatchedAccesses | None = None,
        apart: bool = False,
    ) -> None:
        self.watched = watched
        self.apart = apart
        self.addresses = global_addresses(program)
        self.places = [_place(p, index, cut, wanted.get(p, {})) for index, (p, cut) in enumerate(cuts.items())]
        some = next((cut for cut in cuts.values() if cut is not None), None)
        self.statics = {} if some is None else statics(some)
        parts = ((cut, c) for place, cut in cuts.items() if cut is not None for c in wanted.get(place, {}).values())
        self.begun = beginnings(parts)
        probes = {known.place: Probe(known.name, known.registers) for known in self.places}
        for function, beginning in self.begun.items():
            for place in ((function, 0), (function, EXIT)):
                probes.setdefault(place, Probe(f"begun{len(probes)}", beginning.registers))
        self.names = {place: probe.name for place, probe in probes.items()}
        points = watched.points if watched is not None else None if some is None else some.points
        watches = {} if watched is None else watched.watches
        self._probed = ProbedProgram(program, probes, {} if points is None else points.sites, watches)

    def run(self, source: InputSource, limits: Limits, *, most: int, whole: bool) -> Visited:
        """A run and its visits: with `whole` every one, and the run ends after `most`; else of each place the first
        ones, then fewer and fewer, at most `most`. Raises Unsupported for what cannot be interpreted.
        """
        visits: list[Visit] = []
        touched: list[Touches] = []

        def observers(memory: Memory) -> dict[str, Callable[..., None]]:
            seen = Observed(memory, self.statics)
            watch = _every if whole else _thinned
            names: dict[str, Callable[..., None]] = {"born": seen.note}
            if self.watched is not None:
                touches, watches = self.watched.start(memory, self.addresses, self.apart)
                touched.append(touches)
                names = {"born": in_turn(seen.note, touches.born), **watches}
            names |= {known.name: watch(known, seen, visits, most) for known in self.places}
            for function, beginning in self.begun.items():
                first, last = self.names[function, 0], self.names[function, EXIT]
                names[first] = in_turn(beginning.begins(seen), names.get(first, _nothing))
                names[last] = in_turn(names.get(last, _nothing), beginning.ends(seen))
            return names

        done = self._probed.run(source, limits, observers)
        return Visited(done, visits, tuple(excluded for touches in touched for excluded in touches.excluded))


def _nothing(*_: int) -> None:
    """No probe."""


def _every(known: _Place, seen: Observed, visits: list[Visit], most: int) -> Callable[..., None]:
    def visit(*given: int) -> None:
        if len(visits) >= most:
            raise EndOfRun(StepLimit("visits"))
        visits.append((known.place, known.values(seen, given)))

    return visit


def _thinned(known: _Place, seen: Observed, visits: list[Visit], most: int) -> Callable[..., None]:
    noted = thinning()
    count, following = 0, next(noted)

    def visit(*given: int) -> None:
        nonlocal count, following
        count += 1
        if count == following and len(visits) < most:
            following = next(noted)
            visits.append((known.place, known.values(seen, given)))

    return visit
