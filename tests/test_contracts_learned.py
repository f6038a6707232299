"""Facts of functions that go by contract, as runs make them likely: tables of places, pointees, candidates."""

from __future__ import annotations

from functools import cache

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import RecordingLimits, record
from counterpoint.inference import Options, Role, infer, place_table, place_tables
from counterpoint.invariants.candidates.contracts_learned import SOURCE
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.graph import by_contract
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.display import rendered
from counterpoint.term.term import Term

RISES = """unsigned g; static void up(unsigned n) { if (n == 0) return; g += 2; up(n - 1); }
int main(void) { unsigned n = any(), s = any(); g = s; up(n); check(g == s + 2 * n); return 0; }"""

ALIASED = """unsigned g; static void put(unsigned *p, unsigned v, unsigned n) { *p = 0; if (n) { put(p, v, n - 1); return; } *p = v; }
int main(void) { unsigned x = any(), y = any(); put(&x, y, any()); put(&g, x, any()); check(g == y); return 0; }"""

FILLS = """static void fill(int *a, unsigned low, unsigned high, int v) { for (unsigned i = low; i < high; i++) a[i] = v; }
int main(void) { int a[20], b[20]; unsigned l = any(), h = any(); if (h > 20 || l > h) return 0;
fill(a, l, h, any()); fill(b, 0, h, 3); return a[0] + b[0]; }"""


@cache
def context_of(text: str) -> Context:
    program = subject(text).program("modular")
    graph = cut_graph(by_contract(program, [name for name in program.functions if name != program.entry]), Budget(60))
    snapshots = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(seconds=20, runs=40))
    return Context(graph, snapshots, Budget(60))


def at(context: Context, place: tuple[str, int]) -> list[str]:
    """What is guessed there."""
    facts = list(SOURCE.candidates(context))
    assert not refuted(facts, context.snapshots)
    return [rendered(fact.formula) for fact in facts if fact.place == place]


def test_roles() -> None:
    context = context_of(RISES)
    graph, snapshots = context.graph, context.snapshots

    def roles(block: int) -> dict[object, Role]:
        table = place_table(graph.cuts["up", block], graph.granules, snapshots.at["up", block])
        return {column.variable.payload: column.role for column in table.columns}

    assert roles(0) == {"up%0": Role.INPUT, "g[0:4]": Role.INPUT, "&g": Role.INPUT}
    assert roles(EXIT) == {"up%0": Role.INPUT, "g[0:4]": Role.OUTPUT, "old(g[0:4])": Role.INPUT, "&g": Role.INPUT}


def test_no_snapshots() -> None:
    context = context_of(RISES)
    table = place_table(context.graph.cuts["up", EXIT], context.graph.granules, ())
    assert table.columns == () and infer(table) == []


def test_what_pointers_lead_to() -> None:
    """By the ways in which they point: into the global, or not."""
    context = context_of(ALIASED)
    graph, place = context.graph, ("put", EXIT)
    tables = list(place_tables(graph.cuts[place], graph.granules, context.snapshots.at[place]))
    assert tables[0][0] == 1 and len(tables) >= 3
    conditions = {str(condition) for condition, _ in tables}
    assert conditions >= {"((put%0 - &g) <u 4)", "(4 <=u (put%0 - &g))"}
    for condition, table in tables:
        if str(condition) == "(4 <=u (put%0 - &g))":
            columns = [column for column in table.columns if column.term is not None]
            assert columns and all(column.variable.payload != column.term for column in columns)
    guessed = at(context, place)
    assert any("put%1 == memory" in text and text.count("||") == 1 for text in guessed)
    assert any("g[0:4] == put%1" in text or "put%1 == g[0:4]" in text for text in guessed)
    assert not any(" at put" in text for text in guessed), "names of columns are not those of components"


def test_what_of_an_array_is_kept() -> None:
    """A range between integers from a pointer on; inside of it, all elements are the same."""
    guessed = at(context_of(FILLS), ("fill", EXIT))
    ranged = [text for text in guessed if "fill%1" in text and "fill%2" in text and "fill%0" in text]
    assert any("old(memory" in text for text in ranged)
    assert any("fill%3 == memory" in text and "old" not in text for text in ranged)


@pytest.mark.parametrize("text", [RISES])
def test_what_is_guessed_is_enough(text: str) -> None:
    """Houdini keeps what excludes the failing check."""
    context = context_of(text)
    houdini = Houdini(context.graph, Budget(60), lambda event: None, 0)
    assert houdini.open_regions()
    houdini.extend(SOURCE.candidates(context), 60.0)
    assert not houdini.open_regions()
    houdini.close()


def test_what_a_column_stands_for_is_told() -> None:
    """Also in conditions; two formulas that become one are told once."""
    context = context_of(ALIASED)
    graph, place = context.graph, ("put", EXIT)
    for _, table in place_tables(graph.cuts[place], graph.granules, context.snapshots.at[place]):
        found = infer(table, Options(implied=True))
        assert len({likely.formula for likely in found}) == len(found)
        assert all(isinstance(likely.condition, Term | None) for likely in found)
        assert not any(" at " in f"{likely.formula} {likely.condition}" for likely in found)
