"""Every stretch of a run between two places has to be a model of the checker's formula of that region.

    python tests/stretches.py [--programs N] [--seed S] [--property P] [--data-model M] [--contracts all|none] [FILE...]

The interpreter (execute/) runs the program as C is meant; the region (evidence/regions.py) is what proofs believe
of all runs. A stretch gives values to components where it begins and ends, and before and after each call by contract
in it. With these values the region's formulas and axioms have to be satisfiable, else the encoding assumes a run away
and what rests on it may be a wrong TRUE. Without files, programs of tests/c_generator.py, in turn with and without
contracts, in both data models and of all PROPERTIES. Exit status 1 if a stretch is no model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Undecided, Unsupported, UnusableInput
from counterpoint.evidence.induction import Setting, over_setting
from counterpoint.evidence.places import START, Place, Places
from counterpoint.evidence.regions import ContractCall, Region, Values, region
from counterpoint.execute import component_values, entry_values, visits
from counterpoint.execute.component_values import Observed, Reader
from counterpoint.execute.inputs import InputSource, RandomInputs, SmallInputs
from counterpoint.execute.memory import MemoryBlock
from counterpoint.execute.outcome import Limits, Outcome, Violated
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Program
from counterpoint.semantics.components import Component, Counter, SummaryLive
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.layout import dynamic_base
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue, Value, array_value
from counterpoint.term.sorts import ArraySort, BitVec, Float
from counterpoint.term.term import Term, V

PROPERTIES = ("unreach-call", "no-overflow", "valid-deref", "valid-free", "valid-memtrack")
"""Of the random programs, in turn."""

MAX_VISITS = 400
"""Of one run: it ends there."""

LIMITS = Limits(steps=4_000, depth=500, seconds=5)
"""Of one run."""

PATIENCE = 8.0
"""Seconds for one question."""

COUNT = 16
"""Bits of numbers of calls."""

Seen = Mapping[Term, Value]
"""Components' values in a run, by the components' variables."""


# ---------------------------------------------------------------- the run: exact values


@dataclass(slots=True)
class _Exactly(Observed):
    """Also knows what the checker's Counter is: `above`, one past the address one past the end of each object made."""

    above: int = 0

    def note(self, number: int, address: int) -> None:
        Observed.note(self, number, address)
        block = self.memory.block_at(address)
        assert block is not None
        self.above = max(self.above, block.base + block.size + 1)

    def liveness(self, group: Sequence[int]) -> ArrayValue:
        """Of objects that are dead as well, if the memory knows them still."""
        bases = (address for number in group for address in self.born.get(number, ()))
        blocks = ((address, self.memory.block_at(address)) for address in bases)
        return array_value({base: int(block.live) for base, block in blocks if block is not None})


def _reader(component: Component, cut: CutPoint) -> Reader | None:
    """component_values.reader, but for components that analyses of runs read in part or coarsely."""
    low = dynamic_base(cut.points.program)

    def counter(seen: Observed, _: Sequence[int]) -> Value:
        assert isinstance(seen, _Exactly)
        return max(low, seen.above)

    def live(seen: Observed, _: Sequence[int]) -> Value:
        assert isinstance(seen, _Exactly)
        assert isinstance(component, SummaryLive)
        return seen.liveness(next((g.members for g in cut.summaries if g.number == component.summary), ()))

    match component:
        case Counter():
            return counter
        case SummaryLive():
            return live
    return _PLAIN_READER(component, cut)


def _entries(block: MemoryBlock, granule: int, numbers: Sequence[int], big: bool) -> list[tuple[int, int]]:
    """Without the element that the object has in part: what is behind its end is arbitrary."""
    return [(k, value) for k, value in _PLAIN_ENTRIES(block, granule, numbers, big) if (k + 1) * granule <= block.size]


_PLAIN_READER, _PLAIN_ENTRIES = component_values.reader, component_values._entries


@contextmanager
def exact_values() -> Iterator[None]:
    """Inside of the `with`, visits give components' exact values."""
    with ExitStack() as stack:
        for target, name, mine in (
            (visits, "Observed", _Exactly),
            (visits, "reader", _reader),
            (entry_values, "reader", _reader),
            (component_values, "_entries", _entries),
        ):
            stack.enter_context(patch.object(target, name, mine))
        yield


