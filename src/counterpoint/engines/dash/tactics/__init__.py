"""What the search does beside figure 3.3: a file each.

A tactic says whether it changed what is known, so that there may be an abstract error trace to try, a violation, or a
proof where there was none. All raise OutOfBudget and GranuleConflict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from counterpoint.engines.dash.state import State
from counterpoint.engines.dash.tactics.deepening import deepen
from counterpoint.engines.dash.tactics.learning import learn, learn_when_due
from counterpoint.engines.dash.tactics.opening import open_regions

Tactic: TypeAlias = Callable[[State], bool]

ALONGSIDE: Final[tuple[Tactic, ...]] = (learn_when_due,)
"""Before each question about a frontier."""

WITHOUT_A_TRACE: Final[tuple[Tactic, ...]] = (deepen, open_regions, learn)
"""Where no abstract error trace is left that could be tried, until one of them changes something."""
