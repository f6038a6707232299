"""States at cut points: proofs by hand of small loops, refuted ones, and runs that must not be lost."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from c_programs import program
from counterpoint.program.graph import loop_heads
from counterpoint.semantics import cutpoint as cuts
from counterpoint.semantics.components import Elements, SummaryElements, SummaryLive, SummarySizes, variable_of
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.static.points_to import points_to
from counterpoint.term.build import (
    add,
    and_,
    conjunction,
    eq,
    extract,
    implies,
    ite,
    lshr,
    or_,
    select,
    ule,
    ult,
    variable,
)
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from cut_proofs import Names, chained, problems

COUNTING = "int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }"
GLOBALS = (
    "int g, h; int main(void) { unsigned n = any(), i = 0; int *p = n > 5 ? &g : &h; *p = 0;"
    " while (i < n) { i++; (*p)++; } if (n > 5) check(g == n); return 0; }"
)
ARRAY = "int main(void) { int a[100]; unsigned i = 0; while (i < 100) { a[i] = i; i++; } check(a[7] == 7); return 0; }"
LIST = (
    "struct n { struct n *next; int v; }; int main(void) { struct n *h = 0;"
    " while (any()) { struct n *x = malloc(sizeof *x); x->v = 3; x->next = h; h = x; } if (h) check(h->v == 3); return 0; }"
)
WALK = (
    "int main(void) { int n = any(); if (n < 1 || n > 1000) return 0; int *a = malloc(4 * n), *p = a;"
    " while (p != a + n) { *p = 0; p++; } check(p == a + n); return 0; }"
)


def bounded(names: Names) -> V:
    return ule(names.of("i"), names.of("n"), 32)


def counted(names: Names) -> V:
    many = eq(names.of("p"), names.of("&g"), 64)
    pointer = eq(names.of("p"), ite(many, names.of("&g"), names.of("&h"), BitVec(64)), 64)
    counts = implies(many, eq(names.of("g[0:4]"), names.of("i"), 32))
    return conjunction([bounded(names), pointer, implies(ult(5, names.of("n"), 32), many), counts])


def filled(index: int) -> object:
    def invariant(names: Names) -> V:
        array = variable_of(next(c for c in cuts.components(names.cut) if isinstance(c, Elements)), 64)
        return implies(ult(index, names.of("i"), 32), eq(select(array, index), index, 32))

    return invariant


KEPT = (
    "struct n { struct n *next; int v; }; int main(void) { struct n *first = 0;"
    " while (any()) { struct n *x = malloc(sizeof *x); x->v = 4; x->next = first; if (!first) { x->v = 3; first = x; } }"
    " if (first) check(first->v == 3); return 0; }"
)


def summary(names: Names) -> tuple[Term, Term, Term]:
    found = cuts.components(names.cut)
    kinds = (SummaryElements, SummaryLive, SummarySizes)
    memory, live, sizes = (variable_of(next(c for c in found if isinstance(c, kind)), 64) for kind in kinds)
    return memory, live, sizes


def list_of(value: int, pointer: str = "h") -> object:
    def invariant(names: Names) -> V:
        memory, live, sizes = summary(names)
        head = names.of(pointer)
        word = select(memory, lshr(add(head, 8, 64), 3, 64))
        good = [eq(select(live, head), 1, 8), ule(16, select(sizes, head), 64), eq(extract(31, 0, word, 64), value, 32)]
        return or_(eq(head, 0, 64), conjunction(good))

    return invariant


PROOFS = {
    "globals through a pointer": (GLOBALS, counted),
    "counting": (COUNTING, bounded),
    "array element": (ARRAY, filled(7)),
    "list": (LIST, list_of(3)),
    "kept when others are made": (KEPT, list_of(3, "first")),
}


@pytest.mark.parametrize(("text", "invariant"), PROOFS.values(), ids=PROOFS)
def test_inductive_invariants_are_proved_and_needed(text: str, invariant: object) -> None:
    made = program(text)
    assert problems(made, {0: invariant}) == []  # type: ignore[dict-item]
    assert "loop 0: check fails" in problems(made, {})


WRONG = {
    "too strong at the start": (COUNTING, lambda names: ult(names.of("i"), names.of("n"), 32), "start -> loop 0"),
    "not inductive": (COUNTING, lambda names: ult(names.of("i"), 9, 32), "loop 0 -> loop 0"),
    "another value": (LIST, list_of(4), "loop 0 -> loop 0"),
    "too weak": (ARRAY, filled(8), "loop 0: check fails"),
}


@pytest.mark.parametrize(("text", "invariant", "problem"), WRONG.values(), ids=WRONG)
def test_wrong_invariants_are_refuted(text: str, invariant: object, problem: str) -> None:
    assert problem in problems(program(text), {0: invariant})  # type: ignore[dict-item]


def test_a_write_before_the_array_is_not_lost() -> None:
    """`p` is below its array at the loop head; what it writes is inside."""
    text = (
        "int main(void) { int a[3]; a[0] = 0; int *p = a - 1; unsigned i = 0;"
        " while (i < 3) { p[1] = 7; p++; i++; } check(a[0] == 0); return 0; }"
    )

    def invariant(names: Names) -> V:
        array = variable_of(next(c for c in cuts.components(names.cut) if isinstance(c, Elements)), 64)
        return eq(select(array, 0), 0, 32)

    assert "loop 0 -> loop 0" in problems(program(text), {0: invariant})


BUGS: Mapping[str, tuple[str, int]] = {
    "scalar": ("int main(void) { int i = 0; while (any()) i += 2; check(i != 4); return 0; }", 2),
    "global": ("int g; int main(void) { g = 1; while (any()) { g = g * 3; } check(g != 9); return 0; }", 2),
    "through a pointer": (
        "int g, h; int main(void) { int *p = any() ? &g : &h; g = h = 0; while (any()) { *p += 1; p = &g; } check(g != 2); return 0; }",
        2,
    ),
    "array": ("int main(void) { int a[80] = {0}, i = 0; while (i < 80 && any()) { a[i] = i; i++; } check(a[2] != 2); return 0; }", 3),
    "list": (
        LIST.replace("x->v = 3", "x->v = any()").replace("if (h)", "if (h && h->next)").replace("h->v == 3", "h->next->v != h->v"),
        2,
    ),
    "freed and fresh": (
        "struct n { int v; struct n *o; }; int main(void) { struct n *last = 0; while (any()) { struct n *x = malloc(16); x->o = last;"
        " x->v = 1; if (last) { last->v = 5; if (last->o) free(last->o); } last = x; }"
        " if (last && last->o) check(last->o->v == 1); return 0; }",
        2,
    ),
    "walk": (WALK.replace("check(p == a + n)", "check(n != 2 || a[1] != 0)"), 2),
    "pointers in an array": (
        "int main(void) { int x = 1, y = 2; int *a[2]; a[0] = &x; a[1] = &y; unsigned i = 0;"
        " while (i < 2) { int *t = a[i]; *t += 1; a[i] = a[1 - i]; i++; } check(x != 2 || y != 3); return 0; }",
        2,
    ),
    "external": (
        "extern int *unknown(void); int main(void) { int *p = unknown(), *q = 0; int n = 0; while (any()) { q = p; p = unknown(); n++;"
        " if (p) *p = n; } if (p && q) check(n != 2 || *p == *q); return 0; }",
        2,
    ),
    "nested": (
        "int main(void) { int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s += j; check(s != 2); return 0; }",
        9,
    ),
    "zeroed block": (
        "extern void *calloc(unsigned long, unsigned long); struct n { struct n *next; int v; }; int main(void) { struct n *h = 0;"
        " while (any()) { struct n *x = calloc(1, sizeof *x); x->next = h; h = x; } if (h && h->next) check(h->next->v != 0); return 0; }",
        2,
    ),
}


@pytest.mark.parametrize(("text", "iterations"), BUGS.values(), ids=BUGS)
def test_no_run_is_lost_when_regions_are_chained(text: str, iterations: int) -> None:
    """With all components equal at each cut point, the regions one after the other still reach the bug."""
    assert chained(program(text), iterations)


def test_an_encoding_has_one_start() -> None:
    points = points_to(program(COUNTING))
    (head,) = loop_heads(points.program.main)
    cut = cuts.cut_point(points, points.program.entry, head)
    world = World(points.program)
    state = cuts.arbitrary_state(world, cut)
    with pytest.raises(BeyondModel):
        cuts.arbitrary_state(world, cut)
    with pytest.raises(BeyondModel, match="no component"):
        cuts.instantiate(eq(variable("nonsense", BitVec(8)), 0, 8), cut, state)
    assert and_(1, cuts.instantiate(1, cut, state)) == 1
