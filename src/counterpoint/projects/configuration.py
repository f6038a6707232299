"""What a project says of its checks: `counterpoint.toml`, or `[tool.counterpoint]` of `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from counterpoint.core.documents import Given, read_text
from counterpoint.core.errors import UnusableInput

FILE: Final = "counterpoint.toml"
SHARED: Final = "pyproject.toml"
HARNESSES: Final = ("*_harness.c",)
_KEYS: Final = ("harnesses", "exclude", "property", "timeout")
_MOST_SECONDS: Final = 10**6


@dataclass(frozen=True, slots=True)
class Configuration:
    """`harnesses` and `exclude` are patterns of file names; `property` and `timeout` (seconds for each program) stand
    for options that are not given."""

    harnesses: tuple[str, ...] = HARNESSES
    exclude: tuple[str, ...] = ()
    property: str | None = None
    timeout: float | None = None


def configuration(folder: Path) -> Configuration:
    """That of the folder; the standard one where there is none. Raises UnusableInput."""
    own, shared = folder / FILE, folder / SHARED
    if own.is_file():
        return _configuration(Given(_toml(own), f"{own}:"))
    if shared.is_file():
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
    harnesses, exclude = given.get("harnesses"), given.get("exclude")
    wanted, seconds = given.get("property"), given.get("timeout")
    timeout = seconds.number() if seconds is not None else None
    if seconds is not None and timeout is not None and not 0 < timeout <= _MOST_SECONDS:
        seconds.refused(f"seconds, more than 0 and at most {_MOST_SECONDS}")
    return Configuration(
        _patterns(harnesses) if harnesses is not None else HARNESSES,
        _patterns(exclude) if exclude is not None else (),
        wanted.text() if wanted is not None else None,
        timeout,
    )


def _patterns(given: Given) -> tuple[str, ...]:
    found = given.texts()
    if not all(found):
        given.refused("patterns of file names, as *_harness.c")
    return found
