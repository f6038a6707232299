"""The union of regions that a tree of splits has made, without the splits below which all of them are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts


def union(formulas: Sequence[V]) -> V:
    """Equivalent to the disjunction: `p & q` and `p & !q` become `p`, as often as that is possible.

    Linear in the number of formulas, quadratic in the number of conjuncts of each.
    """
    if len(formulas) < 2:
        return build.disjunction(formulas)
    kept: dict[frozenset[V], V] = {}
    fitting: dict[frozenset[V], tuple[frozenset[V], list[V]]] = {}
    waiting = list(reversed(formulas))
    while waiting:
        formula = waiting.pop()
        parts = conjuncts(formula)
        if not parts:
            return 1
        whole = frozenset(parts)
        if whole in kept:
            continue
        owner, rest = fitting.get(whole, (None, []))
        if owner in kept:
            del kept[owner]
            waiting.append(build.conjunction(rest))
            continue
        kept[whole] = formula
        for part in parts:
            other, rest = (whole - {part}).union(conjuncts(build.not_(part))), [p for p in parts if p is not part]
            if other in kept:
                del kept[whole], kept[other]
                waiting.append(build.conjunction(rest))
                break
            fitting[other] = whole, rest
    return build.disjunction(kept.values())
