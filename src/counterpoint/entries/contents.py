"""Whether a failure hangs on what memory holds alone: the same choices of the caller pass with other contents."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from counterpoint.contracts.views import PREFIX
from counterpoint.core.budget import Budget
from counterpoint.entries.explored import Sample, place_of
from counterpoint.entries.exploring import Exploration
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.model import Compute, Constant, Program
from counterpoint.program.names import original

FAILING: Final = 3
"""Runs of one place that are looked at."""

AFRESH: Final = 40
LEAST: Final = 15
MOSTLY: Final = 0.8
SAME: Final = 0.1
"""Runs with their caller's choices, in other memory; how many of them are to end, how many of these to pass, and how
many may fail at the same place."""

ORDINARY: Final = frozenset((-1, 0, 1))
LARGEST: Final = 8
"""What a function outside of the program may return; of what else the code compares something with, up to where."""

OTHER: Final = 6
STILL: Final = 0.5
"""Runs with what functions outside of the program returned, in other memory; how many of them are to fail so."""


def look_at_contents(exploration: Exploration, budget: Budget) -> None:
    """Notes the places, of those for which there is no clause, or none that is known to be needed."""
    found = exploration.found
    places = dict.fromkeys(place_of(one.site) for one in found.failures if found.is_unexplained(one))
    doubted = {one.clause for one in found.failures if found.is_unexplained(one)}
    clauses = [one for one in found.clauses if one not in doubted]
    compared = compared_with(exploration.program)
    for place in places:
        limit = budget.share(1 / len(places))
        here = found.table.failing_in(found.checks_at(place))
        kept = found.table.among(here & found.table.keeping_all(clauses))
        outside = ((one, _returned(exploration, one)) for one in kept)
        usual = ((one, values) for one, values in outside if values <= ORDINARY | compared)
        for one, values in islice(usual, FAILING):
            if _mostly_passes(exploration, one, limit):
                (found.by_results if values and _is_without(exploration, one, limit) else found.by_contents).add(place)
                break


def _returned(exploration: Exploration, sample: Sample) -> frozenset[int]:
    """What functions outside of the program returned."""
    sites = exploration.program.sites
    found: set[int] = set()
    for one in sample.inputs:
        if not isinstance(one, ScalarInput) or one.site < 0 or sites[one.site].kind != "undefined":
            continue
        if not original(sites[one.site].name).startswith(PREFIX):
            found.add(one.value - (1 << one.bits) if one.value >> (one.bits - 1) else one.value)
    return frozenset(found)


def compared_with(program: Program) -> frozenset[int]:
    """Small numbers that the program asks whether something is equal to."""
    found: set[int] = set()
    for function in program.functions.values():
        for one in (i for block in function.blocks for i in block.instructions):
            if isinstance(one, Compute) and one.operation in ("eq", "ne"):
                found |= {value.bits for value in one.operands if isinstance(value, Constant) and value.bits <= LARGEST}
    return frozenset(found)


def _is_without(exploration: Exploration, failing: Sample, budget: Budget) -> bool:
    """It fails there, too, whatever the caller's memory holds."""
    scalars = tuple(one for one in failing.inputs if isinstance(one, ScalarInput))
    like = replace(failing, inputs=scalars)
    same = 0
    for _ in range(OTHER):
        sample = exploration.sample(failing.state, budget, like, 1.0) if budget.remaining() > 0 else None
        same += sample is not None and exploration.place_of(sample) == exploration.place_of(failing)
    return same >= STILL * OTHER


def _mostly_passes(exploration: Exploration, failing: Sample, budget: Budget) -> bool:
    passed = same = ended = 0
    for _ in range(AFRESH):
        sample = exploration.sample(failing.state, budget) if budget.remaining() > 0 else None
        if sample is None:
            continue
        exploration.found.samples.append(sample)
        ended += 1
        passed += sample.failed is None
        same += exploration.place_of(sample) == exploration.place_of(failing)
    return ended >= LEAST and passed >= MOSTLY * ended and same <= SAME * ended
