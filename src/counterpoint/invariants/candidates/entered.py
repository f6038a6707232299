"""What the last round's condition said of a counter, or every variable is as the loop was entered.

Behind `while (x <= n)` it says of each other variable that it has its first value where the loop was not entered: an
equation about the end of the loop often needs all of them then, not only the counter's. Guessed where the program
multiplies, whose checks are such equations.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.induction_variables import counters
from counterpoint.invariants.candidates.polynomials import multiplies
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.atoms import literals
from counterpoint.logic.loop_shape import LoopShape, loop_shapes
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute, variables

MOST_CONDITIONS = 4
"""Of one loop."""

_ORDERS = frozenset({Op.SLT, Op.ULT})


def _guesses(context: Context) -> Iterator[Guess]:
    if multiplies(context.graph.program, 1):
        for place, loop in loop_shapes(context.graph).items():
            for held in _held(loop)[:MOST_CONDITIONS]:
                for still in _still(loop):
                    yield place, build.or_(held, still)


def _held(loop: LoopShape) -> list[V]:
    """Comparisons of counters under which every round is made, said of the counter before its step."""
    every: list[dict[V, None]] = []
    for passage in loop.rounds:
        conditions = passage.region.start_values.back_all(list(literals(passage.way.formula)))
        every.append(dict.fromkeys(one for one in conditions if isinstance(one, Term) and _is_order(one)))
    common = [one for one in every[0] if all(one in other for other in every)] if every else []
    steps = {c.variable: (c.steps[0], c.width) for c in counters(loop) if len(c.steps) == 1}
    found: dict[V, None] = {}
    for condition in common:
        moved = [v for v in variables(condition) if v in loop.modified]
        if len(moved) == 1 and moved[0] in steps:
            step, width = steps[moved[0]]
            found[substitute(condition, {moved[0]: build.sub(moved[0], step, width)})] = None
    return list(found)


def _is_order(condition: Term) -> bool:
    inner = condition.args[0] if condition.op is Op.NOT else condition
    return isinstance(inner, Term) and inner.op in _ORDERS


def _still(loop: LoopShape) -> Iterator[V]:
    for variable in loop.variables:
        if variable in loop.modified and isinstance(variable.sort, BitVec):
            for first in loop.initial(variable):
                yield build.eq(variable, first, variable.sort.width)


SOURCE = GuessSource("entered", 0, "the last round's condition, or all variables are as on entering the loop", _guesses)
