"""Houdini over the cut graph: what it keeps is inductive, and exactly the strongest such part of what it is given."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.plain_formulas import is_plain
from counterpoint.invariants.region_solver import RegionSolver
from counterpoint.regions.cut_graph import CutGraph, Place, cut_graph
from counterpoint.semantics.components import Component, Elements, RegisterValue, ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.solver.answers import SolverUnknown
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

BITS = 64


def graph_of(source: str) -> CutGraph:
    return cut_graph(program(source), Budget(90))


def only_loop(graph: CutGraph) -> Place:
    (place,) = (p for p in graph.cuts if p[1] != EXIT)
    return place


def named(graph: CutGraph, place: Place, name: str) -> Term:
    for component in graph.components(place):
        if isinstance(component, RegisterValue) and component.register.name.split(".")[0] == name:
            return variable_of(component, BITS)
    raise KeyError(f"{name}: {[c.name for c in graph.components(place)]}")


def scalars(graph: CutGraph, place: Place) -> list[Term]:
    found: list[Component] = [c for c in graph.components(place) if isinstance(c, RegisterValue | ResultValue)]
    return [variable_of(c, BITS) for c in found if c.sort(BITS) == BitVec(32)]


def proved(graph: CutGraph, candidates: list[Fact]) -> tuple[list[Fact], bool]:
    houdini = Houdini(graph, Budget(90))
    try:
        kept = houdini.extend(candidates)
        return kept, not houdini.open_regions()
    finally:
        houdini.close()


def test_keeps_what_is_inductive_and_drops_the_rest() -> None:
    graph = graph_of("int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }")
    place = only_loop(graph)
    i, n = named(graph, place, "i"), named(graph, place, "n")
    right = Fact(*place, build.ule(i, n, 32))
    wrong = [Fact(*place, build.ult(i, n, 32)), Fact(*place, build.eq(i, 0, 32)), Fact(*place, build.ule(n, 9, 32))]
    assert proved(graph, [*wrong, right]) == ([right], True)


def test_facts_that_only_hold_together() -> None:
    graph = graph_of(
        "int main(void) { int x = 0, y = 5, i = any(); while (i--) { int t = x; x = y; y = t; } check(x < 6); return 0; }"
    )
    place = only_loop(graph)
    x, y = named(graph, place, "x"), named(graph, place, "y")
    both = [Fact(*place, build.or_(build.eq(v, 0, 32), build.eq(v, 5, 32))) for v in (x, y)]
    assert proved(graph, both) == (both, True)
    assert proved(graph, both[:1])[0] == []


CHECKED = """int main(void) { int a = any(), n = 0, x = 0, y = 1, z = 6;
    while (1) { check(y == 3 * n * n + 3 * n + 1); check(x == n * n * n); if (!(n <= a)) break;
    n++; x += y; y += z; z += 6; } check(6 * a * x - x * z + 12 * x == 0); return 0; }"""


def test_a_loop_that_checks_products_keeps_what_has_none() -> None:
    """Its rounds' conditions have products, which claims without any rarely need."""
    graph = graph_of(CHECKED)
    place = only_loop(graph)
    a, n, x, y, z = (named(graph, place, name) for name in "anxyz")
    square = build.mul(n, n, 32)
    linear = [
        build.eq(z, build.add(build.mul(n, 6, 32), 6, 32), 32),
        build.or_(build.eq(n, 0, 32), build.sle(build.sub(n, 1, 32), a, 32)),
    ]
    products = [
        build.eq(x, build.mul(square, n, 32), 32),
        build.eq(y, build.add(build.mul(build.add(square, n, 32), 3, 32), 1, 32), 32),
    ]
    right = [Fact(*place, formula) for formula in (*linear, *products)]
    wrong = [Fact(*place, build.sle(n, a, 32)), Fact(*place, build.sle(0, y, 32)), Fact(*place, build.eq(x, n, 32))]
    kept, safe = proved(graph, [*wrong, *right])
    assert set(kept) == set(right) and safe


def test_a_fact_may_need_the_products_that_a_round_checks() -> None:
    graph = graph_of(
        "int main(void) { int y = 1; while (any()) { int k = any(), m = any(); if (m * k != 3) continue; y += m + 1; }"
        " check(y & 1); return 0; }"
    )
    place = only_loop(graph)
    y = named(graph, place, "y")
    odd, least = Fact(*place, build.eq(build.extract(0, 0, y, 32), 1, 1)), Fact(*place, build.ne(y, 0, 32))
    assert proved(graph, [least, odd]) == ([least, odd], True)
    assert proved(graph, [least]) == ([], False)


def test_the_time_of_candidates_is_not_that_of_what_follows() -> None:
    graph = graph_of(CHECKED)
    place = only_loop(graph)
    houdini = Houdini(graph, Budget(90))
    try:
        houdini.extend([Fact(*place, build.eq(named(graph, place, "x"), 0, 32))], 0.5)
        assert houdini._limit(4.0) == 4.0
    finally:
        houdini.close()


