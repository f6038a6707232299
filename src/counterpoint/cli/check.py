"""`counterpoint check`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.options import FILE, engine_options, request_options
from counterpoint.cli.project import OF_PROJECTS
from counterpoint.core.processors import processors

if TYPE_CHECKING:
    from counterpoint.portfolio.request import Request
    from counterpoint.portfolio.result import CheckResult


NO_CACHE = "COUNTERPOINT_NO_CACHE"
"""The variable that stands for --no-cache, where it is not empty and --cache is not given."""


@click.command("check")
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE...]")
@request_options
@click.option("--json", "json_file", type=FILE, metavar="OUT", help="The result as JSON (docs/json.md).")
@click.option("--sarif", type=FILE, metavar="OUT", help="SARIF 2.1.0 for code scanning.")
@click.option("--junit", type=FILE, metavar="OUT", help="JUnit XML, of all programs of a project (docs/projects.md).")
@click.option("--github", is_flag=True, help="Findings also as annotations of GitHub Actions, on stdout.")
@click.option("--html", type=FILE, metavar="OUT", help="A page to read, with the growth of abstract graphs.")
@click.option("--witness", type=FILE, metavar="OUT", help="The answer as a verification witness (docs/witnesses.md).")
@click.option(
    "--witness-format",
    type=click.Choice(["2.0", "2.1", "1.0"]),
    default="2.0",
    show_default=True,
    help="YAML 2.0; with contracts of functions 2.1; GraphML 1.0, for violations.",
)
@click.option(
    "--proof-runs/--no-proof-runs",
    default=True,
    show_default=True,
    help="Proofs also have to survive native runs, and runs of the interpreter.",
)
@click.option(
    "--shrink/--no-shrink",
    default=True,
    show_default=True,
    help="The failing run is made shorter and its inputs simpler before it is shown (at most a second).",
)
@click.option(
    "--findings",
    type=click.Choice(["first", "more"]),
    default="more",
    show_default=True,
    help="Behind a violation: search for more, as long again as it took, or end.",
)
@click.option(
    "--reuse",
    metavar="[=DIR]",
    help="Answers and proofs of earlier checks count, and those of this one are kept, in DIR or the user's cache"
    " (docs/reuse.md). `certify` never does that.",
)
@click.option(
    "--cache",
    metavar="[=DIR]",
    help="What was answered before, for the same text and options, is answered again, out of DIR or (the default) the"
    " user's cache, where results are kept (docs/reuse.md). `certify` never does that.",
)
@click.option("--no-cache", is_flag=True, help="Results are neither looked up nor kept (also COUNTERPOINT_NO_CACHE=1).")
@click.option(
    "--check-cache",
    is_flag=True,
    help="Others write to the folder of --cache, too: of its results only the evidence counts, and is checked again.",
)
@click.option(
    "--entry-each",
    metavar="[=PATTERN]",
    help="Every function that the files define (or those whose names match, as `list_*,stack_*`) by itself, called in"
    " any way: what it requires, what holds then, what fails all the same (docs/without-main.md).",
)
@click.option("--baseline", type=FILE, metavar="FILE", help="Of a project: what is known from FILE fails no run.")
@click.option("--write-baseline", type=FILE, metavar="OUT", help="Of a project: what is known by this run.")
@click.option(
    "--changed-since",
    metavar="REV",
    help="Of a project: only programs that depend on files that git finds changed since REV.",
)
@click.option(
    "--cluster",
    metavar="local|ADDRESS",
    help="Of a project: its programs on the workers of a Ray cluster, --jobs at most at once.",
)
@click.option("--verbose", "-v", is_flag=True, help="Also the program's features and all of what engines count.")
@click.option("--whole-run", is_flag=True, help="Also the lines of a failing run that do not bear on the failure.")
@click.option("--quiet", "-q", is_flag=True, help="Only the verdict line.")
def command(files: tuple[Path, ...], **options: Any) -> int:
    """Checks C FILES together as one program, one program in another language (Simple C, .sc; block graphs, .bgd), or
    one SV-COMP task definition (.yml); with -p and no file all programs of that project (docs/projects.md).

    The last line on stdout is `VERDICT: TRUE`, `VERDICT: FALSE(property)` or `VERDICT: UNKNOWN(reason)`; with
    --entry-each it counts functions, checks and findings and begins with `FUNCTIONS:`.
    """
    from counterpoint.cli.exit_status import Terminated, status_of, turn_signals_into_exceptions

    turn_signals_into_exceptions()
    from counterpoint.cli.console import say, say_verdict, tell_of_cache
    from counterpoint.cli.output_files import check_outputs
    from counterpoint.cli.progress import progress_line
    from counterpoint.core.errors import CompilationFailed, UnusableInput
    from counterpoint.portfolio.kept_results import check
    from counterpoint.portfolio.result import INTERRUPTED, Outcome

    names = {"--json": "json_file", "--write-baseline": "write_baseline"}
    names |= {f"--{name}": name for name in ("sarif", "html", "witness", "junit")}
    check_outputs({option: options[name] for option, name in names.items()}, files)
    _refuse_no_program(files, options)
    request = request_from(files, options)
    if not files:
        from counterpoint.cli.project import check_programs

        return check_programs(request, options, _given())
    if options["witness"] is not None:
        _refuse_witness_of_several(request)
    elif "witness_format" in _given():
        raise UnusableInput("--witness-format: says how --witness OUT is written: give that, too")
    if options["entry_each"] is not None:
        if options["witness"] is not None:
            raise UnusableInput("--witness: is about a whole program: leave --entry-each out")
        from counterpoint.cli.entry_each import check_entries

        return check_entries(request, options, _given())
    quiet = bool(options["quiet"])
    try:
        with progress_line(request, enabled=not quiet) as show:
            result = check(replace(request, begun=click.get_current_context().find_root().obj), show)
    except CompilationFailed as error:
        _show_diagnostics(error.diagnostics, str(error))
        raise
    except Terminated:
        from counterpoint.portfolio.run import unanswered

        say_verdict(unanswered(request, INTERRUPTED, "").verdict, Outcome.UNKNOWN)
        raise
    tell_of_cache(result, quiet)
    if not quiet:
        from counterpoint.report.parts import report_of

        say(report_of(result, bool(options["verbose"]), bool(options["whole_run"])))
    try:
        _write_files(result, options)
        if options["witness"] is not None:
            _write_witness(result, request, options)
    finally:
        say_verdict(result.verdict, result.outcome)
    return status_of(result)


def _refuse_no_program(files: tuple[Path, ...], options: dict[str, Any]) -> None:
    """Raises UsageError, UnusableInput."""
    from counterpoint.core.errors import UnusableInput

    for name in OF_PROJECTS:
        if files and options[name] is not None:
            option = name.replace("_", "-")
            raise UnusableInput(f"--{option}: is about the programs of a project: give -p and no file")
    if options["entry_each"] is not None and options["github"]:
        raise UnusableInput("--github: is about whole programs: leave --entry-each out")
    if not files and options["entry_each"] is not None:
        raise UnusableInput("--entry-each: name the files")
    if not files and options["compilation_database"] is None:
        raise click.UsageError("Missing argument 'FILE...': name files, or a project's database by -p")


def _given() -> frozenset[str]:
    """The options that are on the command line."""
    context = click.get_current_context()
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(n for n, source in sources.items() if source is click.core.ParameterSource.COMMANDLINE)


def request_from(files: tuple[Path, ...], options: dict[str, Any]) -> Request:
    """The options as a Request."""
    from counterpoint.portfolio.request import COMPILATION, Request

    engines = tuple(name.strip() for name in options["engine"].split(",") if name.strip()) or ("auto",)
    return Request(
        files=files,
        property=options["property_"],
        data_model=options["data_model"],
        entry=options["entry"],
        engines=engines,
        timeout=options["timeout"],
        memory=options["memory"],
        jobs=options["jobs"] or min(2, processors()),
        seed=options["seed"],
        prepare=options["prepare"],
        contracts=options.get("contracts", ""),
        options=engine_options(engines, options),
        recording=options.get("html") is not None,
        proof_runs=options.get("proof_runs", True),
        assumed_functions=options.get("assumed_functions", True),
        shrink=options.get("shrink", True),
        findings=options.get("findings", "more"),
        reuse=_folder("--reuse", options.get("reuse")),
        cache=_results_folder(options),
        check_cache=bool(options.get("check_cache")),
        **{name: options[name] for name in COMPILATION},
    )


def _folder(option: str, named: str | None) -> Path | None:
    """Where things are kept. Raises UnusableInput."""
    if named is None:
        return None
    from counterpoint.frontend.cache import folder_for

    return folder_for(option, named)


def _results_folder(options: dict[str, Any]) -> Path | None:
    """Where whole results are kept: of `check`, in the user's cache if nothing else is said, and if it can be used.

    Raises UsageError, UnusableInput.
    """
    named, without = options.get("cache"), options.get("no_cache")
    if without and (named is not None or options.get("check_cache")):
        raise click.UsageError("--no-cache: leave out what else is said of the cache")
    if options.get("check_cache") and not named:
        raise click.UsageError("--check-cache: name the folder with --cache=DIR")
    if named is not None:
        return _folder("--cache", named)
    if without is not False or os.environ.get(NO_CACHE):
        return None
    from counterpoint.core.entries import NotUsable, own_secret
    from counterpoint.core.errors import UnusableInput

    try:
        own_secret()
        return _folder("--cache", "")
    except (NotUsable, UnusableInput):
        return None


def _show_diagnostics(diagnostics: str, message: str) -> None:
    """What else the compiler said, when there is someone at a terminal to read it."""
    import sys

    from counterpoint.cli.streams import note

    rest = [line for line in diagnostics.strip().splitlines() if line not in message]
    if rest and sys.stderr.isatty():
        for line in rest[:40]:
            note(line)


def _write_files(result: CheckResult, options: dict[str, Any]) -> None:
    from counterpoint.cli.output_files import write_output

    if options["json_file"] is not None:
        from counterpoint.report.json import as_json

        write_output(options["json_file"], as_json(result))
    if options["sarif"] is not None:
        from counterpoint.report.sarif import as_sarif

        write_output(options["sarif"], as_sarif(result))
    if options["github"]:
        from counterpoint.cli.console import say_text
        from counterpoint.report.github import annotations_of

        for line in annotations_of(result, Path.cwd()):
            say_text(line)
    if options["html"] is not None:
        from counterpoint.report.html import as_html

        write_output(options["html"], as_html(result))


def _refuse_witness_of_several(request: Request) -> None:
    """A witness is about one property. Raises UnusableInput."""
    from counterpoint.core.errors import UnusableInput
    from counterpoint.portfolio.asked import asked_for
    from counterpoint.portfolio.request import stated_language

    if request.property is not None and len(asked_for(request.property, stated_language(request.files))) > 1:
        raise UnusableInput(f"--witness: is about one property, not {request.property}: name one by --property")


def _write_witness(result: CheckResult, request: Request, options: dict[str, Any]) -> None:
    """Nothing for an UNKNOWN, but one line that says so. Raises UnusableInput where the format has no words for it."""
    from counterpoint.cli.output_files import write_output
    from counterpoint.cli.streams import note
    from counterpoint.portfolio.result import Outcome

    if result.outcome is Outcome.UNKNOWN:
        note(f"counterpoint: {options['witness']}: no witness is written, as there is no answer")
        return
    from counterpoint.witness.making import witness_of
    from counterpoint.witness.writing import written

    write_output(options["witness"], written(witness_of(result, request), options["witness_format"]))
