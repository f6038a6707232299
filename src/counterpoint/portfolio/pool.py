"""The pool of facts of one check: a file that all its engines' processes append to and read.

One JSON object a line. A line is written whole by one write() in append mode, between two line ends, so that
lines of several writers do not mix and a writer that is killed spoils its own line only.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.invariants.pool import Told
from counterpoint.semantics.facts import Fact, from_text, to_text

MOST_FACTS = 5_000
"""Facts of one check that any process takes notice of."""

MOST_BYTES = 20 << 20
"""Size of the file from which on nothing is written any more."""

LONGEST = 64 << 10
"""Bytes of the longest line: a longer fact is of no use to anybody else."""

_READ = 1 << 20

_Key = tuple[str, int, str]
"""Function, block and text of a fact."""


@dataclass(slots=True)
class FilePool:
    """A `FactPool` in `path`; `fingerprint()` is that of the program (`program/render.fingerprint`).

    Each process makes its own; what earlier processes told is heard first. Facts on another program, broken
    lines and whatever is beyond the limits are passed over: nothing is raised. `told` and `heard_count` count.
    The fingerprint is asked for once, at the first use.
    """

    path: Path
    fingerprint: Callable[[], str]
    told: int = 0
    heard_count: int = 0
    _program: str = ""
    _known: dict[_Key, bool] = field(default_factory=dict)
    _descriptor: int = -1
    _offset: int = 0
    _rest: bytes = b""

    def tell(self, facts: Iterable[Fact], *, proved: bool, source: str) -> None:
        """Appends the facts that nobody is known to have told; a proved one also if it was a candidate."""
        for fact in facts:
            if len(self._known) >= MOST_FACTS:
                return
            text = to_text(fact.formula)
            if self._is_news((fact.function, fact.block, text), proved):
                self._write(
                    {
                        "program": self._about(),
                        "function": fact.function,
                        "block": fact.block,
                        "formula": text,
                        "proved": proved,
                        "source": source,
                    }
                )

    def heard(self) -> list[Told]:
        """What others have told since the last call; a candidate comes again when it has been proved."""
        found: list[Told] = []
        for line in self._new_lines():
            if len(self._known) >= MOST_FACTS:
                break
            told = self._understood(line)
            if told is not None:
                found.append(told)
        self.heard_count += len(found)
        return found

    def close(self) -> None:
        """Lets go of the file; the pool may be used again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    # ---------------------------------------------------------------- lines

    def _about(self) -> str:
        self._program = self._program or self.fingerprint()
        return self._program

    def _is_news(self, key: _Key, proved: bool) -> bool:
        before = self._known.get(key)
        if before is None or (proved and not before):
            self._known[key] = proved
            return True
        return False

    def _understood(self, line: bytes) -> Told | None:
        try:
            entry = json.loads(line)
            if entry["program"] != self._about():
                return None
            function, block, text = str(entry["function"]), int(entry["block"]), str(entry["formula"])
            proved, source = entry["proved"] is True, str(entry["source"])
            known = self._known.get((function, block, text))
            if known is not None and (known or not proved):
                return None
            fact = Fact(function, block, from_text(text))
        except (ValueError, KeyError, TypeError, RecursionError, CounterpointError):
            return None
        self._known[function, block, text] = proved
        return Told(fact, proved, source)

    # ---------------------------------------------------------------- the file

    def _opened(self) -> int:
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor

    def _write(self, entry: dict[str, object]) -> None:
        line = b"\n" + json.dumps(entry).encode() + b"\n"
        if len(line) > LONGEST:
            return
        with contextlib.suppress(OSError):
            descriptor = self._opened()
            if os.fstat(descriptor).st_size + len(line) <= MOST_BYTES:
                os.write(descriptor, line)
                self.told += 1

    def _new_lines(self) -> list[bytes]:
        """The whole lines that were appended since the last call."""
        lines: list[bytes] = []
        with contextlib.suppress(OSError):
            descriptor = self._opened()
            while self._offset < MOST_BYTES and (part := os.pread(descriptor, _READ, self._offset)):
                self._offset += len(part)
                *whole, self._rest = (self._rest + part).split(b"\n")
                lines.extend(line for line in whole if 0 < len(line) <= LONGEST)
        return lines


def size_of(path: Path) -> int:
    """Bytes told so far: when it has grown, there is news. 0 if there is no file."""
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0
