"""`counterpoint check -p DIR` without a file: all programs of the project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.portfolio.request import Request
    from counterpoint.projects.baseline import Baseline, Known
    from counterpoint.projects.configuration import Configuration
    from counterpoint.projects.run import Checked

OF_PROJECTS = ("junit", "baseline", "write_baseline", "changed_since", "cluster")
"""Options that are about the programs of a project only."""

_WHOLE = ("html", "witness")
_OUTPUTS = ("json_file", "sarif", "junit", "write_baseline")
_WIDTH = 40


def check_programs(request: Request, options: dict[str, Any], given: frozenset[str]) -> int:
    """Checks each, tells of each as it is done; `given` are the options on the command line.

    Exit status: 4 where one met an internal error, 1 where there is a violation, 3 where one is UNKNOWN or cannot be
    checked, else 0; of violations and open questions only those count that the baseline does not know. Raises
    UnusableInput where there is no program, or the configuration is wrong.
    """
    from counterpoint.cli.clusters import clustered
    from counterpoint.cli.console import say, say_text, tell_of_cache
    from counterpoint.core.errors import UnusableInput
    from counterpoint.projects.baseline import Baseline, Known, read_baseline
    from counterpoint.projects.configuration import configuration
    from counterpoint.projects.run import check_project
    from counterpoint.report.github import annotations_of_project
    from counterpoint.report.project import reused_lines, row_of, summary_of

    for name in _WHOLE:
        if options[name] is not None:
            raise UnusableInput(f"--{name}: is about one program: name its files")
    _keep_sources(request, options)
    folder = Path.cwd()
    asked = _configured(configuration(folder), options)
    request = _as_configured(request, asked, given)
    before = read_baseline(asked.baseline) if asked.baseline is not None else Baseline()

    def tell(one: Checked) -> None:
        if one.result is not None:
            tell_of_cache(one.result, quiet=False)
        if not options["quiet"]:
            say([row_of(one, _WIDTH, folder)])

    with clustered(options["cluster"], asked.jobs, request.jobs) as workers:
        found = check_project(request, asked, folder, tell, asked.jobs or 1, workers=workers)
    known = Known(folder, before)
    known.add(found)
    say(reused_lines(found))
    try:
        _write_files(found, known, options)
        if options["write_baseline"] is not None:
            known = _written(known, found, options["write_baseline"])
        if options["github"]:
            for line in annotations_of_project(found, folder, known):
                say_text(line)
    finally:
        say([((summary_of(found, known), "title"),)])
    return _status(found, known)


def _keep_sources(request: Request, options: dict[str, Any]) -> None:
    """Raises UnusableInput where an output would take the place of a file of the project."""
    from counterpoint.cli.output_files import check_outputs
    from counterpoint.portfolio.compilation_database import compilation_database
    from counterpoint.projects.configuration import FILE, SHARED

    assert request.compilation_database is not None
    database = compilation_database(request.compilation_database)
    outputs = {f"--{name.removesuffix('_file').replace('_', '-')}": options[name] for name in _OUTPUTS}
    check_outputs(outputs, (*database.files(), database.path, Path(FILE), Path(SHARED)))


def _configured(asked: Configuration, options: dict[str, Any]) -> Configuration:
    """With what is on the command line, which comes first."""
    names = ("jobs", "baseline", "changed_since")
    return replace(asked, **{name: options[name] for name in names if options[name] is not None})


def _as_configured(request: Request, asked: Configuration, given: frozenset[str]) -> Request:
    """The request with what the configuration says and the command line does not. As many engines work on a program as
    without --jobs, which is about programs."""
    from counterpoint.core.processors import processors

    changed: dict[str, Any] = {"jobs": min(2, processors())}
    for name in ("property", "timeout", "entry"):
        option = "property_" if name == "property" else name
        if option not in given and getattr(asked, name) is not None:
            changed[name] = getattr(asked, name)
    if not given & {"data_model", "target"}:
        changed |= {"data_model": asked.data_model, "target": asked.target}
    return replace(request, **changed)


def _write_files(found: tuple[Checked, ...], known: Known, options: dict[str, Any]) -> None:
    from counterpoint.cli.output_files import write_output
    from counterpoint.report.project import junit, programs_json
    from counterpoint.report.sarif import project_sarif

    if options["json_file"] is not None:
        write_output(options["json_file"], programs_json(found, known))
    if options["sarif"] is not None:
        write_output(options["sarif"], project_sarif(found, known))
    if options["junit"] is not None:
        write_output(options["junit"], junit(found, known))


def _written(known: Known, found: tuple[Checked, ...], path: Path) -> Known:
    """What is known from now on, which is written; of programs that were not run, what was known of any is kept."""
    from counterpoint.cli.output_files import write_output
    from counterpoint.projects.run import NotRun

    now: Baseline = known.now()
    if any(isinstance(one.answer, NotRun) for one in found):
        now = now.with_all_of(known.before)
    write_output(path, now.text())
    return replace(known, before=now)


def _status(found: tuple[Checked, ...], known: Known) -> int:
    from counterpoint.cli.exit_status import INTERNAL, PROVED, REFUTED, UNDECIDED, status_of
    from counterpoint.projects.baseline import findings_of
    from counterpoint.projects.run import NotRun

    statuses = {PROVED}
    for one in found:
        if isinstance(one.answer, NotRun):
            continue
        status = status_of(one.result) if one.result is not None else UNDECIDED
        if status == INTERNAL or not known.answers_nothing_new(one):
            new = any(not known.has(finding) for finding in findings_of(one.result))
            statuses.add(REFUTED if new and status != INTERNAL else status)
    return next(status for status in (INTERNAL, REFUTED, UNDECIDED, PROVED) if status in statuses)
