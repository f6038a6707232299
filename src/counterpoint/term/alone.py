"""Which terms below a formula's tops have parts in common with nothing else there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from counterpoint.term.term import Term


def alone(
    terms: Collection[Term],
    tops: Sequence[Term],
    parts: Callable[[Term], Sequence[Term]],
    unknown: Callable[[Term], bool],
) -> set[Term]:
    """Those of `terms` that have `parts`, an unknown one below, and none that is met on a way around them: a term is
    alone if it dominates all that it is built of. Parts are among the terms, and older than what is built of them.

    Quadratic, with one bit for each pair of terms. Dominators as in Cooper, Harvey, Kennedy, "A simple, fast dominance
    algorithm" (2001), in one pass, since terms have no cycles.
    """
    order = sorted(terms, key=lambda term: -term.index)
    places = {term: place for place, term in enumerate(order, 1)}
    below = [tuple(places[top] for top in tops), *(tuple(places[part] for part in parts(term)) for term in order)]
    dominator = _dominators(below)
    dominated, cones, free = [1] * len(below), [0] * len(below), [False] * len(below)
    found: set[Term] = set()
    for place in range(len(below) - 1, 0, -1):
        dominated[dominator[place]] += dominated[place]
        cones[place] = 1 << place
        free[place] = unknown(order[place - 1])
        for part in below[place]:
            cones[place] |= cones[part]
            free[place] |= free[part]
        if below[place] and free[place] and cones[place].bit_count() == dominated[place]:
            found.add(order[place - 1])
    return found


def _dominators(below: Sequence[Sequence[int]]) -> list[int]:
    """Of each number the nearest one that all ways from 0 pass; numbers lead to larger ones."""
    found = [-1] * len(below)
    found[0] = 0
    for above, parts in enumerate(below):
        for part in parts:
            one, other = found[part], above
            while one != other and one >= 0:
                if one > other:
                    one = found[one]
                else:
                    other = found[other]
            found[part] = other
    return found
