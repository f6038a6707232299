"""`counterpoint replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.options import FILE, Seconds, Size, source_options

if TYPE_CHECKING:
    from counterpoint.portfolio.result import CheckResult


@click.command("replay")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE... RESULT.json")
@click.option("--harness", type=FILE, metavar="OUT.c", help="Write the run as C to compile with the program.")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time in all.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory in all.")
@click.option("--whole-run", is_flag=True, help="Also the lines that do not bear on the failure.")
@source_options
def command(files: tuple[Path, ...], harness: Path | None, whole_run: bool, **options: Any) -> int:
    """Runs the counterexample of RESULT.json again on FILES, interpreted and native.

    Needs the options that RESULT.json was made with, as far as they say what is checked.
    Ends like `check`: FALSE if the files still fail so, else UNKNOWN(EVIDENCE_REJECTED).
    """
    from counterpoint.cli.exit_status import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.console import say
    from counterpoint.cli.output_files import check_outputs, write_output
    from counterpoint.cli.recheck import evidence_again
    from counterpoint.portfolio.result_file import stored_violation

    check_outputs({"--harness": harness}, files)

    def write(result: CheckResult) -> None:
        if harness is not None and result.counterexample is not None:
            write_output(harness, result.counterexample.harness)
            say([((f"Harness: {harness}", "title"),)])
            head = result.counterexample.harness.partition("*/")[0].strip("/* \n").split("\n")
            say([((f"  {line.removeprefix(' *').strip()}", "plain"),) for line in head])

    return evidence_again(files, stored_violation, options, write, whole_run=whole_run)
