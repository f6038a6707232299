"""Predicates that split a frontier: weaker than the step's preimage, and false on the runs that got there.

`Suitable` follows the thesis (section 3.2): the weakest precondition of the target, of which the conjuncts in an unsat
core are kept; where arbitrary values cannot be eliminated, it is projected on the aliasing of the concrete state.
`interpolant` separates the path from the preimage by what an interpolation method says, which is often smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit
from counterpoint.engines.dash.frontier import QUERY_SECONDS
from counterpoint.engines.dash.projection import compares_addresses, project
from counterpoint.logic.interpolation.standard import GENERAL_FIRST, standard_interpolator
from counterpoint.logic.path_queries import PathQueries
from counterpoint.logic.preimages import Preimage, Preimages
from counterpoint.regions.cut_graph import Place
from counterpoint.solver.answers import Unsat
from counterpoint.solver.interpolation import Interpolants, Interpolator
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, size, variables

INTERPOLATION_SECONDS = 3.0
"""Limit of one interpolation."""

ONE_METHOD = (("bitwuzla", 1.0),)
"""Where weakest preconditions have failed: the fastest method that does not work like them."""

MOST_PINNED = 40
"""Components and elements whose values, all together, may be what a predicate excludes."""


@dataclass(slots=True)
class Refinement:
    """RefinePred. With `interpolate`, interpolants come first and preimages second. `counts` says what was used."""

    explored: Explored
    preimages: Preimages
    paths: PathQueries
    interpolate: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    _interpolator: Interpolator | None = None

    def predicate(self, visit: Visit, target: Place, literals: Sequence[V]) -> V | None:
        """Holds in all states at the visit's place from which a step leads to states of the target with these
        literals, and in none that runs along the visit's path are in (at least not in the visit's). None if none was
        found."""
        preimage = self.preimages.of(visit.node.place, target, literals)
        ways = [self._weakest, self._projected, self._interpolant, self._pinned]
        if self.interpolate:
            ways = [self._interpolant, self._weakest, self._projected, self._pinned]
        for way in ways:
            found = way(visit, preimage)
            if found is not None:
                name = way.__name__.strip("_")
                self.counts[name] = self.counts.get(name, 0) + 1
                return found
        return None

    # ------------------------------------------------------------ weakest preconditions

    def _weakest(self, visit: Visit, preimage: Preimage) -> V | None:
        """Conjuncts of the preimage that no run along the path fulfils together."""
        parts = list(conjuncts(preimage.formula))
        if preimage.exact and len(parts) == 1:
            return parts[0]  # the question is that of the frontier
        return self._core(visit, [], parts)

    def _core(self, visit: Visit, given: Sequence[V], parts: Sequence[V]) -> V | None:
        """Of the conjuncts those that runs along the path, where `given` holds, do not fulfil together."""
        parts = sorted(parts, key=lambda part: (len(variables(part)), size(part)))
        at = self.explored.at
        values = [at(visit.node, part) for part in parts]
        for part, value in zip(parts, values, strict=True):
            if value == 0:
                return part
        known = [at(visit.node, part) for part in given]
        answer = self.paths.along(visit.node, known, QUERY_SECONDS, "core", assumptions=values)
        if not isinstance(answer, Unsat):
            return None
        chosen = set(answer.core)
        return build.conjunction([p for p, v in zip(parts, values, strict=True) if v in chosen])

    def _projected(self, visit: Visit, preimage: Preimage) -> V | None:
        """Section 3.2.1: not(alias) or the preimage under the aliasing that the visit's state has."""
        if preimage.exact:
            return None
        place = visit.node.place
        encoded = self.preimages.encoded
        chooses = compares_addresses(
            encoded.pointers(place), lambda variable: not encoded.is_component(place, variable)
        )
        projected = project(preimage.full, lambda term: self.explored.value(visit, term), chooses)
        if not projected.alias:
            return None
        gone = self.preimages.eliminated(place, projected.formula)
        core = self._core(visit, projected.alias, list(conjuncts(gone.formula)))
        return None if core is None else build.implies(build.conjunction(list(projected.alias)), core)

    # ------------------------------------------------------------ other ways

    def _interpolant(self, visit: Visit, preimage: Preimage) -> V | None:
        """A formula over components that follows from the path and contradicts the preimage, negated."""
        place = visit.node.place
        here = [v for v in variables(preimage.full) if self.preimages.encoded.is_component(place, v)]
        values = {v: self.explored.tree.value(visit.node, v) for v in here}
        if any(value is None for value in values.values()):
            return None
        links = [_equal(v, value) for v, value in values.items() if value is not None]
        path = self.paths.slice(visit.node, links)
        parts = (build.conjunction([*path, *links]), preimage.full)
        if self._interpolator is None:
            self._interpolator = standard_interpolator(GENERAL_FIRST if self.interpolate else ONE_METHOD)
        match self._interpolator.interpolate(parts, INTERPOLATION_SECONDS):
            case Interpolants((formula,)) if formula not in (0, 1) and not self._strangers(place, formula):
                return build.not_(formula)
        return None

    def _strangers(self, place: Place, formula: V) -> bool:
        return any(not self.preimages.encoded.is_component(place, v) for v in variables(formula))

    def _pinned(self, visit: Visit, preimage: Preimage) -> V | None:
        """The visit's own state, as far as the preimage speaks of it, if no step leads from there to the target."""
        place = visit.node.place
        here = [v for v in variables(preimage.full) if self.preimages.encoded.is_component(place, v)]
        equal = [_equal(v, self.explored.value(visit, v)) for v in here if not isinstance(v.sort, ArraySort)]
        equal += self._elements(visit, preimage.full)
        equal = [part for part in dict.fromkeys(equal) if part != 1]
        if len(equal) > MOST_PINNED:
            return None
        answer = self.paths.queries.check([preimage.full], equal, QUERY_SECONDS, "pinned")
        if not isinstance(answer, Unsat):
            return None
        chosen = set(answer.core)
        return build.not_(build.conjunction([part for part in equal if part in chosen]))

    def _elements(self, visit: Visit, formula: V) -> list[V]:
        """The elements of arrays that the formula reads at indices known in the visit's state, and what they are."""
        found: list[V] = []
        known = partial(self.preimages.encoded.is_component, visit.node.place)
        for term in reachable((formula,)):
            if term.op is not Op.SELECT:
                continue
            array = term.args[0]
            while isinstance(array, Term) and array.op is Op.STORE:
                array = array.args[0]
            if isinstance(array, Term) and known(array) and all(known(v) for v in variables(term.args[1])):
                element = build.select(array, self.explored.value(visit, term.args[1]))
                if isinstance(element, Term):
                    found.append(_equal(element, self.explored.value(visit, element)))
        return found


def _equal(variable: Term, value: V) -> V:
    if isinstance(variable.sort, BitVec):
        return build.eq(variable, value, variable.sort.width)
    if variable.sort is BOOL:
        return build.iff(variable, value)
    return 1  # nothing is said of arrays and floats
