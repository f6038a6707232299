"""Breaks every row of docs/soundness.md once and sees that its guard fails: `make breaks`.

A row says what the product takes a program to mean; its guard is worth something only if it fails where that
meaning is lost. Each `Break` changes one place of a copy of the sources; the named tests must fail there.
tests/test_soundness.py sees that no row is without a break and that no break has lost its place.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from soundness_rows import BREAKS, Break

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "counterpoint"
ROWS = ROOT / "docs" / "soundness.md"
UNBROKEN_SECTION = "## The tools"
"""The rows below it name what is trusted, not what is assumed: they have no meaning to break."""


@dataclass(frozen=True)
class Row:
    """A row of docs/soundness.md: what is assumed, and the tests that guard it."""

    assumption: str
    guard: str


def rows() -> list[Row]:
    """The rows that state an assumption, in their order."""
    text = ROWS.read_text(encoding="utf-8").partition(UNBROKEN_SECTION)[0]
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 2 and cells[0] not in ("assumption", "---", "") and not set(cells[0]) <= set("-: "):
            found.append(Row(*cells))
    return found


def breaks_of(row: Row) -> list[Break]:
    """The breaks whose `row` the assumption begins with."""
    return [one for one in BREAKS if row.assumption.startswith(one.row)]


def broken_sources(one: Break, folder: Path) -> Path:
    """A copy of the sources in which the row does not hold. Raises ValueError if its place is not there once."""
    copy = folder / "src" / "counterpoint"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / one.file
    text = file.read_text(encoding="utf-8")
    if text.count(one.old) != 1:
        raise ValueError(f"{one.file}: {text.count(one.old)} times `{one.old}`, expected once")
    file.write_text(text.replace(one.old, one.new), encoding="utf-8")
    return copy.parent


def guards_fail(one: Break) -> tuple[bool, str]:
    """Whether a guard fails on the broken sources (and the tests could be run at all); what pytest said last."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-break-") as folder:
        sources = broken_sources(one, Path(folder))
        environment = {
            **os.environ, "PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "", "COUNTERPOINT_REGRESSION": "all",
            "COUNTERPOINT_CACHE": f"{folder}/cache",
        }  # fmt: skip
        command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *one.guards]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-200:]
    return done.returncode == 1 and "failed" in last, last


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="breaks of the rows that contain this text")
    chosen = parser.parse_args().only
    missed = 0
    for one in BREAKS:
        if chosen not in one.row:
            continue
        failed, last = guards_fail(one)
        missed += not failed
        print(f"{'guarded' if failed else 'MISSED '}  {one.row[:70]:70s}  {last}", flush=True)
    print(f"{len(BREAKS)} breaks, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