# ---------------------------------------------------------------- stretches


@dataclass(slots=True)
class Called:
    """A call by contract. `after` is None if the run ended in it."""

    callee: str
    before: Seen
    after: Seen | None = None


@dataclass(slots=True)
class Stretch:
    """A run, from a place to the next one of the same activation; `end` is None if the run is over before that."""

    start: Place
    begin: Seen
    calls: list[Called] = field(default_factory=list)
    end: Place | None = None
    last: Seen = field(default_factory=dict)
    violated: bool = False

    @property
    def shape(self) -> tuple[object, ...]:
        return self.start, self.end, self.violated, tuple(call.callee for call in self.calls)

    @property
    def told(self) -> str:
        calls = ", ".join(call.callee for call in self.calls) or "no calls"
        return f"from {self.start} to {self.end or ('a violated check' if self.violated else 'the end')}, {calls}"


def stretches(places: Places, seen: Sequence[visits.Visit], outcome: Outcome) -> list[Stretch]:
    """Of one run, whose visits to all places are given."""
    if seen and seen[0][0] == (places.program.entry, 0):
        seen = seen[1:]
    open_, done = [Stretch(START, {})], []
    for place, values in seen:
        function, block = place
        if block == 0 and function in places.contracts:
            open_[-1].calls.append(Called(function, values))
            open_.append(Stretch(place, values))
            continue
        top = open_.pop()
        top.end, top.last = place, values
        done.append(top)
        if block == EXIT:
            open_[-1].calls[-1].after = values
        else:
            open_.append(Stretch(place, values))
    open_[-1].violated = isinstance(outcome, Violated)
    return done + open_


# ---------------------------------------------------------------- what a stretch says of its region

Said = tuple[str, V]
"""Something that holds on the stretch, and what to call it."""


def same(term: V, value: Value) -> V:
    """The component has the value: of an array, at the indices that are known."""
    if isinstance(value, ArrayValue):
        assert isinstance(term, Term)
        assert isinstance(term.sort, ArraySort)
        element = term.sort.element
        return build.conjunction([build.eq(build.select(term, index), x, element) for index, x in value.items()])
    if isinstance(term, int):
        return int(term == value)
    match term.sort:
        case Float() as sort:
            both = build.and_(build.fp_is_nan(term, sort), build.fp_is_nan(value, sort))
            equal = build.eq(build.bits_from_fp(term, sort), value, sort.width)
            return build.or_(both, equal)
        case BitVec() as sort:
            return build.eq(term, value & sort.mask, sort.width)
    return term if value else build.not_(term)


def equal(values: Values, seen: Seen) -> V:
    return build.conjunction([same(values[variable], seen[variable]) for variable in _common(values, seen)])


def _common(values: Values, seen: Seen) -> list[Term]:
    return sorted((variable for variable in seen if variable in values), key=lambda variable: str(variable.payload))


def _numbers(calls: Sequence[ContractCall]) -> list[V]:
    """How many of them a run makes before each, and in all: the walk's order is that of every run."""
    numbers: list[V] = [0]
    for call in calls:
        numbers.append(build.add(numbers[-1], build.ite(call.guard, 1, 0, BitVec(COUNT)), COUNT))
    return numbers


def says(r: Region, stretch: Stretch, calls: int) -> list[Said]:
    """Where it begins, and of the region's first `calls` calls, which of them it makes and with which values.

    The n-th call that the run makes is the region's n-th call whose guard holds, whichever that is. What a run that is
    over would call later is not known.
    """
    numbers, first = _numbers(r.calls), list(enumerate(r.calls))[:calls]
    begin = [(v, stretch.begin[v]) for v in _common(r.begin, stretch.begin)]
    said = [(f"begins with {v.payload} = {value}", same(r.begin[v], value)) for v, value in begin]
    for n, made in enumerate(stretch.calls):
        here = [(call, build.and_(call.guard, build.eq(numbers[j], n, COUNT))) for j, call in first]
        others = [guard for call, guard in here if call.callee != made.callee]
        said.append((f"call {n} is of {made.callee}", build.not_(build.disjunction(others))))
        mine = [(call, guard) for call, guard in here if call.callee == made.callee]
        said += _valued(f"before call {n}, of {made.callee}", [(g, c.before) for c, g in mine], made.before)
        said += _valued(f"behind call {n}, of {made.callee}", [(g, c.after) for c, g in mine], made.after or {})
    if stretch.end is not None:
        late = [build.and_(call.guard, build.ule(len(stretch.calls), numbers[j], COUNT)) for j, call in first]
        said.append(("no more calls", build.not_(build.disjunction(late))))
    return said


