"""Places in the user's source, and the tables of sites and checks that refer to them."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class Site:
    """Where an arbitrary value comes from. Kinds: see docs/kernel-calls.md.

    `name` is the function, variable or construct; `type` the C or LLVM type as text.
    """

    index: int
    kind: str
    name: str
    type: str
    at: SourceLocation


@dataclass(frozen=True, slots=True)
class CheckSite:
    """A check of the property: `kind` is a sub-property's name, `message` a sentence for the user."""

    index: int
    kind: str
    message: str
    at: SourceLocation
