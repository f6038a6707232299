"""A question whose first formula is a disjunction of goals, goal by goal: what they share is simplified once.

Soundness: a goal is left out only if it has no model together with the other formulas, or with some of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from counterpoint.solver.polynomial.case import Case, products
from counterpoint.solver.polynomial.changes import with_facts
from counterpoint.solver.polynomial.ring import Steps
from counterpoint.solver.polynomial.simplify import simplified, simplify
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, substitute_all

FEWEST, MOST = 3, 300
"""Of a conjunct that is a disjunction of at least so many, each is a goal of its own, where there are at most so many
goals in all."""

STEPS = 20_000
"""Of saying what is known of one goal."""


def left_open(formulas: Sequence[V], steps: int, refutes: Callable[[Sequence[V]], bool]) -> list[V]:
    """The formulas with what is left of the disjunction that the first of them is; 0 first if nothing is.

    Goals of their own without a product of unknowns are asked about at once, by `refutes`, without anything in which
    products are; the others one by one, by polynomials, each with `steps`.
    """
    goals = _goals(formulas[0])
    if len(goals) < 2:
        return list(formulas)
    times = Counter(part for goal in goals for part in goal)
    known = [part for formula in formulas[1:] for part in conjuncts(formula)]
    apart = [_told(goal, [part for part in goal if times[part] == 1], known) for goal in goals]
    easy = [k for k, (_, own) in enumerate(apart) if own and not products(own)]
    some = [build.conjunction([*without_products(apart[k][0]), *apart[k][1]]) for k in easy]
    if easy and not refutes([build.disjunction(some), *without_products(known)]):
        easy = []
    begun: dict[tuple[V, ...], Case | None] = {}
    open_: list[V] = []
    for k, (shared, own) in enumerate(apart):
        if k in easy or 0 in own:
            continue
        if shared not in begun:
            begun[shared] = simplified(Case((*known, *shared)), Steps(steps))
        if _is_open(begun[shared], own, steps):
            open_.append(build.conjunction(goals[k]))
    return [build.disjunction(open_), *formulas[1:]]


def _told(goal: Sequence[V], own: Sequence[V], known: Sequence[V]) -> tuple[tuple[V, ...], list[V]]:
    """What a goal shares with others, and what is its own, where all else that is said of it is true."""
    shared = tuple(part for part in goal if part not in own)
    beside = [part for part in dict.fromkeys((*known, *shared)) if isinstance(part, Term) and part not in own]
    told = with_facts(Case((*beside, *own)), Steps(STEPS)).formulas if 0 not in own else tuple(own)
    return shared, [part for formula in told[len(told) - len(own) :] for part in conjuncts(formula)]


def without_products(formulas: Sequence[V]) -> list[V]:
    """Those in which no unknowns are multiplied."""
    return [formula for formula in formulas if not products((formula,))]


def _is_open(case: Case | None, parts: Sequence[V], steps: int) -> bool:
    """What is said beside the case is not refuted by polynomials."""
    if case is None:
        return False
    more = list(parts)
    # A defined variable's value may mention those defined further to the front.
    for variable, value in reversed(case.definitions):
        more = substitute_all(more, {variable: value})
    return bool(simplify([*case.formulas, *more], steps).cases)


def _goals(formula: V) -> list[list[V]]:
    """The conjunctions that a disjunction is one of, also where these are such disjunctions beside what all share."""
    done: list[list[V]] = []
    waiting: list[tuple[list[V], list[V]]] = [([], conjuncts(goal)) for goal in reversed(_disjuncts(formula))]
    while waiting:
        beside, fresh = waiting.pop()
        several = [_disjuncts(part) for part in fresh]
        most = max(several, key=len, default=[])
        if len(most) < FEWEST or len(waiting) + len(done) + len(most) > MOST:
            done.append([*beside, *fresh])
            continue
        beside = [*beside, *(part for part, goals in zip(fresh, several, strict=True) if goals is not most)]
        waiting += [(beside, conjuncts(goal)) for goal in reversed(most)]
    return [list(dict.fromkeys(goal)) for goal in done]


def _disjuncts(formula: V) -> list[V]:
    """What a disjunction is one of."""
    if not isinstance(formula, Term) or formula.op is not Op.NOT:
        return [formula]
    inner = formula.args[0]
    assert isinstance(inner, Term)
    if inner.op is not Op.AND:
        return [formula]
    return [goal for part in conjuncts(inner) for goal in _disjuncts(build.not_(part))]
