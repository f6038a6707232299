"""What a function's last steps tell: the conditions under which its loops end, and what held at their heads, over what
the caller sees.

A step from a loop's head to the function's end knows the state at the head; what is proved there, and each condition
on the way, is said again over parameters and results, where it speaks of nothing else. Houdini drops what does not hold
on the other ways to the end.
Source: the weakening of a strongest postcondition [div, section on unit proofs], by conjuncts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from counterpoint.contracts.views import Seen, View
from counterpoint.contracts.wording import disjuncts
from counterpoint.program import model as m
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import RegisterValue, ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import size, substitute, variables

LARGEST: Final = 30
"""Nodes of what is said again."""


def way_out(
    graph: CutGraph, function: str, view: View, names: Mapping[Term, Seen], known: Mapping[Place, Sequence[Fact]]
) -> Iterator[Fact]:
    """Guesses at the function's end and, said over what the view shows, at the view."""
    body = graph.program.functions.get(function)
    if body is None or (function, EXIT) not in graph.cuts:
        return
    outside = _outside(graph, body, names)
    for formula in dict.fromkeys(_said_again(graph, function, known)):
        if isinstance(formula, Term) and size(formula) <= LARGEST and all(v in outside for v in variables(formula)):
            yield Fact(function, EXIT, formula)
            yield Fact(view.name, 0, substitute(formula, outside))


def _said_again(graph: CutGraph, function: str, known: Mapping[Place, Sequence[Fact]]) -> Iterator[V]:
    for region in graph.regions:
        for way in region.ways:
            if way.target != (function, EXIT) or not way.leaves:
                continue
            here = [region.start_values.of(fact.formula) for fact in _plain(known.get(region.start, ()))]
            conditions = [build.not_(part) for part in disjuncts(build.not_(way.formula))]
            yield from (one for one in way.values.back_all([*conditions, *here]) if one is not None)


def _plain(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if not ghosts(fact.formula)]


def _outside(graph: CutGraph, body: m.Function, names: Mapping[Term, Seen]) -> dict[Term, V]:
    """Parameters and the result as the view shows them."""
    bits = graph.program.layout.pointer_bits
    named = {one.name: one for one in body.parameters}
    found: dict[Term, V] = {}
    for variable, seen in names.items():
        if seen.argument and seen.text in named:
            found[variable_of(RegisterValue(body.name, named[seen.text]), bits)] = variable
        elif seen.text == "\\result" and len(body.results) == 1:
            found[variable_of(ResultValue(body.name, 0, body.results[0]), bits)] = variable
    return {inner: outer for inner, outer in found.items() if isinstance(outer, Term) and inner.sort is outer.sort}
