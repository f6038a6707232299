"""Interpreter, native code, symbolic evaluation and the host's compilers agree on random programs.

More of them: `make fuzz N=1000`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from c_generator import generate, indented, smaller
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import ScalarInput
from differential import Parties, examine
from fuzz import parties, program

FEW = Parties(interpreter=("flat",), native=(), symbolic=("flat",), concrete=("none",), host=())


@pytest.mark.parametrize("seed", [*range(11), 5612])
def test_all_parties_agree_on_a_random_program(seed: int) -> None:
    tree, model = program(seed)
    report = examine(tree.text(), model, 2, replace(parties(seed, False), solver=False))
    assert not report.disagreements, "\n".join([*map(str, report.disagreements), indented(tree.text())])
    assert report.compared.get("interpreter, flat") == 2


@settings(
    max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)  # fmt: skip
@given(st.randoms(use_true_random=False), st.sampled_from(["LP64", "ILP32"]), st.booleans())
def test_programs_that_hypothesis_grows(choose: random.Random, model: str, undefined: bool) -> None:
    tree = generate(choose, model, undefined)
    report = examine(tree.text(), model, 2, FEW)
    assert not report.disagreements, "\n".join([*map(str, report.disagreements), indented(tree.text())])


# ------------------------------------------------------------ the test itself


def test_a_wrong_party_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each comparison sees a changed meaning of one operation."""
    text = """
        extern int __VERIFIER_nondet_int(void); extern unsigned char emit_one(void), emit_zero(void);
        int main(void) { int x = __VERIFIER_nondet_int(); for (int i = 0; i < 8; i++) { int y = x - i;
          if (y >> i & 1) emit_one(); else emit_zero(); } return 0; }"""
    everyone = Parties(native=("none",), interpreter=("flat",), symbolic=("flat",), concrete=("none",), host=())
    assert not examine(text, "LP64", 3, everyone).disagreements
    from counterpoint.term import build

    right = build.sub
    monkeypatch.setattr(build, "sub", lambda a, b, width: right(b, a, width))
    parties_ = {found.party for found in examine(text, "LP64", 3, everyone).disagreements}
    assert "symbolic, flat" in parties_
    assert "native, none" not in parties_


def test_programs_become_smaller() -> None:
    tree = generate(random.Random(5), "LP64")
    before = len(tree.text())
    assert "emit(sum)" in smaller(tree, lambda text: "emit(sum)" in text).text()
    assert len(tree.text()) < before


# ------------------------------------------------------------ what it found


def test_an_input_has_the_same_number_in_all_preparations(tmp_path: Path) -> None:
    """One inlined copy of `f` does not use its uninitialised local, another does: both consume it."""
    source = """
        extern void reach_error(void);
        static int f(int c) { int x; if (c) return x; return 0; }
        int main(void) { if (f(0) + f(1) == 99) reach_error(); return 0; }"""
    file = tmp_path / "program.c"
    file.write_text(source)
    subject = compile_subject(SourceTask((file,), data_model="LP64"))
    (site,) = [s.index for s in subject.program("none").sites if s.kind == "uninitialised" and s.name == "x"]
    inputs = (ScalarInput(site, 5, 32), ScalarInput(site, 99, 32))
    for preparation in ("none", "modular", "flat"):
        outcome = run(subject.program(preparation), ReplayInputs(inputs)).outcome
        assert isinstance(outcome, Violated), preparation


def test_symbolic_runs_consume_a_value_only_where_a_read_is_invalid() -> None:
    text = """
        extern int __VERIFIER_nondet_int(void); extern unsigned char emit_one(void), emit_zero(void);
        static int a[4] = {1, 2, 3, 4};
        int main(void) { int i = __VERIFIER_nondet_int() & 3; int *p = i ? &a[i] : 0;
          if (i) { if (*p & 1) emit_one(); else emit_zero(); } return 0; }"""
    report = examine(text, "LP64", 5, Parties(native=(), interpreter=(), symbolic=("none", "flat"), concrete=(), host=()))
    assert not report.disagreements
    assert report.compared == {"symbolic, none": 5, "symbolic, flat": 5}


def test_float_constants_that_meet_stay_floats() -> None:
    text = """
        extern int __VERIFIER_nondet_int(void); extern unsigned char emit_one(void), emit_zero(void);
        int main(void) { double d; if (__VERIFIER_nondet_int() > 3) d = 1.5; else d = -2.25;
          if ((int)(d * 4) & 1) emit_one(); else emit_zero();
          if (d < 0) emit_one(); else emit_zero(); return 0; }"""
    who = Parties(native=(), interpreter=(), symbolic=("none", "flat"), concrete=(), host=(), solver=True)
    report = examine(text, "LP64", 5, who)
    assert not report.disagreements
    assert report.compared["solver, none"] == report.compared["solver, flat"] == 1


def test_128_bit_integers_become_floats_natively() -> None:
    text = """
        extern unsigned __int128 __VERIFIER_nondet_uint128(void); extern __int128 __VERIFIER_nondet_int128(void);
        #ifdef HOST
        extern void emit(unsigned long);
        #else
        extern unsigned char emit_one(void), emit_zero(void);
        static void emit(unsigned long v) { for (int i = 0; i < 64; i++) if (v >> i & 1) emit_one(); else emit_zero(); }
        #endif
        int main(void) { unsigned __int128 u = __VERIFIER_nondet_uint128(); __int128 s = __VERIFIER_nondet_int128();
          union { double d; unsigned long b; } d; union { float f; unsigned b; } f;
          d.d = u; emit(d.b); d.d = s; emit(d.b); f.f = u; emit(f.b); f.f = s; emit(f.b);
          emit((unsigned long)((__int128)(double)(s >> 1) >> 64)); emit((unsigned long)(unsigned __int128)(float)(u >> 1));
          return 0; }"""
    who = Parties(native=("none",), interpreter=(), symbolic=("none",), concrete=("flat",), host=("gcc -O0",))
    assert not examine(text.replace("long", "long long"), "LP64", 12, who).disagreements
