"""Results of checks on disk, by all that they depend on (portfolio/result_key.py): the same check is answered at once.

An entry counts if the user's own checks wrote it (core/entries.py). TRUE and FALSE hold whatever the limits are; an
UNKNOWN is the answer only where no limit is larger now. In a folder that others write to, only the evidence of an entry
is read, and checked again as `certify` does.

Nothing that only a check needs is imported before it is known that there is to be one.
"""

from __future__ import annotations

import json
import time
import zlib
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from counterpoint.core.entries import Entries, NotUsable, own_secret
from counterpoint.core.records import dataclass
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import INTERNAL_ERROR, INTERRUPTED, Cached, CheckResult, Outcome
from counterpoint.portfolio.result_key import Key, key_of
from counterpoint.portfolio.result_text import NoResult, document_of, result_of

if TYPE_CHECKING:
    from counterpoint.portfolio.run import ShowProgress

FORMAT: Final = 1
KIND: Final = "results"
SHARED: Final = "shared-results"
"""Of entries that are told from damaged ones by a hash only."""

MOST_FILES: Final = 4096
MOST_BYTES: Final = 256 << 20
LARGEST: Final = 4 << 20
MOST_TEXT: Final = 8 << 20
MOST_OF_RUNS: Final = 20_000
"""Entries, bytes of all of them and of one; characters of one that is not compressed, and inputs and lines of failing
runs in it: what is written, or read, in half a second."""

SHARE: Final = 0.05
"""Of the check's time, for the key: where that is not enough, nothing is looked up or kept."""
LEAST_SECONDS, MOST_SECONDS = 2.0, 5.0
"""Limits of that share: programs of a project are of dozens of files."""

SECONDS_LEFT: Final = 0.5
"""At least, of a check behind a look for its answer."""


@dataclass(slots=True)
class Kept:
    """The results in a folder; `note`: what did not count, or could not be done, in one line."""

    folder: Path
    shared: bool = False
    note: str = ""

    def entries(self) -> Entries | None:
        """None, with a note, where there is no key."""
        try:
            secret = bytes(32) if self.shared else own_secret()
        except NotUsable as error:
            self.note = str(error)
            return None
        return Entries(self.folder, SHARED if self.shared else KIND, secret, MOST_FILES, MOST_BYTES, LARGEST, fans=16)

    def get(self, key: Key) -> dict[str, Any] | None:
        """The document of this key."""
        entries = self.entries()
        held = entries.get(key.text) if entries is not None else None
        if held is not None:
            with suppress(zlib.error, ValueError, RecursionError):
                found = json.loads(zlib.decompressobj().decompress(held, MOST_TEXT))
                if isinstance(found, dict) and found.get("format") == FORMAT:
                    return found
        if held is not None or (entries is not None and entries.ignored):
            self.ignored()
        return None

    def ignored(self) -> None:
        """The entry does not count."""
        self.note = f"{self.folder}: the entry of this check does not count (damaged, or of another version or user)"

    def put(self, key: Key, document: dict[str, Any]) -> None:
        """Keeps it, where that can be done. Raises ValueError, RecursionError."""
        entries = self.entries()
        if entries is None:
            return
        text = json.dumps(document, allow_nan=False).encode()
        if len(text) <= MOST_TEXT:
            entries.put(key.text, zlib.compress(text, 1))
            entries.close()
        if entries.failed:
            self.note = f"{self.folder}: the result cannot be kept: {entries.failed}"


def check(request: Request, show: ShowProgress | None = None) -> CheckResult:
    """The answer to the request, as `portfolio.several.check` gives it, or gave it before.

    What is not in `request.cache` is kept there. Raises what `several.check` raises.
    """
    if request.cache is None:
        return _checked(request, show)
    kept = Kept(request.cache, request.check_cache)
    seconds = max(LEAST_SECONDS, min(MOST_SECONDS, SHARE * request.timeout))
    key = key_of(request, seconds)
    if key is None:
        return _checked(request, show)
    began = time.monotonic() if request.begun is None else request.begun
    found = None if request.recording else _found(kept, key, request, show)
    if found is not None:
        return found
    left = max(SECONDS_LEFT, request.timeout - (time.monotonic() - began) * kept.shared)
    result = _checked(replace(request, timeout=left, begun=None) if kept.shared else request, show)
    if _is_lasting(result, request) and key_of(request, seconds) == key:
        with suppress(TypeError, ValueError, RecursionError):  # what has no text is not kept
            kept.put(key, _document(result, request))
    return replace(result, cached=Cached(str(kept.folder), note=kept.note)) if kept.note else result


def _checked(request: Request, show: ShowProgress | None) -> CheckResult:
    from counterpoint.portfolio.several import check as check_now

    return check_now(request, show)


# ---------------------------------------------------------------- what there is


def _found(kept: Kept, key: Key, request: Request, show: ShowProgress | None) -> CheckResult | None:
    document = kept.get(key)
    if document is None:
        return None
    try:
        answered = datetime.fromisoformat(str(document["answered"])).isoformat(timespec="seconds")
        said = Cached(str(kept.folder), answered, kept.shared)
        found = _checked_again(document, request, show) if kept.shared else _read(document, request)
    except (ValueError, TypeError, KeyError, RecursionError):
        kept.ignored()
        return None
    return replace(found, cached=said) if found is not None else None


def _read(document: dict[str, Any], request: Request) -> CheckResult | None:
    """None for an UNKNOWN within smaller limits. Raises ValueError, TypeError, KeyError."""
    result = result_of(document["result"])
    if any(part.outcome is Outcome.UNKNOWN for part in _parts(result)):
        within = all(now <= then for now, then in zip(_limits(request), document["limits"], strict=True))
        return result if within else None
    return result


def _checked_again(document: dict[str, Any], request: Request, show: ShowProgress | None) -> CheckResult:
    """Raises ValueError for evidence that does not hold."""
    from counterpoint.portfolio.shared_results import checked_again

    found = checked_again(document, request, show)
    if found is None:
        raise NoResult("the evidence does not hold")
    return found


def _limits(request: Request) -> tuple[float, int, int]:
    return request.timeout, request.memory, request.jobs


def _parts(result: CheckResult) -> tuple[CheckResult, ...]:
    """The results of single properties."""
    return result.parts or (result,)


# ---------------------------------------------------------------- what is kept


def _is_lasting(result: CheckResult, request: Request) -> bool:
    """Whether the same check would say the same: nothing went wrong, and what was re-used did not matter. For others an
    UNKNOWN is none."""
    parts = _parts(result)
    open_ = [part for part in parts if part.outcome is Outcome.UNKNOWN]
    runs = sum(len(run.inputs) + len(run.steps) for part in parts for run in part.findings)
    if runs > MOST_OF_RUNS or any(part.crash_reports for part in parts):
        return False
    if open_ and (request.reuse is not None or request.check_cache):
        return False
    return not any(part.reason in (INTERNAL_ERROR, INTERRUPTED) for part in open_)


def _document(result: CheckResult, request: Request) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"format": FORMAT, "answered": now, "limits": _limits(request), "result": document_of(result)}
