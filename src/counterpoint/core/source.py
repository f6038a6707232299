"""Places in the user's source, and the tables of sites and checks that refer to them."""

from __future__ import annotations

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A place in a source file; `inlined_at` is the call that brought it here, innermost first.

    `line` and `column` count from 1; 0 means that the compiler gave none.
    """

    file: str
    line: int
    column: int = 0
    function: str = ""
    inlined_at: SourceLocation | None = None

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{self.file}:{self.line}{column}"


NOWHERE = SourceLocation("<generated>", 0)


UNDEFINED = "undefined-behaviour"
"""The kind of a site that no run of a program with a meaning in C reaches."""

_UNDEFINED_MARK = ": undefined: "


@dataclass(frozen=True, slots=True)
class Site:
    """Where an arbitrary value comes from, or what has no meaning. Kinds: see docs/kernel-calls.md.

    `name` is the function, variable or construct; `type` the C or LLVM type as text.
    """

    index: int
    kind: str
    name: str
    type: str
    at: SourceLocation

    def without_meaning(self) -> str:
        """Place and construct, for a site that has no meaning here (or, of kind UNDEFINED, none in C)."""
        return f"{self.at}{_UNDEFINED_MARK if self.kind == UNDEFINED else ': '}{self.name}"


def is_undefined(said: str) -> bool:
    """Whether `said` is what `Site.without_meaning` says of a site of kind UNDEFINED."""
    return _UNDEFINED_MARK in said


LOST = "valid-memtrack"
"""The kind of the checks for lost memory."""


@dataclass(frozen=True, slots=True)
class CheckSite:
    """A check of the property: `kind` is a sub-property's name, `message` a sentence for the user."""

    index: int
    kind: str
    message: str
    at: SourceLocation
