"""Why there is no answer: what several engines said, in one."""

from __future__ import annotations

from counterpoint.evidence.verdict import Reason, Unknown

_PRIORITY = (
    Reason.EVIDENCE_REJECTED,
    Reason.UNDEFINED,
    Reason.UNSUPPORTED,
    Reason.OUT_OF_MEMORY,
    Reason.SOLVER_UNKNOWN,
    Reason.EVIDENCE_UNCHECKED,
    Reason.BOUND_REACHED,
    Reason.OUT_OF_TIME,
    Reason.NO_PROGRESS,
)
"""Which engine's UNKNOWN explains best why there is no answer."""

_WITHOUT_MEANING = (Reason.UNDEFINED, Reason.UNSUPPORTED)


def most_telling(unknowns: list[tuple[str, Unknown]], late: bool = False) -> Unknown:
    """The reason that explains best, with what each engine said about it; systematic engines first.

    Only the last word of each engine counts. UNSUPPORTED and UNDEFINED explain nothing while most systematic
    engines found a meaning for everything. `late`: no time is left for engines, so who had no turn would have had one.
    """
    if not unknowns:
        return Unknown(Reason.OUT_OF_TIME, "no engine had time to run")
    last = dict(unknowns)
    if late and last.keys() == {"random"} and last["random"].reason is Reason.NO_PROGRESS:
        return Unknown(Reason.OUT_OF_TIME, "no engine but `random` had time to run")
    systematic = [unknown.reason for engine, unknown in last.items() if engine != "random"]
    reasons = systematic or [unknown.reason for unknown in last.values()]
    meant = [reason for reason in reasons if reason not in _WITHOUT_MEANING]
    if len(meant) * 2 > len(reasons):
        reasons = meant
    reason = min(reasons, key=_PRIORITY.index)
    said = {engine: unknown.detail for engine, unknown in last.items() if unknown.reason is reason}
    order = sorted(said, key=lambda engine: engine == "random")
    return Unknown(reason, "; ".join(dict.fromkeys(said[engine] for engine in order if said[engine])))
