"""Lost memory across loops: what is shown without facts, what needs facts about blocks, and what must never be shown."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import FLAT
from counterpoint.invariants.candidates import heap_blocks
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.focus import lost_among
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.static.cursors import cursors
from counterpoint.static.pointer_slots import followed_slots, pointer_slots

NODE = """struct n { struct n *next; int d; }; struct n *g, *h; void exit(int);
#define NEW(x) struct n *x = malloc(sizeof *x); x->next = 0; x->d = 0
"""

BUILT = "while (any()) { NEW(x); x->next = g; g = x; }"

KEPT = {
    "no block": "int i = 0; while (any()) i++;",
    "freed behind a loop": "int *p = malloc(4); while (any()) *p = 1; free(p);",
    "a list that a global holds": BUILT,
    "replaced": "int *p = malloc(4); while (any()) { free(p); p = malloc(8); } free(p);",
}

LOST = {
    "behind a loop": "int *p = malloc(4); while (any()) *p = 1;",
    "in a run without an end": "int *p = malloc(4); p = 0; unsigned x = 1; while (x % 2) x += 2;",
    "a node of a list": "while (any()) { NEW(x); x->next = g; g = x; if (any()) g = g->next; }",
    "a cycle of two": "while (any()) { NEW(x); NEW(y); x->next = y; y->next = x; g = x; }",
    "a block that points to itself": "while (any()) { NEW(x); x->next = x; g = x; g = 0; }",
    "only the first is freed": BUILT + "if (g) { struct n *x = g; g = 0; free(x); }",
    "behind a freed block": "NEW(a); NEW(b); a->next = b; g = a; while (any()) a->d++; g = 0; free(a);",
    "held by a local of a block": """while (any()) { struct n *p, **q = &p; *q = malloc(sizeof *p);
        if (any()) exit(0); while (any()) (*q)->d = 1; }""",
    "in an array": "struct n **t = (struct n **)&g; while (any()) { NEW(x); t[0] = x; }",
    "held by what leads back only": """struct d { struct d *next, *back; } *f = 0; while (any()) {
        struct d *x = malloc(sizeof *x); x->next = 0; x->back = f; if (f) f->next = x; f = x; }
        while (f) { struct d *t = f->next; free(f); f = t; }""",
    "the last one, to which all point": """struct d { struct d *next, *last; } *f = 0, *e = malloc(sizeof *e);
        e->next = e->last = 0; while (any()) { struct d *x = malloc(sizeof *x); x->next = f; x->last = e; f = x; }
        while (f) { struct d *t = f->next; free(f); f = t; }""",
    "an item of a list of items": """struct i { int d; }; struct l { struct l *next; struct i *i; } *f = 0;
        while (any()) { struct l *x = malloc(sizeof *x); x->i = malloc(sizeof(struct i)); x->next = f; f = x; }
        while (f) { struct l *t = f->next; free(f); f = t; }""",
    "held by an integer": "static unsigned long k; while (any()) { NEW(x); k = (unsigned long)x + 100; }",
}


def losing(body: str) -> Program:
    """The program in which only lost memory counts."""
    made = subject(NODE + "int main(void) { " + body + " return 0; }", "memory-safety")
    return made.focused(lost_among(made.defined.checks)).program(FLAT)


def opened(body: str) -> tuple[CutGraph, Houdini]:
    graph = cut_graph(losing(body), Budget(60))
    return graph, Houdini(graph, Budget(60))


def rejected(program: Program) -> bool:
    try:
        check_proof(program, InductiveInvariants(FLAT, ()), Budget(20))
    except (EvidenceRejected, EvidenceUnchecked):
        return True
    return False


@pytest.mark.parametrize("name", KEPT)
def test_what_is_reachable_stays_so_without_any_fact(name: str) -> None:
    _, houdini = opened(KEPT[name])
    assert not houdini.open_regions(20)


@pytest.mark.parametrize("name", LOST)
def test_what_is_lost_is_never_shown_to_be_kept(name: str) -> None:
    graph, houdini = opened(LOST[name])
    assert houdini.open_regions(20)
    assert name not in ("a cycle of two", "behind a loop") or rejected(graph.program)


RECURSIVE = "static int f(struct n *x, int k) { if (k <= 0) return 0; %s return f(x, k - 1) + 1; }"


@pytest.mark.parametrize("does", ["x->d = k;", "g = 0;", "free(malloc(1));"])
def test_nothing_is_shown_where_functions_go_by_contract(does: str) -> None:
    text = NODE + RECURSIVE % does + "int main(void) { NEW(x); g = x; f(x, any()); while (any()) ; return 0; }"
    made = subject(text, "memory-safety")
    graph = cut_graph(made.focused(lost_among(made.defined.checks)).program(FLAT), Budget(30))
    assert any("lost" in block.reason and block.formula == 1 for region in graph.regions for block in region.blocks)


def test_the_checker_shows_it_as_well() -> None:
    check_proof(losing(KEPT["a list that a global holds"]), InductiveInvariants(FLAT, ()), Budget(30))


def test_blocks_are_guessed_to_point_to_live_blocks_and_to_share_none() -> None:
    graph = cut_graph(losing(BUILT), Budget(30))
    told = [str(fact) for fact in heap_blocks.SOURCE.candidates(Context(graph, Snapshots(), Budget(30)))]
    closed = [one for one in told if one.count("live2[*]") == 2 and "forall.0" in one and "== 0)" in one]
    unshared = [one for one in told if "forall.1" in one and "memory 2[*:8][zext64(forall.0[63:3])] != " in one]
    assert closed and unshared


def test_wrong_facts_about_blocks_are_refused() -> None:
    """That a node points to none holds of the first one only."""
    graph = cut_graph(losing(BUILT), Budget(30))
    told = list(heap_blocks.SOURCE.candidates(Context(graph, Snapshots(), Budget(30))))
    single = [fact for fact in told if str(fact).endswith("(memory 2[*:8][zext64(forall.0[63:3])] == 0))")]
    assert single
    with pytest.raises(EvidenceRejected):
        check_proof(graph.program, InductiveInvariants(FLAT, (single[0],)), Budget(20))


def test_slots_of_embedded_heads_are_counted_from_the_start_of_the_block() -> None:
    text = """struct link { struct link *to; }; struct item { long a, b; struct link l; }; struct link *all;
    int main(void) { while (any()) { struct item *i = malloc(sizeof *i); i->l.to = all; all = &i->l; }
      for (struct link *p = all; p; p = p->to) ((struct item *)((char *)p - 16))->a = 1; return 0; }"""
    graph = cut_graph(subject(text, "memory-safety").program(FLAT), Budget(30))
    heap = next(thing.number for thing in graph.points.objects if thing.heap)
    assert pointer_slots(graph.points)[heap].offsets == (16,)


TWICE = """struct d { struct d *next, *back; int d; }; %s *all; %s int main(void) {
    while (any()) { struct d *x = malloc(sizeof *x); x->next = all; x->back = 0; %s if (all) all->back = x; all = x; }
    while (all) { struct d *t = all->%s; free(all); all = t; } return 0; }"""


@pytest.mark.parametrize(
    ("before", "more", "read", "followed"),
    [("", "", "next", (0,)), ("", "", "back", (8,)), ("struct d *k;", "k = x->back;", "next", (0, 8))],
)
def test_of_several_slots_those_are_followed_from_which_the_text_loads(
    before: str, more: str, read: str, followed: tuple[int, ...]
) -> None:
    points = cut_graph(subject(TWICE % ("struct d", before, more, read), "memory-safety").program(FLAT), Budget(30)).points
    heap = next(thing.number for thing in points.objects if thing.heap)
    assert pointer_slots(points)[heap].offsets == (0, 8)
    assert followed_slots(points)[heap].offsets == followed


def test_blocks_of_a_class_have_one_choice_of_slots_and_all_count_where_a_kind_is_never_read() -> None:
    mixed = """struct d { struct d *next, *back; } *all; struct e { long a, b; struct e *to; } *es; int main(void) {
        struct d *one = malloc(sizeof *one); one->next = 0; one->back = one; all = one;
        while (any()) { struct d *x = malloc(sizeof *x); x->next = all; all = x; %s }
        while (any()) if (all) all = all->next; return 0; }"""
    for behind, offsets in (("", {(0,)}), ("struct e *y = malloc(sizeof *y); y->to = es; es = y;", {(0, 8), (16,)})):
        points = cut_graph(subject(mixed % behind, "memory-safety").program(FLAT), Budget(30)).points
        kinds = {followed_slots(points)[n].offsets for n in range(len(points.objects)) if points.objects[n].heap}
        assert kinds == offsets


def test_a_pointer_that_searches_or_appends_is_no_root_and_one_that_frees_is() -> None:
    searching = losing(BUILT + "struct n *p = g; while (p && p->d != 3) p = p->next;")
    freeing = losing("struct n *l = 0; while (any()) { NEW(x); x->next = l; l = x; } "
                     "while (l) { struct n *t = l->next; free(l); l = t; }")  # fmt: skip
    for program, many in ((searching, 1), (freeing, 0)):
        graph = cut_graph(program, Budget(30))
        assert len(cursors(graph.points, program.main)) == many
