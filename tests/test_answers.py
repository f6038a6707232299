"""An answer for every check: focuses, partial and composed proofs, findings behind a first one, leaks apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.source import NOWHERE
from counterpoint.engines.houdini import HoudiniEngine
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unknown
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run as interpret
from counterpoint.execute.native.build import Outcome as NativeOutcome
from counterpoint.execute.native.build import SearchEnd
from counterpoint.execute.outcome import AssumptionFailed, Violated
from counterpoint.execute.subject import (
    CALLED,
    CASES,
    ENTERED,
    FLAT,
    INLINED,
    STATEMENTS,
    UNPREPARED,
    Subject,
    compile_subject,
)
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import findings
from counterpoint.portfolio.answers import Known, answers, rows_of
from counterpoint.portfolio.composition import KIND, Composed
from counterpoint.portfolio.ledger import Part
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckResult, Counterexample, Outcome, Proof
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.portfolio.run import run, unanswered
from counterpoint.portfolio.schedule import Lane, Schedule
from counterpoint.portfolio.validation import Accepted, Rejected, judge
from counterpoint.portfolio.worker import Portfolio
from counterpoint.program.focus import asked
from counterpoint.program.held import may_lose_without_end
from counterpoint.program.model import LOST
from counterpoint.program.validate import validate

Compile = Callable[..., Subject]

SEVERAL = """extern int nd(void);
int main(void) {
    int a[4], n = nd(), m = nd();
    if (n >= 0 && n < 4) a[n] = 1;
    if (n == 7) a[n] = 2;
    if (m == 9) a[m] = 3;
    unsigned i = 0;
    while (nd()) { a[i & 3] = 4; i += 5; }
    return 0;
}
"""

RING = """#include <stdlib.h>
extern unsigned nd(void);
int main(void) {
    unsigned char *data = malloc(16);
    unsigned head = 0;
    while (1) {
        data[head % 16] = (unsigned char)nd();
        head++;
        if (nd() == 7) break;
    }
    free(data);
    return 0;
}
"""


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    def compile_(text: str, property_: str = "memory-safety") -> Subject:
        path = tmp_path / "p.c"
        path.write_text(text)
        return compile_subject(SourceTask((path,), "LP64", property=property_))

    return compile_


def checks_at(subject: Subject, line: int) -> frozenset[int]:
    return frozenset(site.index for site in subject.defined.checks if site.at.line == line and site.kind != LOST)


# ---------------------------------------------------------------- focus


def test_a_focus_turns_other_checks_into_assumptions_for_every_executor(compiled: Compile) -> None:
    subject = compiled(SEVERAL)
    second, third = checks_at(subject, 5), checks_at(subject, 6)
    for focus in (second, third):
        focused = subject.focused(focus)
        for preparation in (FLAT, UNPREPARED):
            program = focused.program(preparation)
            validate(program)
            assert asked(program) == focus
        with closing(focused.native(UNPREPARED).search(seed=1, seconds=5.0)) as search:
            end = next(told for told in search if isinstance(told, SearchEnd))
        assert end.violation is not None and {end.violation.detail} == focus
        inputs = end.violation.inputs
        for preparation in (FLAT, UNPREPARED):
            assert interpret(focused.program(preparation), ReplayInputs(inputs)).outcome == Violated(min(focus))
        assert focused.native(UNPREPARED, lean=True).replay(inputs).outcome is NativeOutcome.VIOLATED
        other = subject.focused(second | third - focus if focus == third else third)
        outcome = interpret(other.program(UNPREPARED), ReplayInputs(inputs)).outcome
        assert isinstance(outcome, AssumptionFailed)
        assert other.native(UNPREPARED).replay(inputs).outcome is NativeOutcome.ASSUMPTION
        assert other.native(UNPREPARED, lean=True).replay(inputs).outcome is NativeOutcome.ASSUMPTION


def test_lost_memory_is_one_check_and_is_not_asked_for_outside_of_its_focus(compiled: Compile) -> None:
    subject = compiled(RING)
    lost = frozenset(site.index for site in subject.defined.checks if site.kind == LOST)
    others = subject.focus - lost
    assert lost and others
    assert may_lose_without_end(subject.program(FLAT)) and may_lose_without_end(subject.focused(lost).program(FLAT))
    assert not may_lose_without_end(subject.focused(others).program(FLAT))
    assert subject.focused(frozenset({min(lost)})).focus == lost
    leaking = compiled(RING.replace("    free(data);\n", "    data = 0;\n"))
    lost = frozenset(site.index for site in leaking.defined.checks if site.kind == LOST)
    for focus, ends in ((lost, NativeOutcome.VIOLATED), (leaking.focus - lost, NativeOutcome.FINISHED)):
        focused = leaking.focused(focus)
        validate(focused.program(UNPREPARED))
        inputs = seven(focused)
        assert focused.native(UNPREPARED).replay(inputs).outcome is ends
        said = interpret(focused.program(UNPREPARED), ReplayInputs(inputs)).outcome
        assert isinstance(said, Violated) == (ends is NativeOutcome.VIOLATED)


def seven(subject: Subject) -> tuple[object, ...]:
    """Inputs with which the loop of RING ends in its first iteration."""
    from counterpoint.program.inputs import ScalarInput

    sites = subject.program(UNPREPARED).sites
    reads = [site.index for site in sites if site.name == "nd"]
    return tuple(ScalarInput(site, 7, 32) for site in reads)


# ---------------------------------------------------------------- proofs in parts


def parts_of(subject: Subject) -> tuple[tuple[frozenset[int], InductiveInvariants], ...]:
    """Two halves of a program all of whose checks hold by themselves."""
    first = frozenset(sorted(subject.focus)[: len(subject.focus) // 2])
    proof = InductiveInvariants(FLAT, (), ())
    return ((first, proof), (subject.focus - first, proof))


PLAIN = """extern int nd(void);
int main(void) {
    int a[4], n = nd(), m = nd();
    if (n >= 0 && n < 4) a[n] = 1;
    if (m >= 0 && m < 3) a[m] = 1;
    return 0;
}
"""


def test_a_composed_proof_needs_every_check_and_every_part(compiled: Compile) -> None:
    subject = compiled(PLAIN, "valid-deref")
    first, second = parts_of(subject)
    judged = judge(Composed((first, second)), subject, Budget(30.0), seed=None)
    assert isinstance(judged, Accepted) and judged.evidence.kind == KIND
    for forged in (
        Composed((first,)),
        Composed((first, first)),
        Composed(((frozenset(), first[1]),)),
        Composed((first, (second[0] | {1000}, second[1]))),
    ):
        assert isinstance(judge(forged, subject, Budget(30.0), seed=None), Rejected)
    wrong = compiled(PLAIN.replace("m < 3", "m < 9"), "valid-deref")
    first, second = parts_of(wrong)
    verdicts = [judge(Composed(parts), wrong, Budget(30.0), seed=None) for parts in ((first, second), (second, first))]
    assert not any(isinstance(verdict, Accepted) for verdict in verdicts)


COUNTED = """extern unsigned nd(void);
int main(void) {
    int a[5], n = nd(), m = nd();
    if (n < 1 || n > 4) return 0;
    for (int i = 0; i < n; i++) a[i] = i;
    if (m >= 0 && m < 3) a[m] = 1;
    a[n] = 2;
    return 0;
}
"""


@pytest.mark.parametrize("preparation", [UNPREPARED, CASES])
def test_parts_may_be_about_different_preparations(compiled: Compile, preparation: str) -> None:
    def proof(subject: Subject, checks: frozenset[int], **options: str) -> Certificate:
        given = {name.replace("_", "."): value for name, value in options.items()}
        verdict = engines.get("bmc").verify(engines.task("bmc", subject.focused(checks), given), Tools(Budget(30.0)))
        assert isinstance(verdict, Safe)
        return verdict.certificate

    subject = compiled(COUNTED, "valid-deref")
    last = checks_at(subject, 7)
    others = subject.focus - last
    assert last and others
    flat = proof(subject, others)
    other = proof(subject, last, **({"bmc_cases": "true"} if preparation == CASES else {"prepare": UNPREPARED}))
    assert (flat.preparation, other.preparation) == (FLAT, preparation)
    composed = Composed(((others, flat), (last, other)))
    assert isinstance(judge(composed, subject, Budget(30.0), seed=None), Accepted)
    wrong = compiled(COUNTED.replace("n > 4", "n > 5"), "valid-deref")
    assert wrong.focus == subject.focus
    for whole in (composed, Composed(((last, flat), (others, other)))):
        assert not isinstance(judge(whole, wrong, Budget(30.0), seed=None), Accepted)


def test_the_check_that_fails_first_is_the_same_in_every_preparation(compiled: Compile) -> None:
    from counterpoint.program.inputs import ScalarInput

    subject = compiled(COUNTED.replace("n > 4", "n > 8").replace("m < 3", "m < 9"), "valid-deref")
    fails: dict[int, set[object]] = {}
    for preparation in (UNPREPARED, FLAT, CASES, CALLED, ENTERED, INLINED, STATEMENTS, "modular", "written"):
        program = subject.program(preparation)
        first, second = (site.index for site in program.sites if site.name == "nd")
        for number, (n, m) in enumerate(((4, 8), (5, 8), (5, 2), (6, 8), (6, 2), (0, 0), (4, 2))):
            inputs = (ScalarInput(first, n, 32), ScalarInput(second, m, 32))
            fails.setdefault(number, set()).add(interpret(program, ReplayInputs(inputs)).outcome)
    assert all(len(outcomes) == 1 for outcomes in fails.values())
    said = [next(iter(outcomes)) for outcomes in fails.values()]
    lines = [subject.defined.checks[one.check].at.line if isinstance(one, Violated) else 0 for one in said]
    assert lines == [6, 6, 7, 5, 5, 0, 0]


def test_a_composed_proof_is_read_back_as_it_was_stored(compiled: Compile) -> None:
    subject = compiled(PLAIN, "valid-deref")
    composed = Composed(parts_of(subject))
    judged = judge(composed, subject, Budget(30.0), seed=None)
    assert isinstance(judged, Accepted)
    stored = {"kind": judged.evidence.kind, "content": dict(judged.evidence.content)}
    assert stored_proof(Given(json.loads(json.dumps({"proof": stored})), "r.json")) == composed


def test_a_proof_by_invariants_of_what_may_lose_memory_is_one_without_the_leak_check(compiled: Compile) -> None:
    subject = compiled(RING)
    lost = frozenset(site.index for site in subject.defined.checks if site.kind == LOST)
    rest = subject.focused(subject.focus - lost)
    check_proof(rest.program(FLAT), InductiveInvariants(FLAT, (), ()), Budget(30.0))


# ---------------------------------------------------------------- whole checks


def checked(tmp_path: Path, text: str, **options: object) -> CheckResult:
    path = tmp_path / "p.c"
    path.write_text(text)
    given: dict[str, object] = {"property": "memory-safety", "timeout": 60.0, "findings": "more", **options}
    return run(Request((path,), **given))  # type: ignore[arg-type]


def by_line(result: CheckResult) -> dict[int, Answer]:
    return {check.at.line: check.answer for check in result.checks if check.kind != LOST}


def test_the_search_goes_on_behind_a_violation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "LEAST_SECONDS", 5.0)
    result = checked(tmp_path, SEVERAL, timeout=30.0, engines=("random",))
    assert result.verdict == "FALSE(valid-deref)" and result.counterexample == result.findings[0]
    assert sorted(finding.at.line for finding in result.findings) == [5, 6]
    answers = by_line(result)
    assert (answers[5], answers[6]) == (Answer.REFUTED, Answer.REFUTED)
    assert Answer.REFUTED not in (answers[4], answers[8])
    assert not any(check.behind for check in result.checks)
    first = checked(tmp_path, SEVERAL, findings="first", engines=("random",))
    assert len(first.findings) == 1 and first.verdict == result.verdict


@pytest.mark.parametrize("whole", [False, True])
def test_what_contradicts_a_proof_is_reported_and_nothing_counts_as_proved(
    compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    subject = compiled(PLAIN, "valid-deref")
    first, second = (min(checks_at(subject, line)) for line in (4, 5))
    proof = Proof("invariants", "", {})

    class Contradicting(Portfolio):
        def _work(self) -> None:
            check = second if self.ledger.findings else first
            violation = Counterexample(check, "valid-deref", "", NOWHERE, UNPREPARED)
            self.accepted.append(("bmc", Accepted(violation, ())))
            if check == second and whole:
                self.accepted.append(("houdini", Accepted(proof, ())))
            if check == second:
                part = Part("houdini", frozenset({second}), InductiveInvariants(FLAT, (), ()), proof)
                self.ledger.parts.append(part)

    monkeypatch.setattr(findings, "Portfolio", Contradicting)
    request = Request(tuple(subject.task.files), findings="more")
    base = unanswered(request, "", "")
    result = findings.Investigation(
        subject, request, Schedule((Lane(()),), shared=False), Budget(60.0), base, lambda message: None
    ).result()
    assert result.verdict == "FALSE(valid-deref)" and len(result.findings) == 1
    assert by_line(result) == {4: Answer.REFUTED, 5: Answer.UNKNOWN}
    (report,) = result.crash_reports
    assert "contradict" in Path(report).read_text()


def test_a_loop_without_bound_leaves_only_lost_memory_open(tmp_path: Path) -> None:
    """Where it is lost, which houdini cannot say."""
    lost = RING.replace("free(data);", "if (head != 3) free(data);")
    result = checked(tmp_path, lost, timeout=12.0, engines=("houdini",))
    assert result.outcome is Outcome.UNKNOWN
    assert by_line(result) == {7: Answer.PROVED, 11: Answer.PROVED}
    assert [check.answer for check in result.checks if check.kind == LOST] == [Answer.UNKNOWN]
    assert any("only whether memory is lost is open" in sentence for sentence in result.known)
    assert "open: lost memory" in result.detail


def test_an_engine_that_is_named_goes_on_with_lost_memory_where_it_proved_the_rest(tmp_path: Path) -> None:
    assert checked(tmp_path, RING, timeout=60.0, engines=("houdini",)).outcome is Outcome.TRUE


HELD = """#include <stdlib.h>
extern unsigned nd(void);
int main(void) {
    unsigned n = nd();
    if (n == 0 || n > 1000000) return 0;
    short *b = malloc(n * sizeof *b);
    for (short *p = b; p != b + n; p++) *p = 1;
    free(b);
    return 0;
}
"""


def test_who_proved_all_but_lost_memory_is_asked_for_that_as_well(tmp_path: Path) -> None:
    result = checked(tmp_path, HELD, timeout=90.0, jobs=1)
    assert result.outcome is Outcome.TRUE


def test_an_engine_says_which_of_the_checks_it_proved(tmp_path: Path) -> None:
    text = SEVERAL.replace("n == 7", "n == 2")
    result = checked(tmp_path, text, timeout=12.0, engines=("houdini",), property="valid-deref")
    assert result.outcome is Outcome.UNKNOWN
    assert by_line(result) == {4: Answer.PROVED, 5: Answer.PROVED, 6: Answer.UNKNOWN, 8: Answer.PROVED}
    assert "3 of 4 checks proved" in result.known and result.detail.endswith("p.c:6")


ALONE = {
    "frees": ("memory-safety", """#include <stdlib.h>
