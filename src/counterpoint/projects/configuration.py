"""What a project says of its checks: `counterpoint.toml`, or `[tool.counterpoint]` of `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from counterpoint.core.documents import Given, read_text
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass

FILE: Final = "counterpoint.toml"
SHARED: Final = "pyproject.toml"
HARNESSES: Final = ("*_harness.c",)
_MOST_SECONDS: Final = 10**6
_MOST_JOBS: Final = 64


@dataclass(frozen=True, slots=True)
class Configuration:
    """`harnesses` and `exclude` are patterns of file names. The others stand for options that are not given: `timeout`
    in seconds and for each program, `baseline` from the current folder."""

    harnesses: tuple[str, ...] = HARNESSES
    exclude: tuple[str, ...] = ()
    property: str | None = None
    timeout: float | None = None
    jobs: int | None = None
    entry: str | None = None
    data_model: str | None = None
    target: str | None = None
    baseline: Path | None = None
    changed_since: str | None = None


_KEYS: Final = (
    *("harnesses", "exclude", "property", "timeout", "jobs", "entry", "data-model", "target", "baseline"),
    "changed-since",
)


def configuration(folder: Path) -> Configuration:
    """That of the folder; the standard one where there is none. Raises UnusableInput."""
    own, shared = folder / FILE, folder / SHARED
    if own.exists():
        return _configuration(Given(_toml(own), f"{own}:"))
    if shared.exists():
        tools = Given(_toml(shared), f"{shared}:").get("tool")
        found = tools.get("counterpoint") if tools is not None else None
        if found is not None:
            return _configuration(found)
    return Configuration()


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(read_text(path, "configuration"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnusableInput(f"{path}: is not TOML: {error}") from None


def _configuration(given: Given) -> Configuration:
    for name in given.object():
        if name not in _KEYS:
            raise UnusableInput(f"{given.where} has `{name[:60]}`: there is {', '.join(_KEYS)}")
    harnesses, exclude, jobs = given.get("harnesses"), given.get("exclude"), given.get("jobs")
    data_model, baseline = given.get("data-model"), _text(given, "baseline")
    return Configuration(
        _patterns(harnesses) if harnesses is not None else HARNESSES,
        _patterns(exclude) if exclude is not None else (),
        _text(given, "property"),
        _seconds(given),
        jobs.integer(1, _MOST_JOBS) if jobs is not None else None,
        _text(given, "entry"),
        data_model.one_of("ILP32", "LP64") if data_model is not None else None,
        _text(given, "target"),
        Path(baseline) if baseline is not None else None,
        _text(given, "changed-since"),
    )


def _seconds(given: Given) -> float | None:
    timeout = given.get("timeout")
    if timeout is None:
        return None
    seconds = timeout.number()
    if not 0 < seconds <= _MOST_SECONDS:
        timeout.refused(f"seconds, more than 0 and at most {_MOST_SECONDS}")
    return seconds


def _text(given: Given, name: str) -> str | None:
    found = given.get(name)
    if found is not None and not found.text():
        found.refused("a text that is not empty")
    return found.text() if found is not None else None


def _patterns(given: Given) -> tuple[str, ...]:
    found = given.texts()
    if not all(found):
        given.refused("patterns of file names, as *_harness.c")
    return found
