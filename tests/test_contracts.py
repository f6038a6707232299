"""Contracts that speak of entry values and of memory across calls: what they prove, and what they must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from c_programs import subject
from contract_proofs import CONTRACTED, added, alive, made, old, older_kept, plus, word
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, Unsupported
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.program.graph import by_contract
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.components import SummaryElements, SummaryLive, SummarySizes
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build as b
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from loop_proofs import At, K, certificate, facts_of

Said = dict[tuple[str, int], Callable[[At], V | list[V]]]


def outcome(text: str, said: Said, *, contracts: tuple[str, ...] = (), property_: str = "unreach-call") -> str:
    """What the checker says of the facts: "" if they are a proof."""
    program = by_contract(subject(text, property_).program("modular"), contracts)
    graph = cut_graph(program, Budget(30))
    facts: list[Fact] = []
    for place, says in said.items():
        formulas = says(At(graph, place))
        facts += [Fact(*place, formula) for formula in (formulas if isinstance(formulas, list) else [formulas])]
    proof = InductiveInvariants("modular", tuple(facts), tuple(sorted(graph.granules.items())), program.contracts)
    try:
        check_proof(program, proof, Budget(60))
    except EvidenceRejected as error:
        return str(error) or "refused"
    return ""


def eq(one: V, two: V, width: int = 32) -> V:
    return b.eq(one, two, width)


# ---------------------------------------------------------------- entry values

COUNTED = "unsigned g; void up(unsigned n) { if (n == 0) return; g++; up(n - 1); }"
RISEN: Said = {("up", EXIT): lambda at: eq(at["g[0:4]"], plus(at["old(g[0:4])"], at.n))}


def test_a_recursive_function_adds_to_a_global() -> None:
    text = COUNTED + "int main(void) { unsigned n = any(), s = any(); g = s; up(n); check(g == s + n); return 0; }"
    assert not outcome(text, RISEN)
    assert outcome(text.replace("g++", "g += 2"), RISEN)
    assert outcome(text.replace("== s + n", "== s + n + 1"), RISEN)


def test_entry_values_belong_to_the_activation() -> None:
    """With the outer call's entry value taken for the inner one's, g == old(g) would be proved."""
    text = COUNTED + "int main(void) { unsigned n = any(); g = 5; up(n); check(g == 5); return 0; }"
    assert outcome(text, {("up", EXIT): lambda at: eq(at["g[0:4]"], at["old(g[0:4])"])})


def test_entry_values_are_not_what_is_now() -> None:
    """What a loop changes is not what it was at the entry, though both have one value at the function's first block."""
    text = (
        "unsigned g; void up(unsigned n) { while (n) { g++; n--; } }"
        "int main(void) { g = 5; up(any()); check(g == 5); return 0; }"
    )
    same: Callable[[At], V] = lambda at: eq(at["g[0:4]"], at["old(g[0:4])"])  # noqa: E731
    heads = [place for place in cut_graph(subject(text).program("modular"), Budget(30)).cuts if place[0] == "up"]
    assert outcome(text, {place: same for place in heads if place[1] != 0})
    with pytest.raises(KeyError):
        outcome(text, {("up", 0): same})


def test_no_edge_leads_back_to_the_entry_of_a_contract() -> None:
    from dataclasses import replace

    from counterpoint.evidence.places import places_of
    from counterpoint.program import model as m

    program = subject(COUNTED + "int main(void) { up(any()); check(g != 1); return 0; }").program("modular")
    function = program.functions["up"]
    last = function.blocks[-1]
    assert isinstance(last.terminator, m.Return)
    back = m.Branch((m.Edge(m.ALWAYS, 0),), last.terminator.at)
    looping = replace(function, blocks=(*function.blocks[:-1], replace(last, terminator=back)))
    changed: Program = replace(program, functions={**program.functions, "up": looping})
    with pytest.raises(Unsupported, match="first block"):
        places_of(changed)
    with pytest.raises(Unsupported, match="first block"):
        cut_graph(changed, Budget(10))


# ---------------------------------------------------------------- memory across calls

