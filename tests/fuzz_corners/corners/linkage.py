"""Weak symbols, aliases, constructors, destructors, atexit, function pointers and tables, static locals, reach_error by any way."""

from __future__ import annotations

from fuzz_corners.kit import INT, MEMORY, UNREACH, Draw, Part, shape


@shape(UNREACH, "error", weight=3)
def error_by_a_pointer(d: Draw) -> Part:
    """A call of reach_error is a violation however it is made."""
    called = int(d.fault)
    way = d.below(6)
    if way == 0:
        return d.part("void (*p)(void) = reach_error;", f"if ({d.hide(called)}) p();")
    if way == 1:
        return d.part(f"t$[{d.hide(called)}]();", outside=("static void n$(void) { }", "static void (*t$[2])(void) = { n$, reach_error };"))
    if way == 2:
        return d.part(f"call$({d.hide(called)}, reach_error);", outside=("static void call$(int c, void (*f)(void)) { if (c) f(); }",))
    if way == 3:
        return d.part("struct { void (*f)(void); } s = { reach_error };", f"if ({d.hide(called)}) (*s.f)();")
    if way == 4:
        return d.part(f"({d.hide(called)} ? reach_error : n$)();", outside=("static void n$(void) { }",))
    return d.part("void *v = (void *)reach_error;", f"if ({d.hide(called)}) ((void (*)(void))v)();")


@shape(UNREACH, "error", weight=3)
def table_of_functions(d: Draw) -> Part:
    a, b = d.between(1, 50), d.between(1, 50)
    results = [a + b, a - b, a * b, a ^ b]
    k = d.below(4)
    return d.part(f"A(ops$[{d.hide(k)}]({a}, {b}) == {results[k] + d.fault});", outside=(
        "static int add$(int a, int b) { return a + b; } static int sub$(int a, int b) { return a - b; }",
        "static int mul$(int a, int b) { return a * b; } static int xor$(int a, int b) { return a ^ b; }",
        "static int (*const ops$[])(int, int) = { add$, sub$, mul$, xor$ };"))


@shape(MEMORY, "address", weight=3)
def call_through_a_bad_pointer(d: Draw) -> Part:
    value = "0" if d.fault else "f$"
    return d.part(f"int (*p)(int) = {value};", "volatile int r = p(3);", outside=("static int f$(int x) { return x; }",))


@shape(UNREACH, "error", weight=2)
def static_local(d: Draw) -> Part:
    n = d.between(1, 5)
    return d.part("int r = 0;", f"for (int i = 0; i < {n}; i++) r = next$();", f"A(r == {n + 4 + d.fault});", outside=("static int next$(void) { static int k = 4; return ++k; }",))


@shape(UNREACH, "", weight=2, clean=False)
def weak_symbol(d: Draw) -> Part:
    """Undefined: null or not; defined: not null."""
    kind = d.coin()
    declared = ("extern int w$ __attribute__((weak));", "&w$") if kind else ("extern void w$(void) __attribute__((weak));", "w$")
    if d.fault:
        return d.part(f"A({declared[1]} != 0);", outside=(declared[0],))
    defined = "int w$ = 3;" if kind else "void w$(void) { }"
    return d.part(f"A({declared[1]} != 0);", outside=(declared[0], defined))


@shape(UNREACH, "error", weight=2)
def weak_definition_and_alias(d: Draw) -> Part:
    value = d.between(1, 60)
    return d.part("a$v = a$v + 1;", f"A(weak$() + al$() == {2 * value + 1 + d.fault});", outside=(
        f"int r$v = {value}; extern int a$v __attribute__((alias(\"r$v\"))); __attribute__((weak)) int weak$(void) {{ return {value}; }}",
        "static int real$(void) { return r$v; } int al$(void) __attribute__((alias(\"real$\")));"))


@shape(UNREACH, "error", alone=True, weight=3)
def constructors_run_first(d: Draw) -> Part:
    a, b = d.between(1, 9), d.between(1, 9)
    section = d.coin()
    second = "static void c2(void) { g += %d; } __attribute__((section(\".init_array\"), used)) static void (*p)(void) = c2;" if section else "__attribute__((constructor(200))) static void c2(void) { g += %d; }"
    return d.whole(f"static int g = 1;\n__attribute__((constructor(102))) static void c1(void) {{ g = g * 2 + {a}; }}\n{second % b}\nint main(void) {{ A(g == {2 + a + b + d.fault}); return 0; }}")


