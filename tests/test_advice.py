"""What is said of an UNKNOWN: which engine came nearest, and the command that is worth trying."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.cli.check import command as check_command
from counterpoint.cli.check import request_from
from counterpoint.core.source import SourceLocation
from counterpoint.evidence.verdict import Reason
from counterpoint.frontend.prepare import compile_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.advice import advised
from counterpoint.portfolio.command_line import command_line
from counterpoint.portfolio.nearest import nearest
from counterpoint.portfolio.request import GIB, Request
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, EngineRun, Outcome
from counterpoint.portfolio.several import check

BMC = EngineRun("bmc", "UNKNOWN(OUT_OF_TIME)", "bmc was stopped after 3.0 s; all runs up to bound 8 are decided", 3.0, {"bound": 8})
REFINING = EngineRun(
    "predicates", "UNKNOWN(OUT_OF_TIME)",
    "8 refinements, 30 predicates, 27 nodes; the last error trace was start -> f.c:9 -> f.c:12 (4 times) -> error at f.c:3",
    9.0,
)  # fmt: skip
HOUDINI = EngineRun(
    "houdini", "UNKNOWN(NO_PROGRESS)", "no invariant among the candidates excludes a failure behind main:12", 1.0,
    {"candidates_stage_0": 40, "candidates_stage_1": 33, "candidates_kept": 12},
)  # fmt: skip
RANDOM = EngineRun("random", "UNKNOWN(NO_PROGRESS)", "100 runs found no violation", 1.0, {"tests": 100})


def unknown(*runs: EngineRun, reason: str = Reason.OUT_OF_TIME, detail: str = "", **more: object) -> CheckResult:
    features = {"loops": 2, "bounded": False}
    base = CheckResult(Outcome.UNKNOWN, "unreach-call", ("f.c",), "LP64", "main", reason=reason, detail=detail, engines=runs, features=features)
    return replace(base, **more)  # type: ignore[arg-type]


def test_who_came_nearest() -> None:
    assert nearest(unknown(RANDOM, BMC, REFINING)).engine == "predicates"
    assert nearest(unknown(RANDOM, BMC, HOUDINI)).engine == "houdini"
    assert nearest(unknown(RANDOM, BMC)).engine == "bmc"
    assert nearest(unknown(RANDOM, REFINING, BMC, features={"loops": 1, "bounded": True})).engine == "bmc"
    unchecked = EngineRun("spacer", "UNKNOWN(EVIDENCE_UNCHECKED)", "the evidence of spacer was still being checked", 4.0)
    assert nearest(unknown(REFINING, unchecked)).engine == "spacer"
    proved = CheckAnswer(0, "valid-deref", SourceLocation("f.c", 3), "a read", Answer.PROVED, by="houdini")
    assert nearest(unknown(REFINING, HOUDINI, checks=(proved,))).engine == "houdini"
    assert nearest(unknown()).engine == ""


def test_claims_about_some_checks_come_in_between() -> None:
    claim = EngineRun("houdini", "PROVED", "1 check", 0.0)
    proved = CheckAnswer(0, "valid-deref", SourceLocation("f.c", 3), "a read", Answer.PROVED, by="houdini")
    checks = (proved, replace(proved, answer=Answer.UNKNOWN, by=""))
    stop = nearest(unknown(BMC, HOUDINI, claim, checks=checks))
    assert stop.words.startswith("houdini came nearest: it proved 1 of 2 checks and guessed 40 facts")
    assert stop.words.endswith("nothing else to try") and stop.reason == Reason.NO_PROGRESS
    assert nearest(unknown(claim, BMC)).engine == "bmc"
    assert any("around and before f.c:3" in line for line in advice(unknown(BMC, checks=checks)).advice)


def test_what_stopped_it_in_words_of_users() -> None:
    assert nearest(unknown(BMC)).words == (
        "bmc came nearest: it decided all runs with up to 8 iterations of each loop; its time was over after 3.0 s"
    )
    stop = nearest(unknown(REFINING))
    assert stop.loop == "f.c:12" and "one more iteration of the loop at f.c:12" in stop.words
    assert "guessed 40 facts about loops, of which 12 hold" in nearest(unknown(HOUDINI)).words
    assert "main:12" not in nearest(unknown(HOUDINI)).words
    twice = nearest(unknown(BMC, replace(BMC, seconds=4.0)))
    assert "after 7.0 s" in twice.words


def test_nothing_is_counted_that_was_not_told() -> None:
    """An engine that was stopped in the middle has not said what it counted."""
    for name in ("ice", "inertial", "dash", "predicates", "dse", "summaries", "random", "spacer"):
        late = EngineRun(name, "UNKNOWN(OUT_OF_TIME)", f"{name} was stopped after 3.0 s at learning clauses", 3.0)
        used = replace(late, detail=f"{name} used up its 3.0 s")
        for run in (late, used):
            words = nearest(unknown(run)).words
            assert words.startswith(f"{name} came nearest: it ") and f"it {name}" not in words and " 0 " not in words
    assert "it was at work (learning clauses)" in nearest(unknown(replace(late, engine="ice"))).words


def test_every_reason_and_engine_has_words_and_advice() -> None:
    request = Request((Path("no-such-file.c"),))
    for reason in Reason:
        for engine in ("bmc", "dse", "random", "houdini", "kinduction", "spacer", "dash", "predicates", "another"):
            run = EngineRun(engine, f"UNKNOWN({reason})", "", 1.0)
            found = advised(unknown(run, reason=reason, detail="a.c:3: something"), request)
            assert found.nearest and found.advice, (reason, engine)


def advice(result: CheckResult, **options: object) -> CheckResult:
    files = options.pop("files", (Path("f.c"),))
    return advised(result, Request(files, **options))  # type: ignore[arg-type]


def test_evidence_that_was_not_rechecked_in_time() -> None:
    run = EngineRun("predicates", "UNKNOWN(EVIDENCE_UNCHECKED)", "the evidence of predicates was still being checked", 4.0)
    found = advice(unknown(run, reason=Reason.EVIDENCE_UNCHECKED), timeout=10.0)
    assert found.next_command == "counterpoint check f.c --engine predicates --timeout 30"


def test_no_time_at_all() -> None:
    late = advice(unknown(), timeout=30.0)
    assert late.next_command == "counterpoint check f.c --timeout 90" and not any("--timeout 90" in line for line in late.advice)
    assert advice(unknown(), timeout=0.5).next_command == "counterpoint check f.c"
    assert advice(unknown(reason=Reason.NO_PROGRESS), timeout=100.0).next_command == "counterpoint check f.c --timeout 300"


def test_more_time_where_refinement_goes_on() -> None:
    assert advice(unknown(BMC, REFINING), timeout=20.0).next_command == "counterpoint check f.c"


def test_what_has_no_meaning_yet() -> None:
    handed = unknown(reason=Reason.UNSUPPORTED, detail="f.c:4:2: call of the undefined function f with a function pointer")
    assert advice(handed).next_command == "counterpoint check f.c --callbacks before-return"
    assert advice(handed, callbacks="before-return").next_command == ""
    assembly = unknown(reason=Reason.UNSUPPORTED, detail="f.c:4:2: inline assembly")
    assert advice(assembly).next_command == "counterpoint check f.c --asm outputs-only"
    thread = advice(unknown(reason=Reason.UNSUPPORTED, detail="f.c:4:2: call of pthread_create"))
    assert thread.next_command == "" and "body" in thread.advice[0] and thread.nearest == "f.c:4:2: call of pthread_create"
    meaningless = unknown(reason=Reason.UNDEFINED, detail="f.c:4:2: division by zero")
    assert advice(meaningless).next_command == "counterpoint check f.c --property undefined"


@pytest.mark.parametrize(
    ("text", "defines", "wanted"),
    [
        ("#ifndef N\n#define N 6\n#endif\nint a[N];", (), "-D N=3"),
        ("# ifndef MAX_LEN\r\n#\tdefine MAX_LEN (10u)\r\n#endif\nint a[MAX_LEN];", (), "-D MAX_LEN=5"),
        ("#ifndef N\n#define N 6\n#endif\n", ("N=3", "DEBUG=2"), "-D DEBUG=2 -D N=2"),
        ("#ifndef N\n#define N 1\n#endif\n", (), ""),
        ("#ifndef N\n#define N 0x10\n#endif\n", (), ""),
        ("#ifndef N\n#define N 6\n#endif\n", (), ""),
        ("#ifndef VERSION\n#define VERSION 6\n#endif\n", (), ""),
        ("#define N 6\n", ("VERSION=3",), ""),
    ],
)
def test_a_smaller_bound(text: str, defines: tuple[str, ...], wanted: str, tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(text, "latin-1")
    found = advice(unknown(BMC), files=(file,), defines=defines)
    smaller = f"counterpoint check {file} {wanted}"
    assert (found.next_command == smaller) is bool(wanted), found.next_command


def test_every_path_of_small_inputs(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("#ifndef N\n#define N 6\n#endif\nint a[N];")
    assert f"counterpoint check {file} --engine dse --timeout 180  # " in advice(unknown(BMC), files=(file,)).advice[1]
    had = EngineRun("dse", "UNKNOWN(OUT_OF_TIME)", "dse was stopped after 9.0 s at 12 paths", 9.0)
    assert not any("dse" in line for line in advice(unknown(BMC, had), files=(file,)).advice)


def test_accesses_alone() -> None:
    leaks = CheckAnswer(1, "valid-memtrack", SourceLocation("f.c", 3), "a leak", Answer.UNKNOWN)
    accesses = replace(leaks, kind="valid-deref")
    asked = {"property": "memory-safety"}
    assert "--property valid-deref" in advice(unknown(BMC, checks=(leaks,), **asked)).next_command
    assert "--property valid-deref" not in advice(unknown(BMC, checks=(leaks, accesses), **asked)).next_command
    assert "--property valid-deref" not in advice(unknown(BMC)).next_command


def test_a_candidate_names_the_loop() -> None:
    found = advice(unknown(REFINING, reason=Reason.NO_PROGRESS))
    assert any("__counterpoint_candidate" in line and "f.c:12" in line for line in found.advice)
    simple = advice(unknown(BMC), files=(Path("p.sc"),))
    assert any("`cand(CONDITION)`" in line for line in simple.advice)
    assert not any("CONDITION" in line for line in advice(unknown(BMC, features={"loops": 0})).advice)


@pytest.mark.parametrize(
    "words",
    [
        "f.c",
        "'a b.c' ./-x.c --property no-overflow --data-model ILP32 --entry f --seed 3",
        "f.c -I 'my headers' -D 'A=1 2' --std c99 --volatile arbitrary --malloc-may-fail --no-assumed-functions",
        "f.c --engine bmc,dse -O bmc.bound=8 --timeout 2.5 --memory 1536M --jobs 1 --prepare none --no-proof-runs",
        "'$(reboot)`x`.c' -D 'X=`id`' --memory 8G",
    ],
)  # fmt: skip
def test_commands_ask_for_what_was_asked(words: str) -> None:
    def read(text: str) -> Request:
        context = check_command.make_context("check", shlex.split(text))
        files = context.params.pop("files")
        return request_from(files, context.params)

    request = replace(read(words), jobs=1 if "--jobs" in words else 2)
    said = command_line(request)
    assert said.startswith("counterpoint check ")
    assert replace(read(said.removeprefix("counterpoint check ")), jobs=request.jobs) == request
    assert Request((Path("f.c"),)).memory == 4 * GIB


def test_where_guesses_have_run_out_more_time_is_no_advice() -> None:
    at_a_loop = replace(HOUDINI, detail="no invariant among the candidates excludes a failure behind the loop at my f.c:7, the start")
    found = advice(unknown(at_a_loop, BMC))
    assert "the error behind the loop at my f.c:7" in found.nearest
    assert found.next_command == "" and "the loop at my f.c:7" in found.advice[0]
    assert found.advice[1].startswith("counterpoint check f.c --timeout 180  # ")
    alone = advice(unknown(at_a_loop, reason=Reason.NO_PROGRESS), engines=("houdini",))
    assert alone.next_command == "counterpoint check f.c"


def test_a_candidate_counts_without_a_declaration(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("int main(void) { for (long i = 0; i < 9; i++) { __counterpoint_candidate(i <= 9); } return 0; }\n")
    defined = compile_task(SourceTask((file,)))
    assert "@__cp_hint(" in defined.text and not defined.warnings and not defined.assumptions


def test_advice_about_one_of_several_properties_has_all_of_the_time(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("int any(void); int main(void) { int i = 0; while (any()) i++; return i; }\n")
    request = Request((file,), property="no-overflow,shift", engines=("bmc",), options=(("bmc.bound", "1"),), timeout=20.0)
    first, _ = check(request).parts
    assert first.next_command == f"counterpoint check {file} --property no-overflow --timeout 20"
