"""Result files: checked before the work starts, written beside their name, renamed when complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping
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


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path] = ()) -> None:
    """The same of several, by their options; and where one would take the place of another or of an input."""
    taken = {os.path.realpath(path): "is a file that is read" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        if str(path) == "-":
            raise UnusableInput(f"{option} -: is no file: /dev/stdout is one")
        check_writable(path)
        if path.exists() and not path.is_file():
            continue  # a device or a pipe takes any number
        real = os.path.realpath(path)
        if real in taken:
            raise UnusableInput(f"{option} {path}: {taken[real]}: name another file")
        taken[real] = f"is what {option} writes"


def write_output(path: Path, text: str | bytes) -> None:
    """Writes all of `text` or nothing; raises UnusableInput (full disk, permissions).

    Bytes of file names that are no text are written as `\\udcXX`.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced by a rename
            _write(path, content)
        else:
            _write_beside(path, content)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written: {error.strerror or error}") from None


def _write_beside(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        _write(temporary, content)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        with contextlib.suppress(OSError):
            os.fsync(file.fileno())
