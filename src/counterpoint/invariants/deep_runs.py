"""Violations behind very long loops, found without running them.

A run from chosen inputs is followed by evaluating regions and skipping what repeats itself
(invariants/fast_forward.py). All arbitrary values after the start are 0, so the inputs of the start are all that a
replay has to be given. What is skipped was tested at a few points only: the run found may not exist, and
the replay decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.execute.inputs import RandomInputs
from counterpoint.execute.native.protocol import Outcome
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import Subject
from counterpoint.invariants.fast_forward import Runner
from counterpoint.program.inputs import Input, ScalarInput
from counterpoint.regions.cut_graph import START, CutGraph, Region
from counterpoint.semantics.objects import ScalarRecord
from counterpoint.term.evaluate import Value, evaluate_all
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

STARTS = 12
"""Choices of inputs that are followed."""


STEPS = 20_000
"""Regions evaluated on each run."""


@dataclass(frozen=True, slots=True)
class DeepViolation:
    """Check `check` probably fails on these inputs, all later ones being 0."""

    check: int
    inputs: tuple[Input, ...]


def deep_violation(graph: CutGraph, budget: Budget, seed: int = 0) -> DeepViolation | None:
    """A violation behind loops, if one of a few runs has one. Raises OutOfBudget.

    Programs with memory in the formulas of their start are left out: its contents cannot be handed over here.
    """
    (start,) = graph.regions_from(START)
    if not _scalar(start):
        return None
    for given in _choices(graph, start, seed):
        runner = Runner(graph, budget)
        failed = runner.follow(start, given, STEPS)
        if failed is not None:
            return DeepViolation(failed, _inputs(start, given))
    return None


def confirmed_violation(
    subject: Subject, preparation: str, graph: CutGraph, budget: Budget, seed: int, replay_seconds: float
) -> DeepViolation | None:
    """A violation behind loops that was found within the budget, and then run in at most `replay_seconds`.

    Raises OutOfBudget, and NotNative where the program cannot be run natively.
    """
    found = deep_violation(graph, budget, seed)
    if found is None:
        return None
    run = subject.native(preparation, lean=True).replay(found.inputs, seconds=replay_seconds)
    return found if run.outcome is Outcome.VIOLATED and run.detail == found.check else None


def _scalar(start: Region) -> bool:
    """All arbitrary values of the start are numbers."""
    return all(isinstance(record, ScalarRecord) for record in start.world.records)


def _choices(graph: CutGraph, start: Region, seed: int) -> Iterator[dict[str, Value]]:
    """Values of the start's variables: all 0 first, then biased ones."""
    records = [record for record in start.world.records if isinstance(record, ScalarRecord)]
    leaves = [t for t in reachable([r.value for r in records]) if t.op is Op.VARIABLE]
    yield {str(leaf.payload): 0 for leaf in leaves}
    if not leaves:
        return
    source = RandomInputs(seed, sorted(constants(graph.program)))
    for _ in range(STARTS - 1):
        yield {str(leaf.payload): source.scalar(0, _width(leaf)) for leaf in leaves}


def _width(leaf: Term) -> int:
    return 1 if isinstance(leaf.sort, ArraySort) else getattr(leaf.sort, "width", 1)


def _inputs(start: Region, given: dict[str, Value]) -> tuple[Input, ...]:
    records = [record for record in start.world.records if isinstance(record, ScalarRecord)]
    formulas: list[V] = [v for record in records for v in (record.path, record.value)]
    values = evaluate_all(formulas, given)
    found: list[Input] = []
    for record, path, value in zip(records, values[::2], values[1::2], strict=True):
        if path == 1 and isinstance(value, int):
            found.append(ScalarInput(record.site, value, record.bits))
    return tuple(found)
