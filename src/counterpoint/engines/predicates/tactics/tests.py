"""After some refinements the program is run: what a long loop hides from an abstraction, a run may just do."""

from __future__ import annotations

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome


def tests(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """A violation that a run met (deep_tests.py); the trace does not matter."""
    return abstraction.tested()
