"""Workers of a Ray cluster that carry out calls, one at a time each. One that is lost costs what it was doing: the call
is made again elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import field
from typing import Any

from counterpoint.cluster.session import close, connected, refusing
from counterpoint.core.errors import CounterpointError, UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.core.version import version

OPTION = "--cluster"

ATTEMPTS = 3
"""Workers that a call is given to."""


class WorkerLost(CounterpointError):
    """Nobody carried the call out: ATTEMPTS workers died of it, or the cluster is gone."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call that was begun: `reference` is Ray's."""

    reference: Any
    future: Future[Any]


@dataclass(slots=True)
class Workers:
    """Of the cluster at an address (session.LOCAL: one that is started here): each has so many `processors` for what it
    works on; there are `number`, at most `jobs`. A local cluster has `here` processors if `jobs` says nothing.

    Raises UnusableInput if Ray is not installed, does not answer, or its machines have another version of this package.
    """

    address: str
    jobs: int | None
    processors: int
    here: int
    number: int = field(init=False)
    _ray: Any = None
    _remote: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ray = self._ray = connected(self.address, self.jobs * self.processors if self.jobs else self.here, OPTION)
        with refusing(self.address, OPTION, ray):
            there = max(1, int(ray.cluster_resources().get("CPU", 1)) // self.processors)
            theirs = ray.get(ray.remote(num_cpus=self.processors)(_version).remote())
        if theirs != version():
            self.close()
            raise UnusableInput(f"{OPTION}: the workers at `{self.address}` have version {theirs}, this is {version()}")
        self.number = min(self.jobs or there, there)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> Call:
        """Calls it on a worker, as soon as one has nothing to do. All of it can be pickled."""
        if function not in self._remote:
            remote = self._ray.remote(num_cpus=self.processors, max_retries=ATTEMPTS - 1)
            self._remote[function] = remote(function)
        reference = self._remote[function].remote(*arguments)
        return Call(reference, reference.future())

    def ended(self, calls: Sequence[Call], seconds: float) -> list[Call]:
        """Those that have ended, or were lost, after at most so many seconds; at the first one at once."""
        # Ray's own wait turns an exception of a signal's handler into another one.
        done, _ = wait([call.future for call in calls], seconds, FIRST_COMPLETED)
        return [call for call in calls if call.future in done]

    def result(self, call: Call) -> Any:
        """Of a call that has ended. Raises WorkerLost."""
        try:
            return call.future.result()
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(str(error).partition("\n")[0]) from None

    def stop(self, call: Call) -> None:
        """Ends a call that still runs, with all that it started."""
        self._ray.cancel(call.reference, force=True)

    def close(self) -> None:
        """Ends the connection, and what was started for it."""
        close(self._ray)


def _version() -> str:
    return version()
