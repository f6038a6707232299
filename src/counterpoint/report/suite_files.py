"""A test suite as files: Test-Comp's exchange format, JSON, text, and C harnesses of violations.

The format (gitlab.com/sosy-lab/test-comp/test-format): `metadata.xml`, and for each test a file with the values that
the program's calls of `__VERIFIER_nondet_*` give, in the order of the calls. docs/tests.md says how values are written.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from counterpoint.core.files import read_given
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.core.version import version
from counterpoint.portfolio.result import InputValue
from counterpoint.portfolio.result_text import plain
from counterpoint.portfolio.suite import Ending, SuiteTest, TestSuite
from counterpoint.program.source_lines import LARGEST_FILE
from counterpoint.report.lines import Line, clean

SCHEMA_VERSION = 1

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
_TYPE = (
    '<!DOCTYPE {0} PUBLIC "+//IDN sosy-lab.org//DTD test-format {0} 1.1//EN"'
    ' "https://sosy-lab.org/test-format/{0}-1.1.dtd">\n'
)
_IR_TYPE = regex(r"i\d+|ptr|half|x86_fp80|fp128|")


def files_of(suite: TestSuite) -> dict[str, str]:
    """The names of all files of the suite's folder, with their contents."""
    files = {"metadata.xml": metadata_xml(suite)}
    for number, test in enumerate(suite.tests):
        files[f"{test_name(number)}.xml"] = test_xml(test)
        if test.harness:
            files[f"{test_name(number)}-harness.c"] = test.harness
    files["suite.json"] = suite_json(suite)
    lines = map(clean, _whole(suite))
    files["suite.txt"] = "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
    return files


def test_name(number: int) -> str:
    """The name of the test with that number, from 0."""
    return f"test-{number + 1:04}"


# ---------------------------------------------------------------- Test-Comp


def metadata_xml(suite: TestSuite) -> str:
    """What the suite is for. Of several source files the first one is named."""
    file = Path(suite.files[0])
    digest = hashlib.sha256(read_given(file, "source file", LARGEST_FILE)).hexdigest()
    elements = {
        "sourcecodelang": "C",
        "producer": f"Counterpoint {version()}",
        "specification": suite.goal or f"COVER( init({suite.entry}()), FQL(COVER EDGES(@DECISIONEDGE)) )",
        "programfile": shown(str(file)),
        "programhash": digest,
        "entryfunction": suite.entry,
        "architecture": f"{suite.bits}bit",
        "creationtime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    lines = [f"  <{name}>{escape(text)}</{name}>\n" for name, text in elements.items()]
    return f"{_XML}{_TYPE.format('test-metadata')}<test-metadata>\n{''.join(lines)}</test-metadata>\n"


def test_xml(test: SuiteTest) -> str:
    """The values of the test's calls of `__VERIFIER_nondet_*`."""
    covers = ' coversError="true"' if test.ending is Ending.VIOLATES else ""
    lines = [
        f"  <input{_type(value)}>{escape(_decimal(value))}</input>\n"
        for value in test.inputs
        if value.kind == "call" and value.value is not None
    ]
    return f"{_XML}{_TYPE.format('testcase')}<testcase{covers}>\n{''.join(lines)}</testcase>\n"


def _type(value: InputValue) -> str:
    """Only what a C program can parse."""
    return "" if _IR_TYPE.fullmatch(value.type) else f" type={quoteattr(value.type)}"


def _decimal(value: InputValue) -> str:
    """As C reads it: null pointers are 0."""
    return "0" if value.text == "null" else value.text


# ---------------------------------------------------------------- for other programs


def suite_json(suite: TestSuite) -> str:
    """All of the suite as JSON; docs/tests.md describes it."""
    first = _first_tests(suite)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "counterpoint", "version": version()},
        "files": list(suite.files),
        "property": suite.property,
        "entry": suite.entry,
        "pointer_bits": suite.bits,
        "seconds": suite.seconds,
        "ended": suite.ended,
        "statistics": dict(suite.statistics),
        "branches": {
            "total": len(suite.directions),
            "reached": len(suite.reached),
            "directions": [
                {**plain(d.at), "ordinal": d.ordinal, "direction": d.label, "leads_to": d.line or None,
                 "first_test": test_name(first[n]) if n in first else None}
                for n, d in enumerate(suite.directions)
            ],
        },
        "tests": [_test_document(n, test) for n, test in enumerate(suite.tests)],
    }  # fmt: skip
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _test_document(number: int, test: SuiteTest) -> dict[str, Any]:
    return {
        "name": test_name(number),
        "origin": test.origin,
        "ending": test.ending.value,
        "violates": plain(test.check) if test.check is not None else None,
        "confirmed": list(test.confirmed),
        "reached": sorted(test.reached),
        "inputs": [plain(value) for value in test.inputs],
    }


