"""A request as the command that makes it, to be copied into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields

from counterpoint.portfolio.request import GIB, Request

_DEFAULTS = {field.name: field.default for field in fields(Request)}
_VALUES = {
    "property": "--property",
    "data_model": "--data-model",
    "target": "--target",
    "entry": "--entry",
    "seed": "--seed",
    "compilation_database": "-p",
    "std": "--std",
    "cc": "--cc",
    "callbacks": "--callbacks",
    "asm": "--asm",
    "volatile": "--volatile",
    "addresses": "--addresses",
    "annotations": "--annotations",
    "prepare": "--prepare",
    "contracts": "--contracts",
}
"""Options with one value, by their fields."""

_FLAGS = {"malloc_may_fail": "--malloc-may-fail", "malloc_limit": "--malloc-limit"}
_OFF = {"proof_runs": "--no-proof-runs", "assumed_functions": "--no-assumed-functions"}


def command_line(request: Request) -> str:
    """`counterpoint check ...` with all options that are not as by default."""
    return shlex.join(["counterpoint", "check", *map(_file, request.files), *_options(request)])


def _file(path: object) -> str:
    return f"./{path}" if str(path).startswith("-") else str(path)


def _options(request: Request) -> Iterator[str]:
    for name, option in _VALUES.items():
        value = getattr(request, name)
        if value != _DEFAULTS[name]:
            yield from (option, str(value))
    for folder in request.include:
        yield from ("-I", folder)
    for macro in request.defines:
        yield from ("-D", macro)
    yield from (option for name, option in _FLAGS.items() if getattr(request, name))
    yield from (option for name, option in _OFF.items() if not getattr(request, name))
    if request.engines != ("auto",):
        yield from ("--engine", ",".join(request.engines))
    for name, value in request.options:
        yield from ("-O", f"{name}={value}")
    if request.timeout != _DEFAULTS["timeout"]:
        yield from ("--timeout", f"{request.timeout:g}")
    if request.memory != _DEFAULTS["memory"]:
        whole = request.memory % GIB == 0
        yield from ("--memory", f"{request.memory // GIB}G" if whole else f"{request.memory >> 20}M")
    if request.jobs != _DEFAULTS["jobs"]:
        yield from ("--jobs", str(request.jobs))
