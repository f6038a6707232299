"""Clients run by Ray, on this machine or on others of a cluster (extra `cluster`).

Every machine needs this package, in the same version; the program is sent to each client once.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.engines.dash.workers.client import Client
from counterpoint.engines.dash.workers.jobs import Parcel, Reply, Setup

LOCAL = "local"
"""The address of a cluster that is started for the run, on this machine."""

CONNECT_SECONDS = 5.0
"""Limit for somebody to listen at the address."""

START_SECONDS = 60.0
"""Limit for clients to be there."""


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
        try:
            import ray  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise UnusableInput(
                "option dash.cluster: Ray is not installed; `pip install counterpoint[cluster]` installs it"
            ) from None
        self._ray = ray
        try:
            if self.address == LOCAL:
                ray.init(num_cpus=self.number, include_dashboard=False, log_to_driver=False, configure_logging=False)
            else:
                _connect(self.address)
                ray.init(address=self.address, log_to_driver=False, configure_logging=False)
            actor = ray.remote(num_cpus=1)(Client)
            setup = ray.put(self.setup)
            self._actors = {number: actor.remote(setup) for number in range(self.number)}
            ready = [client.ready.remote() for client in self._actors.values()]
            ray.get(ready, timeout=min(START_SECONDS, self.setup.seconds))
        except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
            self.close()
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UnusableInput(f"option dash.cluster: no workers at `{self.address}`: {reason}") from None

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
        if self._ray.is_initialized():
            self._ray.shutdown()


def _connect(address: str) -> None:
    """Raises OSError at once if nobody listens there; Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        with socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS):
            pass