def test_what_falls_for_want_of_an_answer_is_unsettled(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }"
    graph = graph_of(source)
    place = only_loop(graph)
    i, n = named(graph, place, "i"), named(graph, place, "n")
    right, wrong = Fact(*place, build.ule(i, n, 32)), Fact(*place, build.eq(i, n, 32))
    limits: list[float] = []

    def silent(_: RegionSolver, claims: object, hypotheses: object, seconds: float, **__: bool) -> SolverUnknown:
        limits.append(seconds)
        return SolverUnknown("timeout")

    houdini = Houdini(graph, Budget(90))
    assert houdini.extend([wrong]) == [] and not houdini.unsettled
    with monkeypatch.context() as patched:
        patched.setattr(RegionSolver, "violates", silent)
        assert houdini.extend([right]) == [] and list(houdini.unsettled) == [right]
        longest = max(limits)
        assert houdini.extend(houdini.unsettled, patience=3.0) == [] and max(limits) == pytest.approx(3 * longest)
    assert houdini.extend(houdini.unsettled) == [right]
    assert not houdini.unsettled and not houdini.open_regions()
    houdini.close()


def test_nested_loops_are_settled_together() -> None:
    graph = graph_of(
        "int main(void) { unsigned x = 0, y = 0; while (any()) { unsigned k = 0; while (k < 7) { k++; x++; y++; } x += k;"
        " y += k; } check(x == y); return 0; }"
    )
    places = [place for place in graph.cuts if place[1] != EXIT]
    candidates = [
        Fact(*place, build.eq(a, b, 32))
        for place in places
        for a in scalars(graph, place)
        for b in scalars(graph, place)
        if a is not b
    ]
    kept, safe = proved(graph, candidates)
    assert safe and {fact.place for fact in kept} == set(places)


def test_a_program_whose_check_fails_is_never_proved() -> None:
    graph = graph_of("int main(void) { int i = 0; while (i < 9) i++; check(i == 8); return 0; }")
    place = only_loop(graph)
    everything: list[V] = [0, build.eq(named(graph, place, "i"), 8, 32), build.sle(named(graph, place, "i"), 8, 32)]
    kept, safe = proved(graph, [Fact(*place, formula) for formula in everything])
    assert kept == [] and not safe


RECURSIVE = "int f(int n) { return n <= 0 ? 0 : f(n - 1) + 1; } int main(void) { int n = any(); if (n < 0) return 0; check(f(n) == n); return 0; }"


def contract(graph: CutGraph) -> list[Fact]:
    name = graph.contracts[0]
    argument, result = scalars(graph, (name, EXIT))
    positive = build.implies(build.sle(0, argument, 32), build.eq(argument, result, 32))
    return [Fact(name, EXIT, positive)]


def test_a_recursive_function_by_its_contract() -> None:
    graph = graph_of(RECURSIVE)
    assert proved(graph, contract(graph)) == (contract(graph), True)


def test_contradictory_contracts_do_not_prove_each_other() -> None:
    graph = graph_of(RECURSIVE)
    name = graph.contracts[0]
    kept, safe = proved(graph, [Fact(name, EXIT, 0), Fact(name, 0, 0)])
    assert kept == [] and not safe


def test_a_function_that_never_returns_has_a_false_postcondition() -> None:
    graph = graph_of("int f(int n) { return f(n + 1) + 1; } int main(void) { f(any()); check(0); return 0; }")
    name = graph.contracts[0]
    kept, safe = proved(graph, [Fact(name, EXIT, 0)])
    assert kept == [Fact(name, EXIT, 0)] and safe


CHANGED_BY_A_CALL = {
    "global": "int g; void f(int n) { if (n > 0) { g = n; f(n - 1); } } int main(void) { g = 0; f(any()); check(g == 0); return 0; }",
    "callee's callee": (
        "int g; void h(void) { g = 1; } void f(int n) { if (n > 0) { h(); f(n - 1); } }"
        " int main(void) { g = 0; f(any()); check(g == 0); return 0; }"
    ),
    "array": (
        "int a[300]; void f(int n) { if (n > 0 && n < 300) { a[n] = n; f(n - 1); } }"
        " int main(void) { a[7] = 0; f(any()); check(a[7] == 0); return 0; }"
    ),
    "local of its caller": (
        "void f(int *p, int n) { if (n > 0) { *p = n; f(p, n - 1); } }"
        " int main(void) { int x = 0; f(&x, any()); check(x == 0); return 0; }"
    ),
    "outside": (
        "extern int *unknown(void); void f(int *p, int n) { if (n > 0) { *p = n; f(p, n - 1); } }"
        " int main(void) { int *p = unknown(); if (!p) return 0; *p = 0; f(p, any()); check(*p == 0); return 0; }"
    ),
    "heap block": (
        "void f(int *p, int n) { if (n > 0) { *p = n; f(p, n - 1); } }"
        " int main(void) { int *p = malloc(4); *p = 0; f(p, any()); check(*p == 0); return 0; }"
    ),
}


