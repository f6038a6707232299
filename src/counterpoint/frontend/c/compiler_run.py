"""Runs the compiler, but not for long after its first error.

clang goes on parsing after it has reported all errors that it will report, for minutes on some files of a
few megabytes: a redeclaration costs time proportional to the number of the earlier ones.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import BinaryIO

from counterpoint.core.patterns import regex

PATIENCE = 2.0
"""Seconds that the compiler may go on after its first error."""

_ERROR = regex(rb"^(?:[^ \n].*?: )?(?:fatal )?error: ", re.MULTILINE)


def run_compiler(
    command: Sequence[str], environment: Mapping[str, str], output: BinaryIO | None = None
) -> tuple[int, str]:
    """Exit status and stderr; stdout goes to `output`. Raises OSError if the compiler cannot be started.

    The compiler and its children are killed if they still run `PATIENCE` after the first error, or when an
    exception passes through.
    """
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if output is None else output,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    assert process.stderr is not None
    try:
        said, complete = _listen(process.stderr.fileno())
        return process.wait() if complete else 1, said.decode(errors="replace")
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def _listen(reader: int) -> tuple[bytes, bool]:
    """What comes out, and whether that was all of it."""
    said = b""
    deadline: float | None = None
    while True:
        wait = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([reader], [], [], wait)[0]:
            return said, False
        part = os.read(reader, 1 << 16)
        if not part:
            return said, True
        said += part
        if deadline is None and _ERROR.search(said):
            deadline = time.monotonic() + PATIENCE
