"""The checker of region graphs: true ones pass, and missing edges, regions and places are not believed."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attack_proofs import checker_says
from attack_region_graphs import is_proof, mutants
from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.evidence import proof as proof_
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.portfolio.validation import Accepted, answered, judge
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.report.json import as_json
from counterpoint.report.terminal import lines_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build as b
from counterpoint.term.covering import union
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import V
from loop_proofs import PROVED, At, facts_of, graph_of
from region_graphs import MAKERS, Maker, at_every_block, halved, one_region_each
from schema import ROOT, violations

QUICK = ("list", "mutual")
"""tests/attack_region_graphs.py has them all."""


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", QUICK)
def test_invariants_as_regions(name: str, maker: Maker) -> None:
    made, facts, graph = facts_of(PROVED[name])
    found = maker("flat", facts, graph)
    assert found is not None
    check_proof(made, found, Budget(90))
    broken, facts, graph = facts_of(PROVED[name], PROVED[name].text.replace(*PROVED[name].broken[0]))
    found = maker("flat", facts, graph)
    assert found is not None
    with pytest.raises(EvidenceRejected, match="does not hold"):
        check_proof(broken, found, Budget(90))


@pytest.mark.parametrize("name", ["global", "machine"])
def test_regions_at_every_block(name: str) -> None:
    made, facts, _ = facts_of(PROVED[name])
    found = one_region_each("flat", *at_every_block(made, facts))
    assert found is not None and len({region.place for region in found.regions}) > 5
    check_proof(made, found, Budget(90))
    used = {target for _, target in found.edges if found.regions[target].block not in (0, EXIT)}
    for gone in sorted(used)[:2]:
        left = tuple(edge for edge in found.edges if edge[1] != gone)
        with pytest.raises(EvidenceRejected, match="leads to nothing but its successors"):
            check_proof(made, replace(found, edges=left), Budget(90))


def test_mutants_that_prove_nothing_are_refused() -> None:
    for mutant in islice(mutants(3), 5):
        assert is_proof(mutant) is not False or checker_says(mutant) != "accepted", mutant


# ---------------------------------------------------------------- what edges mean

FLIP = "int main(void) { unsigned s = 0; while (any()) { check(s != 2); s = 3 - s; } return 0; }"


def flip() -> At:
    graph = graph_of(FLIP, "unreach-call", "flat")
    (place,) = graph.cuts
    return At(graph, place)


def refused(text: str, regions: list[Fact], edges: list[tuple[int, int]], **more: tuple[tuple[str, int], ...]) -> str:
    """Why the graph is refused; empty if it is accepted."""
    try:
        check_proof(program(text), RegionGraph("flat", tuple(regions), tuple(edges), **more), Budget(10))
    except EvidenceRejected as error:
        return str(error)
    return ""


def states(*numbers: int) -> list[Fact]:
    return [Fact(*flip().place, b.eq(flip().s, number, 32)) for number in numbers]


def test_each_edge_that_is_needed_is_needed() -> None:
    edges = [(-1, 0), (0, 1), (1, 0)]
    assert not refused(FLIP, states(0, 3), edges)
    for gone in edges:
        left = [edge for edge in [*edges, (0, 0), (1, 1)] if edge != gone]
        assert "leads to nothing but its successors" in refused(FLIP, states(0, 3), left), gone


def test_the_start_gets_nowhere_without_edges() -> None:
    assert "the start leads" in refused(FLIP, [], [])
    assert "the start leads" in refused(FLIP, states(0, 3), [(0, 1), (1, 0)])
    assert "the start leads" in refused(FLIP, states(3, 0), [(-1, 0), (0, 1), (1, 0)])


def test_what_is_not_reachable_need_not_be_safe() -> None:
    regions = states(0, 3, 2)
    edges = [(-1, 0), (0, 1), (1, 0), (2, 2)]
    assert not refused(FLIP, regions, edges)
    assert "the check" in refused(FLIP, regions, [*edges, (1, 2)])


def test_regions_may_overlap_and_all_that_are_reachable_count() -> None:
    (place,) = flip().graph.cuts
    anything, small = Fact(*place, 1), Fact(*place, b.or_(b.eq(flip().s, 0, 32), b.eq(flip().s, 3, 32)))
    assert not refused(FLIP, [small], [(-1, 0), (0, 0)])
    assert not refused(FLIP, [small, *states(0)], [(-1, 0), (-1, 1), (0, 0), (1, 0)])
    assert "the check" in refused(FLIP, [small, anything], [(-1, 0), (0, 0), (0, 1), (1, 1)])


def test_a_place_that_is_not_mentioned_must_not_be_reached() -> None:
    text = "int main(void) { int i = 0; if (any()) while (any()) { i++; } else if (i) while (any()) { check(0); } return i; }"
    assert not refused("int main(void) { return 0; }", [], [])
    assert "leads to nothing but" in refused(text, [], [])


# ---------------------------------------------------------------- contracts

RETURNS = "int f(int n) { if (n <= 0) return 3; return f(n - 1); } int main(void) { check(f(any()) == 3); return 0; }"


def contract(text: str) -> tuple[CutGraph, At]:
    graph = graph_of(text, "unreach-call", "flat")
    return graph, At(graph, ("f", EXIT))


def test_calls_need_edges_to_the_entry_and_may_use_the_reachable_exits() -> None:
    _, at = contract(RETURNS)
    regions = [Fact("f", 0, 1), Fact("f", EXIT, b.eq(at.result, 3, 32)), Fact("f", EXIT, b.eq(at.result, 4, 32))]
    edges = [(-1, 0), (0, 0), (0, 1)]
    assert not refused(RETURNS, regions, edges)
    assert not refused(RETURNS, regions, [*edges, (1, 2), (2, 0)])
    assert "the check" in refused(RETURNS, regions, [*edges, (0, 2)])
    assert "at the exit of f" in refused(RETURNS, regions, edges[:2])
    assert "at f:0" in refused(RETURNS, regions, [(-1, 0), (0, 1)])
    assert "at f:0" in refused(RETURNS, regions, edges[1:])
    assert refused(RETURNS.replace("return 3", "return 4"), regions, edges)


def test_an_exit_that_is_not_reached_excuses_only_what_comes_later() -> None:
    """g never returns. That is no excuse for the call of f before it."""
    text = "void g(int n) { g(n); } void f(int x) { check(x == 0); if (any()) f(x); } int main(void) { f(5); g(1); check(0); return 0; }"
    graph = graph_of(text, "unreach-call", "flat")
    x = At(graph, ("f", 0)).x
    regions = [Fact("f", 0, b.eq(x, 0, 32)), Fact("f", EXIT, 1), Fact("g", 0, 1)]
    edges = [(-1, 0), (0, 0), (0, 1), (-1, 2), (2, 2)]
    assert refused(text, regions, edges)
    assert not refused(text.replace("f(5)", "f(0)"), regions, edges)
    assert refused(text.replace("f(5)", "f(0)").replace("g(n);", "if (n) g(n);"), regions, edges)


def test_an_exit_does_not_prove_the_same_call() -> None:
    text = "void f(int x) { check(x == 0); if (any()) f(x); } int main(void) { f(5); return 0; }"
    x = At(graph_of(text, "unreach-call", "flat"), ("f", 0)).x
    regions = [Fact("f", 0, b.eq(x, 0, 32)), Fact("f", EXIT, b.eq(x, 0, 32))]
    edges = [(-1, 0), (0, 0), (0, 1)]
    assert "at f:0" in refused(text, regions, edges)
    assert "at f:0" in refused(text, regions, [(0, 0), (0, 1)])
    assert not refused(text.replace("f(5)", "f(0)"), regions, edges)


# ---------------------------------------------------------------- nothing in it is believed


@pytest.mark.parametrize("edge", [(-2, 0), (2, 0), (0, 2), (0, -1), (-1, -1), (1 << 70, 0)])
def test_edges_between_numbers_that_mean_nothing(edge: tuple[int, int]) -> None:
    assert f"an edge {edge[0]} -> {edge[1]} between 2 regions" in refused(FLIP, states(0, 3), [(-1, 0), edge])


def test_an_edge_stands_once() -> None:
    assert "the edge 0 -> 1 twice" in refused(FLIP, states(0, 3), [(0, 1), (0, 1)])


@pytest.mark.parametrize("place", [("", 0), ("nobody", 0), ("main", -1), ("", -1), ("main", 999), ("main", -2)])
def test_regions_at_no_place(place: tuple[str, int]) -> None:
    name = program(FLIP).entry if place[0] == "main" else place[0]
    assert "where no region can be" in refused(FLIP, [Fact(name, place[1], 1)], [])


@pytest.mark.parametrize(
    "formula",
    [
        b.eq(b.variable("nonsense", BitVec(32)), 0, 32),
        b.eq(b.variable("cut.%0", BitVec(32)), 9, 32),
        b.eq(b.address(7, 64), 0, 64),
        b.variable("counter", BitVec(64)),
        b.variable("counter", BOOL),
        b.eq(ghost(0, 64), 3, 64),
        2,
    ],
    ids=str,
)
def test_regions_that_say_nothing_about_the_place(formula: V) -> None:
    """Reachable or not."""
    (place,) = flip().graph.cuts
    why = refused(FLIP, [*states(0, 3), Fact(*place, formula)], [(-1, 0), (0, 1), (1, 0)])
    assert "a fact at" in why or "mentions forall.0" in why


def test_granules_that_no_array_has() -> None:
    assert "array elements" in refused(FLIP, states(0, 3), [], granules=(("a", 3),))


# ---------------------------------------------------------------- queries


def test_steps_are_asked_about_together(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    race = proof_.race
    monkeypatch.setattr(proof_, "race", lambda *how: (asked.append(1), race(*how))[1])
    for name, queries in (("three deep", 1), ("machine", 0)):
        made, facts, _ = facts_of(PROVED[name])
        found = halved("flat", *at_every_block(made, facts))
        assert found is not None
        asked.clear()
        check_proof(made, found, Budget(90))
        assert len(asked) == queries


def test_a_contradiction_in_one_step_excuses_no_other() -> None:
    """Regions that no state is in, and a step that is wrong, asked about together."""
    text = "int main(void) { int i = 0; while (any()) { i++; } while (any()) { check(i != 9); } return i; }"
    graph = cut_graph(program(text), Budget(10))
    one, two = sorted(graph.cuts)
    impossible = b.and_(b.ult(At(graph, one).i, 3, 32), b.ult(5, At(graph, one).i, 32))
    regions = [Fact(*one, 1), Fact(*one, impossible), Fact(*two, 1)]
    assert "the check" in refused(text, regions, [(s, t) for s in (-1, 0, 1, 2) for t in (0, 1, 2)])


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_unions_are_equivalent_and_complete_trees_vanish(data: st.DataObject) -> None:
    atoms = [b.variable(f"p{n}", BOOL) for n in range(4)]

    def tree(path: V, depth: int) -> list[V]:
        if depth == 0 or data.draw(st.booleans()):
            return [path]
        split = data.draw(st.sampled_from(atoms))
        if data.draw(st.booleans()):
            split = b.and_(split, data.draw(st.sampled_from(atoms)))
        return [*tree(b.and_(path, split), depth - 1), *tree(b.and_(path, b.not_(split)), depth - 1)]

    leaves = tree(1, 4)
    chosen = data.draw(st.permutations([leaf for leaf in leaves if leaf == 1 or data.draw(st.integers(0, 3))]))
    found = union(chosen)
    for number in range(16):
        model = {atom: number >> n & 1 for n, atom in enumerate(atoms)}
        assert evaluate(found, model) == int(any(evaluate(leaf, model) for leaf in chosen))


# ---------------------------------------------------------------- in results


def test_graphs_survive_the_result_file() -> None:
    proof = PROVED["identity"]
    _, facts, graph = facts_of(proof)
    found = halved("flat", facts, graph)
    assert found is not None
    judged = judge(Safe(found), subject(proof.text), Budget(90))
    assert isinstance(judged, Accepted)
    result = answered(CheckResult(Outcome.TRUE, "unreach-call", ("a.c",), "LP64", "main"), judged)
    document = json.loads(as_json(result))
    assert violations(document, ROOT) == []
    assert stored_proof(Given(document, "r.json:")).certificate == found
    text = "\n".join("".join(text for text, _ in line) for line in lines_of(result))
    assert "graph of regions of the flat preparation, re-checked in" in text and "8 regions" in text
    assert "  calls of f at program.c" in text and "n <= 100" in text


@pytest.mark.parametrize(
    "change", [{"edges": 7}, {"edges": [[1]]}, {"edges": [["a", 0]]}, {"regions": [{"function": "f"}]}, {"regions": None}], ids=str
)
def test_broken_text_is_refused_in_one_line(change: dict[str, object]) -> None:
    content = {"preparation": "flat", "regions": [], "edges": [], "granules": [], **change}
    with pytest.raises(UnusableInput, match=r"r\.json: proof\.content") as error:
        stored_proof(Given({"verdict": "TRUE", "proof": {"kind": "region-graph", "content": content}}, "r.json:"))
    assert len(str(error.value).splitlines()) == 1
