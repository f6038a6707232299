"""Float arithmetic on bit patterns agrees with the machine (64 and 32 bits) and keeps its laws (16 bits)."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator

import pytest

from counterpoint.term import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Float, RoundingMode, evaluate, floating
from counterpoint.term import build as b
from counterpoint.term.term import Term, V

_CODES = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def to_python(bits: int, sort: Float) -> float:
    code, integer = _CODES[sort.width]
    (value,) = struct.unpack(code, struct.pack(integer, bits))
    return float(value)


def from_python(value: float, sort: Float) -> int:
    """Rounded once; NaN canonical."""
    if math.isnan(value):
        return sort.nan
    code, integer = _CODES[sort.width]
    try:
        (bits,) = struct.unpack(integer, struct.pack(code, value))
    except OverflowError:
        return sort.infinity | (sort.sign_bit if value < 0 else 0)
    return int(bits)


def interesting(sort: Float, rng: random.Random) -> int:
    """Bit patterns near all the edges."""
    edges = [0, 1, sort.infinity, sort.infinity - 1, sort.nan, sort.nan | 1, 1 << sort.fraction_bits]
    edges += [
        (1 << sort.fraction_bits) - 1,
        sort.bias << sort.fraction_bits,
        (sort.bias << sort.fraction_bits) + 1,
    ]
    choice = rng.random()
    if choice < 0.3:
        bits = rng.choice(edges)
    elif choice < 0.7:
        exponent = sort.bias + rng.randrange(-sort.significand_bits - 3, sort.significand_bits + 4)
        exponent = max(0, min(exponent, 2 * sort.bias))
        bits = exponent << sort.fraction_bits | rng.getrandbits(sort.fraction_bits)
    else:
        bits = rng.getrandbits(sort.width - 1)
    return bits | (sort.sign_bit if rng.random() < 0.5 else 0)


def pairs(sort: Float, count: int) -> Iterator[tuple[int, int]]:
    rng = random.Random(sort.width)
    for _ in range(count):
        a = interesting(sort, rng)
        yield a, (a ^ rng.randrange(4) if rng.random() < 0.1 else interesting(sort, rng))


def divided(x: float, y: float) -> float:
    if y == 0:
        if x == 0 or math.isnan(x) or math.isnan(y):
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1, y)
    return x / y


@pytest.mark.parametrize("sort", [FLOAT16, FLOAT32, FLOAT64], ids=str)
def test_arithmetic_as_the_machine_does_it(sort: Float) -> None:
    """Rounding a 64-bit result once more is exact for the smaller formats' +, -, *, /, sqrt."""
    for a, c in pairs(sort, 2500):
        x, y = to_python(a, sort), to_python(c, sort)
        assert floating.add(a, c, sort) == from_python(x + y, sort), (x, y)
        assert floating.sub(a, c, sort) == from_python(x - y, sort), (x, y)
        assert floating.mul(a, c, sort) == from_python(x * y, sort), (x, y)
        assert floating.div(a, c, sort) == from_python(divided(x, y), sort), (x, y)
        root = math.nan if x < 0 else math.sqrt(x)
        assert floating.sqrt(a, sort) == from_python(root, sort), x
        assert floating.less(a, c, sort) == (x < y)
        assert floating.equal(a, c, sort) == (x == y)
        special = y == 0 or math.isinf(x) or math.isnan(x) or math.isnan(y)
        assert floating.fmod(a, c, sort) == from_python(math.nan if special else math.fmod(x, y), sort), (
            x,
            y,
        )
        nearest = math.nan if special else math.remainder(x, y)
        assert floating.remainder(a, c, sort) == from_python(nearest, sort), (x, y)


@pytest.mark.parametrize("sort", [FLOAT16, FLOAT32, FLOAT64], ids=str)
def test_conversions(sort: Float) -> None:
    for a, _ in pairs(sort, 1500):
        x = to_python(a, sort)
        for target in (FLOAT16, FLOAT32, FLOAT64):
            assert floating.convert(a, sort, target) == from_python(x, target)
        if math.isfinite(x):
            assert floating.truncated(a, sort) == int(x)
            for mode, rounded in [
                (RoundingMode.DOWNWARD, math.floor), (RoundingMode.UPWARD, math.ceil),
                (RoundingMode.NEAREST_EVEN, round),
            ]:  # fmt: skip
                whole = math.copysign(float(rounded(x)), x)
                assert floating.round_to_integral(a, mode, sort) == from_python(whole, sort)
            away = (
                math.copysign(math.floor(abs(x) + 0.5), x)
                if abs(x) < 2**50 and abs(x) != 0.49999999999999994
                else x
            )
            if sort is not FLOAT64:
                assert floating.round_to_integral(a, RoundingMode.NEAREST_AWAY, sort) == from_python(
                    away, sort
                )
    rng = random.Random(5)
    for _ in range(1500):
        n = rng.getrandbits(rng.randrange(1, 65)) * rng.choice([1, -1])
        if -(2**63) <= n < 2**63:
            assert floating.from_signed(n & (2**64 - 1), 64, FLOAT64) == from_python(float(n), FLOAT64)
        assert floating.from_unsigned(abs(n), FLOAT64) == from_python(float(abs(n)), FLOAT64)


