"""Limits inside an engine count its own time, not that in which others had their turn."""

from __future__ import annotations

import time

import pytest

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.clock import Pauses
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.processes import Child, Send, spawn
from counterpoint.portfolio.schedule import Slice


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    made = Pauses()
    monkeypatch.setattr(clock, "_own", made)
    return made


def test_the_clock_leaves_pauses_out(pauses: Pauses) -> None:
    before = clock.now()
    pauses.add(100.0)
    pauses.add(20.5)
    assert pauses.total() == 120.5
    assert -120.5 <= clock.now() - before < -115


def test_a_budget_outlives_a_pause_but_not_its_end(pauses: Pauses) -> None:
    inner, outer = Budget(10.0), Budget(1000.0, until=time.monotonic() + 50.0)
    pauses.add(-40.0)  # as if 40 s of work had gone by
    assert inner.remaining() == 0 and 45 < outer.remaining() <= 50
    pauses.add(40.0)
    assert 9 < inner.remaining() <= 10
    assert 49 < outer.remaining() <= 50 and outer.share(0.5).until == outer.until
    outer.until = time.monotonic() - 1
    assert outer.remaining() == 0


def received(child: Child) -> object:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for message in child.receive():
            return message
        time.sleep(0.01)
    raise AssertionError("no message")


def test_a_paused_engine_still_has_its_seconds() -> None:
    def work(send: Send) -> None:
        limit = Budget(0.6)
        send("started")
        time.sleep(0.2)
        while limit.elapsed() < 0.3:
            time.sleep(0.01)
        send(limit.remaining())

    running = Running(Slice("a"), spawn(work), 0.0)
    try:
        assert received(running.child) == "started"
        running.pause()
        time.sleep(0.8)
        running.resume(float("inf"))
        left = received(running.child)
        assert isinstance(left, float) and left > 0
    finally:
        running.child.kill()
