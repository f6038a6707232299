"""k-induction: what it proves at which k, with certificates that stand up, and violations that replay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.core.events import ignore
from counterpoint.engines.kinduction import KInduction
from counterpoint.engines.kinduction.blocking import Blocker
from counterpoint.engines.kinduction.chains import Reached
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.chains import KInductive
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.pool import FactPool, Told
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.components import RegisterValue, variable_of
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec


def shifted(length: int) -> str:
    """Two shift registers, of which one is never above the other: `length` steps show it for the last cells."""
    cells = ", ".join(f"a{k} = 0, b{k} = 0" for k in range(length))
    moves = " ".join(f"a{k} = a{k - 1}; b{k} = b{k - 1};" for k in range(length - 1, 0, -1))
    check = f"check(a{length - 1} <= b{length - 1});"
    new = "int x = any(), y = any(); __VERIFIER_assume(x <= y); a0 = x; b0 = y;"
    return f"int main(void) {{ int {cells}; while (any()) {{ {check} {moves} {new} }} return 0; }}"


SAFE = {
    "nested loops": """
        int main(void) { int a = 0, b = 0; while (any()) { int i = 0; while (i < 4) { check(b == 0); b = a; a = 0; i++; } }
          return 0; }""",
    "two loops": """
        int main(void) { int a = 0, b = 0; while (any()) { b = a; a = 0; } while (any()) { check(b == 0); b = a; a = 0; }
          return 0; }""",
    "array in memory": """
        int main(void) { int a[64]; unsigned i = 0; while (any()) { unsigned j = i % 64; a[j] = 7; if (i) check(a[(i - 1) % 64] == 7);
          i = j + 1; } return 0; }""",
    "heap": """
        int main(void) { int *p = malloc(8); p[0] = p[1] = 0; while (any()) { check(p[1] == 0); p[1] = p[0]; p[0] = 0; }
          return 0; }""",
    "no loop": "int main(void) { int x = any(); if (x > 5) check(x >= 6); return 0; }",
    "recursion": """
        int f(int n) { int r = 0; if (n > 0) r = f(n - 1); check(r >= 0); return 0; } int main(void) { f(any()); return 0; }""",
}
UNSAFE = {
    "deep": "int main(void) { int s = 0; while (any()) s += 3; check(s != 15); return 0; }",
    "nested": """
        int main(void) { int c = 0; for (int i = 0; i < any(); i++) for (int j = 0; j < i; j++) c++; check(c != 3); return 0; }""",
    "array": """
        int main(void) { int a[80] = {0}, i = 0; while (i < 80 && any()) { a[i] = any(); i++; } check(a[2] != 2); return 0; }""",
    "list": """
        struct n { struct n *next; int v; }; int main(void) { struct n *h = 0;
          while (any()) { struct n *x = malloc(sizeof *x); x->v = any(); x->next = h; h = x; }
          if (h) check(h->v != 5); return 0; }""",
}


@dataclass
class Pool:
    """Hands over what it was given, once, and keeps what it is told."""

    given: list[Told]
    told: list[Fact] = field(default_factory=list)

    def tell(self, facts: object, *, proved: bool, source: str) -> None:
        assert proved and source == "kinduction"
        self.told += facts  # type: ignore[arg-type]

    def heard(self) -> list[Told]:
        given, self.given = self.given, []
        return given


def verdict_of(text: str, pool: FactPool | None = None, seconds: float = 20, **options: str) -> Verdict:
    named = {f"kinduction.{name}": value for name, value in options.items()}
    return KInduction().verify(Task(subject(text), named), Tools(Budget(seconds), facts=pool or Pool([])))


def accepted(text: str, verdict: Verdict) -> bool:
    assert isinstance(verdict, Safe), verdict
    try:
        check_proof(program(text), verdict.certificate, Budget(90))
    except EvidenceRejected:
        return False
    return True


@pytest.mark.parametrize("length", [1, 2, 4])
def test_the_smallest_k_is_found_and_is_the_smallest(length: int) -> None:
    verdict = verdict_of(shifted(length), facts="false")
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, KInductive), verdict
    assert verdict.certificate.k == length and verdict.certificate.facts == ()
    assert accepted(shifted(length), verdict)
    assert length == 1 or not accepted(shifted(length), Safe(KInductive("flat", length - 1)))


def test_a_limit_on_k_ends_the_search() -> None:
    verdict = verdict_of(shifted(4), facts="false", max_k="3")
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.BOUND_REACHED
    with pytest.raises(UnusableInput):
        verdict_of(shifted(4), max_k="many")


@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_are_proved(name: str) -> None:
    assert accepted(SAFE[name], verdict_of(SAFE[name]))


@pytest.mark.parametrize("simple", ["false", "true"])
@pytest.mark.parametrize("name", UNSAFE)
def test_violations_replay(name: str, simple: str) -> None:
    verdict = verdict_of(UNSAFE[name], simple_path=simple)
    assert isinstance(verdict, Unsafe), verdict
    replayed = run(program(UNSAFE[name], preparation="none"), ReplayInputs(verdict.violation.inputs), Limits(steps=10_000))
    assert isinstance(replayed.outcome, Violated)


SUPPORTED = """
int main(void) { int x = any(), y = any(), c = 0, d = 0; __VERIFIER_assume(x * x >= 0 && x < y);
  while (any()) { check(c == 0); c = d; d = x < y ? 0 : d + 1; int t = any(); if (t > y) { x = y; y = t; } } return 0; }"""
"""Only with x < y is the check kept; LLVM and the step case do not know it."""


def test_a_fact_from_the_pool_is_used_and_is_in_the_certificate() -> None:
    graph = cut_graph(program(SUPPORTED), Budget(90))
    (head,) = graph.cuts
    registers = [c for c in graph.components(head) if isinstance(c, RegisterValue)]
    variables = [v for v in (variable_of(c, 64) for c in registers) if v.sort is BitVec(32)]
    guesses = [Fact(*head, build.slt(one, two, 32)) for one, two in permutations(variables, 2)]
    told = [Told(fact, False, "test") for fact in guesses]
    pool = Pool(told)
    verdict = verdict_of(SUPPORTED, pool)
    assert isinstance(verdict, Safe) and set(verdict.certificate.facts) & set(guesses)  # type: ignore[union-attr]
    assert accepted(SUPPORTED, verdict)
    wrong = Pool([Told(Fact(*head, 0), True, "test")])
    assert isinstance(verdict_of(UNSAFE["deep"], wrong), Unsafe)


MACHINE = """
int main(void) { unsigned s = 3, n = 0; while (any()) {
  if (s == 3) s = 5; else if (s == 5) s = 9; else if (s == 9) s = 3; else if (s == 20) s = 21; else n++; }
  check(n == 0); return 0; }"""


@pytest.mark.parametrize("state", [7, 21])
def test_a_state_that_is_not_reached_is_excluded_by_an_inductive_clause(state: int) -> None:
    """21 has the predecessor 20, which has to be excluded first."""
    graph = cut_graph(program(MACHINE), Budget(90))
    (head,) = graph.cuts
    names = {c.register.name.split(".")[0]: c for c in graph.components(head) if isinstance(c, RegisterValue)}
    s = variable_of(names["s"], 64)
    blocker = Blocker(graph, lambda place: (), ignore)
    clause = blocker.block(Reached(head, {s: state}), Budget(90))
    assert clause is not None
    assert evaluate(clause.formula, {str(s.payload): state}) == 0 and evaluate(clause.formula, {str(s.payload): 3}) == 1
    houdini = Houdini(graph, Budget(90))
    assert clause in houdini.extend(blocker.found)
    assert blocker.block(Reached(head, {s: 9}), Budget(90)) is None
    houdini.close()
    blocker.close()


# ---------------------------------------------------------------- simple paths

STUTTER = shifted(3).replace("check(", "if (any()) continue; check(", 1)
"""A round may do nothing, any number of times."""

OLD = "unsigned s = any(); __VERIFIER_assume(!(s & 8));"
"""Only states with that bit go round in the circles below, and none of them is reached."""

CIRCLE = f"""
int main(void) {{ {OLD} while (any()) {{
  check(s != 26); if (s == 3) s = 5; else if (s == 24) s = 25; else if (s == 25) s = any() ? 24 : 26; }}
  return 0; }}"""

NESTED = f"""
int main(void) {{ {OLD} while (any()) {{ while (any()) {{ if (s == 24) s = 25; else if (s == 25) s = 24; }}
  check(s != 26); if (s == 25 && any()) s = 26; }} return 0; }}"""

IN_RECURSION = f"""
void f(int n) {{ {OLD} while (any()) {{ check(s != 26); if (s == 3) s = 5; else if (s == 24) s = 25;
  else if (s == 25) s = any() ? 24 : 26; }} if (n > 0) f(n - 1); }} int main(void) {{ f(any()); return 0; }}"""


@pytest.mark.parametrize("text", [STUTTER, CIRCLE, NESTED, IN_RECURSION])
def test_simple_paths_prove_what_no_k_does(text: str) -> None:
    plain = verdict_of(text, facts="false", max_k="9")
    assert isinstance(plain, Unknown) and plain.reason is Reason.BOUND_REACHED, plain
    verdict = verdict_of(text, facts="false", max_k="9", simple_path="true")
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, KInductive), verdict
    assert verdict.certificate.simple_path and accepted(text, verdict)
    assert not accepted(text, Safe(replace(verdict.certificate, simple_path=False)))
    assert not accepted(text, Safe(replace(verdict.certificate, k=verdict.certificate.k - 1)))


def test_states_with_arrays_are_not_compared() -> None:
    text = """int main(void) { int a[64]; unsigned i = 0; while (any()) { if (any()) i = any(); check(a[i % 64] != 7); a[i % 64] = 6; }
      return 0; }"""
    verdict = verdict_of(text.replace("a[64];", "a[64] = {0};").replace("= 6", "= any() & 3"), max_k="3", facts="false", simple_path="true")
    assert isinstance(verdict, Unknown) and "not compared" in verdict.detail, verdict
    with pytest.raises(UnusableInput):
        verdict_of(text, simple_path="perhaps")
