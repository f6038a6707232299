"""Formulas of traces along random walks: models are runs, and one path of a trace is part of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates.graph.abstraction import Abstraction
from counterpoint.engines.predicates.graph.circuits import Circuits
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.refinement.explanations import conditions
from counterpoint.engines.predicates.traces.activations import Abstract
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.path_choice import Named, one_path
from counterpoint.engines.predicates.traces.runs import inputs_of
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.logic.state_sets import States
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import BASIC, ERROR, LARGE, Granularity, locations
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.layers import decide, standard_solver
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

PROGRAMS: Final = {
    "lock": """
        int main(void) {
            int held = 0, old, new = any();
            do { check(!held); held = 1; old = new; if (any() > 3) { held = 0; if (any()) new++; } } while (new != old);
            check(held);
        }""",
    "inputs": """
        int main(void) {
            unsigned char a = __VERIFIER_nondet_uchar(), n = 0;
            while (any() != 5) { unsigned char b = __VERIFIER_nondet_uchar(); if (b > a) a = b; else n += 2; check(n != 4 || a != 7); }
            check(n != 2 || a < 200);
        }""",
    "memory": """
        int g[3];
        int main(void) {
            unsigned i = any(); int *p = malloc(sizeof(int));
            *p = 1;
            while (any()) { if (i < 3) g[i] = any(); if (g[1] > 4) *p = g[1]; i++; }
            check(*p < 1 || i > 2);
        }""",
    "branches": """
        int main(void) {
            int x = any(), y = 0, z = any() ? x : 3;
            while (x > 0) { if (z > x) y++; else y = y + 2; if (y > 2) check(z != 77); x = x - (any() & 3); }
            check(y != 1);
        }""",
}

WALKS: Final = 10
LONGEST: Final = 5
"""Edges of a walk before it goes to an error where it can."""


@cache
def formulas(name: str, block: Granularity) -> EdgeFormulas:
    where = locations(program(PROGRAMS[name]), block)
    return EdgeFormulas(EncodedSteps(where, {}, Budget(60)), lambda place: 1)


def walk(of: EdgeFormulas, choose: random.Random, feasible: bool = False) -> list[Edge]:
    """From the start to the error, at random, shorter where nothing leads on; if `feasible`, along some run."""
    place: Place = START
    found: list[Edge] = []
    while place != ERROR and len(found) < 2 * LONGEST:
        edges = [edge for edge in of.edges_from(place) if not feasible or has_run(of, [*found, edge])]
        failing = [edge for edge in edges if edge.target == ERROR]
        if not edges:
            break
        ends = failing and (len(found) >= LONGEST or choose.random() < 0.3)
        found.append(failing[0] if ends else choose.choice(edges))
        place = found[-1].target
    return found


def has_run(of: EdgeFormulas, edges: Sequence[Edge]) -> bool:
    return isinstance(decide(trace_formula(of, edges).parts, 10.0), Sat)


def walks(name: str, block: Granularity, feasible: bool = False) -> list[list[Edge]]:
    choose = random.Random(f"{name} {block}")
    return [walk(formulas(name, block), choose, feasible) for _ in range(WALKS)]


def abstract_states(of: EdgeFormulas, edges: Sequence[Edge]) -> list[Abstract] | None:
    """Posts along the edges with the first conditions that the code asks at each place; None if one is empty."""
    circuits = Circuits(of, "bitwuzla")
    abstraction = Abstraction(States(), circuits, Budget(60))
    states, found = abstraction.states.all, [Abstract()]
    for edge in edges[:-1]:
        asked = (atom for onward in of.edges_from(edge.target) for atom in conditions(of.guard(onward)))
        about = [a for a in asked if isinstance(a, Term) and _over_components(of, edge.target, a)]
        tracked = tuple(dict.fromkeys(about))[:3]
        states = abstraction.post(edge, states, tracked)
        found.append(Abstract(abstraction.states.formula(states), tracked))
    empty = states == abstraction.states.none
    del states
    abstraction.clear()
    circuits.close()
    return None if empty else found


def _over_components(of: EdgeFormulas, place: Place, atom: V) -> bool:
    return all(of.encoded.is_component(place, variable) for variable in variables(atom))


def follows(part: V, what: V) -> bool:
    return isinstance(decide([part, build.not_(what)], 10.0), Unsat)


BLOCKS: Final = [(name, block) for name in PROGRAMS for block in (LARGE, BASIC)]


@pytest.mark.parametrize(("name", "block"), BLOCKS)
def test_models_are_runs(name: str, block: Granularity) -> None:
    """The inputs of a model of an error trace lead to a violation."""
    of, feasible = formulas(name, block), 0
    for edges in walks(name, block, feasible=True):
        trace = trace_formula(of, edges)
        answer = decide(trace.parts, 10.0)
        if isinstance(answer, Sat) and edges[-1].target == ERROR:
            feasible += 1
            inputs = inputs_of(of, trace, answer.model)
            outcome = run(of.encoded.where.program, ReplayInputs(inputs), Limits(steps=100_000)).outcome
            assert isinstance(outcome, Violated), (edges, inputs, outcome)
    assert feasible


@pytest.mark.parametrize("abstract", [False, True])
@pytest.mark.parametrize(("name", "block"), BLOCKS)
def test_one_path_is_part_of_the_trace(name: str, block: Granularity, abstract: bool) -> None:
    """Each of its parts implies the trace's; it has a run if the trace has one within the abstract states."""
    of, found = formulas(name, block), 0
    for edges in walks(name, block)[: WALKS // 2]:
        states = abstract_states(of, edges) if abstract else []
        if states is None:
            continue
        trace = trace_formula(of, edges, states)
        named = Named(standard_solver())
        path = one_path(trace, named)
        named.close()
        if path is not None:
            found += 1
            _compare(trace, path)
    assert found


def _compare(trace: TraceFormula, path: TraceFormula) -> None:
    assert path.edges == trace.edges and path.instances == trace.instances and path.tracked == trace.tracked
    assert all(follows(narrow, whole) for narrow, whole in zip(path.parts, trace.parts, strict=True))
    runs = isinstance(decide([*trace.parts, *trace.abstract], 10.0), Sat)
    assert isinstance(decide(path.parts, 10.0), Sat) or not runs
    if isinstance(decide(trace.parts, 10.0), Unsat):
        assert isinstance(decide(path.parts, 10.0), Unsat)


def test_what_a_component_was_at_the_start_is_not_what_it_is() -> None:
    """From a place in the middle, components keep their names there: behind an edge that changes one whose values are
    substituted, its name speaks of the earlier value."""
    text = "int main(void) { float f = any(); while (any()) { f = f * 2.0f; check(f < 9.0f); } }"
    of = EdgeFormulas(EncodedSteps(locations(program(text), LARGE), {}, Budget(60)), lambda place: 1)
    (entering,) = (edge for edge in of.edges_from(START) if edge.target != ERROR)
    (around,) = (edge for edge in of.edges_from(entering.target) if edge.target == entering.target)
    (failing,) = (edge for edge in of.edges_from(entering.target) if edge.target == ERROR)
    trace = trace_formula(of, [around, failing])
    (component, value), = trace.instances[1].values.items()
    assert component in variables(value)
    assert trace.over_components(1, build.eq(component, 0, 32)) is None
