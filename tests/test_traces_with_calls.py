"""Formulas of traces with the runs of callees inside: made by the builder of those without, which are of depth 0."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces.activations import Abstract, Activation, flat
from counterpoint.engines.predicates.traces.building import formula_of, trace_formula
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.runs import inputs_of
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.regions.cut_graph import START
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import ERROR, LARGE, locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.layers import decide
from counterpoint.term import build
from counterpoint.term.term import V

COUNT = """
int seen[3] = {7, 7, 7}, last;
int count(int n) { seen[1] = any(); if (n <= 0) return 0; return 1 + count(n - 1); }
int main(void) { int n = any(); if (count(n) == DEPTH && seen[1] == 5 && seen[2] == WORD) reach_error(); }
"""


def edges_of(depth: int, word: int = 7) -> EdgeFormulas:
    code = program(COUNT.replace("DEPTH", str(depth)).replace("WORD", str(word)))
    return EdgeFormulas(EncodedSteps(locations(code, LARGE), {}, Budget(60)), lambda place: 1)


def never(callee: str, limit: float) -> V:
    return 0


def activation(name: str, edges: tuple[Edge, ...], depth: int) -> Activation:
    """Along the edges, the only call of the last one entered that deep."""
    known = (Abstract(),) * (len(edges) + 1)
    made = Activation(name, edges, (math.inf,) * len(edges), known)
    if depth:
        made.entered[len(edges) - 1, 0] = activation(f"{depth}.", (Edge(("count", 0), ("count", EXIT)),), depth - 1)
    return made


def nested(of: EdgeFormulas, depth: int) -> TraceFormula:
    return formula_of(of, activation("", (Edge(START, ERROR),), depth), never)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_model_is_a_run_of_that_depth(depth: int) -> None:
    """count(n) is one less than the activations; what is not entered is not made. Elements of the array that main reads
    are known behind the calls, and in front of them."""
    of = edges_of(depth - 1)
    assert isinstance(decide(nested(of, depth + 1).pieces(), 20.0), Unsat)
    formula = nested(of, depth)
    answer = decide(formula.pieces(), 20.0)
    assert isinstance(answer, Sat)
    inputs = inputs_of(of, formula, answer.model)
    assert isinstance(run(of.encoded.where.program, ReplayInputs(inputs), Limits(steps=10_000)).outcome, Violated)
    assert len(inputs) == 1 + depth
    assert isinstance(decide(nested(edges_of(depth - 1, word=8), depth).pieces(), 20.0), Unsat)


def activations(formula: TraceFormula) -> Iterator[TraceFormula]:
    yield formula
    yield from formula.inside()


def test_pieces_and_their_order() -> None:
    formula = nested(edges_of(1), 3)
    pieces = formula.pieces()
    again = formula.with_pieces(iter(pieces))
    assert again.pieces() == pieces and again.parts_with_calls() == formula.parts_with_calls()
    changed = formula.with_pieces(iter([build.not_(piece) for piece in pieces]))
    assert changed.pieces() == [build.not_(piece) for piece in pieces]
    innermost, *_, outermost = [part.trace for part in formula.inside()]
    assert not innermost.entered and outermost is formula.trace.entered[0, 0]
    for part in formula.inside():
        before, behind = formula.split_at(part.trace)
        assert [*before, *part.pieces(), *behind] == pieces
        assert formula.pieces({part.trace: 1}) == [*before, 1, *behind]


def test_a_trace_without_calls_inside_is_one_of_depth_0() -> None:
    of = edges_of(1)
    edges = (Edge(START, ERROR),)
    formula, deep = trace_formula(of, edges), formula_of(of, flat(edges), lambda callee, limit: 1)
    assert formula.parts == deep.parts == tuple(deep.pieces()) == tuple(deep.parts_with_calls())
    assert not formula.inside() and not formula.entered
    assert formula_of(of, flat(edges), never).parts == (0,)
