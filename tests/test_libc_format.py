"""Formatted output and input: the models of the printf and scanf families."""

from __future__ import annotations

import ctypes
import math
import random

import pytest

from libc_native import Guarded, approximations, exit_code, in_child, models, queue, real_function

ROUNDS = 300


def word_of(rng: random.Random, most: int) -> bytes:
    return bytes(rng.choices(b"aB-,", k=rng.randint(0, most)))


def directive(rng: random.Random, conversion: str) -> str:
    allowed = {"c": "-", "s": "-", "d": "-+ 0", "i": "-+ 0", "u": "-0"}.get(conversion, "-#0")
    flags = "".join(f for f in allowed if rng.random() < 0.3)
    precision = rng.choice(["", "", ".", ".0", ".1", ".4"]) if conversion != "c" else ""
    length = rng.choice(["", "", "hh", "h", "l", "ll", "z", "j"]) if conversion not in "cs" else ""
    return f"%{flags}{rng.choice(['', '', '1', '5', '12'])}{precision}{length}{conversion}"


@pytest.mark.parametrize("conversion", list("diuoxXcs"))
def test_formatted_text_is_that_of_snprintf(conversion: str) -> None:
    rng = random.Random(conversion)
    real, model = real_function("snprintf"), models()["model_snprintf"]
    assert real is not None
    for _ in range(ROUNDS):
        limit = ctypes.c_size_t(rng.choice([0, 1, 3, 60]))
        format_ = f"<%s{directive(rng, conversion)}%%>%d".encode()
        given: object = ctypes.c_longlong(rng.choice([0, 1, -1, 7, rng.getrandbits(64) - 2**63]))
        if conversion == "s":
            given = word_of(rng, 9)
        buffers = [ctypes.create_string_buffer(b"." * 60, 60) for _ in range(2)]
        arguments = [limit, format_, word_of(rng, 3), given, ctypes.c_int(-5)]
        lengths = [f(b, *arguments) for f, b in zip((real, model), buffers, strict=True)]
        assert lengths[0] == lengths[1] and buffers[0].raw == buffers[1].raw, (format_, given)


def test_starred_widths_and_counts() -> None:
    queue([])
    for width, precision in [(7, 3), (-7, 3), (0, -2), (4, 0)]:
        buffers = [ctypes.create_string_buffer(40) for _ in range(2)]
        counts = [ctypes.c_int(), ctypes.c_int()]
        functions = real_function("sprintf"), models()["model_sprintf"]
        for function, buffer, count in zip(functions, buffers, counts, strict=True):
            assert function is not None
            function(buffer, b"%*.*d|%n|", width, precision, 42, ctypes.byref(count))
        assert buffers[0].raw == buffers[1].raw and counts[0].value == counts[1].value
    assert approximations() == 0


VALUES = (
    0.0, 1.5, -1e300, 123456.789, 999999999.9, math.inf, -math.nan, -1.234567890123456e-308, -1.7976931348623157e308,
    -1.2345678901234567e-4, -5e-324, -9.9999999e8,
)  # fmt: skip


def test_the_text_of_a_double_has_a_possible_length() -> None:
    """With the real text's length and characters as arbitrary values, the model writes the real text."""
    rng = random.Random(4)
    real, model = real_function("sprintf"), models()["model_sprintf"]
    assert real is not None
    for _ in range(ROUNDS):
        value = rng.choice([*VALUES, rng.uniform(-1e9, 1e9)])
        pieces = ["%f", "%.2f", "%10.3f", "%e", "%g", "%.0f", "%a", "%G", "%+.9e", "%1.17g", "%.0g", "%.0e", "%#.0g"]
        piece = rng.choice(pieces).encode()
        expected, actual = (ctypes.create_string_buffer(400) for _ in range(2))
        length = real(expected, piece, ctypes.c_double(value))
        width = 10 if b"10" in piece else 1
        queue([length - width, *expected.value])
        assert model(actual, piece, ctypes.c_double(value)) == length and actual.value == expected.value, (
            piece,
            value,
        )


def test_printing_reads_its_strings_and_nothing_else() -> None:
    printf = models()["model_printf"]

    def fine() -> None:
        memory = Guarded()
        partial = ctypes.c_void_p(memory.place(0, b"abc"))
        whole = ctypes.c_void_p(memory.place(1, b"abc\0"))
        real, long = ctypes.c_double(1.0), ctypes.c_longlong(1)
        printf(b"%d %-5.3s %s %5.1f %lld %.*s%%", 1, partial, whole, real, long, 2, partial)

    in_child(fine)
    assert exit_code(lambda: printf(b"%d %s", 1, ctypes.c_void_p(Guarded().place(0, b"abc")))) < 0
    assert exit_code(lambda: printf(b"%n", ctypes.byref(ctypes.c_int()))) == 78
    assert exit_code(lambda: printf(b"%ls", ctypes.c_wchar_p("x"))) == 78


def test_scanned_values_are_the_inputs() -> None:
    scan = models()["model_scanf"]
    number, small, word = ctypes.c_int(5), ctypes.c_int8(5), ctypes.create_string_buffer(8)
    places = [ctypes.byref(number), ctypes.byref(small), word]
    queue([0, 1234, 0, 99, 0, *b"hi "])
    assert scan(b"%d %hhu%5s", *places) == 3
    assert (number.value, small.value, word.value) == (1234, 99, b"hi")
    queue([0, -123456, 0, 3, 0, *b"abcdefgh"])
    assert scan(b" %3d %hhi %7s", *places) == 3
    assert number.value == -99 and word.value == b"abcdefg"
    queue([0, 7, 1])
    assert scan(b"%d%hhd", *places) == 1 and number.value == 7 and small.value == 3
    queue([1, 1])
    assert scan(b"%d", *places) == -1
    queue([1, 0])
    assert scan(b"%d", *places) == 0
    queue([0, *b"12]x"])
    assert scan(b"%[]0-9]", word) == 1 and word.value == b"12]"
    queue([0, ord("1"), 0])
    assert scan(b"%[^0-9]", word) == 0
    queue([0, 0, 0, 8])
    assert scan(b"%*d,%d", ctypes.byref(number)) == 1 and number.value == 8


def test_scanning_text_is_approximated() -> None:
    queue([0, 9])
    scan, number = models()["model_sscanf"], ctypes.c_int()
    assert scan(b"12", b"%d", ctypes.byref(number)) == 1 and number.value == 9
    assert approximations() == 2
    unterminated = ctypes.c_void_p(Guarded().place(0, b"1"))
    assert exit_code(lambda: scan(unterminated, b"%d", ctypes.byref(number))) < 0
