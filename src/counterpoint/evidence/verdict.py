"""What an engine answers: a verdict that carries its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from counterpoint.program.inputs import Input
from counterpoint.semantics.facts import Fact


class Reason(StrEnum):
    """Why a verdict is UNKNOWN."""

    BOUND_REACHED = "BOUND_REACHED"
    OUT_OF_TIME = "OUT_OF_TIME"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    UNSUPPORTED = "UNSUPPORTED"
    UNDEFINED = "UNDEFINED"
    SOLVER_UNKNOWN = "SOLVER_UNKNOWN"
    NO_PROGRESS = "NO_PROGRESS"
    EVIDENCE_REJECTED = "EVIDENCE_REJECTED"
    EVIDENCE_UNCHECKED = "EVIDENCE_UNCHECKED"


@dataclass(frozen=True, slots=True)
class CompleteUnrolling:
    """Proof by complete unrolling of the program prepared as `preparation`.

    `cuts` are the edge instances that no run takes; together with every check they are what
    has to be shown impossible. An instance is written as docs/certificates.md says. Nothing has to be
    believed: the checker unrolls by itself, stops only at these, and proves each of them infeasible.
    """

    preparation: str
    cuts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InductiveInvariants:
    """Proof by invariants at cut points: true at the start, kept by every way from one to the next, and no
    check can fail between them.

    A fact at block 0 of a function that calls do not walk through (recursion) is what all its calls fulfil, one at its
    EXIT is what it leaves behind; together they are its contract. All facts are shown together, by induction on the
    run. `facts` are joined per cut point (semantics/facts.py); `granules` are the array elements' sizes in bytes by
    origin (World.granules), which the names and sorts of array components depend on.
    """

    preparation: str
    facts: tuple[Fact, ...]
    granules: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KInductive:
    """Proof by k-induction, over regions between cut points as steps.

    `facts` are inductive by themselves. No check fails in the first k + 1 regions of a run, nor in the last of
    k + 1 consecutive regions (k >= 1) that begin in any state at a cut point where the facts hold there. With
    `simple_path`, the latter only where no two of these regions begin at the same place in the same state.
    """

    preparation: str
    k: int
    facts: tuple[Fact, ...] = ()
    granules: tuple[tuple[str, int], ...] = ()
    simple_path: bool = False


@dataclass(frozen=True, slots=True)
class RegionGraph:
    """Proof by a graph of regions: sets of states at places, such that a run that is in one of them is in one of its
    successors at the next place, and no check can fail between them.

    `regions` are formulas without ghosts at their places (a block, or the EXIT of a function that is called by
    contract); a region's number is its position. `edges` are pairs (from, to) of numbers, where -1 as `from` is the
    start of the run. An edge that is not there claims that no run takes it; regions need not exclude each other.
    """

    preparation: str
    regions: tuple[Fact, ...]
    edges: tuple[tuple[int, int], ...]
    granules: tuple[tuple[str, int], ...] = ()


Certificate: TypeAlias = CompleteUnrolling | InductiveInvariants | KInductive | RegionGraph


@dataclass(frozen=True, slots=True)
class Violation:
    """Inputs that drive the program to the failing check `check` (index into Program.checks).

    `preparation` is the form on which they were found; it is confirmed on the unprepared one.
    """

    check: int
    inputs: tuple[Input, ...]
    preparation: str


@dataclass(frozen=True, slots=True)
class Safe:
    """No run violates the property."""

    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Unsafe:
    """A run violates the property."""

    violation: Violation


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not decided; `detail` says where and what, in a sentence for the user. `exhaustive`: the engine saw every run to
    its end, and none of them decides; other engines cannot say more."""

    reason: Reason
    detail: str = ""
    exhaustive: bool = False


Verdict: TypeAlias = Safe | Unsafe | Unknown
