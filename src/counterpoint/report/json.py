"""Results as JSON. The schema is docs/result-schema.json; its version is in every file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from counterpoint.core.version import version
from counterpoint.portfolio.result import SCHEMA_VERSION, CheckResult
from counterpoint.portfolio.result_text import plain

MOST_INDENTED = 1_000
"""Inputs up to which the text is indented for people; larger ones are written ten times faster without."""


def as_json(result: CheckResult) -> str:
    """The whole result as a JSON text."""
    inputs = (len(one.counterexample.inputs) for one in (result, *result.parts) if one.counterexample is not None)
    large = max(inputs, default=0) > MOST_INDENTED
    return json.dumps(_document(result), indent=None if large else 2, allow_nan=False) + "\n"


def _document(result: CheckResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "counterpoint", "version": version()},
        "verdict": result.verdict,
        **plain(replace(result, recordings=(), parts=(), listing=None)),
        "parts": [_document(part) for part in result.parts],
    }
    del document["recordings"], document["listing"]
    if document["counterexample"] is not None:
        del document["counterexample"]["harness"]
    for finding in document["findings"]:
        del finding["harness"]
    return document
