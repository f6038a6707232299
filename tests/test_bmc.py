"""Bounded model checking: verdicts, and that each carries evidence that stands up."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.core.events import BoundReached
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated

SAFE = {
    "straight line": "int main() { int x = any(); if (x > 5) check(x >= 6); return 0; }",
    "bounded by an assumption": """
        int main() { int n = any(); __VERIFIER_assume(n >= 0 && n <= 6); int s = 0;
          for (int i = 0; i < n; i++) s += 2; check(s == 2 * n); return 0; }""",
    "counted loop": "int main() { int s = 0; for (int i = 0; i < 300; i++) s += i; check(s == 44850); return 0; }",
    "recursion": "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main() { check(f(9) == 9); return 0; }",
    "array at a symbolic index": """
        int a[8]; int main() { int i = any(); if (i < 0 || i > 7) return 0; a[i] = 5; int j = any();
          if (j < 0 || j > 7) return 0; if (a[j] != 0) check(i == j); return 0; }""",
    "large array at a symbolic index": """
        int a[1000]; int main() { unsigned i = any(); if (i >= 1000) return 0; a[i] = 7;
          unsigned char *p = (unsigned char *)a; check(p[4 * i] == 7 && p[4 * i + 1] == 0); return 0; }""",
    "pointers in memory": """
        struct n { struct n *next; int v; }; int main() { struct n a, b, *p; a.v = 1; b.v = 2; a.next = &b; b.next = 0;
          int s = 0; for (p = &a; p; p = p->next) s += p->v; check(s == 3); return 0; }""",
    "pointer chosen by a condition": """
        int main() { int x = 1, y = 2; int *p = any() ? &x : &y; *p = 9; check(x == 9 || y == 9);
          check(x == 1 || y == 2); return 0; }""",
    "heap": """
        int main() { int n = any(); if (n < 1 || n > 4) return 0; int *p = malloc(n * sizeof(int));
          p[n - 1] = 3; check(p[n - 1] == 3); free(p); return 0; }""",
    "bytes of an int": """
        union u { unsigned i; unsigned char b[4]; }; int main() { union u x; x.i = any(); unsigned char c = x.b[2];
          check(c == ((x.i >> 16) & 255)); return 0; }""",
    "floats": "int main() { float f = any() % 100; check(f * 0.5f <= 50.0f); return 0; }",
    "structure copy": """
        struct s { int a; char b; long c; }; int main() { struct s x, y; x.a = any(); x.b = 3; x.c = 4; y = x;
          check(y.a == x.a && y.b == 3 && y.c == 4); return 0; }""",
    "nested loops with an inner bound": """
        int main() { int c = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) c++; check(c == 6); return 0; }""",
    "goto out of two loops": """
        int main() { int i, j; for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) if (i * j == 2) goto out;
          out: check(i * j == 2); return 0; }""",
}

SKIPPING = """
const signed char value[] = {62, -1, -1, -1, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1, -2, -1, -1, -1, 0, 1};
const char letter[] = "AB56789+/";
int main() {
  char coded[5]; int decoded[5];
  for (int i = 0; i < 5; i++) { unsigned char x = any(); if (x > 8) return 0; coded[i] = letter[x]; }
  const char *at = coded; int count = 0;
  while (at < coded + 5) {
    int one;
    do { one = *at - 43; one = one < 0 || one >= 24 ? -1 : value[one]; at++; } while (one < 0 && at < coded + 5);
    if (one >= 0) decoded[count++] = one;
  }
  check(count == 5); return 0; }"""
"""Loops that skip what is no letter, where each is one."""

UNSAFE = {
    "straight line": "int main() { int x = any(); if (x > 5) check(x >= 7); return 0; }",
    "needs several iterations": """
        int main() { int n = any(), s = 0; for (int i = 0; i < n; i++) s += 3; check(s != 15); return 0; }""",
    "multiplication": "int main() { unsigned x = any(); check(x * x != 1521u || x < 40); return 0; }",
    "aliasing": "int main() { int x = 1; int *p = any() == 77 ? &x : 0; if (p) *p = 2; check(x == 1); return 0; }",
    "array": """
        int main() { int a[16]; for (int i = 0; i < 16; i++) a[i] = any(); int k = any();
          if (k < 0 || k > 15) return 0; check(a[k] != 12345); return 0; }""",
    "heap contents": """
        int main() { int *p = malloc(8); check(p[1] != 4711); return 0; }""",
    "uninitialised": "int main() { int x; check(x != 99); return 0; }",
    "recursion": "int f(int n) { return n <= 0 ? 0 : 2 + f(n - 1); } int main() { int n = any(); check(f(n) != 10); return 0; }",
    "float": "int main() { float f = any(); check(f != 16777216.0f); return 0; }",
    "undefined function": "extern int elsewhere(void); int main() { check(elsewhere() != 31337); return 0; }",
    "external pointer": "extern int *elsewhere(void); int main() { int *p = elsewhere(); if (p) check(*p != 4); return 0; }",
}


def verdict_of(text: str, property_: str = "unreach-call", seconds: float = 30) -> Verdict:
    return ENGINE.verify(Task(subject(text, property_)), Tools(Budget(seconds)))


@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_are_proved_and_the_proof_is_accepted(name: str) -> None:
    verdict = verdict_of(SAFE[name])
    assert isinstance(verdict, Safe), verdict
    check_proof(subject(SAFE[name]).program(verdict.certificate.preparation), verdict.certificate, Budget(90))


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_programs_are_refuted_and_the_inputs_replay(name: str) -> None:
    verdict = verdict_of(UNSAFE[name])
    assert isinstance(verdict, Unsafe), verdict
    replayed = run(subject(UNSAFE[name]).program("none"), ReplayInputs(verdict.violation.inputs), Limits(steps=100_000))
    assert isinstance(replayed.outcome, Violated)


MEMORY = {
    "out of bounds": ("int main() { int a[4]; int i = any(); if (i < 0 || i > 4) return 0; a[i] = 1; return 0; }", False),
    "in bounds": ("int main() { int a[4]; int i = any(); if (i < 0 || i > 3) return 0; a[i] = 1; return 0; }", True),
    "null": ("int main() { int *p = 0; if (any()) *p = 1; return 0; }", False),
    "use after free": ("int main() { int *p = malloc(4); free(p); return *p; }", False),
    "double free": ("int main() { int *p = malloc(4); free(p); free(p); return 0; }", False),
    "leak": ("int main() { int *p = malloc(4); *p = 1; return 0; }", False),
    "freed": ("int main() { int *p = malloc(4); *p = 1; free(p); return 0; }", True),
    "symbolic size": ("int main() { unsigned char n = __VERIFIER_nondet_uchar(); char *p = malloc(n + 1); p[n] = 0; free(p); return 0; }", True),
    "symbolic size exceeded": ("int main() { unsigned char n = __VERIFIER_nondet_uchar(); char *p = malloc(n); p[n] = 0; free(p); return 0; }", False),
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory_safety(name: str) -> None:
    text, safe = MEMORY[name]
    verdict = verdict_of(text, "memory-safety")
    assert isinstance(verdict, Safe if safe else Unsafe), verdict


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("int main() { int x = any(); int y = x + 1; return y > 0; }", False),
        ("int main() { int x = any(); if (x < 100) { int y = x + 1; return y > 0; } return 0; }", True),
        ("int main() { unsigned x = any(); unsigned y = x + 1; return y > 0; }", True),
    ],
)
def test_overflow(text: str, safe: bool) -> None:
    assert isinstance(verdict_of(text, "no-overflow"), Safe if safe else Unsafe)


def test_unsupported_constructs_are_named_only_where_a_run_meets_them() -> None:
    met = 'int main() { int x; __asm__ volatile("mov $1, %0" : "=r"(x)); check(x == 1); return 0; }'
    verdict = verdict_of(met)
    assert isinstance(verdict, Unknown) and "program.c:" in verdict.detail, verdict
    unmet = 'int main() { int x = 0; if (x) __asm__ volatile("mov $1, %0" : "=r"(x)); check(x == 0); return 0; }'
    assert isinstance(verdict_of(unmet), Safe)


def test_a_constant_is_no_valid_address() -> None:
    """Also not where pointers from outside would point."""
    for address in ("0xDEADBEEF", "0xC0000010", "0x700000000010", "64"):
        verdict = verdict_of(f"int main() {{ return *(volatile int *){address}; }}", "memory-safety")
        assert not isinstance(verdict, Safe), address
    given = "extern int *elsewhere(void); int main() { int *p = elsewhere(); return p ? p[3] : 0; }"
    assert isinstance(verdict_of(given, "memory-safety"), Safe)


def test_same_seed_same_verdict_and_same_inputs() -> None:
    text = UNSAFE["needs several iterations"]
    assert verdict_of(text) == verdict_of(text)


def rounds(text: str) -> tuple[Verdict, int]:
    """The verdict, and how often the search began anew."""
    events: list[object] = []
    verdict = ENGINE.verify(Task(subject(text)), Tools(Budget(60), observe=events.append))
    return verdict, sum(isinstance(event, BoundReached) for event in events)


def test_a_run_that_only_constants_decide_is_unrolled_at_once() -> None:
    loop = "unsigned s = 1; for (int i = 0; i < {n}; i++) s = s * 3 + i; check(s != 0 || {n} > 0); return 0; }"
    verdict, again = rounds("int main() { " + loop.replace("{n}", "9000"))
    assert isinstance(verdict, Safe) and again == 0
    _, again = rounds("int main() { int n = any(); if (n > 20) return 0; " + loop.replace("{n}", "n"))
    assert again > 0


def test_loops_that_no_run_goes_on_in_are_left_at_once() -> None:
    verdict, again = rounds(SKIPPING)
    assert isinstance(verdict, Safe) and again <= 3
