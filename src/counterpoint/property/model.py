"""What a property is."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from counterpoint.core.records import dataclass


class Instrument(Enum):
    """A family of checks that the front end can insert."""

    ERROR_CALLS = "calls of reach_error and its relatives"
    ACCESSES = "every access to memory lies inside a live object"
    FREES = "only live heap blocks are freed, by their start"
    LEAKS = "heap blocks that are still live at the end"
    UNDEFINED = "places that no run with a meaning in C reaches"
    OVERFLOWS = "signed integer operations that leave their range"
    CONVERSIONS = "implicit conversions that keep the value, tested by clang"
    SHIFTS = "amounts of shifts below the width, and no negative number shifted left"
    DIVISIONS = "integer quotients that exist"
    INITIALISED = "locals that have a value where they are read"
    OVERLAPS = "copies whose ranges share no byte, as far as they lie in their objects"


@dataclass(frozen=True, slots=True)
class Cause:
    """A sub-kind of a violation, which its replay tells (explain/failing.py); `finding` and `weakness` as in Kind."""

    name: str
    finding: str
    weakness: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of check, and how others name and see one that fails.

    `name` stands in CheckSite.kind. Names that begin with `valid-` are those of checks of memory alone: where a program
    has such checks, an invalid access ends the run. `finding` is a sentence and `weakness` a number of the CWE list
    ("" if none fits) for SARIF; `verdict` what stands in FALSE(...) if that is not the name. `build`: options of gcc
    and clang with which a build of the program fails there; `blind` says what every such build leaves out, `unsure` why
    it may not fail at all. `lost`: the check is about memory to which nothing points any more. `causes` are sub-kinds;
    not every violation is of one.
    """

    name: str
    finding: str
    weakness: str = ""
    verdict: str = ""
    build: tuple[str, ...] = ()
    blind: str = ""
    unsure: str = ""
    lost: bool = False
    causes: tuple[Cause, ...] = ()

    @property
    def shown(self) -> str:
        """What stands in FALSE(...)."""
        return self.verdict or self.name

    def cause(self, name: str) -> Cause | None:
        """The sub-kind of that name."""
        return next((cause for cause in self.causes if cause.name == name), None)


NO_LENGTH = "a variable-length array has no such size"
"""What a check says that is a trap of clang's for any property."""


@dataclass(frozen=True, slots=True)
class Trap:
    """Where a sanitizer of clang traps, a check of the kind `kind` fails.

    `numbers` are arguments of `llvm.ubsantrap` (clang's list SanitizerHandler); none: any. `message` says what is
    wrong; with `in_clangs_words` only where clang says nothing of the operation.
    """

    kind: str
    message: str
    numbers: frozenset[int] = frozenset()
    in_clangs_words: bool = False


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its names, what states it in a property file, and the checks that decide it.

    `specification` pairs a formula with the kind of check that it is about; `checks` are the kinds whose failure is a
    violation. They are inserted by the `instruments` of the front end, or by sanitizers of clang that `compile_flags`,
    which come after the standard ones, ask for: the first of `traps` that a trap fits says which check it is. Those
    that are `extra` are not among `all`. `covers` are sentences about what it looks at and what not.
    """

    name: str
    summary: str
    aliases: tuple[str, ...]
    specification: tuple[tuple[str, str], ...]
    checks: tuple[Kind, ...]
    instruments: frozenset[Instrument] = frozenset()
    compile_flags: tuple[str, ...] = ()
    traps: tuple[Trap, ...] = ()
    extra: bool = False
    covers: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of `checks`."""
        return tuple(kind.name for kind in self.checks)

    def restricted(self, kinds: tuple[str, ...]) -> Property:
        """The same property with only these kinds of check counting as violations."""
        return replace(self, checks=tuple(kind for kind in self.checks if kind.name in kinds))

    def asks_for(self, instrument: Instrument) -> bool:
        return instrument in self.instruments

    def trap(self, number: int) -> Trap | None:
        """What a sanitizer's trap with that argument means; None: it is none of this property."""
        return next((trap for trap in self.traps if not trap.numbers or number in trap.numbers), None)
