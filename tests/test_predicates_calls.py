"""Function calls in predicate abstraction: summaries of recursive functions and of functions that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.engines.predicates import Options, Search
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.regions.steps import by_variable
from counterpoint.semantics.components import Component, RegisterValue, ResultValue
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.term import V
from counterpoint.term.walk import variables
from slides import slide

HEADER = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"

SAFE = {
    "the result is bounded from below by the parameter": """
int sum(int n) { if (n <= 0) return 0; return n + sum(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1) return 0; if (sum(n) < n) reach_error(); }
""",
    "identity of small numbers": """
unsigned id(unsigned x) { if (x == 0) return 0; unsigned r = id(x - 1) + 1; return r > 2 ? 2 : r; }
int main(void) { unsigned x = __VERIFIER_nondet_int(); if (id(x) == 3) reach_error(); }
""",
    "two calls of one function": """
int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return (fib(n - 1) + fib(n - 2)) & 1023; }
int main(void) { int n = __VERIFIER_nondet_int(); if (fib(n) < 0) reach_error(); }
""",
    "functions that call each other": """
_Bool odd(unsigned n);
_Bool even(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
_Bool odd(unsigned n) { if (n == 0) return 0; return even(n - 1); }
int main(void) { if (even(1)) reach_error(); }
""",
    "an assertion inside": """
void down(int n) { if (n < 0) reach_error(); if (n > 0) down(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0) down(n); }
""",
    "a function that does not return": """
int away(int n) { return away(n + 1); }
int main(void) { away(0); reach_error(); }
""",
    "a global variable is changed on the way": """
int depth;
void walk(int n) { depth = depth | 1; if (n > 0) walk(n - 1); }
int main(void) { walk(__VERIFIER_nondet_int()); if (depth == 0) reach_error(); }
""",
    "what is known of a global variable at entry": """
int steps;
void walk(int n) { if (n > 0) { steps = steps + 2; if (steps > 9) steps = 0; walk(n - 1); } }
int main(void) { steps = 4; walk(__VERIFIER_nondet_int()); if (steps & 1) reach_error(); }
""",
    "the Ackermann function": """
unsigned ack(unsigned m, unsigned n) {
    if (m == 0) return n | 1;
    if (n == 0) return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}
int main(void) { unsigned m = __VERIFIER_nondet_int(); if (ack(m, 2) == 0) reach_error(); }
""",
}

UNSAFE = {
    "the third level returns it": """
int count(int n) { if (n <= 0) return 0; return 1 + count(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (count(n) == 2) reach_error(); }
""",
    "inputs are read before, inside and after calls": """
int read(int n) {
    int before = __VERIFIER_nondet_int();
    if (n <= 0) return before;
    int deeper = read(n - 1);
    int after = __VERIFIER_nondet_int();
    return before == 1 && deeper == 2 && after == 3 ? 7 : 0;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n != 1) return 0;
    int r = read(n);
    if (r == 7 && __VERIFIER_nondet_int() == 11) reach_error();
}
""",
    "an assertion inside": """
void down(int n) { if (n == -2) reach_error(); down(n - 1); }
int main(void) { down(0); }
""",
    "functions that call each other": """
_Bool odd(unsigned n);
_Bool even(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
_Bool odd(unsigned n) { if (n == 0) return 0; return even(n - 1); }
int main(void) { unsigned n = __VERIFIER_nondet_int(); if (n > 1 && odd(n)) reach_error(); }
""",
    "the error after the return": """
int f(int n) { return n < 3 ? n : f(n - 3); }
int main(void) { f(5); reach_error(); }
""",
    "a global variable changed twice": """
int g;
void add(int n) { if (n > 0) { g = g + 3; add(n - 1); } }
int main(void) { add(__VERIFIER_nondet_int()); if (g == 6) reach_error(); }
""",
}

LOOPS = """
static int clamp(int x) {{
    int r = 0;
    while (r < 2 && r < x) r = r + 1;
    return r;
}}
static int twice(int x) {{ return clamp(clamp(x)); }}
int main(void) {{
    int a = twice(__VERIFIER_nondet_int()), b = clamp(__VERIFIER_nondet_int());
    if (a + b > {bound}) reach_error();
    if (twice(a) < 0) reach_error();
}}
"""


def search(tmp_path: Path, source: str, modular: bool = False, seconds: float = 30.0) -> tuple[Search, Verdict]:
    """The engine's verdict; a proof is checked again, and the inputs of a violation are run."""
    file = tmp_path / "program.c"
    file.write_text(HEADER + source if "extern" not in source else source)
    options = Options.of({"predicates.calls": "modular"} if modular else {})
    subject = compile_subject(SourceTask((file,)))
    program = subject.program(options.preparation)
    found = Search(program, options, Tools(Budget(seconds)), {})
    verdict = found.run()
    match verdict:
        case Safe(certificate):
            check_proof(program, certificate, Budget(90))
        case Unsafe(violation):
            outcome = run(program, ReplayInputs(violation.inputs), Limits(steps=100_000)).outcome
            assert isinstance(outcome, Violated)
    subject.close()
    return found, verdict


@pytest.mark.parametrize("name", SAFE)
def test_recursion_without_errors(tmp_path: Path, name: str) -> None:
    found, verdict = search(tmp_path, SAFE[name])
    assert isinstance(verdict, Safe), verdict
    found.close()


@pytest.mark.parametrize("name", UNSAFE)
def test_recursion_with_an_error(tmp_path: Path, name: str) -> None:
    found, verdict = search(tmp_path, UNSAFE[name])
    assert isinstance(verdict, Unsafe), verdict
    found.close()


KEPT = ["the third level returns it", "inputs are read before, inside and after calls", "an assertion inside"]
"""Of UNSAFE. The slower ones say nothing more."""


@pytest.mark.parametrize("name", KEPT)
def test_functions_kept_as_functions_change_no_verdict(tmp_path: Path, name: str) -> None:
    found, verdict = search(tmp_path, UNSAFE[name], modular=True)
    assert isinstance(verdict, Unsafe), verdict
    found.close()


@pytest.mark.parametrize(("bound", "right"), [(4, Safe), (3, Unsafe)])
def test_a_function_with_a_loop_has_a_summary(tmp_path: Path, bound: int, right: type[Verdict]) -> None:
    """The bound of what `clamp` returns is found once, for all four calls of it."""
    found, verdict = search(tmp_path, LOOPS.format(bound=bound), modular=True)
    assert isinstance(verdict, right), verdict
    assert ("clamp", EXIT) in found.predicates
    found.close()


SCOPES = """
static int f2(int z) { int i = 0; z = z + 1; while (i < 1) { i = i + 1; z = 2 * z; } return z; }
static int f1(int y) { int k = 0; while (k < 1) { k = k + 1; y = f2(y); } return y; }
static int f3(int w) { while (w >= 5) w = w - 1; return w; }
int main(void) {
    int x1 = 3, x3 = f1(x1), x4 = x3 + 1, x5 = f3(x4);
    if (x4 > 5 && x1 == x3 + 2) reach_error();
    if (f1(f2(x5)) == x1 - 10) reach_error();
    return f3(x5);
}
"""


def test_predicates_are_well_scoped(tmp_path: Path) -> None:
    """The trace of slide 60, with loops in the functions: predicates inside of them speak of what is visible there, the
    parameters above all, not of the caller's variables (slide 61)."""
    found, verdict = search(tmp_path, SCOPES, modular=True)
    assert isinstance(verdict, Safe), verdict
    where = found.formulas.encoded.where
    spoken = 0
    for place, predicates in found.predicates.items():
        visible = by_variable(where, place, {})
        spoken += len(predicates) if place[0] != "main" else 0
        assert all(variable in visible for variable in variables(*predicates))
    assert spoken
    found.close()


def test_slide_60(tmp_path: Path) -> None:
    """Its functions have no loops: they are part of the caller's steps in either preparation."""
    for modular in (False, True):
        found, verdict = search(tmp_path, slide("calls").read_text(), modular)
        assert isinstance(verdict, Safe)
        assert not found.calls.any
        found.close()


def test_the_relation_of_result_and_parameter_is_the_summary(tmp_path: Path) -> None:
    found, verdict = search(tmp_path, SAFE["the result is bounded from below by the parameter"])
    assert isinstance(verdict, Safe)
    both = [p for p in found.predicates["sum", EXIT] if {type(c) for c in _components(found, "sum", p)} == _BOTH]
    assert both
    found.close()


_BOTH = {RegisterValue, ResultValue}


def _components(found: Search, function: str, predicate: V) -> list[Component]:
    visible = by_variable(found.formulas.encoded.where, (function, EXIT), {})
    return [visible[variable] for variable in variables(predicate)]


def test_what_depends_on_a_global_at_the_call_is_said(tmp_path: Path) -> None:
    """A function's EXIT knows its parameters, and what global variables were at its call."""
    source = """
    int g;
    void add(int n) { if (n > 0) { g = g + 1; add(n - 1); } }
    int main(void) {
        int before = g = __VERIFIER_nondet_int();
        add(0);
        if (g != before) reach_error();
    }
    """
    found, verdict = search(tmp_path, source)
    assert isinstance(verdict, Safe)
    found.close()


def test_a_recursion_of_some_depth_is_not_understood_level_by_level(tmp_path: Path) -> None:
    source = """
    int id(int x) { if (x == 0) return 0; return id(x - 1) + 1; }
    int main(void) { if (id(9) != 9) reach_error(); }
    """
    found, verdict = search(tmp_path, source)
    assert isinstance(verdict, Safe), verdict
    assert found.refinements < 9
    found.close()


def test_an_address_of_a_function_is_one_in_all_activations(tmp_path: Path) -> None:
    """Otherwise a trace seems feasible whose run ends differently, and that was the end."""
    source = """
    int one(int x) { return x; }
    int two(int x) { return x + 1; }
    int f(int n, int (*p)(int)) { if (n > 0) return f(n - 1, p == one ? two : one); return p == one; }
    int main(void) { if (!f(0, one)) reach_error(); if (f(1, one)) reach_error(); }
    """
    found, verdict = search(tmp_path, source)
    assert not isinstance(verdict, Unsafe)
    assert not (isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED), verdict
    found.close()
