"""A proof of the whole that is made of proofs of parts: of the program focused on some of the checks each.

Why that is enough: program/focus.py. Each part is checked as a proof by itself, on its focus; together they have to be
about all checks of the task.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.portfolio.result import Proof, ProofRuns

KIND = "composed"
"""The kind of such a proof in results."""


@dataclass(frozen=True, slots=True)
class Composed:
    """Claims to prove a task: each certificate its checks (indices into Program.checks), the others assumed."""

    parts: tuple[tuple[frozenset[int], Certificate], ...]


def composed_proof(proofs: Sequence[tuple[frozenset[int], Proof]]) -> Proof:
    """The accepted proofs of the parts as one."""
    parts = [{"checks": sorted(checks), "kind": proof.kind, "content": proof.content} for checks, proof in proofs]
    said = "; ".join(f"{len(checks)} checks: {proof.summary}" for checks, proof in proofs)
    summary = f"a proof in {len(proofs)} parts, each of which assumes what the others prove. {said}"
    invariants = dict.fromkeys(invariant for _, proof in proofs for invariant in proof.invariants)
    return Proof(KIND, summary, {"parts": parts}, tuple(invariants), _together([proof.runs for _, proof in proofs]))


def _together(runs: Sequence[ProofRuns]) -> ProofRuns:
    return ProofRuns(
        sum(run.native_runs for run in runs),
        sum(run.runs for run in runs),
        sum(run.states for run in runs),
        sum(run.claims for run in runs),
        sum(run.evaluated for run in runs),
        round(sum(run.seconds for run in runs), 3),
        "; ".join(dict.fromkeys(run.note for run in runs if run.note)),
    )
