"""Proofs are run: true ones survive, and what they claim wrongly is contradicted by runs, whatever solvers say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import immutables
import pytest

import counterpoint
import fresh
from c_programs import PRELUDE, program, subject
from counterpoint.core.budget import Budget
from counterpoint.evidence import proof as proof_
from counterpoint.evidence.proof import ProofChecked
from counterpoint.evidence.runs import Contradicted
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Safe
from counterpoint.portfolio import proof_runs
from counterpoint.portfolio.proof_runs import run_proof
from counterpoint.portfolio.recheck import check_again
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Outcome, Proof
from counterpoint.portfolio.validation import Accepted, Refuted, judge
from counterpoint.program.model import Call, Program
from counterpoint.report.json import as_json
from counterpoint.report.terminal import lines_of
from counterpoint.semantics.facts import ghost
from counterpoint.term import build as b
from counterpoint.term.evaluate import ArrayValue, array_value
from counterpoint.term.partial import Noted, PartialEvaluation
from counterpoint.term.sorts import ArraySort, BitVec
from loop_proofs import PROVED, Facts, Proved, certificate, eq, facts_of, ule
from region_graphs import one_region_each
from test_evidence import BOUNDED, loop_edges

X, Y = b.variable("x", BitVec(32)), b.variable("y", BitVec(32))
A = b.variable("a", ArraySort(64, 8))


# ---------------------------------------------------------------- what is known in part


def test_what_is_not_known_has_no_truth() -> None:
    known = {X: 3, A: array_value({1: 5})}
    truth = PartialEvaluation(known).truth
    assert truth(b.ult(X, 4, 32)) is True and truth(b.ult(X, 3, 32)) is False
    assert truth(eq(Y, 3)) is None
    assert truth(b.and_(eq(Y, 3), eq(X, 4))) is False
    assert truth(b.implies(eq(X, 4), eq(Y, 3))) is True
    assert truth(eq(b.ite(eq(X, 3), X, Y, BitVec(32)), 3)) is True


def test_arrays_are_known_where_they_were_noted() -> None:
    state = PartialEvaluation({A: array_value({1: 5})})
    assert state.of(b.select(A, 1)) == 5
    assert state.of(b.select(A, 2)) is None
    stored = b.store(A, b.zext(Y, 32, 64), 7)
    assert state.of(b.select(stored, 1)) is None
    assert PartialEvaluation({A: array_value({1: 5}), Y: 2}).of(stored) == Noted(immutables.Map({1: 5, 2: 7}))
    zeros = b.constant_array(ArraySort(64, 8), 0)
    assert PartialEvaluation({Y: 2}).of(b.store(zeros, b.zext(Y, 32, 64), 7)) == ArrayValue(0, immutables.Map({2: 7}))


# ---------------------------------------------------------------- true proofs survive


@pytest.mark.parametrize("name", sorted(PROVED))
def test_true_proofs_survive(name: str) -> None:
    proof = PROVED[name]
    _, facts, graph = facts_of(proof)
    runs = run_proof(subject(proof.text, proof.property), certificate(proof, facts, graph), Budget(60))
    assert runs.native_runs and runs.runs and not runs.note
    assert runs.claims == len(facts) and bool(runs.states) == bool(facts)
    regions = one_region_each(proof.preparation, facts, graph)
    if regions is not None and proof.preparation == "flat":
        assert run_proof(subject(proof.text, proof.property), regions, Budget(60)).evaluated


def test_most_facts_are_evaluated() -> None:
    claims = evaluated = 0
    for proof in PROVED.values():
        _, facts, graph = facts_of(proof)
        runs = run_proof(subject(proof.text, proof.property), certificate(proof, facts, graph), Budget(60))
        claims, evaluated = claims + runs.claims, evaluated + runs.evaluated
    assert evaluated >= 0.8 * claims, f"{evaluated} of {claims}"


# ---------------------------------------------------------------- wrong ones do not


def contradiction(proof: Proved, facts: Facts, text: str | None = None) -> str:
    changed = replace(proof, facts=facts)
    _, said, graph = facts_of(changed, text)
    with pytest.raises(Contradicted) as found:
        run_proof(subject(text or proof.text, proof.property), certificate(changed, said, graph), Budget(60))
    return str(found.value)


COUNTING = "int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); return 0; }"


def test_a_false_fact_is_seen() -> None:
    message = contradiction(Proved(COUNTING, {}, ()), {0: lambda at: b.ult(at.i, at.n, 32)})
    assert "in a state in which fact 0 there is false" in message


def test_a_false_fact_about_all_elements_is_seen() -> None:
    text = "int g[8]; int main(void) { for (int i = 0; i < 8; i++) g[i] = any(); check(1); return g[any() & 7]; }"
    false = {0: lambda at: eq(b.select(at.array(), ghost(0, 64)), 0)}
    assert "fact 0" in contradiction(Proved(text, {}, ()), false)


def test_a_false_postcondition_is_seen() -> None:
    text = "int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); } int main(void) { check(f(3) == 3); return 0; }"
    false = {("f", -1): lambda at: ule(at.result, 2)}
    assert "the exit of f" in contradiction(Proved(text, {}, ()), false)


@pytest.mark.parametrize("name", sorted(PROVED))
def test_broken_programs_are_seen(name: str) -> None:
    """Facts that prove the program are said of one that can fail; most of these a few runs tell apart."""
    seen = 0
    for old, new in PROVED[name].broken:
        text = PROVED[name].text.replace(old, new)
        try:
            _, facts, graph = facts_of(PROVED[name], text)
        except KeyError:
            continue
        try:
            given = certificate(PROVED[name], facts, graph)
            run_proof(subject(text, PROVED[name].property), given, Budget(60))
        except Contradicted:
            seen += 1
    assert seen or name in UNSEEN


UNSEEN: tuple[str, ...] = ()
"""Programs of which no broken variant is told apart by this many runs."""


def test_an_edge_of_the_graph_that_is_missing_is_seen() -> None:
    proof = PROVED["list"]
    _, facts, graph = facts_of(proof)
    found = one_region_each("flat", facts, graph)
    assert found is not None
    for gone in found.edges:
        wrong = replace(found, edges=tuple(edge for edge in found.edges if edge != gone))
        with pytest.raises(Contradicted, match="none of the successors"):
            run_proof(subject(proof.text), wrong, Budget(60))


def test_a_way_that_is_cut_too_early_is_seen() -> None:
    (late, early) = loop_edges(BOUNDED, range(3, 1, -1))
    runs = run_proof(subject(BOUNDED), CompleteUnrolling("flat", (late,)), Budget(60))
    assert (runs.claims, runs.evaluated) == (1, 1)
    with pytest.raises(Contradicted, match=r"takes .*\[2\]"):
        run_proof(subject(BOUNDED), CompleteUnrolling("flat", (early,)), Budget(60))


def called(made: Program, caller: str, callee: str) -> str:
    """The name of the call, if there is one, in a function without loops."""
    for block in made.functions[caller].blocks:
        for position, instruction in enumerate(block.instructions):
            if isinstance(instruction, Call) and instruction.callee == callee:
                return f"{caller}:{block.index}.{position}[]/"
    return ""


def test_a_call_that_is_cut_is_seen() -> None:
    text = "int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); } int main(void) { check(f(any() & 1) < 2); return 0; }"
    made = program(text, preparation="modular")
    inner = called(made, "f", "f")
    outer = called(made, made.entry, "f") or called(made, made.entry, "main") + called(made, "main", "f")
    once, twice = outer + inner, outer + inner + inner
    assert run_proof(subject(text), CompleteUnrolling("modular", (twice,)), Budget(60)).evaluated == 1
    with pytest.raises(Contradicted):
        run_proof(subject(text), CompleteUnrolling("modular", (once,)), Budget(60))


NOTHING = CompleteUnrolling("flat", ())


def test_what_has_no_meaning_is_seen() -> None:
    text = "int main(void) { if (any() == 3) __builtin_unreachable(); return 0; }"
    with pytest.raises(Contradicted, match="no meaning"):
        run_proof(subject(text), NOTHING, Budget(60))


def test_a_failed_assumption_ends_a_run_without_a_word() -> None:
    text = "int main(void) { int x = any(); __VERIFIER_assume(x == 77); check(x == 77); return 0; }"
    assert run_proof(subject(text), NOTHING, Budget(60)).native_runs


def test_the_interpreter_attacks_where_native_code_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from counterpoint.execute.native.build import NotNative
    from counterpoint.execute.subject import Subject

    def none(self: Subject, preparation: str, lean: bool = False) -> None:
        raise NotNative("elsewhere")

    monkeypatch.setattr(Subject, "native", none)
    safe = run_proof(subject(COUNTING), NOTHING, Budget(60))
    assert safe.native_runs == 0 and "elsewhere" in safe.note
    with pytest.raises(Contradicted, match="the interpreter sees a run of the unprepared program"):
        run_proof(subject(COUNTING.replace("i++", "i += 2")), NOTHING, Budget(60))


def test_no_time_is_no_contradiction() -> None:
    runs = run_proof(subject(COUNTING), NOTHING, Budget(0.1))
    assert runs.runs == 0 and "no time" in runs.note


def test_the_same_runs_for_the_same_seed() -> None:
    proof = PROVED["counting"]
    _, facts, graph = facts_of(proof)
    one, two = (run_proof(subject(proof.text), certificate(proof, facts, graph), Budget(60)) for _ in range(2))
    assert replace(one, seconds=0) == replace(two, seconds=0)


# ---------------------------------------------------------------- verdicts


def believing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that accepts everything."""
    monkeypatch.setattr(proof_, "check_proof", lambda *given: ProofChecked(1, 1, 0, 0.0))