def _valued(where: str, ways: Sequence[tuple[V, Values]], seen: Seen) -> Iterator[Said]:
    """Each component has its value, in the way whose guard holds."""
    for v, value in seen.items():
        holds = [build.implies(guard, same(values[v], value)) for guard, values in ways if v in values]
        yield f"{v.payload} = {value} {where}", build.conjunction(holds)


def goes_on(r: Region, stretch: Stretch) -> list[Said]:
    """Where the stretch leads; that it makes all its calls."""
    count = len(stretch.calls)
    said = [(f"{count} calls", build.ule(count, _numbers(r.calls)[-1], COUNT))]
    if stretch.violated:
        said.append(("a check fails", build.disjunction([claim.formula for claim in r.claims])))
    if stretch.end is None:
        return said
    there = [arrival for arrival in r.arrivals if arrival.target == stretch.end]
    said.append((f"gets to {stretch.end}", build.disjunction([arrival.guard for arrival in there])))
    for v, value in stretch.last.items():
        ways = [build.and_(a.guard, same(a.values[v], value)) if v in a.values else a.guard for a in there]
        said.append((f"{v.payload} = {value} at {stretch.end}", build.disjunction(ways)))
    arrived = [build.and_(arrival.guard, equal(arrival.values, stretch.last)) for arrival in there]
    return [*said, ("all of that at once", build.disjunction(arrived))]


def possible(r: Region, said: Sequence[Said]) -> bool | None:
    """Whether the region has a model in which all of this holds; None: not known in time."""
    formulas = [formula for _, formula in said if formula != 1]
    if 0 in formulas:
        return False
    solver = backend("bitwuzla").connect(Settings(memory_megabytes=2_000))
    try:
        for formula in (*formulas, *r.axioms(formulas)):
            solver.add(formula)
        answer = solver.check(seconds=PATIENCE)
    finally:
        solver.close()
    return True if isinstance(answer, Sat) else False if isinstance(answer, Unsat) else None


def excused(r: Region, stretch: Stretch) -> bool:
    """The run may meet something without a meaning, which no proof allows: the encoding need not follow it there."""
    for claim in r.claims:
        if not claim.what.endswith(": the check"):
            before = says(r, stretch, claim.earlier)
            if possible(r, [*before, (claim.what, claim.formula)]) is not False:
                return True
    return False


def blame(r: Region, said: Sequence[Said]) -> str:
    """The first of these that contradicts those before it."""
    low, high = 0, len(said)
    while low < high:
        middle = (low + high) // 2
        if possible(r, said[: middle + 1]) is False:
            high = middle
        else:
            low = middle + 1
    return said[low][0] if low < len(said) else "?"


# ---------------------------------------------------------------- programs


@dataclass(slots=True)
class Report:
    """What came of the stretches of a program: models, excused ones, those that took too long, and complaints."""

    models: int = 0
    excused: int = 0
    unknown: int = 0
    runs: int = 0
    violated: int = 0
    complaints: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.models += other.models
        self.excused += other.excused
        self.unknown += other.unknown
        self.runs += other.runs
        self.violated += other.violated

    def __str__(self) -> str:
        told = f"{self.models} stretches are models, {self.excused} meet what has no meaning"
        return f"{told}, {self.unknown} not decided ({self.runs} runs, {self.violated} of them fail a check)"


def look(r: Region, stretch: Stretch, report: Report) -> None:
    said = [*says(r, stretch, len(r.calls)), *goes_on(r, stretch)]
    answer = possible(r, said)
    if answer:
        report.models += 1
    elif answer is None:
        report.unknown += 1
    elif excused(r, stretch):
        report.excused += 1
    else:
        report.complaints.append(f"{stretch.told}: {blame(r, said)}")


