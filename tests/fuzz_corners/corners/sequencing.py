"""What is evaluated, how often and in which order, where C says so."""

from __future__ import annotations

from fuzz_corners.kit import UNREACH, Draw, Part, shape


class _Trace:
    """Evaluates the text that it makes: calls of t(k, v) note k and give v."""

    def __init__(self, d: Draw) -> None:
        self.d, self.seen, self.count = d, [], 0

    def leaf(self, live: bool) -> tuple[str, int]:
        self.count += 1
        number, value = self.count, self.d.below(3)
        if live:
            self.seen.append(number)
        return f"t$({number}, {value})", value

    def expression(self, depth: int, live: bool) -> tuple[str, int]:
        if depth == 0:
            return self.leaf(live)
        kind = self.d.below(4)
        left, a = self.expression(depth - 1, live)
        if kind == 0:
            right, b = self.expression(depth - 1, live and a != 0)
            return f"({left} && {right})", int(a != 0 and b != 0)
        if kind == 1:
            right, b = self.expression(depth - 1, live and a == 0)
            return f"({left} || {right})", int(a != 0 or b != 0)
        if kind == 2:
            right, b = self.expression(depth - 1, live)
            return f"({left}, {right})", b
        yes, b = self.expression(depth - 1, live and a != 0)
        no, c = self.expression(depth - 1, live and a == 0)
        return f"({left} ? {yes} : {no})", b if a else c


@shape(UNREACH, "error", weight=5)
def order_of_evaluation(d: Draw) -> Part:
    trace = _Trace(d)
    text, value = trace.expression(d.between(1, 3), True)
    noted = 0
    for number in trace.seen:
        noted = (noted * 31 + number) % (1 << 32)
    wrong_value = d.fault and d.coin()
    return d.part(f"int r = {text};", f"A(r == {value + wrong_value});", f"A(n$ == {(noted + (d.fault and not wrong_value)) % (1 << 32)}u);",
                  outside=("static unsigned n$; static int t$(int k, int v) { n$ = n$ * 31 + k; return v; }",))


@shape(UNREACH, "error", weight=3)
def side_effects_of_operators(d: Draw) -> Part:
    a = d.between(1, 30)
    line, x, y = d.choose((
        ("y = x++;", a + 1, a), ("y = ++x;", a + 1, a + 1), ("y = x--;", a - 1, a), ("y = (x++, x++);", a + 2, a + 1), ("y = x += 3;", a + 3, a + 3), ("x = y = 4;", 4, 4),
        ("y = x ?: 9;", a, a), ("y = x && x++;", a + 1, 1), ("y = 0 && x++;", a, 0), ("y = x || x++;", a, 1), ("y = (x = 0) || (x = 5);", 5, 1), ("y = sizeof(x++);", a, 4),
        ("y = -x++;", a + 1, -a), ("y = (x > 0 ? x-- : x++);", a - 1, a), ("int *p = &x; y = (*p)++;", a + 1, a), ("int v[2] = { x, 7 }, *p = v; y = *p++; x = *p;", 7, a),
        ("int v[2] = { 7, x }, *p = v; y = *++p; x = p - v;", 1, a), ("y = !x + !!x;", a, 1),
    ))  # fmt: skip
    return d.part(f"int x = {d.hide(a)}, y = 0;", line, f"A(x == {x + (d.fault and d.coin())});" if not d.fault else "", f"A(y == {y + d.fault});")


@shape(UNREACH, "error", weight=3)
def sizeof_does_not_evaluate(d: Draw) -> Part:
    """But for the sizes of VLAs."""
    n = d.between(1, 6)
    if d.coin():
        return d.part(f"int n = {n};", "unsigned long s = sizeof(int[n++]);", f"A(n == {n + 1 + d.fault} && s == {4 * n});")
    return d.part(f"int n = {n};", "unsigned long s = sizeof(n++) + sizeof(*(int *)0);", f"A(n == {n + d.fault} && s == 8);")


@shape(UNREACH, "error", weight=2)
def loops_count(d: Draw) -> Part:
    n, skip, stop = d.between(2, 7), d.below(4), d.between(2, 9)
    total = 0
    for i in range(n):
        if i == skip:
            continue
        if i == stop:
            break
        total += i + 1
    loop = d.choose((
        f"for (int i = 0; i < {n}; i++) {{ if (i == {skip}) continue; if (i == {stop}) break; s += i + 1; }}",
        f"int i = -1; while (++i < {n}) {{ if (i == {skip}) continue; if (i == {stop}) break; s += i + 1; }}",
        f"int i = 0; do {{ if (i == {skip}) continue; if (i == {stop}) break; s += i + 1; }} while (++i < {n});",
    ))  # fmt: skip
    return d.part("int s = 0;", loop, f"A(s == {total + d.fault});")
