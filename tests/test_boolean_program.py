"""Boolean programs: c2bp on the slides' examples, bebop against enumeration."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import hypothesis
import hypothesis.strategies as st
import pytest

from boolean_programs import boolean_program, enumerated, is_run
from c_programs import PRELUDE
from c_programs import program as compiled
from counterpoint.cli.command import run_command
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.predicates.slam.bebop import Exploration, NoError, check
from counterpoint.engines.predicates.slam.c2bp import Abstraction
from counterpoint.engines.predicates.slam.dump import dump_over, of_user
from counterpoint.engines.predicates.slam.expressions import parse
from counterpoint.engines.predicates.slam.implications import Implications
from counterpoint.engines.predicates.slam.layers import Trace
from counterpoint.engines.predicates.slam.program import BooleanProgram
from counterpoint.engines.predicates.slam.relations import Relations
from counterpoint.engines.predicates.slam.text import boolean_program_text
from counterpoint.engines.predicates.slam.user_predicates import precision_of, user_predicate
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.instance import placed
from counterpoint.regions.locations import BASIC, ERROR, LARGE, Granularity, following, locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term

# ---------------------------------------------------------------- bebop


def new_manager(package: str) -> object:
    return pytest.importorskip(f"dd.{package}").BDD()


@pytest.mark.parametrize("package", ["cudd", "autoref"])
def test_bebop_against_enumeration(package: str) -> None:
    """The verdict, the reachable states, the length of the trace, and that it is one, calls left out included."""
    counts = {"safe": 0, "error": 0, "returned": 0}

    @hypothesis.settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @hypothesis.given(st.integers(0, 2**32))
    def agree(seed: int) -> None:
        program = boolean_program(Random(seed))
        found = check(program, Budget(90.0), new_manager(package))
        known = enumerated(program, 3_000)
        if isinstance(found, Trace):
            counts["error"] += 1
            counts["returned"] += any(edge.target[1] == EXIT for edge in found.edges)
            assert is_run(program, found.edges, found.states)
            assert known.error == len(found.edges) if known.error is not None else not known.whole
        else:
            counts["safe"] += 1
            assert known.error is None
            compare_states(program, found, known.visited, known.whole)

    agree()
    assert min(counts.values()) > 2, counts


def compare_states(program: BooleanProgram, found: NoError, visited: set, whole: bool) -> None:
    for place, tracked in program.tracked.items():
        for number in range(1 << len(tracked)):
            values = tuple(bool(number >> n & 1) for n in range(len(tracked)))
            names = {str(t.predicate.payload): int(v) for t, v in zip(tracked, values, strict=True) if isinstance(t.predicate, Term)}
            reached = bool(evaluate(found.states[place], names))
            assert reached or (place, values) not in visited
            if whole:
                assert reached == ((place, values) in visited)
    assert (ERROR, ()) not in visited


# ---------------------------------------------------------------- c2bp


def abstracted(
    text: str, *predicates: str, granularity: Granularity = BASIC, backend: str = "z3", largest: int = 3
) -> BooleanProgram:
    """The Boolean program of the inlined text over these predicates."""
    where = locations(compiled(text, preparation="inlined"), granularity)
    precision, labels = precision_of(where, {}, [user_predicate(text) for text in predicates])
    encoded = EncodedSteps(where, {}, Budget(90.0))
    return Abstraction(encoded, largest, Implications(backend)).program(precision, labels)


def lines(program: BooleanProgram) -> list[str]:
    return [line.strip() for line in boolean_program_text(program).splitlines()]


SLAM = """
int locked, nPackets, nPacketsOld, request;
void KeAcquireSpinLock(void) { check(!locked); locked = 1; }
void KeReleaseSpinLock(void) { check(locked); locked = 0; }
int main(void) {
    nPackets = any();
    do {
        KeAcquireSpinLock();
        nPacketsOld = nPackets;
        request = any();
        if (request) { KeReleaseSpinLock(); nPackets++; }
    } while (nPackets != nPacketsOld);
    KeReleaseSpinLock();
}"""


def test_slide_21() -> None:
    """Without b the lock may be taken twice: the trace goes round the loop once, without releasing it."""
    program = abstracted(SLAM, "l: locked")
    found = check(program, Budget(90.0))
    assert isinstance(found, Trace)
    assert is_run(program, found.edges, found.states)
    taken = [state for state in found.states if state]
    assert taken == sorted(taken) and taken[0] == (False,) and taken[-1] == (True,)
    targets = [edge.target for edge in found.edges[:-1]]
    assert len(set(targets)) < len(targets)


@pytest.mark.parametrize("granularity", [BASIC, LARGE])
@pytest.mark.parametrize("backend", ["z3", "bitwuzla"])
def test_slides_23_and_24(granularity: Granularity, backend: str) -> None:
    """With b: nPacketsOld == nPackets there is no error; where it is incremented, b = b ? false : *."""
    program = abstracted(SLAM, "l: locked", "b: nPacketsOld == nPackets", granularity=granularity, backend=backend)
    found = check(program, Budget(90.0))
    assert isinstance(found, NoError)
    if granularity == BASIC:
        assert "l, b := false, b ? false : *;" in lines(program)
        assert {"assume(b);", "assume(!b);", "l, b := true, true;"} <= set(lines(program))


def test_slide_19() -> None:
    """p1 = (p1 && p2 ? true : *): for integers, but 32-bit ones wrap, so p2 bounds them."""
    loop = """int x, y; int main(void) { x = 1; y = 2; while (any()) x = x + y; check(x > 0); }"""
    wrapping = abstracted(loop, "p1: x > 0", "p2: y >= 0")
    assert isinstance(check(wrapping, Budget(90.0)), Trace)
    assert "p1 := *;" in lines(wrapping)  # p1 && p2 says nothing of the sum
    guarded = loop.replace("x = x + y", "{ if (x < 1000) x = x + y; }")
    program = abstracted(guarded, "p1: x > 0", "p2: y >= 0 && y < 1000", "p3: x < 1000")
    assert isinstance(check(program, Budget(90.0)), NoError)
    assert any(line.startswith("p1, p3 := p1 && p2 && p3 ? true : *, ") for line in lines(program))


def test_guards_and_cubes() -> None:
    """What the guard says is known behind it; impossible states are left out; cubes are minimal and short."""
    text = "int x, y; int main(void) { x = any(); y = any(); if (x > 5) y = x; check(x > 5 || 1); y = x + 1; x = y; if (x > 7) check(y > 7); }"
    program = abstracted(text, "a: x > 3", "b: x > 5", "c: y > 7", "d: x > 7")
    assert isinstance(check(program, Budget(90.0)), NoError)
    texts = lines(program)
    assert any(line.startswith("enforce(!(!a && b") for line in texts)
    assert isinstance(check(abstracted(text, "c: y > 7"), Budget(90.0)), NoError)  # the guard knows that y is x
    assert isinstance(check(abstracted(text, "a: x > 3", "d: x > 7"), Budget(90.0)), Trace)


def test_longer_cubes_are_needed() -> None:
    """s > 2 follows from three literals, and from no two of them."""
    text = """int x, y, z, s; int main(void) { x = any(); y = any(); z = any();
        if ((x > 0) & (x < 9)) if ((y > 0) & (y < 9)) if ((z > 0) & (z < 9)) { s = any(); if (s == x + y + z) check(s > 2); } }"""
    predicates = ["x > 0 && x < 9", "y > 0 && y < 9", "z > 0 && z < 9", "s > 2"]
    assert isinstance(check(abstracted(text, *predicates), Budget(90.0)), NoError)
    assert isinstance(check(abstracted(text, *predicates, largest=2), Budget(90.0)), Trace)


RECURSIVE = """
int locked;
void take(int n) {
    check(!locked);
    locked = 1;
    if (n > 0) { RELEASE take(n - 1); locked = 1; }
    locked = 0;
}
int main(void) { locked = 0; take(any()); take(any()); check(!locked); }"""


@pytest.mark.parametrize("granularity", [BASIC, LARGE])
def test_recursion(granularity: Granularity) -> None:
    """Both calls use one summary: entered unlocked, take comes back unlocked."""
    program = abstracted(RECURSIVE.replace("RELEASE", "locked = 0;"), "l: locked", granularity=granularity)
    found = check(program, Budget(90.0))
    assert isinstance(found, NoError)
    exit_ = program.tracked["take", EXIT]
    assert found.states["take", EXIT] == build.not_(exit_[0].predicate)
    broken = check(abstracted(RECURSIVE.replace("RELEASE", ""), "l: locked", granularity=granularity), Budget(90.0))
    assert isinstance(broken, Trace)
    assert [edge.call for edge in broken.edges if edge.call >= 0] == [0, 0]  # into take, and into take from there
    assert broken.edges[-1].source[0] == "take" and broken.edges[-1].target == ERROR


def test_traces_come_back_from_calls() -> None:
    """The caller's own edge stands behind the callee's edges to EXIT."""
    text = """int seen; void down(int n) { if (n > 0) down(n - 1); else seen = any(); }
        int main(void) { down(any()); check(seen == 0); }"""
    program = abstracted(text, "seen == 0")
    found = check(program, Budget(90.0))
    assert isinstance(found, Trace)
    assert is_run(program, found.edges, found.states)
    back = next(n for n, edge in enumerate(found.edges) if edge.target == ("down", EXIT))
    assert found.edges[0].call == 0 and found.edges[back + 1].source == found.edges[0].source


def test_answers_are_remembered() -> None:
    """The second time, nothing is asked; with one predicate more, only about it."""
    where = locations(compiled(SLAM, preparation="inlined"))
    abstraction = Abstraction(EncodedSteps(where, {}, Budget(90.0)))
    both = [user_predicate("l: locked"), user_predicate("b: nPacketsOld == nPackets")]
    abstraction.program(*precision_of(where, {}, both[:1]))
    first = abstraction.implications.asked
    text = boolean_program_text(abstraction.program(*precision_of(where, {}, both)))
    second = abstraction.implications.asked
    assert text == boolean_program_text(abstraction.program(*precision_of(where, {}, both)))
    assert 0 < first < second == abstraction.implications.asked


STRAIGHT = """int x, y; int main(void) {
    x = any(); y = any(); __VERIFIER_assume(x > -50 && x < 50 && y > -50 && y < 50);
    if (x < y) { x = x + 3; y = x - y; } else { y = y - x; if (y == 0) x = -x; }
    check(x * 3 + y != %d); }"""


@pytest.mark.parametrize("number", [9, 200])
def test_no_error_is_lost(number: int) -> None:
    """Where a run fails, the abstraction has a trace, whatever is tracked."""
    text = STRAIGHT % number
    fails = any(
        isinstance(run(compiled(text), ReplayInputs([x % 2**32, y % 2**32])).outcome, Violated)
        for x in range(-49, 50, 7) for y in range(-49, 50)
    )  # fmt: skip
    for predicates in (["x < y", "x * 3 + y == 9"], ["y == 0", "x > y", "y - x < 2"], ["x * 3 + y > 190"]):
        assert isinstance(check(abstracted(text, *predicates), Budget(90.0)), Trace) or not fails


# ---------------------------------------------------------------- expressions


def test_expressions_are_cs() -> None:
    x, y, p = build.variable("x", BitVec(32)), build.variable("y", BitVec(8)), build.variable("p", BitVec(64))
    names = {"x": x, "y%7": y, "p": p}
    expected = {
        "x > 0": build.slt(0, x, 32),
        "x + y%7 == -1": build.eq(build.add(x, build.sext(y, 8, 32), 32), 2**32 - 1, 32),
        "(unsigned)x < 5": build.ult(x, 5, 32),
        "x < 5u": build.ult(x, 5, 32),
        "p >= x": build.sle(build.sext(x, 32, 64), p, 64),
        "x && !p": build.and_(build.ne(x, 0, 32), build.eq(p, 0, 64)),
        "x - 1 - 2 == 0": build.eq(x, 3, 32),
        "x % 4 == (x > 0 ? 1 : 2)": build.eq(build.srem(x, 4, 32), build.ite(build.slt(0, x, 32), 1, 2, 32), 32),
        "(unsigned char)x == 7": build.eq(build.extract(7, 0, x, 32), 7, 8),
    }
    for text, formula in expected.items():
        assert parse(text).predicate(names) == formula, text


@pytest.mark.parametrize("text", ["x >", "x $ 1", "1 2", "(long char)x", "99999999999999999999", ""])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(UnusableInput) as refused:
        parse(text)
    assert "\n" not in str(refused.value)


def test_unknown_names() -> None:
    with pytest.raises(UnusableInput, match="nothing is named foo"):
        dump_over(compiled(SLAM), of_user([user_predicate("foo == 1")]), Budget(90.0))


def test_shown_with_states() -> None:
    """What `dump --boolean-program` prints: what can be reached, and the verdict."""
    both = of_user([user_predicate("l: locked"), user_predicate("b: nPackets == nPacketsOld")])
    text = dump_over(compiled(SLAM, preparation="inlined"), both, Budget(90.0))
    # Which comes first hangs on which formula this process made first.
    assert any(f"// reached with {both}" in text for both in ("l && b", "b && l")) and "// never reached" in text
    assert text.endswith("// bebop: error is not reachable\n")
    assert "//   error" in dump_over(compiled(SLAM, preparation="inlined"), of_user([]), Budget(90.0))


@pytest.fixture
def restored_signals() -> Iterator[None]:
    """The command sets handlers."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str], restored_signals: None) -> None:
    """The command's output and exit statuses."""
    file = tmp_path / "slam.c"
    file.write_text(PRELUDE + SLAM)
    options = [str(file), "--boolean-program", "--prepare", "none", "--predicate", "l: locked"]
    assert run_command(["dump", *options, "--predicate", "b: nPackets == nPacketsOld"]) == 0
    text = capsys.readouterr().out
    assert "b ? false : *" in text and text.endswith("error is not reachable\n")
    assert "nPacketsOld = nPackets;" in text  # a line of the source
    assert run_command(["dump", *options, "--predicate", "b: nPackets == Old"]) == 2
    assert "nothing is named Old" in capsys.readouterr().err


