"""What prepared programs do when they run: the same under every preparation, and what C says."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend_jit import ABORTED, ASSUMED_AWAY, CHECK_FAILED, UNSUPPORTED, modules, outcomes, run

DECLARATIONS = """
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void); extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int); extern void abort(void);
void reach_error(void) {}
"""

ENDS = {
    "returned": ("int main(void) { return 42; }", 42),
    "error called": ("int main(void) { reach_error(); return 3; }", CHECK_FAILED),
    "error not called": ("int main(void) { if (__VERIFIER_nondet_int() == 9) reach_error(); return 3; }", 3),
    "aborted": ("int main(void) { abort(); return 3; }", ABORTED),
    "assumption": (
        "int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int() > 7); return 3; }",
        ASSUMED_AWAY,
    ),
    "undefined function": ("int f(int); int main(void) { return f(7) == 1 ? 5 : 6; }", 5),
    "threads": (
        "int pthread_create(void *, void *, void *, void *);int main(void) { return pthread_create(0, 0, 0, 0); }",
        UNSUPPORTED,
    ),
    "callback into the unknown": (
        "void with(int (*)(int)); int id(int x) { return x; } int main(void) { with(id); return 1; }",
        UNSUPPORTED,
    ),
    "assembly": ('int main(void) { int x; __asm__("mov $1, %0" : "=r"(x)); return x; }', UNSUPPORTED),
    "empty assembly": ('int main(void) { __asm__ volatile("" ::: "memory"); return 4; }', 4),
    "constructor": (
        "int x; __attribute__((constructor)) void init(void) { x = 7; } int main(void) { return x; }",
        7,
    ),
    "extern object": ("extern int x; int main(void) { return x; }", 1),
}


@pytest.mark.parametrize("name", ENDS)
def test_how_runs_end(name: str, tmp_path: Path) -> None:
    source, expected = ENDS[name]
    assert outcomes(tmp_path, DECLARATIONS + source) == {expected}


VALUES = {
    "shift below the width": ("int n = __VERIFIER_nondet_uchar(); return (96 >> n) + (1 << n);", [5], 3 + 32),
    "shift by the width": ("int n = __VERIFIER_nondet_uchar(); return 5 << n;", [32], 1),
    "division": ("int n = __VERIFIER_nondet_int(); return 100 / n + 100 % n;", [7], 14 + 2),
    "division by zero": ("int n = __VERIFIER_nondet_int(); return 100 / n;", [0], 1),
    "least by minus one": (
        "int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(); return n / m;",
        [0x80000000, 0xFFFFFFFF],
        1,
    ),
    "constant division by zero": ("return 3 / 0;", [], 1),
    "conversion": ("double d = __VERIFIER_nondet_int() / 2.0; return (int)d;", [9], 4),
    "conversion out of range": (
        "double d = __VERIFIER_nondet_int() * 1e10; unsigned char c = (int)d; return c;",
        [7],
        1,
    ),
    "wrapping addition": ("int n = __VERIFIER_nondet_int(); return n + 1 < n ? 5 : 6;", [0x7FFFFFFF], 5),
    "uninitialised": ("int x; return x;", [], 1),
    "uninitialised in a loop": (
        "int s = 0; for (int i = 0; i < 3; i++) { int x; s += x; x = 9; } return s;",
        [],
        3,
    ),
    "jump past a declaration": (
        "int n = __VERIFIER_nondet_int(); if (n) goto in; { int y = 5; in: return y; }",
        [1],
        1,
    ),
    "array without initialiser": (
        "int n = __VERIFIER_nondet_int(); unsigned char a[200]; return a[n];",
        [9],
        1,
    ),
    "variable-length array": ("int n = __VERIFIER_nondet_int(); char a[n]; return a[n - 1];", [9], 1),
    "count of zeros": ("unsigned n = __VERIFIER_nondet_int(); return __builtin_clz(n);", [8], 28),
    "atomic": (
        "int x = 3; int old = __atomic_fetch_add(&x, 4, __ATOMIC_SEQ_CST);"
        "int want = 7; __atomic_compare_exchange_n(&x, &want, 9, 0, 5, 5); return old * 10 + x;",
        [],
        39,
    ),
    "bit-field": ("struct { unsigned a : 3, b : 5; } s; s.a = 9; s.b = 17; return s.a * 10 + s.b;", [], 27),
    "128 bits": ("unsigned __int128 x = __VERIFIER_nondet_int(); x <<= 70; return (int)(x >> 68);", [3], 12),
    "expected": ("return __builtin_expect(__VERIFIER_nondet_int() == 3, 0) ? 7 : 8;", [3], 7),
    "truth value": ("return __VERIFIER_nondet_bool() + __VERIFIER_nondet_bool();", [255, 2], 1),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, tmp_path: Path) -> None:
    body, inputs, expected = VALUES[name]
    source = f"{DECLARATIONS}int main(void) {{ {body} }}"
    assert outcomes(tmp_path, source, inputs) == {expected}


CALLS = """
#include <stdarg.h>
struct Big { int x; double d; char c[5]; };
struct Two { float a, b; };
struct Pair { long a; int b; };
int sum(int n, ...) {
    va_list list, again; va_start(list, n); va_copy(again, list);
    int s = 0;
    for (int i = 0; i < n; i++) s += va_arg(list, int);
    double d = va_arg(list, double);
    struct Big big = va_arg(list, struct Big);
    struct Two two = va_arg(list, struct Two);
    struct Pair pair = va_arg(list, struct Pair);
    return s + va_arg(again, int) + (int)d + big.x + big.c[4] + (int)two.b + pair.b;
}
int changed(struct Big big) { big.x++; return big.x + (int)big.d; }
struct Big make(int x) { struct Big big = {x, 2.5, "abcd"}; return big; }
struct Pair pair(int z) { struct Pair p = {1, z}; return p; }
struct Two two(void) { struct Two t = {1.5f, 2.5f}; return t; }
int plus(int a, int b) { return a + b; }
int minus(int a, int b) { return a - b; }
int (*table[])(int, int) = {plus, minus};
struct Pair (*pairs)(int) = pair;
int old_style();
int call_old_style(void) { return old_style(3, 4); }
int old_style(a, b) int a, b; { return a * b; }
"""


@pytest.mark.parametrize("property_", ["unreach-call", "memory-safety", "no-overflow"])
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(2, 3, 4, 2.5, make(7), two(), pair(9))", 3 + 4 + 3 + 2 + 7 + 2 + 9),
        ("({ struct Big b = make(7); changed(b) + b.x; })", 8 + 2 + 7),
        ("table[__VERIFIER_nondet_int()](9, 4)", 5),
        ("pairs(4).b", 4),
        ("call_old_style()", 12),
    ],
)
def test_calls(expression: str, expected: int, property_: str, tmp_path: Path) -> None:
    source = f"{DECLARATIONS}{CALLS}int main(void) {{ return {expression}; }}"
    assert outcomes(tmp_path, source, [1], property_) == {expected}


def test_unknown_function_pointer(tmp_path: Path) -> None:
    """A pointer that is no function of the call's type is refused, an invalid call for memory safety."""
    source = DECLARATIONS + "int f(int x) { return x; } int (*p)(int) = f, (*q)(void);"
    source += "int main(void) { q = (int (*)(void))p; return q(); }"
    assert outcomes(tmp_path, source) == {UNSUPPORTED}
    assert outcomes(tmp_path, source, property_="memory-safety") == {CHECK_FAILED}


