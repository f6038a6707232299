"""Result files: checked before the work starts, written beside their name, renamed when complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from counterpoint.core.errors import UnusableInput


def check_writable(path: Path | None) -> None:
    """Raises UnusableInput at once for an output that cannot be written anyway."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise UnusableInput(f"{path}: is a directory: name a file to write")
    if not folder.is_dir():
        raise UnusableInput(f"{path}: the folder {folder} does not exist")
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise UnusableInput(f"{path}: no permission to write there")


def write_output(path: Path, text: str) -> None:
    """Writes all of `text` or nothing; raises UnusableInput (full disk, permissions).

    Bytes of file names that are no text are written as `\\udcXX`.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced by a rename
            _write(path, text)
        else:
            _write_beside(path, text)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written: {error.strerror or error}") from None


def _write_beside(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        _write(temporary, text)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
        file.flush()
        with contextlib.suppress(OSError):
            os.fsync(file.fileno())
