"""A project's programs: a row for each, and all of them as JSON and as JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Sequence

from counterpoint.core.printable import shown
from counterpoint.portfolio.result import SCHEMA_VERSION, CheckResult, Outcome
from counterpoint.projects.run import Checked
from counterpoint.report.json import as_json
from counterpoint.report.lines import Line


def row_of(checked: Checked, width: int) -> Line:
    """`src/list_harness.c   FALSE(valid-deref)   1.2 s   list.c:9: ...`"""
    seconds = f"{checked.result.seconds:6.1f} s" if checked.result is not None else " " * 8
    text = f"{shown(checked.program.name):{width}}  {checked.verdict:24} {seconds}  {shown(_said(checked))}"
    return ((text.rstrip(), "plain"),)


def _said(checked: Checked) -> str:
    result = checked.result
    if result is None:
        return checked.refused
    if result.counterexample is not None:
        return f"{result.counterexample.at}: {result.counterexample.message}"
    return result.detail if result.outcome is Outcome.UNKNOWN else f"{len(result.checks)} checks"


def summary_of(programs: Sequence[Checked]) -> str:
    """`PROGRAMS: 7, 4 TRUE, 2 FALSE, 1 UNKNOWN`."""
    words = ("TRUE", "FALSE", "UNKNOWN", "UNUSABLE")
    counts = {word: sum(one.verdict.startswith(word) for one in programs) for word in words}
    said = [f"{number} {word}" for word, number in counts.items() if number]
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


def programs_json(programs: Sequence[Checked]) -> str:
    """An object with `programs`: for each its `name`, `files`, `verdict`, and its `result` (docs/json.md) or why it was
    `refused`."""
    told = [
        {
            "name": one.program.name,
            "files": [str(file) for file in one.program.files],
            "verdict": one.verdict,
            "refused": one.refused,
            "result": json.loads(as_json(one.result)) if one.result is not None else None,
        }
        for one in programs
    ]
    return json.dumps({"schema_version": SCHEMA_VERSION, "programs": told}, indent=1) + "\n"


def junit(programs: Sequence[Checked]) -> str:
    """A test suite for each program with a case for each of its checks: `failure` where it is refuted, `skipped` where
    it is open, `error` for a program that cannot be checked."""
    root = xml.Element("testsuites", {"name": "counterpoint"})
    for one in programs:
        suite = xml.SubElement(root, "testsuite", {"name": shown(one.program.name)})
        if one.result is None:
            case = xml.SubElement(suite, "testcase", {"name": "program", "classname": shown(one.program.name)})
            xml.SubElement(case, "error", {"message": shown(one.refused)})
        else:
            _cases(suite, one.program.name, one.result)
        cases = suite.findall("testcase")
        suite.set("tests", str(len(cases)))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
        suite.set("time", f"{one.result.seconds if one.result is not None else 0:.3f}")
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _cases(suite: xml.Element, name: str, result: CheckResult) -> None:
    """Also one for the verdict, which no single check may carry."""
    case = xml.SubElement(suite, "testcase", {"name": "verdict", "classname": shown(name)})
    if result.outcome is Outcome.FALSE and result.counterexample is not None:
        xml.SubElement(case, "failure", {"message": shown(f"{result.verdict}: {result.counterexample.message}")})
    elif result.outcome is Outcome.UNKNOWN:
        xml.SubElement(case, "skipped", {"message": shown(f"{result.verdict}: {result.detail}")})
    for check in result.checks:
        at = shown(f"{check.at}: {check.kind}: {check.what}")
        case = xml.SubElement(suite, "testcase", {"name": at, "classname": shown(name)})
        if check.answer == "refuted":
            xml.SubElement(case, "failure", {"message": at})
        elif check.answer == "unknown":
            xml.SubElement(case, "skipped", {"message": shown(check.why)})