@shape(UNREACH, "error", alone=True, weight=3)
def functions_at_exit(d: Draw) -> Part:
    """Destructors and atexit's functions run, the last registered first, destructors behind them."""
    wrong = int(d.fault)
    way = d.below(4)
    end = d.choose(("return 0;", "exit(0);"))
    if way == 0:
        text = f"static int g;\n__attribute__((destructor)) static void d1(void) {{ A(g == {1 + wrong}); }}\nint main(void) {{ g = 1; {end} }}"
    elif way == 1:
        text = f"static int g;\nstatic void f1(void) {{ A(g == {1 + wrong}); }}\nint main(void) {{ atexit(f1); g = 1; {end} }}"
    elif way == 2:
        text = f"static int g;\nstatic void f1(void) {{ A(g == {2 + wrong}); }}\nstatic void f2(void) {{ g = 2; }}\nint main(void) {{ atexit(f1); atexit(f2); g = 1; {end} }}"
    else:
        leave = "_Exit(0);" if not d.fault else end
        text = f"static void f1(void) {{ reach_error(); }}\nint main(void) {{ atexit(f1); {leave} }}"
    return d.whole(text, ("stdlib.h",))


@shape(UNREACH, "error", alone=True, weight=2)
def main_called_again(d: Draw) -> Part:
    n = d.between(1, 3)
    return d.whole(f"int main(void) {{\n  static int depth;\n  if (depth++ < {n}) return main();\n  A(depth == {n + 1 + d.fault});\n  return 0;\n}}")


@shape(UNREACH, "error", alone=True, weight=2)
def arguments_of_main(d: Draw) -> Part:
    check = d.choose(("argv[argc] == 0", "argc >= 0", "argc < 1 || argv[0] != 0"))
    if d.fault:
        check = d.choose(("argc != 1", "argv[argc] != 0", "argc == 0 || argv[0] == 0"))
    return d.whole(f"int main(int argc, char **argv) {{\n  (void)argv;\n  A({check});\n  return 0;\n}}")


@shape(MEMORY, "", alone=True, weight=2, clean=False)
def strings_of_main(d: Draw) -> Part:
    """argv[i] below argc is a string; beyond argv[argc] nothing is."""
    body = "argv[argc + 1] = 0;" if d.fault else d.choose(("for (int i = 0; i < argc; i++) if (argv[i][0] == 'x') return 1;", "if (argc > 1 && argv[1][0] != 0 && argv[1][1] == 'b') return 2;", "volatile int e = argv[argc] == 0;"))
    return d.whole(f"int main(int argc, char **argv) {{\n  if (argc > 2) return 0;\n  {body}\n  return 0;\n}}")


@shape(UNREACH, "error", weight=2)
def cleanup_attribute(d: Draw) -> Part:
    a, b = d.between(1, 30), d.between(31, 60)
    return d.part("{", f"int x __attribute__((cleanup(out$))) = {a}, y __attribute__((cleanup(out$))) = {b};", "x += 1;", "}", f"A(g$ == {b * 3 + a + 1 + d.fault});",
                  outside=("static int g$; static void out$(int *p) { g$ = g$ * 3 + *p; }",))


@shape(UNREACH, "error", weight=2)
def pointers_to_functions_compare(d: Draw) -> Part:
    same = d.coin()
    return d.part(f"int (*p)(int) = f$, (*q)(int) = {'f$' if same else 'h$'};", f"A((p == q) == {int(same) ^ d.fault});", "A(p != 0);", outside=("static int f$(int x) { return x; } static int h$(int x) { return x + 1; }",))


@shape(UNREACH, "error", weight=2)
def callback_with_state(d: Draw) -> Part:
    n = d.between(1, 4)
    total = sum(range(n))
    return d.part("int s = 0;", f"each$({d.hide(n, INT)}, add$, &s);", f"A(s == {total + d.fault});", outside=(
        "static void each$(int n, void (*f)(int, void *), void *state) { for (int i = 0; i < n; i++) f(i, state); }", "static void add$(int i, void *state) { *(int *)state += i; }"))
