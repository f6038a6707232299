"""Objects with static initialisers: addresses with offsets, nested structures, bit-fields, unions, ranges, tentative definitions."""

from __future__ import annotations

from fuzz_corners.kit import MEMORY, UNREACH, Draw, Part, shape


@shape(UNREACH, "error", weight=3)
def addresses_with_offsets(d: Draw) -> Part:
    values = [d.between(1, 90) for _ in range(6)]
    k = d.between(1, 4)
    return d.part(
        f"A(*p$ == {values[k] + d.fault} && q$[-1] == {values[5]} && *r$ == {values[2]} && d$ == 8 && *s$ == 'c');",
        outside=(
            f"static int a$[6] = {{ {', '.join(map(str, values))} }}; static struct {{ int x, y, z; }} s0$ = {{ 1, 2, {values[2]} }};",
            f"static int *p$ = &a$[{k}], *q$ = a$ + 6, *r$ = &s0$.z; static long d$ = __builtin_offsetof(struct {{ int x, y, z; }}, z); static const char *s$ = \"abcd\" + 2;",
        ),
    )


@shape(UNREACH, "error", weight=3)
def fields_in_initialisers(d: Draw) -> Part:
    """Bit-fields in constants, cut to their width."""
    widths = [d.between(1, 13) for _ in range(4)]
    values = [d.below(1 << w) for w in widths]
    storage = d.choose(("static ", "static const ", "", "const "))
    k = d.below(4)
    fields = " ".join(f"unsigned f{n} : {w};" for n, w in enumerate(widths))
    checks = [f"s.f{n} == {v + (d.fault and n == k)}" for n, v in enumerate(values)]
    return d.part(f"{storage}struct {{ char c; {fields} signed g : 4; }} s = {{ 1, {', '.join(map(str, values))}, -3 }};", f"A({' && '.join(checks)} && s.g == -3 && s.c == 1);")


@shape(UNREACH, "error", weight=2)
def union_by_a_later_member(d: Draw) -> Part:
    value = d.between(1, 250)
    return d.part(f"A(u$[1].c[0] == {value ^ d.fault} && u$[1].c[1] == 0 && u$[0].n == 7);", outside=(f"static union {{ int n; unsigned char c[4]; }} u$[2] = {{ {{ 7 }}, {{ .c = {{ {value} }} }} }};",))


@shape(UNREACH, "error", weight=2)
def ranges_and_overrides(d: Draw) -> Part:
    """Later initialisers of the same element win."""
    a, b = d.between(1, 40), d.between(41, 80)
    at = d.between(1, 6)
    k = d.below(8)
    value = b if k == at else a if 1 <= k <= 6 else 0
    storage = d.choose(("static ", ""))
    return d.part(f"{storage}int v[8] = {{ [1 ... 6] = {a}, [{at}] = {b} }};", f"A(v[{d.hide(k)}] == {value + d.fault});")


@shape(UNREACH, "error", weight=2)
def tables_that_point_to_each_other(d: Draw) -> Part:
    n = d.between(1, 9)
    return d.part("struct n$ *p = &a$;", f"for (int i = 0; i < {n}; i++) p = p->next;", f"A(p->v == {(1, 2, 3)[n % 3] + d.fault});", outside=(
        "struct n$ { struct n$ *next; int v; }; static struct n$ b$, c$; static struct n$ a$ = { &b$, 1 }; static struct n$ b$ = { &c$, 2 }, c$ = { &a$, 3 };",))


@shape(UNREACH, "error", weight=2)
def zero_without_an_initialiser(d: Draw) -> Part:
    """Static objects start as zeros, null and 0.0; a tentative definition is one object."""
    check = d.choose(("x$ == 0", "p$ == 0", "f$ == 0.0", "s$.b[2] == 0 && s$.p == 0", "y$ == 0"))
    lines = [] if not d.fault else [{"x": "x$ = 1;", "p": "p$ = &x$;", "f": "f$ = 2;", "s": "s$.b[2] = 1;", "y": "y$++;"}[check[0]]]
    return d.part("static int y$;", *lines, f"A({check});", "(void)y$;", outside=("int x$; int x$; static int *p$; static double f$; static struct { int a, b[3]; char *p; } s$;",))


@shape(MEMORY, "address", weight=2)
def behind_a_static_table(d: Draw) -> Part:
    """The size of an array without one is that of its initialiser."""
    n = d.between(1, 4)
    at = d.between(0, 3)
    size = max(n, at + 1)
    return d.part(f"a$[{d.hide(size if d.fault else size - 1)}] = 1;", outside=(f"static int a$[] = {{ {', '.join('1' for _ in range(n))}, [{at}] = 5 }};" if at >= n else
                  f"static int a$[] = {{ {', '.join('1' for _ in range(n))} }};",))


@shape(UNREACH, "error", weight=2)
def index_with_a_side_effect(d: Draw) -> Part:
    """`a[i++] op= v` evaluates the index once."""
    n = d.between(2, 5)
    k, by = d.below(n - 1), d.between(1, 9)
    op, value = d.choose((("+", k * 3 + by), ("-", k * 3 - by), ("^", k * 3 ^ by), ("*", k * 3 * by)))
    return d.part(f"int a[{n}];", f"for (int i = 0; i < {n}; i++) a[i] = i * 3;", f"int i = {d.hide(k)};", f"a[i++] {op}= {by};", f"A(i == {k + 1} && a[{k}] == {value + d.fault} && a[{k + 1}] == {3 * (k + 1)});")


@shape(UNREACH, "error", weight=2)
def assigned_from_a_call_that_changes_it(d: Draw) -> Part:
    """The result of a call is stored after the call."""
    a = d.between(1, 40)
    return d.part(f"struct s$ s = {{ {a}, 2, 3, 4, 5 }};", "s = f$(&s);", f"A(s.a == {a + d.fault} && s.b == 20 && s.e == 5);", outside=(
        "struct s$ { int a, b, c, d, e; }; static struct s$ f$(struct s$ *p) { struct s$ r = *p; p->a = 99; r.b *= 10; p->e = 7; return r; }",))