def regions(program: Program, seconds: float) -> tuple[Places, dict[Place, Region], dict[Place, dict[Term, Component]]]:
    """The program's places, the region of each that is a start, and all components of each."""

    def make(setting: Setting) -> tuple[Places, dict[Place, Region], dict[Place, dict[Term, Component]]]:
        places, granules = setting.places, setting.granules
        known = {place: places.known(place, granules) for place in places.cuts}
        found = {s: region(places, s, known.__getitem__, granules, setting.budget) for s in places.starts}
        return places, found, known

    return over_setting(program, (), (), Budget(seconds), make)


def examine(
    program: Program,
    inputs: Sequence[InputSource] = (),
    *,
    seed: int = 0,
    runs: int = 4,
    most: int = 4,
    seconds: float = 30,
) -> Report:
    """Runs the program, with these inputs or random ones, and looks at its stretches: at most `most` of those that call
    the same functions between the same places, for about `seconds` of processor time. Raises as regions do."""
    until = time.process_time() + seconds
    places, found, known = regions(program, seconds)
    count, report = dict[tuple[object, ...], int](), Report()
    sources = inputs or _inputs(program, seed, runs)
    with exact_values():
        visited = visits.VisitedProgram(program, dict(places.cuts), known)
        for source in sources:
            done = visited.run(source, LIMITS, most=MAX_VISITS, whole=True)
            report.runs += 1
            report.violated += isinstance(done.run.outcome, Violated)
            for stretch in stretches(places, done.visits, done.run.outcome):
                count[stretch.shape] = count.get(stretch.shape, 0) + 1
                if count[stretch.shape] > most or time.process_time() > until:
                    continue
                look(found[stretch.start], stretch, report)
    return report


def _inputs(program: Program, seed: int, runs: int) -> list[InputSource]:
    pool, first = constants(program), 1_000 * seed
    small = [SmallInputs(first + number, (3, 8, 20)[number % 3], pool) for number in range(runs)]
    return [source if number % 4 else RandomInputs(first + number, pool) for number, source in enumerate(small)]


def made(file: Path, property_: str, model: str, contracts: str) -> Program:
    """The file's program in the preparation that keeps functions. Raises UnusableInput."""
    subject = compile_subject(SourceTask(files=(file,), property=property_, data_model=model))
    return subject.program("modular", ("all",) if contracts == "all" else ())


def examined(file: Path, seed: int, given: argparse.Namespace) -> Report:
    """The file's report, printed if there is something to say."""
    settings = (given.property, given.data_model, given.contracts)
    name = " ".join((str(file) if given.files else f"seed {seed}", *settings))
    report = Report()
    try:
        report = examine(made(file, *settings), seed=seed, runs=given.runs, seconds=given.seconds)
    except (Unsupported, Undecided, OutOfBudget, UnusableInput) as why:
        print(f"{name}: left out: {why}", flush=True)
    for complaint in report.complaints:
        print(f"{name}: NO MODEL {complaint}", flush=True)
    return report


def generated(seed: int, given: argparse.Namespace) -> Report:
    """Of a random program; options that are not given follow from the seed."""
    import fuzz  # compiles by other tools as well, which files do without

    tree, model = fuzz.program(seed)
    chosen = argparse.Namespace(**vars(given))
    chosen.property = given.property or PROPERTIES[seed % len(PROPERTIES)]
    chosen.data_model = model
    chosen.contracts = given.contracts or ("none" if seed % 4 == 3 else "all")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(tree.text())
        return examined(file, seed, chosen)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--programs", type=int, default=100, help="random programs, without files")
    options.add_argument("--seed", type=int, default=0, help="of the first")
    options.add_argument("--property", help="unreach-call for files")
    options.add_argument("--data-model", default="LP64", help="of files")
    options.add_argument("--contracts", choices=("all", "none"), help="which functions go by contract; of files all")
    options.add_argument("--runs", type=int, default=4, help="of each program")
    options.add_argument("--seconds", type=float, default=30, help="for each program")
    given = options.parse_args()
    total, bad = Report(), 0
    if given.files:
        given.property, given.contracts = given.property or "unreach-call", given.contracts or "all"
        reports = (examined(file, given.seed, given) for file in given.files)
    else:
        reports = (generated(seed, given) for seed in range(given.seed, given.seed + given.programs))
    for number, report in enumerate(reports, 1):
        total.add(report)
        bad += bool(report.complaints)
        if number % 20 == 0:
            print(f"{number} programs: {total}", flush=True)
    print(f"{total}; {bad} programs with a stretch that is no model")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