@pytest.mark.parametrize("text", CHANGED_BY_A_CALL.values(), ids=CHANGED_BY_A_CALL)
def test_what_a_call_by_contract_may_change_is_arbitrary_afterwards(text: str) -> None:
    graph = graph_of(text)
    assert graph.contracts
    assert proved(graph, []) == ([], False)


def test_what_a_call_by_contract_cannot_change_stays() -> None:
    text = "int g, h; void f(int n) { if (n > 0) { g = n; f(n - 1); } } int main(void) { h = 1; f(any()); check(h == 1); return 0; }"
    assert proved(graph_of(text), []) == ([], True)


def test_a_fact_for_all_cells_of_an_array() -> None:
    graph = graph_of(
        "int main(void) { int a[1000]; unsigned i; for (i = 0; i < 1000; i++) a[i] = 7; unsigned k = any();"
        " if (k < 1000) check(a[k] == 7); return 0; }"
    )
    place = only_loop(graph)
    array = next(variable_of(c, BITS) for c in graph.components(place) if isinstance(c, Elements))
    i, cell = build.zext(named(graph, place, "i"), 32, BITS), ghost(0, BITS)
    filled = build.implies(build.ult(cell, i, BITS), build.eq(build.select(array, cell), 7, 32))
    bound = build.ule(named(graph, place, "i"), 1000, 32)
    kept, safe = proved(graph, [Fact(*place, filled), Fact(*place, bound)])
    assert len(kept) == 2 and safe


def test_needed_facts_suffice_and_leave_out_idle_ones() -> None:
    graph = graph_of(
        "int main(void) { unsigned n = any(), i = 0, k = 3; while (i < n) { i++; k = 3; } check(i == n); return k; }"
    )
    place = only_loop(graph)
    i, n = named(graph, place, "i"), named(graph, place, "n")
    houdini = Houdini(graph, Budget(90))
    useful = Fact(*place, build.ule(i, n, 32))
    kept = houdini.extend([useful, Fact(*place, build.implies(build.eq(n, 0, 32), build.eq(i, 0, 32)))])
    assert len(kept) == 2 and not houdini.open_regions()
    assert houdini.needed() == [useful]
    houdini.close()


def test_of_facts_that_say_nearly_the_same_few_are_needed() -> None:
    graph = graph_of("int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }")
    place = only_loop(graph)
    i, n = named(graph, place, "i"), named(graph, place, "n")
    useful = build.ule(i, n, 32)
    houdini = Houdini(graph, Budget(90))
    assert houdini.extend(Fact(*place, build.or_(build.eq(n, k, 32), useful)) for k in range(30))
    assert houdini.extend([Fact(*place, useful)])
    assert not houdini.open_regions()
    needed = houdini.needed()
    assert 1 <= len(needed) <= 2 and set(needed) <= set(houdini.supported)
    houdini.close()


def test_an_inequality_between_products_may_hold_because_it_did_before() -> None:
    source = "int main(void) { unsigned n = any(), low = 0; while (any()) { unsigned o = any(); if (o * o <= n) low = o; } check(low * low <= n); return 0; }"
    graph = graph_of(source)
    place = only_loop(graph)
    low, n = named(graph, place, "low"), named(graph, place, "n")
    right = Fact(*place, build.ule(build.mul(low, low, 32), n, 32))
    wrong = Fact(*place, build.ult(build.mul(low, low, 32), n, 32))
    assert proved(graph, [wrong, right]) == ([right], True)


def test_plain_facts_are_equations_and_comparisons_of_variables() -> None:
    x, y, z = (build.variable(name, BitVec(32)) for name in "xyz")
    sum_, twice = build.add(x, y, 32), build.mul(2, z, 32)
    less = build.ult(build.add(x, 3, 32), y, 32)
    assert all(map(is_plain, [build.eq(sum_, twice, 32), less, build.or_(less, build.eq(x, z, 32))]))
    order, quotient = build.sle(sum_, z, 32), build.eq(build.udiv(x, 3, 32), y, 32)
    guarded, product = build.or_(less, build.eq(sum_, z, 32)), build.eq(build.mul(x, y, 32), z, 32)
    assert not any(map(is_plain, [order, quotient, guarded, product]))


def test_regions_are_not_made_once_time_is_used_up() -> None:
    """However small they are."""
    with pytest.raises(OutOfBudget):
        cut_graph(program("int main(void) { check(any() < 9); return 0; }"), Budget(0.0))


def test_without_time_no_check_holds_and_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver of a large region takes long to make, even where it is asked nothing."""
    source = "int main(void) { int a[3]; unsigned n = any(); n %= 3; a[n] = 1; check(a[n] == 1); return 0; }"
    houdini = Houdini(graph_of(source), Budget(90))
    checks = frozenset(failure.check for region in houdini.graph.regions for failure in region.failures)
    assert checks
    with monkeypatch.context() as patched:
        patched.setattr(Houdini, "solver", lambda self, region: pytest.fail("a solver was made"))
        assert not houdini.in_front(checks, 0.0).checks
    try:
        assert houdini.in_front(checks, 60.0).checks == checks
    finally:
        houdini.close()
