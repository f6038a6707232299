"""One C program, several parties: interpreter, native executable, symbolic evaluation, the host's compilers.

The interpreter on the unprepared program with random inputs is the reference; every other party gets the inputs
that it consumed and must end in the same way, having consumed the same ones. Observed values are among
these (tests/c_generator.py). Symbolic evaluation unrolls the program once with inputs as variables and
evaluates its formulas; once more with inputs as numbers, where everything must fold.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.core.source import Site
from counterpoint.execute import outcome as ends
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native import toolchain
from counterpoint.execute.native.build import Outcome
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.passes.cleanup import REMOVABLE
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput
from counterpoint.program.model import Nondet, Program
from counterpoint.program.types import PointerType
from counterpoint.regions.assignment import copied_value
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import BackEdge, Ends, unroll
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.objects import ArbitraryBytes, MemoryRecord, ScalarRecord, World
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.evaluate import Evaluation, Given
from counterpoint.term.sorts import BitVec, Sort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

LIMITS = ends.Limits(steps=300_000, seconds=20)
MAX_STEPS = 150_000
"""Instructions of one unrolling."""
MAX_UNDECIDED = 24
"""Iterations of one loop that depend on inputs."""


@dataclass(frozen=True, slots=True)
class Observation:
    """How a run ended ("violated 0", "finished", ...), and the inputs that it consumed, in order."""

    end: str
    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A party saw something else than the reference; or a part of the tool failed."""

    party: str
    vector: int
    message: str

    def __str__(self) -> str:
        return f"{self.party} (input vector {self.vector}): {self.message}"


@dataclass(slots=True)
class Report:
    """What the parties said about one program. `compared` counts observations that agree with the reference."""

    compared: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    disagreements: list[Disagreement] = field(default_factory=list)

    def agreed(self, party: str) -> None:
        self.compared[party] = self.compared.get(party, 0) + 1

    def skip(self, why: str) -> None:
        self.skipped[why] = self.skipped.get(why, 0) + 1


@dataclass(frozen=True, slots=True)
class Parties:
    """Who takes part."""

    native: tuple[str, ...] = ("none", "flat")
    interpreter: tuple[str, ...] = ("flat", "modular")
    symbolic: tuple[str, ...] = ("none", "flat")
    concrete: tuple[str, ...] = ("none", "flat")
    host: tuple[str, ...] = ("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")
    solver: bool = False


