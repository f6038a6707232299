"""Small programs with loops and recursion, and certificates by hand that prove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.program.graph import by_contract, loop_heads
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, Place, cut_graph
from counterpoint.semantics.components import Elements, SummaryElements, SummaryLive, SummarySizes, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build as b
from counterpoint.term.sorts import BOOL, FLOAT64, BitVec
from counterpoint.term.term import Term, V


@dataclass(frozen=True)
class At:
    """The components of a place by source name: `at.i`, `at["g[0:4]"]`, `at.array(0)`."""

    graph: CutGraph
    place: Place

    def __getitem__(self, name: str) -> Term:
        for component in self.graph.components(self.place):
            register = getattr(component, "register", None)
            if component.name == name or (register is not None and register.name.split(".")[0] == name):
                return variable_of(component, 64)
        raise KeyError(f"{name}: {[c.name for c in self.graph.components(self.place)]}")

    def __getattr__(self, name: str) -> Term:
        return self[name]

    def kind(self, kind: type, number: int = 0) -> Term:
        return variable_of([c for c in self.graph.components(self.place) if isinstance(c, kind)][number], 64)

    def array(self, number: int = 0) -> Term:
        return self.kind(Elements, number)

    @property
    def result(self) -> Term:
        return self[f"{self.place[0]}.result0"]


Facts = dict[object, Callable[[At], V | list[V]]]
"""By place: the number of a loop of the entry function in rising order, or (function, block)."""


@dataclass(frozen=True)
class Proved:
    """A program and facts that prove it; `broken` are texts to replace so that it can fail."""

    text: str
    facts: Facts
    broken: tuple[tuple[str, str], ...]
    property: str = "unreach-call"
    preparation: str = "flat"
    contracts: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def graph_of(
    text: str, property_: str, preparation: str, contracts: tuple[str, ...] = (), frames: bool = False
) -> CutGraph:
    return cut_graph(by_contract(program(text, property_, preparation), contracts), Budget(60), frames=frames)


def facts_of(proof: Proved, text: str | None = None) -> tuple[Program, tuple[Fact, ...], CutGraph]:
    """The program (or a variant of it), and the facts as they are said there."""
    graph = graph_of(text or proof.text, proof.property, proof.preparation, proof.contracts)
    made = graph.program
    heads = loop_heads(made.main)
    found: list[Fact] = []
    for where, says in proof.facts.items():
        place = (made.entry, heads[where]) if isinstance(where, int) else where
        assert isinstance(place, tuple)
        if place[1] == -2:
            place = (place[0], loop_heads(made.functions[place[0]])[0])
        said = says(At(graph, place))
        found += [Fact(*place, formula) for formula in (said if isinstance(said, list) else [said])]
    return made, tuple(found), graph


def certificate(proof: Proved, facts: tuple[Fact, ...], graph: CutGraph) -> InductiveInvariants:
    return InductiveInvariants(proof.preparation, facts, tuple(sorted(graph.granules.items())), graph.program.contracts)


def sle(x: V, y: V, width: int = 32) -> V:
    return b.sle(x, y, width)


def eq(x: V, y: V, width: int = 32) -> V:
    return b.eq(x, y, width)


def ule(x: V, y: V, width: int = 32) -> V:
    return b.ule(x, y, width)


def between(low: int, x: V, high: int) -> list[V]:
    return [sle(low, x), sle(x, high)]


K = ghost(0, 64)


def zeros(array: Term, below: V) -> V:
    return b.implies(b.ult(K, below, 64), eq(b.select(array, K), 0))


def wide(x: V) -> V:
    return b.zext(x, 32, 64)


def pointing(at: At) -> list[V]:
    many = eq(at.p, at["&g"], 64)
    return [
        eq(at.p, b.ite(many, at["&g"], at["&h"], BitVec(64)), 64),
        b.implies(many, eq(at["g[0:4]"], at.i)),
        ule(at.i, at.n),
        b.iff(many, b.ult(5, at.n, 32)),
    ]


def listed(at: At) -> V:
    memory, live, sizes = at.kind(SummaryElements), at.kind(SummaryLive), at.kind(SummarySizes)
    word = b.select(memory, b.lshr(b.add(at.h, 8, 64), 3, 64))
    good = [eq(b.select(live, at.h), 1, 8), ule(16, b.select(sizes, at.h), 64), eq(b.extract(31, 0, word, 64), 3)]
    return b.or_(eq(at.h, 0, 64), b.conjunction(good))


PROVED: dict[str, Proved] = {
    "counting": Proved(
        "int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }",
        {0: lambda at: ule(at.i, at.n)},
        (("i++", "i += 2"), ("i = 0", "i = 1"), ("i == n", "i == n - 1")),
    ),
    "in step": Proved(
        "int main(void) { int x = 0, y = 0; while (any()) { x++; y++; } check(x == y); return 0; }",
        {0: lambda at: eq(at.x, at.y)},
        (("x++", "x += 2"), ("y = 0", "y = 1")),
    ),
    "difference": Proved(
        "int main(void) { int a = any(), x = a, y = 7; while (any()) { x += 3; y += 3; } check(x - y == a - 7); return 0; }",
        {0: lambda at: eq(b.sub(at.x, at.y, 32), b.sub(at.a, 7, 32))},
        (("y = 7", "y = 8"), ("x += 3", "x += 4")),
    ),
    "signed bound": Proved(
        "int main(void) { int n = any(), i = 0; if (n < 0 || n > 100) return 0; while (i < n) i++; check(i <= 100); return 0; }",
        {0: lambda at: [*between(0, at.i, 100), *between(0, at.n, 100)]},
        (("i <= 100", "i <= 99"), ("n > 100", "n > 101")),
    ),
    "even": Proved(
        "int main(void) { unsigned char i = 0; while (any()) i += 2; check(i != 7); return 0; }",
        {0: lambda at: b.not_(b.extract(0, 0, at.i, 8)) if at.i.sort is BOOL else eq(b.extract(0, 0, at.i, 8), 0, 1)},
        (("i += 2", "i += 7"), ("i != 7", "i != 8")),
    ),
    "machine": Proved(
        "int main(void) { int s = 0; while (any()) { switch (s) { case 0: s = 1; break; case 1: s = any() ? 2 : 0; break;"
        " case 2: s = 0; break; default: check(0); } } check(s <= 2); return 0; }",
        {0: lambda at: between(0, at.s, 2)},
        (("? 2 :", "? 3 :"), ("s <= 2", "s <= 1")),
    ),
    "nested": Proved(
        "int main(void) { int i, j, s = 0; for (i = 0; i < 10; i++) { for (j = 0; j < 10; j++) { check(i + j < 19); s++; } }"
        " check(i == 10); return s; }",
        {0: lambda at: between(0, at.i, 10), 1: lambda at: [*between(0, at.i, 9), *between(0, at.j, 10)]},
        (("i + j < 19", "i + j < 18"), ("i == 10", "i == 9")),
    ),
    "two loops": Proved(
        "int main(void) { unsigned n = any(), i = 0, j = 0; while (i < n) i++; while (j < i) j++; check(j == n); return 0; }",
        {0: lambda at: ule(at.i, at.n), 1: lambda at: [ule(at.j, at.i), eq(at.i, at.n)]},
        (("j == n", "j == n + 1"), ("j++", "j += 3")),
    ),
    "three deep": Proved(
        "int main(void) { unsigned i = 0, j = 0, k = 0; while (i < 4) { j = 0; while (j < 4) { k = 0; while (k < 4) { check(i + j + k"
        " < 10); k++; } j++; } i++; } return 0; }",
        {
            0: lambda at: ule(at.i, 4),
            1: lambda at: [b.ult(at.i, 4, 32), ule(at.j, 4)],
            2: lambda at: [b.ult(at.i, 4, 32), b.ult(at.j, 4, 32), ule(at.k, 4)],
        },
        (("< 10", "< 9"),),
    ),
    "no fact needed": Proved(
        "int main(void) { unsigned x; do { x = any(); check((x | 1) != 0); } while (x); return 0; }",
        {},
        (("(x | 1)", "x"),),
    ),
    "overflow": Proved(
        "int main(void) { int i = 0; while (i < 100) i++; return i + 2; }",
        {0: lambda at: between(0, at.i, 100)},
        (("i + 2", "i + 2147483600"),),
        property="no-overflow",
    ),
    "floats": Proved(
        "int main(void) { double s = 0.0; while (any()) s = s + 1.5; check(s >= 0.0); return 0; }",
        {0: lambda at: b.fp_le(0, at.s, FLOAT64)},
        (("+ 1.5", "- 1.5"), ("s >= 0.0", "s >= 1.0")),
    ),
    "pointer": Proved(
        "int g, h; int main(void) { unsigned n = any(), i = 0; int *p = n > 5 ? &g : &h; *p = 0;"
        " while (i < n) { i++; (*p)++; } if (n > 5) check(g == n); return 0; }",
        {0: pointing},
        (("if (n > 5)", "if (n > 4)"), ("*p = 0", "*p = 1")),
    ),
    "global": Proved(
        "int g = 5; void up(int *p) { if (*p < 9) ++*p; } int main(void) { while (any()) up(&g); check(g <= 9); return 0; }",
        {0: lambda at: between(5, at["g[0:4]"], 9)},
        (("< 9", "< 10"), ("g <= 9", "g <= 8"), ("g = 5", "g = 10")),
    ),
    "list": Proved(
        "struct n { struct n *next; int v; }; int main(void) { struct n *h = 0; while (any()) { struct n *x = malloc(sizeof *x);"
        " x->v = 3; x->next = h; h = x; } if (h) check(h->v == 3); return 0; }",
        {0: listed},
        (("x->v = 3", "x->v = 4"), ("h->v == 3", "h->v == 2")),
    ),
    "element": Proved(
        "int main(void) { int a[100]; unsigned i = 0; while (i < 100) { a[i] = i; i++; } check(a[7] == 7); return 0; }",
        {0: lambda at: b.implies(b.ult(7, at.i, 32), eq(b.select(at.array(), 7), 7))},
        (("a[i] = i", "a[i] = 6"), ("a[7] == 7", "a[7] == 8")),
    ),
    "fill": Proved(
        "int main(void) { int a[100]; unsigned i = 0, j = 0; while (i < 100) { a[i] = 0; i++; }"
        " while (j < 100) { check(a[j] == 0); j++; } return 0; }",
        {0: lambda at: [zeros(at.array(), wide(at.i)), ule(at.i, 100)], 1: lambda at: zeros(at.array(), 100)},
        (("a[i] = 0", "a[i] = i / 99"), ("while (i < 100)", "while (i < 99)"), ("a[j] == 0", "a[j] == 1")),
    ),
    "copy": Proved(
        "int main(void) { int a[64], c[64]; unsigned i = 0; while (i < 64) { c[i] = a[i]; i++; } unsigned j = any();"
        " if (j < 64) check(a[j] == c[j]); return 0; }",
        {
            0: lambda at: b.implies(
                b.ult(K, wide(at.i), 64), eq(b.select(at.array(0), K), b.select(at.array(1), K))
            ),
        },
        (("c[i] = a[i]", "c[i] = a[0]"), ("while (i < 64)", "while (i < 63)")),
    ),
    "identity": Proved(
        "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }"
        " int main(void) { int n = any(); if (n < 0 || n > 100) return 0; check(f(n) == n); return 0; }",
        {("f", 0): lambda at: between(0, at.n, 100), ("f", EXIT): lambda at: eq(at.result, at.n)},
        (("1 + f", "2 + f"), ("n < 0", "n < -1"), ("f(n) == n", "f(n) != 9")),
    ),
    "inside": Proved(
        "int f(int n) { check(n >= 0); if (n == 0) return 3; return f(n - 1); }"
        " int main(void) { int n = any(); if (n < 0) return 0; check(f(n) == 3); return 0; }",
        {("f", 0): lambda at: sle(0, at.n), ("f", EXIT): lambda at: [eq(at.result, 3), sle(0, at.n)]},
        (("n < 0) return 0", "n < -1) return 0"), ("return 3", "return 4"), ("n - 1", "n - 2")),
    ),
    "twice": Proved(
        "int f(int n) { if (n < 2) return n & 1; return f(n - 1) ^ f(n - 2); }"
        " int main(void) { check(f(any()) <= 1); return 0; }",
        {("f", EXIT): lambda at: between(0, at.result, 1)},
        (("n & 1", "n & 3"), ("<= 1", "<= 0")),
    ),
    "mutual": Proved(
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); }"
        " int main(void) { int r = even(any()); check(r == 0 || r == 1); return 0; }",
        {
            ("even", EXIT): lambda at: b.or_(eq(at.result, 0), eq(at.result, 1)),
            ("odd", EXIT): lambda at: b.or_(eq(at.result, 0), eq(at.result, 1)),
        },
        (("? 0 :", "? 2 :"), ("|| r == 1", "|| r == 2")),
    ),
    "global in recursion": Proved(
        "int g; void f(int n) { if (n <= 0) { g = 1; return; } f(n - 1); check(g == 1); } int main(void) { g = any(); f(any());"
        " return g; }",
        {("f", EXIT): lambda at: eq(at["g[0:4]"], 1)},
        (("g = 1", "g = 2"),),
    ),
    "kept global": Proved(
        "int g; void f(int n) { check(g == 1); if (n <= 0) return; f(n - 1); g = 1; } int main(void) { g = any(); if (g == 1) { f(any());"
        " check(g == 1); } return 0; }",
        {("f", 0): lambda at: eq(at["g[0:4]"], 1), ("f", EXIT): lambda at: eq(at["g[0:4]"], 1)},
        (("g = 1; }", "g = 2; }"), ("if (g == 1)", "if (g < 2)")),
    ),
    "loop in recursion": Proved(
        "int f(int n) { int i = 0; if (n <= 0) return 0; while (i < 3) i++; f(n - 1); return i; }"
        " int main(void) { int r = f(any()); check(r == 0 || r == 3); return 0; }",
        {
            ("f", EXIT): lambda at: b.or_(eq(at.result, 0), eq(at.result, 3)),
            ("f", -2): lambda at: between(0, at.i, 3),
        },
        (("i < 3", "i < 4"), ("r == 3", "r == 2")),
    ),
}
"""`("f", -2)` stands for f's first loop."""
