"""SARIF 2.1.0: violations as errors, UNKNOWN as a note, TRUE as an empty list of results; one log for a project."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from counterpoint import property as properties
from counterpoint.core.printable import shown
from counterpoint.core.source import SourceLocation
from counterpoint.core.version import version
from counterpoint.entries.findings import Entries, Grade
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Counterexample, Outcome
from counterpoint.projects.baseline import Known, findings_of
from counterpoint.projects.run import Checked, NotRun, Refusal
from counterpoint.property import Kind
from counterpoint.report.failing_run import shown_change

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_UNDECIDED = "undecided"


def as_sarif(result: CheckResult) -> str:
    """The result as a SARIF log with one run."""
    findings = [finding for part in result.parts or (result,) for finding in _findings(part)]
    return _log(findings, result.files, {"verdict": result.verdict, "property": result.property})


def entries_sarif(found: Entries) -> str:
    """Findings of functions by themselves, with grade and precondition; latent failures are none."""
    findings = []
    for one in found.findings:
        finding = _violation(one.found, one.grade)
        if one.calls:
            outer = ", ".join(f"{call.function} at {call.file}:{call.line}" for call in one.calls)
            finding["message"]["text"] += f" (called from {outer})"
        if one.why:
            finding["message"]["text"] += f" ({one.grade}: {one.why})"
        if one.precondition:
            finding["properties"]["precondition"] = one.precondition
        findings.append(finding)
    return _log(findings, found.files, {"property": found.property, "functions": len(found.entries)})


def project_sarif(checked: Sequence[Checked], known: Known) -> str:
    """The findings of all programs, each place once, with its `programs`; what was known before is `unchanged`. Files
    are named from the project's folder. Programs that were not checked are notifications of the run."""
    findings: dict[str, dict[str, Any]] = {}
    for one in checked:
        for finding in _of_program(one, known):
            place = json.dumps([finding["ruleId"], finding["message"], finding["locations"]])
            told = findings.setdefault(place, finding)["properties"].setdefault("programs", [])
            told.append(shown(one.program.name))
    files = dict.fromkeys(str(file) for one in checked for file in one.program.files)
    run = _run(list(findings.values()), tuple(files), {"programs": len(checked)})
    crashed = any(one.result is not None and one.result.reason == INTERNAL_ERROR for one in checked)
    notes = [note for one in checked if (note := _notification(one)) is not None]
    run["invocations"] = [{"executionSuccessful": not crashed, "toolExecutionNotifications": notes}]
    return _text(_from_folder(run, f"{_uri(os.path.realpath(known.folder))}/"))


def _of_program(one: Checked, known: Known) -> Iterator[dict[str, Any]]:
    if one.result is None:
        return
    for part in one.result.parts or (one.result,):
        said = [(found, known.has(found)) for found in findings_of(part)]
        for finding, (found, unchanged) in zip(_findings(part), said, strict=False):
            key = "\0".join(known.finding(found)).encode("utf-8", "surrogatepass")
            finding["partialFingerprints"] = {"finding/v1": hashlib.sha256(key).hexdigest()}
            finding["baselineState"] = "unchanged" if unchanged else "new"
            yield finding
        if part.outcome is Outcome.UNKNOWN:
            (finding,) = _findings(part)
            finding["properties"] = {}
            yield finding


def _notification(one: Checked) -> dict[str, Any] | None:
    match one.answer:
        case Refusal(why):
            level, text = "error", f"{one.program.name} cannot be checked: {why}"
        case NotRun(since):
            level, text = "note", f"{one.program.name} was not checked: nothing it depends on has changed since {since}"
        case CheckResult():
            return None
    location = _location(SourceLocation(str(one.program.files[0]), 1))
    return {"level": level, "message": {"text": shown(text)}, "locations": [location]}


def _from_folder(value: Any, folder: str) -> Any:
    """The part of a log with URIs of files below the folder as seen from there."""
    match value:
        case dict():
            found = {name: _from_folder(inner, folder) for name, inner in value.items()}
            return found | ({"uri": found["uri"].removeprefix(folder)} if isinstance(found.get("uri"), str) else {})
        case list():
            return [_from_folder(inner, folder) for inner in value]
    return value


