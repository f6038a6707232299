"""What was found of a function, on disk for later commands (docs/reuse.md), by all that it depends on.

The key (kept_key.py) is made of all that the answer depends on. So edits elsewhere do not count, and lines are told
relative to the function that they are in. Functions with findings are always checked again: a finding is a run that
was replayed now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from counterpoint.contracts.declarations import Declarations
from counterpoint.core.entries import Entries as Folder
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.entries.environment import Environment
from counterpoint.entries.findings import Entry, Required
from counterpoint.entries.kept_key import key_of
from counterpoint.frontend.c.clang import Compiled
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckAnswer
from counterpoint.portfolio.reuse import Reuse, opened

KIND: Final = "functions"
MOST_FILES: Final = 1 << 14
MOST_BYTES: Final = 64 << 20
LARGEST: Final = 1 << 20
"""Of the folder; bytes of one function's."""

SAME_TIME: Final = 0.8
"""Of the time that there is now, what an earlier check that left something open must have had."""

Starts: TypeAlias = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Kept:
    """Entries of one folder for one function; `starts`: the lines where functions begin, by file and name."""

    folder: Folder
    key: str
    starts: Starts

    def get(self, entry: Entry, seconds: float, share: float = 0.0) -> Entry | None:
        """What an earlier command found with about as much time, in today's lines: it had as many seconds, or as large
        a `share` (seconds that each function has, if all have as many; 0.0 where that is not known)."""
        held = self.folder.get(self.key)
        if held is None:
            return None
        try:
            said = json.loads(held)
            found = _read(said, entry, self.starts)
            enough = float(said["given seconds"]) >= SAME_TIME * seconds
            enough = enough or float(said["share"]) >= SAME_TIME * share > 0
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        return found if enough or found.is_proved else None

    def put(self, entry: Entry, seconds: float, share: float = 0.0) -> None:
        """Keeps it, unless it says too little, or of runs that have to be replayed."""
        if not entry.missing and not entry.findings and not entry.crash_reports:
            self.folder.put(self.key, json.dumps(_written(entry, seconds, share, self.starts)).encode())
            self.folder.close()


def kept_for(
    request: Request,
    task: SourceTask,
    declared: Sequence[Declarations],
    environment: Environment,
    compiled: tuple[Compiled, ...],
) -> Kept | None:
    """None where nothing is kept, or where the function's text is not known; `declared` and `compiled` as in
    `key_of`."""
    reuse = opened(request.reuse)
    if not isinstance(reuse, Reuse):
        return None
    key = key_of(request, task, declared, environment, compiled)
    if key is None:
        return None
    folder = Folder(reuse.folder, KIND, reuse.secret, MOST_FILES, MOST_BYTES, LARGEST)
    starts = {(one.file or str(of.file), one.name): one.line for of in declared for one in of.functions.values()}
    return Kept(folder, key, starts)


# ---------------------------------------------------------------- as text


def _written(entry: Entry, seconds: float, share: float, starts: Starts) -> dict[str, Any]:
    return {
        "given seconds": seconds,
        "share": share,
        "given": entry.given,
        "assumed": entry.assumed,
        "detail": entry.detail,
        "runs": entry.runs,
        "relies": entry.relies,
        "requires": [
            [one.text, one.kind, _place(one.at, starts), one.what, one.needed] for one in entry.requires
        ],
        "checks": [
            [one.check, one.kind, _place(one.at, starts), one.what, one.answer.value, one.cause, one.by, one.why]
            for one in entry.checks
        ],
    }


def _read(said: Any, entry: Entry, starts: Starts) -> Entry:
    """Raises KeyError, TypeError or ValueError for what is none."""
    requires = tuple(
        Required(text, kind, _at(at, starts), what, bool(needed)) for text, kind, at, what, needed in said["requires"]
    )
    checks = tuple(
        CheckAnswer(check, kind, _at(at, starts), what, Answer(answer), cause, by, why)
        for check, kind, at, what, answer, cause, by, why in said["checks"]
    )
    return replace(
        entry, given=tuple(said["given"]), assumed=tuple(said["assumed"]), detail=str(said["detail"]),
        runs=int(said["runs"]), requires=requires, checks=checks, reused=True,
        relies=bool(said["relies"]),
    )  # fmt: skip


def _place(at: SourceLocation, starts: Starts) -> list[Any]:
    return [at.file, at.line - starts.get((at.file, at.function), 0), at.column, at.function]


def _at(said: list[Any], starts: Starts) -> SourceLocation:
    file, line, column, function = said
    return SourceLocation(str(file), int(line) + starts.get((str(file), str(function)), 0), int(column), str(function))
