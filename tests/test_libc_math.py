"""The math models and text-to-double against the host's libm, bit for bit.

A model that only bounds its result must be able to give the real one: the real result is offered to it as
the arbitrary value, and it has to come out.
"""

from __future__ import annotations

import ctypes
import math
import random
import struct
from collections.abc import Callable

import pytest

from libc_native import approximations, model_errno, models, queue, real_function

DOUBLE, FLOAT, INT = ctypes.c_double, ctypes.c_float, ctypes.c_int
ROUNDS = 400
SPECIAL = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    1.5,
    -2.5,
    2.5,
    3.5,
    0.49999999999999994,
    4503599627370497.5,
    2.0**52,
    2.0**53 + 2,
    2.0**31,
    -(2.0**31),
    2.0**63,
    -(2.0**63),
    1e308,
    -1e308,
    5e-324,
    2.2250738585072014e-308,
    1e-310,
    math.inf,
    -math.inf,
    math.nan,
    3.4028234663852886e38,
    1.401298464324817e-45,
    1e-40,
]


def number(rng: random.Random) -> float:
    match rng.randint(0, 3):
        case 0:
            return rng.choice(SPECIAL)
        case 1:
            return rng.uniform(-20, 20)
        case 2:
            return float(rng.randint(-9, 9)) * 2.0 ** rng.randint(-4, 4)
        case _:
            value: float = struct.unpack("<d", rng.randbytes(8))[0]
            return value


def as_float(value: float) -> float:
    return FLOAT(value).value


def bits(value: object) -> object:
    """Equal for equal bit patterns; all NaNs are one."""
    if not isinstance(value, float):
        return value
    return "nan" if math.isnan(value) else struct.pack("<d", value)


def pair(name: str, result: object, *types: object) -> tuple[Callable[..., object], Callable[..., object]]:
    functions = models()[f"model_{name}"], real_function(name)
    if functions[1] is None:
        pytest.skip(f"the host has no {name}")
    for function in functions:
        function.restype, function.argtypes = result, types
    return functions


