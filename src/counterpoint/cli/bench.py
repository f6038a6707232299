"""`counterpoint bench`."""

from __future__ import annotations

from pathlib import Path

import click

from counterpoint.cli.options import FILE


@click.command("bench")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE... RESULT.json")
@click.option("--harness", type=FILE, metavar="OUT.c", help="Write the run as C to compile with the program.")
def command(files: tuple[Path, ...], harness: Path | None) -> int:
    """Runs the counterexample of RESULT.json again on the program, interpreted and native."""
    from counterpoint.core.errors import UnusableInput

    raise UnusableInput("bench: not available yet")
