"""Facts about blocks in small heaps: what is kept, what is a proof, and what a small heap must not let pass."""

from __future__ import annotations

import re
from functools import lru_cache

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines import task
from counterpoint.engines.houdini import HoudiniEngine
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import FLAT
from counterpoint.invariants.candidates import heap_blocks
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.small_heaps.proposal import Proposal, propose
from counterpoint.invariants.small_heaps.states import SmallState
from counterpoint.invariants.small_heaps.values import Choice, Evaluation, Table, Value
from counterpoint.program.graph import loops
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.static.cursors import cursors, let_go
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term

LIST = """struct n { struct n *next; }; int main(void) { struct n *l = 0;
    while (any()) { struct n *x = malloc(sizeof *x); x->next = l; l = x; }
    while (l) { struct n *t = l->next; %s l = t; } return 0; }"""


@lru_cache
def graph_of(text: str) -> CutGraph:
    return cut_graph(subject(text, "memory-safety").program(FLAT), Budget(60))


def guessed(graph: CutGraph) -> list[Fact]:
    return list(heap_blocks.SOURCE.candidates(Context(graph, Snapshots(), Budget(60))))


def proposed(text: str) -> tuple[CutGraph, Proposal]:
    graph = graph_of(text)
    return graph, propose(graph, guessed(graph), Budget(60), 0)


def test_a_list_that_is_built_and_freed() -> None:
    _, proposal = proposed(LIST % "free(l);")
    assert proposal.proof is not None and len(proposal.proof) < len(proposal.kept)
    assert any(str(fact).endswith(" <u counter)") and not ghosts(fact.formula) for fact in proposal.proof)
    made = subject(LIST % "free(l);", "memory-safety")
    assert isinstance(HoudiniEngine().verify(task("houdini", made, {}), Tools(Budget(60))), Safe)


def test_what_fails_has_no_proof_in_small_heaps() -> None:
    for wrong in ("free(l); free(l);", "free(l); t = l->next;", ""):
        assert proposed(LIST % wrong)[1].proof is None


KNOWS = """struct n { struct n *next, *last; }; int main(void) { struct n *l = malloc(sizeof *l), *e = l, *t;
    l->next = l->last = 0;
    while (any()) { struct n *x = malloc(sizeof *x); x->next = l; x->last = e; l = x; }
    while (%s) { t = l->next; %s l = t; } return 0; }"""


def test_what_leads_back_and_is_never_looked_at_holds_no_list() -> None:
    """All nodes know the last one: each is reached by what the list is walked by, and so it is freed."""
    assert proposed(KNOWS % ("l", "free(l);"))[1].proof is not None
    wrong = (
        ("l", "if (any()) free(l);"),  # lost
        ("l != e", "free(l);"),  # the last one is lost
        ("l", "free(l); free(l->last);"),  # used when it is freed
        ("l", "if (l->last) free(l->last); free(l);"),  # freed twice
        ("l", "free(l); if (t) t->last = l, t->last->next = t;"),  # written when it is freed
    )
    for goes_on, does in wrong:
        assert proposed(KNOWS % (goes_on, does))[1].proof is None


def test_where_time_is_over_nothing_is_dropped() -> None:
    graph = graph_of(LIST % "free(l);")
    found = guessed(graph)
    assert propose(graph, found, Budget(0), 0) == Proposal(tuple(found), None)


def test_a_list_that_grows_in_front_begins_with_its_first_element() -> None:
    """Linked both ways, each element is reached from the next one, but nobody holds them but for the variable."""
    text = """struct n { struct n *next, *prev; }; int main(void) { struct n *l = 0;
        while (any()) { struct n *x = malloc(sizeof *x); x->next = l; x->prev = 0; if (l) l->prev = x; l = x; }
        while (l) { struct n *t = l->next; free(l); l = t; } return 0; }"""
    graph = graph_of(text)
    assert not cursors(graph.points, graph.program.main)


def test_what_a_loop_only_looks_at_is_no_root_of_it() -> None:
    text = """struct n { struct n *next, *last; }; int main(void) { struct n *l = malloc(sizeof *l), *t = l; l->next = 0; l->last = t;
        while (any()) { struct n *x = malloc(sizeof *x); x->next = l; x->last = t; l = x; }
        %s while (l) { t = l->next; free(l); l = t; } return 0; }"""
    for behind, many in (("", 1), ("t->last = 0;", 0)):
        program = subject(text % behind, "memory-safety").program(FLAT).main
        assert sum(len(let_go(program, loop.head)) for loop in loops(program)) == many


