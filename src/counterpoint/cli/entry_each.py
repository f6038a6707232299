"""`counterpoint check --entry-each`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.entries.findings import Entries, Entry
    from counterpoint.portfolio.request import Request


_OF_A_PROGRAM = {
    "whole_run": "--whole-run", "shrink": "--no-shrink", "findings": "--findings", "proof_runs": "--no-proof-runs",
}  # fmt: skip
"""Options that mean nothing for functions by themselves."""


def check_entries(request: Request, options: dict[str, Any], given: frozenset[str]) -> int:
    """Checks all functions and tells of each as it is finished; `given` are the options on the command line.

    Exit status: 0 where every check of every function is proved, 1 where there are findings, 3 where there are none and
    something is open or fails for some arguments, 4 where a function met an internal error.
    """
    from counterpoint.cli.console import say
    from counterpoint.core.errors import UnusableInput
    from counterpoint.entries.request import EVERYTHING, EntryEach
    from counterpoint.entries.run import run
    from counterpoint.report.entry_lines import count_of, lines_of, summary_of

    if request.entry != "main":
        raise UnusableInput("--entry-each and --entry: choose one")
    if request.property is not None and ("," in request.property or request.property == "all"):
        raise UnusableInput(f"--property {request.property}: one property at a time with --entry-each")
    for name, option in _OF_A_PROGRAM.items():
        if name in given:
            raise UnusableInput(f"{option}: is about a whole program: leave --entry-each out")
    quiet, verbose = bool(options["quiet"]), bool(options["verbose"])

    def tell(entry: Entry) -> None:
        if not quiet:
            say(lines_of(entry, verbose))

    found = run(EntryEach(request, options["entry_each"] or EVERYTHING), tell)
    if not quiet:
        say(summary_of(found))
    try:
        _write_files(found, options)
    finally:
        say([((count_of(found), "title"),)])
    return _status(found)


def _status(found: Entries) -> int:
    from counterpoint.cli.exit_status import INTERNAL, PROVED, REFUTED, UNDECIDED

    if found.findings:
        return REFUTED
    if any(entry.crash_reports for entry in found.entries):
        return INTERNAL
    return PROVED if all(entry.is_proved for entry in found.entries) else UNDECIDED


def _write_files(found: Entries, options: dict[str, Any]) -> None:
    from counterpoint.cli.output_files import write_output

    if options["json_file"] is not None:
        from counterpoint.report.entry_json import entries_json

        write_output(options["json_file"], entries_json(found))
    if options["sarif"] is not None:
        from counterpoint.report.sarif import entries_sarif

        write_output(options["sarif"], entries_sarif(found))
    if options["html"] is not None:
        from counterpoint.report.entry_page import entries_page

        write_output(options["html"], entries_page(found))
