"""A project's programs: a row for each, and all of them as JSON and as JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Sequence
from pathlib import Path

from counterpoint.core.printable import shown
from counterpoint.portfolio.result import SCHEMA_VERSION, CheckResult, Outcome
from counterpoint.projects.baseline import Known
from counterpoint.projects.programs import seen_from
from counterpoint.projects.run import Checked, NotRun, Refusal
from counterpoint.report.json import as_json
from counterpoint.report.lines import Line


def row_of(checked: Checked, width: int, folder: Path) -> Line:
    """`src/list_harness.c   FALSE(valid-deref)   1.2 s   list.c:9: ...`, files as seen from the folder."""
    seconds = f"{checked.result.seconds:6.1f} s" if checked.result is not None else " " * 8
    text = f"{shown(checked.program.name):{width}}  {checked.verdict:24} {seconds}  {shown(said_of(checked, folder))}"
    return ((text.rstrip(), "plain"),)


def said_of(checked: Checked, folder: Path) -> str:
    """What there is to say of the verdict."""
    match checked.answer:
        case Refusal(why):
            return why
        case NotRun(since):
            return f"nothing that it depends on has changed since {since}"
        case CheckResult(counterexample=None) as result:
            return result.detail if result.outcome is Outcome.UNKNOWN else f"{len(result.checks)} checks"
        case CheckResult(counterexample=found):
            assert found is not None
            column = f":{found.at.column}" if found.at.column else ""
            return f"{seen_from(folder, found.at.file)}:{found.at.line}{column}: {found.message}"


def summary_of(programs: Sequence[Checked], known: Known) -> str:
    """`PROGRAMS: 7, 4 TRUE, 2 FALSE (1 known before), 1 UNKNOWN`."""
    words = ("TRUE", "FALSE", "UNKNOWN", "UNUSABLE", "NOT RUN")
    said = []
    for word in words:
        those = [one for one in programs if one.verdict.startswith(word)]
        before = sum(map(known.answers_nothing_new, those)) if word in ("FALSE", "UNKNOWN", "UNUSABLE") else 0
        if those:
            said.append(f"{len(those)} {word}" + (f" ({before} known before)" if before else ""))
    return f"PROGRAMS: {len(programs)}, {', '.join(said)}"


def reused_lines(programs: Sequence[Checked]) -> list[Line]:
    """`RE-USED: 5 of 7 programs were answered before, ...`, where some were."""
    found = [one.result.cached.answered for one in programs if one.result is not None and one.result.cached is not None]
    times = sorted(filter(None, found))
    if not times:
        return []
    since = f"{times[0][:19].replace('T', ' ')} UTC"
    said = f"{len(times)} of {len(programs)} programs were answered before ({since} or later)"
    return [((f"RE-USED: {said}, for the same text and options: --no-cache checks anew", "unsure"),)]


def programs_json(programs: Sequence[Checked], known: Known) -> str:
    """An object with `programs`: for each its `name`, `files`, `verdict`, and its `result` (docs/json.md) or why it was
    `refused` or not run `since` a revision; `known`: it tells nothing that the baseline does not."""
    told = [
        {
            "name": one.program.name,
            "files": [str(file) for file in one.program.files],
            "verdict": one.verdict,
            "known": known.answers_nothing_new(one),
            "refused": one.answer.why if isinstance(one.answer, Refusal) else "",
            "since": one.answer.since if isinstance(one.answer, NotRun) else "",
            "result": json.loads(as_json(one.result)) if one.result is not None else None,
        }
        for one in programs
    ]
    return json.dumps({"schema_version": SCHEMA_VERSION, "programs": told}, indent=1) + "\n"


def junit(programs: Sequence[Checked], known: Known) -> str:
    """A test suite for each program with a case for each of its checks: `failure` where it is refuted, `skipped` where
    it is open, was known before or was not run, `error` for a program that cannot be checked."""
    root = xml.Element("testsuites", {"name": "counterpoint"})
    for one in programs:
        name = shown(one.program.name)
        suite = xml.SubElement(root, "testsuite", {"name": name})
        match one.answer:
            case CheckResult() as result:
                _cases(suite, name, result, known.answers_nothing_new(one))
            case Refusal(why):
                case = xml.SubElement(suite, "testcase", {"name": "program", "classname": name})
                xml.SubElement(case, "error", {"message": shown(why)})
            case NotRun():
                case = xml.SubElement(suite, "testcase", {"name": "program", "classname": name})
                xml.SubElement(case, "skipped", {"message": shown(said_of(one, known.folder))})
        cases = suite.findall("testcase")
        suite.set("tests", str(len(cases)))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
        suite.set("time", f"{one.result.seconds if one.result is not None else 0:.3f}")
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _cases(suite: xml.Element, name: str, result: CheckResult, known: bool) -> None:
    """Also one for the verdict, which no single check may carry."""
    failure = "skipped" if known else "failure"
    before = "known before: " * known
    case = xml.SubElement(suite, "testcase", {"name": "verdict", "classname": name})
    if result.outcome is Outcome.FALSE and result.counterexample is not None:
        said = f"{before}{result.verdict}: {result.counterexample.message}"
        xml.SubElement(case, failure, {"message": shown(said)})
    elif result.outcome is Outcome.UNKNOWN:
        xml.SubElement(case, "skipped", {"message": shown(f"{result.verdict}: {result.detail}")})
    for check in result.checks:
        at = shown(f"{check.at}: {check.kind}: {check.what}")
        case = xml.SubElement(suite, "testcase", {"name": at, "classname": name})
        if check.answer == "refuted":
            xml.SubElement(case, failure, {"message": f"{before}{at}"})
        elif check.answer == "unknown":
            xml.SubElement(case, "skipped", {"message": shown(check.why)})
