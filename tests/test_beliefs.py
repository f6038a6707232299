"""What regions believe of the states they begin in is shown: analyses that are wrong make no proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.program.model import Program
from counterpoint.semantics import beliefs, cutpoint
from counterpoint.static import alignment
from counterpoint.static.points_to import PointsTo

ODD = """
int main(void) {
    unsigned i = 0, n = __VERIFIER_nondet_uint() % 100;
    while (i < n) i = i + 1;
    if (i % 2 == 1) reach_error();
    return 0;
}
"""

POINTER = """
int main(void) {
    int a = 0, b = 0, *p = &a;
    unsigned i = 0, n = __VERIFIER_nondet_uint() % 100;
    while (i < n) { p = __VERIFIER_nondet_int() ? &a : &b; i = i + 1; }
    b = 1;
    *p = 2;
    if (b == 2) reach_error();
    return a;
}
"""

LEFT = """
int main(void) {
    int *p;
    { int x = 0; p = &x; }
    unsigned i = 0, n = __VERIFIER_nondet_uint() % 100;
    while (i < n) i = i + 1;
    *p = 1;
    return 0;
}
"""

PASSED = """
static void f(unsigned x, unsigned n) { if (x % 2 == 1) reach_error(); if (n) f(x, n - 1); }
int main(void) { f(__VERIFIER_nondet_uint(), 7); return 0; }
"""

RETURNED = """
static unsigned f(unsigned x, unsigned n) { if (n) return f(x, n - 1); return x; }
int main(void) { if (f(__VERIFIER_nondet_uint(), 7) % 2 == 1) reach_error(); return 0; }
"""


def refused(text: str, kind: Any, property_: str = "unreach-call", preparation: str = "none") -> bool:
    try:
        check_proof(program(text, property_, preparation), kind(preparation, ()), Budget(60))
    except EvidenceRejected:
        return True
    return False


def lying(monkeypatch: pytest.MonkeyPatch, name: str, lie: Callable[..., Any]) -> None:
    """The analysis answers both who believes it and who claims it."""
    for module in (cutpoint, beliefs):
        monkeypatch.setattr(module, name, lie)


def test_alignment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "alignments_in", _everything_aligned)
    assert refused(ODD, InductiveInvariants, preparation="flat")


@pytest.mark.parametrize("text", [PASSED, RETURNED])
def test_alignment_across_calls(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is passed to functions by contract, and of what they return."""
    assert refused(text, InductiveInvariants, preparation="modular")
    monkeypatch.setattr(alignment, "alignments_in", _everything_aligned)
    assert refused(text, InductiveInvariants, preparation="modular")


def _everything_aligned(made: Program) -> alignment.Alignments:
    return alignment.Alignments(
        {name: [16] * function.registers for name, function in made.functions.items()},
        {name: [16] * len(function.results) for name, function in made.functions.items()},
    )


def test_fixed_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """That every pointer register is the object `a`, always."""

    def lie(points: PointsTo, function: Any) -> dict[int, tuple[int, int]]:
        (a,) = (o.number for o in points.objects if o.allocation is not None and o.name == "a")
        pointers = [r.index for block in function.blocks for r in block.parameters if "ointer" in type(r.type).__name__]
        return {**dict.fromkeys(pointers, (a, 0)), **honest(points, function)}

    honest = cutpoint.fixed_addresses
    lying(monkeypatch, "fixed_addresses", lie)
    assert refused(POINTER, InductiveInvariants, preparation="flat")


def test_liveness(monkeypatch: pytest.MonkeyPatch) -> None:
    lying(monkeypatch, "surely_live", lambda points, function: [(1 << len(points.objects)) - 1] * len(function.blocks))
    assert refused(LEFT, InductiveInvariants, "memory-safety", "flat")
