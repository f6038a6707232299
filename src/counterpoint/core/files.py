"""Reading files that somebody else named: only regular ones, only so many bytes, and never waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from counterpoint.core.errors import UnusableInput


def read_given(path: Path, what: str, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes. Never waits: pipes and devices are refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise UnusableInput(f"{path}: no such file, expected a {what}: check the path") from None
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise UnusableInput(f"{path}: is no regular file, expected a {what}") from None
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    except ValueError:
        raise UnusableInput(f"{str(path)!a}: is no name that a {what} can have") from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "no regular file"
            raise UnusableInput(f"{path}: is {kind}, expected a {what}")
        return _whole(descriptor, path, what, most)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}): expected a {what}") from None
    finally:
        os.close(descriptor)


def _whole(descriptor: int, path: Path, what: str, most: int) -> bytes:
    parts: list[bytes] = []
    left = most + 1
    while left and (part := os.read(descriptor, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if not left:
        raise UnusableInput(f"{path}: has more than {most:,} bytes, too many for a {what}")
    return b"".join(parts)
