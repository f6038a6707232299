"""Which equations hold at all places of a cut graph, by abstract interpretation: no runs, no solver.

A place's abstract value is the affine hull of what its columns, products of components' values, may be. A way maps it
case by case: what the choices of its values ask for is told apart, so two values that are chosen by one condition keep
what they have in common. What is no sum of products of the columns may be anything; equations among the conditions cut
the space, and so do those at the exits of functions that were called.

Columns are integers: a run's numbers are what these become modulo 2**width, as long as every operation that is
looked through respects that, so an equation between integers is one modulo 2**width. Equations among conditions are
taken for integers' (a guess).

Source: Karr (Acta Informatica 6, 1976); with products, Müller-Olm and Seidl, Computing polynomial program invariants
(IPL 91, 2004); modulo 2**w, King and Søndergaard (VMCAI 2010). Deviations: over a field, so that equations whose
coefficients are multiples of a power of 2 are lost; case distinctions within regions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations_with_replacement
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.invariants.linear_space import ONE, LinearSpace, image
from counterpoint.invariants.nullspace import PRIME
from counterpoint.invariants.sums_of_products import Monomial, Polynomial, Reading, cases, multiplied
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_ROUNDS = 400
"""Times that a region is looked at, in all."""

Equation: TypeAlias = Mapping[Monomial, int]
"""Integer coefficients of products of components; () is 1. Their sum is 0."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One case of a way: `factors` by column, for the columns at the target that it adds to; `mine` are the start's
    columns, of all others nothing is known there; the `equations` are 0; what calls before it `returned`."""

    factors: Mapping[int, Sequence[tuple[int, int]]]
    mine: frozenset[int]
    equations: tuple[Mapping[int, int], ...]
    returned: tuple[tuple[Place, Mapping[Term, Polynomial]], ...]


@dataclass(slots=True)
class AffineAnalysis:
    """Of `tracked` components (by their variables), in products of up to `degree`, as integers of `width` bits."""

    graph: CutGraph
    tracked: Mapping[Place, Sequence[Term]]
    width: int
    degree: int
    optimistic: bool
    budget: Budget
    spaces: dict[Place, LinearSpace] = field(default_factory=dict)
    _columns: dict[Monomial, int] = field(default_factory=lambda: {(): ONE})
    _monomials: list[Monomial] = field(default_factory=lambda: [()])
    _cases: dict[int, list[_Case]] = field(default_factory=dict)

    def run(self) -> None:
        """To the fixpoint. Raises OutOfBudget."""
        start = LinearSpace()
        start.add({ONE: 1})
        self.spaces = {place: LinearSpace() for place in self.graph.cuts} | {START: start}
        waiting = [region for region in self.graph.regions if region.start == START]
        for _ in range(MOST_ROUNDS):
            if not waiting:
                return
            region = waiting.pop(0)
            for place in self._transfer(region):
                waiting += [r for r in self.graph.regions if r not in waiting and _uses(r, place)]
        self.spaces = {}

    def equations(self, place: Place, largest: int) -> Iterator[Equation]:
        """What holds at the place; nothing where no run was found to get."""
        space = self.spaces.get(place)
        if space is None or space.empty:
            return
        ordered = [self._column(product) for product in products(self.tracked[place], self.degree)]
        for form in space.annihilators(ordered, largest):
            yield {self._monomials[column]: value for column, value in form.items()}

    def implies(self, place: Place, equation: Equation) -> bool:
        """The equation follows from what holds at the place."""
        space = self.spaces.get(place)
        known = self._at(place)
        form = {self._column(product): factor for product, factor in equation.items()}
        if space is None or space.empty or not known.issuperset(form):
            return False
        return all(sum(f * row.get(c, 0) for c, f in form.items()) % PRIME == 0 for row in space.rows.values())

    # ------------------------------------------------------------ a region

    def _transfer(self, region: Region) -> list[Place]:
        """The places whose spaces grow."""
        source, grown = self.spaces[region.start], dict[Place, None]()
        if source.empty:
            return []
        for way in region.ways:
            for case in self._cases_of(region, way):
                self.budget.spend()
                before = self._before(source, case)
                if before is None:
                    continue
                target = self.spaces[way.target]
                for row in list(image(before, case.factors)):  # the target may be the start
                    if target.add(row):
                        grown[way.target] = None
        return list(grown)

    def _before(self, source: LinearSpace, case: _Case) -> LinearSpace | None:
        """What is true at the start where the case's equations hold; None if they cannot."""
        equations = list(case.equations)
        for place, values in case.returned:
            behind = self.spaces[place]
            if behind.empty:
                return None
            equations += self._returned(behind, place, values)
        free = {*case.factors, *(column for form in equations for column in form)} - case.mine
        if not free and not equations:
            return source
        space = source.copy()
        for column in free:
            space.add({column: 1})
        for form in equations:
            space.cut(form)
        return None if space.empty else space

    def _returned(
        self, space: LinearSpace, place: Place, values: Mapping[Term, Polynomial]
    ) -> Iterator[Mapping[int, int]]:
        """What the equations at the place say of what the call, or the framed loop, leaves."""
        ordered = [self._column(product) for product in products(self.tracked[place], self.degree)]
        for form in space.annihilators(ordered, 1 << 20):
            if any(unknown not in values for column in form for unknown in self._monomials[column]):
                continue
            total: dict[Monomial, int] = {}
            for column, value in form.items():
                part: Polynomial = {(): 1}
                for unknown in self._monomials[column]:
                    part = multiplied(part, values[unknown])
                for product, factor in part.items():
                    total[product] = (total.get(product, 0) + factor * value) % PRIME
            yield self._row({product: value for product, value in total.items() if value})

    # ------------------------------------------------------------ its cases

    def _cases_of(self, region: Region, way: Way) -> list[_Case]:
        key = id(way)
        if key not in self._cases:
            self._cases[key] = list(self._made(region, way))
        return self._cases[key]

    def _made(self, region: Region, way: Way) -> Iterator[_Case]:
        targets = [variable for variable in self.tracked[way.target] if variable in way.values.values]
        calls = [(call, call.returned) for call in _calls_before(region, way) if call.returned is not None]
        back = region.start_values.back_with
        terms = [way.formula, *(call.formula for call, _ in calls), *(way.values.values[v] for v in targets)]
        formula, *terms = back(terms, _stranger)
        conditions, values = terms[: len(calls)], terms[len(calls) :]
        behind = [dict(zip(r.values, back(r.values.values(), _stranger), strict=True)) for _, r in calls]
        mine = self._at(region.start)

        def read(reading: Reading) -> object:
            made = [isinstance(each, int) or reading.holds(each) for each in conditions]
            return made, [reading.of(value) for value in values], list(reading.equations())

        for reading in cases(self.width, self.degree, self.optimistic, formula, read):
            self.budget.spend()
            known = {target: reading.of(value) for target, value in zip(targets, values, strict=True)}
            returned = tuple(
                (call.behind, _tried(reading, after))
                for (call, _), condition, after in zip(calls, conditions, behind, strict=True)
                if call.behind is not None and condition != 0
                if isinstance(condition, int) or reading.holds(condition)
            )
            yield self._case(way.target, known, mine, reading, returned)

    def _case(
        self,
        target: Place,
        known: Mapping[Term, Polynomial],
        mine: frozenset[int],
        reading: Reading,
        returned: tuple[tuple[Place, Mapping[Term, Polynomial]], ...],
    ) -> _Case:
        factors: dict[int, list[tuple[int, int]]] = {}
        for product in products(self.tracked[target], self.degree):
            value: Polynomial = {(): 1}
            for variable in product:
                value = multiplied(value, known.get(variable, {(variable,): 1}))
            for column, factor in self._row(value).items():
                factors.setdefault(column, []).append((self._column(product), factor))
        equations = tuple(self._row(each) for one in reading.equations() for each in self._multiples(one, mine))
        return _Case(factors, mine, equations, returned)

    def _multiples(self, equation: Polynomial, mine: frozenset[int]) -> Iterator[Polynomial]:
        """The equation times products of the start's columns, as far as the degree allows."""
        yield equation
        room = self.degree - max(map(len, equation), default=0)
        for column in sorted(mine):
            product = self._monomials[column]
            if 0 < len(product) <= room:
                yield multiplied(equation, {product: 1})

    # ------------------------------------------------------------ columns

    def _at(self, place: Place) -> frozenset[int]:
        return frozenset(self._column(product) for product in products(self.tracked.get(place, ()), self.degree))

    def _column(self, product: Monomial) -> int:
        found = self._columns.get(product)
        if found is None:
            found = self._columns[product] = len(self._monomials)
            self._monomials.append(product)
        return found

    def _row(self, value: Polynomial) -> dict[int, int]:
        return {self._column(product): factor for product, factor in value.items()}


