"""Likely invariants of a table, after Daikon: templates propose, all rows decide, what says nothing new is left out.

Templates try formulas on a sample of the rows; what holds there is evaluated on all rows, in chunks, until one refutes
it. Rows that did join the sample, and what has numbers in it is fitted anew. So each formula that is reported is true
of each row, and the sample decides only what is looked at.
Source: Ernst et al., The Daikon system for dynamic detection of likely invariants (Sci. Comput. Program. 69, 2007),
sections 3 and 4; Yeolekar, Unadkat, Assertion checking using dynamic inference, section 2.1. Deviation: numbers are
those of machine words, and equations hold modulo 2**width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

import numpy as np

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.inference.columns import Likely, Options
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Rows, Truth
from counterpoint.inference.protocol import Template
from counterpoint.inference.relevance import relevant
from counterpoint.inference.splitting import Split, splits
from counterpoint.inference.table import Table
from counterpoint.inference.templates import templates
from counterpoint.inference.vectors import CHUNK, refuting_rows, true_rows
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import size, substitute, variables

ROUNDS = 6
"""How often refuting rows join the sample, for the templates of one stage."""

MOST_CONDITIONAL = 5_000
"""Rows that are looked at under a condition; all rows decide."""

FEWEST = 2
"""Rows on which a condition holds, for it to be looked at."""


@dataclass(frozen=True, slots=True)
class _Found:
    template: Template
    hypothesis: Hypothesis
    formula: Term
    sure: float


def infer(table: Table, options: Options, budget: Budget) -> list[Likely]:
    """What held on all rows, unconditional first, then by strength of template and confidence; nothing for a table
    without rows. When the budget is used up: what was found until then."""
    if not table.count:
        return []
    chosen = [t for t in templates() if options.templates is None or t.name in options.templates]
    rows = table.distinct()
    view = View.of(rows, options, budget.spend)
    found: list[_Found] = []
    likely: dict[Term, Likely] = {}
    with suppress(OutOfBudget), np.errstate(all="ignore"):  # numbers of machine words wrap around
        _learn(view, chosen, budget, found)
    for one in sorted(found, key=_rank):
        likely[one.formula] = Likely(one.formula, one.template.name, rows.support, one.sure)
    if options.conditions:
        with suppress(OutOfBudget), np.errstate(all="ignore"):
            for conditional in _conditional(view, chosen, set(likely), budget):
                likely.setdefault(conditional.formula, conditional)
    return _told(table, list(likely.values())[: options.most])


def _told(table: Table, found: list[Likely]) -> list[Likely]:
    """With what columns stand for."""
    terms = {column.variable: column.term for column in table.columns if column.term is not None}
    if not terms:
        return found
    told: dict[V, Likely] = {}
    for one in found:
        formula = substitute(one.formula, terms)
        condition = None if one.condition is None else substitute(one.condition, terms)
        if isinstance(formula, Term) and not isinstance(condition, int):
            told.setdefault(formula, replace(one, formula=formula, condition=condition))
    return list(told.values())


def _rank(found: _Found) -> tuple[int, float, int]:
    return found.template.strength, -found.sure, size(found.formula)


def _learn(view: View, chosen: Sequence[Template], budget: Budget, found: list[_Found]) -> None:
    """Adds what holds on all rows of the view. Raises OutOfBudget."""
    known: set[Term] = set()
    for _, group in groupby(chosen, key=lambda template: template.stage):
        stage = list(group)
        for _ in range(ROUNDS):
            proposed = list(_proposed(view, stage, known, budget))
            refuting = refuting_rows([one.formula for one in proposed], view.table, budget.spend)
            held = [one for one, row in zip(proposed, refuting, strict=True) if row is None]
            wrong = {one.template.name for one, row in zip(proposed, refuting, strict=True) if row is not None}
            known.update(one.formula for one in proposed)
            found += held
            for one in held:
                view.apply(one.hypothesis.effect)
            if not view.add_to_sample(row for row in refuting if row is not None):
                break
            stage = [template for template in stage if template.name in wrong]


def _proposed(view: View, stage: Sequence[Template], known: set[Term], budget: Budget) -> Iterable[_Found]:
    """What is worth a report if it holds on all rows."""
    seen = set(known)
    for template in stage:
        for hypothesis in template.hypotheses(view):
            budget.spend()
            formula = hypothesis.formula
            if isinstance(formula, Term) and formula not in seen and relevant(formula, view.table):
                seen.add(formula)
                sure = view.confidence(hypothesis)
                if sure >= view.options.confidence:
                    yield _Found(template, hypothesis, formula, sure)


# ---------------------------------------------------------------- under conditions


def _conditional(view: View, chosen: Sequence[Template], always: set[Term], budget: Budget) -> Iterable[Likely]:
    """What holds where a condition does and not everywhere, each formula under its widest conditions, by conditions.
    Raises OutOfBudget."""
    wider: dict[Term, list[Truth]] = {}
    for split in splits(view):
        budget.spend()
        truth = np.concatenate([true_rows(split.condition, part) for part in _parts(view.table)])
        rows = np.flatnonzero(truth).astype(np.int64)
        if not FEWEST <= len(rows) < view.table.count:
            continue
        support = len(rows) if view.table.weights is None else int(view.table.weights[rows].sum())
        for one in _under(view, split, rows, chosen, always, budget):
            known = wider.setdefault(one.formula, [])
            formula = build.implies(split.condition, one.formula)
            if isinstance(formula, Term) and not any((other | ~truth).all() for other in known):
                known.append(truth)
                yield Likely(formula, one.template.name, support, one.sure, split.condition)


def _under(
    view: View, split: Split, rows: Rows, chosen: Sequence[Template], always: set[Term], budget: Budget
) -> list[_Found]:
    """What holds on these rows, on which the condition does, but not on all of the sample, nor by the condition alone.
    """
    found: list[_Found] = []
    _learn(view.below(rows[:MOST_CONDITIONAL]), [t for t in chosen if split.given or t.conditional], budget, found)
    told = set(variables(split.condition))
    news = [
        one
        for one in found
        if one.formula not in always
        and not told.issuperset(variables(one.formula))
        and not true_rows(one.formula, view.sample).all()
    ]
    formulas = [build.implies(split.condition, one.formula) for one in news]
    refuting = refuting_rows(formulas, view.table, budget.spend)
    return sorted((one for one, row in zip(news, refuting, strict=True) if row is None), key=_rank)


def _parts(table: Table) -> Iterable[Table]:
    return (table.part(start, start + CHUNK) for start in range(0, table.count, CHUNK))

