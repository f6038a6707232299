"""Questions asked on other machines, or on workers of this one, by Ray.

A question goes to a worker with its files and comes back as a row. A worker that is lost costs what it was doing:
that question is asked again elsewhere, and at last here. There is one row for each question, whoever answered.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from counterpoint.benchmarking.rows import Row
from counterpoint.benchmarking.shipped import Shipped, shipped
from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.benchmarking.tools import Maker, Tool
from counterpoint.cluster.session import close, connected, refusing
from counterpoint.core.errors import UnusableInput
from counterpoint.core.version import version

OPTION = "--cluster"

ATTEMPTS = 3
"""Workers that a question is given to."""

_LOOK = 0.2  # seconds between looks at whether to stop


@dataclass(slots=True)
class Workers:
    """Of a cluster: each works on one question at a time, with so many `processors` for it; there are `number`, at
    most `jobs`. A local cluster has `here` processors if `jobs` says nothing.

    Raises UnusableInput if Ray is not installed, does not answer, or its machines have another version of this package.
    """

    address: str
    jobs: int | None
    processors: int
    here: int
    number: int = field(init=False)
    _ray: Any = None
    _remote: Any = None

    def __post_init__(self) -> None:
        ray = self._ray = connected(self.address, self.jobs * self.processors if self.jobs else self.here, OPTION)
        self._remote = ray.remote(num_cpus=self.processors, max_retries=ATTEMPTS - 1)(_answer)
        with refusing(self.address, OPTION, ray):
            there = max(1, int(ray.cluster_resources().get("CPU", 1)) // self.processors)
            theirs = ray.get(ray.remote(num_cpus=self.processors)(_version).remote())
        if theirs != version():
            self.close()
            raise UnusableInput(f"{OPTION}: the workers at `{self.address}` have version {theirs}, this is {version()}")
        self.number = min(self.jobs or there, there)

    def tool(self, make: Maker) -> Tool:
        """The tool that `make` makes, there."""
        here = make()

        def answer(task: BenchTask, stop: Event) -> Row:
            job = self._remote.remote(make, shipped(task))
            while not stop.is_set():
                done, _ = self._ray.wait([job], timeout=_LOOK)
                if done:
                    try:
                        row: Row = self._ray.get(job)
                        return row
                    except self._ray.exceptions.RayError:
                        return here(task, stop)
            self._ray.cancel(job, force=True)
            return here(task, stop)  # which ends at once

        return answer

    def close(self) -> None:
        """Ends the connection, and what was started for it."""
        close(self._ray)


def _version() -> str:
    return version()


def _answer(make: Maker, parcel: Shipped) -> Row:
    with tempfile.TemporaryDirectory(prefix="counterpoint-task-") as folder:
        return make()(parcel.arrived(Path(folder)), Event())
