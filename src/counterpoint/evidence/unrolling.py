"""Re-checks a proof by complete unrolling.

The program is unrolled by the checker's own walk (evidence/walk.py), all calls walked. Only the edge and call instances
that the certificate names are not followed. What must be impossible is: a check that fails, an instance that the
certificate cuts, a construct without a meaning.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.evidence.runs import Claims, UncutWays
from counterpoint.evidence.walk import Node, Walk
from counterpoint.program import model as m
from counterpoint.program.instances import call_name, edge_name
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.encodings import TEXTS, Encodings
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.memory import static_memory
from counterpoint.semantics.objects import World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class CompleteUnrolling(Certificate):
    """`cuts` are the edge instances that no run takes, written as docs/certificates.md says. With every check they are
    what has to be shown impossible."""

    preparation: str
    cuts: tuple[str, ...]

    kinds: ClassVar[tuple[str, ...]] = ("complete-unrolling",)
    encodings: ClassVar[Encodings] = {"cuts": TEXTS}

    def described(self) -> tuple[str, str]:
        return "complete unrolling", ""

    def conditions(self, program: m.Program, budget: Budget, apart: bool) -> Conditions:
        """All claims are one goal unless they are wanted `apart`. Raises OutOfBudget if unrolling takes too long."""

        def build_all(granules: dict[str, int]) -> Conditions:
            world, ends = World(program, granules), Cuts(frozenset(self.cuts))
            walk = Walk(world, ends, budget)
            walk.run(program.main, 0, State({}, static_memory(world), 1))
            violated = build.disjunction([formula for _, formula in ends.claims])
            indices = set[int]().union(*map(mentioned_objects, (violated, *world.axioms)))
            axioms = (*world.axioms, *address_axioms(world, indices))
            groups: dict[str, list[V]] = {}
            for what, formula in ends.claims:
                groups.setdefault(what if apart else "a claim", []).append(formula)
            goals = tuple(Goal(what, build.disjunction(formulas)) for what, formulas in groups.items())
            question = Question("the unrolling", axioms, goals, exact=True)
            return Conditions((question,), len(ends.claims), walk.instructions)

        return with_granules(build_all)

    def claims(self, program: m.Program) -> Claims:
        return UncutWays(program, frozenset(self.cuts))


CERTIFICATE = CompleteUnrolling


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

    def begin(self, here: Node) -> None:
        """No state is changed there."""
