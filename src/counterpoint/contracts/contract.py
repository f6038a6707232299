"""Contracts as data: clauses with what is known of them."""

from __future__ import annotations

from enum import Enum

from counterpoint.contracts.declarations import Function
from counterpoint.core.records import dataclass

OUTSIDE = "memory outside of the program"
GIVEN_TO_IT = "memory that undefined functions give it"
"""Places of `assigns` that are no object's: anything that the caller has; what the function gets during the call."""

BROKEN = "internal error; its crash report: "
"""How `Contract.missing`, and `Inferred.unused`, begin where it is a defect of the program that says so."""


class Status(Enum):
    """How much is known of a clause: it is proved for every caller within `requires`; it is proved for this program's
    calls; it held in runs, and that is all."""

    PROVED = "proved"
    HERE = "proved here"
    LIKELY = "likely"


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` is ACSL over the function's parameters, old values, `result` and globals, or for people alone (`exact`
    false); of one with a condition before the call, `assumes` that and `ensures` the rest. `cprover`: the same for
    CBMC, "" if it has no words for it. `runs`: the calls in which a likely one held; `why`: why there is no proof."""

    text: str
    status: Status
    assumes: str = ""
    ensures: str = ""
    cprover: str = ""
    exact: bool = True
    runs: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class LoopContract:
    """What holds whenever the head of the loop at `line` of `file` is reached."""

    file: str
    line: int
    invariants: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """One function's. `requires` are what the proofs assume of callers, `assumed` what of that C cannot say; `assigns`
    None: not known. `missing`: why there is nothing, or less than there might be. `offset`: of the function's first
    byte in its file, -1 where a macro wrote it; `loop_offsets`: lines and first bytes of its loops."""

    function: str
    file: str
    line: int
    requires: tuple[Clause, ...] = ()
    assumed: tuple[str, ...] = ()
    assigns: tuple[str, ...] | None = None
    assigns_status: Status = Status.PROVED
    ensures: tuple[Clause, ...] = ()
    loops: tuple[LoopContract, ...] = ()
    missing: str = ""
    seconds: float = 0.0
    offset: int = -1
    notes: tuple[str, ...] = ()
    loop_offsets: tuple[tuple[int, int], ...] = ()

    @property
    def says_something(self) -> bool:
        """There is a proved `ensures` or `assigns`."""
        proved = (Status.PROVED, Status.HERE)
        return any(c.status in proved for c in self.ensures) or (
            self.assigns is not None and self.assigns_status in proved
        )


def nothing_of(function: Function) -> Contract:
    """A contract that says nothing yet."""
    offset = function.offset if function.plain else -1
    return Contract(function.name, function.file, function.line, offset=offset, loop_offsets=function.loops)