def _first_tests(suite: TestSuite) -> dict[int, int]:
    """For each direction that is reached, the first test that does."""
    first: dict[int, int] = {}
    for number, test in enumerate(suite.tests):
        for direction in sorted(test.reached):
            first.setdefault(direction, number)
    return first


# ---------------------------------------------------------------- for people


def summary_lines(suite: TestSuite) -> Iterator[Line]:
    """The table of the command: tests, branches covered, time; and violations."""
    total, reached = len(suite.directions), len(suite.reached)
    share = f" ({100 * reached / total:.0f}%)" if total else ""
    yield ((", ".join(suite.files), "title"), (f"  {suite.property}, {suite.bits} bit, {suite.seconds:.1f} s", "dim"))
    yield (("", "plain"),)
    yield ((f"{'test':<10} {'made by':<8} {'inputs':>6} {'branches':>8} {'new':>5}  ending", "title"),)
    seen: set[int] = set()
    for number, test in enumerate(suite.tests):
        new = len(test.reached - seen)
        seen |= test.reached
        row = f"{test_name(number):<10} {test.origin:<8} {len(test.inputs):>6} {len(test.reached):>8} {new:>5}  "
        yield ((row, "plain"), _ending(test))
    yield (("", "plain"),)
    style = "good" if reached == total else "plain"
    yield ((f"{len(suite.tests)} tests, ", "plain"), (f"{reached} of {total} branches{share}", style))
    yield ((f"{int(suite.statistics.get('runs', 0)):,} runs; {suite.ended}", "dim"),)


def _ending(test: SuiteTest) -> tuple[str, str]:
    if test.check is None:
        return test.ending.value, "plain" if test.ending is Ending.FINISHES else "dim"
    ways = f" ({' and '.join(test.confirmed)})"
    return f"VIOLATES: {test.check.message} ({test.check.at}){ways}", "bad"


def _whole(suite: TestSuite) -> Iterator[Line]:
    """The summary with the inputs of each test, by their places, and what no test reaches."""
    yield from summary_lines(suite)
    for number, test in enumerate(suite.tests):
        yield (("", "plain"),)
        yield ((f"{test_name(number)}: {_ending(test)[0]}", "title"),)
        for value in test.inputs:
            yield ((f"  {value.at}  {_shown(value)}", "plain"),)
    missing = [d for n, d in enumerate(suite.directions) if n not in suite.reached]
    if missing:
        yield (("", "plain"),)
        yield (("No test reaches (some of it may be impossible):", "title"),)
        for direction in missing:
            leads = f", to line {direction.line}" if direction.line else ""
            yield ((f"  {direction}{leads}", "plain"),)


def _shown(value: InputValue) -> str:
    if value.value is not None:
        return f"{value.name or value.kind} = {value.text}"
    given = ", ".join(f"[{offset}] = {byte}" for offset, byte in value.contents[:16])
    more = ", ..." if len(value.contents) > 16 else ""
    return f"{value.name or value.kind}: {value.size} bytes{', ' if given else ', all 0'}{given}{more}"