ONE = ["fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "roundeven", "sqrt", "logb"]
TWO = ["copysign", "fmod", "remainder", "drem", "fdim", "nextafter"]
TRANSCENDENTAL = [
    "sin",
    "cos",
    "tan",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "expm1",
    "log1p",
    "cbrt",
    "erf",
    "erfc",
    "lgamma",
    "tgamma",
]


@pytest.mark.parametrize("name", [n + f for n in ONE + TWO for f in ("", "f")])
def test_exact_functions(name: str) -> None:
    kind, count = (FLOAT if name.endswith("f") else DOUBLE), 1 if name in ONE or name[:-1] in ONE else 2
    model, real = pair(name, kind, *[kind] * count)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        arguments = [number(rng) for _ in range(count)]
        if kind is FLOAT:
            arguments = [as_float(a) for a in arguments]
        assert bits(model(*arguments)) == bits(real(*arguments)), arguments


@pytest.mark.parametrize("name", ["fmin", "fmax", "fminf", "fmaxf"])
def test_extremes_up_to_the_sign_of_zero(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, kind, kind, kind)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x, y = number(rng), number(rng)
        actual, expected = model(x, y), real(x, y)
        assert actual == expected or bits(actual) == bits(expected), (x, y)


@pytest.mark.parametrize("name", ["fma", "fmaf"])
def test_fused_multiply_add(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, kind, kind, kind, kind)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        arguments = [number(rng) for _ in range(3)]
        assert bits(model(*arguments)) == bits(real(*arguments)), arguments


@pytest.mark.parametrize(
    "name", ["lround", "llround", "lrint", "llrint", "lroundf", "llroundf", "lrintf", "llrintf"]
)
def test_rounding_to_integers(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, ctypes.c_longlong, kind)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x = kind(number(rng)).value
        if abs(x) < 2.0**63:
            assert model(x) == real(x), x


@pytest.mark.parametrize(
    "name",
    [
        "__isnan",
        "__isinf",
        "__finite",
        "__signbit",
        "__fpclassify",
        "isnan",
        "isinf",
        "finite",
        "__isnanf",
        "__isinff",
        "__finitef",
        "__signbitf",
        "__fpclassifyf",
    ],
)
def test_classes(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, INT, kind)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x = number(rng)
        actual, expected = model(x), real(x)
        assert actual == expected if "classify" in name else bool(actual) == bool(expected), x


@pytest.mark.parametrize("name", ["ldexp", "scalbn", "scalbln", "ldexpf", "scalbnf", "scalblnf"])
def test_scaling(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, kind, kind, ctypes.c_long)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x, n = number(rng), rng.choice([rng.randint(-2300, 2300), rng.randint(-60, 60), 2**31 - 1, -(2**31)])
        assert bits(model(x, n)) == bits(real(x, n)), (x, n)


@pytest.mark.parametrize("name", ["frexp", "modf", "frexpf", "modff"])
def test_parts(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    out = ctypes.c_int if name.startswith("frexp") else kind
    model, real = pair(name, kind, kind, ctypes.POINTER(out))
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x, a, b = number(rng), out(), out()
        assert bits(model(x, ctypes.byref(a))) == bits(real(x, ctypes.byref(b))), x
        assert bits(a.value) == bits(b.value), x


@pytest.mark.parametrize("name", ["ilogb", "ilogbf"])
def test_integer_logarithm(name: str) -> None:
    kind = FLOAT if name.endswith("f") else DOUBLE
    model, real = pair(name, INT, kind)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        x = number(rng)
        if not math.isnan(kind(x).value):
            assert model(x) == real(x), x


@pytest.mark.parametrize(
    "name", [n + f for n in [*TRANSCENDENTAL, "pow", "atan2", "hypot"] for f in ("", "f")]
)
def test_bounded_functions_can_give_the_real_result(name: str) -> None:
    single = name.endswith("f") and name not in ("erf",)
    kind, count = (FLOAT if single else DOUBLE), 2 if name.startswith(("pow", "atan2", "hypot")) else 1
    model, real = pair(name, kind, *[kind] * count)
    rng = random.Random(name)
    for _ in range(ROUNDS):
        arguments = [kind(number(rng)).value for _ in range(count)]
        expected = real(*arguments)
        assert isinstance(expected, float)
        queue([expected])
        assert bits(model(*arguments)) == bits(expected), (arguments, expected)


def decimal(rng: random.Random) -> bytes:
    digits = "".join(rng.choices("0123456789", k=rng.choice([1, 2, 5, 15, 17, 25])))
    at = rng.randint(0, len(digits))
    body = rng.choice(
        [
            digits,
            digits[:at] + "." + digits[at:],
            "." + digits,
            digits + ".",
            ".",
            "",
            "inf",
            "INFINITY",
            "infinit",
            "nan",
            "nan(12_a)",
            "nan(",
            "0x1.8p3",
            "0x.8",
            "0x",
            "0x.p1",
            "0xap-3",
            "0x1p",
            "0x123456789abcdefp1",
            "1e",
            "0.000",
        ]
    )
    exponent = rng.choice(
        ["", "", f"e{rng.randint(-25, 25)}", f"E+{rng.randint(0, 9)}", "e-", "e999999999999", "e-400"]
    )
    return (
        rng.choice(["", " ", "\t"]) + rng.choice(["", "-", "+"]) + body + exponent + rng.choice(["", "x"])
    ).encode()


@pytest.mark.parametrize(("name", "kind"), [("strtod", DOUBLE), ("strtof", FLOAT)])
def test_text_to_double(name: str, kind: object) -> None:
    model, real = pair(name, kind, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
    rng = random.Random(name)
    exact = 0
    for _ in range(6 * ROUNDS):
        text = ctypes.create_string_buffer(decimal(rng))
        a, b = ctypes.c_void_p(), ctypes.c_void_p()
        ctypes.set_errno(0)
        model_errno().value = 0
        expected, reported = real(ctypes.addressof(text), ctypes.byref(b)), ctypes.get_errno()
        queue([])
        actual = model(ctypes.addressof(text), ctypes.byref(a))
        assert a.value == b.value, text.value
        if not approximations():
            exact += 1
            assert bits(actual) == bits(expected) and model_errno().value == reported, text.value
        else:  # the real result is among those that the model allows
            assert isinstance(expected, float)
            word = (
                struct.unpack("<I", struct.pack("<f", abs(expected)))[0] if kind is FLOAT else abs(expected)
            )
            queue([word, int(reported != 0)])
            model_errno().value = 0
            actual = model(ctypes.addressof(text), ctypes.byref(a))
            assert bits(actual) == bits(expected) and model_errno().value == reported, text.value
    assert exact > 2 * ROUNDS
