"""What an engine answers: a verdict that carries its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from counterpoint.program.inputs import Input


class Reason(StrEnum):
    """Why a verdict is UNKNOWN."""

    BOUND_REACHED = "BOUND_REACHED"
    OUT_OF_TIME = "OUT_OF_TIME"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    UNSUPPORTED = "UNSUPPORTED"
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


Certificate: TypeAlias = CompleteUnrolling


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
    """Not decided; `detail` says where and what, in a sentence for the user."""

    reason: Reason
    detail: str = ""


Verdict: TypeAlias = Safe | Unsafe | Unknown
