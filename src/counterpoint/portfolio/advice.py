"""For each reason of an UNKNOWN: what the user can try next."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.evidence.verdict import Reason

_ADVICE: dict[str, tuple[str, ...]] = {
    Reason.BOUND_REACHED: (
        "a loop or recursion goes on beyond what was unrolled: a larger --bound, or none and more time, "
        "or --engine auto, which also proves without a bound",
    ),
    Reason.OUT_OF_TIME: (
        "give more time with --timeout, or one method the whole of it with --engine",
        "shrink the question: --entry on one function, smaller constants, __VERIFIER_assume on inputs",
    ),
    Reason.OUT_OF_MEMORY: ("allow more with --memory, or run fewer engines side by side with --jobs 1",),
    Reason.UNSUPPORTED: (
        "replace the construct on that line, or give the called function a body that stands for it",
        "where it is an undefined function that is handed a function: --callbacks before-return lets it call that"
        " function, on the assumption that it does so only before it returns",
    ),
    Reason.UNDEFINED: (
        "C gives runs that get to that line no meaning: --property undefined shows one, or proves that there is none",
    ),
    Reason.SOLVER_UNKNOWN: ("give more time with --timeout; multiplying and dividing wide values is hard",),
    Reason.NO_PROGRESS: ("use --engine auto, or another engine of `counterpoint engines`, with more time",),
    Reason.EVIDENCE_REJECTED: ("an engine's answer did not hold: please report it with its crash report",),
    Reason.EVIDENCE_UNCHECKED: ("an answer was found but not re-checked in time: try a larger --timeout",),
}


_WITH_LOOPS = (
    "name what holds in a loop: `__counterpoint_candidate(condition);` first in its body (C), `cand(condition)` "
    "(Simple C); it is proved before it is used",
)
_UNDECIDED = (Reason.BOUND_REACHED, Reason.OUT_OF_TIME, Reason.SOLVER_UNKNOWN, Reason.NO_PROGRESS)


def advice_for(reason: str, features: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Sentences for the user, the most useful first; `features` as in the result, if they are known."""
    loops = features and (features.get("loops") or features.get("recursive"))
    return _ADVICE.get(reason, ()) + (_WITH_LOOPS if loops and reason in _UNDECIDED else ())