COUNTING = """int a, b, c, d, s; int main(void) {
    a = any(); b = any(); c = 0; d = 0;
    while (any()) {
        if (a < b) { a = a + 1; c = c + 1; } else { b = b + 1; d = a; }
        if (c > d) s = 1; else { s = a - b; c = d; }
        if (c > 100) { c = 0; d = s; }
    } }"""


@pytest.mark.parametrize("granularity", [BASIC, LARGE])
@pytest.mark.parametrize("predicates", [["a < b", "c > d", "s != 0"], ["a == b", "c <= 100", "c >= 0", "d >= c"]])
def test_states_are_inductive(predicates: list[str], granularity: Granularity) -> None:
    """A solver agrees, edge by edge, with the states that c2bp and bebop find."""
    where = locations(compiled(COUNTING, preparation="inlined"), granularity)
    encoded = EncodedSteps(where, {}, Budget(90.0))
    precision, _ = precision_of(where, {}, [user_predicate(predicate) for predicate in predicates])
    program = Abstraction(encoded).program(precision)
    exploration = Exploration(Relations(program))
    exploration.run(Budget(90.0))
    states, questions = exploration.states(), Implications()
    asked = 0
    for place in program.tracked:
        for target in following(where, place).places:
            for end in encoded.ends(place, target):
                behind = encoded.finish(place, build.implies(end.formula, placed(states[target], end.value)))
                base = build.conjunction([states[place], *behind.axioms])
                with questions.under(base, [], Budget(90.0)) as question:
                    assert question.implied((), behind.formula), (place, target)
                asked += behind.formula != 1
    assert asked or granularity == LARGE