def examine(text: str, data_model: str, vectors: int, parties: Parties) -> Report:
    """Compares all parties on the program."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        try:
            subject = compile_subject(SourceTask(files=(file,), data_model=data_model))
            references = _references(subject, vectors, report)
        except CounterpointError as error:
            report.disagreements.append(Disagreement("front end", -1, f"{type(error).__name__}: {error}"))
            return report
        try:
            _compare_runs(subject, references, parties, report)
            for preparation in parties.symbolic:
                _compare_symbolic(_prepared(subject, preparation), references, parties.solver, report)
            for preparation in parties.concrete:
                _compare_concrete(_prepared(subject, preparation), references, report)
            _compare_host(file, subject, data_model, references, parties, report)
        finally:
            subject.close()
    return report


def _references(subject: Subject, vectors: int, report: Report) -> list[tuple[int, Observation]]:
    found = []
    program = subject.program("none")
    for vector in range(vectors):
        source = ReplayInputs(()) if vector == 0 else RandomInputs(vector, (1, 2, 3, 255, 1 << 31))
        done = run(program, source, LIMITS)
        seen = Observation(_interpreter_end(done.outcome), done.inputs)
        if seen.end in ("limit", "unsupported"):
            report.skip(f"reference: {seen.end}")
        else:
            found.append((vector, seen))
    return found


@dataclass(frozen=True, slots=True)
class Prepared:
    """A preparation of the program under test.

    `pointers` are the sites of arbitrary pointers: which external object one gets does not matter, only whether it
    is null. `removed` are the sites that it has removed, because nothing used their values. From `common` on sites are its
    own: LLVM's passes made them, for values that do not matter, and they are left out of comparisons.
    """

    name: str
    program: Program
    removed: frozenset[int]
    pointers: frozenset[int]
    common: int

    def kept(self, inputs: Iterable[Input]) -> tuple[Input, ...]:
        """The inputs that runs of this and of the unprepared program have in common."""
        return tuple(i for i in inputs if i.site not in self.removed and i.site < self.common)

    def seen(self, observation: Observation) -> Observation:
        """What is compared of a run of this or of the unprepared program."""
        return Observation(observation.end, tuple(map(self._compared, self.kept(observation.inputs))))

    def _compared(self, item: Input) -> Input:
        if isinstance(item, ScalarInput) and item.site in self.pointers:
            return ScalarInput(item.site, int(item.value != 0), item.bits)
        return item


def _prepared(subject: Subject, name: str) -> Prepared:
    program = subject.program(name)
    blocks = [block for function in program.functions.values() for block in function.blocks]
    nondets = [i for block in blocks for i in block.instructions if isinstance(i, Nondet)]
    common, present = len(subject.defined.sites), {i.site for i in nondets}
    removed = {s.index for s in program.sites[:common] if s.kind in REMOVABLE and s.index not in present}
    pointers = {i.site for i in nondets if isinstance(i.result.type, PointerType)}
    return Prepared(name, program, frozenset(removed), frozenset(pointers), common)


def _interpreter_end(outcome: ends.Outcome) -> str:
    match outcome:
        case ends.Violated(check):
            return f"violated {check}"
        case ends.Finished():
            return "finished"
        case ends.AssumptionFailed():
            return "assumption"
        case ends.UnsupportedAt():
            return "unsupported"
        case ends.StepLimit():
            return "limit"
        case ends.InputsExhausted(site):
            return f"exhausted {site}"


def _note(party: str, vector: int, expected: Observation, seen: Observation, report: Report) -> None:
    if seen == expected:
        report.agreed(party)
        return
    if seen.end != expected.end:
        message = f"ends as `{seen.end}`, the reference as `{expected.end}`"
    else:
        pairs = zip(seen.inputs, expected.inputs, strict=False)
        place = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(seen.inputs), len(expected.inputs)))
        mine, theirs = (list(map(_shown, o.inputs[place : place + 3])) for o in (seen, expected))
        message = f"input {place} of {len(seen.inputs)}/{len(expected.inputs)} is {mine}, in the reference {theirs}"
    report.disagreements.append(Disagreement(party, vector, message))


def _shown(given: Input) -> str:
    match given:
        case ScalarInput(site, value, bits):
            return f"i{bits} {value:#x} of site {site}"
        case MemoryInput(site, size, contents):
            return f"{size} bytes {contents[:4]} of site {site}"


# ------------------------------------------------------------ runs


def _compare_runs(
    subject: Subject, references: Sequence[tuple[int, Observation]], parties: Parties, report: Report
) -> None:
    for preparation in parties.interpreter:
        prepared = _prepared(subject, preparation)
        for vector, expected in references:
            seen = _interpreted(prepared, expected)
            _note(f"interpreter, {preparation}", vector, prepared.seen(expected), prepared.seen(seen), report)
    for preparation in parties.native:
        party = f"native, {preparation}"
        try:
            executable = subject.native(preparation)
        except CounterpointError as error:
            report.disagreements.append(Disagreement(party, -1, f"{type(error).__name__}: {error}"))
            continue
        prepared = _prepared(subject, preparation)
        for vector, expected in references:
            try:
                ended = executable.replay(_given(prepared, expected), seconds=20)
            except CounterpointError as error:
                report.disagreements.append(Disagreement(party, vector, str(error)))
                continue
            end = f"violated {ended.detail}" if ended.outcome is Outcome.VIOLATED else str(ended.outcome)
            _note(party, vector, prepared.seen(expected), prepared.seen(Observation(end, ended.inputs)), report)


def _given(prepared: Prepared, expected: Observation) -> tuple[Input, ...]:
    """The inputs for a run of this preparation."""
    return expected.inputs if prepared.name == "none" else prepared.kept(expected.inputs)


def _interpreted(prepared: Prepared, expected: Observation) -> Observation:
    done = run(prepared.program, ReplayInputs(_given(prepared, expected)), LIMITS)
    return Observation(_interpreter_end(done.outcome), done.inputs)


# ------------------------------------------------------------ symbolic evaluation


@dataclass(slots=True)
class _Limits(Ends):
    """Follows back edges up to limits."""

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return edge.undecided <= MAX_UNDECIDED and so_far.steps < MAX_STEPS


@dataclass(slots=True)
class ConcreteWorld(World):
    """A world where the run's inputs are numbers."""

    given: deque[int] = field(default_factory=deque)

    def unknown(self, sort: Sort, name: str = "") -> Term:
        if name or not self.given:
            return World.unknown(self, sort, name)
        return self.given.popleft()  # type: ignore[return-value]


