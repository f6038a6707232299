"""What a call leaves behind as the code computes it, where it gets to the end of the driver without a loop.

The walk from the driver's start to a view gives each value that is shown as a term over what was arbitrary; said over
the old values and arguments that are shown as well, it is the strongest that a contract can say. A term with choices
is a case for each; cases that speak of what is not shown (what C leaves undefined, other memory) are left out.
Source: strongest postconditions of loop-free code, as in [div, section on unit proofs], by one region's walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from counterpoint.contracts.uniform import Index, uniform, without_implied
from counterpoint.contracts.views import Seen, View
from counterpoint.contracts.wording import disjuncts
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import CutGraph, Way
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, size, substitute, variables

MOST_CASES: Final = 40
"""Cases of one value."""

MOST_CONDITIONS: Final = 8
"""Choices that one case makes."""

LARGEST: Final = 40
"""Nodes of a case that is said."""

CONDITIONS_SHARE: Final = 0.1
"""Of the time, for seeing what conditions tell of others."""

ANSWER_SECONDS: Final = 0.2
MOST_ANSWERS: Final = 2000
"""For one question about conditions, and how many there are."""


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
    known = _known(way, names)
    terms = {variable: term for term, variable in known.items() if isinstance(variable, Term)}
    with _Conditions.under((way.formula, *region.assumed), terms, budget.share(CONDITIONS_SHARE)) as judge:
        for variable, seen in names.items():
            if seen.old or seen.argument:
                continue
            value = way.values.values.get(variable)
            if value is None:
                whole = False
                continue
            value = _of_all_elements(view, value, names, way, judge)
            for conditions, case in _cases(substitute(value, known), names, judge, known):
                formula = _case(variable, conditions, case, names)
                if formula is None:
                    whole = whole and judge.excludes(conditions)
                elif formula != 1:
                    facts[Fact(view.name, 0, formula)] = None
    return Computed(tuple(facts), whole)


def _of_all_elements(view: View, value: V, names: Mapping[Term, Seen], way: Way, judge: _Conditions) -> V:
    """The value, where it is one of an array's elements without choices by their numbers if it can be."""
    values = way.values.values
    shown = {one.text: v for v, one in names.items() if one.argument}
    index = values.get(shown[view.index]) if view.index in shown else None
    if not view.array or not view.length.isdecimal() or not isinstance(index, Term):
        return value
    before = {v: values[v] for v, seen in names.items() if seen.old and seen.text == view.element and v in values}
    width = value.sort.width if isinstance(value, Term) and isinstance(value.sort, BitVec) else 0
    if not width:
        return value

    def is_same(one: V, other: V) -> bool:
        return one is other or one == other or judge.excludes([build.ne(one, other, width)])

    def implies(parts: Sequence[V], part: V) -> bool:
        return judge.excludes([*parts, build.not_(part)])

    found = uniform(value, Index(index, int(view.length), before), is_same)
    return value if found is None else without_implied(found, implies)


