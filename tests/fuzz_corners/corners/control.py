"""switch, goto, recursion, and loops over inputs that need an invariant."""

from __future__ import annotations

from fuzz_corners.kit import INT, MEMORY, OVERFLOW, UINT, UNREACH, Draw, Part, shape


@shape(UNREACH, "error", weight=4)
def switch_falls_through(d: Draw) -> Part:
    cases = sorted(d.some(range(-3, 9), d.between(2, 4)))
    breaks = [d.coin() for _ in cases]
    adds = [d.between(1, 9) for _ in cases]
    default_at, default_add = d.below(len(cases) + 1), 100
    value = d.choose((*cases, 20, -9))
    labels: list[tuple[str, int, bool, int | None]] = [(f"case {c}:", a, b, c) for c, a, b in zip(cases, adds, breaks, strict=True)]
    labels.insert(default_at, ("default:", default_add, d.coin(), None))
    start = next((k for k, x in enumerate(labels) if x[3] == value), default_at)
    total = 0
    for _, add, stop, _ in labels[start:]:
        total += add
        if stop:
            break
    text = " ".join(f"{label} r += {add};{' break;' if stop else ''}" for label, add, stop, _ in labels)
    return d.part("int r = 0;", f"switch ({d.hide(value)}) {{ {text} }}", f"A(r == {total + d.fault});")


