"""Answers that several engines give: proofs by invariants, and why there is no verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from counterpoint.core.budget import Budget
from counterpoint.core.source import is_undefined
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.verdict import Reason, Safe, Unknown
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.encodings import Hints
from counterpoint.semantics.facts import Fact


def invariant_proof(graph: CutGraph, preparation: str, facts: Iterable[Fact], hints: Hints = ()) -> Safe:
    """The facts at the graph's places are inductive together, and exclude every failure; `hints` help its checker."""
    return Safe(_certificate(graph, preparation, facts, hints))


def proof_by(houdini: Houdini, preparation: str, needed: Sequence[Fact] | None = None) -> Safe:
    """What is `needed` of Houdini's facts (it is asked if that is not given), where these exclude every failure."""
    facts = houdini.needed() if needed is None else needed
    safe = invariant_proof(houdini.graph, preparation, facts)
    if len(houdini.supported) <= len(facts):
        return safe
    return replace(safe, spare=_certificate(houdini.graph, preparation, houdini.supported))


def _certificate(
    graph: CutGraph, preparation: str, facts: Iterable[Fact], hints: Hints = ()
) -> InductiveInvariants:
    granules, contracts = tuple(sorted(graph.granules.items())), graph.program.contracts
    return InductiveInvariants(preparation, tuple(facts), granules, contracts, bool(graph.framed), hints)


def unmodelled(said: Iterable[str]) -> Unknown:
    """Runs meet what has no meaning: UNDEFINED if it has none in C, wherever that is (`Site.without_meaning`)."""
    reasons = [reason for reason in dict.fromkeys(said) if reason]
    undefined = bool(reasons) and all(is_undefined(reason) for reason in reasons)
    return Unknown(Reason.UNDEFINED if undefined else Reason.UNSUPPORTED, "; ".join(reasons))


def unanswered(reason: str, budget: Budget) -> Unknown:
    """A query that decides has no answer, for that reason or because the time is over."""
    if budget.remaining() <= 0:
        return Unknown(Reason.OUT_OF_TIME, "while solving")
    return Unknown(Reason.SOLVER_UNKNOWN, reason)
