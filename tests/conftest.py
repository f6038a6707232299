"""What all tests count on."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

import fresh
from kept_solvers import kept_for_proofs
from large_pages import use_large_pages

# How long an example takes says something of the machine, not of the law: on a busy one laws failed that hold.
hypothesis.settings.register_profile("laws", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("laws")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts background commands so, and children inherit it: no test of Ctrl-C would work.
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["COUNTERPOINT_NO_CACHE"] = "1"  # a test is about a check, not about one that was made before

gc.set_threshold(50_000, 20, 100)  # as the product's processes do: terms stay, and looking for garbage costs a third


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where tests run, and while there are none yet: in workers if there are some."""
    if hasattr(session.config, "workerinput") or not getattr(session.config.option, "numprocesses", None):
        fresh.start()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What fills memory comes last: to fork a large process takes long, and most tests fork."""
    items.sort(key=lambda item: item.get_closest_marker("fills_memory") is not None)


def pytest_collection_finish() -> None:
    """Modules, tests and their parameters stay."""
    gc.collect()
    gc.freeze()
    use_large_pages()


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that runs in this process takes signals over until the process ends."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module", autouse=True)
def solvers_for_proofs() -> Iterator[None]:
    with kept_for_proofs():
        yield


@pytest.fixture(scope="module", autouse=True)
def memory_given_back() -> Iterator[None]:
    """What is left of a module's tests stays; the rest goes back to the system: processes are forked from this one."""
    yield
    gc.collect()
    gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # the GNU libc's
    if trim is not None:
        trim(0)
    use_large_pages()
