"""A job of `afar`, on the machine that carries it out: `main` reads the Errand on stdin and writes what came of it on
stdout, both pickled.

It is a process of its own, as Ray's workers have threads and jobs fork. It ends with the worker that started it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterpoint.core.records import dataclass
from counterpoint.portfolio.processes import end_with_parent
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side


@dataclass(frozen=True, slots=True)
class Errand:
    """`work(job, seconds)` in a folder, with limits as those of side_by_side (`memory` in bytes); `about(job)`: see
    afar."""

    work: Callable[[Any, float], Any]
    job: Any
    about: Callable[[Any], object]
    seconds: float
    grace: float
    memory: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What `work` gave, or a Lost; and what the job was about, there."""

    found: Any
    about: object


def carried_out(errand: bytes, folder: str) -> bytes | None:
    """In a worker: the Reply to the pickled Errand, pickled; None where there is no such folder, or no answer."""
    if not Path(folder).is_dir():
        return None
    command = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"]
    done = subprocess.run(command, input=errand, stdout=subprocess.PIPE, cwd=folder, check=False)
    return done.stdout if done.returncode == 0 else None


def main() -> None:
    """Carries the errand on stdin out."""
    end_with_parent(os.getppid())
    errand: Errand = pickle.load(sys.stdin.buffer)
    answers: list[Any] = []
    limits = Limits(1, time.monotonic() + errand.seconds, errand.seconds, errand.seconds, errand.grace, errand.memory)
    side_by_side([errand.job], errand.work, limits, lambda job, found: answers.append(found))
    found = answers[0] if answers else Lost("its time was used up")
    sys.stdout.buffer.write(pickle.dumps(Reply(found, errand.about(errand.job))))
