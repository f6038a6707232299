"""Options that several subcommands share, and values with units."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])
MOST_BYTES = 1 << 60
MOST_SECONDS = 10**8
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Size(click.ParamType[Any]):
    """Bytes: a number with K, M, G or T."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.IGNORECASE)
        if match is None:
            self.fail(f"`{value}` is not a size: write 4G or 500M", param, ctx)
        exact = float(match[1]) * _UNITS[match[2].upper()]
        if exact > MOST_BYTES:
            self.fail(f"`{value}` is more than any machine has", param, ctx)
        size = int(exact)
        if size < 64 << 20:
            self.fail(f"`{value}` is too little: at least 64M", param, ctx)
        return size


class Seconds(click.ParamType[Any]):
    """A positive number of seconds, with or without `s`; also minutes as `2m`."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min)?", str(value).strip())
        if match is None or float(match[1]) <= 0:
            self.fail(f"`{value}` is not a time: write 60, 60s or 2m", param, ctx)
        if float(match[1]) > MOST_SECONDS:
            self.fail(f"`{value}` is too long: at most {MOST_SECONDS} s", param, ctx)
        return float(match[1]) * (60 if match[2] in ("m", "min") else 1)


FILE = click.Path(path_type=Path)


def request_options(function: _F) -> _F:
    """Everything that says what to check and how, except the files."""
    for option in reversed((*_PROGRAM, *_ENGINES, *_ENGINE_VALUES, *_LIMITS, *_PREPARE, *_STRICT, *_COMPILATION)):
        function = option(function)
    return function


def source_options(function: _F) -> _F:
    """Those that say what the program is and how it is compiled."""
    for option in reversed((*_PROGRAM, *_COMPILATION)):
        function = option(function)
    return function


def program_options(function: _F) -> _F:
    """`request_options` without what chooses engines and preparations."""
    for option in reversed((*_PROGRAM, *_ENGINE_VALUES, *_LIMITS, *_COMPILATION)):
        function = option(function)
    return function


def _meaning(name: str, choices: tuple[str, ...], help_: str) -> Callable[[_F], _F]:
    """An option whose first choice is the default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=help_)


MEANING = (
    _meaning(
        "--callbacks",
        ("unsupported", "before-return"),
        "Undefined functions that are handed functions: UNKNOWN, or they call them any number of times before they"
        " return, and never later (an assumption of the result).",
    ),
    _meaning(
        "--asm",
        ("unsupported", "outputs-only"),
        "Inline assembly that is not empty: UNKNOWN, or its outputs have any values and it has no other effect"
        " (an assumption of the result).",
    ),
    _meaning(
        "--volatile",
        ("ordinary", "arbitrary"),
        "Reads of volatile memory: what was written last, or any value, as from a device.",
    ),
    _meaning(
        "--addresses",
        ("fresh", "reused"),
        "New objects lie where none lay before (an assumption of the result, where it may matter), or also where dead"
        " ones did.",
    ),
    _meaning(
        "--annotations",
        ("candidates", "checks"),
        "Assertions and loop invariants of ACSL comments: loop invariants are guesses for proofs, or both are checks of"
        " unreach-call.",
    ),
    click.option("--malloc-may-fail", is_flag=True, help="Any allocation may give null. Default: all of them succeed."),
    click.option("--malloc-limit", is_flag=True, help="An allocation of more than PTRDIFF_MAX bytes gives null."),
)
"""What is meant where the language or the library leaves it open."""


def meaning_options(function: _F) -> _F:
    """MEANING alone."""
    for option in reversed(MEANING):
        function = option(function)
    return function