def products(variables: Sequence[Term], degree: int) -> list[Monomial]:
    """All products of up to `degree` of the variables, by degree."""
    made = (m for d in range(degree + 1) for m in combinations_with_replacement(variables, d))
    return [tuple(sorted(m, key=lambda term: term.index)) for m in made]


def _stranger(symbol: Term) -> V:
    """A name for what no component at the start stands for."""
    return build.variable(f"any.{symbol.op.name}.{symbol.payload}", symbol.sort)


def _tried(reading: Reading, values: Mapping[Term, V]) -> Mapping[Term, Polynomial]:
    """Those that depend on no condition that the case does not know."""
    found = ((name, reading.tried(value)) for name, value in values.items())
    return {name: value for name, value in found if value is not None}


def _calls_before(region: Region, way: Way) -> list[Way]:
    """The region's calls by contract that a run on the way may have made."""
    calls = [other for other in region.ways if not other.leaves]
    return calls if way.leaves else calls[: next(k for k, other in enumerate(calls) if other is way)]


def _uses(region: Region, place: Place) -> bool:
    """What holds at the place bears on what the region makes."""
    return region.start == place or any(way.behind == place for way in region.ways)


def unknowns(equation: Equation) -> Collection[Term]:
    """The components that it is about."""
    return dict.fromkeys(variable for product in equation for variable in product)
