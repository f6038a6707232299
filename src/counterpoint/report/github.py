"""Annotations of GitHub Actions: a line on stdout for each finding, which is shown beside the source there.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions: `::error file=F,line=L::TEXT`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from counterpoint.core.printable import cut, shown
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import CheckResult, Counterexample, Outcome
from counterpoint.projects.baseline import Known, findings_of
from counterpoint.projects.programs import seen_from
from counterpoint.projects.run import Checked, NotRun, Refusal

_ESCAPES = {"%": "%25", ":": "%3A", ",": "%2C"}


def annotations_of_project(checked: Iterable[Checked], folder: Path, known: Known) -> Iterator[str]:
    """Findings that are new as errors, each once, what is open as a warning; nothing of what was known before."""
    told: set[str] = set()
    for one in checked:
        for line in _of_program(one, folder, known):
            if line not in told:
                told.add(line)
                yield line


def annotations_of(result: CheckResult, folder: Path) -> Iterator[str]:
    """Those of one check."""
    for found in findings_of(result):
        yield _finding(found, folder)
    if result.outcome is Outcome.UNKNOWN:
        at = SourceLocation(result.files[0], 1) if result.files else None
        yield _line("warning", at, result.verdict, result.detail, folder)


def _of_program(one: Checked, folder: Path, known: Known) -> Iterator[str]:
    yield from (_finding(found, folder) for found in findings_of(one.result) if not known.has(found))
    if known.questions(one) <= known.before.open:
        return
    at = SourceLocation(str(one.program.files[0]), 1)
    match one.answer:
        case Refusal(why):
            yield _line("warning", at, one.verdict, why, folder)
        case CheckResult(outcome=Outcome.UNKNOWN) as result:
            yield _line("warning", at, one.verdict, result.detail, folder)
        case CheckResult() | NotRun():
            pass


def _finding(found: Counterexample, folder: Path) -> str:
    return _line("error", found.at, found.kind, found.message, folder)


def _line(level: str, at: SourceLocation | None, title: str, text: str, folder: Path) -> str:
    where = []
    if at is not None and at.line:
        where = [f"file={_value(seen_from(folder, at.file))}", f"line={at.line}"]
        where += [f"col={at.column}"] if at.column else []
    said = cut(shown(text)).replace("%", "%25")
    return f"::{level} {','.join([*where, f'title={_value(title)}'])}::{said}"


def _value(text: str) -> str:
    """A value of a property, in which commas and colons mean something."""
    return "".join(_ESCAPES.get(character, character) for character in shown(text))
