"""Why refinement stopped, in words: on which error trace, and what was tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.engines.predicates.graph.places import PlaceTexts
from counterpoint.engines.predicates.graph.reachability import Node
from counterpoint.engines.predicates.impact.labels import Node as LabelledNode
from counterpoint.evidence.verdict import Reason, Unknown


def stuck(texts: PlaceTexts, nodes: Iterable[Node], single: bool, reason: str) -> Unknown:
    """No explanation of the trace over these nodes gives a new predicate; `single`: paths of it were tried as well. A
    `reason` is why one gave no interpolants at all."""
    paths = "one path of it and " if single else ""
    tried = (
        f"tried were interpolants of {paths}all its paths, by several methods, in atoms and in conjuncts, and weakest"
        " preconditions"
    )
    spurious = "may be spurious" if reason else "is spurious"
    text = f"the error trace {_way(texts, nodes)} {spurious}, and nothing new excludes it; {tried}"
    return Unknown(Reason.SOLVER_UNKNOWN, f"{text}: {reason}") if reason else Unknown(Reason.NO_PROGRESS, text)


def excluded_by_nothing(texts: PlaceTexts, nodes: Iterable[Node | LabelledNode], reason: str = "") -> Unknown:
    """The trace's interpolants do not exclude it, or there are none for the `reason`."""
    text = f"the error trace {_way(texts, nodes)}"
    if reason:
        return Unknown(Reason.SOLVER_UNKNOWN, f"{text} has no interpolants: {reason}")
    return Unknown(Reason.NO_PROGRESS, f"{text} is spurious, but not excluded by its interpolants")


def stuck_over_calls(texts: PlaceTexts, nodes: Iterable[Node], reasons: Sequence[str], known: bool) -> Unknown:
    """The same for a trace over calls by contract; `known`: it was found out that it is spurious."""
    text = f"the error trace {_way(texts, nodes)} goes over calls, and"
    why = f": {'; '.join(reasons)}" if reasons else ""
    if not known:
        return Unknown(Reason.SOLVER_UNKNOWN, f"{text} it is not known whether they return so{why}")
    return Unknown(Reason.NO_PROGRESS, f"{text} nothing new that may be said of a function's states excludes it{why}")


def stuck_in_boolean_program(steps: int, reason: str) -> Unknown:
    """The same for a trace of a Boolean program, of so many steps."""
    text = f"a spurious trace of {steps} steps"
    if reason:
        return Unknown(Reason.SOLVER_UNKNOWN, f"{text}: {reason}")
    return Unknown(Reason.NO_PROGRESS, f"{text} is not excluded by its interpolants")


def _way(texts: PlaceTexts, nodes: Iterable[Node | LabelledNode]) -> str:
    return texts.described([node.place for node in nodes])
