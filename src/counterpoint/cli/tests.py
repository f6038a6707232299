"""`counterpoint tests`."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from counterpoint.cli.options import FILE, program_options


@click.command("tests")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--out", required=True, type=FILE, metavar="DIR", help="The suite's folder; a new or an empty one.")
@program_options
@click.option(
    "--prepare",
    type=click.Choice(["none", "default"]),
    default="none",
    show_default=True,
    help="default: symbolic execution after LLVM's passes: faster, but they merge some branches.",
)
@click.option("--quiet", "-q", is_flag=True, help="Only the last line.")
def command(files: tuple[Path, ...], out: Path, quiet: bool, **options: Any) -> int:
    """Writes a test suite for C FILES (or one task definition) that reaches as many branches as it can.

    DIR gets the tests in Test-Comp's format, suite.json, suite.txt, and a C harness for each test that violates the
    property, which may be a coverage goal of Test-Comp (a .prp file). Random inputs come first, then dynamic symbolic
    execution (`-O dse.OPTION=VALUE`).

    Exit status: 0 if the suite was written, whether tests violate the property or not.
    """
    from counterpoint.cli.check import request_from
    from counterpoint.cli.exit_status import turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.console import say
    from counterpoint.cli.progress import progress_line
    from counterpoint.portfolio.suite_run import make_suite
    from counterpoint.report.suite_files import files_of, summary_lines

    _check_folder(out)
    goal = _goal(options)
    unused = {"jobs": 1, "bound": None, "sound": False, "no_generate": False, "engine": "dse"}
    request = request_from(files, {**unused, **options})
    with progress_line(request, enabled=not quiet) as show:
        suite = replace(make_suite(request, show), goal=goal)
    write_folder(out, files_of(suite))
    lines = list(summary_lines(suite))
    say(lines[-2:-1] if quiet else lines)
    if not quiet:
        say([((f"Suite: {out}", "plain"),)])
    return 0


def _goal(options: dict[str, Any]) -> str:
    """A coverage goal that a property file states; the options then ask for it. Raises UnusableInput."""
    named = options["property_"]
    if named is None or not named.endswith(".prp"):
        return ""
    from counterpoint.core.errors import UnusableInput
    from counterpoint.portfolio.coverage_goal import goal_of

    goal = goal_of(Path(named))
    if goal is None:
        return ""
    if options["entry"] not in ("main", goal.entry):
        raise UnusableInput(f"--entry {options['entry']}: {named} is about {goal.entry}: leave one of them out")
    options["entry"], options["property_"] = goal.entry, goal.property
    return goal.text


def _check_folder(out: Path) -> None:
    """Raises UnusableInput at once for a folder that cannot be written anyway."""
    from counterpoint.core.errors import UnusableInput

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UnusableInput(f"{out}: exists and is not an empty folder: name a new one")
    parent = out.resolve().parent
    if not parent.is_dir():
        raise UnusableInput(f"{out}: the folder {out.parent} does not exist")
    if not os.access(parent, os.W_OK):
        raise UnusableInput(f"{out}: no permission to write there")


def write_folder(out: Path, files: Mapping[str, str]) -> None:
    """Writes all files into a new folder or nothing; raises UnusableInput (full disk, permissions)."""
    from counterpoint.core.errors import UnusableInput

    parent = out.resolve().parent
    temporary = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=parent))
    try:
        for name, text in files.items():
            (temporary / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        if out.exists():
            out.rmdir()
        temporary.replace(out)
    except OSError as error:
        raise UnusableInput(f"{out}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(temporary)
