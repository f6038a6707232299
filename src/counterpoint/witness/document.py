"""What a witness says, whatever the format of its file.

Source: Ayaziova et al., Software Verification Witnesses 2.0 (SPIN 2024); format 2.1 adds contracts of functions.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from counterpoint.core.records import dataclass

VERSIONS: Final = ("2.0", "2.1")
GRAPHML: Final = "1.0"

LOOP: Final = "loop_invariant"
LOCATION: Final = "location_invariant"
CONTRACT: Final = "function_contract"

C: Final = "c_expression"
EXTENDED: Final = "ext_c_expression"
ACSL: Final = "acsl_expression"

ASSUMPTION: Final = "assumption"
BRANCHING: Final = "branching"
ENTER: Final = "function_enter"
RETURN: Final = "function_return"
TARGET: Final = "target"
TYPES: Final = (ASSUMPTION, BRANCHING, ENTER, RETURN, TARGET)

FOLLOW: Final = "follow"
AVOID: Final = "avoid"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file as it is, whatever `#line` says. `line` and `column` count from 1, columns characters; column 0
    is none."""

    file: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


@dataclass(frozen=True, slots=True)
class Metadata:
    """Of which program, property and data model the witness speaks; `hashes` are SHA-256, in the files' order."""

    files: tuple[str, ...]
    hashes: tuple[str, ...]
    specification: str
    data_model: str
    producer: str = ""


@dataclass(frozen=True, slots=True)
class Invariant:
    """`value` holds whenever a run is at the location: before a loop's condition is evaluated (LOOP), or before the
    statement there (LOCATION)."""

    type: str
    location: Location
    value: str


@dataclass(frozen=True, slots=True)
class Contract:
    """What calls of the function at the location fulfil, and what they leave behind; "" where nothing is said.

    In `ensures`, `\\result` is what is returned and `\\at(x, Old)` what x was at the function's entry.
    """

    location: Location
    requires: str
    ensures: str


@dataclass(frozen=True, slots=True)
class Correctness:
    """A correctness witness."""

    metadata: Metadata
    invariants: tuple[Invariant, ...] = ()
    contracts: tuple[Contract, ...] = ()


@dataclass(frozen=True, slots=True)
class Waypoint:
    """`constraint` is a C expression, `true`, `false`, a number or `default` for BRANCHING, a comparison of `\\result`
    for RETURN, and empty for ENTER and TARGET. `callee` is the called function, where that is known."""

    type: str
    location: Location
    constraint: str = ""
    action: str = FOLLOW
    callee: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation witness: segments, each of waypoints to avoid and one to follow, its last; the last is the target."""

    metadata: Metadata
    segments: tuple[tuple[Waypoint, ...], ...]


Witness: TypeAlias = Correctness | Violation
