"""States at cut points of concrete runs: what candidate invariants are learned from and filtered by.

The interpreter's code calls a probe at each cut point. Of a run's visits to a place the first are kept, then
fewer and fewer, and the last ones; which those are is known after a first run, and a second run of the same inputs
notes them. All prefixes of runs count: a state before a failing assumption is as reachable as any other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute.component_values import Observed, Reader, reader, statics
from counterpoint.execute.entry_values import Beginning, beginnings, in_turn
from counterpoint.execute.inputs import HabitualInputs, InputSource, RandomInputs, SmallInputs
from counterpoint.execute.interpreter import ProbedProgram, Run
from counterpoint.execute.memory import Memory
from counterpoint.execute.outcome import Limits, StepLimit, Violated
from counterpoint.execute.points import Probe
from counterpoint.program import model as m
from counterpoint.program.inputs import Input
from counterpoint.semantics.components import RegisterValue, ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT, CutPoint, components
from counterpoint.term.evaluate import Value
from counterpoint.term.term import Term

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One visit: values of component variables (semantics/components.py), as term.evaluate takes them.

    A component without a value here is missing. Of an array only the entries that it has are known
    (execute/component_values.py): what is learned or refuted must not rest on any other index.
    """

    values: Mapping[Term, Value]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Visits by place (function, block), in the order of the runs.

    `violation`: inputs of a run in which a check failed, as ReplayInputs takes them. `runs`, `steps`: what was done.
    """

    at: Mapping[Place, Sequence[Snapshot]] = field(default_factory=dict)
    violation: tuple[Input, ...] | None = None
    runs: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True)
class RecordingLimits:
    """`visits` kept per place; `runs`, `steps` (of all runs) and `seconds` of this process's CPU time, whichever is
    reached first.

    Runs also end when `patience` of them in a row showed nothing new. `first_steps` is the length of a short run, from
    which most is learned; a few runs may take `long_steps`, to see how long loops end.
    """

    visits: int = 300
    runs: int = 400
    steps: int = 1_500_000
    seconds: float = 1.0
    patience: int = 60
    first_steps: int = 2_500
    long_steps: int = 400_000
    longest_steps: int = 6_000_000


MANY = 32
"""Visits of one run to one place that are all kept; of later ones, about each eighth part more."""

MOST_DIFFERENT = 100
"""Calls with different arguments or results whose returns are kept in any case."""

WAITING = 3
"""How much longer than its CPU time a run may take where others use the CPU as well."""

LAST_VISITS = 2
"""Visits at the end of a run that are kept as well."""

SPANS = (12, 4, 40, 1, 100, 0)
"""The values that runs get as inputs: up to the span, in turn; 0 stands for values of all sizes."""


# ---------------------------------------------------------------- places


@dataclass(slots=True)
class _Place:
    """A place, what is noted there, and what was: rows of values in the order of `variables`."""

    name: str
    registers: tuple[int, ...]
    variables: tuple[Term, ...]
    readers: tuple[Reader, ...]
    exit: bool = False
    rows: dict[tuple[Value | None, ...], None] = field(default_factory=dict)
    last: dict[tuple[Value | None, ...], None] = field(default_factory=dict)

    def observer(self, seen: Observed, watch: _Watch) -> Callable[..., None]:
        """The probe for one run."""
        rows, readers = watch.rows, self.readers
        different: set[tuple[int, ...]] = set()

        def visit(*values: int) -> None:
            watch.count += 1
            if watch.count == watch.next:
                watch.next = next(watch.wanted, 0)
            elif not self.exit or len(different) >= MOST_DIFFERENT or values in different:
                return
            different.add(values)
            rows.append((*values, *(read(seen, values) for read in readers)))

        return visit


@dataclass(slots=True)
class _Watch:
    """One place in one run: the visits so far, the next one that is noted, and those after it (rising)."""

    wanted: Iterator[int]
    next: int = 0
    count: int = 0
    rows: list[tuple[Value | None, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.next = next(self.wanted, 0)


def thinning() -> Iterator[int]:
    number = 0
    while True:
        number += 1 + (number // 8 if number >= MANY else 0)
        yield number


def _place(index: int, cut: CutPoint, granules: Mapping[str, int]) -> _Place:
    bits = cut.points.program.layout.pointer_bits
    registers: list[int] = []
    variables: list[Term] = []
    read: list[tuple[Term, Reader]] = []
    for component in components(cut, granules):
        match component:
            case RegisterValue(_, register):
                registers.append(register.index)
                variables.append(variable_of(component, bits))
            case ResultValue():
                variables.append(variable_of(component, bits))
            case _:
                found = reader(component, cut)
                if found is not None:
                    read.append((variable_of(component, bits), found))
    names = (*variables, *(variable for variable, _ in read))
    return _Place(f"p{index}", tuple(registers), names, tuple(found for _, found in read), cut.block == EXIT)


# ---------------------------------------------------------------- recording


@dataclass(slots=True)
class _Recorder:
    places: dict[Place, _Place]
    probed: ProbedProgram
    statics: Mapping[int, int]
    begun: Mapping[str, Beginning]

    def run(self, source: InputSource, limits: Limits, wanted: Mapping[Place, Sequence[int]] | None) -> tuple[
        Run, dict[Place, _Watch]
    ]:  # fmt: skip
        """One run that notes the wanted visits; with None, more and more thinly."""
        watches = {
            place: _Watch(thinning() if wanted is None else iter(wanted.get(place, ()))) for place in self.places
        }

        def observers(memory: Memory) -> dict[str, Callable[..., None]]:
            seen = Observed(memory, self.statics)
            probes = {known.name: known.observer(seen, watches[place]) for place, known in self.places.items()}
            for function, beginning in self.begun.items():
                first, last = (self.places[function, block].name for block in (0, EXIT))
                probes[first] = in_turn(beginning.begins(seen), probes[first])
                probes[last] = in_turn(probes[last], beginning.ends(seen))
            return {**probes, "born": seen.note}

        return self.probed.run(source, limits, observers), watches

    def all_seen(self, watches: Mapping[Place, _Watch]) -> bool:
        """Each place was visited, in this run or an earlier one."""
        return all(watch.count or self.places[place].rows for place, watch in watches.items())

    def keep(self, watches: Mapping[Place, _Watch]) -> bool:
        """Adds a run's visits; whether there was a new state among them."""
        new = False
        for place, watch in watches.items():
            known = self.places[place].rows
            for row in watch.rows:
                if row not in known:
                    known[row] = None
                    new = True
            if watch.rows:
                self.places[place].last[watch.rows[-1]] = None
        return new


