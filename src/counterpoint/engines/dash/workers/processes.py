"""Clients in processes of this machine, forked from the server: they share the compiled program with it.

They end with the server, whatever ends it: each is killed when its parent dies (Linux), and ends when its pipe does.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.workers.client import Client
from counterpoint.engines.dash.workers.jobs import Parcel, Reply, Setup
from counterpoint.engines.dash.workers.server import Crew
from counterpoint.regions.locations import Locations


@dataclass(slots=True)
class Processes:
    """See server.Crew. A worker that died is not replaced: its jobs are the server's from then on."""

    number: int
    setup: Setup
    where: Locations
    ends: dict[int, Connection] = field(default_factory=dict)
    workers: dict[int, BaseProcess] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fork = multiprocessing.get_context("fork")
        for number in range(self.number):
            mine, theirs = fork.Pipe()
            others = [*self.ends.values(), mine]
            worker = fork.Process(
                target=_serve, args=(theirs, others, os.getpid(), self.setup, self.where), daemon=True
            )
            worker.start()
            theirs.close()
            self.ends[number], self.workers[number] = mine, worker

    def work(self, parcels: Mapping[int, Parcel], budget: Budget) -> dict[int, Reply]:
        """See server.Crew."""
        waiting: dict[Connection, int] = {}
        for number, parcel in parcels.items():
            if number in self.ends and self._send(number, self.ends[number], parcel):
                waiting[self.ends[number]] = number
        replies: dict[int, Reply] = {}
        while waiting:
            ready = set(wait(list(waiting), timeout=budget.remaining()))
            if not ready:
                raise OutOfBudget("workers had no answer in time")
            for end in [end for end in waiting if end in ready]:
                number = waiting.pop(end)
                try:
                    reply = end.recv()
                    assert isinstance(reply, Reply)
                    replies[number] = reply
                except (EOFError, OSError):
                    self._lose(number)
        return replies

    def _send(self, number: int, end: Connection, parcel: Parcel) -> bool:
        try:
            end.send(parcel)
        except OSError:
            self._lose(number)
            return False
        return True

    def _lose(self, number: int) -> None:
        self.ends.pop(number).close()
        worker = self.workers.pop(number)
        worker.kill()
        worker.join()

    def close(self) -> None:
        """Kills all that are left, and waits for their end."""
        for number in list(self.workers):
            self._lose(number)


def _serve(end: Connection, others: list[Connection], parent: int, setup: Setup, where: Locations) -> None:
    """A worker's life: parcels in, replies out, until the pipe is closed."""
    _end_with(parent)
    for other in others:
        other.close()
    # Terms are never garbage while a process works: looking for it often costs a third of building them.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    client = Client(setup, where)
    with contextlib.suppress(EOFError, OSError):
        while True:
            parcel = end.recv()
            assert isinstance(parcel, Parcel)
            end.send(client.answer(parcel))
    client.close()


def _end_with(parent: int) -> None:
    """Ctrl-C is for the parent; its death is for this process as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        import ctypes

        parent_death_signal = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def crew(number: int, setup: Setup, where: Locations, cluster: str = "") -> Crew:
    """That many clients: forked from this process, or run by the cluster at that address (cluster.py).

    Raises UnusableInput if there is no such cluster.
    """
    if not cluster:
        return Processes(number, setup, where)
    from counterpoint.engines.dash.workers.ray_cluster import Cluster

    return Cluster(number, setup, cluster)
