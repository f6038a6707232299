"""A harness as text, and the command that checks it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from counterpoint.core.printable import shown
from counterpoint.frontend.definition.nondets import C_TYPES
from counterpoint.harness.arguments import Parts
from counterpoint.harness.including import Including

ANY: str = "((size_t)1 << (sizeof(size_t) == 8 ? 40 : 24))"
"""The bound of lengths that no bound is wanted for: what an address space has room for."""


def text_of(
    parts: Parts, including: Including, function: str, place: str, command: str, most: int | None, entry: str
) -> str:
    """The C file."""
    headers = sorted({"stddef.h", "stdlib.h", *parts.headers})
    inputs = set(parts.inputs) | ({"size_t"} if "any_string" in parts.helpers else set())
    return _environment().get_template("harness.c.j2").render(
        function=function,
        place=in_comment(place),
        command=in_comment(command),
        globals=[in_comment(name) for name in parts.globals],
        including=including.lines,
        headers=[name for name in headers if f"#include <{name}>" not in including.lines],
        most=ANY if most is None else most,
        inputs=[(name, _type(name)) for name in sorted(inputs)],
        helpers=parts.helpers,
        functions=parts.functions,
        kept=parts.kept,
        body=parts.body,
        entry=entry,
    )  # fmt: skip


def command_of(output: str, sources: Sequence[str], options: Sequence[str]) -> str:
    """What checks the harness."""
    words = ["counterpoint", "check", output, *sources, *options]
    return " ".join(shlex.quote(word) for word in words)


def in_comment(text: str) -> str:
    """The text so that it ends no comment."""
    return shown(text).replace("*/", "*\\/")


def _type(kind: str) -> str:
    type_ = C_TYPES[kind]
    return type_ if type_.endswith("*") else f"{type_} "


@cache
def _environment() -> Environment:
    def load(name: str) -> str:
        return files(__package__).joinpath(name).read_text("utf-8")

    return Environment(loader=FunctionLoader(load), undefined=StrictUndefined, keep_trailing_newline=True)
