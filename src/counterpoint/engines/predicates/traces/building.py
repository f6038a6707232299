"""How the formula of a trace is made: backwards what it depends on, forwards its parts.

A component that an edge leaves as it is keeps its variable; one that changes gets a new one, and the part says what it
is (static single assignment). So does a copy of another component: that they are equal is for a predicate to say.
Arrays and floats are substituted instead: no solver's interpolants speak of their equality; of arrays that later parts
read at constant indices only, these elements are followed. Only components that later parts depend on are. Values of
a callee's components at its entry are the call's `before` values, `after` values are those at its EXIT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces import cells
from counterpoint.engines.predicates.traces.activations import Abstract, Activation, Position, flat
from counterpoint.engines.predicates.traces.formulas import Entered, TraceFormula
from counterpoint.regions.encoded_steps import Finished, Passed
from counterpoint.regions.instance import Instance, is_static, tagged
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

Returned: TypeAlias = Callable[[str, float], V]
"""What is assumed at a callee's EXIT, as far as nodes with smaller numbers than that say so."""


def trace_formula(formulas: EdgeFormulas, edges: Sequence[Edge], abstract: Sequence[Abstract] = ()) -> TraceFormula:
    """Of the runs along the edges, from the start, or from any state there (whose components keep their names);
    `abstract` is the abstract state at the start of each edge. Linear in the edges' formulas. Raises OutOfBudget and
    GranuleConflict."""
    return formula_of(formulas, flat(edges, abstract))


def formula_of(formulas: EdgeFormulas, trace: Activation, returned: Returned | None = None) -> TraceFormula:
    """The same of a trace that may have calls inside. Of calls that are not entered, what the edges' formulas assume
    unless `returned` says something else."""
    builder = _Builder(formulas, returned, bool(trace.entered))
    first, encoded = trace.edges[0].source, formulas.encoded
    start = Instance({}, "@0", lambda symbol: is_static(symbol) or encoded.is_component(first, symbol))
    return builder.formula(trace, builder.needs(trace, []), start)


@dataclass(slots=True)
class _Needs:
    """The components that an activation's formula follows, before each edge and at the end, and in entered calls."""

    cuts: list[list[Term]]
    inner: dict[Position, _Needs] = field(default_factory=dict)


@dataclass(slots=True)
class _Builder:
    """`nested`: calls are entered, so that formulas of callees may speak of values from long before."""

    formulas: EdgeFormulas
    returned: Returned | None
    nested: bool

    # ------------------------------------------------------------ edges

    def _passed(self, edge: Edge, call: int) -> Passed:
        return self.formulas.encoded.passed(edge.source)[call]

    def _guard(self, trace: Activation, number: int) -> V:
        """On these runs the edge is taken."""
        edge = trace.edges[number]
        if self.returned is None:
            return self.formulas.guard(edge)
        entered = {call for call, _ in trace.at(number)}
        limit = trace.limits[number]
        callees = enumerate(self.formulas.callees(edge))
        return self.formulas.guard(edge, [1 if n in entered else self.returned(c, limit) for n, c in callees])

    def _value(self, edge: Edge, component: Term) -> Finished | None:
        """What a component at the edge's target, or an element of one, is at its source."""
        if component.op is not Op.SELECT:
            return self.formulas.value(edge, component)
        array, index = component.args
        assert isinstance(array, Term) and isinstance(index, int)
        whole = self.formulas.value(edge, array)
        if whole is None or not isinstance(whole.formula, Term):
            return None
        return Finished(cells.element(whole.formula, index), whole.axioms)

    # ------------------------------------------------------------ what is followed

    def needs(self, trace: Activation, at_end: list[Term]) -> _Needs:
        """Backwards: what the formula, and the components at the end, depend on."""
        end = trace.abstract[-1]
        found = _Needs([list(dict.fromkeys([*at_end, *variables(end.formula, *end.tracked)]))])
        for number in reversed(range(len(trace.edges))):
            edge, there = trace.edges[number], trace.abstract[number]
            values = [self._value(edge, component) for component in found.cuts[-1]]
            said = [part for value in values if value is not None for part in (value.formula, *value.axioms)]
            terms = [there.formula, *there.tracked, *there.facts, self._guard(trace, number), *said]
            for call, inner in reversed(trace.at(number)):
                passed = self._passed(edge, call)
                terms.append(passed.formula)
                used = set(variables(*terms))
                below = self.needs(inner, [c for c, v in _changed(passed) if not used.isdisjoint(variables(v))])
                found.inner[number, call] = below
                terms += [value for c in below.cuts[0] if (value := _before(passed, c)) is not None]
            found.cuts.append(cells.followed(self.formulas.components_in(edge.source, terms), terms))
        found.cuts.reverse()
        return found

    # ------------------------------------------------------------ formulas

    def formula(self, trace: Activation, needs: _Needs, here: Instance) -> TraceFormula:
        """Forwards, from the components' values at the start."""
        instances, parts = [here], list[V]()
        entered: dict[Position, Entered] = {}
        for number, edge in enumerate(trace.edges):
            values = {component: self._value(edge, component) for component in needs.cuts[number + 1]}
            back = self._enter(trace, number, needs, here, entered)
            part = [*here.of_all((self._guard(trace, number), *trace.abstract[number].facts)), *back]
            following, equations = _following(values, here, f"@{trace.name}{number + 1}")
            if self.nested:
                following = self._kept(edge, here) | following
            parts.append(build.conjunction([*part, *equations]))
            here = Instance(following, f"@{trace.name}{number + 1}")
            instances.append(here)
        there = list(zip(trace.abstract, instances, strict=True))
        abstract = tuple(now.of(state.formula) for state, now in there)
        tracked = tuple(tuple(now.of_all(state.tracked)) for state, now in there)
        return TraceFormula(trace, tuple(parts), tuple(instances), abstract, tracked, entered)

    def _enter(
        self, trace: Activation, number: int, needs: _Needs, here: Instance, entered: dict[Position, Entered]
    ) -> list[V]:
        """Enters the calls on the edge; what they leave behind. Arrays are defined in `here`."""
        back: list[V] = []
        for call, inner in trace.at(number):
            passed, below = self._passed(trace.edges[number], call), needs.inner[number, call]
            begin, values = _entry(passed, below.cuts[0], here, f"@{trace.name}{number}.{call}")
            formula = self.formula(inner, below, Instance(values, f"@{inner.name}0"))
            entered[number, call] = Entered(begin, formula)
            for component in below.cuts[-1]:
                left, value = formula.instances[-1].values[component], passed.after.get(component)
                if value is None:
                    continue
                if comparable(component):
                    back.append(equal(component, here.of(value), left))
                elif isinstance(value, Term) and value.op is Op.VARIABLE:
                    here.define(value, left)
        return back

    def _kept(self, edge: Edge, here: Instance) -> dict[Term, V]:
        """What the edge leaves as it is, followed or not: what was said of earlier values has a meaning behind it."""
        found: dict[Term, V] = {}
        for component, known in here.values.items():
            value = self._value(edge, component)
            if value is not None and value.formula is component:
                found[component] = known
        return found