UNSAFE = "int main(void) { int x = any(); check(x != 12); return 0; }"


def test_a_refuted_proof_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    believing(monkeypatch)
    judged = judge(Safe(NOTHING), subject(UNSAFE), Budget(60))
    assert isinstance(judged, Refuted)
    assert "native code of the unprepared program fails the check" in judged.detail
    assert isinstance(judge(Safe(NOTHING), subject(COUNTING), Budget(60)), Accepted)


def test_the_portfolio_gives_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Engines are forked from a process whose checker accepts everything, and bmc's proof is of another program."""
    believing(monkeypatch)
    from counterpoint.engines import bmc

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bmc.ENGINE.__class__, "verify", lambda self, task, tools: Safe(NOTHING))
    file = tmp_path / "unsafe.c"
    file.write_text(f"{PRELUDE}{UNSAFE}")
    result = counterpoint.check(file, engines=("bmc",), timeout=60)
    assert result.verdict == "UNKNOWN(EVIDENCE_REJECTED)"
    (report,) = result.crash_reports
    assert "runs contradict the proof of bmc" in Path(report).read_text()
    request = Request(files=(file,), timeout=60)
    (tmp_path / "r.json").write_text(as_json(result))
    again = check_again(tmp_path / "r.json", lambda document: Safe(NOTHING), request)
    assert again.verdict == "UNKNOWN(EVIDENCE_REJECTED)" and again.crash_reports


def test_runs_that_break_off_contradict_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ZeroDivisionError("in the runs")

    monkeypatch.setattr(proof_runs, "run_proof", broken)
    judged = judge(Safe(NOTHING), subject("int main(void) { return 0; }"), Budget(60))
    assert isinstance(judged, Accepted) and isinstance(judged.evidence, Proof)
    assert "broke off: ZeroDivisionError" in judged.evidence.runs.note


def test_results_tell_of_the_runs(tmp_path: Path) -> None:
    file = tmp_path / "safe.c"
    file.write_text("int main(void) { return 0; }")
    result = fresh.check(file, timeout=60)
    assert result.outcome is Outcome.TRUE and isinstance(result.proof, Proof)
    assert json.loads(as_json(result))["proof"]["runs"]["native_runs"] == result.proof.runs.native_runs == 1
    text = "\n".join("".join(part for part, _ in line) for line in lines_of(result))
    assert "proof run: " in text and "1 native run of the unprepared program" in text
    without = fresh.check(file, timeout=60, proof_runs=False)
    assert without.proof is not None and without.proof.runs.note == "not asked for"
