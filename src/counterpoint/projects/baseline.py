"""What was known of a project before: its findings and its open questions, in a file that goes with the sources.

A finding is told again by its file, function and kind and by the text of its line, not by the line's number: lines that
come or go elsewhere make it no other one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final, NamedTuple

from counterpoint.core.documents import read_json
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import CheckResult, Counterexample, Outcome
from counterpoint.projects.programs import seen_from
from counterpoint.projects.run import Checked, NotRun

FORMAT: Final = 1
_LARGEST: Final = 64_000_000  # bytes
_MOST_AT_ONE: Final = 10**6
_LONGEST: Final = 200
"""Characters of a line that tell it from others."""


class Finding(NamedTuple):
    """What is the same of a finding from one run to the next."""

    file: str
    function: str
    kind: str
    cause: str
    text: str


class Open(NamedTuple):
    """A program that has no answer, and about which property; "" where it cannot be checked at all."""

    program: str
    property: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """`findings` with the number of places where there is one; `open` questions."""

    findings: Counter[Finding] = field(default_factory=Counter)
    open: frozenset[Open] = frozenset()

    def with_all_of(self, other: Baseline) -> Baseline:
        """What is known by either."""
        return Baseline(self.findings | other.findings, self.open | other.open)

    def text(self) -> str:
        """The file's contents, the same for the same knowledge."""
        findings = [{**one._asdict(), "count": count} for one, count in sorted(self.findings.items())]
        told = {"format": FORMAT, "findings": findings, "open": [one._asdict() for one in sorted(self.open)]}
        return json.dumps(told, indent=1) + "\n"


def read_baseline(path: Path) -> Baseline:
    """Raises UnusableInput."""
    document = read_json(path, "baseline", _LARGEST)
    if document.at("format").integer(0, 1 << 31) != FORMAT:
        raise UnusableInput(f"{path}: was written by another version: write it anew by --write-baseline")
    findings: Counter[Finding] = Counter()
    for entry in document.at("findings").items():
        one = Finding(*(entry.at(name).text() for name in Finding._fields))
        findings[one] += entry.at("count").integer(1, _MOST_AT_ONE)
    open_ = (Open(*(entry.at(name).text() for name in Open._fields)) for entry in document.at("open").items())
    return Baseline(findings, frozenset(open_))


# ---------------------------------------------------------------- what a run found


@dataclass(slots=True)
class Known:
    """What a run found, against what was known before.

    The places of all programs count once each, and of equal findings the first ones in the file are the known ones.
    """

    folder: Path
    before: Baseline
    lines: dict[str, Sequence[str]] = field(default_factory=dict)
    places: dict[Finding, list[SourceLocation]] = field(default_factory=dict)
    open: set[Open] = field(default_factory=set)

    def add(self, checked: Sequence[Checked]) -> None:
        """Takes the results of the whole run."""
        for one in checked:
            self.open |= self.questions(one)
            for found in findings_of(one.result):
                places = self.places.setdefault(self.finding(found), [])
                at = _place(found)
                if at not in places:
                    places.append(at)
        for places in self.places.values():
            places.sort(key=lambda at: (at.line, at.column))

    def has(self, found: Counterexample) -> bool:
        """Whether it is no new finding."""
        finding = self.finding(found)
        return self.places[finding].index(_place(found)) < self.before.findings[finding]

    def answers_nothing_new(self, one: Checked) -> bool:
        """Whether the program's row tells nothing that was not known, but perhaps proofs."""
        result = one.result
        found = findings_of(result)
        if not found and result is not None and result.outcome is Outcome.FALSE:
            return False
        return all(map(self.has, found)) and self.questions(one) <= self.before.open

    def questions(self, one: Checked) -> set[Open]:
        """What is open about the program."""
        if isinstance(one.answer, NotRun):
            return set()
        if one.result is None:
            return {Open(one.program.name, "")}
        parts = one.result.parts or (one.result,)
        return {Open(one.program.name, part.property) for part in parts if part.outcome is Outcome.UNKNOWN}

    def now(self) -> Baseline:
        """What is known by this run."""
        return Baseline(Counter({one: len(places) for one, places in self.places.items()}), frozenset(self.open))

    def finding(self, found: Counterexample) -> Finding:
        """What is the same of it from run to run."""
        at = found.at
        return Finding(seen_from(self.folder, at.file), at.function, found.kind, found.cause, self._line(at))

    def _line(self, at: SourceLocation) -> str:
        if at.file not in self.lines:
            self.lines[at.file] = _lines(self.folder / at.file)
        lines = self.lines[at.file]
        return " ".join(lines[at.line - 1].split())[:_LONGEST] if 0 < at.line <= len(lines) else ""


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_text("utf-8", "replace").split("\n") if path.is_file() else ()
    except OSError:
        return ()


def _place(found: Counterexample) -> SourceLocation:
    return SourceLocation(found.at.file, found.at.line, found.at.column)


def findings_of(result: CheckResult | None) -> list[Counterexample]:
    """All violations that were shown, of all properties."""
    parts: Iterable[CheckResult] = () if result is None else result.parts or (result,)
    found: list[Counterexample] = []
    for part in parts:
        first = (part.counterexample,) if part.counterexample is not None else ()
        found += (part.findings or first) if part.outcome is Outcome.FALSE else ()
    return found
