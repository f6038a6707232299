"""`counterpoint check -p DIR` without a file: all programs of the project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.portfolio.request import Request
    from counterpoint.projects.run import Checked

_WHOLE = ("sarif", "html", "witness")


def check_programs(request: Request, options: dict[str, Any], given: frozenset[str]) -> int:
    """Checks each, tells of each as it is done; `given` are the options on the command line.

    Exit status: 4 where one met an internal error, 1 where one is FALSE, 3 where one is UNKNOWN or cannot be checked,
    else 0. Raises UnusableInput where there is no program, or the configuration is wrong.
    """
    from counterpoint.cli.console import say, tell_of_cache
    from counterpoint.cli.output_files import write_output
    from counterpoint.core.errors import UnusableInput
    from counterpoint.projects.configuration import configuration
    from counterpoint.projects.run import check_project
    from counterpoint.report.project import junit, programs_json, reused_lines, row_of, summary_of

    for name in _WHOLE:
        if options[name] is not None:
            raise UnusableInput(f"--{name}: is about one program: name its files")
    folder = Path.cwd()
    asked = configuration(folder)
    if "property_" not in given and asked.property is not None:
        request = replace(request, property=asked.property)
    if "timeout" not in given and asked.timeout is not None:
        request = replace(request, timeout=asked.timeout)

    def tell(one: Checked) -> None:
        if one.result is not None:
            tell_of_cache(one.result, quiet=False)
        if not options["quiet"]:
            say([row_of(one, 40)])

    found = check_project(request, asked, folder, tell)
    say(reused_lines(found))
    try:
        if options["json_file"] is not None:
            write_output(options["json_file"], programs_json(found))
        if options["junit"] is not None:
            write_output(options["junit"], junit(found))
    finally:
        say([((summary_of(found), "title"),)])
    return _status(found)


def _status(found: tuple[Checked, ...]) -> int:
    from counterpoint.cli.exit_status import INTERNAL, PROVED, REFUTED, UNDECIDED, status_of

    statuses = {status_of(one.result) if one.result is not None else UNDECIDED for one in found}
    return next((status for status in (INTERNAL, REFUTED, UNDECIDED) if status in statuses), PROVED)