def _unrolled(make: type[World], program: Program, given: Iterable[int] = ()) -> tuple[World, RegionSummary]:
    def attempt(granules: dict[str, int]) -> tuple[World, RegionSummary]:
        world = make(program, granules)
        if isinstance(world, ConcreteWorld):
            world.given = deque(given)
        return world, unroll(world, _Limits(), Budget(60))

    return with_granules(attempt)


def _compare_symbolic(
    prepared: Prepared, references: Sequence[tuple[int, Observation]], solver: bool, report: Report
) -> None:
    party = f"symbolic, {prepared.name}"
    if not references:
        return
    try:
        world, unrolling = _unrolled(World, prepared.program)
    except CounterpointError as error:
        if "used up" in str(error):
            report.skip(f"{party}: too long")
        else:
            report.disagreements.append(Disagreement(party, -1, f"{type(error).__name__}: {error}"))
        return
    for vector, expected in references:
        assignment = Assignment(world, _given(prepared, expected))
        _note_symbolic(party, vector, prepared, expected, assignment, unrolling, report)
    if solver:
        _ask_solver(f"solver, {prepared.name}", references[-1], world, unrolling, report)


def _compare_concrete(
    prepared: Prepared, references: Sequence[tuple[int, Observation]], report: Report
) -> None:
    party = f"folding, {prepared.name}"
    for vector, expected in references:
        inputs = _interpreted(prepared, expected).inputs
        scalars = (item for item in inputs if isinstance(item, ScalarInput) and item.site not in prepared.pointers)
        given = [item.value for item in scalars]
        try:
            world, unrolling = _unrolled(ConcreteWorld, prepared.program, given)
        except CounterpointError as error:
            report.disagreements.append(Disagreement(party, vector, f"{type(error).__name__}: {error}"))
            continue
        if any(isinstance(record.path, Term) or record.site == INVALID_READ for record in world.records):
            # Arbitrary memory, pointers and invalid reads stay variables; where paths depend on them the order is lost.
            report.skip(f"{party}: a path depends on arbitrary memory")
            continue
        _note_symbolic(party, vector, prepared, expected, Assignment(world, inputs), unrolling, report)


def _note_symbolic(
    party: str,
    vector: int,
    prepared: Prepared,
    expected: Observation,
    assignment: Assignment,
    unrolling: RegionSummary,
    report: Report,
) -> None:
    inputs = assignment.consumed()
    wrong = [axiom for axiom in _about_copies(assignment.world) if not assignment.value(axiom)]
    if wrong:
        report.disagreements.append(Disagreement(party, vector, f"false of a copied array: {wrong[0]}"))
    if assignment.holds_any([cut.formula for cut in unrolling.cuts]):
        report.skip(f"{party}: too long")
        return
    blocks = [block for block in unrolling.blocks if assignment.value(block.formula)]
    if blocks:
        report.skip(f"{party}: {blocks[0].reason.partition(': ')[2]}")
        return
    failing = [failure.check for failure in unrolling.failures if assignment.value(failure.formula)]
    end = " and ".join(f"violated {check}" for check in failing)
    if not end:
        # Runs that end without a failure are not told apart.
        end = expected.end if expected.end in ("finished", "assumption") else "no violation"
    _note(party, vector, prepared.seen(expected), prepared.seen(Observation(end, inputs)), report)


def _about_copies(world: World) -> list[V]:
    """What an encoding says of the arrays of semantics/copied.py."""
    return [axiom for axiom in world.axioms if world.copied and not world.copied.keys().isdisjoint(variables(axiom))]


