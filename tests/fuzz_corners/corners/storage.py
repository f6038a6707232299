"""volatile, thread-locals, enums, _Bool in memory, uninitialised values, assembly without an effect, atomics."""

from __future__ import annotations

from fuzz_corners.kit import INT, OVERFLOW, UNREACH, Draw, Part, shape


@shape(UNREACH, "error", weight=2)
def volatile_is_memory(d: Draw) -> Part:
    a, b = d.between(1, 50), d.between(1, 50)
    kind = d.choose(("volatile int v", "static volatile int v", "volatile short v"))
    return d.part(f"{kind} = {a};", f"v += {d.hide(b)};", "volatile int *p = (volatile int *)&w$; *p = v; v++;", f"A(w$ == {a + b + d.fault} && v == {a + b + 1});", outside=("static int w$;",))


@shape(UNREACH, "error", weight=2)
def thread_local(d: Draw) -> Part:
    a = d.between(1, 50)
    word = d.choose(("__thread", "_Thread_local"))
    return d.part("t$++; f$();", "int *p = &t$; *p += 1;", f"A(t$ == {a + 3 + d.fault} && z$ == 0);", outside=(f"static {word} int t$ = {a}, z$;", "static void f$(void) { t$++; }"))


@shape(UNREACH, "error", weight=3)
def enumerations(d: Draw) -> Part:
    first = d.between(-5, 5)
    at = d.between(6, 40)
    names = {"P$": first, "Q$": first + 1, "R$": at, "S$": at + 1}
    name = d.choose(list(names))
    size = d.choose(("", "long"))
    if size:
        return d.part("enum w$ x = W$;", f"A((x > 0) == {int(not d.fault)});", "A(sizeof x == 4);", outside=("enum w$ { V$, W$ = 0xffffffffu };",))
    return d.part(f"enum e$ x = {name};", f"A(x == {names[name] + d.fault} && (int)P$ == {first});", f"A((x < 0) == {int(names[name] < 0)});" if first < 0 else "",
                  outside=(f"enum e$ {{ P$ = {first}, Q$, R$ = {at}, S$ }};",))


@shape(UNREACH, "error", weight=2)
def enum_of_an_input(d: Draw) -> Part:
    """An enum holds values that have no name."""
    given = d.asked(INT, 7)
    guard = "" if d.fault else "if (n < 0 || n > 1) return;"
    return d.part(f"int n = {given};", guard, "enum e$ x = (enum e$)n;", "int r = 0;", "switch (x) { case X$: r = 1; break; case Y$: r = 2; break; }", "A(r != 0);", outside=("enum e$ { X$, Y$ };",))


@shape(UNREACH, "error", weight=2)
def bool_from_anything(d: Draw) -> Part:
    text, value = d.choose((("256", 1), ("0.1", 1), ("-0.0", 0), ("(char)256", 0), ("&g$", 1), ("(int *)0", 0), ("1LL << 40", 1), ("0x100000000LL", 1), ("2", 1)))
    change, after = d.choose((("", value), ("b++;", 1), ("b--;", 1 - value), ("b += 255;", 1), ("b = ~b;", 1), ("b = !b;", 1 - value), ("b *= 2;", value), ("b ^= 1;", 1 - value), ("b -= 2;", 1)))
    return d.part(f"_Bool b = {text};", change, f"A(b == {after ^ d.fault});", "A(sizeof b == 1);", outside=("static int g$;",))


@shape(UNREACH, "", weight=2, clean=False)
def uninitialised_is_any_value(d: Draw) -> Part:
    """One value, the same at each read; any."""
    n = d.between(-5, 5)
    declared = d.choose(("int x; int *p = &x;", "int x[2]; int *p = x + 1;", "struct { int a, b; } s; int *p = &s.b;"))
    return d.part(declared, f"A(*p != {n});" if d.fault else "int a = *p, b = *p; A(a == b);")


@shape(UNREACH, "error", weight=2)
def assembly_without_an_effect(d: Draw) -> Part:
    a = d.between(1, 99)
    text = d.choose(('__asm__ volatile("" ::: "memory");', '__asm__("" : "+r"(x));', '__asm__ volatile("" : : "r"(x));'))
    return d.part(f"int x = {d.hide(a)};", text, f"A(x == {a + d.fault});")


@shape(UNREACH, "error", weight=3)
def atomics(d: Draw) -> Part:
    a, b = d.between(1, 50), d.between(1, 50)
    text, value = d.choose((
        ("__atomic_add_fetch(&x, B, 0)", a + b), ("__sync_fetch_and_add(&x, B) + x", a + a + b), ("(__atomic_store_n(&x, B, 5), __atomic_load_n(&x, 5))", b),
        ("__atomic_exchange_n(&x, B, 5) * 100 + x", a * 100 + b), ("__sync_bool_compare_and_swap(&x, A0, B) * 100 + x", 100 + b), ("__sync_val_compare_and_swap(&x, 0, B) * 100 + x", a * 101),
        ("__atomic_fetch_or(&x, B, 5) | x", a | b), ("__sync_lock_test_and_set(&x, B) - x", a - b),
    ))  # fmt: skip
    result = text.replace("A0", str(a)).replace("B", str(b))
    if "+ x" in result or "- x" in result or "| x" in result:
        op = result[-3]
        factor = "* 100 " if "* 100" in result else ""
        call = result[: result.rindex(factor or op)].strip()
        result = f"(y = {call}, y {factor}{op} x)"
    return d.part(f"int x = {a}, y;", f"A({result} == {value + d.fault});", "(void)y;")


@shape(OVERFLOW, "undefined", weight=2)
def static_counter(d: Draw) -> Part:
    n = d.between(1, 4)
    start = INT.most - n + (0 if not d.fault else 1)
    return d.part(f"for (int i = 0; i < {n}; i++) next$();", outside=(f"static int c$ = {start}; static int next$(void) {{ return c$++; }}",))


@shape(UNREACH, "error", weight=2)
def generic_selection(d: Draw) -> Part:
    expression, kind = d.choose((("s + s", 1), ("'a'", 1), ("1u + 1", 2), ("1L", 3), ("sizeof 1", 4), ("(char)1", 5), ("1.0f * 1", 8), ("1.0f * 1.0", 7), ("1 ? 1u : -1", 2), ("+c", 1), ("(signed char)1", 6),
                                 ("s << 1L", 1), ("1LL + 1ul", 10 if d.model.word == 64 else 9)))
    if expression == "sizeof 1":
        kind = 4 if d.model.word == 64 else 2
    if expression == "1LL + 1ul":
        kind = 10 if d.model.word == 64 else 9
    table = "int: 1, unsigned: 2, long: 3, unsigned long: 4, char: 5, signed char: 6, double: 7, float: 8, long long: 9, unsigned long long: 10"
    return d.part("short s = 1; char c = 1; (void)s; (void)c;", f"A(_Generic(({expression}), {table}) == {kind + d.fault});")
