"""Several properties in one run: which are asked for, how time is shared out, what comes together, and the command."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import counterpoint
import fresh
from counterpoint import property as properties
from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Progress
from counterpoint.core.source import SourceLocation
from counterpoint.frontend import languages
from counterpoint.portfolio import several
from counterpoint.portfolio.asked import asked_for, every_property
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Counterexample, Outcome
from counterpoint.report.json import as_json
from counterpoint.report.parts import report_of
from counterpoint.report.sarif import as_sarif
from schema import ROOT, violations

MIXED = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int a[4] = {0};
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 4) return 0;
    a[n] = 3;
    if (a[0] > 3) reach_error();
    return n + 2147483646 > 0;
}
"""
ASKED = "unreach-call,memory-safety,no-overflow"


def result(property_: str, outcome: Outcome, reason: str = "", **more: object) -> CheckResult:
    made = CheckResult(outcome, property_, ("f.c",), "LP64", "main", reason=reason, seconds=1.0)
    return replace(made, **more)  # type: ignore[arg-type]


# ---------------------------------------------------------------- which properties


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("no-overflow", ["no-overflow"]),
        ("valid-memsafety, overflow,unreach-call", ["memory-safety", "no-overflow", "unreach-call"]),
        ("valid-free,valid-deref,valid-free", ["valid-free", "valid-deref"]),
        ("unreach-call,all", ["unreach-call", *every_property()[1:]]),
    ],
)
def test_names_that_are_asked_for(text: str, names: list[str]) -> None:
    assert list(asked_for(text)) == names


def test_all_leaves_out_what_is_extra_and_what_the_language_has_not() -> None:
    everything = every_property()
    assert everything[0] == properties.DEFAULT and len(everything) == len(set(everything))
    assert {"memory-safety", "no-overflow", "division", "shift"} <= set(everything)
    assert not {"undefined", "conversion", "valid-memcleanup"} & set(everything)
    for language in languages.languages():
        assert not language.properties or asked_for("all", language.name) == language.properties


@pytest.mark.parametrize("text", ["", ",", "no-overflow,", "unreach-call,nonsense", "a.prp,b", "all,\0.prp"])
def test_what_is_no_property_is_refused(text: str) -> None:
    with pytest.raises(UnusableInput):
        asked_for(text)


def test_property_file_with_formulas_of_several(tmp_path: Path) -> None:
    file = tmp_path / "both, really.prp"
    formulas = ("G ! overflow", "G valid-deref", "G valid-free", "G ! call(reach_error())")
    file.write_text("".join(f"CHECK( init(main()), LTL({formula}) )\n" for formula in formulas))
    assert asked_for(str(file)) == ("no-overflow", "valid-deref", "valid-free", "unreach-call")
    with pytest.raises(UnusableInput):
        properties.from_specification(tuple(f"init(main()), LTL({formula})" for formula in formulas), "p.prp")


def test_other_commands_take_one(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("int main(void) { return 0; }")
    for text in ("all", "unreach-call,no-overflow"):
        with pytest.raises(UnusableInput, match="one property at a time"):
            source_task(Request((file,), property=text))


# ---------------------------------------------------------------- time


class Clock:
    """Checks that use up time, and how much each was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, needs: dict[str, float]) -> None:
        self.now, self.needs = 100.0, needs
        self.asked: list[tuple[str, float]] = []
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def __call__(self, request: Request) -> CheckResult:
        name = request.property or ""
        self.asked.append((name, round(request.timeout, 3)))
        decided = self.needs[name] <= request.timeout
        used = min(self.needs[name], request.timeout)
        self.now += used
        outcome, reason = (Outcome.TRUE, "") if decided else (Outcome.UNKNOWN, "OUT_OF_TIME")
        return result(name, outcome, reason, seconds=used)


def shared_out(clock: Clock, timeout: float) -> tuple[list[CheckResult], list[str]]:
    decided: list[str] = []
    names = list(clock.needs)
    request = Request((Path("f.c"),), timeout=timeout)
    parts = several._shared_out(request, names, clock, lambda part: decided.append(part.property))
    assert [part.property for part in parts] == names
    assert clock.now <= 100.0 + timeout + 1e-6
    return parts, decided


def test_quick_answers_come_first_and_the_rest_share_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, {"a": 20.0, "b": 1.0, "c": 500.0})
    parts, decided = shared_out(clock, 90.0)
    assert decided == ["b", "a", "c"]
    assert clock.asked == [("a", 7.5), ("b", 7.5), ("c", 7.5), ("a", 37.0), ("c", 54.0)]
    assert [part.outcome for part in parts] == [Outcome.TRUE, Outcome.TRUE, Outcome.UNKNOWN]
    assert parts[0].seconds == 27.5


def test_little_time_goes_to_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, dict.fromkeys("abcdef", 50.0))
    parts, decided = shared_out(clock, 2.0)
    assert [name for name, _ in clock.asked] == ["a", "b"]
    assert sorted(decided) == list("abcdef")
    assert all(part.reason == "OUT_OF_TIME" for part in parts)


def test_what_was_given_up_early_is_not_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(request: Request) -> CheckResult:
        asked.append(request.property or "")
        reason = "UNSUPPORTED" if request.property == "a" else INTERNAL_ERROR
        return result(request.property or "", Outcome.UNKNOWN, reason, seconds=0.5)

    several._shared_out(Request((Path("f.c"),)), ["a", "b"], ask, lambda part: None)
    assert asked == ["a", "b"]


# ---------------------------------------------------------------- one result


def test_the_worst_part_is_the_result() -> None:
    true, unknown = result("a", Outcome.TRUE, assumptions=("x",)), result("b", Outcome.UNKNOWN, "OUT_OF_TIME")
    false = result("c", Outcome.FALSE, violated="valid-deref", assumptions=("y", "x"))
    broken = result("d", Outcome.UNKNOWN, INTERNAL_ERROR)
    whole = several.together([true, unknown, false])
    assert (whole.verdict, whole.property, whole.seconds) == ("FALSE(valid-deref)", "a,b,c", 3.0)
    assert whole.assumptions == ("x", "y")
    assert several.together([true, unknown]).verdict == "UNKNOWN(OUT_OF_TIME)"
    assert several.together([true, true]).verdict == "TRUE"
    assert several.together([false, broken]).reason == INTERNAL_ERROR


def test_sub_kinds_are_rules_of_their_own() -> None:
    at = SourceLocation("f.c", 3)
    found = Counterexample(0, "valid-deref", "reads `*p` through a null pointer", at, "none", cause="null")
    other = replace(found, cause="no-such", kind="overflow")
    result_ = result("memory-safety", Outcome.FALSE, counterexample=found, findings=(found, other))
    log = json.loads(as_sarif(result_))["runs"][0]
    assert [finding["ruleId"] for finding in log["results"]] == ["valid-deref/null", "no-overflow"]
    tags = {rule["id"]: rule["properties"]["tags"][0] for rule in log["tool"]["driver"]["rules"]}
    assert tags == {"valid-deref/null": "external/cwe/cwe-476", "no-overflow": "external/cwe/cwe-190"}


def test_the_list_of_properties_says_what_each_covers(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["properties"]) == 0
    said = capfd.readouterr().out
    for property_ in properties.all_properties():
        assert property_.covers
        names = [*property_.kinds[1:], *property_.covers, *(cause.name for kind in property_.checks for cause in kind.causes)]
        assert all(text in said for text in (property_.name, property_.summary, *names))
    assert said.count("(in `all`)") == len(every_property())


# ---------------------------------------------------------------- whole checks


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory; the command's handlers of signals are taken back."""
    monkeypatch.chdir(tmp_path)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield tmp_path
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CheckResult]:
    file = tmp_path_factory.mktemp("several") / "mixed.c"
    file.write_text(MIXED)
    return file, counterpoint.check(file, property=ASKED.split(","), timeout=60.0)


