"""The standard streams, whatever the command was started with: missing, closed, full, of any encoding.

A verdict that could not be written is no verdict: the exit status is then 2, never that of the verdict.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

from counterpoint.core.printable import cut, shown

UNUSABLE = 2


def secure() -> None:
    """Gives the command three streams. Descriptors that are missing are taken first, so that no file that is opened
    later gets their numbers; writing to a missing stdout fails, what is said on a missing stderr is lost."""
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, flags)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            os.set_inheritable(descriptor, True)
    sys.stdout = sys.stdout or _text(1)
    sys.stderr = sys.stderr or _text(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _text(descriptor: int) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace")


def finish(status: int) -> int:
    """Writes what is still to be written. The exit status: UNUSABLE instead of a verdict that could not be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        status = lost(error, status)
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        _discard(2)
    return status


def lost(error: BaseException, status: int = UNUSABLE) -> int:
    """The exit status where writing to stdout failed; says so on stderr if that can be written."""
    _discard(1)
    with contextlib.suppress(OSError, ValueError):
        said = getattr(error, "strerror", None) or "it is closed"
        sys.stderr.write(f"counterpoint: stdout: cannot be written: {said}\n")
        sys.stderr.flush()
    return status if status > UNUSABLE + 1 else UNUSABLE


def _discard(descriptor: int) -> None:
    """What is still in the stream's buffer goes nowhere: at the end Python would try again, and complain."""
    with contextlib.suppress(OSError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, descriptor)
        os.close(nothing)


def note(message: str) -> None:
    """One line on stderr, if that can be written."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{cut(shown(message))}\n")
        sys.stderr.flush()
