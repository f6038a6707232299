"""Small things that are kept on disk between checks, each by its key, in files that only their user's checks believe.

A file carries a MAC [rfc2104] over its kind, its key and what it holds, made with a secret of the user
(`own_secret`) that is not in the folder. So a folder that was shared, downloaded or damaged has nothing that counts. A
file appears whole, by a rename: any number of processes may use one folder at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from dataclasses import field
from pathlib import Path

from counterpoint.core.records import dataclass

FORMAT = 1
"""Of the files; those of another one are passed over."""

SECRET_BYTES = 32

_HEAD = b"counterpoint "
_MOST_HEAD = 200


class NotUsable(Exception):
    """Nothing can be kept, or believed; the message says what is wrong and what to do."""


def own_secret() -> bytes:
    """The user's secret in `$XDG_CONFIG_HOME/counterpoint/reuse.key`, made where there is none.

    Raises NotUsable where it cannot be made, or others may read it.
    """
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    path = Path(base).expanduser() / "counterpoint" / "reuse.key"
    try:
        with contextlib.suppress(FileNotFoundError):
            return _read_secret(path)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_secret(path)
        return _read_secret(path)
    except (OSError, RuntimeError) as error:
        raise NotUsable(f"{path}: {_why(error)}: nothing is re-used without a key") from None


def _read_secret(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise NotUsable(f"{path}: others may read this key: remove it, or `chmod 600` it if nobody has seen it")
        secret = file.read(SECRET_BYTES + 1)
    if len(secret) != SECRET_BYTES:
        raise NotUsable(f"{path}: is no key of {SECRET_BYTES} bytes: remove it")
    return secret


def _make_secret(path: Path) -> None:
    """Of two that make one at once, the first wins."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".reuse-")  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


@dataclass(slots=True)
class Entries:
    """What `folder` keeps of one `kind`. At most so many files and bytes stay, those used last, in each of `fans`
    subfolders by themselves; `close()` sees to it.

    `ignored` counts files that were there and did not count; `failed` says why nothing could be written, if so.
    """

    folder: Path
    kind: str
    secret: bytes = field(repr=False)
    most_files: int
    most_bytes: int
    largest: int
    fans: int = 64
    ignored: int = 0
    failed: str = ""
    _written: set[Path] = field(default_factory=set)

    def get(self, key: str) -> bytes | None:
        """What is kept under the key (any text); None where nothing is, or what does not count."""
        path = self._path(key)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            self.ignored += not isinstance(error, FileNotFoundError | NotADirectoryError)
            return None
        try:
            content = self._content(descriptor)
        finally:
            os.close(descriptor)
        head, end, held = content.partition(b"\n")
        if not end or not hmac.compare_digest(head, self._head(key, held)):
            self.ignored += 1
            return None
        return held

    def _content(self, descriptor: int) -> bytes:
        """Empty for what is no file of its own, or too large; the file counts as used."""
        content = b""
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            with contextlib.suppress(OSError):
                while len(content) <= self.largest + _MOST_HEAD and (part := os.read(descriptor, 1 << 20)):
                    content += part
                os.utime(descriptor)
        return content if len(content) <= self.largest + _MOST_HEAD else b""

    def put(self, key: str, held: bytes) -> None:
        """Keeps it, instead of what was there. What cannot be written is not kept, and `failed` says why."""
        if len(held) > self.largest or self.failed:
            return
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(self._head(key, held) + b"\n" + held)
                Path(name).replace(path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            self.failed = _why(error)
            return
        self._written.add(path.parent)

    def remove(self, key: str) -> None:
        """It is of no use any more."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def close(self) -> None:
        """Removes what was used longest ago, where there is too much."""
        for folder in sorted(self._written):
            with contextlib.suppress(OSError):
                self._prune(folder)
        self._written.clear()

    def _prune(self, folder: Path) -> None:
        files: list[tuple[int, str, int]] = []
        with os.scandir(folder) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    said = entry.stat(follow_symlinks=False)
                    files.append((said.st_mtime_ns, entry.path, said.st_size))
        count, size = len(files), sum(one[2] for one in files)
        for _, path, bytes_ in sorted(files):
            if count <= self.most_files // self.fans and size <= self.most_bytes // self.fans:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
            count, size = count - 1, size - bytes_

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(f"{FORMAT} {self.kind} {key}".encode()).hexdigest()
        return self.folder / self.kind / f"{int(name[:4], 16) % self.fans:02x}" / name

    def _head(self, key: str, held: bytes) -> bytes:
        about = f"{FORMAT} {self.kind} {len(key.encode())} {key}\n".encode()
        return b"%s%d %s" % (_HEAD, FORMAT, hmac.digest(self.secret, about + held, "sha256").hex().encode())


def _why(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
