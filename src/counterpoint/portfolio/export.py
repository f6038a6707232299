"""The claims of a proof as SMT-LIB files in a directory, with an index."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.claims import Script

INDEX = "index.json"


def check_target(directory: Path) -> None:
    """Raises UnusableInput unless the directory can be made, or is there and empty."""
    try:
        if directory.is_dir() and any(directory.iterdir()):
            raise UnusableInput(f"{directory}: is not empty: name a new directory for the claims")
        if directory.exists() and not directory.is_dir():
            raise UnusableInput(f"{directory}: is a file: name a new directory for the claims")
        if not directory.absolute().parent.is_dir():
            raise UnusableInput(f"{directory}: its parent is no directory: make it first")
    except OSError as error:
        raise UnusableInput(f"{directory}: cannot be used: {error.strerror}") from None


def export(scripts: Iterable[Script], about: dict[str, object], directory: Path) -> int:
    """Writes a file for each script, and an index that begins with `about`; returns how many there are.

    The directory appears when all of it is written. Raises UnusableInput where it cannot be written; what the scripts
    raise leaves nothing behind.
    """
    check_target(directory)
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.absolute().parent))
    except OSError as error:
        raise UnusableInput(f"{directory}: cannot be written: {error.strerror}") from None
    try:
        claims = []
        for number, script in enumerate(scripts, 1):
            name = f"claim-{number:05}.smt2"
            (made / name).write_text(script.text, encoding="utf-8")
            claims.append({"file": name, "claim": script.claim, "expected": "unsat"})
        listed = json.dumps({**about, "claims": claims}, indent=2) + "\n"
        (made / INDEX).write_text(listed, encoding="utf-8")
        made.chmod(0o777 & ~_umask())
        made.rename(directory)
    except OSError as error:
        raise UnusableInput(f"{directory}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return len(claims)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
