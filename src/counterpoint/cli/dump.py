"""`counterpoint dump`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from counterpoint.cli.options import FILE, source_options


@click.command("dump")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--program", "form", flag_value="program", default=True, help="The prepared program. [default]")
@click.option("--ir", "form", flag_value="ir", help="The LLVM IR that it is made from.")
@click.option("--bgd", "form", flag_value="bgd", help="A block graph, which `check` reads (docs/bgd.md).")
@click.option(
    "--prepare",
    type=click.Choice(["flat", "modular", "none"]),
    default="flat",
    show_default=True,
    help="flat: everything inlined that is not recursive; modular: functions kept; none: mem2reg only.",
)
@click.option("--locations", is_flag=True, help="With --program: the place in the source of each instruction.")
@source_options
def command(files: tuple[Path, ...], form: str, prepare: str, locations: bool, **options: Any) -> int:
    """Prints the program that FILES make, with the property's checks, as engines see it.

    Exit status: 0 if it was printed; 2 if it cannot be compiled, or has what a block graph cannot say.
    """
    from counterpoint.execute.subject import compile_subject
    from counterpoint.portfolio.request import Request, source_task

    options["property"] = options.pop("property_")
    subject = compile_subject(source_task(Request(files=files, **options)))
    match form:
        case "ir":
            text = subject.module(prepare).text
        case "bgd":
            from counterpoint.frontend.bgd.from_program import block_graph

            text = block_graph(subject.program(prepare))
        case _:
            from counterpoint.program.render import render

            text = render(subject.program(prepare), locations)
    click.echo(text, nl=not text.endswith("\n"))
    return 0