OVERFLOWS = [
    ("n + 1", [0x7FFFFFFF], True),
    ("n + 1", [0x7FFFFFFE], False),
    ("-n", [0x80000000], True),
    ("n * n", [46341], True),
    ("n / -1", [0x80000000], True),
    ("n++", [0x7FFFFFFF], True),
    ("(unsigned)n + 1u", [0xFFFFFFFF], False),
    ("(short)n", [0x7FFFFFFF], False),
    ("n << 3", [0x7FFFFFFF], True),
    ("n << 3", [0xF0000000], False),
    ("n << 3", [0xE0000000], True),
    ("(unsigned)n << 3", [0x7FFFFFFF], False),
    ("1 << n", [30], False),
    ("1 << n", [31], True),
    ("1 << n", [32], False),
    ("1 << 31", [], True),
    ("-1 << 31", [], False),
    ("-2 << 31", [], True),
    ("(long long)n << 33", [0x40000000], True),
    ("(long)n * n", [0x7FFFFFFF], False),
]


SHIFTS = [
    ("n << 3", [0x7FFFFFFF], False),
    ("n << 3", [0xF0000000], True),
    ("-1 << 3", [], True),
    ("1 << n", [31], False),
    ("1 << n", [32], True),
    ("n >> 1", [0x80000000], False),
    ("n >> 32", [1], True),
    ("1 << 32", [], True),
    ("1u << n", [0xFFFFFFFF], True),
    ("1 << ((long long)n << 32)", [1], True),
    ("1u >> ((long long)n << 32)", [0], False),
    ("1LL << (unsigned char)n", [63], False),
    ("1LL << (unsigned char)n", [64], True),
    ("1LL << (_BitInt(4))n", [15], True),
]