@dataclass(slots=True)
class _Conditions:
    """What conditions tell on the way to a view, by `solver`, and anywhere, by `alone`, which answers sooner. `terms`:
    what the view's variables stand for on the way."""

    solver: Solver
    alone: Solver
    terms: Mapping[Term, V]
    budget: Budget
    asked: int = 0

    @classmethod
    @contextmanager
    def under(cls, given: Sequence[V], terms: Mapping[Term, V], budget: Budget) -> Iterator[_Conditions]:
        """On a way where these hold."""
        solver, alone = (backend("bitwuzla").connect(Settings()) for _ in range(2))
        try:
            for one in given:
                solver.add(one)
            yield cls(solver, alone, terms, budget)
        finally:
            solver.close()
            alone.close()

    def excludes(self, conditions: Sequence[V]) -> bool:
        """The conditions never hold together; not where a solver does not answer, or has been asked often."""
        return self.contradict(conditions) or self._unsatisfiable(
            self.solver, [substitute(one, self.terms) for one in conditions]
        )

    def contradict(self, conditions: Sequence[V]) -> bool:
        """They do not anywhere."""
        return self._unsatisfiable(self.alone, conditions)

    def _unsatisfiable(self, solver: Solver, conditions: Sequence[V]) -> bool:
        self.asked += 1
        seconds = min(ANSWER_SECONDS, self.budget.remaining())
        if self.asked > MOST_ANSWERS or seconds <= 0:
            return False
        return isinstance(solver.check(list(conditions), seconds), Unsat)

    def reduced(self, value: V, conditions: Sequence[V]) -> V:
        """The value where the conditions hold, without choices that they decide."""
        while isinstance(value, Term) and value.op is Op.ITE:
            condition, yes, no = value.args
            if self.excludes([*conditions, build.not_(condition)]):
                value = yes
            elif self.excludes([*conditions, condition]):
                value = no
            else:
                break
        return value

    def together(self, conditions: tuple[V, ...], more: V) -> tuple[V, ...]:
        """One more condition, without those that it implies."""
        return (*(one for one in conditions if not self.contradict([more, build.not_(one)])), more)

    def plain(self, condition: V, conditions: Sequence[V]) -> list[V]:
        """Parts that together say as much as the condition where the others hold: none that always or never does."""
        parts = [build.not_(part) for part in disjuncts(build.not_(condition))]
        telling = [part for part in parts if not self.contradict([*conditions, build.not_(part)])]
        possible = [[one for one in disjuncts(part) if not self.contradict([*conditions, one])] for part in telling]
        return [self.number(build.disjunction(some), conditions) for some in possible]

    def number(self, condition: V, conditions: Sequence[V]) -> V:
        """`x == number` (`!=`), if that is what the condition says wherever the others hold."""
        inner = condition.args[0] if isinstance(condition, Term) and condition.op is Op.NOT else condition
        if not isinstance(inner, Term) or inner.op is not Op.EQ:
            return condition
        value, number = inner.args
        used = list(variables(value))
        if not isinstance(number, int) or value in used or len(used) != 1 or not isinstance(used[0].sort, BitVec):
            return condition
        width = used[0].sort.width
        simple = build.eq(used[0], number & ((1 << width) - 1), width)
        if not self.excludes([*conditions, build.xor_(inner, simple)]):
            return condition
        return simple if inner is condition else build.not_(simple)


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


def _cases(
    value: V, names: Mapping[Term, Seen], judge: _Conditions, known: Mapping[Term, V]
) -> Iterator[tuple[tuple[V, ...], V]]:
    """(conditions, the value where they hold) without choices that they do not decide; of too many, what is left as it
    is. A choice that they decide stays where all that it speaks of is shown: so a solver meets the code's own terms.
    `known`: which value that is shown stands for a term; so it does for what the term is under the conditions."""
    chosen = [
        (substitute(term, {t: v for t, v in known.items() if t is not term}), shown)
        for term, shown in known.items() if term.op is Op.ITE
    ]  # fmt: skip
    waiting: list[tuple[tuple[V, ...], V]] = [((), value)]
    count = 0
    while waiting:
        conditions, one = waiting.pop()
        choice = _choice(one, conditions, names)
        if choice is None or len(conditions) >= MOST_CONDITIONS or count + len(waiting) >= MOST_CASES:
            count += 1
            some = () if _is_shown(one, names) else chosen
            here = [(judge.reduced(term, conditions), shown) for term, shown in some]
            yield conditions, substitute(one, {term: shown for term, shown in here if isinstance(term, Term)})
            continue
        condition, yes, no = choice.args
        sides = [
            (side, branch)
            for side, branch in ((build.not_(condition), no), (condition, yes))
            if side != 0 and build.not_(side) not in conditions and not judge.excludes([*conditions, side])
        ]
        for side, branch in sides:
            more = conditions
            for part in judge.plain(side, conditions) if side not in conditions else ():
                more = judge.together(more, part)
            # The only side that there is adds nothing, but may stand for several conditions.
            more = conditions if len(sides) == 1 and len(more) >= len(conditions) else more
            waiting.append((more, substitute(one, {choice: branch})))


def _choice(value: V, conditions: tuple[V, ...], names: Mapping[Term, Seen]) -> Term | None:
    """The outermost choice in it that the conditions do not decide, or that speaks of what is not shown."""
    for term in reversed(reachable([value])):
        if term.op is Op.ITE:
            decided = term.args[0] in conditions or build.not_(term.args[0]) in conditions
            if not decided or not _is_shown(term, names):
                return term
    return None
