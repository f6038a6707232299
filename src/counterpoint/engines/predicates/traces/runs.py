"""From a model of a trace's formula to the inputs of a run along the trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge, EdgeFormulas
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.program.inputs import Input
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.instance import Instance
from counterpoint.semantics.layout import EXTERNAL_CONTENTS
from counterpoint.solver.answers import Model
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class StepValues:
    """Values of one step's own terms; `here` says what components at its start and its unknowns are in the trace."""

    formulas: EdgeFormulas
    place: Place
    here: Instance
    model: Model

    def value(self, term: V) -> int:
        """Its value in the model's run."""
        (over,) = self.formulas.encoded.renamed(self.place, [term])
        return self.model.value(self.here.of(over))

    def inputs(self, first: int, last: int) -> Iterator[Input]:
        """What the step consumes, from one of its records up to another."""
        step = self.formulas.encoded.step(self.place)
        yield from inputs_from(step.world, self, step.step.records[first:last])


def inputs_of(formulas: EdgeFormulas, trace: TraceFormula, model: Model) -> tuple[Input, ...]:
    """The arbitrary values that the run of the model consumes, in its order; 0 where the formula leaves it open."""
    return _in_order(_inputs(formulas, trace, model))


def inputs_on(formulas: EdgeFormulas, trace: TraceFormula, number: int, model: Model) -> tuple[Input, ...]:
    """Those that it consumes on one edge, calls left out."""
    edge = trace.edges[number]
    values = StepValues(formulas, edge.source, trace.instances[number], model)
    return _in_order(values.inputs(0, _last(formulas, edge)))


def without_meaning(formulas: EdgeFormulas, trace: TraceFormula, model: Model) -> str:
    """What the model's run meets that has no meaning, at the end of the trace; "" if it is something else."""
    last = len(trace.edges) - 1
    values = StepValues(formulas, trace.edges[last].source, trace.instances[last], model)
    blocks = formulas.encoded.step(trace.edges[last].source).step.blocks
    return next((block.reason for block in blocks if values.value(block.formula)), "")


def _inputs(formulas: EdgeFormulas, trace: TraceFormula, model: Model) -> Iterator[Input]:
    stack = [_activation(formulas, trace, model)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, TraceFormula):
            stack.append(_activation(formulas, found, model))
        else:
            yield found


def _activation(formulas: EdgeFormulas, trace: TraceFormula, model: Model) -> Iterator[Input | TraceFormula]:
    """Its own inputs, and the activations inside, in their order."""
    for number, edge in enumerate(trace.edges):
        values = StepValues(formulas, edge.source, trace.instances[number], model)
        calls = formulas.encoded.step(edge.source).step.calls
        first = 0
        for call, _ in trace.trace.at(number):
            yield from values.inputs(first, calls[call].records)
            first = calls[call].records
            yield trace.entered[number, call].formula
        yield from values.inputs(first, _last(formulas, edge))


def _last(formulas: EdgeFormulas, edge: Edge) -> int:
    """The records that the edge's runs may come to."""
    step = formulas.encoded.step(edge.source).step
    return len(step.records) if edge.call == NO_CALL else step.calls[edge.call].records


def _in_order(found: Iterable[Input]) -> tuple[Input, ...]:
    """What is outside of the program's memory is one input, the last one."""
    inputs: list[Input] = []
    outside: dict[Input, None] = {}
    for one in found:
        if one.site == EXTERNAL_CONTENTS:
            outside.setdefault(one)
        else:
            inputs.append(one)
    return (*inputs, *list(outside)[:1])
