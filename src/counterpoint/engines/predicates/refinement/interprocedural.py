"""Why a trace with procedure calls has no run: interprocedural cuts, which give well-scoped predicates.

At a point of an activation that returns, the first side is the activation's own part up to there, and the second side
all else: what they have in common are the callee's parameters and what is visible at the point. An activation that
does not return before the error is cut like the caller, since nothing of the caller comes later. From the inside out,
what is found for a callee's EXIT replaces the callee's formula: the formulas of all activations fit together.

`prefixes` cuts activations by what comes before in the whole run: what is known of global variables when the callee is
entered, as far as it can be said there.

Source: slides 60 to 65; Henzinger, Jhala, Majumdar, McMillan (POPL 2004), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.refinement.explanations import Refinement
from counterpoint.engines.predicates.traces.activations import Activation
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.logic.elimination import eliminate
from counterpoint.logic.interpolation.checked import products_solved
from counterpoint.logic.interpolation.cuts import Clock, Core, core_of
from counterpoint.regions.cut_graph import Place
from counterpoint.solver.interpolation import Interpolants
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(slots=True)
class Cuts:
    """Interpolates a trace that has no run. `found` are the predicates for each place, `reasons` say why there are none
    for some activations, `summaries` are what was found for callees' EXITs."""

    refinement: Refinement
    whole: TraceFormula
    prefixes: bool = False
    general: bool = False
    found: dict[Place, list[V]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    summaries: dict[Activation, V] = field(default_factory=dict)

    def interpolate(self) -> None:
        """All activations, innermost first. Of the formula only what the contradiction needs is left."""
        core = core_of(self.whole.pieces(), products_solved, Clock(self.refinement.limit()))
        if isinstance(core, Core):
            self.whole = self.whole.with_pieces(iter(core.parts))
        for part in self.whole.inside():
            self._callee(part)
        self._sequence(self.whole, self.whole.parts_with_calls(self.summaries), 1)

    def _callee(self, part: TraceFormula) -> None:
        before, behind = self.whole.split_at(part.trace, self.summaries)
        own = part.parts_with_calls(self.summaries)
        if all(formula == 1 for formula in own):
            self.summaries[part.trace] = 1
            return
        if self.prefixes:
            formulas = self._sequence(part, [build.conjunction(before), *own, build.conjunction(behind)], 0)
        else:
            formulas = self._sequence(part, [*own, build.conjunction([*before, *behind])], 1)
        if formulas:
            self.summaries[part.trace] = formulas[-1]

    def _sequence(self, part: TraceFormula, sequence: Sequence[V], first: int) -> Sequence[V]:
        """Interpolants of the sequence, the first of them for that cut of the activation; none if none are found."""
        if len(sequence) < 2:
            return ()
        answer = self.refinement.interpolated(sequence, self.general)
        if not isinstance(answer, Interpolants):
            self.reasons.append(getattr(answer, "reason", "the other parts are consistent"))
            return ()
        for cut, formula in enumerate(answer.formulas, first):
            known = self.found.setdefault(part.trace.place(cut), [])
            for said in _sayable(part, cut, formula):
                known += (p for p in self.refinement.predicates(said) if p not in known)
        return answer.formulas


def cuts_of(trace: TraceFormula, refinement: Refinement, budget: Budget) -> Iterator[Cuts]:
    """One way of cutting the trace after the other, of what the contradiction needs. Raises OutOfBudget."""
    for prefixes, general in ((False, False), (True, False), (False, True), (True, True)):
        budget.spend()
        cuts = Cuts(refinement, trace, prefixes, general)
        cuts.interpolate()
        trace = cuts.whole
        yield cuts


def _sayable(part: TraceFormula, cut: int, formula: V) -> list[V | None]:
    """The formula over the components there; if it speaks of anything else, what follows from it, and what it follows
    from. None (for the count) if that is nothing."""
    over = part.over_components(cut, formula)
    if over is not None:
        return [over]
    strangers = part.instances[cut].strangers(formula)
    weaker = eliminate(formula, strangers).formula
    stronger = build.not_(eliminate(build.not_(formula), strangers).formula)
    found = [part.over_components(cut, said) for said in (weaker, stronger) if said not in (0, 1)]
    return list(found) or [None]
