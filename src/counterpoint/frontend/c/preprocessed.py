"""What the compiler gets to see of a file: its preprocessed text, and which files that came from.

It is made by the compiler itself, with the arguments of the compilation: so folders for headers, macros, the
environment and what is not there (`__has_include`) count as far as they change anything.
"""

from __future__ import annotations

import hashlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.c import clang
from counterpoint.frontend.c.silenced import NOTE_INCLUDES, without_includes
from counterpoint.frontend.task import LARGEST_SOURCE, SourceTask

LARGEST: Final = 256 << 20
"""Bytes of a preprocessed text that are looked at."""

_MADE: Final = (".pch", ".gch")
"""Of a precompiled header, which clang takes without showing its text."""

_READ: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """The SHA-256 of the text, line markers included, and the names of the files that it is made of, its own first."""

    digest: str
    files: tuple[str, ...]


def preprocessed(task: SourceTask, file: Path, deadline: float) -> Preprocessed | None:
    """The file of the task as its compilation begins. A file in another language is its own text.

    None where the compiler refuses it, is not done by the `deadline` (of `time.monotonic`), or has too much to say.
    """
    task = task.alone(file)
    if task.is_translated:
        with suppress(OSError):
            content = file.read_bytes() if file.stat().st_size <= LARGEST_SOURCE else b""
            return Preprocessed(hashlib.sha256(content).hexdigest(), (str(file),)) if content else None
        return None
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        if any(Path(word[8:] + end).exists() for word in task.extra if word.startswith("-include") for end in _MADE):
            return None
        operand = clang.operand_of(file, folder)
        if operand.startswith(folder):  # the text would name the folder
            return None
        told = _told(clang.invocation(task, NOTE_INCLUDES, "-E", operand), folder, deadline)
        if told is None:
            return None
        included, _ = without_includes((Path(folder) / "said").read_text("utf-8", "surrogateescape"))
        return Preprocessed(told, (str(file), *dict.fromkeys(included)))


def texts(task: SourceTask, seconds: float) -> tuple[str, ...] | None:
    """The digests of all files of the task, as the compiler sees them; None where one is not known in that time."""
    deadline = time.monotonic() + seconds
    found = [preprocessed(task, file, deadline) for file in task.files]
    return tuple(one.digest for one in found if one is not None) if None not in found else None


def compiler_identity(task: SourceTask, deadline: float) -> str:
    """Which compiler it is: of the one that comes along its file, of another also the command that it makes of the
    task's arguments, where what its configuration adds is seen. Raises UnusableInput, OSError."""
    path = clang.invocation(task)[0]
    found = shutil.which(path)
    if found is None:
        raise UnusableInput(f"{path}: cannot be run: check --cc")
    said = Path(found).stat()
    stamp = f"{os.path.realpath(found)} {said.st_size} {said.st_mtime_ns}"
    if not task.cc:
        return stamp
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        _told(clang.invocation(task, "-###", "-c", os.devnull, "-o", os.devnull), folder, deadline)
        return f"{stamp} {hashlib.sha256((Path(folder) / 'said').read_bytes()).hexdigest()}"


def _told(command: Sequence[str], folder: str, deadline: float) -> str | None:
    """The SHA-256 of what the command says on stdout; stderr goes to the file `said` in the folder. None if it fails,
    or goes on for too long."""
    with (Path(folder) / "said").open("wb") as said:
        process = subprocess.Popen(
            command, env=clang.environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
            process_group=0,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            digest = _digest(process.stdout, deadline)
            return digest if digest is not None and process.wait() == 0 else None
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def _digest(stream: IO[bytes], deadline: float) -> str | None:
    found, size = hashlib.sha256(), 0
    while (left := deadline - time.monotonic()) > 0 and size <= LARGEST:
        if not select.select([stream.fileno()], [], [], left)[0]:
            return None
        part = os.read(stream.fileno(), _READ)
        if not part:
            return found.hexdigest()
        found.update(part)
        size += len(part)
    return None
