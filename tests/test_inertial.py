"""Inertial refinement: figure 1 of the paper with all strategies, loops as functions, and what is skipped."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.events import Event, Progress
from counterpoint.engines import task
from counterpoint.engines.inertial import InertialRefinement, search_of
from counterpoint.engines.inertial.contexts import Context, Hoisting, Step, calls_of
from counterpoint.engines.inertial.correction import CORRECTIONS, EXACT_CORES, Blocks, by_hitting_sets, lightest_hitting
from counterpoint.engines.inertial.maxsat import given_up
from counterpoint.engines.inertial.outline import outlined
from counterpoint.engines.inertial.refinement import MOST_GUESSED
from counterpoint.engines.inertial.strategies import NAMES
from counterpoint.engines.inertial.strategies.ir import Inertial
from counterpoint.engines.inertial.strategies.protocol import Decision, Enter, Excluded, Undecided
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits
from counterpoint.program.graph import loops
from counterpoint.program.validate import validate
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V


def decided(
    text: str, property_: str = "unreach-call", *, seconds: float = 20.0, **options: str
) -> tuple[Verdict, Mapping[str, int | float]]:
    """What the engine says, with its statistics. A proof is checked."""
    engine = InertialRefinement()
    given = {f"inertial.{name}": value for name, value in options.items()}
    asked = task("inertial", subject(text, property_), given)
    try:
        verdict = engine.verify(asked, Tools(Budget(seconds)))
    except OutOfBudget:
        verdict = Unknown(Reason.OUT_OF_TIME, "")
    if isinstance(verdict, Safe):
        checked = subject(text, property_).program(verdict.certificate.preparation)
        check_proof(checked, verdict.certificate, Budget(30.0))
    return verdict, engine.statistics()


# ---------------------------------------------------------------- figure 1

FOO = """
int mix(int v) { return v * 7 + 3; }
int bar(int v) { int s = mix(v); s = s * 31 + mix(s + v); return s; }
int neg(int a) { if (a > 0) return -a; else return a; }
void foo(int *p, int c) {
    int x, y;
    if (p == 0) x = c; else x = bar(*p);
    %s
    if (x == c) y = neg(x); else y = 0;
    %s
}
int main(void) { int v = any(); int c = any(); foo(any() ? &v : 0, c); return 0; }
"""
LINE7 = FOO % ("check(x > c);", "")
LINE12 = FOO % ("", "check(y >= 0);")
LOOPF = """
void loopf(int n) {
    int i = 0, j = 0;
    while (i < n) { j = j + 2 * i; i = i + 1; }
    if (n >= 0 && n < 1000) check(n == 0 || j < 2 * n);
}
int main(void) { loopf(any()); return 0; }
"""


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("naive", {(3, 3)}),
        ("dcr", {(0, 1), (3, 4)}),
        ("dcr+", {(0, 1), (3, 3)}),
        ("ir", {(0, 1)}),
        ("ir+dcr", {(0, 1)}),
    ],
)
def test_line_7_is_refuted_with_nothing_entered(name: str, counted: set[tuple[int, int]]) -> None:
    """[figure 1 and section II]: a run through line 4 needs no call. What DCR enters is what the solver's model needs:
    the calls of line 5, or none if the model goes through line 4."""
    verdict, numbers = decided(LINE7, strategy=name)
    assert isinstance(verdict, Unsafe)
    assert (numbers.get("regions_expanded", 0), numbers["iterations"]) in counted


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("naive", {(4, 3)}),
        ("dcr", {(1, 2), (2, 3), (4, 5)}),
        ("dcr+", {(1, 2), (2, 2), (4, 3)}),
        ("ir", {(1, 2)}),
        ("ir+dcr", {(1, 2)}),
    ],
)
def test_line_12_is_refuted_with_neg_alone(name: str, counted: set[tuple[int, int]]) -> None:
    """[example 2]: every way to the failure calls `neg`; `bar`, which calls more, is not needed, though the models that
    DCR follows may go through it."""
    verdict, numbers = decided(LINE12, strategy=name)
    assert isinstance(verdict, Unsafe)
    assert (numbers.get("regions_expanded", 0), numbers["iterations"]) in counted


@pytest.mark.parametrize("name", ["ir", "ir+dcr"])
def test_loopf_fails_in_the_fourth_iteration(name: str) -> None:
    """[section IV.A]: pi_1+, pi_2+, pi_3+ are entered, and with pi_4+ blocked n = 3 is found."""
    verdict, numbers = decided(LOOPF, strategy=name, batches="false")
    assert isinstance(verdict, Unsafe)
    assert [one.value for one in verdict.violation.inputs] == [3]  # type: ignore[union-attr]
    assert (numbers["regions_expanded"], numbers["iterations"]) == (3, 4)
    verdict, numbers = decided(LOOPF, strategy=name)
    assert isinstance(verdict, Unsafe)
    assert (numbers["regions_expanded"], numbers["iterations"]) == (3, 3)


# ---------------------------------------------------------------- what is skipped

SKIPPED = {
    "a caller's local through a pointer": (
        "static void set(int *p) { *p = 5; } int main(void) { int x = 0; set(&x); check(x != %s); return 0; }",
        ("5", "4"),
    ),
    "a global": (
        "int g; void set(void) { g = any(); } int main(void) { set(); check(g != 7 || g != %s); return 0; }",
        ("7", "8"),
    ),
    "the same bytes read twice": (
        "void set(int *p) { *p = any(); } int main(void) { int x; set(&x); int y = x; check(x == y %s); return 0; }",
        ("&& x != 3", ""),
    ),
    "exit": (
        "extern void exit(int); void leave(int x) { if (x > 0) exit(0); }"
        "int main(void) { int x = any(); leave(x); check(x <= %s); return 0; }",
        ("-1", "0"),
    ),
    "assume": (
        "void want(int x) { __VERIFIER_assume(x > 0); }"
        "int main(void) { int x = any(); want(x); check(x > %s); return 0; }",
        ("1", "0"),
    ),
    "an endless loop": (
        "void wait(int x) { while (x == 3) {} } int main(void) { int x = any(); wait(x); check(x != %s); return 0; }",
        ("4", "3"),
    ),
    "a check": (
        "void ask(int x) { check(x != 3); } int main(void) { int x = any(); if (x > %s) ask(x); return 0; }",
        ("2", "3"),
    ),
    "recursion": (
        "int down(int n) { return n <= 0 ? 0 : 1 + down(n - 1); }"
        "int main(void) { int n = any(); __VERIFIER_assume(n < 4); check(down(n) != %s); return 0; }",
        ("3", "4"),
    ),
    "functions that call each other": (
        "int even(int n); int odd(int n) { return n == 0 ? 0 : even(n - 1); }"
        "int even(int n) { return n == 0 ? 1 : odd(n - 1); } int main(void) { int n = any();"
        "if (n < 0 || n > 3) return 0; check(even(n) == (n %% 2 == %s)); return 0; }",
        ("1", "0"),
    ),
    "values merged with another path's": (
        "int far(int v) { return v ^ v; } int main(void) { int x = any(), y = 2; if (x) y = far(x); check(y %s); return 0; }",
        ("!= 0", "!= 3"),
    ),
    "a check in a loop's third iteration": (
        "int main(void) { int n = any(); for (int i = 0; i < n && i < %s; i++) check(i != 2); return 0; }",
        ("5", "2"),
    ),
}


@pytest.mark.parametrize("name", SKIPPED)
def test_what_a_skipped_call_does_is_neither_lost_nor_believed(name: str) -> None:
    text, (wrong, right) = SKIPPED[name]
    for strategy in ("ir", "dcr+"):
        assert isinstance(decided(text % wrong, strategy=strategy)[0], Unsafe), strategy
    assert isinstance(decided(text % right)[0], Safe)


BLOCKS = """
int *make(void) { int *p = malloc(4); if (!p) __VERIFIER_assume(0); *p = 1; return p; }
void end(int *p) { free(p); }
int main(void) { int *p = make(); %s }
"""


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("int x = *p; end(p); return x;", False),
        ("end(p); return *p;", True),
        ("if (any()) end(p); end(p); return 0;", True),
        ("end(p); p = make(); int x = *p; end(p); return x;", False),
        ("int *q = make(); end(q); int x = *p; end(p); return x;", False),
        ("end(p); int *q = make(); int x = *p; end(q); return x;", True),
    ],
)
def test_a_block_may_die_in_a_skipped_call_and_none_comes_back(body: str, wrong: bool) -> None:
    verdict, _ = decided(BLOCKS % body, "memory-safety")
    assert isinstance(verdict, Unsafe if wrong else Safe)


def test_a_part_without_a_meaning_in_a_skipped_call_is_no_proof() -> None:
    text = "int odd(int x) { if (x == 9) __asm__(\"nop\" : \"+r\"(x)); return x; }"
    verdict, _ = decided(text + "int main(void) { int x = any(); odd(x); check(x == x); return 0; }")
    assert isinstance(verdict, Safe | Unknown)
    verdict, _ = decided(text + "int main(void) { int x = any(); check(odd(x) != x + 1); return 0; }")
    assert isinstance(verdict, Unknown)


def test_contexts_that_are_cut_short_prove_nothing() -> None:
    """The check stands deeper than any context that is looked at."""
    text = """
        void walk(int n) { check(n > -200); if (n > -300) walk(n - 1); }
        int main(void) { if (any() == 5) walk(0); return 0; }
    """
    verdict, numbers = decided(text, seconds=3.0)
    assert isinstance(verdict, Unknown)
    assert numbers["contexts"] > 3
    hoisting = Hoisting(calls_of(outlined(program(text, preparation="modular")).program), "__cp_main")
    context: Context | None = Context("main", (Step("main:1.0", "walk"),))
    while context is not None:
        context = hoisting.longer(context)
    assert hoisting.cut_short


def test_the_nearest_contexts_only() -> None:
    """`f` is called in two ways from main and by itself; the longer ways stay unknown."""
    text = """
        void f(int n) { check(n < 9); if (n > 0) f(n - 1); }
        void g(int n) { f(n); }
        int main(void) { int n = any(); if (n < 7) { if (n == 3) f(n); else g(n); } return 0; }
    """
    found = outlined(program(text, preparation="modular")).program
    for most in (1, 2, 9):
        hoisting = Hoisting(calls_of(found), found.entry, most)
        lengths = [len(context.steps) for context in hoisting.outwards(Context("f"))]
        assert lengths == [2, 3][:most]
        assert hoisting.cut_short is (most == 1)
        assert hoisting.longer(Context("main", (Step("main:1.0", "f"),))) is None
        assert hoisting.cut_short
    verdict, numbers = decided(text, contexts="1")
    assert isinstance(verdict, Unknown)
    assert numbers["contexts"] == 2


# ---------------------------------------------------------------- contexts and correction sets


def test_contexts_enter_their_calls_and_no_others() -> None:
    own = {"f": frozenset({"f:2.0"}), "g": frozenset[str]()}
    context = Context("main", (Step("main:1.0", "f", times=3), Step("f:4.1", "g")))
    inside = ("main:1.0[]/", "main:1.0[]/f:2.0[]/", "main:1.0[]/f:2.0[]/f:2.0[]/", "main:1.0[]/f:2.0[]/f:4.1[2]/")
    outside = ("main:3.0[]/", "main:1.0[]/f:2.0[]/f:2.0[]/f:2.0[]/", "main:1.0[]/f:4.0[]/", "main:1.0[]/f:4.1[]/g:0.0[]/")
    assert all(context.enters(name, own) for name in inside)
    assert not any(context.enters(name, own) for name in outside)


def test_bounded_contexts_are_looked_at_one_function_after_the_other() -> None:
    """What was found to be possible in any state is asked about at the entry before the next function is."""
    text = "void one(int x) { check(x != 3); } void two(int x) { check(x != 4); }"
    text += "int main(void) { int x = any(); __VERIFIER_assume(x < 3); one(x); two(x); return 0; }"
    states: list[str] = []

    def observe(event: Event) -> None:
        if isinstance(event, Progress):
            states.append(event.state.split(",")[0])

    asked = task("inertial", subject(text, "unreach-call"), {"inertial.contexts": "1"})
    search = search_of(asked, Tools(Budget(20.0), observe), {})
    search.search()
    roots = [state.split()[-1] == search.setting.program.entry for state in states if " from " in state]
    assert roots == [False, True, False, True]
    assert len(search.at_once) == 2 and not search.refinements


def placeholder(number: int, weight: int) -> Placeholder:
    return Placeholder(f"main:{number}.0[]/", "f", build.variable(f"pi {number}", BOOL), weight)


def test_the_smallest_set_hits_all_cores_and_of_these_the_lightest() -> None:
    a, b, c, d = (placeholder(number, weight) for number, weight in enumerate((50, 3, 3, 1)))
    assert lightest_hitting([(a, b), (a, c)]) == [a]
    assert set(lightest_hitting([(a, b), (a, c), (d,)])) == {a, d}
    assert {one.instance for one in lightest_hitting([(a, b), (b, c)])} == {b.instance}


def test_cores_with_nothing_in_common_take_no_search() -> None:
    cores = [tuple(placeholder(10 * number + k, 5) for k in range(10)) for number in range(EXACT_CORES)]
    assert len(lightest_hitting(cores)) == EXACT_CORES


class Silent:
    """Says of runs without blocks that there are some, and does not know of any others."""

    def __init__(self, core: list[Placeholder]) -> None:
        self.cone = [placeholder(0, 3), placeholder(1, 2)]
        self.first: Answer = Unsat() if core else SolverUnknown("timeout")
        self.held = core

    def in_cone(self, formula: V) -> list[Placeholder]:
        return self.cone

    def core(self, answer: Unsat) -> list[Placeholder]:
        return self.held

    def ask(self, formula: V, blocked: object = (), purpose: str = "", share: float = 1.0) -> Answer:
        first, self.first = self.first, SolverUnknown("timeout")
        return first


class Blocked(Silent):
    """A run passes both placeholders of `ways` or there is none; runs without blocks are not known of."""

    def __init__(self, possible: bool) -> None:
        super().__init__([])
        self.possible = possible

    def ask(self, formula: V, blocked: object = (), purpose: str = "", share: float = 1.0) -> Answer:
        if not blocked and purpose != "correction":
            return SolverUnknown("timeout")
        if not blocked and self.possible:
            return Sat(None)  # type: ignore[arg-type]
        assert isinstance(blocked, list)
        self.held = list(blocked[:1])
        return Unsat()


@pytest.mark.parametrize("possible", [True, False])
def test_cores_tell_where_the_question_without_blocks_has_no_answer(possible: bool) -> None:
    """What has to be entered is a correction set nevertheless, and a core with no blocks excludes the condition."""
    decision = Inertial(by_hitting_sets).decide(Blocked(possible), 1)  # type: ignore[arg-type]
    if possible:
        assert isinstance(decision, Enter) and len(decision.chosen) == 2 and not decision.guessed
    else:
        assert isinstance(decision, Excluded)


class Guessing:
    """A strategy that never knows."""

    name = "guessing"

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        return Enter(tuple(unfolding.in_cone(condition)[:1]), guessed=True)


@pytest.mark.parametrize(("contexts", "least"), [("0", MOST_GUESSED), ("1", 0)])
def test_a_condition_is_given_up_after_some_choices_without_an_answer(contexts: str, least: int) -> None:
    """With bounded contexts at the first one."""
    text = "int down(int n) { return n <= 0 ? 0 : 1 + down(n - 1); } int main(void) { check(down(any()) != 99); return 0; }"
    asked = task("inertial", subject(text, "unreach-call"), {"inertial.contexts": contexts})
    search = search_of(asked, Tools(Budget(20.0)), {})
    search.strategy = Guessing()
    search.search()
    (one,) = search.refinements
    assert (one.outcome, len(one.entered) >= least, bool(one.entered)) == ("given up", True, least > 0)
    assert list(search.undecided.values()) == ["no solver could tell what has to be entered"]


def test_no_answer_is_none() -> None:
    """Where the solver does not know, nothing is excluded and no correction set is made up."""
    unfolding = Silent([])
    assert isinstance(Inertial(by_hitting_sets).decide(unfolding, 1), Undecided)  # type: ignore[arg-type]
    unfolding = Silent([placeholder(1, 2)])
    decision = Inertial(by_hitting_sets).decide(unfolding, 1)  # type: ignore[arg-type]
    assert isinstance(decision, Enter) and [one.instance for one in decision.chosen] == ["main:1.0[]/"]
    assert decision.guessed
    blocks = Blocks(Silent([]), 1, (placeholder(0, 1),), (placeholder(0, 1),), None)  # type: ignore[arg-type]
    assert by_hitting_sets(blocks) is None


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_all_ways_to_a_correction_set_find_line_12(correction: str) -> None:
    verdict, numbers = decided(LINE12, correction=correction)
    assert isinstance(verdict, Unsafe) and numbers["regions_expanded"] == 1


def test_maxsat_gives_up_the_least() -> None:
    a, b, c = (build.variable(name, BOOL) for name in "abc")
    hard = [build.or_(a, b), build.or_(a, c)]
    soft = [(build.not_(a), 3), (build.not_(b), 1), (build.not_(c), 1)]
    assert given_up(hard, soft, 10.0) == [1, 2]
    assert given_up(hard, [(build.not_(a), 1), *soft[1:]], 10.0) == [0]
    assert given_up([a, build.not_(a)], soft, 10.0) is None


# ---------------------------------------------------------------- loops as functions

LOOPS = (
    "int main(void) { int s = 0; for (int i = 0; i < 5; i++) { if (any() > 9) break; for (int j = i; j; j--) s += j; }"
    " check(s != 7); return s; }",
    "int main(void) { int i = 0, k = 3; do { i++; if (i == k) continue; if (any()) k = i; } while (i < 9); check(k); return 0; }",
    "int g; int next(void) { return ++g < 7 ? any() : 0; } int main(void) { int c, n = 0; while ((c = next()) != 0) n += c;"
    " check(n != 12); return n; }",
    "int main(void) { int n = any(); for (;;) { if (n == 1) return 0; if (n == 2) goto out; n = any(); } out: check(0); return 1; }",
    "int main(void) { int n = any(); if (n) goto in; while (n < 3) { n++; in: n += any() > 0; } check(n != 5); return 0; }",
    "int main(void) { int a[4] = {0}, i = any() & 3; int *p = a; while (p != a + i) *p++ = any(); check(a[1] != 4); for (;;) ; }",
)


@pytest.mark.parametrize("text", LOOPS)
def test_loops_as_functions_do_the_same(text: str) -> None:
    """The same inputs, in the same order, and the same end."""
    before = program(text, preparation="modular")
    after = outlined(before).program
    validate(after)
    left = [name for name, function in after.functions.items() if loops(function)]
    assert left == (["main"] if "in:" in text else [])  # a loop with two entries stays one
    for seed in range(30):
        limits = Limits(steps=3000)
        one = run(before, RandomInputs(seed), limits)
        other = run(after, ReplayInputs(one.inputs), Limits(steps=20_000))
        if "StepLimit" not in type(one.outcome).__name__:
            assert other.outcome == one.outcome and other.inputs == one.inputs


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("option", ["strategy best", "correction none", "batches yes", "query 0", "query soon"])
def test_options_that_mean_nothing_are_refused(option: str) -> None:
    name, value = option.split()
    asked = task("inertial", subject("int main(void) { return 0; }"), {f"inertial.{name}": value})
    with pytest.raises(UnusableInput, match=rf"option inertial\.{name}: `{value}`"):
        InertialRefinement().verify(asked, Tools(Budget(5.0)))
    assert set(NAMES) == {"naive", "dcr", "dcr+", "ir", "ir+dcr"}