extern int nd(void);
int main(void) {
    int *p = malloc(8), *q = malloc(4), n = nd();
    p[1] = n;
    if (n == 3) p[n] = 1;
    if (n != 4) free(p);
    if (n == 5) free(p);
    q[n & 0] = 1;
    free(q);
    return 0;
}
"""),
    "behind each other": ("valid-deref", """extern int nd(void);
static int get(const int *a, int i) { return a[i]; }
int main(void) {
    int a[3] = {1, 2, 3}, n = nd();
    if (n < 0 || n > 5) return 0;
    int s = get(a, n);
    s += a[n];
    a[n < 3 ? n : 0] = s;
    return s + get(a, 2);
}
"""),
    "overflows": ("no-overflow", """extern int nd(void);
int main(void) {
    int n = nd(), m = nd();
    if (m > 0 && m < 1000) n = m * 2000;
    if (m > 5) n = m + 2147483640;
    return m < 0 ? -m : m - 1;
}
"""),
    "calls": ("unreach-call", """extern int nd(void);
extern void reach_error(void);
int main(void) {
    int n = nd();
    if (n > 4 && n < 4) reach_error();
    if (n == 7) reach_error();
    if (n == 8) reach_error();
    return 0;
}
"""),
}


@pytest.mark.parametrize("name", ALONE)
def test_the_answer_to_each_check_is_that_of_the_check_alone(
    tmp_path: Path, compiled: Compile, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "LEAST_SECONDS", 30.0)
    property_, text = ALONE[name]
    subject = compiled(text, property_)
    alone: dict[int, Answer] = {}
    for check in asked(subject.program(FLAT)):
        task = engines.task("bmc", subject.focused(frozenset({check})), {})
        verdict = engines.get("bmc").verify(task, Tools(Budget(60.0)))
        assert not isinstance(verdict, Unknown)
        alone[check] = Answer.PROVED if isinstance(verdict, Safe) else Answer.REFUTED
    result = checked(tmp_path, text, property=property_, engines=("bmc",))
    assert Answer.REFUTED in alone.values()
    for answer in result.checks:
        assert answer.answer == alone.get(answer.check, Answer.PROVED), answer
    assert len(result.findings) == len({(f.kind, f.at.line) for f in result.findings})


def test_what_is_uninitialised_points_at_nothing_in_every_executor(tmp_path: Path) -> None:
    """Behind a read through such a pointer there are no runs, whoever looks."""
    text = "int main(void) { int **x; int a[2] = {1, 2}; int *p = *x; return *p + a[*p & 3]; }"
    result = checked(tmp_path, text, engines=("bmc",), timeout=30.0)
    assert result.verdict == "FALSE(valid-deref)" and not result.crash_reports
    assert [check.answer for check in result.checks if check.kind != LOST].count(Answer.REFUTED) == 1
    again = checked(tmp_path, text, engines=("random",), timeout=12.0)
    assert len(again.findings) == 1 and again.findings[0].at == result.findings[0].at


def test_an_engine_that_is_cut_off_says_what_it_has(compiled: Compile, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = compiled(PLAIN.replace("m < 3", "m < 9"), "valid-deref")
    claims: list[tuple[frozenset[int], Certificate]] = []

    def cut_off(*given: object) -> None:
        raise OutOfBudget("10 s are used up")

    monkeypatch.setattr(HoudiniEngine, "_prove", cut_off)
    tools = Tools(Budget(100.0), claim=lambda checks, certificate: claims.append((checks, certificate)))
    with pytest.raises(OutOfBudget):
        HoudiniEngine().verify(engines.task("houdini", subject, {}), tools)
    ((checks, certificate),) = claims
    assert checks == checks_at(subject, 4)
    check_proof(subject.focused(checks).program(FLAT), certificate, Budget(30.0))


def test_what_bmc_decided_is_said_of_the_loop(tmp_path: Path) -> None:
    result = checked(tmp_path, RING, timeout=40.0, engines=("bmc",), options=(("bmc.bound", "2"),))
    assert result.outcome is Outcome.UNKNOWN
    assert any(re.fullmatch(r"no violation within 2 iterations of the loop at \S+p\.c:\d+", s) for s in result.known)


def test_nothing_is_said_of_code_behind_what_has_no_meaning(compiled: Compile) -> None:
    """What is behind inline assembly is left out of the prepared program: that is no proof of the checks in it."""

    def answered(middle: str) -> set[Answer]:
        subject = compiled(f"int main(void) {{ int a[4], i = 1; {middle} a[i + 9] = 1; return 0; }}")
        program = subject.program(FLAT)
        return {check.answer for check in answers(rows_of(subject, program), Known(), program)}

    assert answered('__asm__("nop" : "+r"(i));') == {Answer.UNKNOWN}
    assert answered("return 0;") <= {Answer.PROVED}


# ---------------------------------------------------------------- what checks claim


CLAIMS = """#include <stdlib.h>
#include <string.h>
extern int nd(void);
int main(void) {
    char a[8];
    int n = nd(), q;
    char *p = malloc(4), *r = nd() ? p : a;
    memset(a, 0, 8);
    memcpy(a, a + (nd() & 3), 2);
    a[n & 7] = 1;
    if (nd()) q = 1;
    n = (n + 1) / (q << (n & 1));
    free(r);
    return n % 3;
}
"""


@pytest.mark.parametrize(
    ("property_", "claims"),
    [
        ("memory-safety", {"no memory is lost", "what is freed is a block that can be (in free)", "write of 1 byte"}),
        ("no-overflow", {"the addition `n + 1` does not overflow", "the result of a left shift is in range"}),
        ("division", {"the divisor is not 0", "the quotient is in range"}),
        ("overlap", {"the ranges of a copy are apart (in memcpy)"}),
        ("uninitialised", {"`q` has a value where it is read"}),
    ],
)
def test_rows_say_what_is_checked_and_not_what_fails(compiled: Compile, property_: str, claims: set[str]) -> None:
    subject = compiled(CLAIMS, property_)
    assert claims <= {row.what for row in rows_of(subject, subject.program(FLAT))}
