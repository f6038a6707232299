"""What generators have in common: programs by their seeds, one line of each, and those that were answered wrongly kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Told:
    """What was asked about the program of a seed and answered; `wrong`: why that is wrong, empty if it is not."""

    what: str
    wrong: Sequence[str]


def rounds(about: str | None, name: str, one: Callable[[int, Path, float], Told], seconds: float = 10.0) -> int:
    """Asks `one` for each seed, with the file for its program and the seconds for an answer. The exit status."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--out", type=Path, default=Path(f"build/fuzz-{name}"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for seed in range(asked.seed, asked.seed + asked.programs):
        file = asked.out / f"{seed}.c"
        told = one(seed, file, asked.seconds)
        bad += bool(told.wrong)
        sys.stdout.write(f"{seed} {told.what} {'; '.join(told.wrong) or 'fine'}\n")
        sys.stdout.flush()
        if not told.wrong:
            file.unlink(missing_ok=True)
    return 1 if bad else 0
