"""`counterpoint infer`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.options import FILE, Seconds, Size, source_options

if TYPE_CHECKING:
    from counterpoint.contracts.contract import Contract
    from counterpoint.contracts.request import Inferred, Inquiry


@click.command("infer")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option(
    "--function", "functions", multiple=True, metavar="NAME", help="Only this function. Repeatable. Default: all."
)
@click.option(
    "--from",
    "start",
    type=click.Choice(["main"]),
    help="What holds for the calls of this program, too. [default: if there is a main]",
)
@click.option("--any-caller", is_flag=True, help="Only what holds for every caller; no main is needed.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "acsl", "cprover", "json"]),
    default="text",
    show_default=True,
    help="text: for people; acsl: comments of Frama-C; cprover: clauses of CBMC; json: docs/contracts-schema.json.",
)
@click.option("--write", "out", type=FILE, metavar="OUT.c", help="The file with ACSL comments in it, as a new file.")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Functions side by side. [default: 2]")
@click.option(
    "--cluster", metavar="local|ADDRESS", help="Functions on the workers of a Ray cluster, --jobs at most at once."
)
@click.option("--seed", type=int, default=0, show_default=True, help="For what is chosen at random.")
@source_options
def command(
    files: tuple[Path, ...],
    functions: tuple[str, ...],
    start: str | None,
    any_caller: bool,
    form: str,
    out: Path | None,
    **options: Any,
) -> int:
    """Finds contracts of the functions in C FILES, and invariants of their loops.

    Each clause is proved (for every caller that keeps `requires`), proved here (for the calls of this program), or
    likely (it held in runs, and there is no proof).

    Exit status: 0 if contracts were printed, whatever they say; 2 for unusable input.
    """
    from counterpoint.cli.console import say, say_text
    from counterpoint.cli.exit_status import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.output_files import check_outputs, write_output
    from counterpoint.contracts.run import infer
    from counterpoint.core.errors import UnusableInput
    from counterpoint.report.contract_annotations import annotated
    from counterpoint.report.contract_lines import lines_of, summary_of

    if any_caller and start:
        raise UnusableInput("--from main and --any-caller: choose one")
    check_outputs({"--write": out})
    inquiry = _inquiry(files, functions, start, any_caller, options)
    if out is not None and len(inquiry.task.files) != 1:
        raise UnusableInput(f"--write {out}: writes one file: give one")
    if out is not None and out.exists() and out.samefile(inquiry.task.files[0]):
        raise UnusableInput(f"--write {out}: is the file that is read: name another one")

    def tell(contract: Contract) -> None:
        if form == "text":
            say(lines_of(contract))

    found = infer(inquiry, tell)
    if form == "text":
        say(summary_of(found))
    else:
        say_text(_written(found, form))
    if out is not None:
        write_output(out, annotated(inquiry.task.files[0], {one.function: one for one in found.contracts}))
    return 4 if found.broken else 0


def _inquiry(
    files: tuple[Path, ...], functions: tuple[str, ...], start: str | None, any_caller: bool, options: dict[str, Any]
) -> Inquiry:
    """Raises UnusableInput for what is no C program."""
    from counterpoint.contracts.request import Callers, Inquiry
    from counterpoint.core.errors import UnusableInput
    from counterpoint.entries.preconditions import preconditions
    from counterpoint.portfolio.request import Request, source_task

    limits = {name: options.pop(name) for name in ("timeout", "memory", "jobs", "seed")}
    cluster = options.pop("cluster")
    options["property"] = options.pop("property_") or "unreach-call"
    task = source_task(Request(files=files, **options))
    if task.is_translated:
        raise UnusableInput(f"{task.files[0]}: is no C program: infer finds contracts of C functions")
    callers = Callers.ANY if any_caller else Callers.MAIN if start else None
    return Inquiry(task, callers, functions, needs=preconditions, cluster=cluster, **limits)


def _written(found: Inferred, form: str) -> str:
    from counterpoint.report.contract_annotations import acsl, cprover, loop_acsl
    from counterpoint.report.contract_json import contracts_json

    if form == "json":
        return contracts_json(found)
    pieces = []
    for one in found.contracts:
        text = acsl(one) if form == "acsl" else cprover(one)
        pieces.append(f"// {one.function}, {one.file}:{one.line}\n{text}")
        if form == "acsl":
            pieces += [f"// loop at line {loop.line}\n{said}" for loop in one.loops if (said := loop_acsl(loop))]
        if one.missing:
            pieces.append(f"// {one.missing}\n")
    return "\n".join(pieces)
