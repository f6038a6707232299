"""A certificate's facts for people: C expressions over source names, by loop and function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterpoint.core.source import SourceLocation
from counterpoint.evidence.certificate import Certificate
from counterpoint.explain.conditions import said
from counterpoint.explain.names import Names
from counterpoint.portfolio.result import Invariant
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.semantics.components import Counter, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.covering import union
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts, variables


def facts_of(program: m.Program, certificate: Certificate) -> Sequence[Fact]:
    """What the certificate says of places. Of alternatives: at each loop, and around the calls of a function, that the
    run is in one of them there; nothing where that is no news."""
    return _covering(program, certificate.said()) if certificate.alternatives else certificate.said()


def _covering(program: m.Program, regions: Iterable[Fact]) -> list[Fact]:
    by_place: dict[tuple[str, int], list[V]] = {}
    for region in regions:
        by_place.setdefault(region.place, []).append(region.formula)
    found = [Fact(*place, union(formulas)) for place, formulas in by_place.items()]
    return [fact for fact in found if fact.formula != 1 and _is_boundary(program, fact)]


def _is_boundary(program: m.Program, fact: Fact) -> bool:
    called = fact.function != program.entry and fact.block in (0, EXIT)
    return called or fact.block in loop_heads(program.functions[fact.function])


def invariants_of(program: m.Program, facts: Iterable[Fact], *, unions: bool = False) -> tuple[Invariant, ...]:
    """One for each place that the facts are about, in the order of functions and blocks. `unions` of abstract
    states are made short (explain/conditions.py). What is about nothing but where the next object will lie is left
    out: it has no words in C."""
    found: list[Invariant] = []
    by_place: dict[tuple[str, int], list[V]] = {}
    counter = {variable_of(Counter(), program.layout.pointer_bits)}
    for fact in facts:
        parts = conjuncts(fact.formula) or [1]
        telling = [part for part in parts if isinstance(part, int) or set(variables(part)) != counter]
        if telling:
            by_place.setdefault(fact.place, []).extend(telling)
    for (name, block), formulas in sorted(by_place.items(), key=lambda item: (item[0][0], item[0][1] == EXIT, item[0])):
        function = program.functions[name]
        names = Names(function, formulas, program)
        if block == EXIT:
            where = f"at the end of {name}"
        else:
            where = f"calls of {name}" if block == 0 and name != program.entry else "loop"
        at = _location(function, max(block, 0))
        texts = said(names, build.conjunction(formulas)) if unions else map(names.text, formulas)
        found.append(Invariant(where, at, tuple(texts)))
    return tuple(found)


def _location(function: m.Function, block: int) -> SourceLocation:
    body = function.blocks[block]
    return body.instructions[0].at if body.instructions else body.terminator.at
