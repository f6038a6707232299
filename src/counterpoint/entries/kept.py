"""What was found of a function, on disk for later commands (docs/reuse.md), by all that it depends on.

The key is made of the version, the options, the arbitrary caller's text, the linked code of the function and of what
it may call without debug information, and the text of these functions. So edits elsewhere do not count, and lines are
told relative to the function that they are in. Functions with findings are always checked again: a finding is a run
that was replayed now.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from counterpoint.contracts.declarations import Declarations
from counterpoint.core.entries import Entries as Folder
from counterpoint.core.errors import CounterpointError, UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.core.version import version
from counterpoint.entries.environment import Environment
from counterpoint.entries.findings import Entry, Required
from counterpoint.frontend.c.clang import Compiled, fingerprint
from counterpoint.frontend.c.link import link
from counterpoint.frontend.task import LARGEST_SOURCE, SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckAnswer
from counterpoint.portfolio.reuse import Reuse, opened

KIND: Final = "functions"
FORMAT: Final = 3
MOST_FILES: Final = 1 << 14
MOST_BYTES: Final = 64 << 20
LARGEST: Final = 1 << 20
"""Of the folder; bytes of one function's."""

SAME_TIME: Final = 0.8
"""Of the time that there is now, what an earlier check that left something open must have had."""

_DEBUG: Final = regex(r", !\w+ !\d+|^!.*$|^ *#dbg_.*$|^source_filename.*$|^; .*$", re.MULTILINE)
_NUMBERED: Final = regex(r" #\d+")


@dataclass(frozen=True, slots=True)
class Kept:
    """Entries of one folder for one function; `starts`: the lines where functions begin."""

    folder: Folder
    key: str
    starts: Mapping[str, int]

    def get(self, entry: Entry, seconds: float) -> Entry | None:
        """What an earlier command found with about as much time, in today's lines."""
        held = self.folder.get(self.key)
        if held is None:
            return None
        try:
            said = json.loads(held)
            found = _read(said, entry, self.starts)
            enough = float(said["given seconds"]) >= SAME_TIME * seconds
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        return found if enough or found.is_proved else None

    def put(self, entry: Entry, seconds: float) -> None:
        """Keeps it, unless it says too little, or of runs that have to be replayed."""
        if not entry.missing and not entry.findings and not entry.crash_reports:
            self.folder.put(self.key, json.dumps(_written(entry, seconds, self.starts)).encode())
            self.folder.close()


def kept_for(
    request: Request, task: SourceTask, declared: Declarations, environment: Environment, compiled: tuple[Compiled, ...]
) -> Kept | None:
    """None where nothing is kept, or where the function's text is not known."""
    reuse = opened(request.reuse)
    if not isinstance(reuse, Reuse):
        return None
    try:
        texts = _texts(declared, environment)
        code = link(task, [one.code for one in compiled])
    except (CounterpointError, UnusableInput):
        return None
    if texts is None:
        return None
    options = replace(request, files=(), timeout=0.0, memory=0, jobs=0, reuse=None, recording=False, listing=False)
    parts = (
        str(FORMAT), version(), repr(options), task.property, fingerprint(replace(task, entry="main")),
        environment.text(), repr(environment.requires), *texts, _NUMBERED.sub("", _DEBUG.sub("", code)),
    )  # fmt: skip
    key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    folder = Folder(reuse.folder, KIND, reuse.secret, MOST_FILES, MOST_BYTES, LARGEST)
    return Kept(folder, key, {one.name: one.line for one in declared.functions.values()})


def _texts(declared: Declarations, environment: Environment) -> list[str] | None:
    """The texts of the function and of those below it, each to where the next one begins."""
    own = [one for one in declared.functions.values() if one.file in ("", str(declared.file))]
    if not all(one.plain for one in own):
        return None
    content = read_given(Path(declared.file), "C file", LARGEST_SOURCE)
    starts = [*sorted({one.offset for one in own}), len(content)]
    below = declared.below(environment.function.name)
    found = []
    for one in below:
        if one in own:
            end = next(start for start in starts if start > one.offset)
            found.append(content[one.offset : end].decode("utf-8", "replace"))
    return found


# ---------------------------------------------------------------- as text


def _written(entry: Entry, seconds: float, starts: Mapping[str, int]) -> dict[str, Any]:
    return {
        "given seconds": seconds,
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


def _read(said: Any, entry: Entry, starts: Mapping[str, int]) -> Entry:
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


def _place(at: SourceLocation, starts: Mapping[str, int]) -> list[Any]:
    return [at.file, at.line - starts.get(at.function, 0), at.column, at.function]


def _at(said: list[Any], starts: Mapping[str, int]) -> SourceLocation:
    file, line, column, function = said
    return SourceLocation(str(file), int(line) + starts.get(str(function), 0), int(column), str(function))
