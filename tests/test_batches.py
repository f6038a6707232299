"""Which candidates are tried together, and before others: what is said of cells, what is tried again."""

from __future__ import annotations

from contextlib import closing

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines import houdini as engine
from counterpoint.engines import task
from counterpoint.engines.houdini import HoudiniEngine
from counterpoint.engines.houdini.batches import about_memory_as_it_is, equations_of_cells
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.snapshots import Snapshot, Snapshots
from counterpoint.execute.subject import FLAT
from counterpoint.invariants.candidates import checks
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.plain_formulas import AnyProducts, is_nonlinear
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import V
from counterpoint.term.walk import substitute, variables

A = build.variable("a", ArraySort(64, 32))
I, N = build.variable("i", BitVec(64)), build.variable("n", BitVec(64))
G, OTHER = ghost(0, 64), ghost(1, 64)
AT, NEXT = build.select(A, G), build.select(A, OTHER)
INSIDE = build.and_(build.sle(0, G, 64), build.slt(G, I, 64))


def facts(*formulas: V) -> list[Fact]:
    return [Fact("main", 1, formula) for formula in formulas]


def test_what_a_cell_is() -> None:
    """Under whatever conditions; not what it is not, how it compares, or what two cells have in common."""
    said = facts(
        build.implies(INSIDE, build.eq(AT, 7, 32)),
        build.eq(AT, build.extract(31, 0, G, 64), 32),
        build.implies(build.and_(INSIDE, build.ne(AT, 3, 32)), build.eq(AT, 4, 32)),
    )
    others = facts(
        build.implies(INSIDE, build.ne(AT, 7, 32)),
        build.implies(INSIDE, build.sle(0, AT, 32)),
        build.implies(build.slt(G, OTHER, 64), build.eq(AT, NEXT, 32)),
        build.eq(build.select(A, I), 7, 32),
        build.slt(I, N, 64),
        build.implies(build.eq(G, I, 64), build.slt(AT, 5, 32)),
    )
    assert equations_of_cells([*others, *said]) == said


def test_memory_in_the_middle_of_a_round() -> None:
    """An array behind a store is one of the middle of a round: what is said of it is not tried first."""
    (plain,) = facts(build.implies(INSIDE, build.eq(AT, 7, 32)))
    (middle,) = facts(build.eq(build.select(build.store(A, I, 3), G), 7, 32))
    assert middle.formula != 1 and about_memory_as_it_is([middle, plain]) == [plain]


def test_what_is_tried_again_for_the_sake_of_products_is_about_numbers() -> None:
    program = subject("int main(void) { unsigned i = 0, a[9]; while (i < any()) a[i++ & 7] = i; return a[0]; }")
    graph = cut_graph(program.program(FLAT), Budget(30))
    (place,) = graph.cuts
    dropped = [Fact(*place, fact.formula) for fact in facts(build.slt(I, N, 64), build.eq(AT, 7, 32))]
    square = Fact(*place, build.eq(build.mul(I, I, 64), N, 64))
    with closing(Houdini(graph, Budget(30))) as houdini:
        assert engine._again(dropped, houdini) == []
        houdini.facts[place] = [square]
        assert engine._again(dropped, houdini) == dropped[:1]


def test_what_is_tried_again_for_the_sake_of_cells_is_about_no_range() -> None:
    """Numbers first, equations of products behind these, then single cells; not what was shown, or bounds products."""
    single, number = build.eq(build.select(A, 0), 7, 32), build.slt(I, N, 64)
    square, shown = build.eq(build.mul(I, I, 64), N, 64), build.sle(0, I, 64)
    bound, some = build.slt(build.mul(I, I, 64), N, 64), build.eq(build.select(A, build.mul(I, N, 64)), 7, 32)
    dropped = facts(build.implies(INSIDE, build.eq(AT, 7, 32)), single, square, shown, bound, some, number)
    program = subject("int main(void) { int i = 0; while (any()) i++; return i; }").program(FLAT)
    with closing(Houdini(cut_graph(program, Budget(30)), Budget(30))) as houdini:
        houdini.facts["main", 1] = facts(shown)
        assert engine._about_no_range(dropped, houdini) == facts(number, square, single)


def test_a_check_of_cells_that_may_be_outside_is_a_candidate() -> None:
    """What a read outside of an array gives is no number of the place: the check is said of reads inside."""
    text = """int main(void) { int n = any(); if (n < 4 || n > 99) return 0; int a[n], b[n];
    for (int i = 0; i < n; i++) { a[i] = any(); b[i] = a[i]; }
    for (int i = n - 1; i > 0; i--) a[i] = a[i - 1];
    check(a[0] == b[0]); return 0; }"""
    graph = cut_graph(subject(text).program(FLAT), Budget(30))
    said = [str(fact.formula) for fact in checks.SOURCE.candidates(Context(graph, Snapshots(), Budget(30)))]
    wanted = [text for text in said if text.count("[*:4][0]") == 2 and " == " in text]
    assert wanted and not any("invalid" in text for text in said), "\n".join(said)


def test_any_numbers_for_products() -> None:
    """Of products of unknowns only, each by one variable wherever it stands."""
    product = build.mul(I, N, 64)
    formula = build.and_(build.slt(I, product, 64), build.ne(build.ite(build.slt(N, 0, 64), product, I, 64), 3, 64))
    products = AnyProducts()
    weaker = products.of(formula)
    assert not is_nonlinear(weaker)
    (number,) = {*variables(weaker)} - {I, N}
    assert substitute(weaker, {number: product}) is formula
    assert products.of(build.eq(product, 2, 64)) is build.eq(number, 2, 64)
    assert products.of(build.slt(build.mul(I, 3, 64), N, 64)) is build.slt(build.mul(I, 3, 64), N, 64)


def test_what_is_claimed_without_the_products_on_a_way_is_shown_by_numbers() -> None:
    text = """int main(void) { int n = any(), i = 0, s = 0, k = any(); if (n < 0) return 0;
    while (i < n) { if (i < 0) s = s * n + i * k * k; i++; } check(s == 0); return 0; }"""
    made = subject(text)
    assert isinstance(HoudiniEngine().verify(task("houdini", made, {}), Tools(Budget(30))), Safe)


def test_what_is_said_of_ghosts_alone_no_state_refutes() -> None:
    alone, (wrong,) = facts(build.slt(G, build.mul(OTHER, 3, 64), 64)), facts(build.slt(I, 3, 64))
    seen = Snapshots({wrong.place: (Snapshot({I: 5}),)})
    assert refuted([*alone, wrong], seen) == {wrong}