QUEUE = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *e = 0, *x;
    while (any()) if (any()) { x = malloc(sizeof *x); x->next = 0; if (e) e->next = x; else l = x; e = x; }
      else if (l) { x = l; l = x->next; %s free(x); }
    while (l) { x = l->next; free(l); l = x; } return 0; }"""


def test_the_last_one_of_a_queue_goes_along_in_choices_of_all_kinds() -> None:
    assert proposed(QUEUE % "if (!l) e = 0;")[1].proof is not None
    for wrong in ("", "if (l) e = 0;", "if (!l) e = 0; if (any())"):
        assert proposed(QUEUE % wrong)[1].proof is None


MIDDLE = """struct n { struct n *next; }; int main(void) { struct n *l = malloc(sizeof *l); l->next = 0;
    while (any()) { struct n *p = l, *x; while (p->next && any()) p = p->next;
      x = malloc(sizeof *x); x->next = p->next; %s }
    while (l) { struct n *t = l->next; free(l); l = t; } return 0; }"""


def test_a_list_that_grows_in_its_middle_begins_with_a_block_to_which_none_points() -> None:
    """No pointer to the first block, which another statement makes, is ever stored, so that nobody can point to it."""
    assert proposed(MIDDLE % "p->next = x;")[1].proof is not None
    for wrong in ("if (any()) p->next = x;", "p->next = x; x->next = l;", "x->next = 0; p->next = x;"):
        assert proposed(MIDDLE % wrong)[1].proof is None


BEHIND = """struct n { struct n *next, *prev; }; int main(void) { struct n *l = malloc(sizeof *l); l->next = l->prev = 0;
    while (any()) { struct n *x = malloc(sizeof *x); x->prev = 0; x->next = l; l->prev = x; l = x; }
    while (l->next) { l = l->next; %s } free(l); return 0; }"""


def test_what_is_freed_behind_a_pointer_that_goes_along_is_held_by_it() -> None:
    assert proposed(BEHIND % "free(l->prev);")[1].proof is not None
    for wrong in ("if (any()) free(l->prev);", "free(l->prev); l = l->prev;", "free(l);"):
        assert proposed(BEHIND % wrong)[1].proof is None


APPENDED = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *e = 0;
    while (any()) { struct n *x = malloc(sizeof *x); if (!x) break; x->next = 0; if (e) e->next = x; else %s e = x; }
    while (l) { struct n *t = l->next; %s l = t; } return 0; }"""


def test_a_list_that_grows_at_its_end() -> None:
    """The last one is reached from the first, wherever rounds join."""
    assert proposed(APPENDED % ("l = x;", "free(l);"))[1].proof is not None
    for starts, does in (("e = x;", "free(l);"), ("l = x;", "if (any()) free(l);"), ("l = x;", "free(l); free(t);")):
        assert proposed(APPENDED % (starts, does))[1].proof is None


SWAPPED = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *y, *p = 0, *s;
    while (any()) { struct n *x = malloc(sizeof *x); x->next = l; l = x; }
    for (y = l; y && y->next; y = y->next) {
        if (any()) { s = y->next; if (p) p->next = s; else l = s; y->next = s->next; %s }
        p = y; }
    while (l) { struct n *t = l->next; free(l); l = t; } return 0; }"""


def test_neighbours_that_change_places() -> None:
    """What is loaded behind the last change of a round is reached, and so is where one was that is reached."""
    assert proposed(SWAPPED % "s->next = y;")[1].proof is not None
    for wrong in ("", "s->next = y; free(s);", "s->next = 0;"):
        assert proposed(SWAPPED % wrong)[1].proof is None


TAKEN_OUT = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *c, *p = 0, *t;
    while (any()) { struct n *x = malloc(sizeof *x); x->next = l; l = x; }
    for (c = l; c; c = t) { t = c->next; if (any()) { if (p) p->next = t; else l = t; %s } else p = c; }
    while (l) { t = l->next; free(l); l = t; } return 0; }"""


