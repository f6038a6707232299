"""Conjunctions with polynomial equations modulo 2^w: eliminate, reduce, split into cases.

Bit-blasting cannot decide ring identities of 32 or 64 bits; as polynomials they are `0 = 0`. What is returned
has a model exactly if the formulas have one, and the definitions of the eliminated variables extend it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.solver.polynomial.case import Case, abs_literal, has_identities, products
from counterpoint.solver.polynomial.changes import (
    antisymmetric,
    eliminated,
    flattened,
    normalised,
    unsigned,
    with_facts,
)
from counterpoint.solver.polynomial.forms import NormalForms, width_of
from counterpoint.solver.polynomial.integers import consequences
from counterpoint.solver.polynomial.reduction import reduced_case
from counterpoint.solver.polynomial.ring import OutOfSteps, Steps, to_equation
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

STEPS: Final = 150_000
STEPS_PER_SECOND: Final = 80_000
"""At least so many are done in a second on a slow core."""

MOST_CASES: Final = 64
MOST_CONDITIONS: Final = 8
FEW_OPEN_CASES: Final = 4
MOST_ROUNDS: Final = 60

_ATOMS: Final = frozenset({Op.EQ, Op.ULT, Op.SLT})
_CHANGES: Final = (flattened, with_facts, unsigned, normalised, antisymmetric, flattened, eliminated)


@dataclass(frozen=True, slots=True)
class Simplified:
    """The formulas have a model exactly if one of the cases has; no cases: they have none."""

    cases: tuple[Case, ...]
    changed: bool


def simplify(formulas: Sequence[V], steps: int = STEPS) -> Simplified:
    """Cases that together are satisfiable exactly if the conjunction is; few, or the only one is unsplit.

    `steps` bounds the work, and with it time and memory (10^5 take about a second at most); when they are
    spent, what was reached so far is returned.
    """
    left = Steps(steps)
    start = Case(tuple(formulas))
    whole = simplified(start, left)
    if whole is None:
        return Simplified((), True)
    open_cases: list[Case] | None = [whole]
    if has_identities(whole.formulas):
        open_cases = _split(whole, left)
    if open_cases is None or len(open_cases) > FEW_OPEN_CASES:
        open_cases = [whole]
    return Simplified(tuple(open_cases), tuple(open_cases) != (start,))


def _split(whole: Case, steps: Steps) -> list[Case] | None:
    """The cases that stay open when conditions are decided one after another; None if there are too many."""
    pending = [(whole, 0)]
    open_cases: list[Case] = []
    looked_at = 1
    while pending:
        case, depth = pending.pop()
        condition = None
        if depth < MOST_CONDITIONS:
            with suppress(OutOfSteps):
                condition = _condition(case.formulas, steps)
        if condition is None:
            open_cases.append(case)
            if len(open_cases) > FEW_OPEN_CASES:
                return None
            continue
        looked_at += 2
        if looked_at > 2 * MOST_CASES:
            return None
        for literal in (build.not_(condition), condition):
            decided = simplified(Case((*case.formulas, literal), case.definitions), steps)
            if decided is not None:
                pending.append((decided, depth + 1))
    return open_cases


def _condition(formulas: Sequence[V], steps: Steps) -> Term | None:
    """What to decide next: the condition of most ITEs, whether the low bits of what is divided by a power of two
    are 0, or an equation (preferably) or comparison inside a disjunction; None if nothing helps.
    """
    if not has_identities(formulas):
        return None
    counts: dict[Term, int] = {}
    for term in reachable(formulas):
        if term.op is Op.ITE and isinstance(term.sort, BitVec):
            condition = term.args[0]
            assert isinstance(condition, Term)
            counts[condition] = counts.get(condition, 0) + 1
    if counts:
        return max(counts, key=lambda term: (counts[term], -term.index))
    known = dict.fromkeys(abs_literal(formula) for formula in formulas if isinstance(formula, Term))
    forms = NormalForms(formulas, steps)
    for whole, low, _ in forms.shifted:
        exact = to_equation(forms.low_bits(forms.form(whole, width_of(whole)), low))
        if isinstance(exact, Term) and abs_literal(exact) not in known:
            return abs_literal(exact)
    compound = [term for term in known if term.op is Op.AND or term.op is Op.XOR]
    inside = [term for term in reachable(compound) if term.op in _ATOMS and term not in known]
    return max(inside, key=lambda term: (term.op is Op.EQ, bool(products((term,))), -term.index), default=None)


def simplified(case: Case, steps: Steps) -> Case | None:
    """An equisatisfiable conjunction (None: false), as far as the steps go; it is not split."""
    present: Case | None = case
    added: set[V] = set()
    try:
        for _ in range(MOST_ROUNDS):
            before = present
            for change in _CHANGES:
                assert present is not None
                present = change(present, steps)
                if present is None:
                    return None
            assert present is not None
            if present != before:
                continue
            present = reduced_case(present, steps)
            if present is None:
                return None
            if present == before:
                more = [one for one in consequences(present.formulas, steps) if one not in added]
                if not more:
                    return present
                added.update(more)
                present = Case((*present.formulas, *more), present.definitions)
    except OutOfSteps:
        pass
    return None if present is None else flattened(present, steps)
