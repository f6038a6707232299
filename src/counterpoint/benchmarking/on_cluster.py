"""Questions asked on other machines, or on workers of this one.

A question goes to a worker with its files and comes back as a row; one that is lost is answered here. There is one row
for each question, whoever answered.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Event

from counterpoint.benchmarking.rows import Row
from counterpoint.benchmarking.shipped import Shipped, shipped
from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.benchmarking.tools import Maker, Tool
from counterpoint.cluster.workers import WorkerLost, Workers

_LOOK = 0.2  # seconds between looks at whether to stop


def asked_there(make: Maker, workers: Workers) -> Tool:
    """The tool that `make` makes, on the workers."""
    here = make()

    def answer(task: BenchTask, stop: Event) -> Row:
        call = workers.begin(_answer, make, shipped(task))
        while not stop.is_set():
            if workers.ended([call], _LOOK):
                try:
                    row: Row = workers.result(call)
                    return row
                except WorkerLost:
                    return here(task, stop)
        workers.stop(call)
        return here(task, stop)  # which ends at once

    return answer


def _answer(make: Maker, parcel: Shipped) -> Row:
    with tempfile.TemporaryDirectory(prefix="counterpoint-task-") as folder:
        return make()(parcel.arrived(Path(folder)), Event())
