"""Floats: rounding, conversions, NaN, infinities, signed zeros, bits; computed here by the same IEEE 754."""

from __future__ import annotations

import math
import struct

from fuzz_corners.kit import INT, LLONG, UINT, UNREACH, CType, Draw, Part, literal, shape


def single(x: float) -> float:
    """Rounded to float."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits(x: float, double: bool) -> int:
    return int.from_bytes(struct.pack("<d" if double else "<f", x), "little")


def _value(d: Draw, double: bool) -> float:
    pick = d.below(5)
    if pick == 0:
        x = d.choose((0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 1e10, 3.0, 16777216.0, 16777217.0, 1e-40, 2.0**-149, 2.0**1000, -2.5, 1e300))
    elif pick == 1:
        x = float(d.between(-1000, 1000))
    elif pick == 2:
        x = d.between(-(10**6), 10**6) / 64
    else:
        x = d.random.uniform(-1, 1) * 10.0 ** d.between(-20, 20)
    return x if double else single(x)


def _text(x: float, double: bool) -> str:
    if math.isnan(x):
        return "(0.0 / z$)"
    if math.isinf(x):
        return f"({'-' if x < 0 else ''}__builtin_inf{'' if double else 'f'}())"
    return f"({x.hex()}{'' if double else 'f'})"


def _operate(op: str, a: float, b: float, double: bool) -> float:
    try:
        result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[op]()
    except ZeroDivisionError:
        result = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return result if double else single(result)


@shape(UNREACH, "error", weight=5)
def arithmetic(d: Draw) -> Part:
    """One or more operations; the result's bits (or that it is no number)."""
    double = d.coin()
    name, word = ("double", "unsigned long long") if double else ("float", "unsigned")
    x = _value(d, double)
    lines = [f"volatile {name} start = {_text(x, double)};", f"{name} x = start;"]
    for _ in range(d.between(1, 3)):
        op, y = d.choose("+-*/"), _value(d, double)
        lines.append(f"x = x {op} {_text(y, double)};")
        x = _operate(op, x, y, double)
    if math.isnan(x):
        return d.part(*lines, f"A({'x == x' if d.fault else 'x != x'});")
    lines.append(f"union {{ {name} x; {word} w; }} u; u.x = x;")
    told = bits(x, double) ^ (1 << d.below(64 if double else 32) if d.fault else 0)
    return d.part(*lines, f"A(u.w == {told:#x}{'ull' if double else 'u'});")


