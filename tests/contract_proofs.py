"""Programs whose functions go by contract, and certificates by hand: entry values, frames, memory across calls."""

from __future__ import annotations

from collections.abc import Callable

from counterpoint.semantics.components import Old, SummaryElements, SummaryLive, SummarySizes, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build as b
from counterpoint.term.term import Term, V
from loop_proofs import At, K, Proved, between, eq


def plus(one: V, two: V) -> V:
    return b.add(one, two, 32)


def old(at: At, kind: type) -> Term:
    """The entry value of the summary's array of that kind."""
    for component in at.graph.components(at.place):
        if isinstance(component, Old) and isinstance(component.of, kind):
            return variable_of(component, 64)
    raise KeyError(kind)


def word(memory: Term, pointer: V) -> V:
    """The 32 bits there, in a memory of elements of four bytes."""
    return b.select(memory, b.lshr(pointer, 2, 64))


def alive(at: At, pointer: V, size: int = 4) -> list[V]:
    """A block of at least so many bytes starts there."""
    sizes = at.kind(SummarySizes)
    return [eq(b.select(at.kind(SummaryLive), pointer), 1, 8), b.ule(size, b.select(sizes, pointer), 64)]


def others_kept(at: At, *pointers: V) -> V:
    """All words but those there are as they were at the entry."""
    now, before = at.kind(SummaryElements), old(at, SummaryElements)
    there = [eq(K, b.lshr(pointer, 2, 64), 64) for pointer in pointers]
    return b.disjunction([*there, eq(b.select(now, K), b.select(before, K))])


def older_kept(at: At, pointer: V) -> V:
    """The same, of the words in objects that were there at the entry."""
    return b.implies(b.ult(b.shl(K, 2, 64), at["old(counter)"], 64), others_kept(at, pointer))


def added(at: At) -> list[V]:
    now, before = word(at.kind(SummaryElements), at.p), word(old(at, SummaryElements), at.p)
    return [eq(now, plus(before, at.n)), others_kept(at, at.p)]


def made(at: At) -> list[V]:
    pointer, now, before = at.result, at.kind(SummaryElements), old(at, SummaryElements)
    kept = b.implies(b.ult(b.shl(K, 2, 64), at["old(counter)"], 64), eq(b.select(now, K), b.select(before, K)))
    lives = b.implies(eq(b.select(old(at, SummaryLive), K), 1, 8), eq(b.select(at.kind(SummaryLive), K), 1, 8))
    fresh = b.ule(at["old(counter)"], pointer, 64)
    return [*alive(at, pointer), eq(word(now, pointer), 5), kept, lives, fresh]


def exchanged(at: At) -> list[V]:
    now, before = at.kind(SummaryElements), old(at, SummaryElements)
    return [eq(word(now, at.p), word(before, at.q)), eq(word(now, at.q), word(before, at.p)), others_kept(at, at.p, at.q)]


def doubled(at: At) -> V:
    return eq(at["g[0:4]"], plus(at["old(g[0:4])"], at["old(g[0:4])"]))


def only(*pointers: str) -> Callable[[At], list[V]]:
    return lambda at: [said for name in pointers for said in alive(at, at[name])]


