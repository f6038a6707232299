"""Summaries of functions: units, pairs, refinement, and the figures of the dynamic inference paper."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines import task
from counterpoint.engines.protocol import Tools
from counterpoint.engines.summaries import ENGINE
from counterpoint.engines.summaries.check import Check
from counterpoint.engines.summaries.dump import dump_of
from counterpoint.engines.summaries.functions import roots
from counterpoint.engines.summaries.options import Options
from counterpoint.engines.summaries.proof import Proof
from counterpoint.engines.summaries.summary import Pair, State, holds
from counterpoint.engines.summaries.unit_proof import Proved, Refuted, UnitProof
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import CALLED
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import Term, V

COMPARE = """
int sign(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
int absolute(int a) { return (int)(a < 0 ? 0u - (unsigned)a : (unsigned)a); }
int compare(int a, int b) {
    if (sign(a) == sign(b)) { if (absolute(a) > absolute(b)) return a; else return b; }
    if (a > b) return a; else return b;
}
int main(void) {
    unsigned int x = any();
    %s
    check(compare(x, -x) == x);
    return 0;
}
"""
"""Figure 2(a) of the paper."""

SMALL = COMPARE % "if (x > 0x7fffffffu) return 0;"


def started(text: str) -> Check:
    """Algorithm 1 before its first counterexample."""
    check = Check(task("summaries", subject(text), {}), Tools(Budget(60.0)), Options())
    check.start()
    return check


def verdict(text: str, seconds: float = 60.0, **options: str) -> Verdict:
    given = {f"summaries.{name}": value for name, value in options.items()}
    return ENGINE.verify(task("summaries", subject(text), given), Tools(Budget(seconds)))


def says(text: str, seconds: float = 60.0, **options: str) -> str:
    """TRUE if there is a proof that is one, FALSE if there are inputs that violate a check."""
    match verdict(text, seconds, **options):
        case Safe(certificate):
            assert isinstance(certificate, InductiveInvariants | CompleteUnrolling)
            check_proof(subject(text).program(certificate.preparation), certificate, Budget(60.0))
            return "TRUE"
        case Unsafe(violation):
            program = subject(text).program(violation.preparation)
            assert run(program, ReplayInputs(violation.inputs)).outcome == Violated(violation.check)
            return "FALSE"
        case Unknown(reason):
            return str(reason)


# ---------------------------------------------------------------- figures 2 to 4


def compared(check: Check) -> tuple[UnitProof, Term, Term, Term]:
    """The unit of compare: its proofs, and a, b and ret."""
    refinement = check.refinements["compare"]
    (a, b), (ret,) = refinement.rows.inputs, refinement.rows.outputs
    return refinement.proof, a, b, ret


def one_of(ret: Term, a: V, b: V) -> V:
    return build.or_(build.eq(ret, a, 32), build.eq(ret, b, 32))


def test_figure_2_the_assertion_holds_up_to_int_max() -> None:
    """One refinement, as in the first row of table 1, parts compare where a > b."""
    assert says(SMALL) == "TRUE"
    numbers = ENGINE.statistics()
    assert (numbers["abstracted_functions"], numbers["refinements"], numbers["points"]) == (1, 1, 0)
    assert says(COMPARE % "") == "FALSE"


def test_figure_3_the_first_pair_is_refuted_and_then_proved() -> None:
    proof, a, b, ret = compared(started(SMALL))
    pre = build.slt(b, a, 32)
    wrong = proof.check(pre, build.eq(ret, a, 32))
    assert isinstance(wrong, Refuted) and holds(pre, wrong.given)
    assert isinstance(proof.check(pre, one_of(ret, a, b)), Proved)


def test_figure_4_its_second_pair_is_false_on_machine_words() -> None:
    """For (0, -1) unless sign(x) is x > 0, and for (-1, INT_MIN): the pairs that are found say something else."""
    check = started(SMALL)
    proof, a, b, ret = compared(check)
    first = build.and_(build.slt(0, a, 32), build.slt(b, a, 32))
    second = build.and_(build.sle(a, 0, 32), build.slt(b, a, 32))
    assert isinstance(proof.check(first, build.eq(ret, a, 32)), Proved)
    assert isinstance(proof.check(second, build.eq(ret, b, 32)), Refuted)
    for given in ({a: 0, b: -1 % (1 << 32)}, {a: -1 % (1 << 32), b: 1 << 31}):
        done = check.refinements["compare"].rows.run(given)
        assert done is not None and done.left is not None and done.left[ret] == given[a]
    unless = build.and_(second, build.not_(build.or_(build.eq(a, 0, 32), build.eq(b, 1 << 31, 32))))
    assert isinstance(proof.check(unless, build.eq(ret, b, 32)), Proved)


def test_pairs_are_facts_of_one_certificate() -> None:
    answer = verdict(SMALL)
    assert isinstance(answer, Safe) and isinstance(answer.certificate, InductiveInvariants)
    assert answer.certificate.contracts == ("compare",)
    assert {(fact.function, fact.block) for fact in answer.certificate.facts} == {("compare", EXIT)}


@pytest.mark.parametrize(("refinements", "expected"), [(0, "FALSE"), (math.inf, "TRUE")])
def test_printed_summaries_are_programs(refinements: float, expected: str) -> None:
    """Figures 2(b) and 4: the program with compare replaced by its summary has spurious counterexamples at first."""
    text = dump_of(subject(SMALL), "modular", refinements, 60.0)
    assert ("int pid = __VERIFIER_nondet_int();" in text) == (expected == "TRUE")
    rest = SMALL[SMALL.index("int main") :]
    assert says(f"{text}\n{rest}") == expected


def test_printed_summaries_speak_of_globals() -> None:
    text = dump_of(subject(ANSWERS["a loop outside"][1]), "modular", math.inf, 60.0)
    assert "extern int state;" in text and "void next(void) {" in text
    main = "int state; int main(void) { state = any(); int was = state; next(); check(state != was || was == state); }"
    assert says(f"{text}\n{main}") == "TRUE"


# ---------------------------------------------------------------- units


def test_a_unit_runs_on_what_it_is_given() -> None:
    check = started("""
        int total, limit = 5; char name[4];
        int add(int n) { total += n < limit ? n : limit; name[1] = (char)n; return name[0] + total; }
        int main(void) { total = any(); limit = any(); check(add(any()) != 77 || total); return 0; }
    """)
    refinement = check.refinements["add"]
    faced, known = refinement.summary.faced, {str(v.payload): v for v in refinement.summary.faced.inputs}
    values = {"add%0": 9, "old(total[0:4])": 100, "limit[0:4]": 3}
    given: State = {known[name]: value for name, value in values.items()}
    done = refinement.rows.runner.run(given, RandomInputs(0))
    assert done.left is not None
    left = {str(v.payload): done.left[v] for v in faced.outputs}
    assert (left["total[0:4]"], left["add.result0"], left["name[1:1]"]) == (103, 103, 9)


def test_a_unit_that_does_not_return_leaves_nothing() -> None:
    check = started("""
        extern void exit(int);
        int limit;
        int f(int x) { if (x > limit) exit(0); return x; }
        int main(void) { limit = any(); check(f(any()) <= limit); return 0; }
    """)
    rows = check.refinements["f"].rows
    x, limit = rows.inputs
    assert [rows.runner.run({x: value, limit: 5}, RandomInputs(0)).left is None for value in (4, 6)] == [False, True]


def test_functions_off_the_way_are_summarised_where_they_are_called() -> None:
    text = """
        int below(int x) { return x + 1; }
        int off(int x) { return below(x); }
        void on(int x) { check(off(x) != 3 || x == 2); }
        int main(void) { on(below(any())); return 0; }
    """
    assert sorted(roots(subject(text).program("modular"))) == ["below", "off"]


# ---------------------------------------------------------------- answers

ANSWERS = {
    "a post is no excuse for what comes before its call": ("FALSE", """
        extern void exit(int);
        int limit;
        int f(int x) { if (x > limit) exit(0); return x; }
        int main(void) { int x = any(); limit = 5; check(x != 7); check(f(x) <= 5); return 0; }"""),
    "a function that does not always return": ("TRUE", """
        extern void exit(int);
        int limit;
        int f(int x) { if (x > limit) exit(0); return x; }
        int main(void) { limit = any(); check(f(any()) <= limit); return 0; }"""),
    "equal arguments, unequal results": ("FALSE", """
        int f(int x) { return x + (any() & 1); }
        int main(void) { check(f(3) == f(3)); return 0; }"""),
    "what a function reads is limited": ("TRUE", """
        int f(int x) { return x + (any() & 1); }
        int main(void) { int y = f(3); check(y == 3 || y == 4); return 0; }"""),
    "a global through a pointer": ("TRUE", """
        int g, h;
        void set(int *p, int v) { if (v > 0) *p = v; }
        int main(void) { h = 4; set(&g, 3); check(g == 3 && h == 4); set(any() ? &g : &h, -1); check(g + h == 7); }"""),
    "a local through a pointer": ("FALSE", """
        void set(int *p, int v) { if (v > 0) *p = v; }
        int main(void) { int x = 2; set(&x, any()); check(x == 2); return 0; }"""),
    "a function below another one": ("TRUE", """
        int state;
        void inner(int n) { if (n == 3) state = 1; }
        int outer(int n) { inner(n); return state; }
        int main(void) { inner(3); state = 0; int r = outer(any()); check(r == 0 || r == 1); return 0; }"""),
    "a loop outside": ("TRUE", """
        int state;
        void next(void) { if (state == 0) state = 1; else if (state == 1) state = 2; else state = 0; }
        int main(void) { state = 0; while (any()) { next(); check(state >= 0 && state <= 2); } return 0; }"""),
    "loops that constants decide": ("FALSE", """
        int state, rounds;
        void next(void) { if (state < 50) state = state + any() % 2; }
        void times(int n) { for (int i = 0; i < n; i++) next(); }
        int main(void) { for (int k = 0; k < 10; k++) { for (int l = 0; l < 10; l++) { times(3); check(state < 3); } } return 0; }"""),
    "a loop outside, a violation in its fourth round": ("FALSE", """
        int state;
        void next(int n) { if (n == 1000 + state) state = state + 1; }
        int main(void) { state = 0; while (any()) { next(any()); check(state < 4); } return 0; }"""),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_answer(name: str) -> None:
    expected, text = ANSWERS[name]
    assert says(text, 60.0 if expected == "TRUE" else 10.0) == expected


def test_clauses_prove_what_is_around_the_functions() -> None:
    answer = verdict("""
        int m_pc, m_st, a_pc, a_st, token, local;
        int wakes(int pc, int st) { return pc == 1 && st == 2; }
        void master(void) {
            if (m_pc == 1) check(token == local + 1);
            local = token;
            if (wakes(a_pc, a_st)) a_st = 0;
            m_pc = 1; m_st = 2;
        }
        void first(void) { if (a_pc == 1) { token++; if (wakes(m_pc, m_st)) m_st = 0; } a_pc = 1; a_st = 2; }
        void schedule(void) {
            while (m_st == 0 || a_st == 0) {
                if (m_st == 0 && any()) master();
                if (a_st == 0 && any()) first();
            }
        }
        int main(void) { token = any(); schedule(); return 0; }""")
    assert isinstance(answer, Safe) and isinstance(answer.certificate, InductiveInvariants)
    assert answer.certificate.preparation == CALLED


def test_eager_summaries_need_fewer_refinements() -> None:
    text = ANSWERS["a loop outside"][1]
    assert says(text, strategy="eager") == "TRUE"
    assert ENGINE.statistics()["refinements"] == 0


def test_all_functions_by_contract() -> None:
    text = ANSWERS["a function below another one"][1]
    assert says(text, choose="all") == "TRUE"


def test_a_bound_ends_the_search() -> None:
    text = ANSWERS["a loop outside, a violation in its fourth round"][1]
    assert says(text, 20.0, bound="1") == Reason.BOUND_REACHED


def test_a_loop_is_unrolled_to_its_end_where_no_function_is_summarised() -> None:
    text = "int main(void) { int n = any() & 1, i = 0, j = 0; while (i <= n) { i++; j += i; } check(i + j > 2 * n); }"
    answer = verdict(text, 20.0)
    assert isinstance(answer, Safe)
    check_proof(subject(text).program("modular"), answer.certificate, Budget(60.0))


@pytest.mark.parametrize("option", ["choose=some", "strategy=", "bound=0", "points=-1", "bound=x", "points=99999999999"])
def test_unusable_options_are_refused(option: str) -> None:
    name, _, value = option.partition("=")
    with pytest.raises(UnusableInput, match=f"summaries.{name}"):
        verdict(SMALL, **{name: value})


def test_pairs_that_are_proved_are_told() -> None:
    tools = Tools(Budget(60.0))
    ENGINE.verify(task("summaries", subject(SMALL), {}), tools)
    told = [one for one in tools.facts.told if one.proved]  # type: ignore[attr-defined]
    assert told and all(isinstance(one.fact, Fact) and one.fact.block == EXIT for one in told)


def test_a_summary_finds_the_pair_of_an_input() -> None:
    check = started(SMALL)
    summary = check.summaries["compare"]
    (ret,) = summary.faced.outputs
    a = check.refinements["compare"].rows.inputs[0]
    parent = summary.of_input(ret, {a: 1})
    small, large = Pair(build.ult(a, 5, 32), (build.eq(ret, a, 32),)), Pair(build.ule(5, a, 32))
    summary.replace(ret, parent, [small, large])
    assert summary.of_input(ret, {a: 7}) is large
    assert summary.pairs == [small]
    assert not summary.allows({a: 1, ret: 2})
    assert summary.allows({a: 7, ret: 2})


def test_a_place_that_no_run_was_at_has_no_snapshots() -> None:
    never, once = ("f", 1), ("f", 2)
    proof = SimpleNamespace(_examples={never: SimpleNamespace(states=[]), once: SimpleNamespace(states=[(1,)])})
    found = Proof._snapshots.fget(proof)  # type: ignore[attr-defined]
    assert {place: list(states) for place, states in found.at.items()} == {never: [], once: [(1,)]}
