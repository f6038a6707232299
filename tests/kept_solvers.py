"""Solver processes that check one proof after another: to start one takes longer than most answers.

What a process shares between scripts it shares within the check of one proof as well: nothing but itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from counterpoint.evidence import proof
from counterpoint.solver.processes import SolverProcess, Solvers

_kept: dict[tuple[int, str, int], SolverProcess] = {}
"""Of one process (forked ones must not talk to them), by backend and memory."""


class KeptSolvers(Solvers):
    """Begins with what others left, and leaves what still waits."""

    def prepare(self, backend: str) -> None:
        process = None if self.is_there(backend) else _kept.pop(self._key(backend), None)
        if process is not None and process.process.poll() is None:
            self._waiting[backend] = process
        super().prepare(backend)

    def close(self) -> None:
        for backend in list(self._waiting):
            if self._key(backend) not in _kept:
                _kept[self._key(backend)] = self._waiting.pop(backend)
        super().close()

    def _key(self, backend: str) -> tuple[int, str, int]:
        return os.getpid(), backend, self.memory_megabytes


@contextmanager
def kept_for_proofs() -> Iterator[None]:
    """While this is open, `check_proof` in this process has such processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "Solvers", KeptSolvers)
        yield
    Solvers().end(_kept.values())
    _kept.clear()
