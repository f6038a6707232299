"""Crash reports: what a maintainer needs to see an internal error again."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from counterpoint.core.printable import shown
from counterpoint.core.version import version

_PACKAGES = ("ziglang", "llvmlite", "bitwuzla", "z3-solver", "click", "rich")


def write_crash_report(what: str, details: str, printed: str = "") -> str:
    """Writes a new file in the working directory (else the temporary one) and returns its path.

    `what` is a sentence, `details` the traceback, `printed` the process's own output.
    """
    import platform

    lines = [
        f"Counterpoint {version()}: {what}",
        f"time      {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}",
        f"command   {' '.join(sys.argv)}",
        f"directory {Path.cwd()}",
        f"python    {platform.python_version()} on {platform.platform()}",
        "packages  " + ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        "",
        details.rstrip(),
    ]
    if printed.strip():
        lines += ["", "What the process printed:", printed.rstrip()]
    return _write("".join(f"{shown(line)}\n" for text in lines for line in text.split("\n")))


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def _write(text: str) -> str:
    name = f"counterpoint-crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        for number in range(100):
            path = folder / f"{name}-{number}.txt"
            try:
                with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(text)
            except FileExistsError:
                continue
            except OSError:
                break
            return str(path)
    return "(the crash report could not be written)"
