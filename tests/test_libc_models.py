"""The libc models against the host's libc: same inputs, same results, same memory, no access outside."""

from __future__ import annotations

import ctypes
import random
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from libc_native import (
    TARGETS,
    Guarded,
    approximations,
    called,
    defined,
    exit_code,
    in_child,
    ir,
    model_errno,
    models,
    queue,
    real_function,
)

ROUNDS = 300
Argument = bytes | int | float | None
Arguments = Callable[[random.Random], list[Argument]]


def text(rng: random.Random, alphabet: bytes = b"aAbB-,", most: int = 9) -> bytes:
    return bytes(rng.choices(alphabet, k=rng.randint(0, most))) + b"\0"


def size(rng: random.Random, most: int = 11) -> int:
    return rng.randint(0, most)


def letter(rng: random.Random) -> int:
    return rng.choice(list(b"aAbB-,\0z")) - rng.choice([0, 256])


def number_text(rng: random.Random) -> bytes:
    sign, space = rng.choice(["", "-", "+", "+-"]), rng.choice(["", " ", "\t\n "])
    body = rng.choice(
        [
            str(rng.randint(0, 300)),
            str(rng.getrandbits(rng.choice([31, 32, 63, 64, 70]))),
            hex(rng.getrandbits(65)),
            "0" + oct(rng.getrandbits(9))[2:],
            "0x",
            "0xg",
            "0X1aZ",
            "",
            "zZ9",
            "08",
            "b",
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "2147483648",
        ]
    )
    return (space + sign + body + rng.choice(["", " ", "x"])).encode() + b"\0"


def base(rng: random.Random) -> int:
    return rng.choice([0, 0, 2, 8, 10, 10, 16, 36])


def room(rng: random.Random) -> bytes:
    """A string with space behind it: enough for any concatenation in these tests."""
    return text(rng) + bytes(rng.choices(b"xyz", k=24))


def lists(rng: random.Random) -> bytes:
    return struct.pack("<8i", *(rng.randint(-5, 5) for _ in range(8)))


def fitting(rng: random.Random) -> list[Argument]:
    """An array of n bytes, a bound up to n."""
    contents = bytes(rng.choices(b"aAbB\0", k=rng.randint(0, 12)))
    return [contents, letter(rng), rng.randint(0, len(contents))]


def two_arrays(rng: random.Random) -> tuple[bytes, bytes, int]:
    first = bytes(rng.choices(b"ab\xff\0", k=rng.randint(0, 9)))
    second = first if rng.random() < 0.3 else bytes(rng.choices(b"ab\xff\0", k=len(first)))
    return first, second, len(first)


def bounded(rng: random.Random) -> list[Argument]:
    """An array of exactly the bound's size, perhaps without terminator, a string, the bound."""
    n = rng.randint(0, 12)
    return [bytes(rng.choices(b"ab\0", k=n)), text(rng), n]


def copied(rng: random.Random) -> list[Argument]:
    source, _, n = two_arrays(rng)
    return [b"." * n, source, n]


def unterminated(rng: random.Random) -> list[Argument]:
    """Two arrays of which only the first n bytes exist."""
    a, b = (bytes(rng.choices(b"aAbB", k=rng.randint(0, 6))) for _ in range(2))
    n = min(len(a), len(b))
    if rng.random() < 0.5:
        b = a
        n = len(a)
    return [a, b, n]


def destination(rng: random.Random) -> list[Argument]:
    """Room for the longer of source and bound, the source, the bound."""
    source, n = text(rng), size(rng)
    return [b"." * max(n, len(source)), source, n]


def wide(rng: random.Random, alphabet: str = "abé", most: int = 5) -> bytes:
    """A wide string: a wchar_t has 32 bits where these tests run."""
    return ("".join(rng.choices(alphabet, k=rng.randint(0, most))) + "\0").encode("utf-32-le")


def wide_room(rng: random.Random) -> bytes:
    return wide(rng) + bytes(rng.choices(b"xyz\0", k=48))


def moment(rng: random.Random) -> int:
    return rng.choice([rng.randint(-(2**32), 2**34), rng.randint(-(2**55), 2**55), rng.randint(-400, 400) * 31536000])


POINTER, SIGN, TRUTH, VOID = "pointer", "sign", "truth", "void"
INT, LONG, LONGLONG, SIZE = ctypes.c_int, ctypes.c_long, ctypes.c_longlong, ctypes.c_size_t
ULONG, DOUBLE, FLOAT = ctypes.c_ulong, ctypes.c_double, ctypes.c_float
OUT = b"\0" * 8  # room for one pointer


