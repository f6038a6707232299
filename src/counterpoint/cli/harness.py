"""`counterpoint harness`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from counterpoint.cli.options import FILE, source_options

LARGEST = 1 << 32


class Most(click.ParamType[Any]):
    """A number of elements, or `any`."""

    name = "most"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if isinstance(value, int) or value is None or value == "any":
            return value if isinstance(value, int) else None
        if not str(value).isdecimal() or not 0 < int(value) <= LARGEST:
            self.fail(f"`{value}` is no number of elements: write 8, or any", param, ctx)
        return int(value)


@click.command("harness")
@click.argument("function", metavar="FUNCTION")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("-o", "--out", type=FILE, metavar="OUT.c", help="Where the harness goes. Default: stdout.")
@click.option(
    "--most",
    type=Most(),
    default="8",
    show_default=True,
    metavar="N|any",
    help="Elements of a buffer and characters of a string; the harness has it as a macro.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 6),
    default=2,
    show_default=True,
    help="Pointers one behind the other, from an argument.",
)
@click.option("--aliases", is_flag=True, help="Arguments of one type may lead to the same block, not only to others.")
@source_options
def command(
    function: str,
    files: tuple[Path, ...],
    out: Path | None,
    most: int | None,
    depth: int,
    aliases: bool,
    **options: Any,
) -> int:
    """Writes a harness for FUNCTION of the C FILES: a `main` that calls it with all that its types allow.

    Buffers are as long as the parameters say that are their lengths; what is assumed is a line each, to be struck by
    the user. The last line tells the command that checks it (docs/harness.md).
    """
    from counterpoint.cli.console import say_text
    from counterpoint.cli.output_files import check_writable, write_output
    from counterpoint.cli.streams import note
    from counterpoint.core.errors import UnusableInput
    from counterpoint.harness.request import Wanted
    from counterpoint.harness.run import harness
    from counterpoint.portfolio.request import Request, source_task

    check_writable(out)
    if options["entry"] != "main":
        raise UnusableInput("--entry: a harness has an entry of its own: leave it out")
    said = _said(options)
    options["property"] = options.pop("property_") or "memory-safety"
    if "," in options["property"]:
        raise UnusableInput(f"--property {options['property']}: one property at a time")
    task = source_task(Request(files=files, **options))
    if task.is_translated:
        raise UnusableInput(f"{task.files[0]}: is no C program: a harness calls a C function")
    if out is not None and out.exists() and any(out.samefile(file) for file in task.files):
        raise UnusableInput(f"-o {out}: is a file that is read: name another one")
    folder = out.parent if out is not None else Path()
    made = harness(Wanted(function, task, folder, str(out or "harness.c"), said, most, depth, aliases))
    if out is None:
        say_text(made.text)
    else:
        write_output(out, made.text)
        note(f"{out}: {made.assumed} assumptions; check it by")
        note(f"  {made.command}")
    for warning in made.warnings:
        note(f"counterpoint: the harness has a warning: {warning}")
    return 0


def _said(options: dict[str, Any]) -> tuple[str, ...]:
    """The options as the command that checks the harness has them."""
    words = ["--property", options["property_"] or "memory-safety"]
    for name in ("data_model", "target", "cc", "compilation_database"):
        flag = "-p" if name == "compilation_database" else f"--{name.replace('_', '-')}"
        if options[name] is not None:
            words += [flag, str(options[name])]
    for name, flag in (("include", "-I"), ("defines", "-D")):
        words += [word for value in options[name] for word in (flag, str(value))]
    if options["std"] != "gnu11":
        words += ["-std", options["std"]]
    return tuple(words)