CONTRACTED: dict[str, Proved] = {
    "risen": Proved(
        "unsigned g; void up(unsigned n) { if (n == 0) return; g++; up(n - 1); }"
        " int main(void) { unsigned n = any(), s = any(); g = s; up(n); check(g == s + n); return 0; }",
        {("up", EXIT): lambda at: eq(at["g[0:4]"], plus(at["old(g[0:4])"], at.n))},
        (("g++", "g += 2"), ("== s + n", "== s"), ("g = s", "g = s + 1")),
        preparation="modular",
    ),
    "added": Proved(
        "void add(unsigned *p, unsigned n) { if (n == 0) return; ++*p; add(p, n - 1); }"
        " int main(void) { unsigned x = any(), a = 5, c = 6; add(&a, x); add(&c, 1); add(&a, 2); check(a == x + 7);"
        " check(c == 7); return 0; }",
        {("add", 0): only("p"), ("add", EXIT): added},
        (("c == 7", "c == 6"), ("a == x + 7", "a == x + 5"), ("add(&a, 2)", "add(&c, 2)"), ("++*p", "*p += 2")),
        preparation="modular",
    ),
    "both": Proved(
        "void both(unsigned *p, unsigned *q, unsigned n) { *p = 1; *q = 2; if (n) both(p, q, n - 1); }"
        " int main(void) { unsigned x = 0, y = 0; both(&x, &y, any()); both(&x, &x, any()); check(x == 2); return y; }",
        {
            ("both", 0): only("p", "q"),
            ("both", EXIT): lambda at: eq(word(at.kind(SummaryElements), at.q), 2),
        },
        (("x == 2", "x == 1"), ("*q = 2", "*q = 3")),
        preparation="modular",
    ),
    "outer": Proved(
        "void deep(unsigned *p, unsigned n) { unsigned mine = 3; *p = 4; if (n) { deep(&mine, n - 1); check(mine == 4); } }"
        " int main(void) { unsigned x = 1; deep(&x, any()); return 0; }",
        {
            ("deep", 0): only("p"),
            ("deep", EXIT): lambda at: [eq(word(at.kind(SummaryElements), at.p), 4), older_kept(at, at.p)],
        },
        (("mine == 4", "mine == 3"), ("*p = 4", "*p = n"), ("deep(&mine", "deep(p")),
        preparation="modular",
    ),
    "make": Proved(
        "int *make(unsigned n) { int *p = malloc(sizeof *p); *p = 5; if (n) { free(p); return make(n - 1); } return p; }"
        " int main(void) { int *q = malloc(4); *q = 3; int *r = make(any()); check(*q == 3); check(*r == 5); *r = 9;"
        " check(*q == 3); return 0; }",
        {("make", EXIT): made},
        (("*q == 3); return", "*q == 9); return"), ("*p = 5", "*p = 6"), ("return p; }", "*p = 4; return p; }")),
        preparation="modular",
    ),
    "end": Proved(
        "void end(int *p, unsigned n) { if (n) { end(p, n - 1); return; } free(p); }"
        " int main(void) { int *q = malloc(4); *q = 3; end(q, any()); return 0; }",
        {("end", 0): lambda at: alive(at, at.p)},
        (("return 0; }", "return *q; }"), ("free(p); }", "free(p); *p = 1; }")),
        property="valid-deref",
        preparation="modular",
    ),
    "chosen": Proved(
        "int g; static int plus(int a, int c) { g = 1; check(a != 77); return a + c; }"
        " int main(void) { int x = any(); if (x > 9) return 0; g = 2; check(plus(x, 4) == x + 4); return 0; }",
        {("plus", 0): lambda at: b.sle(at.a, 9, 32), ("plus", EXIT): lambda at: eq(at.result, plus(at.a, at.c))},
        (("x > 9", "x > 99"), ("a + c", "a - c"), ("check(plus(x, 4) == x + 4)", "plus(x, 4); check(g == 2)")),
        preparation="modular",
        contracts=("plus",),
    ),
    "exchanged": Proved(
        "void swap(unsigned *p, unsigned *q) { unsigned t = *p; *p = *q; *q = t; }"
        " int main(void) { unsigned a = any(), c = any(), x = a, y = c, z = 7; swap(&x, &y); check(x == c && y == a);"
        " swap(&x, &x); check(x == c); check(z == 7); swap(&z, &x); check(x == 7 && z == c && y == a); return 0; }",
        {("swap", 0): only("p", "q"), ("swap", EXIT): exchanged},
        (("*q = t", "*q = *p"), ("x == 7", "x == a"), ("check(z == 7)", "check(x == 7)"), ("&y)", "&z)")),
        preparation="modular",
        contracts=("swap",),
    ),
    "doubled": Proved(
        "unsigned g; void twice(void) { g += g; } void more(void) { unsigned o = g; twice(); check(g == 2 * o); twice(); }"
        " int main(void) { unsigned s = any(); g = s; more(); check(g == 4 * s); return 0; }",
        {("twice", EXIT): doubled, ("more", EXIT): lambda at: eq(at["g[0:4]"], b.mul(4, at["old(g[0:4])"], 32))},
        (("g += g", "g += 1"), ("4 * s", "2 * s"), ("2 * o", "o")),
        preparation="modular",
        contracts=("more", "twice"),
    ),
    "bounded": Proved(
        "int g; int next(int i) { check(0 <= i); g = i; return i + 1; } int main(void) { int i = 0; while (i < 50) i = next(i);"
        " check(i == 50); return 0; }",
        {
            ("main", -2): lambda at: between(0, at.i, 50),
            ("next", 0): lambda at: between(0, at.i, 49),
            ("next", EXIT): lambda at: [eq(at.result, plus(at.i, 1)), eq(at["g[0:4]"], at.i)],
        },
        (("i + 1", "i - 1"), ("i = 0;", "i = -1;"), ("i == 50", "i == g")),
        preparation="modular",
        contracts=("next",),
    ),
}
"""All of them in the preparation that keeps functions."""
