"""Results as JSON. The schema is docs/result-schema.json; its version is in every file."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from counterpoint.core.source import SourceLocation
from counterpoint.core.version import version
from counterpoint.portfolio.result import SCHEMA_VERSION, CheckResult

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


def plain(value: object) -> Any:
    """Dataclasses, enums and tuples as what JSON has."""
    match value:
        case SourceLocation():
            return _location(value)
        case Enum():
            return value.value
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
        case None | bool() | int() | float() | str():
            return value
    if is_dataclass(value):
        document = {name: getattr(value, name) for name in _field_names(value.__class__)}
        return {name: item if type(item) in _AS_THEY_ARE else plain(item) for name, item in document.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form")


_AS_THEY_ARE = frozenset({int, str, bool, float, type(None)})


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@lru_cache(maxsize=4096)
def _location(at: SourceLocation) -> dict[str, object]:
    document: dict[str, object] = {"file": at.file, "line": at.line, "column": at.column}
    if at.function:
        document["function"] = at.function
    if at.inlined_at is not None:
        document["inlined_at"] = _location(at.inlined_at)
    return document
