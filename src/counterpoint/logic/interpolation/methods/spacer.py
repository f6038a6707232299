"""z3's Spacer: one relation per cut over the shared symbols, one Horn clause per part.

Spacer solves such clauses by property directed reachability, so its relations are sequence interpolants
[Spacer: Komuravelli, Gurfinkel, Chaki, CAV 2014; Horn clauses as interpolation: Rybalchenko et al., PLDI 2012].
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.attempts import CONFIGURATIONS, SpacerAttempt
from counterpoint.logic.horn.clauses import Atom, Clause, Horn
from counterpoint.logic.horn.race import alone
from counterpoint.logic.horn.view import Refuted, Solved, Undecided
from counterpoint.logic.interpolation.cuts import has_floats, shared_symbols
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolants, Interpolation
from counterpoint.term import build
from counterpoint.term.term import Term, V

LONGEST: Final = 60.0
"""Seconds where no limit is given."""


@dataclass(frozen=True, slots=True)
class Spacer:
    """Spacer in the view `configuration` (logic/horn/attempts.py), in a process of its own: z3 does not always
    listen to its clock.

    Bools, bit-vectors and arrays (not their equality); SolverUnknown for floats. Over the integers a proof says that
    nothing overflows, and some operations are arbitrary, so that there may be no answer for a contradiction; the
    formulas are right over integers only (`Checked` asks about bits). Never answers Consistent: where Spacer derives
    a contradiction's absence the answer is SolverUnknown("consistent").
    """

    name: str = "spacer"
    configuration: str = "bv"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        if has_floats(parts):
            return SolverUnknown("floats")
        importlib.import_module("z3")  # before the fork, so that it is done once
        horn = clauses_of(parts)
        configuration = CONFIGURATIONS[self.configuration]
        outcome = alone(lambda: SpacerAttempt(horn, configuration), LONGEST if seconds is None else seconds)
        match outcome:
            case Solved(facts=facts):
                at: list[list[V]] = [[] for _ in parts[1:]]
                for fact in facts:
                    at[fact.block].append(fact.formula)
                return Interpolants(tuple(build.conjunction(formulas) for formulas in at))
            case Refuted():
                return SolverUnknown("consistent")
            case Undecided(reason=reason):
                return SolverUnknown(reason)


def clauses_of(parts: Sequence[V]) -> Horn:
    """`P0 <- part 0`, `P1 <- P0, part 1`, ..., `failure <- Pn, part n + 1`."""
    relations: dict[tuple[str, int], tuple[Term, ...]] = {}
    atoms: list[Atom] = []
    for number, shared in enumerate(shared_symbols(parts)):
        relations["cut", number] = shared
        atoms.append(Atom(("cut", number), shared, shared))
    clauses = [
        Clause(head, body, part)
        for part, head, body in zip(parts, [*atoms, None], [(), *((atom,) for atom in atoms)], strict=True)
    ]
    return Horn(relations, tuple(clauses))


METHOD: Final = Spacer()