@pytest.mark.parametrize(("expression", "inputs", "fails"), SHIFTS)
def test_shift_checks(expression: str, inputs: list[int], fails: bool, tmp_path: Path) -> None:
    source = f"{DECLARATIONS}int main(void) {{ int n = __VERIFIER_nondet_int(); {expression}; return 3; }}"
    assert outcomes(tmp_path, source, inputs, "shift") == {CHECK_FAILED if fails else 3}


@pytest.mark.parametrize(("expression", "inputs", "fails"), OVERFLOWS)
def test_overflow_checks(expression: str, inputs: list[int], fails: bool, tmp_path: Path) -> None:
    source = f"{DECLARATIONS}int main(void) {{ int n = __VERIFIER_nondet_int(); {expression}; return 3; }}"
    assert outcomes(tmp_path, source, inputs, "no-overflow") == {CHECK_FAILED if fails else 3}
    assert outcomes(tmp_path, source, inputs) == {3}


ERRORS = {
    "a label, when nothing else is an error": ("ERROR: return 1;", CHECK_FAILED),
    "no label beside reach_error": ("if (c) reach_error(); ERROR: return 1;", 1),
    "an assertion, when there is no reach_error": ("__assert_fail();", CHECK_FAILED),
    "no assertion beside reach_error": ("if (c) reach_error(); __assert_fail(); return 1;", ABORTED),
    "the old error function": ("__VERIFIER_error(); return 1;", CHECK_FAILED),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_counts_as_an_error(name: str, tmp_path: Path) -> None:
    body, expected = ERRORS[name]
    source = f"extern int c; int main(void) {{ c = 0; {body} }}"
    assert outcomes(tmp_path, source) == {expected}


def test_library_models_are_linked(tmp_path: Path) -> None:
    source = """#include <string.h>
    #include <stdlib.h>
    #include <stdio.h>
    int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
    int main(void) {
        int a[4] = {4, 2, 1, 3}; qsort(a, 4, sizeof a[0], cmp);
        char *m = malloc(10); strcpy(m, "hello"); m = realloc(m, 20); strcat(m, "!");
        printf("%s %d\\n", m, a[0]);
        int n = a[0] * 16 + a[3] + strlen(m); free(m); return n;
    }"""
    assert outcomes(tmp_path, source) == {16 + 4 + 6}


def test_own_definition_replaces_a_model(tmp_path: Path) -> None:
    source = 'unsigned long strlen(const char *s) { return 77; } int main(void) { return strlen("a"); }'
    assert outcomes(tmp_path, source) == {77}


def test_entry_other_than_main(tmp_path: Path) -> None:
    prepared = modules(tmp_path, "int f(int x) { return x + 4; } int main(void) { return 9; }", entry="f")
    assert {run(module) for module in prepared.values()} == {5}


def test_assert_of_the_header_is_checked(tmp_path: Path) -> None:
    source = "#include <assert.h>\nint main(int c, char **v) { assert(c > 3); return 0; }"
    assert outcomes(tmp_path, source) == {CHECK_FAILED}
    assert outcomes(tmp_path, "#define NDEBUG\n" + source) == {0}


@pytest.mark.parametrize(("start", "expected"), [(0, 10), (1, 12), (2, 4)])
def test_computed_goto(start: int, expected: int, tmp_path: Path) -> None:
    source = """int main(void) {
        static void *labels[] = {&&a, &&b, &&c}; int r = 0;
        goto *labels[__VERIFIER_nondet_int()];
        a: r += 1; b: r += 2; if (r < 6) goto *labels[0]; c: return r + 4;
    }"""
    assert outcomes(tmp_path, DECLARATIONS + source, [start]) == {expected}


def test_functions_named_like_undefined_values(tmp_path: Path) -> None:
    source = """int undef(void); int poison(int x) { return x + 1; } int (*volatile f)(int) = poison;
    int main(void) { return undef() + poison(2) + f(4); }"""
    assert outcomes(tmp_path, DECLARATIONS + source) == {1 + 3 + 5}
