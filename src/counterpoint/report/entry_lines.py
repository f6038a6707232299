"""Functions checked by themselves as lines for people: what each requires, what is proved then, what fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from counterpoint.core.source import SourceLocation
from counterpoint.entries.behind import BEHIND
from counterpoint.entries.findings import AT_START, Entries, Entry, Finding, Grade
from counterpoint.portfolio.result import Answer
from counterpoint.property import weakness_of
from counterpoint.report.lines import Line

MOST_OPEN: Final = 4
"""Open checks of a function that are named."""


def lines_of(entry: Entry, verbose: bool = False) -> Iterator[Line]:
    """One function; `verbose`: with all that is taken for granted, and all open checks."""
    yield ((entry.function, "title"), (f"  {Path(entry.file).name}:{entry.line}", "dim"))
    if verbose:
        for text in entry.given:
            yield _said("given", text, "dim")
    elif entry.given:
        count = len(entry.given)
        said = f"pointers are null or lead to blocks of their type, apart ({count} condition{'s' * (count != 1)}: -v)"
        yield _said("given", said, "dim")
    for one in entry.requires:
        where = f"else {one.what} at {_short(one.at)}"
        if one.text:
            seen = "" if one.needed else f"; {NOT_SHOWN}"
            yield (("    requires  ", "dim"), (one.text, "value"), (f"   {where}{seen}", "dim"))
        else:
            yield (("    latent    ", "dim"), (f"{one.what} at {_short(one.at)}", "unsure"), _UNSAID)
    for finding in entry.findings:
        yield from _finding(finding)
    if entry.missing:
        yield _said("missing", entry.missing, "unsure")
    else:
        yield from _checks(entry, verbose)
    for text in entry.assumed if verbose else ():
        yield _said("assumes", text, "dim")
    if entry.assumed and not verbose:
        count = len(entry.assumed)
        yield _said("assumes", f"{count} thing{'s' * (count != 1)} of what surrounds it (-v)", "dim")
    for report in entry.crash_reports:
        yield (("    Crash report: ", "bad"), (report, "plain"))
    yield ()


def _short(at: SourceLocation) -> str:
    return f"{Path(at.file).name}:{at.line}"


NOT_SHOWN: Final = "or for another reason that it fits"
"""What is said of a clause of which runs do not show that it is what calls fail for."""

_UNSAID: Final = ("   for some arguments; no precondition was found that excludes it", "dim")


def _said(what: str, text: str, style: str) -> Line:
    return (f"    {what:<9} ", "dim"), (text, style)


def _finding(finding: Finding) -> Iterator[Line]:
    found = finding.found
    weakness = weakness_of(found.kind, found.cause)
    where = f"{Path(found.at.file).name}:{found.at.line}"
    yield (
        ("    finding   ", "dim"), (f"{finding.grade} ", "bad"), (f"{where}: {found.message}", "plain"),
        (f"  {weakness}" if weakness else "", "dim"),
    )  # fmt: skip
    if finding.calls:
        outer = ", ".join(f"{one.function} ({_short(one)})" for one in finding.calls)
        yield ((f"              in {found.at.function}, called from {outer}", "dim"),)
    yield ((f"              {finding.why}", "dim"),)
    if finding.precondition:
        yield ((f"              precondition: {finding.precondition}", "dim"),)
    if found.confirmed:
        yield ((f"              replayed by {' and '.join(found.confirmed)}", "dim"),)


def _checks(entry: Entry, verbose: bool) -> Iterator[Line]:
    proved, total = entry.count(Answer.PROVED), len(entry.checks)
    under = ", requiring the above" if entry.requires else ""
    under += ", where no check in what it calls fails before" if entry.relies else ""
    again = "  (from an earlier command)" if entry.reused else ""
    style = "good" if proved == total else "plain"
    yield (("    checks    ", "dim"), (f"{proved} of {total} proved of this function{under}", style), (again, "unsure"))
    left = [one for one in entry.checks if one.answer is not Answer.PROVED]
    if not verbose:
        told = Counter(one.why for one in left if one.why.startswith(BEHIND))
        left = [one for one in left if one.why not in told]
        for why, count in told.items():
            yield ((f"              {count} open {why}", "dim"),)
    for one in left if verbose else left[:MOST_OPEN]:
        known = "fails for some arguments" if one.answer is Answer.REFUTED else f"open ({one.why})"
        yield ((f"              {Path(one.at.file).name}:{one.at.line} {one.what}: {known}", "dim"),)
    if len(left) > MOST_OPEN and not verbose:
        yield ((f"              ... {len(left) - MOST_OPEN} more: --verbose", "dim"),)


def summary_of(found: Entries) -> Iterator[Line]:
    """The last lines but that with the count."""
    for finding in found.from_main:
        yield from _finding(finding)
    statics = sum(any(text.endswith(AT_START) for text in entry.assumed) for entry in found.entries)
    if statics:
        what = "static variables of functions and other files, and tables, are as at the start of the program"
        yield ((f"ASSUMED of {statics} of {len(found.entries)} functions: {what} (-v names them).", "unsure"),)
    reused = sum(entry.reused for entry in found.entries)
    if reused:
        total = len(found.entries)
        yield ((f"RE-USED: what is said of {reused} of {total} functions was found by earlier commands.", "unsure"),)


def count_of(found: Entries) -> str:
    """The command's last line."""
    total = len(found.entries)
    checks = sum(len(entry.checks) for entry in found.entries)
    proved = sum(entry.count(Answer.PROVED) for entry in found.entries)
    grades = [sum(one.grade is grade for one in found.findings) for grade in Grade]
    told = ", ".join(f"{count} {grade}" for count, grade in zip(grades, Grade, strict=True) if count) or "none"
    return (
        f"FUNCTIONS: {total}, {proved} of {checks} checks proved of them, requiring what is shown; findings: {told};"
        f" {found.seconds:.1f} s"
    )
