"""JSON, SARIF, HTML and terminal text of results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.core.documents import Given
from counterpoint.core.errors import UnusableInput
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.readable_run import c_text
from counterpoint.portfolio.result import (
    Change,
    CheckResult,
    Counterexample,
    EngineRun,
    ExecutedLine,
    InputValue,
    Outcome,
    Proof,
)
from counterpoint.portfolio.result_file import read_result, stored_proof, stored_violation
from counterpoint.program.inputs import MemoryInput, ScalarInput
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json
from counterpoint.report.sarif import as_sarif
from counterpoint.report.terminal import lines_of
from schema import ROOT, violations

AT = SourceLocation("a <b>.c", 4, 7, "main", SourceLocation("a <b>.c", 9, 1))
RUN = Counterexample(
    check=2,
    kind="valid-deref",
    message="invalid write of 4 bytes",
    at=AT,
    preparation="flat",
    inputs=(
        InputValue(0, "call", "__VERIFIER_nondet_int", "int", AT, bits=32, value=0xFFFFFFFE, text="-2"),
        InputValue(1, "argument", "argv", "", AT, size=8, contents=((3, 7),)),
    ),
    steps=tuple(ExecutedLine(AT, f"line {n};", (Change("n", "300", "0x12c"),), n % 3) for n in range(200)),
    omitted=17,
    confirmed=("the interpreter", "native code"),
    notes=("depends on something",),
    harness="int x;",
)
BASE = CheckResult(
    Outcome.UNKNOWN, "memory-safety", ("a <b>.c",), "ILP32", "main", seconds=1.2, memory=9 << 20
)
FALSE = replace(BASE, outcome=Outcome.FALSE, violated="valid-deref", engine="bmc", counterexample=RUN)
TRUE = replace(
    BASE,
    outcome=Outcome.TRUE,
    proof=Proof("complete-unrolling", "all of it", {"preparation": "flat", "cuts": ["a", "b"]}),
    assumptions=("f is not defined: it returns anything",),
    engines=(EngineRun("bmc", "TRUE", "", 0.5, {"bound": 1, "solver_calls": 1234}),),
)
UNKNOWN = replace(
    BASE,
    reason="BOUND_REACHED",
    detail="the loop at a.c:3 goes on",
    advice=("bound it",),
    crash_reports=("c.txt",),
)
RESULTS = (TRUE, FALSE, UNKNOWN)


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.outcome)
def test_json_follows_its_schema(result: CheckResult) -> None:
    document = json.loads(as_json(result))
    assert violations(document, ROOT) == []
    assert document["verdict"] == result.verdict


def test_the_schema_check_can_fail() -> None:
    document = json.loads(as_json(FALSE))
    document["counterexample"]["inputs"][0]["at"]["line"] = "four"
    del document["files"]
    document["verdict"] = "MAYBE"
    assert len(violations(document, ROOT)) >= 3


def test_verdict_lines() -> None:
    assert TRUE.verdict == "TRUE"
    assert FALSE.verdict == "FALSE(valid-deref)"
    assert UNKNOWN.verdict == "UNKNOWN(BOUND_REACHED)"


def given(result: CheckResult) -> Given:
    return Given(json.loads(as_json(result)), "r.json:")


def test_stored_evidence_comes_back() -> None:
    violation = stored_violation(given(FALSE)).violation
    assert violation.check == 2 and violation.preparation == "flat"
    assert violation.inputs == (ScalarInput(0, 0xFFFFFFFE, 32), MemoryInput(1, 8, ((3, 7),)))
    certificate = stored_proof(given(TRUE)).certificate
    assert certificate.cuts == ("a", "b")


def test_stored_evidence_that_is_missing_or_broken() -> None:
    for result in (TRUE, UNKNOWN):
        with pytest.raises(UnusableInput, match=r"r\.json.*no counterexample"):
            stored_violation(given(result))
    document = json.loads(as_json(FALSE))
    del document["counterexample"]["inputs"][0]["bits"]
    with pytest.raises(UnusableInput, match=r"r\.json: counterexample\.inputs\[0\] has no `bits`"):
        stored_violation(Given(document, "r.json:"))
    document = json.loads(as_json(TRUE))
    document["proof"]["kind"] = "by authority"
    with pytest.raises(UnusableInput, match="by authority"):
        stored_proof(Given(document, "r.json:"))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema_version": 99, "verdict": "TRUE"}', "\udcff"])
def test_files_that_are_no_results(text: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UnusableInput, match=r"r\.json"):
        read_result(path)


def test_sarif() -> None:
    log = json.loads(as_sarif(FALSE))
    assert log["version"] == "2.1.0"
    (finding,) = log["runs"][0]["results"]
    assert (finding["ruleId"], finding["level"]) == ("valid-deref", "error")
    region = finding["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 4, "startColumn": 7}
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["valid-deref"]
    assert json.loads(as_sarif(TRUE))["runs"][0]["results"] == []
    assert json.loads(as_sarif(UNKNOWN))["runs"][0]["results"][0]["level"] == "note"


def test_html_escapes_and_is_whole() -> None:
    page = as_html(FALSE)
    assert "a &lt;b&gt;.c" in page and "<b>" not in page
    assert "FALSE(valid-deref)" in page and page.rstrip().endswith("</html>")


def text(result: CheckResult) -> str:
    return "\n".join("".join(piece for piece, _ in line) for line in lines_of(result))


def test_terminal_tells_the_run() -> None:
    shown = text(FALSE)
    assert "a <b>.c:4:7: invalid write of 4 bytes" in shown
    assert "called at a <b>.c:9:1" in shown
    assert "= -2" in shown and "0xfffffffe" not in shown and "= 8 bytes: [3]=7" in shown
    assert "n = 300 (0x12c)" in shown
    assert "97 steps" in shown  # 17 omitted before, 80 more here
    assert "the interpreter and native code" in shown and "depends on something" in shown


def test_terminal_says_why_it_is_unknown() -> None:
    shown = text(UNKNOWN)
    assert "the loop at a.c:3 goes on" in shown and "Try      bound it" in shown and "c.txt" in shown
    assert "f is not defined" in text(TRUE)


def test_values_as_the_user_writes_them() -> None:
    assert c_text(0xFFFFFFFF, 32, "unsigned int") == "4294967295"
    assert c_text(0xFFFFFFFF, 32, "int") == "-1"
    assert c_text(0xBF800000, 32, "float") == "-1.0"
