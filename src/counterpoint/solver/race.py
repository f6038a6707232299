"""Asks several solvers in fresh processes about one SMT-LIB script; the first answer wins."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from counterpoint.core import clock
from counterpoint.solver.answers import SolverUnknown

RACERS = ("bitwuzla", "z3")
"""The backends that `solver.worker` can run, the one that wins more often first."""

POLYNOMIALS = "polynomials"
"""What `solver.worker` runs beside them where something is multiplied: `solver.polynomial`, then a backend."""

CVC5 = "cvc5"
"""A backend that takes part where two have to agree, if its package is installed."""


def independent() -> tuple[str, ...]:
    """The solvers that answer by themselves, without anything of ours but the text."""
    return (*RACERS, CVC5) if find_spec(CVC5) is not None else RACERS



@dataclass(frozen=True, slots=True)
class Satisfiable:
    """`backend` found a model; it is not handed over."""

    backend: str


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """`backend` showed that there is no model."""

    backend: str


Outcome = Satisfiable | Unsatisfiable | SolverUnknown


def check_in_processes(
    smtlib_text: str,
    seconds: float,
    backends: Sequence[str] | None = None,
    memory_megabytes: int = 0,
    agreeing: int = 1,
) -> Outcome:
    """The answer to the script's one question, within about half a second after `seconds`.

    No process is left when this returns or raises, also after Ctrl-C. SolverUnknown names what each backend
    said when none has an answer. `memory_megabytes` limits each process (0: no limit). Unsatisfiable takes so many
    `agreeing` backends; one that says the opposite is enough for Satisfiable.
    """
    deadline = clock.now() + seconds
    if backends is None:
        backends = (POLYNOMIALS, *RACERS) if "bvmul" in smtlib_text else RACERS
    with tempfile.TemporaryFile("w+", encoding="utf-8") as script:
        script.write(smtlib_text)
        script.flush()
        racers: dict[str, subprocess.Popen[str]] = {}
        try:
            for name in backends:
                racers[name] = _start(name, seconds, memory_megabytes, script)
            return _first_answer(racers, deadline, agreeing)
        finally:
            for process in racers.values():
                process.kill()
            for process in racers.values():
                process.communicate()


def _start(name: str, seconds: float, memory_megabytes: int, script: IO[str]) -> subprocess.Popen[str]:
    """A worker that reads the script through a file position of its own."""
    own = os.open(f"/proc/self/fd/{script.fileno()}", os.O_RDONLY) if Path("/proc/self/fd").is_dir() else None
    if own is None:
        own = os.dup(script.fileno())
        os.lseek(own, 0, os.SEEK_SET)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "counterpoint.solver.worker", name, f"{seconds:.3f}", str(memory_megabytes)],
            stdin=own,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        os.close(own)


def _first_answer(racers: dict[str, subprocess.Popen[str]], deadline: float, agreeing: int) -> Outcome:
    reasons: dict[str, str] = {}
    agreed: list[str] = []
    with selectors.DefaultSelector() as selector:
        for name, process in racers.items():
            assert process.stdout is not None
            selector.register(process.stdout, selectors.EVENT_READ, name)
        while len(reasons) + len(agreed) < len(racers):
            left = deadline + 0.3 - clock.now()
            ready = selector.select(max(0.0, left))
            if not ready and left <= 0:
                return SolverUnknown("timeout" + (f", but for {', '.join(agreed)}" if agreed else ""))
            for key, _ in ready:
                name = str(key.data)
                stream = racers[name].stdout
                assert stream is not None
                word = stream.readline().strip()
                if word == "sat":
                    return Satisfiable(name)
                selector.unregister(key.fileobj)
                if word != "unsat":
                    reasons[name] = _reason(racers[name], word)
                    continue
                agreed.append(name)
                if len(agreed) == agreeing:
                    return Unsatisfiable(" and ".join(agreed))
    said = [f"{name}: {reason}" for name, reason in reasons.items()]
    return SolverUnknown("; ".join([*said, *(f"{name}: unsat" for name in agreed)]))


def _reason(process: subprocess.Popen[str], word: str) -> str:
    """Why a worker has no answer."""
    if word:
        return word
    status = process.wait()
    if status < 0:
        return f"killed by signal {-status}"
    assert process.stderr is not None
    return process.stderr.read().strip()[:200] or f"exit status {status}"
