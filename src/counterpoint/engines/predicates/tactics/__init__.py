"""What is made of an abstract error trace: tactics, each in a file of its own, tried in the order of TACTICS.

A tactic is a function `tactic(abstraction, trace)` that says nothing (None) where it does not apply or does not help,
Refined when something new may exclude the trace, or the verdict. It may be tried again for the next trace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.tactics.all_paths import all_paths
from counterpoint.engines.predicates.tactics.facts import facts
from counterpoint.engines.predicates.tactics.one_path import one_path
from counterpoint.engines.predicates.tactics.path_slice import path_slice
from counterpoint.engines.predicates.tactics.preconditions import preconditions
from counterpoint.engines.predicates.tactics.tests import tests

Tactic: TypeAlias = Callable[[LazyAbstraction, ErrorTrace], Outcome]

TACTICS: Final[tuple[Tactic, ...]] = (
    tests,  # runs of the program, after some refinements (slide 72)
    facts,  # cheap invariants at loop heads, when it takes long
    path_slice,  # what matters of the trace (slides 74 to 77)
    one_path,  # interpolants of one path of the trace (slides 43 to 58), then of other paths
    all_paths,  # interpolants of all its paths together, at last by whole conjuncts
    preconditions,  # weakest preconditions, for what interpolants cannot speak of
)
