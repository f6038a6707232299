"""What predicate abstraction says of small programs of all kinds, each safe and with a bug, in all its variants: proofs are
accepted by the checker, which knows nothing of it, and violations are runs of the unprepared program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import pytest

from c_programs import subject
from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.predicates import ENGINE, Options
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated

LARGE: Final = "large"
BASIC: Final = "basic"
SINGLE: Final = "single"


@dataclass(frozen=True)
class Kind:
    """A safe program, and the text to replace so that the property can be violated; `unknown` says why there may be no
    verdict."""

    text: str
    safe: str
    broken: str
    property: str = "unreach-call"
    unknown: str = ""


KINDS: Final = {
    "structs": Kind(
        """
        struct point { int x; struct { short low, high; } y; };
        int main(void) {
            struct point p = {0, {1, 2}}, q;
            while (any()) { q = p; q.y.high = 7; if (any()) p = q; }
            check(p.y.low == 1 && (p.y.high == 2 || p.y.high == 7));
        }""",
        "p.y.low == 1",
        "p.y.low != 1",
    ),
    "union": Kind(
        """
        union u { unsigned whole; unsigned char part[4]; };
        int main(void) {
            union u v; v.whole = 0;
            while (any()) v.part[1] = 3;
            check(v.whole == 0 || v.whole == 0x300);
        }""",
        "part[1]",
        "part[2]",
    ),
    "heap": Kind(
        """
        int main(void) {
            int *p = malloc(sizeof(int)), done = 0;
            *p = 1;
            while (any()) { if (*p == 1) { *p = 2; done = 1; } }
            check(done == (*p == 2));
        }""",
        "done = 1;",
        "done = !any();",
    ),
    "freed": Kind(
        """
        int main(void) {
            int *p = malloc(sizeof(int)), freed = 0;
            while (1) { if (any() && !freed) { free(p); freed = 1; } if (!freed) *p = 1; }
        }""",
        "freed = 1;",
        "freed = any();",
        "valid-deref",
    ),
    "bounds": Kind(
        "int main(void) { int a[8], i = 0; while (1) { a[i] = 5; i = i < 7 ? i + 1 : 0; } }",
        "i < 7",
        "i < 8",
        "memory-safety",
    ),
    "unbounded": Kind(
        "int main(void) { int n = any(), s = 0; while (any()) { check(s != 2); if (n) s = 3 - s; } }",
        "s != 2",
        "s != 3",
    ),
    "nested loops": Kind(
        """
        int main(void) {
            int i = 0, j, on = 0;
            while (i < 3) {
                on = 1;
                for (j = 0; j < 5 && any(); j++) check(on == 1);
                on = 0; i++;
            }
            check(on == 0);
        }""",
        "on = 0; i++",
        "on = any(); i++",
    ),
    "array": Kind(
        """
        int main(void) {
            int a[4] = {1, 2, 3, 4}, i = any();
            while (any()) { if (i >= 0 && i < 4) a[i] = 5; }
            if (i == 2) check(a[1] == 2);
        }""",
        "a[1] == 2",
        "a[2] == 3",
        unknown="values of arrays are substituted in traces: interpolants say nothing of them",
    ),
    "pointer": Kind(
        """
        int main(void) {
            int x = 1, y = 2, *p = any() ? &x : &y;
            while (any()) { *p = 3; p = &y; }
            check(x == 1 || x == 3);
        }""",
        "*p = 3",
        "*p = 4",
        unknown="what a pointer may reach is an array",
    ),
    "pointer arithmetic": Kind(
        """
        int main(void) {
            char a[6], *p = a;
            while (p != a + 5 && any()) p++;
            check(p - a <= 5);
        }""",
        "p - a <= 5",
        "p - a <= 2",
    ),
    "pointers in memory": Kind(
        """
        int x, y, *p = &x, **q = &p;
        int main(void) {
            while (any()) { *q = any() ? &x : &y; }
            check(p == &x || p == &y);
        }""",
        "p == &y",
        "p != &y",
    ),
    "function pointer": Kind(
        """
        static int up(int x) { return x + 2; }
        static int down(int x) { return x - 2; }
        int main(void) {
            unsigned x = 0;
            int (*f)(int) = up;
            while (any()) { x = f(x); f = any() ? up : down; }
            check(x % 2 == 0);
        }""",
        "x - 2",
        "x - 1",
        unknown="addresses of functions are no components: a trace's parts do not know them to be the same",
    ),
    "casts": Kind(
        """
        int main(void) {
            unsigned char c = 120;
            while (any()) { c = (unsigned char)(c + 256 + 2); }
            signed char s = (signed char)c;
            check((int)c == s || (c >= 128 && s < 0));
        }""",
        "c >= 128",
        "c > 128",
    ),
    "parity": Kind(
        "int main(void) { unsigned char c = 0; while (any()) { if (c < 200) c += 2; } check(c % 2 == 0); }",
        "c += 2",
        "c += 3",
    ),
    "shifts": Kind(
        """
        int main(void) {
            unsigned bit = 1;
            while (any()) { bit = bit << 1; if (bit == 0) bit = 1; }
            check((bit & (bit - 1)) == 0 && bit != 0);
        }""",
        "bit = bit << 1;",
        "bit = bit << 1 | (any() == 5);",
    ),
    "floats": Kind(
        """
        int main(void) {
            int n = any(), grows = 1;
            while (any()) { double d = n; n = any(); if (!(d + 1.0 > d)) grows = 0; }
            check(grows);
        }""",
        "d + 1.0 > d",
        "(float)d + 1.0f > (float)d",
    ),
    "float variable": Kind(
        """
        int main(void) {
            float f = 1.0f; int scaled = 0;
            while (any()) { if (!scaled) { f = f * 2.0f; scaled = 1; } }
            check(f == (scaled ? 2.0f : 1.0f));
        }""",
        "scaled = 1;",
        "scaled = any();",
        unknown="values of floats are substituted in traces: interpolants say nothing of them",
    ),
    "state machine": Kind(
        """
        int main(void) {
            int state = 1, key = 0;
            while (state != 4) {
                switch (state) {
                case 1: key = 0; state = 2; break;
                case 2: key = 7; if (any()) state = 3; break;
                case 3: check(key == 7); state = any() ? 1 : 4; break;
                default: check(0);
                }
            }
        }""",
        "key = 7;",
        "key = any() ? 7 : 6;",
    ),
    "fall through": Kind(
        """
        int main(void) {
            int n = 0, done = 0;
            while (!done) {
                n = 0;
                switch (any()) {
                case 1: n++;
                case 2: n++;
                case 3: n++; break;
                default: done = 1;
                }
                check(n <= 3);
            }
            check(n == 0);
        }""",
        "n <= 3",
        "n <= 2",
    ),
    "goto": Kind(
        """
        int main(void) {
            int held = 0, tries = 0;
        again:
            check(!held);
            held = 1;
            if (any()) { held = 0; tries = 1; goto again; }
            if (any()) goto out;
            held = 0;
            goto again;
        out:
            check(held);
        }""",
        "held = 0; tries = 1;",
        "tries = 1;",
    ),
    "volatile": Kind(
        """
        int main(void) {
            volatile int sensor; int seen = 0, last = 0;
            while (any()) { int now = sensor; if (now > 10) { seen = 1; last = now; } }
            if (seen) check(last > 10);
        }""",
        "now > 10",
        "now > 9",
    ),
    "endless": Kind(
        """
        int main(void) {
            int locked = 0;
            while (1) { if (any()) { check(!locked); locked = 1; if (any()) locked = 0; else { locked = 0; } } }
        }""",
        "else { locked = 0; }",
        "else if (any() == 1234) { locked = 1; }",
    ),
    "lock": Kind(
        """
        int main(void) {
            int held = 0, old, new = any();
            do {
                check(!held); held = 1;
                old = new;
                if (any()) { held = 0; new++; }
            } while (new != old);
            check(held);
        }""",
        "new++",
        "new--; old = new",
    ),
    "overflow": Kind(
        """
        int main(void) {
            int s = 0;
            while (any()) {
                int n = any();
                if (n < 0 || n > 1000) continue;
                s = s < 1000 ? s + n : 0;
            }
            return s;
        }""",
        "n > 1000",
        "n > 2147483646",
        "no-overflow",
    ),
    "division": Kind(
        """
        int main(void) {
            int d = 1, x = any();
            while (any()) { d = d == 1 ? 3 : 1; }
            return x / d;
        }""",
        "d == 1 ? 3 : 1",
        "d == 1 ? -1 : 1",
        "no-overflow",
    ),
    "function": Kind(
        """
        int level;
        static void up(void) { if (level < 2) level++; }
        int main(void) { while (any()) up(); check(level <= 2); }""",
        "level < 2",
        "level < 3",
    ),
    "recursion": Kind(
        """
        int steps;
        int down(int n) { if (n <= 0) return 0; check(steps < 3); return down(n - 1); }
        int main(void) { down(any()); check(steps == 0); }""",
        "return 0; check",
        "return steps = 1; check",
    ),
}

VARIED: Final = (
    ("predicates.abstraction", ("boolean", "cartesian")),
    ("predicates.split", ("atoms", "conjuncts")),
    ("predicates.traces", ("path", "merged")),
    ("predicates.block", (LARGE, BASIC, SINGLE)),
)


def _variants() -> dict[str, Mapping[str, str]]:
    """Each kind with one choice for every option; the choices go round with periods that have no common divisor."""
    blocks = cycle((LARGE, BASIC, SINGLE))
    found: dict[str, Mapping[str, str]] = {}
    for number, name in enumerate(KINDS):
        bits = (number ^ number >> 1, number >> 1, number >> 2)
        chosen = {option: values[bit & 1] for (option, values), bit in zip(VARIED, bits, strict=False)}
        found[name] = {**chosen, "predicates.block": next(blocks)}
    return found


VARIANTS: Final = _variants()


def verdict_of(text: str, options: Mapping[str, str], property_: str = "unreach-call") -> Verdict:
    """The engine's, with its evidence checked."""
    tested = subject(text, property_)
    verdict = ENGINE.verify(engines.task("predicates", tested, options), Tools(Budget(90)))
    match verdict:
        case Safe(certificate):
            check_proof(tested.program(certificate.preparation), certificate, Budget(90))
        case Unsafe(violation):
            outcome = run(tested.program("none"), ReplayInputs(violation.inputs), Limits(steps=100_000)).outcome
            assert isinstance(outcome, Violated) and outcome.check == violation.check
    return verdict


