"""What comments in the source say of functions and loops: contracts and loop invariants as candidates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.annotations.expressions import NoExpression, parsed
from counterpoint.invariants.annotated import NotSaid, Reading
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.program import model as m
from counterpoint.program.annotations import Annotation, Says
from counterpoint.program.graph import loop_heads
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import Cell, Elements, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import is_ghost
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import variables

NEAR: Final = 3
"""Lines behind a comment in which its function or loop begins: a declaration may stand in several."""


def _guesses(context: Context) -> Iterator[Guess]:
    graph = context.graph
    for annotation in graph.program.annotations.said:
        for place in _places(graph, annotation):
            for formula in _at(graph, annotation, place):
                yield place, formula
                yield from _everywhere(graph, annotation, place, formula)


def _everywhere(graph: CutGraph, annotation: Annotation, place: Place, formula: V) -> Iterator[Guess]:
    """What a function needs or leaves of globals alone may hold all the time."""
    bits = graph.program.layout.pointer_bits
    globals_ = {variable_of(c, bits) for c in graph.components(place) if isinstance(c, Cell | Elements)}
    if annotation.says is not Says.INVARIANT and all(v in globals_ or is_ghost(v) for v in variables(formula)):
        yield from ((other, formula) for other in graph.cuts if other != place)


def _at(graph: CutGraph, annotation: Annotation, place: Place) -> Iterator[V]:
    """The parts of the condition for which the place has words, and all of it."""
    here = Reading(graph, place, graph.program.annotations)
    try:
        premise = here.before().condition(parsed(annotation.assumes)) if annotation.assumes else 1
        said = list(_parts(parsed(annotation.text)))
    except (NotSaid, NoExpression):
        return
    known: list[V] = []
    for part in said:
        with suppress(NotSaid):
            known.append(here.condition(part))
    for formula in dict.fromkeys((*known, build.conjunction(known))):
        yield build.implies(premise, formula)


def _parts(found: e.Expression) -> Iterator[e.Expression]:
    """What stands between `&&`."""
    match found:
        case e.Binary("&&", one, two):
            yield from _parts(one)
            yield from _parts(two)
        case _:
            yield found


def _places(graph: CutGraph, annotation: Annotation) -> Iterator[Place]:
    """The entry or end of the function that begins behind the comment, or the heads of its loop."""
    functions = {name: body for name, body in graph.program.functions.items() if body.at.file == annotation.file}
    if annotation.says is not Says.INVARIANT:
        after = [(body.at.line, name) for name, body in functions.items() if 0 <= body.at.line - annotation.line < NEAR]
        for _, name in sorted(after)[:1]:
            block = 0 if annotation.says is Says.REQUIRES else EXIT
            if (name, block) in graph.cuts:
                yield name, block
            if block == 0 and (name, EXIT) in graph.cuts:
                yield name, EXIT
        return
    for name, body in functions.items():
        for head in loop_heads(body):
            if (name, head) in graph.cuts and _line(body, head, annotation.file) == annotation.line:
                yield name, head


def _line(body: m.Function, head: int, file: str) -> int:
    """The line at which the loop begins, 0 if it is in another file."""
    block = body.blocks[head]
    places = [one.at for one in (*block.instructions, block.terminator) if one.at.line]
    return places[0].line if places and places[0].file == file else 0


SOURCE = GuessSource("annotations", 0, "contracts and loop invariants in the source's comments (ACSL)", _guesses)
