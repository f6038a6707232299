"""SLAM's loop: what it finds step by step on the slides, and what it says of small programs, each safe and with a bug,
that its proofs are accepted by the checker, and that its violations are runs of the unprepared program."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint import engines
from counterpoint.cli.command import run_command
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.predicates import ENGINE, Options
from counterpoint.engines.predicates.slam.activations import activation_of
from counterpoint.engines.predicates.slam.bebop import check
from counterpoint.engines.predicates.slam.layers import Trace
from counterpoint.engines.predicates.slam.search import Slam, after
from counterpoint.engines.predicates.slam.text import boolean_program_text
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.explain.names import Names
from counterpoint.regions.locations import BASIC, LARGE
from counterpoint.semantics.cutpoint import EXIT
from slides import locks, slide
from test_impact import KINDS, Kind

BASIC_BLOCKS = Options(block=BASIC, preparation="inlined", trials=False, facts=False)


def slide_text(name: str) -> str:
    return slide(name).read_text(encoding="utf-8").replace("extern", "// extern")


def loop(text: str, steps: float, options: Options = BASIC_BLOCKS) -> tuple[Slam, Verdict | None]:
    slam, verdict = after(subject(text).program(options.preparation), options, Tools(Budget(90)), steps)
    slam.close()
    return slam, verdict


def found(slam: Slam) -> set[str]:
    """The predicates, as text."""
    function = slam.program.main
    return {text for there in slam.predicates.values() for text in map(Names(function, there).text, there)}


def lines(slam: Slam) -> set[str]:
    """Those of the last Boolean program."""
    assert slam.made is not None
    return {line.strip() for line in boolean_program_text(slam.made).splitlines()}


# ---------------------------------------------------------------- the slides

SLAM = slide_text("slam").replace("__VERIFIER_nondet_uint()", "(unsigned)any()")


def test_slides_20_to_24() -> None:
    """The state of the lock first, which the slides take for granted (U and L), then b: nPacketsOld == nPackets, with
    which there is no error. The third Boolean program is slide 21's, the fourth one slide 23's."""
    expected = [set(), {"lock == 0"}, {"lock == 0", "lock == 1"}]
    for step, predicates in enumerate(expected):
        slam, verdict = loop(SLAM, step)
        assert verdict is None and found(slam) == predicates
    slam, verdict = loop(SLAM, 3)
    (b,) = found(slam) - expected[-1]
    assert verdict is None and b.count("nPackets") == 2 and "==" in b
    before = lines(slam)
    assert "b1, b2 := false, true;" in before and not any("b3" in line for line in before)
    slam, verdict = loop(SLAM, 9)
    assert isinstance(verdict, Safe) and slam.refinements == 3
    assert {"assume(b3);", "assume(!b3);", "b1, b2, b3 := false, true, true;"} <= lines(slam)


def test_slide_21_is_an_error_of_the_abstraction_only() -> None:
    """With the lock alone the trace goes round the loop without releasing it."""
    slam, _ = loop(SLAM, 2)
    trace = check(slam.abstraction.program(slam.predicates), Budget(10))
    assert isinstance(trace, Trace)
    targets = [edge.target for edge in trace.edges]
    assert len(set(targets)) == len(targets) - 1


@pytest.mark.parametrize("scope", ["function", "place"])
@pytest.mark.parametrize("block", ["single", "basic", "large"])
def test_slides_20_to_24_in_all_block_sizes(block: str, scope: str) -> None:
    assert isinstance(verdict_of(SLAM, ("block", block), ("scope", scope)), Safe)


def test_slide_19() -> None:
    """x > 0 stays true where it was, and x + y does not wrap: b = b ? true : *."""
    slam, verdict = loop(slide_text("predicates"), 9)
    assert isinstance(verdict, Safe) and found(slam) == {"x > 0"}
    assert "b1 := b1 ? true : *;" in lines(slam)


def test_slide_9() -> None:
    assert isinstance(verdict_of(slide_text("signs")), Safe)


@pytest.mark.parametrize("n", [1, 2])
def test_locks(n: int) -> None:
    """Slides 26 to 28."""
    text = locks(n).replace("extern", "// extern").replace("__VERIFIER_nondet_bool()", "(any() & 1)")
    assert isinstance(verdict_of(text), Safe)
    broken = text.replace("            unlock();", "            held = 1;", 1)
    assert broken != text and isinstance(verdict_of(broken), Unsafe)


# ---------------------------------------------------------------- small programs

RECURSIVE = {
    "result": Kind(
        "int f(int n) { return n > 0 ? f(n - 1) : 0; } int main(void) { check(f(any()) == 0); }", "n - 1) : 0", "n - 1) : n"
    ),
    "lock": Kind(
        """
        int l;
        void f(int n) { check(!l); l = 1; l = 0; if (n > 0) f(n - 1); }
        int main(void) { f(any()); check(!l); }""",
        "l = 0;",
        "",
    ),
    "inside": Kind(
        """
        int g;
        void f(int n) { if (n > 3) check(g == 1); else f(n + 1); }
        int main(void) { g = 1; f(any()); }""",
        "g = 1; f",
        "g = any(); f",
    ),
}
PROVED = {
    **{name: kind for name, kind in KINDS.items() if name not in ("counting", "array", "pointer")},
    **{f"recursive {name}": kind for name, kind in RECURSIVE.items()},
}


def verdict_of(text: str, *options: tuple[str, str], seconds: float = 20) -> Verdict:
    """The strategy's, with its evidence checked."""
    tested = subject(text)
    chosen = {"boolean_program": "true", "trials": "false", "block": "basic", **dict(options)}
    task = engines.task("predicates", tested, {f"predicates.{name}": value for name, value in chosen.items()})
    verdict = ENGINE.verify(task, Tools(Budget(seconds)))
    match verdict:
        case Safe(certificate):
            check_proof(tested.program(certificate.preparation), certificate, Budget(90))
        case Unsafe(violation):
            outcome = run(tested.program("none"), ReplayInputs(violation.inputs), Limits(steps=100_000)).outcome
            assert isinstance(outcome, Violated)
    return verdict


