"""Variable arguments."""

from __future__ import annotations

from fuzz_corners.kit import INT, OVERFLOW, UNREACH, Draw, Part, shape

H = ("stdarg.h",)


@shape(UNREACH, "error", weight=3)
def sum_of_arguments(d: Draw) -> Part:
    values = [d.between(-99, 99) for _ in range(d.between(0, 4))]
    given = "".join(f", {d.hide(v)}" for v in values)
    return d.part(f"A(sum$({len(values)}{given}) == {sum(values) + d.fault});", outside=(
        "static int sum$(int n, ...) { va_list v; int s = 0; va_start(v, n); while (n--) s += va_arg(v, int); va_end(v); return s; }",), headers=H)


@shape(UNREACH, "error", weight=4)
def arguments_of_several_types(d: Draw) -> Part:
    """A letter for each argument's type; small ones are promoted."""
    total, letters, given = 0, "", ""
    for _ in range(d.between(1, 5)):
        letter = d.choose("ilLdpsc")
        value = d.between(-40, 99)
        total += value
        letters += letter
        given += {"i": f", {value}", "l": f", {value}L", "L": f", {value}LL", "d": f", {value}.0", "p": f", (int[]){{ {value} }}", "s": f", (struct b$){{ {value}, 1, 2 }}",
                  "c": f", (signed char){value}"}[letter]
    return d.part(f'A(sum$("{letters}"{given}) == {total + d.fault});', outside=(
        "struct b$ { int a; long b; char c; };",
        "static long long sum$(const char *f, ...) { va_list v, w; long long s = 0; va_start(v, f); va_copy(w, v);",
        "  for (; *f; f++) switch (*f) { case 'i': case 'c': s += va_arg(w, int); break; case 'l': s += va_arg(w, long); break; case 'L': s += va_arg(w, long long); break;",
        "    case 'd': s += (int)va_arg(w, double); break; case 'p': s += *va_arg(w, int *); break; case 's': s += va_arg(w, struct b$).a; break; }",
        "  va_end(w); va_end(v); return s; }"), headers=H)


@shape(UNREACH, "error", weight=2)
def list_passed_on(d: Draw) -> Part:
    a, b, c = (d.between(-50, 50) for _ in range(3))
    return d.part(f"A(outer$(0, {a}, {b}, {c}) == {a - b + 2 * c + d.fault});", outside=(
        "static int inner$(va_list v) { int a = va_arg(v, int); return a - va_arg(v, int); }",
        "static int outer$(int n, ...) { va_list v, w; va_start(v, n); va_copy(w, v); int r = inner$(w); va_end(w); (void)va_arg(v, int); (void)va_arg(v, int); r += 2 * va_arg(v, int); va_end(v); return r; }"), headers=H)


@shape(OVERFLOW, "undefined", weight=2)
def overflow_of_an_argument(d: Draw) -> Part:
    value = INT.most - (0 if d.fault else 5)
    return d.part(f"volatile int r = add$({d.hide(value)}, {d.between(1, 5)});", outside=(
        "static int add$(int a, ...) { va_list v; va_start(v, a); int r = a + va_arg(v, int); va_end(v); return r; }",), headers=H)
