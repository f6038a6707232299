"""For each reason of an UNKNOWN: what the user can try next."""

from __future__ import annotations

from counterpoint.evidence.verdict import Reason

_ADVICE: dict[str, tuple[str, ...]] = {
    Reason.BOUND_REACHED: (
        "a loop or recursion goes on beyond what was unrolled: bound it (an assume on its input), "
        "or give more time with --timeout",
    ),
    Reason.OUT_OF_TIME: (
        "give more time with --timeout, or one method the whole of it with --engine",
        "shrink the question: --entry on one function, smaller constants, __VERIFIER_assume on inputs",
    ),
    Reason.OUT_OF_MEMORY: ("allow more with --memory, or run fewer engines side by side with --jobs 1",),
    Reason.UNSUPPORTED: (
        "replace the construct on that line, or give the called function a body that stands for it",
    ),
    Reason.SOLVER_UNKNOWN: ("give more time with --timeout; multiplying and dividing wide values is hard",),
    Reason.NO_PROGRESS: ("use --engine auto, or another engine of `counterpoint engines`",),
    Reason.EVIDENCE_REJECTED: ("an engine's answer did not hold: please report it with its crash report",),
    Reason.EVIDENCE_UNCHECKED: ("an answer was found but not re-checked in time: try a larger --timeout",),
}


def advice_for(reason: str) -> tuple[str, ...]:
    """Sentences for the user, the most useful first."""
    return _ADVICE.get(reason, ())
