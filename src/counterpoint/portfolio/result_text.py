"""A result as JSON has it, and back: what is written is read as an equal result, but for pictures and listings.

Lists stand for tuples. What is read back has the types that the fields of the classes say, or is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import CheckResult


class NoResult(ValueError):
    """The document is no result of this version."""


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


# ---------------------------------------------------------------- back


def document_of(result: CheckResult) -> Any:
    """The result without what only a page shows."""
    parts = [document_of(part) for part in result.parts]
    return {**plain(replace(result, recordings=(), listing=None, parts=())), "parts": parts}


def result_of(document: object) -> CheckResult:
    """What `document_of` was given. Raises NoResult."""
    found: CheckResult = _read(CheckResult, document)
    return found


def _read(kind: Any, value: Any) -> Any:
    """The value of that type; any other field of a class than those given is as by default."""
    origin = get_origin(kind)
    if origin is UnionType:
        return _read_one_of(get_args(kind), value)
    if origin is tuple:
        return _read_tuple(get_args(kind), value)
    if kind is object or (origin is Mapping and isinstance(value, dict)):
        return value
    if origin is Mapping:
        _refuse(kind, value)
    if is_dataclass(kind):
        return _read_fields(kind, value)
    if issubclass(kind, Enum):
        return kind(value) if isinstance(value, str) else _refuse(kind, value)
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    return _refuse(kind, value)


def _read_fields(kind: Any, value: Any) -> Any:
    hints = _hints(kind)
    if not isinstance(value, dict) or not value.keys() <= hints.keys():
        _refuse(kind, value)
    try:
        return kind(**{name: _read(hints[name], item) for name, item in value.items()})
    except TypeError as error:
        raise NoResult(str(error)) from None


def _read_one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    """None, or the first type that takes the value."""
    if value is None and NoneType in kinds:
        return None
    for kind in kinds:
        if kind is not NoneType:
            try:
                return _read(kind, value)
            except ValueError:
                continue
    return _refuse(kinds, value)


def _read_tuple(kinds: tuple[Any, ...], value: Any) -> Any:
    if not isinstance(value, list):
        _refuse(kinds, value)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], item) for item in value)
    if len(kinds) != len(value):
        _refuse(kinds, value)
    return tuple(_read(kind, item) for kind, item in zip(kinds, value, strict=True))


def _refuse(kind: object, value: object) -> NoReturn:
    raise NoResult(f"{kind} is {value!r}"[:200])


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