@dataclass(frozen=True, slots=True)
class Case:
    names: str  # functions of one signature
    result: Any
    arguments: Arguments


CASES = [
    Case("strlen", SIZE, lambda r: [text(r)]),
    Case("strnlen", SIZE, lambda r: [text(r), size(r)]),
    Case("strnlen", SIZE, lambda r: [(a := unterminated(r)[0]), len(a)]),
    Case("strcpy stpcpy __stpcpy", POINTER, lambda r: [b"." * 12, text(r)]),
    Case("strncpy stpncpy __stpncpy", POINTER, destination),
    Case("strcat", POINTER, lambda r: [room(r), text(r)]),
    Case("strncat", POINTER, lambda r: [room(r), text(r), size(r)]),
    Case("strlcpy strlcat", SIZE, bounded),
    Case("strcmp strcoll strcasecmp", SIGN, lambda r: [text(r, b"aAB\xff", 4), text(r, b"aAB\xff", 4)]),
    Case("strncmp strncasecmp", SIGN, lambda r: [text(r, b"aAB\xff", 4), text(r, b"aAB\xff", 4), size(r, 6)]),
    Case("strncmp strncasecmp memcmp", SIGN, unterminated),
    Case("strxfrm", SIZE, lambda r: [b"." * 12, (t := text(r)), len(t) + size(r, 12 - len(t))]),
    Case("strchr strrchr index rindex strchrnul __strchrnul", POINTER, lambda r: [text(r), letter(r)]),
    Case("strspn strcspn", SIZE, lambda r: [text(r), text(r, most=3)]),
    Case("strpbrk", POINTER, lambda r: [text(r), text(r, most=3)]),
    Case("strstr strcasestr", POINTER, lambda r: [text(r, b"aAb"), text(r, b"aAb", 3)]),
    Case("strtok strtok_r __strtok_r", POINTER, lambda r: [text(r), text(r, b"-,", 2), OUT]),
    Case("memcpy memmove mempcpy __mempcpy", POINTER, copied),
    Case("memset memchr memrchr", POINTER, fitting),
    Case("bzero explicit_bzero", VOID, lambda r: [(a := fitting(r))[0], a[2]]),
    Case("bcopy swab", VOID, lambda r: [(a := two_arrays(r))[0], b"." * a[2], a[2]]),
    Case("rawmemchr", POINTER, lambda r: [text(r) + b"q", ord("q")]),
    Case("memccpy", POINTER, lambda r: [*(a := copied(r))[:2], letter(r), a[2]]),
    Case("memcmp", SIGN, lambda r: list(two_arrays(r))),
    Case("bcmp", TRUTH, lambda r: list(two_arrays(r))),
    Case("memmem", POINTER, lambda r: [t := text(r, b"aAb"), len(t), u := text(r, b"aAb", 2)[:-1], len(u)]),
    Case(
        "strtol strtoul strtoll strtoull strtoimax strtoumax",
        LONGLONG,
        lambda r: [number_text(r), OUT, base(r)],
    ),
    Case("__isoc23_strtol __isoc23_strtoull", LONGLONG, lambda r: [b"0b10" + number_text(r), OUT, base(r)]),
    Case("strtol", LONG, lambda r: [number_text(r), None, base(r)]),
    Case("atoi", INT, lambda r: [number_text(r)]),
    Case("atol atoll", LONG, lambda r: [number_text(r)]),
    Case("abs ffs", INT, lambda r: [r.randint(-(2**31) + 1, 2**31 - 1) >> r.randint(0, 31)]),
    Case("labs llabs imaxabs", LONG, lambda r: [r.randint(-(2**63) + 1, 2**63 - 1) >> r.randint(0, 63)]),
    Case("ffsl ffsll", INT, lambda r: [r.randint(-(2**63), 2**63 - 1) << r.randint(0, 63)]),
    Case("div", LONG, lambda r: [r.randint(-(2**31), 2**31 - 1), r.choice([-7, 2, 1, 1000])]),
    Case("isalnum isalpha isblank iscntrl isdigit isgraph", TRUTH, lambda r: [r.randint(-1, 255)]),
    Case("islower isprint ispunct isspace isupper isxdigit", TRUTH, lambda r: [r.randint(-1, 255)]),
    Case("tolower toupper", INT, lambda r: [r.randint(-1, 255)]),
    Case("isascii", TRUTH, lambda r: [r.randint(-500, 500)]),
    Case("wcslen", SIZE, lambda r: [wide(r)]),
    Case("wcsnlen", SIZE, lambda r: [(a := wide(r)[:-4]), len(a) // 4]),
    Case("wcscpy wcpcpy", POINTER, lambda r: [b"." * 24, wide(r)]),
    Case("wcsncpy", POINTER, lambda r: [b"." * 32, wide(r), size(r, 8)]),
    Case("wcscat", POINTER, lambda r: [wide_room(r), wide(r)]),
    Case("wcsncat", POINTER, lambda r: [wide_room(r), wide(r), size(r, 7)]),
    Case("wcscmp", SIGN, lambda r: [wide(r, "ab\U0010ffff", 3), wide(r, "ab\U0010ffff", 3)]),
    Case("wcsncmp", SIGN, lambda r: [wide(r, "ab", 4), wide(r, "ab", 4), size(r, 5)]),
    Case("wcschr wcsrchr", POINTER, lambda r: [wide(r), ord(r.choice("abé\0"))]),
    Case("wcsspn wcscspn", SIZE, lambda r: [wide(r), wide(r, most=2)]),
    Case("wcspbrk wcsstr", POINTER, lambda r: [wide(r), wide(r, most=2)]),
    Case("wmemcpy wmemmove wmempcpy", POINTER, lambda r: [b"." * len(a := wide(r)), a, len(a) // 4]),
    Case("wmemset wmemchr", POINTER, lambda r: [(a := wide(r)), ord("a"), len(a) // 4]),
    Case("wmemcmp", SIGN, lambda r: [wide(r, "ab", 4) + b"\0" * 16, wide(r, "ab", 4) + b"\0" * 16, size(r, 4)]),
    Case("htonl ntohl", ctypes.c_uint, lambda r: [r.getrandbits(32)]),
    Case("htons ntohs", ctypes.c_ushort, lambda r: [r.getrandbits(16)]),
    Case("toascii", INT, lambda r: [r.randint(-500, 500)]),
]


def call(function: Callable[..., object], case: Case, arguments: list[Argument], memory: Guarded) -> object:
    """Result and contents of all buffers after the call; equal addresses in both libraries."""
    placed = [(memory.place(slot, a), len(a)) for slot, a in enumerate(arguments) if isinstance(a, bytes)]
    addresses = iter(placed)
    values = [
        ctypes.c_void_p(next(addresses)[0])
        if isinstance(a, bytes)
        else None
        if a is None
        else ctypes.c_double(a)
        if isinstance(a, float)
        else ctypes.c_longlong(a)
        for a in arguments
    ]
    restypes = {POINTER: ctypes.c_void_p, SIGN: INT, TRUTH: INT, VOID: None}
    function.restype = restypes.get(case.result, case.result)  # type: ignore[attr-defined]
    result: object = function(*values)
    if case.result == SIGN:
        assert isinstance(result, int)
        result = (result > 0) - (result < 0)
    elif case.result == TRUTH:
        result = bool(result)
    elif case.result == VOID:
        result = None
    return result, [ctypes.string_at(address, length) for address, length in placed]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.names.split()[0])
def test_model_and_libc_agree(case: Case) -> None:
    def compare() -> None:
        memory = Guarded()
        for name in case.names.split():
            libc, model = real_function(name), models()[f"model_{name}"]
            if libc is None:
                continue  # an older host
            rng = random.Random(name)
            for _ in range(ROUNDS):
                arguments = case.arguments(rng)
                ctypes.set_errno(0)
                model_errno().value = 0
                expected = call(libc, case, arguments, memory), ctypes.get_errno()
                actual = call(model, case, arguments, memory), model_errno().value
                assert actual == expected, f"{name}{tuple(arguments)}: model {actual}, libc {expected}"

    in_child(compare)


@pytest.mark.parametrize("target", TARGETS)
def test_models_compile_without_warning_and_call_only_the_kernel(target: str) -> None:
    for file, content in ir(target).items():
        foreign = [n for n in called(content) if not re.match(r"__cp_|llvm\.|__errno_location$", n)]
        assert not foreign, f"{file} calls {foreign}"


def test_no_function_is_modelled_twice() -> None:
    names = [name for content in ir(TARGETS[0]).values() for name in defined(content)]
    assert len(names) == len(set(names)) > 400


def test_every_model_is_in_the_documentation() -> None:
    page = (Path(__file__).parent.parent / "docs" / "libc.md").read_text()
    documented = set(re.findall(r"`(\w+)`", page))
    names = {name for content in ir(TARGETS[0]).values() for name in defined(content)}
    assert not names - documented


def test_an_unterminated_string_is_read_past_its_end() -> None:
    """The real defect must show in the model: reading on is an invalid access."""
    for name in ("strlen", "strdup", "atoi", "puts"):

        def read(name: str = name) -> None:
            models()[f"model_{name}"](ctypes.c_void_p(Guarded().place(0, b"7777")))

        assert exit_code(read) < 0, name


def test_only_open_streams_are_used() -> None:
    for stream in (None, ctypes.create_string_buffer(b"\xf0")):
        for name in ("fgetc", "fflush", "fclose", "rewind"):

            def use(name: str = name, stream: object = stream) -> None:
                models()[f"model_{name}"](stream)

            assert (exit_code(use) < 0) == (name != "fflush" or stream is not None), name


def test_tokens_are_those_of_the_standard() -> None:
    split = models()["model_strtok"]
    split.restype = ctypes.c_char_p
    line = ctypes.create_string_buffer(b"?a???b,,,#c")
    assert split(line, b"?") == b"a"
    assert split(None, b",") == b"??b"
    assert split(None, b"#,") == b"c"
    assert split(None, b"?") is None
    assert split(None, b"?") is None


def test_strsep_gives_empty_tokens() -> None:
    step = models()["model_strsep"]
    step.restype = ctypes.c_char_p
    rest = ctypes.c_char_p(b"a,,b")
    line = ctypes.create_string_buffer(b"a,,b")
    rest = ctypes.c_char_p(ctypes.addressof(line))
    assert [step(ctypes.byref(rest), b",") for _ in range(4)] == [b"a", b"", b"b", None]


@pytest.mark.parametrize("width", [1, 2, 4, 8, 12])
def test_sorting_and_searching(width: int) -> None:
    rng = random.Random(width)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int8), ctypes.POINTER(ctypes.c_int8))

    @kind
    def compare(a: object, b: object) -> int:
        return a[0] - b[0]  # type: ignore[index, no-any-return]

    find = models()["model_bsearch"]
    find.restype = ctypes.c_void_p
    for _ in range(40):
        elements = [bytes([rng.randint(0, 20)]) + rng.randbytes(width - 1) for _ in range(rng.randint(0, 12))]
        array = ctypes.create_string_buffer(b"".join(elements), max(1, width * len(elements)))
        models()["model_qsort"](array, ctypes.c_size_t(len(elements)), ctypes.c_size_t(width), compare)
        ordered = sorted(elements, key=lambda e: e[0])
        assert array.raw[: width * len(elements)] == b"".join(ordered)
        key = bytes([rng.randint(0, 20)])
        at = find(key, array, ctypes.c_size_t(len(elements)), ctypes.c_size_t(width), compare)
        assert (at is not None) == any(e[0] == key[0] for e in elements)
        if at is not None:
            assert ctypes.string_at(at, 1) == key and (at - ctypes.addressof(array)) % width == 0


@pytest.mark.parametrize(
    ("name", "width"), [("__ctype_b_loc", "H"), ("__ctype_tolower_loc", "i"), ("__ctype_toupper_loc", "i")]
)
def test_character_tables_are_those_of_glibc(name: str, width: str) -> None:
    libc, model = real_function(name), models()[f"model_{name}"]
    if libc is None:
        pytest.skip("the host's libc is not glibc")
    size_ = 384 * struct.calcsize(width)
    tables = []
    for function in (libc, model):
        function.restype = ctypes.POINTER(ctypes.c_void_p)
        tables.append(ctypes.string_at((function().contents.value or 0) - size_ // 3, size_))
    assert tables[0] == tables[1]


def heap_counts() -> tuple[int, ...]:
    return tuple(ctypes.c_int.in_dll(models(), f"stub_{n}").value for n in ("live", "bad_frees"))


TIME = struct.Struct("<9i4xq8x")  # a `struct tm` without the name of its zone


def test_utc_is_that_of_the_host() -> None:
    rng = random.Random(1)
    library = models()
    for _ in range(2000):
        given, answers = moment(rng), []
        for name in ("model_gmtime_r", "gmtime_r"):
            split = library[name] if name.startswith("model_") else real_function(name)
            split.restype = ctypes.c_void_p
            buffer = ctypes.create_string_buffer(56)
            answers.append(TIME.unpack(buffer.raw) if split(ctypes.byref(LONG(given)), buffer) else None)
        assert answers[0] == answers[1], given


def test_fields_of_utc_are_brought_into_their_ranges() -> None:
    rng = random.Random(2)
    library = models()
    for _ in range(2000):
        given = TIME.pack(*(rng.randint(-most, most) for most in (90, 90, 40, 60, 30, 300, 6, 365, 0)), 0)
        answers = []
        for join in (library["model_timegm"], real_function("timegm")):
            join.restype = LONG
            buffer = ctypes.create_string_buffer(given, 56)
            answers.append((join(buffer), TIME.unpack(buffer.raw)))
        assert answers[0] == answers[1], TIME.unpack(given)


def test_the_heap() -> None:
    library = models()

    def allocate(name: str, *arguments: object) -> int | None:
        values = [ctypes.c_size_t(a) if isinstance(a, int) else a for a in arguments]
        function = library[f"model_{name}"]
        function.restype = ctypes.c_void_p
        return function(*values)  # type: ignore[no-any-return]

    live, bad = heap_counts()
    block = allocate("calloc", 3, 4)
    assert block is not None and ctypes.string_at(block, 12) == bytes(12)
    ctypes.memmove(block, b"abcdefghijkl", 12)
    grown = allocate("realloc", block, 20)
    assert grown is not None and grown != block and ctypes.string_at(grown, 12) == b"abcdefghijkl"
    shrunk = allocate("reallocarray", grown, 1, 5)
    assert shrunk is not None and ctypes.string_at(shrunk, 5) == b"abcde"
    assert heap_counts() == (live + 1, bad)
    assert allocate("realloc", shrunk, 0) is None and heap_counts() == (live, bad)
    assert allocate("calloc", 2**33, 2**33) is None and allocate("reallocarray", None, 2**63, 2) is None
    first, second = allocate("malloc", 0), allocate("realloc", None, 0)
    assert first and second and first != second
    copy, part = allocate("strdup", b"hello"), allocate("strndup", b"hello", 3)
    assert copy and part and ctypes.string_at(copy) == b"hello" and ctypes.string_at(part) == b"hel"
    for pointer in (first, second, copy, part, None):
        library["model_free"](ctypes.c_void_p(pointer))
    assert heap_counts() == (live, bad)
    assert allocate("aligned_alloc", 24, 8) is None


def test_fortified_calls_stop_before_they_overflow() -> None:
    target = ctypes.create_string_buffer(8)
    copy = models()["model___strcpy_chk"]
    assert exit_code(lambda: copy(target, b"1234567", ctypes.c_size_t(8))) == 0
    assert exit_code(lambda: copy(target, b"12345678", ctypes.c_size_t(8))) == 134
    assert exit_code(lambda: models()["model_exit"](3)) == 3
    assert exit_code(lambda: models()["model_abort"]()) == 134


STREAM = ctypes.create_string_buffer(b"\xf1")  # an open one


def test_lines_are_those_that_the_input_gives() -> None:
    """fgets on bytes b gives what the real one gives on a file of b."""
    rng = random.Random(1)
    read = models()["model_fgets"]
    read.restype = ctypes.c_void_p
    for _ in range(200):
        content, room_ = bytes(rng.choices(b"ab\n\0", k=rng.randint(0, 6))), rng.randint(1, 6)
        queue([v for c in content for v in (0, c)] + [1, 0])
        buffer = ctypes.create_string_buffer(b"." * 8, 8)
        result = read(buffer, room_, STREAM)
        line = content[: room_ - 1]
        line = line[: line.index(b"\n") + 1] if b"\n" in line else line
        if room_ > 1 and not content:
            assert result is None and buffer.raw == b"." * 8
        else:
            assert result == ctypes.addressof(buffer)
            assert buffer.raw == line + b"\0" + b"." * (7 - len(line))


def test_input_stays_in_range_and_bounds() -> None:
    library = models()
    characters = {library["model_getchar"]() for _ in range(4000)}
    assert min(characters) == -1 and max(characters) == 255
    assert all(library["model_rand"]() >= 0 and library["model_printf"](b"%d") >= -1 for _ in range(200))
    for _ in range(100):
        buffer = ctypes.create_string_buffer(b"." * 12, 12)
        whole = library["model_fread"](buffer, ctypes.c_size_t(4), ctypes.c_size_t(2), STREAM)
        assert 0 <= whole <= 2 and buffer.raw[8:] == b"...."


def test_what_is_computed_exactly_is_not_called_approximated() -> None:
    queue([])
    convert = models()["model_atof"]
    convert.restype = ctypes.c_double
    assert convert(b"-12.5e1") == -125.0 and approximations() == 0
    convert(b"1e300")
    assert approximations() > 0
