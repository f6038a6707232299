"""Minimal correction sets: placeholders that have to be given free for a run to appear, none of them in vain.

Three ways to one: all cores hit at the least weight; a model's set made smaller one by one; z3's MaxSAT. None of them
takes one answer for another: where the solver does not know there is no set (None), and what a model needs is entered.

Source: [inertial refinement, section IV]: hitting sets of cores [Liffiton and Sakallah 2008], which its authors used
since MaxSAT gave wrong results.
Deviation: cores come one at a time, each refuting the lightest set that hits all before it (implicit hitting sets), so
that not all of them have to be found; weights are the sizes of what would be entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

MOST_CORES = 40
"""Cores of one question, after which a model's set is made smaller instead."""

EXACT_CORES = 14
"""Cores up to which the lightest set is found that hits all; of more, a light one."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A condition that runs satisfy, as `model` does, but none that passes no placeholder of `cone`. `core`: blocks
    that exclude it, where they are known."""

    unfolding: Unfolding
    condition: V
    cone: Sequence[Placeholder]
    core: Sequence[Placeholder] | None
    model: Model

    def without(self, free: Iterable[Placeholder]) -> Answer:
        """Whether a run satisfies the condition that passes of the cone at most these."""
        given = {one.pi for one in free}
        left = [one for one in self.cone if one.pi not in given]
        return self.unfolding.ask(self.condition, left, "correction")


Correction: TypeAlias = Callable[[Blocks], list[Placeholder] | None]


# ---------------------------------------------------------------- cores


def by_hitting_sets(blocks: Blocks) -> list[Placeholder] | None:
    """The lightest set, as long as there are few cores."""
    if not blocks.core:
        return None
    cores = [tuple(blocks.core)]
    while len(cores) <= MOST_CORES:
        chosen = lightest_hitting(cores)
        match blocks.without(chosen):
            case Sat():
                return chosen
            case SolverUnknown():
                return None
            case Unsat() as answer:
                core = blocks.unfolding.core(answer)
                if not core:
                    return None
                cores.append(tuple(core))
    return by_growing(blocks)


def lightest_hitting(cores: Sequence[Sequence[Placeholder]]) -> list[Placeholder]:
    """A set with one of each core: of the least weight if there are few cores. Exponential in those, but for cores that
    have nothing in common, each of which costs its lightest one in any case; else greedy."""
    found = _greedy(cores)
    if len(cores) > EXACT_CORES:
        return found
    best, weight = found, _weight(found)

    def extend(chosen: list[Placeholder], so_far: int) -> None:
        nonlocal best, weight
        missed = [core for core in cores if not any(one in chosen for one in core)]
        if not missed:
            best, weight = list(chosen), so_far
            return
        if so_far + _least(missed) >= weight:
            return
        for one in sorted(missed[0], key=_one):
            if so_far + one.weight < weight:
                extend([*chosen, one], so_far + one.weight)

    extend([], 0)
    return best


def _least(cores: Sequence[Sequence[Placeholder]]) -> int:
    """What hitting the cores takes at least: the lightest ones of some that have nothing in common."""
    seen: set[Placeholder] = set()
    found = 0
    for core in cores:
        if seen.isdisjoint(core):
            seen.update(core)
            found += min(map(_one, core))
    return found


def _greedy(cores: Sequence[Sequence[Placeholder]]) -> list[Placeholder]:
    chosen: list[Placeholder] = []
    left = [core for core in cores if core]
    while left:
        every = dict.fromkeys(one for core in left for one in core)
        best = min(every, key=lambda one: one.weight / sum(one in core for core in left))
        chosen.append(best)
        left = [core for core in left if best not in core]
    return chosen


def _one(one: Placeholder) -> int:
    return one.weight


def _weight(chosen: Iterable[Placeholder]) -> int:
    return sum(one.weight for one in chosen)


# ---------------------------------------------------------------- a satisfied set that grows


def by_growing(blocks: Blocks) -> list[Placeholder] | None:
    """A minimal set, not the lightest one: of the placeholders that the model passes the heaviest are blocked first."""
    return grown(blocks, [one for one in blocks.cone if blocks.model.value(one.pi) == 1])


def grown(blocks: Blocks, free: Sequence[Placeholder]) -> list[Placeholder] | None:
    """A minimal part of a correction set; `free` itself where it is minimal, or no solver can tell."""
    left = sorted(free, key=_one, reverse=True)
    kept: list[Placeholder] = []
    while left:
        one, *rest = left
        match blocks.without([*kept, *rest]):
            case Sat(model):
                left = [other for other in rest if model.value(other.pi) == 1]
                kept = [other for other in kept if model.value(other.pi) == 1]
            case _:
                left = rest
                kept.append(one)
    return kept or None


# ---------------------------------------------------------------- MaxSAT


def by_maxsat(blocks: Blocks) -> list[Placeholder] | None:
    """The lightest set. What MaxSAT says is asked about once more, as it is another solver's word."""
    soft = [(build.not_(one.pi), one.weight) for one in blocks.cone]
    free = blocks.unfolding.given_up(blocks.condition, soft)
    if not free:
        return None
    chosen = [blocks.cone[number] for number in free]
    return chosen if isinstance(blocks.without(chosen), Sat) else None


CORRECTIONS: dict[str, Correction] = {"cores": by_hitting_sets, "growing": by_growing, "maxsat": by_maxsat}
"""The ways to a minimal correction set, by name."""
