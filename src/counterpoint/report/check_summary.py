"""What is known of the checks in a few lines: how many hold of each kind, and by line those that do not or may not.

The whole table is `report/checks.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from counterpoint.core.source import LOST
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.report.failing_run import short
from counterpoint.report.lines import Line

MOST_OPEN = 5
"""Open checks that are named."""

MOST_FINDINGS = 10
"""Violations behind the first one that are named."""

_WORDS = {
    "valid-deref": "access",
    "valid-free": "free",
    "no-overflow": "overflow",
    "unreach-call": "assertion",
    "overlap": "copy",
    "undefined": "undefined operation",
    "uninitialised": "read of a local",
    "valid-memcleanup": "end of the program",
}


def summary_lines(result: CheckResult) -> Iterator[Line]:
    """Of TRUE and FALSE: other violations, and how many checks have which answer."""
    for finding in result.findings[1 : MOST_FINDINGS + 1]:
        yield _finding(finding)
    if (left := len(result.findings) - 1 - MOST_FINDINGS) > 0:
        yield ((f"         and {left} more: --json has them all", "dim"),)
    if not result.checks or result.outcome is Outcome.UNKNOWN:
        return
    proved = [check for check in result.checks if check.answer is Answer.PROVED]
    if proved:
        yield (("Proved   ", "good"), (f"{_counted(len(proved), 'check')}: {_kinds(proved)}", "plain"))
    if open_ := open_checks(result):
        yield (("Open     ", "unsure"), (open_, "plain"))


def open_checks(result: CheckResult) -> str:
    """`2 of 14 checks: a.c:9 read of 4 bytes, ...`; "" if none is open, or it is not known which."""
    open_ = [check for check in result.checks if check.answer is Answer.UNKNOWN]
    if not open_:
        return ""
    told = ", ".join(dict.fromkeys(_named(check) for check in open_[:MOST_OPEN]))
    more = f", and {len(open_) - MOST_OPEN} more" if len(open_) > MOST_OPEN else ""
    return f"{len(open_)} of {_counted(len(result.checks), 'check')}: {told}{more}"


def _named(check: CheckAnswer) -> str:
    return "lost memory" if check.kind == LOST else f"{short(check.at)} {check.what or check.kind}"


def _finding(finding: Counterexample) -> Line:
    behind = "  (its run violates another check first)" if finding.behind else ""
    return (("Also     ", "bad"), (f"{finding.at}: ", "title"), (finding.message, "bad"), (behind, "dim"))


def _kinds(checks: Sequence[CheckAnswer]) -> str:
    """`5 accesses, 1 free, lost memory`."""
    counts = Counter(_WORDS.get(check.kind, check.kind) for check in checks)
    return ", ".join("lost memory" if word == LOST else _counted(count, word) for word, count in counts.items())


def _counted(number: int, what: str) -> str:
    noun, of, more = what.partition(" of ")
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun}{of}{more}"