@shape(UNREACH, "error", weight=3)
def comparisons_of_odd_values(d: Draw) -> Part:
    values = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "0": 0.0, "-0": -0.0, "1": 1.0, "tiny": 5e-324}
    a, b = d.choose(list(values)), d.choose(list(values))
    x, y = values[a], values[b]
    op = d.choose(("<", "<=", ">", ">=", "==", "!="))
    result = {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
    return d.part("volatile double z = 0.0;", f"volatile double x = {_text(x, True)}, y = {_text(y, True)};".replace("z$", "z"), f"A((x {op} y) == {int(result) ^ d.fault});")


@shape(UNREACH, "error", weight=4)
def to_integers(d: Draw) -> Part:
    """Towards zero, within range."""
    type = d.choose((INT, LLONG, UINT, *d.model.integers[1:6]))
    value = type.wrap(d.value(INT))
    fraction = d.choose((0.0, 0.25, 0.5, 0.75))
    x = value + (fraction if value >= 0 else -fraction)
    if abs(value) > 1 << 50:
        x = float(value)
    return d.part(f"volatile double x = {_text(x, True)};", f"A(({type.name})x {'!=' if d.fault else '=='} {literal(int(x), type)});")


@shape(UNREACH, "error", weight=4)
def from_integers(d: Draw) -> Part:
    """Rounded to nearest even; float keeps 24 bits."""
    type: CType = d.choose((INT, UINT, LLONG, d.model.integers[11]))
    value = d.value(type)
    double = d.coin()
    if double:
        expected = float(value)
    else:
        expected = _float_of(value)
    wrong = abs(expected) * 2 + 1 if d.fault else expected
    name = "double" if double else "float"
    return d.part(f"volatile {name} f = {d.hide(value, type)};", f"A(f == {_text(wrong if double else single(wrong), double)});")


def _float_of(value: int) -> float:
    """Correctly rounded from the integer, not by way of double."""
    length = abs(value).bit_length()
    if length <= 24:
        return float(value)
    shift = length - 24
    low, high = abs(value) & (1 << shift) - 1, abs(value) >> shift
    half = 1 << (shift - 1)
    if low > half or (low == half and high & 1):
        high += 1
    return math.copysign(float(high << shift), value)


@shape(UNREACH, "error", weight=2)
def narrowing(d: Draw) -> Part:
    x = _value(d, True)
    y = single(x)
    told = bits(y, False) ^ (1 << d.below(31) if d.fault else 0)
    return d.part(f"volatile double x = {_text(x, True)};", "union { float f; unsigned w; } u; u.f = x;", f"A(u.w == {told:#x}u);")


@shape(UNREACH, "", weight=2, clean=False)
def sign_of_a_nan(d: Draw) -> Part:
    """Open where an operation makes it, the same in every copy of it."""
    made = "volatile float z = 0; float x = z / z;"
    check = "A(a == b);" if not d.fault else "A(a >> 31 == 0);" if d.coin() else "A(a >> 31 == 1);"
    return d.part(made, "float y = x, t[2]; t[1] = y;", "unsigned a, b; memcpy(&a, &x, 4); memcpy(&b, &t[1], 4);", "A(x != x); (void)b;", check, headers=("string.h",))


@shape(UNREACH, "error", weight=2)
def bits_of_a_constructed_nan(d: Draw) -> Part:
    word = 0x7FC00000 | d.below(1 << 20) | d.below(2) << 31
    return d.part(f"unsigned w = {word:#x}u, v;", "float f, g;", "memcpy(&f, &w, 4); g = f; memcpy(&v, &g, 4);", f"A(v == {word ^ d.fault:#x}u);", "A(f != g);", headers=("string.h",))


@shape(UNREACH, "error", weight=3)
def any_float(d: Draw) -> Part:
    """What holds of all floats but NaN (or but another)."""
    kind = d.below(4)
    nan = 0x7FF8000000000000
    if kind == 0:
        given, guard, check = nan, "x == x", "x <= 0 || x > 0"
    elif kind == 1:
        given, guard, check = bits(-0.0, True), "x > 0 || x < 0", "1 / x == 1 / (x + 0.0)"
    elif kind == 2:
        given, guard, check = nan, "!(x != x)", "x * 0 == 0 || x > 1 || x < 0"
    else:
        given, guard, check = bits(math.inf, True), "x - x == 0", "x - x == 0 && x < __builtin_inf()"
    call = "__VERIFIER_nondet_double()"
    d.inputs.append(given)
    if kind == 2:
        guard, check = ("x == x", "x >= 0 || x < 0")
    return d.part(f"double x = {call};", "" if d.fault else f"if (!({guard})) return;", f"A({check});")


@shape(UNREACH, "error", weight=2)
def library_of_floats(d: Draw) -> Part:
    x = d.between(-4000, 4000) / 8
    name, value = d.choose((("fabs", abs(x)), ("floor", math.floor(x)), ("ceil", math.ceil(x)), ("trunc", math.trunc(x)), ("sqrt", math.sqrt(abs(x))), ("rint", float(round(x))),
                            ("round", math.copysign(math.floor(abs(x) + 0.5), x))))
    argument = abs(x) if name == "sqrt" else x
    wrong = value + 1 if d.fault else value
    return d.part(f"volatile double x = {_text(argument, True)};", f"A({name}(x) == {_text(float(wrong), True)});", headers=("math.h",))
