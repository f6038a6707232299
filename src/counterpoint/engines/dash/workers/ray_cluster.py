"""Clients run by Ray, on this machine or on others of a cluster (cluster/session.py).

The program is sent to each client once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from counterpoint.cluster.session import close, connected, refusing
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.workers.client import Client
from counterpoint.engines.dash.workers.jobs import Parcel, Reply, Setup

START_SECONDS = 60.0
"""Limit for clients to be there."""

OPTION = "option dash.cluster"


@dataclass(slots=True)
class Cluster:
    """See server.Crew. A client that is gone is not replaced: its jobs are the server's from then on.

    Raises UnusableInput if Ray is not installed, or does not answer at the address.
    """

    number: int
    setup: Setup
    address: str
    _ray: Any = None
    _actors: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ray = self._ray = connected(self.address, self.number, OPTION)
        with refusing(self.address, OPTION, ray):
            actor = ray.remote(num_cpus=1)(Client)
            setup = ray.put(self.setup)
            self._actors = {number: actor.remote(setup) for number in range(self.number)}
            ready = [client.ready.remote() for client in self._actors.values()]
            ray.get(ready, timeout=min(START_SECONDS, self.setup.seconds))

    def work(self, parcels: Mapping[int, Parcel], budget: Budget) -> dict[int, Reply]:
        """See server.Crew."""
        waiting = {
            self._actors[number].answer.remote(parcel): number
            for number, parcel in parcels.items()
            if number in self._actors
        }
        if not waiting:
            return {}
        done, late = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=budget.remaining())
        if late:
            raise OutOfBudget("workers had no answer in time")
        replies: dict[int, Reply] = {}
        for reference in done:
            try:
                replies[waiting[reference]] = self._ray.get(reference)
            except self._ray.exceptions.RayError:
                del self._actors[waiting[reference]]
        return replies

    def close(self) -> None:
        """Ends the clients, and the cluster if it was started for them."""
        for client in self._actors.values():
            self._ray.kill(client)
        self._actors.clear()
        close(self._ray)
