"""Where results of earlier runs are kept for later ones."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from counterpoint.core.errors import UnusableInput

REUSE = "reuse"
"""The folder's part for results, answers and proofs (docs/reuse.md)."""

SWITCHED = frozenset({"off", "on", "no", "yes", "none", "false", "true"})
"""What is hardly meant as the name of a folder."""


def folder_for(option: str, text: str) -> Path:
    """The folder that the option names; the empty text stands for the user's own cache. Raises UnusableInput."""
    if text.lower() in SWITCHED:
        raise UnusableInput(f"{option}={text}: names a folder: leave it out for none, or say {option}=./{text}")
    if text:
        folder = Path(text)
        try:
            other = folder.exists() and not folder.is_dir()
        except (OSError, ValueError) as error:
            raise UnusableInput(f"{option}={text}: {getattr(error, 'strerror', None) or error}") from None
        if other:
            raise UnusableInput(f"{option}={text}: is no folder")
        return folder
    cache = cache_folder()
    if cache is None:
        raise UnusableInput(f"{option}: no folder for caches can be written: name one with {option}=DIR")
    return cache / REUSE


@cache
def cache_folder() -> Path | None:
    """A writable folder for caches of this user, or None; $COUNTERPOINT_CACHE overrides the location."""
    locations = []
    if chosen := os.environ.get("COUNTERPOINT_CACHE"):
        locations.append(Path(chosen))
    if base := os.environ.get("XDG_CACHE_HOME"):
        locations.append(Path(base) / "counterpoint")
    locations.append(Path("~/.cache/counterpoint").expanduser())
    locations.append(Path(tempfile.gettempdir()) / f"counterpoint-{os.getuid()}")
    for location in locations:
        try:
            location.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(location, os.W_OK) and location.stat().st_uid == os.getuid():
            return location
    return None
