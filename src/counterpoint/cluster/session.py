"""A connection to Ray: a cluster at an address, or one that is started on this machine for as long as it is needed.

Every machine needs this package, in the same version.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any

from counterpoint.core.errors import UnusableInput

LOCAL = "local"
"""The address of a cluster that is started for the run, on this machine."""

CONNECT_SECONDS = 5.0
"""Limit for somebody to listen at the address."""


def connected(address: str, processors: int, option: str) -> Any:
    """The module `ray`, connected; a local cluster has so many `processors`. `close` ends that.

    Raises UnusableInput, with the `option` that asked for it, if Ray is not installed, or does not answer.
    """
    try:
        import ray  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise UnusableInput(
            f"{option}: Ray is not installed; `pip install counterpoint[cluster]` installs it"
        ) from None
    with refusing(address, option, ray):
        if address == LOCAL:
            os.environ.setdefault("RAY_worker_niceness", "0")  # else 15, while limits are wall time
            ray.init(num_cpus=processors, include_dashboard=False, log_to_driver=False, configure_logging=False)
        else:
            _reach(address)
            ray.init(address=address, log_to_driver=False, configure_logging=False)
    _keep_off_stdout(ray)
    return ray


def _keep_off_stdout(ray: Any) -> None:
    """Ray tells of lost workers on stdout, where answers stand, and has no option against it."""
    worker: Any = getattr(getattr(ray, "_private", None), "worker", None)
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


@contextlib.contextmanager
def refusing(address: str, option: str, ray: Any) -> Iterator[None]:
    """Turns what Ray raises where nobody works at the address into UnusableInput, and closes."""
    try:
        yield
    except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
        close(ray)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnusableInput(f"{option}: no workers at `{address}`: {reason}") from None


def close(ray: Any) -> None:
    """Ends the connection, and the cluster if it was started for it."""
    if ray.is_initialized():
        ray.shutdown()


def _reach(address: str) -> None:
    """Raises OSError at once if nobody listens there; Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        with socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS):
            pass