def test_some_of_a_list_are_taken_out() -> None:
    """What only some rounds free is held by something else in the others."""
    assert proposed(TAKEN_OUT % "free(c);")[1].proof is not None
    for wrong in ("", "free(c); if (p) p->next = c;", "free(c); if (t) free(t);"):
        assert proposed(TAKEN_OUT % wrong)[1].proof is None


COMB = """struct n { struct n *l, *r; }; int main(void) { struct n *root = malloc(sizeof *root), *x; root->l = root->r = 0;
    while (any()) { x = malloc(sizeof *x); x->r = 0; x->l = root->l; root->l = x; %s }
    while (any()) { x = malloc(sizeof *x); x->l = 0; x->r = root->r; root->r = x; %s }
    while (root->l) { x = root->l->l; free(root->l); root->l = x; }
    while (root->r) { x = root->r->r; free(root->r); root->r = x; }
    free(root); return 0; }"""


def test_two_lists_without_branches_at_one_block() -> None:
    """What is reached by one of two pointers has no other behind it."""
    assert proposed(COMB % ("", ""))[1].proof is not None
    leaf = "x->%s = malloc(sizeof *x); x->%s->l = x->%s->r = 0;"
    for wrong in ((leaf % ("r", "r", "r"), ""), ("", leaf % ("l", "l", "l")), ("", "if (root->l) root->l->r = x;")):
        assert proposed(COMB % wrong)[1].proof is None


RING = """struct n { struct n *next, *prev; }; int main(void) { struct n *x = malloc(sizeof *x), *y;
    x->next = x; x->prev = x;
    while (any()) { y = malloc(sizeof *y); y->next = x->next; y->next->prev = y; y->prev = x; x->next = y; }
    y = x->next; while (%s) { struct n *z = y; y = y->next; %s } %s return 0; }"""


def test_a_ring_that_is_freed_up_to_its_beginning() -> None:
    """What comes before the next one is freed, or where the ring begins."""
    assert proposed(RING % ("y != x", "free(z);", "free(x);"))[1].proof is not None
    wrong = (
        ("y != x", "free(z);", ""),  # the first one is lost
        ("y->next != x", "free(z);", "free(x);"),  # read when it is freed, or lost
        ("y != x", "free(z);", "x->prev->next = x; free(x);"),  # written when it is freed
    )
    for more in wrong:
        assert proposed(RING % more)[1].proof is None


WITH_DATA = """struct n { struct n *next; int *data; }; int main(void) { struct n *l = 0, *y;
    while (any()) { y = malloc(sizeof *y); y->next = l; y->data = any() ? malloc(4) : 0; l = y; }
    while (l) { y = l; l = l->next; %s free(y); } return 0; }"""


def test_a_list_whose_nodes_have_data_in_blocks_of_the_same_class() -> None:
    """What lies in a slot is said of blocks that are large enough to have it; and which blocks a pointer leads to."""
    assert proposed(WITH_DATA % "if (y->data) free(y->data);")[1].proof is not None
    assert proposed(WITH_DATA % "if (any()) y->data = (int *)l; if (y->data) free(y->data);")[1].proof is None


