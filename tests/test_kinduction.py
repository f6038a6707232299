"""k-induction: what it proves at which k, with certificates that stand up, and violations that replay."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from c_programs import program, subject
from counterpoint.analysis.chains import ChainSolver
from counterpoint.analysis.facts import FactPool, Told
from counterpoint.analysis.houdini import Houdini
from counterpoint.core.budget import Budget
from counterpoint.core.events import ignore
from counterpoint.engines.kinduction import KInduction
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import KInductive, Safe, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.paths.chain import Chain
from counterpoint.paths.cut_graph import START, CutGraph, cut_graph
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver


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
          if (h && h->next) check(h->next->v != h->v + 5); return 0; }""",
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


def holds(graph: CutGraph, certificate: KInductive) -> bool:
    """The certificate's definition, asked depth by depth of a solver that the engine does not use."""
    houdini = Houdini(graph, Budget(20))
    inductive = len(houdini.extend(certificate.facts)) == len(certificate.facts)
    houdini.close()
    starts = [place for place in graph.cuts if place[1] >= 0]
    entries = [(function, 0) for function in graph.contracts]
    step = ChainSolver(Chain(graph, starts, "s"), standard_solver("z3"), ignore, "step")
    base = ChainSolver(Chain(graph, [START, *entries], "b"), standard_solver("z3"), ignore, "base")
    try:
        for case in (step, base):
            case.assume(certificate.facts)
        answers = [step.fails(certificate.k, 20), *(base.fails(d, 20) for d in range(certificate.k + 1))]
    finally:
        step.close()
        base.close()
    return inductive and all(isinstance(answer, Unsat) for answer in answers)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_the_smallest_k_is_found_and_is_the_smallest(length: int) -> None:
    verdict = verdict_of(shifted(length), facts="false")
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, KInductive), verdict
    assert verdict.certificate.k == length
    graph = cut_graph(program(shifted(length)), Budget(20))
    assert holds(graph, verdict.certificate)
    assert length == 1 or not holds(graph, KInductive("flat", length - 1))


@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_are_proved(name: str) -> None:
    verdict = verdict_of(SAFE[name])
    assert isinstance(verdict, Safe), verdict
    if isinstance(verdict.certificate, KInductive):
        assert holds(cut_graph(program(SAFE[name]), Budget(20)), verdict.certificate)


@pytest.mark.parametrize("name", UNSAFE)
def test_violations_replay(name: str) -> None:
    verdict = verdict_of(UNSAFE[name])
    assert isinstance(verdict, Unsafe), verdict
    replayed = run(program(UNSAFE[name], preparation="none"), ReplayInputs(verdict.violation.inputs), Limits(steps=10_000))
    assert isinstance(replayed.outcome, Violated)
