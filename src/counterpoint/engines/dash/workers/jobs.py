"""What travels between the server, which has the abstraction, and its clients, which execute and solve.

Source: thesis, sections 4.2 and 4.4. Deviations: several clients at once; a client keeps its execution tree; besides
frontiers, clients are asked about target regions and for predicates. Everything here can be pickled. States are named
by a test and how many places it has met, formulas are over components (semantics/components.py): neither depends on
the order in which a process has explored the program.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import Granularity
from counterpoint.term.transport import Packed

NO_LIMIT: Final = math.inf


@dataclass(frozen=True, slots=True)
class Setup:
    """What a client is made of: as the server's own options. `seconds`: it gives up after that time."""

    program: Program
    block: Granularity
    single: bool
    interpolate: bool
    backend: str
    seed: int
    seconds: float
    pool: tuple[int, ...]
    granules: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Run:
    """A test: its number, the inputs it consumes, the places it meets."""

    number: int
    inputs: tuple[Input, ...]
    places: tuple[Place, ...]


# ---------------------------------------------------------------- jobs


@dataclass(frozen=True, slots=True)
class ExtendJob:
    """Frontier.Questions.extend at `depth` of the run; `seed` is for what a new test draws."""

    run: int
    depth: int
    target: Place
    literals: Packed
    seed: int


@dataclass(frozen=True, slots=True)
class ImpossibleJob:
    """Frontier.Questions.impossible; `facts` hold at the source on every run."""

    source: Place
    before: Packed
    target: Place
    after: Packed
    facts: Packed


@dataclass(frozen=True, slots=True)
class SuggestJob:
    """Refinement.predicate at `depth` of the run; and, as long as that needs no solver, at up to `back` places before,
    each time for the states that the last predicate holds in."""

    run: int
    depth: int
    target: Place
    literals: Packed
    back: int


Job: TypeAlias = ExtendJob | ImpossibleJob | SuggestJob


@dataclass(frozen=True, slots=True)
class Parcel:
    """One job, never about a step over calls by contract: what these may leave behind is the abstraction's to say.
    `run` is the test that it speaks of, if the client does not know it yet; `seconds` limits each query further."""

    job: Job
    run: Run | None
    granules: Mapping[str, int]
    seconds: float = NO_LIMIT


# ---------------------------------------------------------------- results


@dataclass(frozen=True, slots=True)
class Crossed:
    """The frontier is crossed by the run that begins with these inputs."""

    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class NotCrossed:
    """No run along the path crosses it; `core`: positions of the target's literals that suffice for that."""

    core: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The solver gave up."""

    reason: str


@dataclass(frozen=True, slots=True)
class Impossible:
    """No state with the literals at these positions crosses to one with those, given the facts at these positions."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Possible:
    """Some state may cross, or there is no answer."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """Predicates at the place and those before it, and in which ways they were found; if there are none, there is
    none at the place."""

    predicates: Packed
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Arrays have elements of another size than was thought: all has to begin again with the reply's granules."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The client could not do the job; the server may do it itself."""

    reason: str


Result: TypeAlias = Crossed | NotCrossed | NoAnswer | Impossible | Possible | Suggested | Conflict | Failed


@dataclass(frozen=True, slots=True)
class Reply:
    """`calls` are the solver calls made for it: purpose, answer, seconds; `asked` counts them as Queries.asked does."""

    result: Result
    granules: Mapping[str, int] = field(default_factory=dict)
    calls: tuple[tuple[str, str, float], ...] = ()
    asked: int = 0
    hits: int = 0
    unknown: int = 0
    seconds: float = 0.0