@pytest.mark.parametrize("kind", PROVED)
def test_safe(kind: str) -> None:
    assert isinstance(verdict_of(PROVED[kind].text), Safe)


@pytest.mark.parametrize("kind", PROVED)
def test_unsafe(kind: str) -> None:
    broken = PROVED[kind].text.replace(PROVED[kind].safe, PROVED[kind].broken)
    assert broken != PROVED[kind].text
    assert isinstance(verdict_of(broken), Unsafe)


def test_statistics() -> None:
    verdict_of(SLAM, ("block", "single"))
    numbers = ENGINE.statistics()
    assert (numbers["refinements"], numbers["predicates"]) == (3, 3)
    assert numbers["solver_calls"] > 0 and numbers["cubes"] > 0 and numbers["c2bp_seconds"] > 0


def test_out_of_time_says_how_far_it_came() -> None:
    counting = KINDS["counting"].text
    verdict = verdict_of(counting, seconds=0.0)
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.OUT_OF_TIME and "refinements" in verdict.detail


def test_one_strategy() -> None:
    with pytest.raises(UnusableInput):
        verdict_of(SLAM, ("strategy", "impact"))


def test_activations() -> None:
    """A call that comes back is an activation inside; one in which the check fails belongs to the outer trace."""
    text = """
        int deep(int n) { return n > 0 ? deep(n - 1) : 7; }
        void fail(int n) { if (n == 3) check(0); else fail(3); }
        int main(void) { int k = deep(0); fail(k); }"""
    slam = Slam(subject(text).program("flat"), Options(block=LARGE), Tools(Budget(90)), {})
    program = slam.abstraction.program({})
    trace = check(program, Budget(90))
    slam.close()
    assert isinstance(trace, Trace)
    whole = activation_of(program, trace)
    inside = [activation for _, activation in sorted(whole.entered.items())]
    assert [one.edges[-1].target for one in inside] == [("deep", EXIT)]
    assert whole.edges[-1].source[0] == "fail" and whole.edges[0].target[0] != "deep"
    edges = [*whole.edges, *(edge for one in inside for edge in one.edges)]
    assert len(edges) == len(trace.edges) - len(inside)


# ---------------------------------------------------------------- the command


def dumped(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command(["dump", "--boolean-program", "--prepare", "none", *arguments, str(slide("slam"))]) == 0
    return capsys.readouterr().out


def test_dump_of_steps(capsys: pytest.CaptureFixture[str]) -> None:
    first = dumped(capsys, "--step", "0")
    assert first.startswith("// after 0 refinements, 0 predicates\n") and "bool" not in first
    last = dumped(capsys, "--step", "3")
    assert "bool b3;" in last and "error is not reachable" in last
    second = dumped(capsys, "--step", "2")
    assert "bool b2;" in second and "bool b3;" not in second and "error is reachable" in second
    assert dumped(capsys).splitlines()[1:] == last.splitlines()[1:]


def test_dump_of_steps_of_given_predicates(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["dump", "--boolean-program", "--step", "1", "--predicate", "lock", str(slide("slam"))]
    assert run_command(arguments) == 2
    assert "--step" in capsys.readouterr().err
