"""Re-checks proofs by k-induction, over regions between cut points as steps. (Being written.)"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.budget import Budget
from counterpoint.core.errors import Unsupported
from counterpoint.evidence.induction import Conditions
from counterpoint.program.model import Program
from counterpoint.semantics.facts import Fact


def k_inductive(
    program: Program, k: int, facts: Iterable[Fact], granules: Iterable[tuple[str, int]], budget: Budget
) -> Conditions:
    """The conditions of KInductive."""
    raise Unsupported("proofs by k-induction cannot be re-checked yet")