ADD = "void add(unsigned *p, unsigned n) { if (n == 0) return; ++*p; add(p, n - 1); }"


ADDED: Said = {("add", 0): lambda at: alive(at, at.p), ("add", EXIT): added}


def test_a_function_changes_its_callers_local() -> None:
    text = (
        ADD + "int main(void) { unsigned x = any(), a = 5, c = 6; add(&a, x); add(&c, 1); add(&a, 2);"
        "check(a == x + 7); check(c == 7); return 0; }"
    )
    assert not outcome(text, ADDED)
    assert outcome(text.replace("c == 7", "c == 6"), ADDED)
    assert outcome(text.replace("a == x + 7", "a == x + 5"), ADDED)
    assert outcome(text, {**ADDED, ("add", EXIT): lambda at: added(at)[0]})


def test_two_pointers_to_one_object() -> None:
    """What is known of their sizes does not keep them apart."""
    text = (
        "void both(unsigned *p, unsigned *q, unsigned n) { *p = 1; *q = 2; if (n) both(p, q, n - 1); }"
        "int main(void) { unsigned x = 0, y = 0; both(&x, &y, any()); both(&x, &x, any()); check(x == 1); return y; }"
    )
    first: Said = {
        ("both", 0): lambda at: [*alive(at, at.p), *alive(at, at.q)],
        ("both", EXIT): lambda at: eq(word(at.kind(SummaryElements), at.p), 1),
    }
    assert outcome(text, first)
    exact_sizes = dict(first)
    exact_sizes["both", 0] = lambda at: [
        eq(b.select(at.kind(SummarySizes), pointer), 4, 64) for pointer in (at.p, at.q)
    ] + [*alive(at, at.p), *alive(at, at.q)]
    assert outcome(text, exact_sizes)
    second = dict(first)
    second["both", EXIT] = lambda at: eq(word(at.kind(SummaryElements), at.q), 2)
    assert not outcome(text.replace("x == 1", "x == 2"), second)


def test_locals_of_an_outer_activation() -> None:
    text = (
        "void deep(unsigned *p, unsigned n) { unsigned mine = 3; *p = 4; if (n) { deep(&mine, n - 1); check(mine == 3); } }"
        "int main(void) { unsigned x = 1; deep(&x, any()); return 0; }"
    )
    said: Said = {("deep", 0): lambda at: alive(at, at.p)}
    assert outcome(text, said)
    kept = {**said, ("deep", EXIT): lambda at: [eq(word(at.kind(SummaryElements), at.p), 4), older_kept(at, at.p)]}
    assert outcome(text, kept)
    assert not outcome(text.replace("mine == 3", "mine == 4"), kept)


MAKE = (
    "int *new(void) { return malloc(4); } int *make(unsigned n) { int *p = new(); *p = 5; if (n) { free(p); return make(n - 1); } return p; }"
)


def test_a_function_makes_a_block() -> None:
    text = MAKE + (
        "int main(void) { int *q = new(); *q = 3; int *r = make(any()); check(*q == 3); check(*r == 5); *r = 9;"
        "check(*q == 3); return 0; }"
    )
    assert not outcome(text, {("make", EXIT): made})
    assert outcome(text, {("make", EXIT): lambda at: [said for said in made(at) if said is not made(at)[3]]})
    assert outcome(text.replace("*q == 3); return", "*q == 9); return"), {("make", EXIT): made})


def test_a_freed_block_does_not_live_on_in_its_callers_eyes() -> None:
    text = (
        "void end(int *p, unsigned n) { if (n) { end(p, n - 1); return; } free(p); }"
        "int main(void) { int *q = malloc(4); *q = 3; end(q, any()); return *q; }"
    )
    lives: Said = {
        ("end", 0): lambda at: alive(at, at.p),
        ("end", EXIT): lambda at: eq(b.select(at.kind(SummaryLive), at.p), b.select(old(at, SummaryLive), at.p), 8),
    }
    assert outcome(text, lives, property_="valid-deref")
    assert outcome(text, {("end", 0): lives["end", 0]}, property_="valid-deref")
    freed = text.replace("return *q", "return 0")
    assert not outcome(freed, {("end", 0): lives["end", 0]}, property_="valid-deref")


