"""Branch coverage of runs, in terms of the source: which ways out of its conditional branches were taken.

A branch is one that clang makes for the user's files: of `if`, loops, `&&`, `||`, `?:` and `switch`. A choice between
two values that clang makes without a branch is none. Models of libc have no branches of the user, nor have calls
through pointers. Whether a run can take a direction at all is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import partial

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.inputs import InputSource
from counterpoint.execute.interpreter import ProbedProgram, Run
from counterpoint.execute.outcome import Limits
from counterpoint.execute.points import Probe, block_location
from counterpoint.program import model as m
from counterpoint.property import is_trap


@dataclass(frozen=True, slots=True)
class Direction:
    """One way out of the branch at `at`, the `ordinal`-th one there (macros put several branches at one place).

    `label`: "true" or "false", or the cases of a switch, as clang compiled it: `if (!c)` may branch on `c`. `line` is
    where it leads to, 0 where that is not known.
    """

    at: SourceLocation
    ordinal: int
    label: str
    line: int = field(compare=False)

    def __str__(self) -> str:
        ordinal = f" ({self.ordinal + 1})" if self.ordinal else ""
        return f"{self.at}{ordinal} {self.label}"


@dataclass(frozen=True, slots=True)
class SourceEdge:
    """The `edge`-th edge of a block of a function, which takes the direction with the number `direction`."""

    function: str
    block: int
    edge: int
    direction: int


@dataclass(frozen=True, slots=True)
class SourceBranches:
    """The directions of a program, by file and line, and the edges that take them."""

    directions: tuple[Direction, ...]
    edges: tuple[SourceEdge, ...]


def source_branches(program: m.Program, apart: bool = False) -> SourceBranches:
    """The branches of `program`: the unprepared one for all of the source's, another one for what is left of them.

    Several copies of a branch (of a function in a header, or by inlining) count as one; `apart`: by inlining they do
    not.
    """
    found: dict[Direction, list[tuple[str, int, int]]] = {}
    for function in program.functions.values():
        seen: dict[SourceLocation, int] = {}
        for block in function.blocks:
            if not _is_branch(function, block) or _is_of_a_sanitizer(program, function, block):
                continue
            where = block.terminator.at
            ordinal = seen[where] = seen.get(where, -1) + 1
            at = where if apart else replace(where, inlined_at=None)
            for number, edge in enumerate(block.edges):
                line = block_location(function.blocks[edge.target]).line
                direction = Direction(at, ordinal, _label(edge.guard), line)
                if not _without_meaning(function, edge):
                    found.setdefault(direction, []).append((function.name, block.index, number))
    ordered = sorted(found, key=lambda d: (d.at.file, d.at.line, d.at.column, d.at.function, d.ordinal, _calls(d.at)))
    edges = [SourceEdge(*place, number) for number, direction in enumerate(ordered) for place in found[direction]]
    return SourceBranches(tuple(ordered), tuple(edges))


def _calls(at: SourceLocation) -> tuple[tuple[str, int, int], ...]:
    """Those that brought the place here."""
    outer = at.inlined_at
    return () if outer is None else ((outer.file, outer.line, outer.column), *_calls(outer))


def _is_branch(function: m.Function, block: m.Block) -> bool:
    at = block.terminator.at
    if len(block.edges) < 2 or not at.line or at.file.startswith("<"):
        return False
    tested = block.edges[0].guard.value
    return isinstance(tested, m.Register) and not _compares_with_code(block, tested)


def _is_of_a_sanitizer(program: m.Program, function: m.Function, block: m.Block) -> bool:
    """A branch that clang's sanitizer wrote for the property: one way fails its check at once."""
    for edge in block.edges:
        for instruction in function.blocks[edge.target].instructions[:1]:
            if isinstance(instruction, m.Check) and isinstance(instruction.holds, m.Constant):
                site = program.checks[instruction.check]
                return is_trap(site.kind, site.message)
    return False


def _compares_with_code(block: m.Block, tested: m.Register) -> bool:
    """A step in finding the function that a pointer calls (frontend/definition/indirect_calls.py)."""
    for instruction in reversed(block.instructions):
        if isinstance(instruction, m.Compute) and instruction.result == tested:
            return instruction.operation == "eq" and any(isinstance(o, m.Address) for o in instruction.operands)
    return False


def _without_meaning(function: m.Function, edge: m.Edge) -> bool:
    """The front end's way for what it gives no meaning."""
    first = function.blocks[edge.target].instructions[:1]
    return bool(first) and isinstance(first[0], m.Unsupported)


def _label(guard: m.Guard) -> str:
    value = guard.value
    assert value is not None
    if value.type.bits == 1 and len(guard.cases) == 1:
        return "true" if (guard.cases[0] == 1) != guard.negated else "false"
    if guard.negated:
        return "default"
    bits = value.type.bits
    return "case " + ", ".join(str(case - (1 << bits) if case >> (bits - 1) else case) for case in guard.cases)


@dataclass(slots=True)
class CoveredRun:
    """A run, and the numbers of the directions that it took."""

    run: Run
    reached: frozenset[int]


@dataclass(slots=True)
class BranchCoverage:
    """Runs a program and tells which directions they take. Compiled once; one run at a time. `apart` as in
    source_branches."""

    program: m.Program
    apart: bool = False
    branches: SourceBranches = field(init=False)
    _probed: ProbedProgram = field(init=False)
    _reached: set[int] = field(default_factory=set)
    _observers: dict[str, Callable[..., None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.branches = source_branches(self.program, self.apart)
        numbers = range(len(self.branches.directions))
        self._observers = {f"taken{number}": partial(self._reached.add, number) for number in numbers}
        probed, probes = _with_probes(self.program, self.branches)
        self._probed = ProbedProgram(probed, probes, {})

    def run(self, inputs: InputSource, limits: Limits) -> CoveredRun:
        """As interpreter.run. Raises Unsupported for what cannot be interpreted."""
        self._reached.clear()
        return CoveredRun(self._probed.run(inputs, limits, lambda memory: self._observers), frozenset(self._reached))


def _with_probes(
    program: m.Program, branches: SourceBranches
) -> tuple[m.Program, dict[tuple[str, int], Probe]]:
    """The program with a block of its own on each of the edges, and a probe in it."""
    by_function: dict[str, list[SourceEdge]] = {}
    for edge in branches.edges:
        by_function.setdefault(edge.function, []).append(edge)
    functions = dict(program.functions)
    probes: dict[tuple[str, int], Probe] = {}
    for name, edges in by_function.items():
        blocks = list(functions[name].blocks)
        for block, probe in _split(blocks, edges):
            probes[name, block] = probe
        functions[name] = replace(functions[name], blocks=tuple(blocks))
    return replace(program, functions=functions), probes


def _split(blocks: list[m.Block], edges: list[SourceEdge]) -> Iterator[tuple[int, Probe]]:
    for place in edges:
        block = blocks[place.block]
        old = block.edges[place.edge]
        new = len(blocks)
        onward = m.Branch((m.Edge(m.ALWAYS, old.target, old.arguments),), block.terminator.at)
        blocks.append(m.Block(new, "", (), (), onward))
        ways = list(block.edges)
        ways[place.edge] = m.Edge(old.guard, new)
        blocks[place.block] = replace(block, terminator=m.Branch(tuple(ways), block.terminator.at))
        yield new, Probe(f"taken{place.direction}", ())
