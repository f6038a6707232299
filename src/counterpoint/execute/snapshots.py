"""States at cut points of concrete runs: what candidate invariants are learned from and filtered by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.term.evaluate import Value
from counterpoint.term.term import Term


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One visit: values of component variables (semantics/components.py), as term.evaluate takes them.

    A component without a value here is missing.
    """

    values: Mapping[Term, Value]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Visits by place (function, block), in the order of the runs."""

    at: Mapping[tuple[str, int], Sequence[Snapshot]] = field(default_factory=dict)