def test_a_local_that_died_with_its_function_is_not_live_at_its_exit() -> None:
    text = (
        "int *gone(unsigned n) { int x = 1; int *p = &x; if (n) p = gone(n - 1); return p; }"
        "int main(void) { return *gone(any()); }"
    )
    with pytest.raises(IndexError):
        outcome(text, {("gone", EXIT): lambda at: eq(b.select(at.kind(SummaryLive), at.result), 1, 8)})
    assert outcome(text, {}, property_="valid-deref")


# ---------------------------------------------------------------- chosen contracts

PLUS = "int g; static int plus(int a, int c) { g = 1; check(a != 77); return a + c; }"


def test_chosen_functions_go_by_contract() -> None:
    text = PLUS + "int main(void) { int x = any(); if (x > 9) return 0; g = 2; check(plus(x, 4) == x + 4); return 0; }"
    said: Said = {
        ("plus", 0): lambda at: b.sle(at.a, 9, 32),
        ("plus", EXIT): lambda at: eq(at.result, plus(at.a, at.c)),
    }
    assert not outcome(text, said, contracts=("plus",))
    assert outcome(text, {("plus", EXIT): said["plus", EXIT]}, contracts=("plus",))
    assert outcome(text.replace("check(plus(x, 4) == x + 4)", "plus(x, 4); check(g == 2)"), said, contracts=("plus",))


@pytest.mark.parametrize("name", ["main", "nobody", "__cp_main"])
def test_a_contract_of_what_is_no_function_called_is_refused(name: str) -> None:
    program = subject(PLUS + "int main(void) { return plus(1, 2); }").program("modular")
    if name == "main" and program.entry != "main":
        return
    with pytest.raises(EvidenceRejected, match="contract"):
        check_proof(program, InductiveInvariants("modular", (), (), (name,)), Budget(10))


def test_a_large_array_of_the_caller() -> None:
    """More elements than are moved one by one: they are copied into the callee's memory, and out of it."""
    text = (
        "void put(int *p, unsigned i, int v) { while (any()) p[i] = v; p[i] = v; }"
        "int main(void) { int a[300]; unsigned i = any(), j = any(); if (i > 299 || j > 299) return 0; a[i] = 7; put(a, j, 5);"
        "check(a[j] == 5); check(i == j || a[i] == 7); return 0; }"
    )

    def at_index(at: At) -> V:
        return b.add(b.lshr(at.p, 2, 64), b.zext(at.i, 32, 64), 64)

    def inside(at: At) -> list[V]:
        live, sizes = at.kind(SummaryLive), at.kind(SummarySizes)
        whole = [eq(b.select(live, at.p), 1, 8), b.ule(1200, b.select(sizes, at.p), 64)]
        return [*whole, b.ule(at.i, 299, 32), eq(b.bvand(at.p, 15, 64), 0, 64)]

    def kept(at: At) -> V:
        now, before = at.kind(SummaryElements), old(at, SummaryElements)
        return b.or_(eq(K, at_index(at), 64), eq(b.select(now, K), b.select(before, K)))

    def done(at: At) -> list[V]:
        return [eq(b.select(at.kind(SummaryElements), at_index(at)), at.v), kept(at)]

    graph = cut_graph(subject(text).program("modular"), Budget(30))
    (head,) = (block for function, block in graph.cuts if function == "put" and block > 0)
    said: Said = {("put", 0): inside, ("put", head): lambda at: [*inside(at), kept(at)], ("put", EXIT): done}
    assert not outcome(text, said)
    assert outcome(text.replace("i == j || ", ""), said)
    assert outcome(text, {**said, ("put", EXIT): lambda at: done(at)[0]})

# ---------------------------------------------------------------- objects that are not made on every path

