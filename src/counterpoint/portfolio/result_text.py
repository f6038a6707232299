"""A result as JSON has it, and back: what is written is read as an equal result, but for pictures and listings.

Lists stand for tuples. What is read back has the types that the fields of the classes say, or is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """Dataclasses, enums and tuples as what JSON has. What stands at several places is made once."""
    return _plain(value, {})


def _plain(value: object, done: dict[int, list[Any]]) -> Any:
    """`done`: the items of tuples, by identity: they are parts of one value, and live as long."""
    match value:
        case SourceLocation():
            return _location(value)
        case Enum():
            return value.value
        case dict():
            return {str(key): _plain(item, done) for key, item in value.items()}
        case tuple() | list():
            if id(value) not in done:
                done[id(value)] = [_plain(item, done) for item in value]
            return [*done[id(value)]]
        case None | bool() | int() | float() | str():
            return value
    if is_dataclass(value):
        document = {name: getattr(value, name) for name in _field_names(value.__class__)}
        return {name: item if type(item) in _AS_THEY_ARE else _plain(item, done) for name, item in document.items()}
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
    found: CheckResult = _reader(CheckResult)(document)
    return found


_Read = Callable[[Any], Any]
"""Makes the value of a type, or raises NoResult."""


@cache
def _reader(kind: Any) -> _Read:
    """Of values of this type: those that the fields of results have. A field that is not given is as by default."""
    origin = get_origin(kind)
    if origin is UnionType:
        return _reader_of_one(get_args(kind))
    if origin is tuple:
        return _reader_of_tuple(get_args(kind))
    if kind is object:
        return lambda value: value
    if origin is Mapping:
        return lambda value: value if type(value) is dict else _refuse(kind, value)
    if is_dataclass(kind):
        return _reader_of_fields(kind)
    if issubclass(kind, Enum):
        return lambda value: _member(kind, value)
    known = (int, float) if kind is float else (kind,)
    return lambda value: value if type(value) in known else _refuse(kind, value)


def _reader_of_fields(kind: Any) -> _Read:
    readers: dict[str, _Read] = {}

    def read(value: Any) -> Any:
        if not readers:  # not before, as a class may have a field of its own type
            readers.update((name, _reader(hint)) for name, hint in get_type_hints(kind).items())
        if type(value) is not dict or not value.keys() <= readers.keys():
            _refuse(kind, value)
        try:
            return kind(**{name: readers[name](item) for name, item in value.items()})
        except TypeError as error:
            raise NoResult(str(error)) from None

    return read


def _member(kind: Any, value: Any) -> Any:
    try:
        return kind(value) if type(value) is str else _refuse(kind, value)
    except ValueError:
        _refuse(kind, value)


def _reader_of_one(kinds: tuple[Any, ...]) -> _Read:
    """None, or the only other type."""
    (other,) = (kind for kind in kinds if kind is not NoneType)
    read = _reader(other)
    return lambda value: None if value is None else read(value)


def _reader_of_tuple(kinds: tuple[Any, ...]) -> _Read:
    readers = [_reader(kind) for kind in kinds if kind is not Ellipsis]

    def read(value: Any) -> Any:
        if type(value) is not list or (Ellipsis not in kinds and len(value) != len(kinds)):
            _refuse(kinds, value)
        if Ellipsis in kinds:
            return tuple(map(readers[0], value))
        return tuple(one(item) for one, item in zip(readers, value, strict=True))

    return read


def _refuse(kind: object, value: object) -> NoReturn:
    raise NoResult(f"{kind} is a {type(value).__name__}")
