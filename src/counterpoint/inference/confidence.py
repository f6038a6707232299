"""How likely a formula does not hold by chance.

A relation's chance is the share of the sample's rows on which it holds once its columns are shifted against each other:
what then still holds says nothing of how they hang together. Of few rows too little is known for that, and its template
says what its chance is.
Source: Ernst et al., Dynamically discovering likely program invariants to support program evolution (2001), section 6.
Deviation: shifted columns for the formulas that are special to each of Daikon's invariants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.numbers import mixed
from counterpoint.inference.table import Table
from counterpoint.inference.vectors import true_rows
from counterpoint.semantics.facts import is_ghost
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

ENOUGH = 8
"""Rows from which on shifted columns tell something."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The column has one number."""

    position: int


@dataclass(frozen=True, slots=True)
class Same:
    """The column is equal to another one."""

    position: int
    other: int


@dataclass(frozen=True, slots=True)
class Determined:
    """The column is computed from another one."""

    position: int
    by: int


@dataclass(frozen=True, slots=True)
class Few:
    """The column has one of a few numbers."""

    position: int


Effect: TypeAlias = Fixed | Same | Determined | Few
"""What need not be said any more where a hypothesis is reported."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A formula that holds on the sample. `chance`: the probability that one further row agrees with it by chance, once
    `fitted` rows chose its numbers; of relations only where there are few rows. `sure` is its confidence, if given."""

    formula: V
    chance: float = 0.5
    fitted: int = 0
    effect: Effect | None = None
    sure: float | None = None


def confidence(hypothesis: Hypothesis, sample: Table, rows: int) -> float:
    """One minus the probability that it holds by chance on so many different rows, of which there is a sample."""
    formula = hypothesis.formula
    if hypothesis.sure is not None or not isinstance(formula, Term):
        return hypothesis.sure or 0.0
    chance = hypothesis.chance
    columns = [v for v in variables(formula) if not is_ghost(v)]
    if len(columns) > 1 and not any(isinstance(v.sort, ArraySort) for v in columns):
        if sample.count >= ENOUGH:
            chance = _share(formula, columns, sample)
        else:
            rows = _different(columns, sample)
    return 1.0 - chance ** max(0, rows - hypothesis.fitted)


def _share(formula: Term, columns: Sequence[Term], sample: Table) -> float:
    """Of the rows on which the formula holds with its columns shifted."""
    positions = [sample.position[v] for v in columns]
    step = max(1, sample.count // len(positions))
    shifted = Table(
        tuple(sample.columns[k] for k in positions),
        tuple(np.roll(sample.numbers(k), step * number) for number, k in enumerate(positions)),
    )
    return float(np.count_nonzero(true_rows(formula, shifted))) / sample.count


def _different(columns: Sequence[Term], sample: Table) -> int:
    """How many rows of the sample differ in these columns."""
    hashes = np.zeros(sample.count, dtype=np.uint64)
    for column in columns:
        hashes = mixed(hashes + sample.numbers(sample.position[column]))
    return len(np.unique(hashes))
