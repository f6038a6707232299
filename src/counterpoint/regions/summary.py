"""What all runs through an acyclic region do, as formulas: the result of a walk (walk.py)."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.program.cutting import Spot
from counterpoint.regions.pending import Frame, Pending
from counterpoint.regions.place import Place
from counterpoint.semantics.contracts import CallValues
from counterpoint.semantics.objects import MemoryRecord, ScalarRecord, World
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Failure:
    """`formula` holds exactly on the runs that violate check `check` here, first of all checks."""

    formula: V
    check: int


@dataclass(frozen=True, slots=True)
class Block:
    """`formula` holds exactly on the runs that meet a construct without a meaning.

    `for_all`: it has none in the program itself, where all executions end; else formulas alone lack it. `spot`: where
    that is in the function in which the walk began.
    """

    formula: V
    reason: str
    for_all: bool = False
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """`formula` holds exactly on the runs that go on at edge or call instance `instance`, where the walk stopped.

    `pending` is where and in which state: from there a walk can go on later (`Walk.expand`).
    """

    formula: V
    instance: str
    pending: Pending = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """Runs on which `formula` holds (given that they are at the region's start) get to `target` in `state`.

    `frame` is the activation there; at EXIT the function returns `results`. `earlier`: so many of the region's calls by
    contract come before. The state must not be changed.
    """

    target: Place
    formula: V
    state: State
    frame: Frame
    results: tuple[V, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class ContractCall:
    """A call of `callee` on runs where `formula` holds, with the values of its contract's components around it; or the
    way past the loop of that `head` of the function (semantics/framing.py).

    So many of the region's `failures`, `blocks` and `records` come before. `instance` is the call's name
    (program/instances.py).
    """

    callee: str
    formula: V
    values: CallValues
    failures: int
    blocks: int
    records: int
    instance: str = ""
    head: int = 0


@dataclass(slots=True)
class RegionSummary:
    """Where runs through the region leave it, what fails, where it was cut, what it could not express.

    Formulas do not say how the run got to the region. `finished`: on these runs the whole run ends normally. `records`
    are the arbitrary values that the region consumes, in its order, and `axioms` what the world came to know in it.
    `hints` are the conditions that the program suggests as invariants somewhere in it; `steps` counts instructions.
    """

    world: World
    exits: list[Exit] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    calls: list[ContractCall] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    finished: list[V] = field(default_factory=list)
    hints: list[V] = field(default_factory=list)
    records: list[ScalarRecord | MemoryRecord] = field(default_factory=list)
    axioms: list[V] = field(default_factory=list)
    steps: int = 0

    @property
    def failing(self) -> list[V]:
        """On these runs a check fails, or something without a meaning is met."""
        return [*(f.formula for f in self.failures), *(b.formula for b in self.blocks)]

    def failing_after(self) -> list[tuple[int, V]]:
        """`failing`, each with the number of calls by contract that come before."""
        found = [(sum(c.failures <= i for c in self.calls), f.formula) for i, f in enumerate(self.failures)]
        return found + [(sum(c.blocks <= i for c in self.calls), b.formula) for i, b in enumerate(self.blocks)]

    @property
    def ended(self) -> V:
        """The whole run ends normally."""
        result: V = 0
        for formula in self.finished:
            result = build.or_(result, formula)
        return result
