"""What an engine answers: a verdict that carries its evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.program.inputs import Input


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
class Violation:
    """Inputs that drive the program to the failing check `check` (index into Program.checks).

    `preparation` is the form on which they were found; it is confirmed on the unprepared one.
    """

    check: int
    inputs: tuple[Input, ...]
    preparation: str


@dataclass(frozen=True, slots=True)
class Safe:
    """No run violates the property. `spare` proves it, too, with more facts: for where the checker makes too few
    instances of the certificate's quantified ones."""

    certificate: Certificate
    spare: Certificate | None = None


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