CHAIN = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *x;
    while (any()) { x = malloc(sizeof *x); x->next = l; l = x; x = malloc(sizeof *x); x->next = l; l = x;
      x = malloc(sizeof *x); x->next = %s; l = x; x = malloc(sizeof *x); x->next = l; l = x;
      x = malloc(sizeof *x); x->next = l; l = x; x = malloc(sizeof *x); x->next = l; l = x; %s }
    while (l) { x = l->next; free(l); l = x; } return 0; }"""


def test_a_chain_of_new_blocks_is_followed_to_its_end() -> None:
    assert proposed(CHAIN % ("l", ""))[1].proof is not None
    wrong = (
        ("0", ""),  # two are lost
        ("l->next", ""),  # one is
        ("x", ""),  # it points to itself, and those behind are lost
        ("l", "l->next->next->next->next->next = 0;"),  # all of the rounds before, in the last of the new ones
        ("l", "free(l->next->next->next->next->next);"),  # used when it is freed
    )
    for behind, does in wrong:
        assert proposed(CHAIN % (behind, does))[1].proof is None


CURSOR = """struct n { int k; struct n *next; }; int main(void) { struct n *l = malloc(sizeof *l), *t; l->next = 0;
    while (any()) { struct n **p = &l->next; while (*p && any()) p = &(*p)->next;
      t = malloc(sizeof *t); t->next = *p; %s }
    while (l) { t = l->next; free(l); l = t; } return 0; }"""


def test_a_cursor_into_the_middle_of_a_block_has_a_distance_of_its_own() -> None:
    """Nothing that is stored points to where it does."""
    assert proposed(CURSOR % "*p = t;")[1].proof is not None
    wrong = (
        "if (any()) *p = t;",  # lost
        "*p = t; free(t);",  # used when it is freed
        "*p = t; t->next = 0;",  # the rest is lost
        "*p = t; *(p + 1) = 0;",  # beside the block
        "*p = t; free(p);",  # no block begins there
    )
    for does in wrong:
        assert proposed(CURSOR % does)[1].proof is None


TWO_WAYS = """struct n { struct n *l, *r; }; int main(void) { struct n *root = malloc(sizeof *root), *x; root->l = root->r = 0;
    while (any()) { struct n **p = &root->l; if (any()) { while (*p) p = &(*p)->l; } else { p = &root->r; while (*p) p = &(*p)->r; }
      *p = malloc(sizeof *x); (*p)->l = (*p)->r = 0; }
    while (root->l) { x = root->l->l; free(root->l); root->l = x; }
    while (root->r) { x = root->r->r; free(root->r); root->r = x; }
    free(root); return 0; }"""


def test_cursors_of_which_each_goes_its_own_way() -> None:
    """What is at the other distance of the block where a cursor is, is none of those that the other one leads to: that
    is said of the cursor less its own distance."""
    texts = [str(fact) for fact in guessed(graph_of(TWO_WAYS))]
    assert any(re.search(r"live1\[\*\]\[\(__cp_main%\d+ \+ -8\)\]", text) for text in texts)
    less = re.compile(r"\] \+ 8\)|!= \(__cp_main%\d+ \+ -8\)|\(__cp_main%\d+ \+ -8\) !=")  # as the terms were made
    assert any(less.search(text) for text in texts)


@lru_cache
def held_in_a_cell() -> SmallState:
    """Where a loop begins of which a pointer has its address taken."""
    text = """struct n { struct n *next; }; int main(void) { struct n *l = 0, **p = &l; int k = any();
        while (any()) { struct n *x = malloc(sizeof *x); x->next = 0; *p = x; p = &x->next; }
        while (l) { struct n *t = l->next; free(l); l = t; } return k; }"""
    graph = graph_of(text)
    region = next(one for one in graph.regions if one.start[0] == graph.program.entry and one.start[1])
    return SmallState(region, graph.points, graph.program.layout.pointer_bits)


def test_pointers_in_single_objects_are_choices_too() -> None:
    """Else each address that is computed from one is as many bits as it has."""
    state = held_in_a_cell()
    arrays = [t for t in state.region.start_values.values.values() if isinstance(t, Term) and isinstance(t.sort, ArraySort)]
    tables = {str(term): state.leaf(term) for term in arrays}
    (held,) = (table for name, table in tables.items() if ".l#" in name)
    assert isinstance(held, Table) and isinstance(held.at(0), Choice)
    outside = state.leaf(build.variable("cut.external memory.array1~>1", ArraySort(64, 8)))
    assert isinstance(outside, Table) and outside.at(7) == 0


def test_addresses_are_choices_and_arrays_are_tables() -> None:
    one, two = build.variable("one", BOOL), build.variable("two", BOOL)
    pointer = build.variable("p", BitVec(64))
    memory = build.variable("m", ArraySort(64, 8))

    def leaf(term: Term) -> Value:
        if term is pointer:
            return Choice({16: one, 32: build.not_(one)})
        return Table({16: 1, 32: Choice({5: two, 6: build.not_(two)})}, lambda _: 0, BitVec(8)) if term is memory else term

    values = Evaluation(leaf)
    read = build.select(memory, pointer)
    assert values.truth(build.eq(read, 1, 8)) is one
    assert values.truth(build.eq(read, 5, 8)) is build.and_(build.not_(one), two)
    written = build.store(memory, pointer, 7)
    assert values.truth(build.eq(build.select(written, 16), 7, 8)) is one
    assert values.truth(build.eq(build.add(pointer, 16, 64), 48, 64)) is build.not_(one)
