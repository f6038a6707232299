"""What a template of invariants is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from counterpoint.core.records import dataclass
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.view import View


@dataclass(frozen=True, slots=True)
class Template:
    """Proposes what holds on a view's sample. `stage`: those of a lower one are reported before, and say what need not
    be proposed. `strength` orders the report, strongest first. `conditional`: also tried under conditions."""

    name: str
    stage: int
    strength: int
    summary: str
    hypotheses: Callable[[View], Iterable[Hypothesis]]
    conditional: bool = True
