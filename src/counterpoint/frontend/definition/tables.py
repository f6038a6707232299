"""The tables of sites, checks and assumptions that the rewriting fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, CheckSite, Site, SourceLocation
from counterpoint.frontend.lower.locations import Locations

_TRAP = "__clang_trap_msg$"


@dataclass(slots=True)
class Tables:
    """Sites and checks by index, assumptions in the order in which they were met. `undefined`: functions without a
    definition or a model that are called, each with one of its calls."""

    locations: Locations
    metadata: Mapping[str, str]
    sites: list[Site] = field(default_factory=list)
    checks: list[CheckSite] = field(default_factory=list)
    assumptions: dict[str, None] = field(default_factory=dict)
    undefined: dict[str, SourceLocation] = field(default_factory=dict)

    def site(self, kind: str, name: str, type_: str, debug: str) -> int:
        """The index of a new site at the place of a metadata reference (`!12`, or "" for none)."""
        index = len(self.sites)
        self.sites.append(Site(index, kind, name, type_, self.at(debug)))
        return index

    def check(self, kind: str, message: str, debug: str) -> int:
        index = len(self.checks)
        self.checks.append(CheckSite(index, kind, message, self.at(debug)))
        return index

    def assume(self, sentence: str) -> None:
        """Lists an assumption about the program that a verdict rests on."""
        self.assumptions.setdefault(sentence)

    def at(self, debug: str) -> SourceLocation:
        """The user's place; clang's artificial frames around its overflow traps are skipped."""
        at = self.locations.location(debug) if debug else NOWHERE
        while at.function.startswith(_TRAP) and at.inlined_at is not None:
            at = at.inlined_at
        return at

    def trap_message(self, debug: str) -> str:
        """clang's description of the operation that a sanitizer trap guards, or ""."""
        function = self.locations.location(debug).function if debug else ""
        return function.rpartition("$")[2] if function.startswith(_TRAP) else ""
