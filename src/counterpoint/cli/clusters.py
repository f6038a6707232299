"""`--cluster` of commands that have many things to look at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from counterpoint.core.processors import processors

if TYPE_CHECKING:
    from counterpoint.cluster.workers import Workers


@contextlib.contextmanager
def clustered(address: str | None, jobs: int | None, processors_each: int) -> Iterator[Workers | None]:
    """The workers at the address, as long as the block takes; None without one. Raises UnusableInput."""
    if address is None:
        yield None
        return
    from counterpoint.cluster.workers import Workers

    workers = Workers(address, jobs, processors_each, processors())
    try:
        yield workers
    finally:
        workers.close()
