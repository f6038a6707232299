"""Facts about pointers that walk through blocks: distances, terminators, sizes; and which of them are inductive."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.houdini import DISTANCES, OBJECTS
from counterpoint.execute.snapshots import record
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import decide
from counterpoint.term.display import rendered

TO_END = """int main(void) { unsigned n = any(); if (n > 99) return 0; short *a = malloc(n * 2 + %d), *e = a + n;
  for (short *p = a; p != e; p++) *p = 7; }"""
DOWN = """int main(void) { unsigned n = any(); if (n > 99) return 0; short *a = malloc(2 * n), *p = a + n;
  while (p %s a) *--p = 1; }"""
COPY = """int main(void) { unsigned n = any(); if (n > 99) return 0; char *s = malloc(n + 1), *t = malloc(n + %d);
  s[n] = 0; char *p = t, *q = s; while ((*p++ = *q++)) ; }"""

CHOSEN = """int a[4], b[9], *kept; int main(void) { int *p = any() ? a : b + 2; p += any() & %d; kept = p;
  while (any()) b[0] ^= 1; *kept = 1; }"""
TOGETHER = """int a[4], b[4]; int main(void) { int *p = a, *e = a + 4; if (any()) { p = b; e = b + %d; }
  while (p != e) *p++ = 7; }"""


def graph_of(text: str) -> CutGraph:
    return cut_graph(program(text, "memory-safety"), Budget(90))


def guessed(graph: CutGraph, names: frozenset[str]) -> list[Fact]:
    seen = record(graph.program, graph.cuts, graph.granules)
    context = Context(graph, seen, Budget(60))
    facts = [fact for source in guesses.sources() if source.name in names for fact in source.candidates(context)]
    return surviving(dict.fromkeys(facts), seen)


def unsafe(text: str) -> set[str]:
    """The kinds of checks that inductive facts leave open, but for lost memory."""
    graph = graph_of(text)
    houdini = Houdini(graph, Budget(90))
    try:
        houdini.extend(guessed(graph, DISTANCES | OBJECTS))
    finally:
        houdini.close()
    found: set[str] = set()
    for region in graph.regions:
        facts = [region.start_values.of(fact.formula) for fact in houdini.facts.get(region.start, ())]
        for failure in region.failures:
            if failure.formula != 0 and not isinstance(
                decide([*region.assumed, *facts, failure.formula], 20), Unsat
            ):
                found.add(graph.program.checks[failure.check].kind)
    return found - {"valid-memtrack"}


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [(TO_END, 0, -1), (DOWN, ">", ">="), (COPY, 1, 0), (CHOSEN, 3, 7), (TOGETHER, 4, 5)],
    ids=["to_end", "down", "copy", "chosen", "together"],
)
def test_walks_stay_in_their_blocks(text: str, right: object, wrong: object) -> None:
    assert unsafe(text % right) == set()
    assert "valid-deref" in unsafe(text % wrong)


def test_distances_are_from_the_start_of_a_block() -> None:
    graph = graph_of("int t[9][5]; int main(void) { int (*row)[5] = t; while (any() && row != t + 9) ++row; return **row; }")
    texts = [rendered(fact.formula) for fact in guessed(graph, DISTANCES)]
    assert any("<=u 180" in text for text in texts)
    assert any("%u 20) == 0" in text for text in texts)
