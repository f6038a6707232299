"""When refinement takes long, cheap invariants at loop heads: all posts assume them from then on."""

from __future__ import annotations

from typing import Final

from counterpoint.core.events import Progress
from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome, Refined

SPLITS: Final = 4
"""A refinement counts as so many splits of DASH's regions, when it is time for facts (invariants/learning.py)."""


def facts(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """Refined if there are new ones: the graph grows again with these. The trace does not matter."""
    options, learning, tools = abstraction.options, abstraction.learning, abstraction.tools
    if not options.facts or not learning.due(SPLITS * abstraction.refinements, abstraction.spent):
        return None
    tools.observe(Progress("predicates", "looking for invariants"))
    if not learning.attempt(told.fact for told in tools.facts.heard()):
        return None
    abstraction.graph.restart()
    return Refined()
