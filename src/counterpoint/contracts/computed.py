"""What a call leaves behind as the code computes it, where it gets to the end of the driver without a loop.

The walk from the driver's start to a view gives each value that is shown as a term over what was arbitrary; said over
the old values and arguments that are shown as well, it is the strongest that a contract can say. A term with choices
is a case for each; cases that speak of what is not shown (what C leaves undefined, other memory) are left out.
Source: strongest postconditions of loop-free code, as in [div, section on unit proofs], by one region's walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from counterpoint.contracts.essential import follows
from counterpoint.contracts.views import Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import CutGraph, Way
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, size, substitute

MOST_CASES: Final = 24
"""Cases of one value."""

MOST_CONDITIONS: Final = 6
"""Choices that one case makes."""

LARGEST: Final = 40
"""Nodes of a case that is said."""


@dataclass(frozen=True, slots=True)
class Computed:
    """`facts` at the view; `whole`: for each value that the call leaves they say what it is, in all cases."""

    facts: tuple[Fact, ...] = ()
    whole: bool = False


def computed(graph: CutGraph, view: View, names: Mapping[Term, Seen], budget: Budget) -> Computed:
    """What the values of the view are; nothing where several ways lead to it."""
    ways = [(region, way) for region in graph.regions for way in region.ways if way.target == (view.name, 0)]
    if len(ways) != 1:
        return Computed()
    (region, way), facts, whole = ways[0], dict[Fact, None](), True
    known, given = _known(way, names), (way.formula, *region.assumed)
    terms = {variable: term for term, variable in known.items() if isinstance(variable, Term)}
    for variable, seen in names.items():
        if seen.old or seen.argument:
            continue
        value = way.values.values.get(variable)
        if value is None:
            whole = False
            continue
        for conditions, case in _cases(substitute(value, known), names):
            formula = _case(variable, conditions, case, names)
            if formula is None:
                case_given = substitute(build.conjunction(conditions), terms)
                whole = whole and follows(build.not_(case_given), given, budget)
            elif formula != 1:
                facts[Fact(view.name, 0, formula)] = None
    return Computed(tuple(facts), whole)


def _known(way: Way, names: Mapping[Term, Seen]) -> dict[Term, V]:
    """Which old value or argument stands for a term; the first that is shown."""
    found: dict[Term, V] = {}
    for variable, seen in names.items():
        value = way.values.values.get(variable)
        if (seen.old or seen.argument) and isinstance(value, Term):
            found.setdefault(value, variable)
    return found


def _case(variable: Term, conditions: tuple[V, ...], value: V, names: Mapping[Term, Seen]) -> V | None:
    """`conditions => variable == value`; None where it speaks of what is not shown."""
    if not all(_is_shown(one, names) for one in (value, *conditions)):
        return None
    width = variable.sort.width if isinstance(variable.sort, BitVec) else 0
    same = build.eq(variable, value, width) if variable.sort is not BOOL else build.not_(build.xor_(variable, value))
    formula = build.implies(build.conjunction(conditions), same)
    return formula if size(formula) <= LARGEST else None


def _is_shown(value: V, names: Mapping[Term, Seen]) -> bool:
    terms = reachable([value])
    return not any(t.op in (Op.ADDRESS, Op.SELECT) or (t.op is Op.VARIABLE and t not in names) for t in terms)


def _cases(value: V, names: Mapping[Term, Seen]) -> Iterator[tuple[tuple[V, ...], V]]:
    """(conditions, the value where they hold) without choices that they do not decide; of too many, what is left as it
    is. A choice that they decide stays where all that it speaks of is shown: so a solver meets the code's own terms."""
    waiting: list[tuple[tuple[V, ...], V]] = [((), value)]
    count = 0
    while waiting:
        conditions, one = waiting.pop()
        choice = _choice(one, conditions, names)
        if choice is None or len(conditions) >= MOST_CONDITIONS or count + len(waiting) >= MOST_CASES:
            count += 1
            yield conditions, one
            continue
        condition, yes, no = choice.args
        for side, branch in ((build.not_(condition), no), (condition, yes)):
            if side != 0 and build.not_(side) not in conditions:
                more = conditions if side in conditions else (*conditions, side)
                waiting.append((more, substitute(one, {choice: branch})))


def _choice(value: V, conditions: tuple[V, ...], names: Mapping[Term, Seen]) -> Term | None:
    """The outermost choice in it that the conditions do not decide, or that speaks of what is not shown."""
    for term in reversed(reachable([value])):
        if term.op is Op.ITE:
            decided = term.args[0] in conditions or build.not_(term.args[0]) in conditions
            if not decided or not _is_shown(term, names):
                return term
    return None