class Assignment:
    """The values that a world's variables have on the run with the given inputs, found in the run's order."""

    def __init__(self, world: World, inputs: Iterable[Input]) -> None:
        self.world = world
        self.values: dict[Term, int] = {}
        self.scalars: dict[int, deque[ScalarInput]] = {}
        self.memories: dict[int, deque[MemoryInput]] = {}
        for item in inputs:
            if isinstance(item, ScalarInput):
                self.scalars.setdefault(item.site, deque()).append(item)
            else:
                self.memories.setdefault(item.site, deque()).append(item)
        self.early: set[Term] = set()
        self.evaluation = Evaluation(self._leaf)
        self.taken = list(self._take())

    def consumed(self) -> tuple[Input, ...]:
        return tuple(self.taken)

    def value(self, formula: V) -> int:
        (value,) = self.evaluation.of((formula,))
        assert isinstance(value, int)
        return value

    def holds_any(self, formulas: list[V]) -> bool:
        return any(self.evaluation.of(formulas))

    def _take(self) -> Iterable[Input]:
        for record in self.world.records:
            if not self.value(record.path):
                continue
            match record:
                case ScalarRecord(site, _, value, bits):
                    queue = self.scalars.get(site)
                    given = queue.popleft().value if queue else 0
                    if isinstance(value, Term) and value.op is Op.ITE:
                        null = value.args[0]  # of an arbitrary pointer
                        assert isinstance(null, Term)
                        self.values[null] = int(given == 0)
                    elif isinstance(value, Term):
                        assert value not in self.early, f"{value} is read before it is given"
                        self.values[value] = given
                    yield ScalarInput(site, self.value(value), bits)
                case MemoryRecord(site, _, size, initial):
                    memories = self.memories.get(site)
                    contents = memories.popleft().contents if memories else ()
                    self._fill(initial, dict(contents))
                    yield MemoryInput(site, self.value(size), contents)

    def _fill(self, initial: ArbitraryBytes, contents: dict[int, int]) -> None:
        """Gives values to the variables of arbitrary contents."""
        for offset, (size, value) in initial.given.items():
            if isinstance(value, Term) and value.op is Op.VARIABLE:
                bytes_ = bytes(contents.get(offset + k, 0) for k in range(size))
                self.values[value] = int.from_bytes(bytes_, "little")

    def _leaf(self, term: Term) -> Given | None:
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            return 0x1000_0000 + 0x1_0000 * term.payload
        if term in self.values:
            return self.values[term]
        if term in self.world.copied:
            return copied_value(self.world.copied[term][0], self.evaluation.one)
        self.early.add(term)
        return None


def _ask_solver(
    party: str, reference: tuple[int, Observation], world: World, unrolling: RegionSummary, report: Report
) -> None:
    """With the inputs fixed, no other outcome than the evaluated one may satisfy the formulas."""
    vector, expected = reference
    assignment = Assignment(world, expected.inputs)
    fixed: list[V] = []
    for variable, value in assignment.values.items():
        if isinstance(variable.sort, BitVec):
            fixed.append(build.eq(variable, value, variable.sort.width))
        else:
            fixed.append(variable if value else build.not_(variable))
    told: list[V] = [record.path for record in world.records] + [failure.formula for failure in unrolling.failures]
    same = build.conjunction([t if assignment.value(t) else build.not_(t) for t in told])
    addresses: dict[int, V] = {thing.index: 0x1000_0000 + 0x1_0000 * thing.index for thing in world.objects}
    solver = standard_solver(seed=0, addresses=addresses)
    try:
        solver.add(build.conjunction(fixed))
        solver.add(build.not_(same))
        answer = solver.check(seconds=10)
    finally:
        solver.close()
    match answer:
        case Unsat():
            report.agreed(party)
        case _ if type(answer).__name__ == "Sat":
            report.disagreements.append(Disagreement(party, vector, "finds another outcome for the same inputs"))
        case _:
            report.skip(f"{party}: {answer}")


# ------------------------------------------------------------ the host's compilers


_KINDS = {0: "finished", 2: "violated", 3: "finished", 4: "assumption"}
_COMMON = (
    "-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno", "-ffreestanding", "-fno-pic",
    "-fno-stack-protector", "-DHOST", "-march=x86-64-v2", "-fno-asynchronous-unwind-tables",
)  # fmt: skip


