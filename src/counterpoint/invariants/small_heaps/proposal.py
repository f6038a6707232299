"""What small heaps tell of candidates: which ones may be inductive, and a small proof, if they hold one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.heap_blocks import basics
from counterpoint.invariants.small_heaps.fixpoint import SmallHeaps
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import Fact, ghosts


@dataclass(frozen=True, slots=True)
class Proposal:
    """`kept` are inductive in small heaps; `proof`: a few of them that also exclude every failing check there, None
    where even all of them do not."""

    kept: tuple[Fact, ...]
    proof: tuple[Fact, ...] | None


def propose(graph: CutGraph, candidates: Sequence[Fact], budget: Budget, seed: int) -> Proposal:
    """Where time is over, the candidates as they are. There may be no calls by contract."""
    small = SmallHeaps(graph, budget, seed)
    kept = tuple(candidates)
    try:
        kept = tuple(small.keep(candidates))
        if not small.is_safe():
            return Proposal(kept, None)
        return Proposal(kept, tuple(small.needed(_basic(graph, frozenset(kept)))))
    except OutOfBudget:
        return Proposal(kept, None)
    finally:
        small.close()


def _basic(graph: CutGraph, kept: frozenset[Fact]) -> Iterator[Fact]:
    """What a small heap does not need to be told, but proofs do: sizes; where pointers point that may point to dead
    blocks; what is easier to keep than what follows from it; and that variables point to nothing that is made later."""
    for closed, earlier, others in basics(graph):
        if closed in kept:
            yield from (closed, *(fact for fact in earlier if not ghosts(fact.formula)))
        else:
            yield from (*earlier, *others)
