"""What `dash` alone says of small programs of all kinds, each safe and with a bug, and that its evidence holds.

The kinds are those that the thesis excluded (structs, heap, recursion, unbounded loops, pointer arithmetic, pointers in
memory, endless programs), and its own examples. For bounded programs `dse` must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from c_programs import subject
from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.dash import Options, extending
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated


@dataclass(frozen=True)
class Kind:
    """A safe program, and the texts to replace so that a check can fail. `bounded`: it has few paths."""

    text: str
    safe: str
    broken: str
    bounded: bool = True


KINDS = {
    "structs": Kind(
        """
        struct point { int x; struct { short low, high; } y; };
        struct point moved(struct point p) { p.x++; p.y.high = 7; return p; }
        int main(void) {
            struct point p = {any(), {1, 2}};
            if (p.x > 10 || p.x < 0) return 0;
            struct point q = moved(p);
            check(q.x == p.x + 1 && q.y.low == 1 && p.y.high == 2);
        }""",
        "p.y.high == 2",
        "p.y.high == 7",
    ),
    "heap": Kind(
        """
        int main(void) {
            int n = any(), *p = malloc(2 * sizeof(int)), *q = malloc(sizeof(int));
            p[0] = 8; p[1] = n; *q = 6;
            if (n == 3) { free(p); p = q; }
            check(*p == 8 || n == 3);
        }""",
        "n == 3);",
        "n == 4);",
    ),
    "recursion": Kind(
        """
        int steps;
        int down(int n) { if (n <= 0) return 0; check(n >= 1 && steps < 3); return down(n - 1); }
        int main(void) { down(any()); check(steps == 0); }""",
        "n >= 1",
        "n >= 2",
        bounded=False,
    ),
    "unbounded loop": Kind(
        """
        int main(void) {
            int n = any(), s = 0;
            while (any()) { check(s != 2); if (n) s = 3 - s; }
        }""",
        "s != 2",
        "s != 3",
        bounded=False,
    ),
    "pointer arithmetic": Kind(
        """
        int main(void) {
            int a[4] = {1, 2, 3, 4}, *p = a;
            unsigned n = any();
            if (n > 2) return 0;
            p += n; p++;
            check(*p == (int)n + 2 && p - a == (int)n + 1);
        }""",
        "n + 2",
        "n + 1",
    ),
    "pointers in memory": Kind(
        """
        int main(void) {
            int x = 1, y = 2; int *p[2] = {&x, &y}; int **q = &p[0];
            if (any() > 7) { q = &p[1]; }
            **q = 9;
            check(x + y == 11 || x + y == 10);
        }""",
        "x + y == 10",
        "x + y == 12",
    ),
    "symbolic index": Kind(
        """
        int main(void) {
            unsigned char a[16] = {0};
            unsigned i = any(), j = any();
            if (i >= 16 || j >= 16) return 0;
            a[i] = 5; a[j] = a[j] + 1;
            check(a[i] == 5 || i == j);
        }""",
        "i == j",
        "i == j + 1",
    ),
    "casts": Kind(
        """
        int main(void) {
            int x = any();
            unsigned char low = (unsigned char)x;
            signed char with_sign = (signed char)low;
            if (low >= 128) check(with_sign < 0); else check((int)low == with_sign);
        }""",
        "with_sign < 0",
        "with_sign < -1",
    ),
    "selects": Kind(
        """
        int main(void) {
            int x = any(), y = any();
            int larger = x > y ? x : y, smaller = x > y ? y : x;
            check(larger >= smaller);
        }""",
        "larger >= smaller",
        "larger > smaller",
    ),
    "endless": Kind(
        """
        int main(void) {
            int locked = 0;
            while (1) {
                if (any()) { check(!locked); locked = 1; if (any()) locked = 0; else { locked = 0; } }
            }
        }""",
        "else { locked = 0; }",
        "else if (any() == 1234) { locked = 1; }",
        bounded=False,
    ),
}


@pytest.fixture(autouse=True)
def short_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the depth of tests, runs of endless programs are followed for a short time only."""
    monkeypatch.setattr(extending, "REPLAY_STEPS", 20_000)


CASES = [(name, broken) for name in KINDS for broken in (False, True)]


def says(engine: str, text: str, **options: str) -> Verdict:
    """The engine's verdict, after its evidence was looked at."""
    task = subject(text)
    chosen = {name.replace("_", "."): value for name, value in options.items()}
    answer = engines.get(engine).verify(engines.task(engine, task, chosen), Tools(Budget(90.0)))
    match answer:
        case Safe(certificate):
            assert engine != "dash" or isinstance(certificate, RegionGraph)
            check_proof(task.program(certificate.preparation), certificate, Budget(90.0))
        case Unsafe(violation):
            for form in ("none", "inlined"):
                outcome = run(task.program(form), ReplayInputs(violation.inputs)).outcome
                assert isinstance(outcome, Violated), outcome
    return answer


def variant(kind: Kind, broken: bool) -> str:
    assert kind.text.count(kind.safe) == 1
    return kind.text.replace(kind.safe, kind.broken) if broken else kind.text


@pytest.mark.parametrize("prepare", ["default", "none"])
@pytest.mark.parametrize(("name", "broken"), CASES)
def test_dash(name: str, broken: bool, prepare: str) -> None:
    answer = says("dash", variant(KINDS[name], broken), prepare=prepare)
    assert isinstance(answer, Unsafe if broken else Safe), answer


@pytest.mark.parametrize(("name", "broken"), CASES)
def test_at_every_block(name: str, broken: bool) -> None:
    answer = says("dash", variant(KINDS[name], broken), dash_block="basic")
    assert isinstance(answer, Unsafe if broken else Safe), answer


@pytest.mark.parametrize(("name", "broken"), [case for case in CASES if KINDS[case[0]].bounded or case[1]])
def test_dse(name: str, broken: bool) -> None:
    answer = says("dse", variant(KINDS[name], broken))
    assert isinstance(answer, Unsafe if broken else Safe), answer


@pytest.mark.parametrize(
    "option", ["dash_refine=interpolant", "dash_targets=false", "dash_facts=false", "dash_depth=3"]
)
def test_options_change_no_verdict(option: str) -> None:
    key, value = option.split("=")
    for broken in (False, True):
        answer = says("dash", variant(KINDS["endless"], broken), **{key: value})
        assert isinstance(answer, Unsafe if broken else Safe), answer


@pytest.mark.parametrize("option", ["dash.block=tiny", "dash.refine=x", "dash.targets=1", "dash.depth=0"])
def test_bad_options(option: str) -> None:
    name, value = option.split("=")
    with pytest.raises(UnusableInput, match=name):
        Options.of({name: value})


@pytest.mark.parametrize(("name", "broken"), CASES)
def test_inlining_changes_no_run(name: str, broken: bool) -> None:
    """Runs on the same inputs end in the same way. Endless ones reach the limit wherever they are then."""
    task = subject(variant(KINDS[name], broken))
    for seed in range(10):
        outcomes = [
            run(task.program(form), RandomInputs(seed), Limits(steps=3_000)).outcome for form in ("none", "inlined")
        ]
        kinds = {type(outcome) for outcome in outcomes}
        assert len(kinds) == 1, (seed, outcomes)