def _following(
    values: Mapping[Term, Finished | None], here: Instance, tag: str
) -> tuple[dict[Term, V], list[V]]:
    """(the components behind an edge, what they are)."""
    following: dict[Term, V] = {}
    equations: list[V] = []
    taken: set[V] = set()
    for component, value in values.items():
        fresh = tagged(component, tag)
        if value is None:
            following[component] = fresh
            continue
        what, *axioms = here.of_all((value.formula, *value.axioms))
        equations += axioms
        renames = isinstance(what, Term) and what.op is Op.VARIABLE and what not in taken
        if renames or not comparable(component):
            following[component] = what
            taken.add(what)
        else:
            following[component] = fresh
            equations.append(equal(component, fresh, what))
    return following, equations


def _entry(passed: Passed, components: Sequence[Term], here: Instance, tag: str) -> tuple[V, dict[Term, V]]:
    """(the call is made with these values, the components at the callee's entry)."""
    begin = [here.of(passed.formula)]
    entry: dict[Term, V] = {}
    for component in components:
        fresh = tagged(component, tag)
        value = _before(passed, component)
        entry[component] = fresh
        if value is not None and comparable(component):
            begin.append(equal(component, fresh, here.of(value)))
        elif value is not None:
            entry[component] = here.of(value)
    return build.conjunction(begin), entry


def _before(passed: Passed, component: Term) -> V | None:
    """What a component, or an element of one, is when the call is made."""
    if component.op is not Op.SELECT:
        return passed.before.get(component)
    array, index = component.args
    assert isinstance(array, Term) and isinstance(index, int)
    whole = passed.before.get(array)
    return cells.element(whole, index) if isinstance(whole, Term) else None


def _changed(passed: Passed) -> list[tuple[Term, V]]:
    """The components that the call may change, with their values behind it."""
    return [(c, value) for c, value in passed.after.items() if value is not passed.before.get(c)]


def comparable(component: Term) -> bool:
    """Interpolants may speak of its equality."""
    return isinstance(component.sort, BitVec) or component.sort is BOOL


def equal(component: Term, left: V, right: V) -> V:
    """Two values of a component that is comparable are the same."""
    if isinstance(component.sort, BitVec):
        return build.eq(left, right, component.sort.width)
    return build.iff(left, right)
