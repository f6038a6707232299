"""Contracts from runs: what pointers point to, entry values, frames; and clauses over these numbers."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.spacer.scalars import scalar_clauses, without_arrays
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.invariants.contract_facts import extend_with_contracts
from counterpoint.invariants.houdini import Houdini
from counterpoint.logic.horn.attempts import CONFIGURATIONS, SpacerAttempt
from counterpoint.logic.horn.clauses import Clause
from counterpoint.logic.horn.view import Solved
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.regions.pointees import pointees
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.static.access_paths import access_paths
from counterpoint.term import build as b
from counterpoint.term.display import rendered
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term
from counterpoint.term.walk import reachable

ADD = """static void add(unsigned *p, unsigned n) { while (n > 0) { ++*p; n--; } }
int main(void) { unsigned x = any(), a = 5, b = 6; add(&a, x); check(b == 6); check(a == x + %d); }"""
GLOBAL = """unsigned g; static void add(unsigned n) { if (n == 0) return; g++; add(n - 1); }
int main(void) { unsigned x = any(), y = any(); g = y; add(x); check(g == x + y + %d); }"""
HANOI = """int moves; static void move(int n) { if (n == 0) return; moves++; move(n - 1); move(n - 1); }
int main(void) { int n = any(); if (n < 1 || n > 31) return 0; moves = 0; move(n); check(moves == (1u << n) - 1 + %d); }"""
SWAP = """static void swap(int *p, int *q, unsigned n) { while (n-- > 0) { int kept = *p; *p = *q; *q = kept; } }
int main(void) { int a = any(), b = any(); int x = a, y = b; swap(&a, &b, any());
  check((a == x && b == y) || (a == y && b == x)); }"""


def graph_of(text: str) -> CutGraph:
    return cut_graph(program(text, preparation="modular"), Budget(90))


def with_contracts(graph: CutGraph) -> Houdini:
    houdini = Houdini(graph, Budget(60))
    extend_with_contracts(houdini, Budget(40), 0)
    return houdini


# ---------------------------------------------------------------- pointees


def test_pointees_are_choices_between_what_a_pointer_may_mean() -> None:
    text = """int g; static void set(int *p, unsigned n) { while (n-- > 0) ++*p; }
    int main(void) { int x = 0; set(&x, any()); set(&g, any()); check(x >= 0 || g); }"""
    graph = graph_of(text)
    (pointee,) = pointees(graph, ("set", EXIT))
    assert "&g == set%0) ? g[0:4] : memory" in rendered(pointee.now)
    assert pointee.old is not None and "old(g[0:4])" in rendered(pointee.old)
    (first,) = pointees(graph, ("set", 0))
    assert first.old is None


def test_paths_go_through_calls_loads_and_copies() -> None:
    text = """#include <string.h>
    struct pair { int a, b; }; struct box { struct pair *in; };
    static void put(struct pair *to, int b) { to->b = b; }
    static int fill(struct box *box, unsigned n) { while (n-- > 0) put(box->in, any()); return box->in->a; }
    int main(void) { struct pair p = {1, 2}; struct box box = {&p}; check(fill(&box, any()) == 1); }"""
    known = program(text, preparation="modular")
    graph = cut_graph(known, Budget(90))
    found = {tuple(step.offset for step in path.steps): path for path in access_paths(graph.points, "fill")}
    assert (0, 4) in found and found[0, 4].written
    assert (0, 0) in found and not found[0, 0].written


# ---------------------------------------------------------------- contracts from runs


@pytest.mark.parametrize(("text", "right"), [(ADD, 5), (GLOBAL, 0), (HANOI, 0)])
def test_effects_are_proved_by_contract(text: str, right: int) -> None:
    graph = graph_of(text % right)
    houdini = with_contracts(graph)
    assert not houdini.open_regions()
    proof = InductiveInvariants("modular", tuple(houdini.needed()), tuple(sorted(graph.granules.items())))
    check_proof(graph.program, proof, Budget(60))


def test_what_is_wrong_is_not_proved() -> None:
    assert with_contracts(graph_of(GLOBAL % 1)).open_regions()


# ---------------------------------------------------------------- clauses


def test_reads_become_numbers() -> None:
    memory, i, j = (memory_named("m"), b.variable("i", BitVec(64)), b.variable("j", BitVec(64)))
    written = b.store(memory, i, 7)
    assert isinstance(written, Term)
    differs = b.ne(b.select(written, j), b.select(memory, j), 32)
    clause = without_arrays(Clause(None, (), b.conjunction([differs, b.ne(b.select(memory, i), 7, 32)])))
    assert not any(isinstance(term.sort, ArraySort) for term in reachable(clause.roots()))
    apart = b.conjunction([clause.formula, b.ne(i, j, 64)])
    assert not satisfiable(apart) and satisfiable(clause.formula)


def memory_named(name: str) -> Term:
    return b.variable(name, ArraySort(64, 32))


def satisfiable(formula: object) -> bool:
    from counterpoint.solver.answers import Sat
    from counterpoint.solver.layers import decide

    return isinstance(decide([formula], 10), Sat)  # type: ignore[list-item]


def test_a_failure_that_reads_a_callers_local_depends_on_the_call() -> None:
    horn = scalar_clauses(graph_of(SWAP), ())
    (failure,) = (clause for clause in horn.clauses if clause.head is None)
    assert ("swap", EXIT) in {atom.place for atom in failure.body}


def test_spacer_relates_what_pointers_point_to() -> None:
    graph = graph_of(SWAP)
    houdini = with_contracts(graph)
    known = [fact for facts in houdini.facts.values() for fact in facts if "old(memory" not in rendered(fact.formula)]
    outcome = SpacerAttempt(scalar_clauses(graph, known), CONFIGURATIONS["bv-scalars"]).run()
    assert isinstance(outcome, Solved)
    assert any("old(memory" in rendered(fact.formula) for fact in outcome.facts)
