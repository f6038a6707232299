"""Builtins and extensions of GNU C with a value: counting bits, swapping bytes, checked arithmetic, 128 bits, void arithmetic."""

from __future__ import annotations

from fuzz_corners.kit import INT, LLONG, UINT, ULLONG, UNREACH, Draw, Part, literal, shape


@shape(UNREACH, "error", weight=4)
def bits_counted(d: Draw) -> Part:
    """Values other than 0 where that is undefined."""
    wide = d.coin()
    bits, suffix, type = (64, "ll", ULLONG) if wide else (32, "", UINT)
    x = d.value(type) or 1
    word = d.model.word
    text, value = d.choose((
        (f"__builtin_popcount{suffix}(X)", x.bit_count()), (f"__builtin_clz{suffix}(X)", bits - x.bit_length()), (f"__builtin_ctz{suffix}(X)", (x & -x).bit_length() - 1),
        (f"__builtin_ffs{suffix}(X)", (x & -x).bit_length()), (f"__builtin_parity{suffix}(X)", x.bit_count() % 2), (f"__builtin_clrsb{suffix}(X)", _redundant(x, bits)),
        (f"__builtin_popcountl((unsigned long)X) - __builtin_popcount{suffix}(X)", (x & (1 << word) - 1).bit_count() - x.bit_count()),
    ))  # fmt: skip
    return d.part(f"A({text.replace('X', d.hide(x, type))} == {value + d.fault});".replace("X", "x"))


def _redundant(x: int, bits: int) -> int:
    signed = x - (1 << bits) if x >> (bits - 1) else x
    return bits - 1 - (signed if signed >= 0 else ~signed).bit_length()


@shape(UNREACH, "error", weight=2)
def bytes_swapped(d: Draw) -> Part:
    bits, type = d.choose(((16, UINT), (32, UINT), (64, ULLONG)))
    x = d.random.getrandbits(bits)
    value = int.from_bytes(x.to_bytes(bits // 8, "little"), "big") ^ d.fault
    return d.part(f"A(__builtin_bswap{bits}({d.hide(x, type)}) == {literal(value, type)});")


@shape(UNREACH, "error", weight=4)
def arithmetic_that_tells_of_overflow(d: Draw) -> Part:
    """Of operands and a result of different types: as with numbers without an end."""
    types = [t for t in d.model.integers if t.bits > 1 and t.bits < 128]
    ta, tb, tr = d.choose(types), d.choose(types), d.choose(types)
    a, b = d.value(ta), d.value(tb)
    name, exact = d.choose((("add", a + b), ("sub", a - b), ("mul", a * b)))
    over = int(not tr.holds(exact))
    which = d.coin()
    return d.part(f"{tr.name} r;", f"int o = __builtin_{name}_overflow({d.hide(a, ta)}, {d.hide(b, tb)}, &r);", f"A(o == {over ^ (d.fault and which)});",
                  f"A(r {'!=' if d.fault and not which else '=='} {literal(tr.wrap(exact), tr)});")


@shape(UNREACH, "error", models=("LP64",), weight=2)
def products_of_128_bits(d: Draw) -> Part:
    a, b = d.random.getrandbits(64), d.random.getrandbits(64)
    high = (a * b) >> 64
    return d.part(f"unsigned __int128 p = (unsigned __int128){d.hide(a, ULLONG)} * {d.hide(b, ULLONG)};", f"A((unsigned long long)(p >> 64) == {literal(high ^ d.fault, ULLONG)});",
                  f"A((unsigned long long)p == {literal(a * b & (1 << 64) - 1, ULLONG)});")


@shape(UNREACH, "error", weight=2)
def arithmetic_on_void(d: Draw) -> Part:
    n, k = d.between(4, 9), d.below(3)
    return d.part(f"char a[{n}];", f"for (int i = 0; i < {n}; i++) a[i] = i * 2;", "void *p = a;", f"p += {k}; p++;", f"A(*(char *)p == {2 * (k + 1) + d.fault} && p - (void *)a == {k + 1} && sizeof(*p) == 1);")


@shape(UNREACH, "error", weight=2)
def conditional_without_a_middle(d: Draw) -> Part:
    """`x ?: y` evaluates x once; case ranges; statement expressions; __typeof__."""
    a, b = d.choose((0, d.between(1, 20))), d.between(21, 40)
    return d.part(f"int n = 0, x = {a};", f"int r = (n++, x) ?: {b};", "__typeof__(x) y = ({ int t = r; t + n; });", f"A(y == {(a or b) + 1 + d.fault} && n == 1);")


@shape(UNREACH, "error", weight=2)
def known_at_compile_time(d: Draw) -> Part:
    k = d.between(1, 9)
    text, value = d.choose((("__builtin_choose_expr(1, K, \"x\")", k), ("__builtin_expect(K, 3)", k), ("__builtin_types_compatible_p(int, const int)", 1), ("__builtin_types_compatible_p(int, unsigned)", 0),
                            ("(int)_Alignof(short)", 2), ("(int)__alignof__(char)", 1), ("(int)sizeof(struct {})", 0), ("(int)sizeof(int[0])", 0), ("(int)sizeof(struct { int n; char a[0]; })", 4)))
    return d.part(f"A({text.replace('K', d.hide(k, INT))} == {value + d.fault});")


@shape(UNREACH, "error", weight=3)
def sum_of_wide_and_narrow_arguments(d: Draw) -> Part:
    """Many parameters of many types, in registers and on the stack."""
    types = [d.choose([t for t in d.model.integers if t.bits <= 64]) for _ in range(d.between(4, 10))]
    values = [t.wrap(d.between(-100, 200)) for t in types]
    total = LLONG.wrap(sum(v * (k + 1) for k, v in enumerate(values)))
    parameters = ", ".join(f"{t.name} a{k}" for k, t in enumerate(types))
    text = " + ".join(f"(long long)a{k} * {k + 1}" for k in range(len(types)))
    given = ", ".join(literal(v, t) for v, t in zip(values, types, strict=True))
    return d.part(f"A(f$({given}) == {literal(total + d.fault, LLONG)});", outside=(f"static long long f$({parameters}) {{ return {text}; }}",))
