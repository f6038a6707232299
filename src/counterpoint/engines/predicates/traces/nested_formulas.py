"""How the formula of a trace with calls inside is made: backwards what it depends on, forwards its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces.formulas import Abstract, comparable, equal
from counterpoint.engines.predicates.traces.nested import Activation, NestedFormula, Position
from counterpoint.regions.encoded_steps import Passed
from counterpoint.regions.instance import Instance, tagged
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

Returned: TypeAlias = Callable[[str, float], V]
"""What is known at a callee's EXIT, as far as nodes with smaller numbers than that say so."""


def nested_formula(formulas: EdgeFormulas, trace: Activation, returned: Returned) -> NestedFormula:
    """Of the runs along the trace, from the start. Linear in the edges' formulas. Raises OutOfBudget and
    GranuleConflict."""
    builder = _Builder(formulas, returned)
    return builder.formula(trace, builder.needs(trace, []), {})


@dataclass(slots=True)
class _Needs:
    """The components that an activation's formula follows, before each edge and at the end, and in entered calls."""

    cuts: list[list[Term]]
    inner: dict[Position, _Needs] = field(default_factory=dict)


@dataclass(slots=True)
class _Builder:
    formulas: EdgeFormulas
    returned: Returned

    def passed(self, edge: Edge) -> list[Passed]:
        return self.formulas.encoded.passed(edge.source)

    def guard(self, trace: Activation, number: int) -> V:
        """On these runs the edge is taken."""
        edge = trace.edges[number]
        entered = {call for call, _ in trace.at(number)}
        callees = enumerate(self.formulas.callees(edge))
        limit = trace.limits[number]
        back = [1 if n in entered else self.returned(callee, limit) for n, callee in callees]
        return build.conjunction([self.formulas.guard(edge, back), *trace.abstract[number].facts])

    def said(self, edge: Edge, components: Sequence[Term]) -> dict[Term, tuple[V, ...] | None]:
        """For each component behind the edge its value and the axioms about it; None for an arbitrary one."""
        values = {c: self.formulas.value(edge, c) for c in components}
        return {c: None if v is None else (v.formula, *v.axioms) for c, v in values.items()}

    # ------------------------------------------------------------ what is followed

    def needs(self, trace: Activation, at_end: list[Term]) -> _Needs:
        """Backwards: what the formula, and the components at the end, depend on."""
        found = _Needs([_with_abstract(at_end, trace.abstract[-1])])
        for number in reversed(range(len(trace.edges))):
            edge = trace.edges[number]
            said = self.said(edge, found.cuts[-1])
            terms = [self.guard(trace, number), *(v for values in said.values() for v in values or ())]
            for call, inner in reversed(trace.at(number)):
                passed = self.passed(edge)[call]
                terms.append(passed.formula)
                used = set(variables(*terms))
                wanted = [c for c, v in _changed(passed) if not used.isdisjoint(variables(v))]
                there = found.inner[number, call] = self.needs(inner, wanted)
                terms += [passed.before[c] for c in there.cuts[0] if c in passed.before]
            here = self.formulas.components_in(edge.source, terms)
            found.cuts.append(_with_abstract(here, trace.abstract[number]))
        found.cuts.reverse()
        return found

    # ------------------------------------------------------------ formulas

    def formula(self, trace: Activation, needs: _Needs, state: Mapping[Term, V]) -> NestedFormula:
        """Forwards, from the components' values at the start."""
        name = trace.name
        found = NestedFormula(trace, instances=[Instance(state, f"@{name}0")])
        for number, edge in enumerate(trace.edges):
            said = self.said(edge, needs.cuts[number + 1])
            here = found.instances[-1]
            group, back = self._calls(found, number, needs, here, f"@{name}{number}")
            following, equations = self._following(edge, said, here, f"@{name}{number + 1}")
            guard = here.of(self.guard(trace, number))
            found.groups.append([*group, build.conjunction([guard, *back, *equations])])
            found.instances.append(Instance(following, f"@{name}{number + 1}"))
        return found

    def _calls(
        self, found: NestedFormula, number: int, needs: _Needs, here: Instance, tag: str
    ) -> tuple[list[V | NestedFormula], list[V]]:
        """The entered calls on the edge, and what they leave behind; arrays are defined in `here`."""
        group: list[V | NestedFormula] = []
        back: list[V] = []
        trace = found.activation
        for call, inner in trace.at(number):
            passed, below = self.passed(trace.edges[number])[call], needs.inner[number, call]
            begin, entry = _entry(passed, below.cuts[0], here, f"{tag}.{call}")
            told = found.inner[number, call] = self.formula(inner, below, entry)
            group += [begin, told]
            for component in below.cuts[-1]:
                left, value = told.instances[-1].values[component], passed.after.get(component)
                if value is None:
                    continue
                if comparable(component):
                    back.append(equal(component, here.of(value), left))
                elif isinstance(value, Term) and value.op is Op.VARIABLE:
                    here.define(value, left)
        return group, back

    def _following(
        self,
        edge: Edge,
        said: Mapping[Term, Sequence[V] | None],
        here: Instance,
        tag: str,
    ) -> tuple[dict[Term, V], list[V]]:
        """(the components behind the edge, what they are). What the edge leaves as it is keeps its variable, so that
        formulas that speak of earlier values have a meaning there."""
        following: dict[Term, V] = {}
        for component, before in here.values.items():
            value = self.formulas.value(edge, component)
            if value is not None and value.formula is component:
                following[component] = before
        equations: list[V] = []
        taken = set(following.values())
        for component, values in said.items():
            fresh = tagged(component, tag)
            if values is None:
                following[component] = fresh
                continue
            what, *axioms = here.of_all(values)
            equations += axioms
            renames = isinstance(what, Term) and what.op is Op.VARIABLE and what not in taken
            if renames or not comparable(component):
                following[component] = what
                taken.add(what)
            elif what is following.get(component):
                continue
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
        value = passed.before.get(component)
        entry[component] = fresh
        if value is not None and comparable(component):
            begin.append(equal(component, fresh, here.of(value)))
        elif value is not None:
            entry[component] = here.of(value)
    return build.conjunction(begin), entry


def _with_abstract(components: Sequence[Term], there: Abstract) -> list[Term]:
    """Those that an abstract state speaks of as well."""
    return list(dict.fromkeys([*components, *variables(there.formula, *there.tracked)]))


def _changed(passed: Passed) -> list[tuple[Term, V]]:
    """The components that the call may change, with their values behind it."""
    return [(c, value) for c, value in passed.after.items() if value is not passed.before.get(c)]
