"""Affine equations at all places, by abstract interpretation (invariants/affine_analysis.py): `x + y == 2*n - 1`.

One analysis per width of the program's numbers, in which wider ones count by their low bits; then one in the largest
width, in which narrower ones are taken for integers that do not overflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from counterpoint.core.errors import OutOfBudget
from counterpoint.invariants.affine_analysis import AffineAnalysis, Equation, unknowns
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import Counter, variable_of
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

WIDTHS = (32, 64, 16, 8)
"""Of numbers that are looked at, in bits."""

COEFFICIENT = 1 << 16
"""The largest coefficient of a component."""


def _guesses(context: Context) -> Iterator[Guess]:
    numbers = numbers_at(context.graph)
    widths = [w for w in WIDTHS if any(bits(v) == w for known in numbers.values() for v in known)]
    done: list[AffineAnalysis] = []
    for width, optimistic in [*((w, False) for w in widths), *([(max(widths), True)] if len(widths) > 1 else [])]:
        tracked = {place: [v for v in known if optimistic or bits(v) >= width] for place, known in numbers.items()}
        analysis = AffineAnalysis(context.graph, tracked, width, 1, optimistic, context.budget)
        with suppress(OutOfBudget):
            analysis.run()
            for place in context.graph.cuts:
                yield from ((place, made) for made in _new(analysis, place, done))
            done.append(analysis)


def _new(analysis: AffineAnalysis, place: Place, done: Sequence[AffineAnalysis]) -> Iterator[V]:
    """What holds at the place, without what is about wider numbers only, or was found before without guessing."""
    width = analysis.width
    before = [other for other in done if other.width == width]
    for equation in analysis.equations(place, COEFFICIENT):
        inside = [bits(v) for v in unknowns(equation)]
        if inside and min(inside) <= width and not any(other.implies(place, equation) for other in before):
            yield formula(equation, width)


def numbers_at(graph: CutGraph) -> dict[Place, list[Term]]:
    """The components at each place that are numbers of 8 to 64 bits, or pointers; not the counter, whose distance from
    objects is another one in each run."""
    pointer_bits = graph.program.layout.pointer_bits
    found: dict[Place, list[Term]] = {}
    for place in graph.cuts:
        variables = (variable_of(c, pointer_bits) for c in graph.components(place) if not isinstance(c, Counter))
        found[place] = [v for v in variables if isinstance(v.sort, BitVec) and v.sort.width in WIDTHS]
    return found


def bits(variable: Term) -> int:
    assert isinstance(variable.sort, BitVec)
    return variable.sort.width


def formula(equation: Equation, width: int) -> V:
    """The equation in `width` bits; narrower components are extended by their sign."""
    sides: list[V] = [0, 0]
    for product, factor in equation.items():
        value: V = abs(factor) & ((1 << width) - 1)
        for unknown in product:
            value = build.mul(value, at_width(unknown, width), width)
        side = factor < 0
        sides[side] = build.add(sides[side], value, width)
    return build.eq(sides[0], sides[1], width)


def at_width(variable: Term, width: int) -> V:
    own = bits(variable)
    if own > width:
        return build.extract(width - 1, 0, variable, own)
    return variable if own == width else build.sext(variable, own, width)



SOURCE = GuessSource("affine", 0, "affine equations at all places by abstract interpretation (Karr)", _guesses, 150)
