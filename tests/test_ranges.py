"""Copies and fills of a size that is not known: all parties agree, and bounded model checking decides."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from differential import Parties, examine

EVERYONE = Parties(interpreter=("flat",), native=("none",), symbolic=("none", "flat"), concrete=("flat",), host=())
SHOWN = """
extern unsigned char __VERIFIER_nondet_uchar(void); extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void); extern unsigned char emit_one(void), emit_zero(void);
extern void *malloc(__SIZE_TYPE__); extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memmove(void *, const void *, __SIZE_TYPE__); extern void *memset(void *, int, __SIZE_TYPE__);
typedef unsigned char byte;
static byte small[24], other[24], large[1000], huge[70000];
static void show(byte b) { for (int i = 0; i < 8; i++) if (b >> i & 1) emit_one(); else emit_zero(); }
static unsigned any(unsigned below) { return __VERIFIER_nondet_ushort() % below; }
static void fill(byte *p, int n) { for (int i = 0; i < n; i++) p[i] = i % 5 == 2 ? __VERIFIER_nondet_uchar() : i; }
"""
"""`show` makes the bits of a byte visible among what a run consumes."""

AGREED = {
    "local to local": "byte a[8], b[8]; fill(a, 8); fill(b, 8); memcpy(b, a, any(9)); for (int i = 0; i < 8; i++) show(b[i]);",
    "any places": """fill(small, 24); unsigned n = any(9), t = any(16), s = any(16); memmove(small + t, small + s, n);
        show(small[any(24)]); show(small[12]);""",
    "overlap": """fill(small, 24); unsigned d = any(2); memmove(small + 2 * d, small + 2 - 2 * d, any(9));
        for (int i = 0; i < 12; i++) show(small[i]);""",
    "fill": "fill(small, 24); memset(small + any(8), __VERIFIER_nondet_uchar(), any(17)); show(small[any(24)]); show(small[7]);",
    "often invalid": """fill(small, 24); fill(other, 24); unsigned n = any(40); memcpy(small + 3, other + any(8), n);
        memset(other + 20, 7, any(8)); show(small[4]); show(small[23]); show(other[22]);""",
    "large": """fill(large, 20); fill(large + 500, 20); memcpy(large + any(400), large + 500, any(300)); show(large[any(1000)]);
        show(large[3]);""",
    "overlap in a large object": """fill(large, 40); memmove(large + any(20), large + any(20), any(600)); show(large[any(60)]);
        show(large[10]); show(large[19]); large[any(30)] = 77; show(large[any(40)]);""",
    "two copies behind one another": """fill(large, 20); memcpy(large + 300, large, any(400)); memcpy(huge + any(3), large + any(310), any(500));
        show(huge[any(20)]); show(huge[2]);""",
    "one of two targets": """byte *p = any(2) ? large : small; fill(large, 24); fill(small, 24); fill(huge, 24); unsigned n = any(30);
        memcpy(p + any(3), huge + any(3), n); show(large[any(26)]); show(small[any(24)]);""",
    "one of two sources": """byte *p = any(2) ? large : small; fill(large, 24); fill(small + 1, 23); unsigned n = any(30);
        memcpy(huge + any(3), p + any(3), n); show(huge[any(26)]); show(huge[9]);""",
    "heap": """unsigned n = any(2000), m = any(2000); byte *p = malloc(n), *q = malloc(m); memset(p, 1, n); memset(q, 0, m); fill(large, 30);
        memcpy(p, large, any(1200)); memcpy(q, p, n); if (m > 10) { show(q[10]); show(q[any(m)]); }""",
    "ints": """int a[4] = {1, 2, 3, __VERIFIER_nondet_int()}, b[4] = {0}; memcpy(b, a, any(17)); show(b[3] >> 8); show(b[any(4)]);
        float f[300]; f[1] = 1.5f; f[2] = -2.0f; f[3] = 0.0f; memmove(f + 2, f + 1, any(1000)); show(f[2] > 0); show(f[3] == 0);""",
    "pointers": """int x = 3, y = 4; static int *a[100], *b[100]; a[0] = b[0] = &x; a[1] = &y; memcpy(b, a + 1, any(20)); *b[0] += 1; show(x); show(y);
        show(*a[0] + *a[1]);""",
}


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", AGREED)
def test_all_parties_agree(name: str, model: str) -> None:
    report = examine(SHOWN + "int main(void) {" + AGREED[name] + " return 0; }", model, 8, EVERYONE)
    assert not report.disagreements, "\n".join(map(str, report.disagreements))
    assert report.compared["symbolic, flat"] >= 6, report


DECIDED = {
    "small": "byte a[16], b[16]; start(a, 16, 0); start(b, 16, 100); memcpy(b, a, n); check(b[j] == (j < n ? j : 100 + j));",
    "forth": "byte a[24]; start(a, 24, 0); memmove(a + 3, a, n); check(a[j] == (j >= 3 && j < n + 3 ? j - 3 : j));",
    "back": "byte a[24]; start(a, 24, 0); memmove(a, a + 3, n); check(a[j] == (j < n ? j + 3 : j));",
    "fill": "byte a[24]; start(a, 24, 0); memset(a + 4, n, n); check(a[j] == (j >= 4 && j < n + 4 ? n : j));",
    "large": """static byte a[1000], b[1000]; start(a, 16, 0); n += 200; memcpy(b + 1, a, n);
        check(b[j] == (j >= 1 && j < 17 ? j - 1 : 0));""",
    "large forth": "static byte a[999]; start(a, 40, 0); memmove(a + i, a, n); check(a[i + j] == (j < n ? j : i + j));",
    "large fill": "static byte a[999]; start(a, 40, 0); memset(a + i, 7, n); check(a[i + j] == (j < n ? 7 : i + j));",
    "heap": "byte *a = malloc(i + 300), *b = malloc(300); start(b, 16, 0); memcpy(a, b, 300 - n); check(a[j] == j);",
    "a new zero": "byte *a = malloc(i); memset(a, 0, i); if (j < i) check(a[j] == 0); else check(n <= 8);",
    "invalid": "static byte a[999]; byte b[16]; start(b, 16, 0); memcpy(b + 16 - n, a, 1 + n); check(b[j] == j);",
    "from invalid": "static byte a[999]; byte b[16]; start(b, 16, 0); memcpy(b, a + 999 - n, 1 + n); check(j <= n || b[j] == j);",
    "from outside": """extern byte *got(void); byte *p = got(); static byte a[999]; if (!p) return 0; p[3] = 9; p[j] = 8; memcpy(a, p, n * 99);
        check(n == 0 || a[j] == 8);""",
}
"""i, j < 16 and n <= 8 are arbitrary; `start` gives a[k] the value of its third argument plus k."""

WRONG = {
    "small": ("j < n", "j <= n"),
    "forth": ("j < n + 3", "j < n + 2"),
    "back": ("j + 3", "j + 2"),
    "fill": ("j >= 4", "j > 4"),
    "large": ("j < 17", "j < 15"),
    "large forth": ("j < n", "j <= n"),
    "large fill": ("j < n", "j + 1 < n"),
    "heap": ("300 - n", "n"),
    "a new zero": ("if (j < i)", "if (j + 1 < i) check(a[j] == 1); else if (j < i)"),
    "invalid": ("1 + n", "n"),
    "from invalid": ("j <= n ||", "j < n ||"),
    "from outside": ("n == 0 ||", "n <= 1 || n == 6 && a[3] == 9 &&"),
}


def decided(text: str) -> Verdict:
    prelude = """extern void *memcpy(void *, const void *, unsigned long); extern void *memset(void *, int, unsigned long);
        extern void *memmove(void *, const void *, unsigned long); typedef unsigned char byte;
        static void start(byte *p, int n, int first) { for (int i = 0; i < n; i++) p[i] = first + i; }
        int main(void) { unsigned n = any(), i = any(), j = any(); if (n > 8 || i > 15 || j > 15) return 0; """
    made = subject(prelude + text + " return 0; }")
    verdict = ENGINE.verify(Task(made), Tools(Budget(60)))
    if isinstance(verdict, Safe):
        check_proof(made.program(verdict.certificate.preparation), verdict.certificate, Budget(90))
    if isinstance(verdict, Unsafe):
        replayed = run(made.program("none"), ReplayInputs(verdict.violation.inputs), Limits(steps=100_000))
        assert isinstance(replayed.outcome, Violated)
    return verdict


@pytest.mark.parametrize("name", DECIDED)
def test_bounded_model_checking_decides(name: str) -> None:
    """With a proof that stands and, where a bound is off by one, a run that fails."""
    right = DECIDED[name]
    assert isinstance(decided(right), Safe)
    wrong = right.replace(*WRONG[name])
    assert wrong != right and isinstance(decided(wrong), Unsafe)