def _log(findings: list[dict[str, Any]], files: Sequence[str], properties_: dict[str, Any]) -> str:
    """A log with one run."""
    return _text(_run(findings, files, properties_))


def _text(run: dict[str, Any]) -> str:
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _run(findings: list[dict[str, Any]], files: Sequence[str], properties_: dict[str, Any]) -> dict[str, Any]:
    used = sorted({finding["ruleId"] for finding in findings})
    return {
        "tool": {
            "driver": {
                "name": "Counterpoint",
                "version": version(),
                "rules": [_rule(name) for name in used],
            }
        },
        "artifacts": [{"location": {"uri": _uri(file)}} for file in files],
        "results": findings,
        "properties": properties_,
    }


def _rule(name: str) -> dict[str, Any]:
    if name == _UNDECIDED:
        return {"id": name, "shortDescription": {"text": "The property was neither proved nor refuted"}}
    shown, _, sub = name.partition("/")
    kinds = (kind for property_ in properties.all_properties() for kind in property_.checks)
    kind = next((kind for kind in kinds if kind.shown == shown), Kind(shown, shown))
    said = kind.cause(sub) or kind
    rule: dict[str, Any] = {"id": name, "shortDescription": {"text": said.finding}}
    if weakness := said.weakness or kind.weakness:
        rule["properties"] = {"tags": [f"external/cwe/{weakness.lower()}", "security"]}
    return rule


def _rule_of(found: Counterexample) -> str:
    """The kind as verdicts name it, and behind a stroke the sub-kind, where it is a known one: `valid-deref/null`."""
    kind = properties.check_kind(found.kind)
    if kind is None:
        return found.kind
    return f"{kind.shown}/{found.cause}" if kind.cause(found.cause) is not None else kind.shown


def _findings(result: CheckResult) -> list[dict[str, Any]]:
    if result.outcome is Outcome.UNKNOWN:
        at = SourceLocation(result.files[0], 1) if result.files else None
        text = f"{result.verdict}: {result.detail}" if result.detail else result.verdict
        return [_finding(_UNDECIDED, "note", text, at)]
    first = (result.counterexample,) if result.counterexample is not None else ()
    grade = Grade.RUN if result.entry == "main" else Grade.CALLER
    return [_violation(found, grade) for found in result.findings or first]


def _violation(found: Counterexample, grade: Grade) -> dict[str, Any]:
    text = " ".join((f"{found.message}.", *found.explanation)) if found.explanation else found.message
    finding = _finding(_rule_of(found), "error", text, found.at)
    finding["properties"] = {"grade": str(grade)}
    if weakness := properties.weakness_of(found.kind, found.cause):
        finding["properties"]["cwe"] = weakness
    if found.steps:
        finding["codeFlows"] = [{"threadFlows": [{"locations": _flow(found)}]}]
    return finding


def _finding(rule: str, level: str, text: str, at: SourceLocation | None) -> dict[str, Any]:
    finding: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    finding["locations"] = [_location(at)] if at is not None and at.line else []
    return finding


def _flow(found: Counterexample) -> list[dict[str, Any]]:
    flow = []
    for step in found.steps[-200:]:
        location = _location(step.at)
        changes = ", ".join(map(shown_change, step.changes))
        location["message"] = {"text": f"{step.source.strip()}  {changes}".strip() or "step"}
        flow.append({"location": location})
    return flow


def _location(at: SourceLocation) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(1, at.line)}
    if at.column:
        region["startColumn"] = at.column
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(at.file)}, "region": region}}


def _uri(file: str) -> str:
    """A URI of a file's name, relative or absolute, all but ASCII letters and the like as `%NN` of its bytes."""
    path = Path(file).as_posix()
    try:
        name = quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # no file's name
        name = quote(path.encode("utf-8", "replace"))
    return f"file://{name}" if path.startswith("/") else name
