"""Where results of earlier runs are kept for later ones."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path


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
