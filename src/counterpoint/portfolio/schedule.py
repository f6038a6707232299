"""Which engines run when: lanes side by side, slices one after the other. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint import engines
from counterpoint.core.errors import UnusableInput


@dataclass(frozen=True, slots=True)
class Slice:
    """An engine and its seconds, or its share of what is left; neither: all that is left.

    `options` are handed to the engine, as (name, value) pairs.
    """

    engine: str
    seconds: float | None = None
    share: float | None = None
    options: tuple[tuple[str, str], ...] = ()


Lane = tuple[Slice, ...]
Schedule = tuple[Lane, ...]

A_SECOND_OF_TESTS = Slice("random", share=0.35, options=(("random.seconds", "1"),))
"""Of searching: building a large program natively takes a few seconds more."""

ONE_AFTER_THE_OTHER: Schedule = ((A_SECOND_OF_TESTS, Slice("bmc", share=0.65), Slice("random")),)
SIDE_BY_SIDE: Schedule = ((Slice("bmc"),), (Slice("random"),))


def schedule_for(names: tuple[str, ...], jobs: int) -> Schedule:
    """The schedule of `--engine` and `--jobs`. Raises UnusableInput for an unknown engine.

    Named engines get a lane each while there are jobs; beyond that they share lanes, an equal part of the
    time each being left to the engine's own budget.
    """
    if names == ("auto",):
        standard = SIDE_BY_SIDE if jobs > 1 else ONE_AFTER_THE_OTHER
        known = engines.names()
        lanes = (tuple(part for part in lane if part.engine in known) for lane in standard)
        return tuple(lane for lane in lanes if lane)
    for name in names:
        if name not in engines.names():
            raise UnusableInput(f"unknown engine `{name}`: choose auto or of {', '.join(engines.names())}")
    return tuple(tuple(Slice(name) for name in names[first::jobs]) for first in range(min(jobs, len(names))))


def seconds_for(lane: Lane, position: int, remaining: float) -> float:
    """Seconds for the slice at `position` when `remaining` are left for the lane."""
    here = lane[position]
    wanted = here.seconds if here.share is None else here.share * remaining
    open_ended = sum(1 for part in lane[position:] if part.seconds is None and part.share is None)
    fair = remaining / max(1, open_ended)
    return min(remaining, wanted) if wanted is not None else fair
