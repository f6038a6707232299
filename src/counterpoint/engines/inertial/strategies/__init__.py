"""Which placeholders of an error condition are entered next: a file for each way to choose."""

from __future__ import annotations

from counterpoint.engines.inertial.correction import CORRECTIONS
from counterpoint.engines.inertial.strategies import dcr, ir, ir_dcr, naive
from counterpoint.engines.inertial.strategies.protocol import Strategy

NAMES = ("naive", "dcr", "dcr+", "ir", "ir+dcr")


def strategy(name: str, correction: str) -> Strategy:
    """The strategy of that name; `ir` corrects in the way of CORRECTIONS of that name. Raises KeyError."""
    every: tuple[Strategy, ...] = (
        naive.STRATEGY, dcr.ONE, dcr.ALL, ir.Inertial(CORRECTIONS[correction]), ir_dcr.STRATEGY
    )  # fmt: skip
    return {one.name: one for one in every}[name]
