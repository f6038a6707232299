"""Conjunctions of literals that imply something, fewest literals first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import comb

from counterpoint.engines.predicates.slam.program import Cube, Cubes

MOST_CUBES = 20_000
"""Cubes that are looked at for one formula; with more inputs, cubes have fewer literals."""


def implicants(inputs: Sequence[int], largest: int, implied: Callable[[Cube], bool], known: Cubes = ()) -> Cubes:
    """The minimal cubes over the inputs, of at most `largest` literals, for which `implied`, apart from those that
    contain a cube of `known`. Exponential in `largest`.

    Source: PLDI 2001, section 5.2 (prime implicants up to a length). `implied` is to be cheap for most cubes.
    """
    found: list[Cube] = []
    seen = [frozenset(cube) for cube in known]
    for size in range(_affordable(len(inputs), largest) + 1):
        for chosen in combinations(inputs, size):
            for signs in product((True, False), repeat=size):
                cube = tuple(zip(chosen, signs, strict=True))
                if not any(smaller.issubset(cube) for smaller in seen) and implied(cube):
                    found.append(cube)
                    seen.append(frozenset(cube))
    return tuple(found)


def _affordable(count: int, largest: int) -> int:
    total = 0
    for size in range(1, min(count, largest) + 1):
        total += comb(count, size) << size
        if total > MOST_CUBES:
            return size - 1
    return min(count, largest)
