"""What all tests count on."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts background commands so, and children inherit it: no test of Ctrl-C would work.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that runs in this process takes signals over until the process ends."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