PICKED = (
    "extern unsigned long __VERIFIER_nondet_ulong(void);"
    "int *make(void) { int *p = malloc(4); *p = 5; return p; }"
    "int *pick(int *a, int *c, unsigned long n) { if (n > 100) return a; return c; }"
    "void work(int *q) { unsigned long n = __VERIFIER_nondet_ulong(); int *p = 0; if (n < 100) p = malloc(n + 4); make();"
    " int *r = pick(q, p, n); if (r) { *r = 3; check(n != -5ul); } }"
    "int main(void) { work(make()); return 0; }"
)


def test_an_object_that_is_not_made_needs_no_place() -> None:
    """Where n is -5, the block of n + 4 bytes is not made; as large as that it would have no place beside q's."""
    said: Said = {
        ("make", EXIT): lambda at: alive(at, at.result),
        ("work", 0): lambda at: alive(at, at.q),
        ("pick", EXIT): lambda at: b.implies(b.ult(100, at.n, 64), eq(at.result, at.a, 64)),
    }
    assert outcome(PICKED, said, contracts=("make", "pick", "work"))


# ---------------------------------------------------------------- what a summary says where a caller's own object lies

SEEN = (
    "int get(int *p) { return p[1]; } int other(void) { int y[2]; y[1] = 1; return get(y); }"
    "int main(void) { int x[2]; x[0] = 0; x[1] = 0; other(); while (any()) x[1] = any(); int prev = get(x);"
    " while (any()) { check(get(x) == prev); x[1] = any(); } return 0; }"
)


def test_a_callers_object_is_not_what_a_call_saw_there_before() -> None:
    """The caller's summary has no part of x; what `get` saw at its address would be there for good."""

    def pre(at: At) -> list[V]:
        return [eq(b.select(at.kind(SummaryLive), at["get%0"]), 1, 8), b.ule(8, b.select(at.kind(SummarySizes), at["get%0"]), 64)]

    def second(memory: Term, pointer: V) -> V:
        return word(memory, b.add(pointer, 4, 64))

    def kept(at: At) -> V:
        there = {component.name: component for component in at.graph.components(at.place)}
        (before,) = (n for n, c in there.items() if n.startswith("main%") and c.sort(64) == BitVec(32))
        (base,) = (n for n in there if n.startswith("&main.x"))
        return eq(second(at.kind(SummaryElements), at[base]), at[before])

    graph = cut_graph(by_contract(subject(SEEN).program("modular"), ("get", "other")), Budget(30))
    last = max(block for function, block in graph.cuts if function == "main")
    said: Said = {
        ("get", 0): pre,
        ("get", EXIT): lambda at: eq(at.result, second(at.kind(SummaryElements), at["get%0"])),
        ("main", last): kept,
    }
    assert outcome(SEEN, said, contracts=("get", "other"))


def test_a_large_array_of_other_elements_than_its_summary() -> None:
    """The array is one of bytes for its function, and one of words in the summary that its callees have."""
    text = (
        "void bytes(char *a, unsigned i) { a[i] = 1; } void words(int *a, unsigned i) { a[i] = 3; }"
        "int other(void) { int y[3]; char w[5]; words(y, 1); bytes(w, 2); return y[1]; }"
        "int main(void) { int a[80]; char c[6]; other(); for (int i = 0; i < 2; i++) {"
        " words(a, 70 + i); bytes((char *)a, 281 + i * 4); bytes(c, 5); } check(a[70] == 3); return 0; }"
    )
    assert "can be violated" in outcome(text, {}, contracts=("bytes", "other", "words"))


# ---------------------------------------------------------------- the programs that attacks begin with


@pytest.mark.parametrize("name", ["bounded", "doubled", "exchanged"])
def test_certificates_by_hand(name: str) -> None:
    """Those of the others are above."""
    proof = CONTRACTED[name]
    program, facts, graph = facts_of(proof)
    check_proof(program, certificate(proof, facts, graph), Budget(60))
    for broken in proof.broken:
        program, facts, graph = facts_of(proof, proof.text.replace(*broken))
        with pytest.raises(EvidenceRejected):
            check_proof(program, certificate(proof, facts, graph), Budget(60))
