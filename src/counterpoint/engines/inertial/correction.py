"""Minimal correction sets: placeholders that have to be given free for a run to appear, none of them in vain.

Three ways to one: all cores hit at the least weight; a model's set made smaller one by one; z3's MaxSAT. None of them
takes one answer for another: where the solver does not know there is no set (None), and what a model needs is entered.

Source: [inertial refinement, section IV]: hitting sets of cores [Liffiton and Sakallah 2008], which its authors used
since MaxSAT gave wrong results.
Deviation: cores come one at a time, each refuting the lightest set that hits all before it (implicit hitting sets), so
that not all of them have to be found; of sets of one size the one with fewest instructions is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.solver.answers import Answer, Model, Sat, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

MOST_CORES = 40
"""Cores of one question, after which a model's set is made smaller instead."""

REGION = 1 << 20
"""What a region costs beside its instructions: of two sets the one with fewer regions is the lighter one, as in the
paper."""

EXACT_CORES = 14
"""Cores up to which the lightest set is found that hits all; of more, a light one."""


@dataclass(frozen=True, slots=True)
class Cone:
    """A condition, and the placeholders that it mentions."""

    unfolding: Unfolding
    condition: V
    cone: Sequence[Placeholder]

    def without(self, free: Iterable[Placeholder]) -> Answer:
        """Whether a run satisfies the condition that passes of the cone at most these."""
        given = {one.pi for one in free}
        left = [one for one in self.cone if one.pi not in given]
        return self.unfolding.ask(self.condition, left, "correction")


@dataclass(frozen=True, slots=True)
class Blocks(Cone):
    """One that runs satisfy, as `model` does, but none that passes no placeholder of `cone`. `core`: blocks that
    exclude it, where they are known."""

    core: Sequence[Placeholder] | None
    model: Model


Correction: TypeAlias = Callable[[Blocks], list[Placeholder] | None]


# ---------------------------------------------------------------- cores


def by_hitting_sets(blocks: Blocks) -> list[Placeholder] | None:
    """The smallest set, as long as there are few cores."""
    if not blocks.core:
        return None
    found = hitting(blocks, blocks.core)
    if isinstance(found.end, Sat):
        return list(found.chosen)
    return by_growing(blocks) if found.end is None else None


@dataclass(frozen=True, slots=True)
class Hitting:
    """The smallest set that hits the cores that are known, and what was said of it: with Sat it is a correction set,
    with Unsat there is none, and with None there were too many cores."""

    chosen: tuple[Placeholder, ...]
    end: Answer | None


def hitting(cone: Cone, core: Sequence[Placeholder]) -> Hitting:
    """Cores are found and hit from this one on. Needs no model: each question has most of the blocks."""
    cores = [tuple(core)]
    while True:
        chosen = lightest_hitting(cores)
        if len(cores) > MOST_CORES:
            return Hitting(tuple(chosen), None)
        answer = cone.without(chosen)
        if not isinstance(answer, Unsat):
            return Hitting(tuple(chosen), answer)
        further = cone.unfolding.core(answer)
        if not further:
            return Hitting(tuple(chosen), answer)
        cores.append(tuple(further))


def lightest_hitting(cores: Sequence[Sequence[Placeholder]]) -> list[Placeholder]:
    """A set with one of each core: of the least cost if there are few cores. Exponential in those, but for cores that
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
            if so_far + _one(one) < weight:
                extend([*chosen, one], so_far + _one(one))

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
        best = min(every, key=lambda one: _one(one) / sum(one in core for core in left))
        chosen.append(best)
        left = [core for core in left if best not in core]
    return chosen


def _one(one: Placeholder) -> int:
    return REGION + one.weight


def _weight(chosen: Iterable[Placeholder]) -> int:
    return sum(map(_one, chosen))


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
    """The smallest set. What MaxSAT says is asked about once more, as it is another solver's word."""
    soft = [(build.not_(one.pi), _one(one)) for one in blocks.cone]
    free = blocks.unfolding.given_up(blocks.condition, soft)
    if not free:
        return None
    chosen = [blocks.cone[number] for number in free]
    return chosen if isinstance(blocks.without(chosen), Sat) else None


CORRECTIONS: dict[str, Correction] = {"cores": by_hitting_sets, "growing": by_growing, "maxsat": by_maxsat}
"""The ways to a minimal correction set, by name."""