@shape(UNREACH, "error", weight=2)
def switch_of_ranges_and_types(d: Draw) -> Part:
    low = d.between(-20, 20)
    high = low + d.between(1, 30)
    value = d.choose((low, high, low - 1, high + 1, (low + high) // 2))
    inside = int(low <= value <= high)
    type = d.choose((INT, d.model.long, d.model.integers[10], d.model.integers[4]))
    return d.part("int r = 0;", f"switch ({d.hide(value, type)}) {{ case {low} ... {high}: r = 1; break; case 0x7fffffff: r = 2; }}", f"A(r == {inside ^ d.fault});")


@shape(UNREACH, "error", weight=2)
def switch_into_a_loop(d: Draw) -> Part:
    n = d.between(1, 12)
    given = d.asked(INT, n)
    return d.part(
        f"int n = {given};", "if (n < 1 || n > 12) return;", "int c = 0, k = (n + 3) / 4;",
        "switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--k > 0); }", f"A(c {'!=' if d.fault else '=='} {n if d.fault else 'n'});",
    )  # fmt: skip


@shape(UNREACH, "error", weight=2)
def computed_goto(d: Draw) -> Part:
    k = d.below(3)
    return d.part("static void *t[] = { &&a, &&b, &&c };", "int r = 0;", f"goto *t[{d.hide(k)}];", "a: r += 1;", "b: r += 10;", "c: r += 100;", f"A(r == {(111, 110, 100)[k] + d.fault});")


@shape(UNREACH, "error", weight=3)
def recursion(d: Draw) -> Part:
    n = d.between(0, 6)
    name, text, value = d.choose((
        ("fact$", "static int fact$(int n) { return n < 2 ? 1 : n * fact$(n - 1); }", [1, 1, 2, 6, 24, 120, 720][n]),
        ("fib$", "static int fib$(int n) { return n < 2 ? n : fib$(n - 1) + fib$(n - 2); }", [0, 1, 1, 2, 3, 5, 8][n]),
        ("odd$", "static int odd$(int n); static int even$(int n) { return n ? odd$(n - 1) : 1; } static int odd$(int n) { return n ? even$(n - 1) : 0; }", n % 2),
        ("sum$", "static int walk$(int *p, int n) { int own = n; if (n) walk$(&own, n - 1); return *p += own; } static int sum$(int n) { int x = 1; return walk$(&x, n); }", n * (n + 1) // 2 + 1),
    ))  # fmt: skip
    return d.part(f"A({name}({d.hide(n)}) == {value + d.fault});", outside=(text,))


@shape(UNREACH, "error", weight=3)
def loop_over_an_input(d: Draw) -> Part:
    """Holds after any number of rounds."""
    step = d.between(1, 5)
    bound = d.between(5, 60)
    given = d.asked(UINT, bound // 2)
    body, check, wrong = d.choose((
        (f"x += {step};", f"x == {step} * n", f"x != {step * (bound // 2)}"),
        ("x++; y--;", "x + y == 0 && x == n", f"x + y == 0 && x != {bound // 2}"),
        ("x = !x;", "x == n % 2", f"x != {bound // 2 % 2} || n != {bound // 2}"),
        ("x += y; y = 1 - y;", "x <= n", f"x != {bound // 2 // 2} || n < {bound // 2}"),
    ))  # fmt: skip
    return d.part(f"unsigned n = {given};", f"if (n > {bound}) return;", "unsigned x = 0, y = 0;", f"for (unsigned i = 0; i < n; i++) {{ {body} }}", f"A({wrong if d.fault else check});")


@shape(UNREACH, "error", weight=2)
def loop_without_a_bound(d: Draw) -> Part:
    """Runs as long as inputs say; needs an invariant, or a handful of rounds to fail."""
    k = d.between(2, 5)
    rounds = d.between(1, 4)
    limit = f"x <= {k * (rounds - 1)}" if d.fault else f"x % {k} == 0"
    d.inputs.extend([1] * rounds)
    return d.part("unsigned x = 0;", "while (__VERIFIER_nondet_int()) {", "if (x > 100000) break;", f"x += {k};", "}", f"A({limit});")


@shape(MEMORY, "address", weight=3)
def string_walk_of_an_input(d: Draw) -> Part:
    n = d.between(2, 6)
    ends = f"a[{n - 1}] = 0;" if not d.fault else ""
    d.inputs.extend([65] * n)
    return d.part(f"char a[{n}];", f"for (int i = 0; i < {n}; i++) a[i] = __VERIFIER_nondet_char();", ends, "int k = 0;", "while (a[k]) k++;", "(void)k;")


@shape(OVERFLOW, "undefined", weight=3)
def sum_of_a_loop(d: Draw) -> Part:
    n = d.between(10, 60)
    big = 2147483647 // n
    each = big + 1 if d.fault else big
    if n * each <= 2147483647 and d.fault:
        each += 1
    given = d.asked(INT, n)
    return d.part(f"int n = {given};", f"if (n < 0 || n > {n}) return;", "int s = 0;", f"for (int i = 0; i < n; i++) s += {each};", "volatile int r = s;")


@shape(OVERFLOW, "undefined", weight=3)
def overflow_behind_a_branch(d: Draw) -> Part:
    k = d.between(-100, 100)
    given = d.asked(INT, k)
    by = d.choose((1000000000 * 3, 2**31)) if d.fault else d.between(1, 100000)
    factor = 2147483647 // max(1, abs(k)) + 2 if d.fault else by % 1000
    return d.part(f"int x = {given};", f"if (x == {k if k else 1}) {{ volatile int r = x * {factor if abs(k) > 1 else 3}; }}" if abs(k) > 1 else
                  f"if (x == {k}) {{ volatile int r = {'2147483647 + (x * x + 1)' if d.fault else 'x + 1'}; }}")


@shape(UNREACH, "error", weight=2)
def goto_out_of_and_into_loops(d: Draw) -> Part:
    n = d.between(0, 5)
    i, m, first = 0, n, n == 3
    # for (i = 0; i < n; i++) { in: n--; }, entered at `in` where n is 3
    rounds = 0
    i = 0
    if first:
        m -= 1
        i += 1
        rounds += 1
    while i < m:
        m -= 1
        i += 1
        rounds += 1
    return d.part(f"int i = 0, r = 0, n = {d.hide(n)};", "if (n == 3) goto in;", "for (i = 0; i < n; i++) { in: n--; r++; }", f"A(r == {rounds + d.fault} && i == {i});")


@shape(OVERFLOW, "undefined|", weight=3)
def overflow_that_is_not_evaluated(d: Draw) -> Part:
    """In sizeof, behind && and ||, in the other arm."""
    live = d.hide(int(d.fault))
    text = d.choose((f"{live} && (m + 1 > 0)", f"!{live} || (m + 1 > 0)", f"{live} ? m + 1 : 0", f"(int)sizeof(m + 1) + ({live} ? m * 2 : 1)", f"({live}, {live} ? -(-m - 1) : 2)"))
    return d.part(f"int m = {d.hide(INT.most)};", f"volatile int r = {text};")


@shape(OVERFLOW, "", weight=2)
def builtins_that_tell_of_overflow(d: Draw) -> Part:
    """They wrap; so do atomic operations. The plain operation does not."""
    text = d.choose(("__builtin_add_overflow(x, 1, &y)", "__builtin_mul_overflow(x, x, &y)", "__sync_fetch_and_add(&x, 1)", "__atomic_add_fetch(&x, x, 0)", "__builtin_sub_overflow(-2, x, &y)"))
    return d.part(f"int x = {d.hide(INT.most)}, y = 0;", f"volatile int r = {text};", "volatile int s = x + (x == 2147483647);" if d.fault and "&x" not in text else "volatile int s = y; x = 2147483647; s = x + 1;" if d.fault else "volatile int s = y;")


@shape(OVERFLOW, "", weight=2)
def overflow_of_atomic_objects(d: Draw) -> Part:
    """Operators overflow there too, which no sanitizer tests; functions wrap."""
    type = d.choose((INT, d.model.long, d.model.integers[10]))
    up = d.coin()
    change = d.choose(("++x;", "x++;", "x += 1;", "x -= -1;") if up else ("--x;", "x--;", "x -= 1;", "x += -1;"))
    start = type.most if up else type.least
    wrap = "" if d.fault else d.choose(("", f"__atomic_fetch_{'add' if up else 'sub'}(({type.name} *)&x, 1, 5);"))
    return d.part(f"_Atomic({type.name}) x = {d.hide(start - (0 if d.fault or wrap else 1 if up else -1), type)};", wrap or change, "volatile long long r = x;")


@shape(OVERFLOW, "undefined", weight=2)
def division_that_overflows(d: Draw) -> Part:
    type = d.choose((INT, d.model.long, d.model.integers[10]))
    divisor = -1 if d.fault else d.choose((1, -2, 7))
    change = d.choose((f"x /= {d.hide(divisor, type)};", f"x %= {d.hide(divisor, type)};", f"x = x / {d.hide(divisor)};", f"x = x % {d.hide(divisor)};"))
    return d.part(f"{type.name} x = {d.hide(type.least, type)};", change, "volatile long long r = x;")
