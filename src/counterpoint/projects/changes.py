"""What of a project has changed since a revision, as git knows it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.printable import cut, shown
from counterpoint.core.records import dataclass
from counterpoint.projects.configuration import FILE, SHARED

_BUILD: Final = (
    "CMakeLists.txt", "*.cmake", "*.in", "Makefile*", "*.mk", "meson.build", "meson.options", "configure*", "BUILD",
    "BUILD.bazel", FILE, SHARED,
)  # fmt: skip
"""Files that say how a project is built or checked: one that has changed may have changed any program."""

_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Changes:
    """`paths` are real ones, of files that were changed, added or removed, `before` the contents that those in C had;
    `revision` as it was given."""

    revision: str
    paths: frozenset[str]
    before: Mapping[str, bytes] = field(default_factory=dict)

    def touch(self, files: Iterable[Path], includes: Iterable[str]) -> bool:
        """Whether a program of these files, which include those, may be another one now, as far as these go.

        Also where a file of an included one's name has come or gone: another may be found by that name then.
        """
        named = {Path(path).name for path in self.paths}
        if any(fnmatch(name, pattern) for name in named for pattern in _BUILD):
            return True
        included = set(includes)
        spoken_of = included | {os.path.realpath(file) for file in files}
        return not self.paths.isdisjoint(spoken_of) or not named.isdisjoint(Path(path).name for path in included)


def changes_since(revision: str, folder: Path) -> Changes:
    """Between the revision and the files as they are in the repository that the folder is in; files that git is told to
    ignore count as unchanged. Raises UnusableInput."""
    if not revision or revision.startswith("-") or "\0" in revision:
        raise UnusableInput(f"--changed-since {shown(revision)}: is no revision: name a commit, a branch or a tag")
    top = Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    commit = os.fsdecode(_git(folder, "rev-parse", "--verify", f"{revision}^{{commit}}").strip())
    listed = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", commit, "--")
    changed = _git(top, "diff", *listed).split(b"\0")
    added = _git(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    paths = (top / os.fsdecode(name) for name in (*changed, *added) if name)
    real = frozenset(os.path.realpath(file) for path in paths for file in _files(path))
    in_c = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--diff-filter=a", commit, "--", "*.c")
    before = [os.fsdecode(name) for name in _git(top, "diff", *in_c).split(b"\0") if name]
    contents = {os.path.realpath(top / name): _git(top, "cat-file", "blob", f"{commit}:{name}") for name in before}
    return Changes(revision, real, contents)


def _files(path: Path) -> Iterable[Path]:
    """The path; of a folder, which is a changed repository within this one, all below it."""
    if not path.is_dir():
        return (path,)
    return (Path(here) / name for here, _, names in os.walk(path) for name in names)


def _git(folder: Path, *arguments: str) -> bytes:
    """What git says. Raises UnusableInput with the end of what it complains of."""
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except OSError as error:
        raise UnusableInput(f"--changed-since: git cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise UnusableInput(f"--changed-since: git did not answer within {_SECONDS:g} s") from None
    if done.returncode != 0:
        said = os.fsdecode(done.stderr).strip().rpartition("\n")[2] or f"it ended with status {done.returncode}"
        raise UnusableInput(f"--changed-since: git {arguments[0]}: {cut(shown(said))}")
    return done.stdout