def test_known_fused_multiply_adds() -> None:
    """Cases where rounding the product first gives another result."""

    def fma(x: float, y: float, z: float) -> float:
        bits = floating.fma(*(from_python(v, FLOAT64) for v in (x, y, z)), FLOAT64)
        return to_python(bits, FLOAT64)

    tiny = 2.0**-52
    assert fma(1 + tiny, 1 - tiny, -1.0) == -(2.0**-104)
    assert fma(1e308, 10.0, -math.inf) == -math.inf
    assert math.isnan(fma(math.inf, 0.0, 1.0))
    assert fma(2.0**-1074, 0.5, 0.0) == 0.0
    assert fma(2.0**-1074, 0.5, 2.0**-1074) == 2.0**-1073
    assert fma(3.0, 4.0, -12.0) == 0.0
    assert math.copysign(1.0, fma(-1.0, 0.0, -0.0)) == -1.0


def test_float_terms_mean_what_they_were_built_from() -> None:
    """Simplifications of float terms (negation, classification, conversions, trees of constants)."""
    sort = FLOAT16
    rng = random.Random(1)
    for _ in range(150):
        assignment = {name: interesting(sort, rng) for name in "abc"}
        assignment["p"] = rng.randrange(2)
        pool: list[tuple[V, int]] = [
            (b.variable(n, sort), floating.canonical(assignment[n], sort)) for n in "abc"
        ]
        k = floating.canonical(interesting(sort, rng), sort)
        pool += [(k, k), (b.ite(b.variable("p", BOOL), k, 0, sort), k if assignment["p"] else 0)]
        for _ in range(25):
            (x, xv), (y, yv) = rng.choice(pool[-6:]), rng.choice(pool)
            name = rng.choice(
                ["add", "sub", "mul", "div", "neg", "abs", "wide", "min", "max", "round", "bits"]
            )
            value, expected = apply(name, x, xv, y, yv, sort)
            assert evaluate(value, assignment) == expected, (name, x, y)
            pool.append((value, expected))
            for test, meaning in TESTS:
                assert evaluate(test(x, y, sort), assignment) == int(meaning(xv, yv, sort)), (test, x, y)


TESTS = [
    (b.fp_eq, floating.equal),
    (b.fp_lt, floating.less),
    (b.fp_le, lambda x, y, s: floating.less(x, y, s) or floating.equal(x, y, s)),
    (lambda x, y, s: b.fp_is_nan(x, s), lambda x, y, s: floating.is_nan(x, s)),
    (lambda x, y, s: b.fp_is_inf(x, s), lambda x, y, s: floating.is_inf(x, s)),
    (lambda x, y, s: b.fp_is_zero(x, s), lambda x, y, s: floating.is_zero(x, s)),
    (lambda x, y, s: b.fp_is_negative(x, s), lambda x, y, s: floating.is_negative(x, s)),
    (lambda x, y, s: b.fp_is_normal(x, s), lambda x, y, s: floating.is_normal(x, s)),
    (lambda x, y, s: b.fp_is_subnormal(x, s), lambda x, y, s: floating.is_subnormal(x, s)),
]


def apply(name: str, x: V, xv: int, y: V, yv: int, s: Float) -> tuple[V, int]:
    match name:
        case "add":
            return b.fp_add(x, y, s), floating.add(xv, yv, s)
        case "sub":
            return b.fp_sub(x, y, s), floating.sub(xv, yv, s)
        case "mul":
            return b.fp_mul(x, y, s), floating.mul(xv, yv, s)
        case "div":
            return b.fp_div(x, y, s), floating.div(xv, yv, s)
        case "neg":
            return b.fp_neg(x, s), floating.neg(xv, s)
        case "abs":
            return b.fp_abs(x, s), floating.absolute(xv, s)
        case "wide":
            return b.fp_to_fp(b.fp_to_fp(x, s, FLOAT32), FLOAT32, s), xv
        case "min":
            other = floating.is_nan(xv, s) or floating.less(yv, xv, s)
            return b.fp_min(x, y, s), yv if other else xv
        case "max":
            other = floating.is_nan(xv, s) or floating.less(xv, yv, s)
            return b.fp_max(x, y, s), yv if other else xv
        case "round":
            mode = RoundingMode.TOWARD_ZERO
            return b.fp_round_to_integral(x, mode, s), floating.round_to_integral(xv, mode, s)
    return b.fp_from_bits(b.bits_from_fp(x, s), s), xv


def test_bits_survive_a_float() -> None:
    """Loading and storing a float keeps the payload of a NaN."""
    bits = b.variable("bits", BitVec(64))
    assert b.bits_from_fp(b.fp_from_bits(bits, FLOAT64), FLOAT64) is bits
    value = b.variable("value", FLOAT64)
    assert b.fp_from_bits(b.bits_from_fp(value, FLOAT64), FLOAT64) is value
    read = b.bits_from_fp(value, FLOAT64)
    assert isinstance(read, Term)
    assert evaluate(read, {"value": FLOAT64.nan}) == FLOAT64.nan
    assert evaluate(read, {"value": FLOAT64.nan}, nan_bits={read: FLOAT64.nan | 5}) == FLOAT64.nan | 5
