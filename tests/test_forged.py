"""Proofs in result files that someone made up, for programs that can fail: none is accepted, by either standard."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.evidence.proof import STRICT, USUAL, Standard, check_proof
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.program.graph import loop_heads
from counterpoint.program.model import Program

LOOP = "int main() { unsigned n = any(), i = 0; while (i < n) i++; check(i != 7); return 0; }"
CALL = """
int down(int n) { if (n <= 0) return 0; return down(n - 1) + 1; }
int main() { int x = any(); __VERIFIER_assume(x >= 0 && x <= 50); check(down(x) != 7); return 0; }"""

FALSE, TRUE = "(assert false)(check-sat)", "(assert true)(check-sat)"
VARIABLE = "(declare-const |{}| {})(assert {})(check-sat)"
WORD = "(_ BitVec 64)"
HUGE = 10**30


@lru_cache
def made(text: str) -> tuple[Program, str, int]:
    """The program, its entry and a place there: the first loop's head, or 0."""
    found = program(text)
    return found, found.entry, next(iter(loop_heads(found.main)), 0)


def fact(function: object, block: object, formula: object) -> dict[str, object]:
    return {"function": function, "block": block, "formula": formula}


def forged(entry: str, head: int) -> Iterator[tuple[str, str, Any]]:
    """(kind, what is made up, the content)"""
    empty = {"preparation": "flat", "granules": [], "facts": []}
    false, true = fact(entry, head, FALSE), fact(entry, head, TRUE)
    for kind in ("inductive-invariants", "function-summaries"):
        yield kind, "nothing", empty
        yield kind, "false", {**empty, "facts": [false]}
        yield kind, "false at the exit", {**empty, "facts": [fact(entry, -1, FALSE)]}
        yield kind, "a block that is not there", {**empty, "facts": [fact(entry, 1 << 30, FALSE)]}
        yield kind, "a function that is not there", {**empty, "facts": [fact("nobody", 0, FALSE)]}
        yield kind, "the start", {**empty, "facts": [fact("", 0, FALSE)]}
    for name, text in {
        "no component": VARIABLE.format("x", WORD, "(= x #x0000000000000000)"),
        "a ghost is 0": VARIABLE.format("forall.0", WORD, "(= forall.0 #x0000000000000000)"),
        "a ghost that is narrow": VARIABLE.format("forall.0", "Bool", "forall.0"),
        "no formula": VARIABLE.format("x", WORD, "x"),
        "two": "(assert true)(assert false)(check-sat)",
        "none": "(check-sat)",
        "deep": "(assert " + "(not " * 50_000 + "true" + ")" * 50_001,
        "a definition": "(define-fun f () Bool false)(assert f)(check-sat)",
    }.items():
        yield "inductive-invariants", name, {**empty, "facts": [fact(entry, head, text)]}
        graph = {"regions": [fact(entry, head, text)], "edges": [[-1, 0], [0, 0]]}
        yield "region-graph", name, {**empty, **graph}
    for k in (0, -1, 1, 2, (1 << 31) - 1, HUGE, "1", 1.5, True):
        yield "k-induction", f"k is {k}", {**empty, "k": k}
        yield "k-induction", f"k is {k}, simple", {**empty, "k": k, "simple_path": True}
    yield "k-induction", "false", {**empty, "k": 1, "facts": [false]}
    for number, edges in enumerate(
        ([], [[0, 0]], [[-1, 0]], [[-1, 0], [0, 0]], [[-1, 1]], [[-2, 0]], [[HUGE, 0]], [[0]])
    ):
        yield "region-graph", f"edges {number}, true", {**empty, "regions": [true], "edges": edges}
        yield "region-graph", f"edges {number}, false", {**empty, "regions": [false], "edges": edges}
    yield "region-graph", "nothing", {**empty, "regions": [], "edges": []}
    for number, cuts in enumerate(
        ([""], [entry], [f"{entry}:0>1"], [f"{entry}:{head}[0]>{head}"], [0], [[entry]], entry)
    ):
        yield "complete-unrolling", f"cuts {number}", {"preparation": "flat", "cuts": cuts}
    for number, sizes in enumerate(([["i", 3]], [["i", 1 << 40]], [["i", -1]], [["i", 1.0]], [["i"]], {"i": 1})):
        yield "inductive-invariants", f"granules {number}", {**empty, "granules": sizes}
    for preparation in ("../x", "", 1, ["flat"]):
        yield "inductive-invariants", f"prepared as {preparation}", {**empty, "preparation": preparation}
    yield "complete_unrolling", "no kind", {"preparation": "flat", "cuts": []}
    yield "complete-unrolling", "no content", []
    for block in (0, -1):
        yield "function-summaries", f"a contract, {block}", {**empty, "facts": [fact("down", block, FALSE)]}
        regions = [fact("down", 0, TRUE), fact("down", block, FALSE)]
        yield "region-graph", f"a contract, {block}", {**empty, "regions": regions, "edges": [[-1, 0], [0, 0]]}


FORGED = [
    pytest.param(text, kind, content, id=f"{name}, {kind}, {what}")
    for name, text in (("loop", LOOP), ("call", CALL))
    for kind, what, content in forged(*made(text)[1:])
    if name == "loop" or "contract" in what or "nothing" in what
]


@pytest.mark.parametrize(("text", "kind", "content"), FORGED)
def test_what_is_made_up_is_refused(text: str, kind: str, content: object) -> None:
    document = json.loads(json.dumps({"verdict": "TRUE", "proof": {"kind": kind, "content": content}}))
    try:
        certificate = stored_proof(Given(document, "r.json:")).certificate
    except UnusableInput as refused:
        assert len(str(refused).splitlines()) == 1
        return
    standard = STRICT if zlib.crc32(json.dumps(document).encode()) % 2 else USUAL  # one of them, by chance
    with pytest.raises(EvidenceRejected):
        check_proof(made(text)[0], certificate, Budget(1.0), standard)


@pytest.mark.parametrize("standard", [USUAL, STRICT])
def test_what_is_a_proof_is_accepted(standard: Standard) -> None:
    text = "int main() { int x = any(), y = any(); if (x > 0 && x < y && y < 10) check(x * y < 73); return 0; }"
    safe = program(text)
    document = {"proof": {"kind": "complete-unrolling", "content": {"preparation": "flat", "cuts": []}}}
    certificate = stored_proof(Given(document, "r.json:")).certificate
    assert check_proof(safe, certificate, Budget(20), standard).claims > 0
