"""Re-checks a proof by complete unrolling.

The program is unrolled by the checker's own walk (evidence/walk.py), all calls walked. Only the edge and call instances
that the certificate names are not followed. What must be impossible is: a check
that fails, an instance that the certificate cuts, a construct without a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.evidence.walk import Node, Walk
from counterpoint.program import model as m
from counterpoint.program.instances import call_name, edge_name
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.memory import static_memory
from counterpoint.semantics.objects import World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Obligation:
    """No run may fulfil a claim (what it is, formula); `axioms` hold on every run."""

    claims: tuple[tuple[str, V], ...]
    axioms: tuple[V, ...]
    instructions: int


@dataclass(slots=True)
class Cuts:
    """The walk's ends: the instances that the certificate names. Collects the claims."""

    names: frozenset[str]
    claims: list[tuple[str, V]] = field(default_factory=list)

    def claim(self, what: str, formula: V) -> None:
        self.claims.append((what, formula))

    def edge(self, here: Node, target: int, again: bool, guard: V, state: State) -> bool:
        if not again:
            return False
        activation = here.activation
        name = edge_name(activation.name, activation.function.name, here.block, here.iterations, target)
        if name not in self.names:
            return False
        self.claims.append((f"the cut at {name}", guard))
        return True

    def call(self, call: m.Call, position: int, here: Node) -> str | None:
        activation = here.activation
        name = call_name(activation.name, activation.function.name, here.block, position, here.iterations)
        if name not in self.names:
            return name
        self.claims.append((f"the cut at {name}", here.guard))
        here.guard = 0
        return None

    def end(self, here: Node, results: tuple[V, ...]) -> None:
        """The run is over."""


def obligation(program: m.Program, cuts: frozenset[str], budget: Budget) -> Obligation:
    """The verification condition of the certificate. Raises OutOfBudget if unrolling takes too long, Unsupported."""

    def build_all(granules: dict[str, int]) -> Obligation:
        world, ends = World(program, granules), Cuts(cuts)
        walk = Walk(world, ends, budget)
        walk.run(program.main, 0, State({}, static_memory(world), 1))
        violated = build.disjunction([formula for _, formula in ends.claims])
        indices = set[int]().union(*map(mentioned_objects, (violated, *world.axioms)))
        axioms = (*world.axioms, *address_axioms(world, indices))
        return Obligation(tuple(ends.claims), axioms, walk.instructions)

    return with_granules(build_all)