@cache
def _driver(data_model: str) -> Path | None:
    """The compiled driver, or None if there is no gcc that makes executables for the data model."""
    if shutil.which("gcc") is None:
        return None
    made = Path(tempfile.mkdtemp(prefix="differential-host-")) / "driver.o"
    source = Path(__file__).with_name("host_driver.c")
    flags = [_machine(data_model), "-mfpmath=sse", "-O1", "-fno-tree-loop-distribute-patterns", *_COMMON]
    done = subprocess.run(["gcc", *flags, "-c", str(source), "-o", str(made)], capture_output=True, check=False)
    return made if done.returncode == 0 else None


def _machine(data_model: str) -> str:
    return "-m64" if data_model == "LP64" else "-m32"


def _host_executable(file: Path, data_model: str, compiler: str) -> Path | str:
    """The program as an executable, or a complaint."""
    name, level = compiler.split(" ")
    driver = _driver(data_model)
    assert driver is not None
    target, made = file.with_suffix(".o"), file.with_suffix(f".{name}{level}")
    if name == "gcc":
        command = ["gcc", _machine(data_model), "-mfpmath=sse", level, *_COMMON]
    else:
        triple = toolchain.target(64 if data_model == "LP64" else 32)
        command = [str(toolchain.zig()), "clang", f"--target={triple}", level, *_COMMON, "-fno-sanitize=all"]
    link = ["gcc", _machine(data_model), "-nostdlib", "-static", "-no-pie", str(target), str(driver)]
    if data_model == "LP64":
        link.append("-lgcc")
    for arguments in ([*command, "-c", str(file), "-o", str(target)], [*link, "-o", str(made)]):
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr[:300]
    return made


def _told(sites: Sequence[Site], inputs: Iterable[Input]) -> list[int]:
    """The values that the program emitted."""
    names = [sites[item.site].name for item in inputs]
    bits = [name == "emit_one" for name in names if name in ("emit_one", "emit_zero")]
    return [sum(bit << k for k, bit in enumerate(bits[n : n + 64])) for n in range(0, len(bits), 64)]


def _defined(program: Program, expected: Observation) -> bool:
    """What is observed does not change when all values do that C leaves open."""
    others = [_other(item) if program.sites[item.site].kind != "call" else item for item in expected.inputs]
    done = run(program, ReplayInputs(others), LIMITS)
    same_end = _interpreter_end(done.outcome) == expected.end
    return same_end and _told(program.sites, done.inputs) == _told(program.sites, expected.inputs)


def _other(item: Input) -> Input:
    match item:
        case ScalarInput(site, value, bits):
            return ScalarInput(site, ~value & ((1 << bits) - 1), bits)
        case MemoryInput(site, size, _):
            return MemoryInput(site, size, tuple((offset, 0xA5) for offset in range(size)))


def _compare_host(
    file: Path,
    subject: Subject,
    data_model: str,
    references: Sequence[tuple[int, Observation]],
    parties: Parties,
    report: Report,
) -> None:
    """Only runs without undefined operations are compared."""
    if not parties.host:
        return
    if _driver(data_model) is None:
        report.skip("host: no compiler")
        return
    sites = subject.module("none").sites
    defined = []
    for vector, expected in references:
        if not _defined(subject.program("none"), expected):
            report.skip("host: the run hangs on an undefined value")
        else:
            defined.append((vector, expected))
    if not defined:
        return
    for compiler in parties.host:
        executable = _host_executable(file, data_model, compiler)
        if isinstance(executable, str):
            report.disagreements.append(Disagreement(compiler, -1, executable))
            continue
        for vector, expected in defined:
            told = _told(sites, expected.inputs)
            calls = [i for i in expected.inputs if isinstance(i, ScalarInput) and sites[i.site].kind == "call"]
            given = b"".join(i.value.to_bytes(16, "little") for i in calls)
            done = subprocess.run([str(executable)], input=given, capture_output=True, check=False, timeout=20)
            records = list(struct.iter_unpack("<QQ", done.stdout))
            end = _KINDS.get(records[-1][0], "?") if records else f"killed by signal {-done.returncode}"
            seen = [value for kind, value in records if kind == 1]
            if end == expected.end.split(" ")[0] and seen == told:
                report.agreed(compiler)
            else:
                shown = f"{end} {[hex(v) for v in seen]}, the reference {expected.end} {[hex(v) for v in told]}"
                report.disagreements.append(Disagreement(compiler, vector, shown))
