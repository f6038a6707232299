"""DASH over calls: recursion, and functions with loops that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.events import ignore
from counterpoint.engines.dash import ENGINE
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask

HEAD = """
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern void abort(void); extern void reach_error(void);
#define assert(c) if (!(c)) { reach_error(); abort(); }
#define assume(c) if (!(c)) abort();
"""

ID = "unsigned id(unsigned x) { if (x == 0) return 0; return id(x - 1) + 1; }"
FIB = "int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }"
PARITY = """int odd(unsigned n); int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }"""
GLOBAL = "int g; void up(int n) { if (n <= 0) return; g = 1; up(n - 1); }"
READING = "int pick(int n) { if (n <= 0) return __VERIFIER_nondet_int(); return pick(n - 1); }"
FOREVER = "int forever(int n) { return n == 77777 ? forever(n) + 1 : forever(n + 2); }"
INNER = "int f(int n) { assert(n >= 0); if (n == 0) return 0; return f(n - 1); }"
LOOP = "int count(int n) { int i = 0; while (i < n) i++; return i; }"


def verdict_of(tmp_path: Path, text: str, **options: str) -> Verdict:
    """The engine's verdict; proofs are checked and violations replayed."""
    file = tmp_path / "task.c"
    file.write_text(HEAD + text)
    options.setdefault("facts", "false")
    subject = compile_subject(SourceTask(files=(file,)))
    asked = engines.task("dash", subject, {f"dash.{k}": v for k, v in options.items()})
    verdict = ENGINE.verify(asked, Tools(Budget(90.0), ignore, 0))
    if isinstance(verdict, Safe):
        assert isinstance(verdict.certificate, RegionGraph)
        check_proof(subject.program(verdict.certificate.preparation), verdict.certificate, Budget(90.0))
    if isinstance(verdict, Unsafe):
        violation = verdict.violation
        outcome = run(subject.program(violation.preparation), ReplayInputs(violation.inputs)).outcome
        assert isinstance(outcome, Violated) and outcome.check == violation.check
    return verdict


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{ID} int main() {{ assert(id(9) == 9); }}", id="one argument"),
        pytest.param(f"{ID} int main() {{ unsigned x = __VERIFIER_nondet_uint(); assert(id(x) == x); }}", id="inductive"),
        pytest.param(f"{FIB} int main() {{ int x = 4; assert(fib(x) == 3); }}", id="two calls"),
        pytest.param(f"{PARITY} int main() {{ assert(even(__VERIFIER_nondet_uint()) <= 1); }}", id="mutual"),
        pytest.param(f"{GLOBAL} int main() {{ up(__VERIFIER_nondet_int()); assert(g == 0 || g == 1); }}", id="global"),
        pytest.param(f"{FOREVER} int main() {{ forever(__VERIFIER_nondet_int()); assert(0); }}", id="never returns"),
        pytest.param(f"{INNER} int main() {{ int x = __VERIFIER_nondet_int(); assume(x > 3); f(x); }}", id="check inside"),
    ],
)
def test_safe_recursion(tmp_path: Path, text: str) -> None:
    assert isinstance(verdict_of(tmp_path, text), Safe)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{ID} int main() {{ unsigned x = __VERIFIER_nondet_uint(); assert(id(x) != 5); }}", id="result"),
        pytest.param(f"{FIB} int main() {{ assert(fib(__VERIFIER_nondet_int()) != 5); }}", id="two calls"),
        pytest.param(f"{PARITY} int main() {{ assert(odd(__VERIFIER_nondet_uint()) == 0); }}", id="mutual"),
        pytest.param(f"{GLOBAL} int main() {{ up(__VERIFIER_nondet_int()); assert(g == 0); }}", id="global"),
        pytest.param(f"{READING} int main() {{ assert(pick(3) != 123456); }}", id="input inside"),
        pytest.param(f"{INNER} int main() {{ f(__VERIFIER_nondet_int()); }}", id="check inside"),
        pytest.param(
            f"{FOREVER} int main() {{ int x = __VERIFIER_nondet_int(); assert(x != 98765); forever(x); }}",
            id="check before a call that never returns",
        ),
    ],
)
def test_unsafe_recursion(tmp_path: Path, text: str) -> None:
    assert isinstance(verdict_of(tmp_path, text), Unsafe)


def test_loops_in_functions_that_are_kept(tmp_path: Path) -> None:
    twice = f"{LOOP} int main() {{ int n = __VERIFIER_nondet_int(); int a = count(n), b = count(3); "
    safe = verdict_of(tmp_path, twice + "assert(a >= n && b <= 3); }", calls="modular")
    assert isinstance(safe, Safe)
    assert isinstance(safe.certificate, RegionGraph)
    assert any(region.function == "count" for region in safe.certificate.regions)
    assert isinstance(verdict_of(tmp_path, twice + "assert(a != 4); }", calls="modular"), Unsafe)