def record(
    program: m.Program,
    cuts: Mapping[Place, CutPoint],
    granules: Mapping[str, int] | None = None,
    *,
    seed: int = 0,
    limits: RecordingLimits | None = None,
    habits: bool = False,
    also: Callable[[int], InputSource] | None = None,
) -> Snapshots:
    """States at the cut points of `program` (block EXIT: at each return, with results), of runs on biased inputs.

    With `habits` every other run has the inputs of HabitualInputs; with `also` two of three have what that gives for
    their numbers.
    `cuts` and `granules` are those of the cut graph (regions/cut_graph.py). Deterministic for a seed, unless the limit
    in seconds is reached. What a run meets that cannot be interpreted ends that run only.
    """
    bounds = limits or RecordingLimits()
    if not cuts:
        return Snapshots()
    started = time.process_time()
    deadline = started + bounds.seconds
    recorder = _recorder(program, cuts, granules or {})
    pool = constants(program)
    steps = dull = runs = 0
    longer = [bounds.longest_steps, bounds.long_steps, bounds.long_steps]
    violation: tuple[Input, ...] | None = None
    while runs < bounds.runs and steps < bounds.steps and dull < bounds.patience and time.process_time() < deadline:
        span, number = SPANS[runs % len(SPANS)], seed * 1_000_003 + runs
        limit = bounds.first_steps

        inputs = partial(_inputs, also if runs % 3 else None, habits, span, number, pool)
        try:
            run, watches = recorder.run(inputs(), _limits(limit, deadline), None)
            while isinstance(run.outcome, StepLimit) and longer:
                if len(longer) == 1 and run.inputs and recorder.all_seen(watches):
                    break
                limit = min(longer.pop(), _affordable(started, deadline, steps + run.steps))
                steps += run.steps
                run, watches = recorder.run(inputs(), _limits(limit, deadline), None)
        except Unsupported:
            break
        new = recorder.keep(watches)
        ends = {place: _missed(watch) for place, watch in watches.items()}
        if any(ends.values()) and time.process_time() < deadline:
            again, later = recorder.run(inputs(), _limits(limit, deadline), ends)
            recorder.keep(later)
            steps += again.steps
        runs += 1
        steps += run.steps
        dull = 0 if new else dull + 1
        if isinstance(run.outcome, Violated) and violation is None:
            violation = run.inputs
        if not run.inputs:  # the only run there is
            break
    return Snapshots(
        {place: _chosen(known, bounds.visits, seed) for place, known in recorder.places.items()}, violation, runs, steps
    )