def broken(kind: Kind) -> str:
    assert kind.text.count(kind.safe) == 1
    return kind.text.replace(kind.safe, kind.broken)


def test_each_value_of_each_option_is_met() -> None:
    met = Counter(item for options in VARIANTS.values() for item in options.items())
    assert all(met[option, value] >= 8 for option, values in VARIED for value in values), met


@pytest.mark.parametrize("name", KINDS)
def test_safe(name: str) -> None:
    kind = KINDS[name]
    verdict = verdict_of(kind.text, VARIANTS[name], kind.property)
    assert isinstance(verdict, Safe) or (kind.unknown and isinstance(verdict, Unknown)), (VARIANTS[name], verdict)


@pytest.mark.parametrize("name", KINDS)
def test_unsafe(name: str) -> None:
    kind = KINDS[name]
    verdict = verdict_of(broken(kind), VARIANTS[name], kind.property)
    assert isinstance(verdict, Unsafe) or (kind.unknown and isinstance(verdict, Unknown)), (VARIANTS[name], verdict)


@pytest.mark.parametrize("block", [LARGE, BASIC, SINGLE])
@pytest.mark.parametrize("abstraction", ["boolean", "cartesian"])
@pytest.mark.parametrize("traces", ["path", "merged"])
def test_options_change_no_verdict(block: str, abstraction: str, traces: str) -> None:
    options = {"predicates.block": block, "predicates.abstraction": abstraction, "predicates.traces": traces}
    kind = KINDS["lock"]
    assert isinstance(verdict_of(kind.text, options), Safe)
    assert isinstance(verdict_of(broken(kind), options), Unsafe)


@pytest.mark.parametrize("option", [f"{name}=other" for name, _ in VARIED])
def test_bad_options(option: str) -> None:
    name, value = option.split("=")
    with pytest.raises(UnusableInput, match=name):
        Options.of({name: value})
