"""Functions checked by themselves as JSON (docs/entries-schema.json)."""

from __future__ import annotations

import json
from typing import Any

from counterpoint.core.version import version
from counterpoint.entries.findings import Entries, Entry, Finding
from counterpoint.portfolio.result import CheckAnswer
from counterpoint.property import weakness_of

SCHEMA_VERSION = 1


def entries_json(found: Entries) -> str:
    """All of it."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "counterpoint": version(),
        "property": found.property,
        "files": list(found.files),
        "seconds": found.seconds,
        "functions": [_entry(entry) for entry in found.entries],
        "findings": [_finding(one) for one in found.findings],
    }
    return json.dumps(document, indent=2) + "\n"


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "function": entry.function,
        "file": entry.file,
        "line": entry.line,
        "given": list(entry.given),
        "requires": [
            {"text": one.text, "kind": one.kind, "at": str(one.at), "else": one.what, "needed": one.needed}
            for one in entry.requires
        ],
        "assumed": list(entry.assumed),
        "checks": [_check(one) for one in entry.checks],
        "findings": [_finding(one) for one in entry.findings],
        "missing": entry.missing,
        "detail": entry.detail,
        "runs": entry.runs,
        "seconds": entry.seconds,
        "reused": entry.reused,
        "relies_on_calls": entry.relies,
    }


def _check(one: CheckAnswer) -> dict[str, Any]:
    place = {"file": one.at.file, "line": one.at.line, "column": one.at.column}
    return {"kind": one.kind, **place, "what": one.what, "answer": one.answer.value, "why": one.why}


def _finding(one: Finding) -> dict[str, Any]:
    found = one.found
    return {
        "grade": one.grade.value,
        "kind": found.kind,
        "cause": found.cause,
        "cwe": weakness_of(found.kind, found.cause),
        "file": found.at.file,
        "line": found.at.line,
        "column": found.at.column,
        "function": found.at.function,
        "called_from": [
            {"file": outer.file, "line": outer.line, "function": outer.function} for outer in one.calls
        ],
        "message": found.message,
        "why": one.why,
        "precondition": one.precondition,
        "confirmed": list(found.confirmed),
        "inputs": [
            {"name": value.name, "type": value.type, "value": value.value, "text": value.text}
            for value in found.inputs
        ],
    }