def _inputs(
    also: Callable[[int], InputSource] | None, habits: bool, span: int, number: int, pool: Sequence[int]
) -> InputSource:
    if also is not None:
        return also(number)
    if habits and number % 2:
        return HabitualInputs(number, pool)
    return SmallInputs(number, span, pool) if span else RandomInputs(number, pool)


def _affordable(started: float, deadline: float, steps: int) -> int:
    """Steps that fit into the rest of the time twice, at the speed so far, of which little is known at first."""
    now = time.process_time()
    speed = max(steps, 10_000) / max(now - started, 0.02)
    return int(speed * max(deadline - now, 0.0) / 2)


def _limits(steps: int, deadline: float) -> Limits:
    left = max(0.0, deadline - time.process_time())
    return Limits(steps=steps, depth=5_000, memory=1 << 28, seconds=WAITING * left)


def _recorder(program: m.Program, cuts: Mapping[Place, CutPoint], granules: Mapping[str, int]) -> _Recorder:
    places = {place: _place(index, cut, granules) for index, (place, cut) in enumerate(cuts.items())}
    some = next(iter(cuts.values()))
    probes = {place: Probe(known.name, known.registers) for place, known in places.items()}
    assert EXIT == -1, "pythontext.EXIT is the same number"
    parts = ((cut, component) for cut in cuts.values() for component in components(cut, granules))
    begun = {f: known for f, known in beginnings(parts).items() if (f, 0) in places and (f, EXIT) in places}
    return _Recorder(places, ProbedProgram(program, probes, some.points.sites), statics(some), begun)


def _missed(watch: _Watch) -> list[int]:
    """Which of a run's last visits were not noted."""
    ends = range(max(1, watch.count - LAST_VISITS + 1), watch.count + 1)
    noted = set()
    for number in thinning():
        if number > watch.count:
            return [end for end in ends if end not in noted]
        noted.add(number)
    return []


def _chosen(place: _Place, visits: int, seed: int) -> tuple[Snapshot, ...]:
    """At most `visits` states: those of the beginning, of runs' ends, and a sample of the rest."""
    rows = list(place.rows)
    if len(rows) > visits:
        choose = random.Random(seed)
        ends = list(place.last)
        if len(ends) > visits // 3:
            ends = choose.sample(ends, visits // 3)
        wanted = dict.fromkeys([*rows[: visits // 3], *ends])
        rest = [row for row in rows if row not in wanted]
        wanted.update(dict.fromkeys(choose.sample(rest, min(len(rest), visits - len(wanted)))))
        rows = [row for row in rows if row in wanted]
    return tuple(
        Snapshot({v: _number(value) for v, value in zip(place.variables, row, strict=True) if value is not None})
        for row in rows
    )


def _number(value: Value) -> Value:
    """Code of runs has truth values where a comparison's result is extended: terms are made of plain numbers only."""
    return int(value) if isinstance(value, bool) else value


def constants(program: m.Program, most: int = 64) -> tuple[int, ...]:
    """Numbers that the program's code mentions (unsigned), in the order of the code."""
    found: dict[int, None] = {}
    for function in program.functions.values():
        for block in function.blocks:
            for instruction in block.instructions:
                if isinstance(instruction, m.Compute):
                    found.update((o.bits, None) for o in instruction.operands if isinstance(o, m.Constant))
            for edge in block.edges:
                found.update((case, None) for case in edge.guard.cases)
                found.update((a.bits, None) for a in edge.arguments if isinstance(a, m.Constant))
            if len(found) >= most:
                return tuple(found)[:most]
    return tuple(found)