def _joined(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The values of an option that is given several times as one, joined by commas."""
    return ",".join(values) if values else None


_PROGRAM = (
    click.option(
        "--property",
        "--prop",
        "property_",
        multiple=True,
        callback=_joined,
        metavar="NAME[,NAME...]|all|FILE.prp",
        help="unreach-call (the default), others of `counterpoint properties`, SV-COMP names, or a property file."
        " `check`, `replay` and `certify` take several, and the option may be repeated.",
    ),
    click.option(
        "--data-model",
        type=click.Choice(["ILP32", "LP64"]),
        help="Widths of int, long and pointers. Default: the task definition's; for plain files LP64, the host's.",
    ),
    click.option("--target", metavar="TRIPLE", help="An LLVM target triple instead of a data model."),
    click.option("--entry", default="main", show_default=True, help="The function where runs start."),
    *MEANING,
)
_ENGINES = (
    click.option(
        "--engine",
        default="auto",
        show_default=True,
        metavar="auto[,-NAME...]|NAME[,NAME...]",
        help="See `counterpoint engines`; `auto,-NAME` is auto without that engine.",
    ),
    click.option("--bound", type=click.IntRange(1), help="bmc: iterations per loop at which to end."),
    click.option("--sound", is_flag=True, help="bmc: unwinding assertions also with --bound."),
    click.option("--no-generate", is_flag=True, help="houdini: only the candidates in the source."),
    click.option("--jobs", type=click.IntRange(1, 64), help="Engines side by side. [default: 2]"),
)
_ENGINE_VALUES = (
    click.option(
        "-O",
        "--option",
        "option",
        multiple=True,
        metavar="ENGINE.OPTION=VALUE",
        help="Sets an engine's option (`counterpoint engines` lists them); also as --ENGINE-OPTION VALUE, or"
        " as --OPTION VALUE with --engine ENGINE.",
    ),
)
_LIMITS = (
    click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all."),
    click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all."),
    click.option("--seed", type=int, default=0, show_default=True, help="For engines that choose at random."),
)
_PREPARE = (
    click.option(
        "--prepare",
        type=click.Choice(["none", "modular", "default"]),
        default="default",
        show_default=True,
        help="none: no LLVM passes beyond mem2reg; modular: functions are kept.",
    ),
    click.option(
        "--contracts",
        default="",
        metavar="all|NAME[,NAME...]",
        help="Calls of these functions go by contract, not only those of functions with loops or recursion: what is"
        " shown of a function's body is all that its callers know of it. Of use with --prepare modular.",
    ),
)
_STRICT = (
    click.option(
        "--assumed-functions/--no-assumed-functions",
        default=True,
        show_default=True,
        help="A function that is called and has neither a body nor a model gives any value and changes nothing (an"
        " assumption of the result), or makes the program unusable.",
    ),
)
_COMPILATION = (
    click.option("-I", "include", multiple=True, metavar="DIR", help="Folder with headers."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro."),
    click.option("-std", "--std", default="gnu11", show_default=True, help="C dialect."),
    click.option(
        "-p",
        "compilation_database",
        type=FILE,
        metavar="DIR",
        help="Folder with compile_commands.json, for -I, -D and -std.",
    ),
    click.option("--cc", metavar="PATH", help="Another clang than the one that comes along."),
)


def engine_options(engines: tuple[str, ...], options: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What -O and its short forms say, as (name, value) pairs. Raises UnusableInput for one out of place."""
    from counterpoint.core.errors import UnusableInput

    found: list[tuple[str, str]] = []
    for flag, engine, name, value in (
        ("--bound", "bmc", "bmc.bound", options["bound"]),
        ("--sound", "bmc", "bmc.sound", options["sound"] and "true"),
        ("--no-generate", "houdini", "houdini.generate", options["no_generate"] and "false"),
    ):
        if not value:
            continue
        if engine not in engines:
            raise UnusableInput(f"{flag} is about {engine}: add --engine {engine}, or use -O {name}={value}")
        found.append((name, str(value)))
    for text in options["option"]:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise UnusableInput(f"--option {text}: write ENGINE.OPTION=VALUE, as in bmc.bound=8")
        found.append((name, value))
    return tuple(found)