def test_each_verdict_equals_that_of_the_property_alone(mixed: tuple[Path, CheckResult]) -> None:
    file, whole = mixed
    assert whole.property == ASKED and whole.verdict == "FALSE(valid-deref)"
    for part in whole.parts:
        alone = fresh.check(file, property=part.property, timeout=30.0)
        assert (part.verdict, part.property) == (alone.verdict, alone.property)
    assert [part.outcome for part in whole.parts] == [Outcome.TRUE, Outcome.FALSE, Outcome.FALSE]


def test_reports_tell_of_all_parts(mixed: tuple[Path, CheckResult]) -> None:
    whole = mixed[1]
    document = json.loads(as_json(whole))
    assert violations(document, ROOT) == []
    assert [part["verdict"] for part in document["parts"]] == [part.verdict for part in whole.parts]
    assert all("harness" not in (part["counterexample"] or {}) for part in document["parts"])
    log = json.loads(as_sarif(whole))["runs"][0]
    assert [finding["ruleId"] for finding in log["results"]] == ["valid-deref/bounds", "no-overflow"]
    said = "\n".join("".join(text for text, _ in line) for line in report_of(whole))
    assert all(f"{part.property:<16} {part.verdict}" in said for part in whole.parts)


def test_evidence_of_parts_is_checked_again(
    mixed: tuple[Path, CheckResult], here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, whole = mixed
    stored = str(here / "r.json")
    Path(stored).write_text(as_json(whole))
    for command, property_, status, last in (
        ("certify", "unreach-call", 0, "VERDICT: TRUE"),
        ("certify", "unreach-call,no-overflow", 1, "VERDICT: FALSE(no-overflow)"),
        ("replay", ASKED, 1, "VERDICT: FALSE(valid-deref)"),
        ("replay", "shift", 2, ""),
        ("replay", "unreach-call", 2, ""),
    ):
        assert run_command([command, str(file), stored, "--property", property_]) == status
        out = capfd.readouterr().out
        assert (out.strip().splitlines() or [""])[-1] == last
        assert "no-overflow" in out or property_ != ASKED


def test_the_command_says_each_answer_once(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "f.c").write_text("int main(void) { return 0; }\n")
    arguments = ["check", "f.c", "--property", "unreach-call", "--property", "no-overflow", "--timeout", "30"]
    assert run_command(arguments) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("  ")] == [["unreach-call", "TRUE"], ["no-overflow", "TRUE"]]
    assert lines[-1] == "VERDICT: TRUE"
    assert run_command([*arguments[:4], "--property", "no-such"]) == 2


def test_who_watches_sees_the_answers_that_are_there() -> None:
    states: dict[str, str] = {}

    def show(progress: Progress | None) -> None:
        if progress is not None:
            states[progress.engine] = progress.state

    request = Request((Path("f.c"),), property="a")
    watched = several._Watched(show, 2)
    noting = watched.of(request)
    assert noting is not None
    noting(Progress("bmc", "bound 4"))
    watched.decided(result("a", Outcome.TRUE))
    watched.of(replace(request, property="b"))
    assert {name: state for name, state in states.items() if state} == {"a": "TRUE", "b": "2 of 2"}
