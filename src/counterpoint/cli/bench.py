"""`counterpoint bench`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.clusters import clustered
from counterpoint.cli.options import FILE, Seconds, Size, meaning_options
from counterpoint.core.processors import processors

if TYPE_CHECKING:
    from counterpoint.benchmarking.rows import Row
    from counterpoint.benchmarking.tools import Maker, Tool


@click.command("bench")
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="SET|DIR|TASK.yml|FILE.c|RUN.json...")
@click.option("--engine", default="auto", show_default=True, help="As for `check`.")
@click.option("--property", "--prop", "property_", metavar="NAME", help="Only questions about this property.")
@click.option("--timeout", type=Seconds(), default="60", show_default=True, help="Wall time per question.")
@click.option("--memory", type=Size(), default="4G", show_default=True, help="Memory per question.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Questions side by side. Default: one per core.")
@click.option("--check-jobs", type=click.IntRange(1, 64), default=1, help="--jobs of each; default 1.")
@click.option("--prepare", type=click.Choice(["none", "modular", "default"]), default="default", show_default=True)
@click.option("--contracts", default="", metavar="all|NAME[,NAME...]", help="As for `check`.")
@meaning_options
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "json_file", type=FILE, metavar="OUT", help="All rows, kept valid while running.")
@click.option("--resume", is_flag=True, help="Keep the rows that OUT already has.")
@click.option("-O", "--option", "option", multiple=True, metavar="ENGINE.OPTION=VALUE", help="As for `check`.")
@click.option("--alone", metavar="all|NAME[,NAME...]", help="Also each of these engines by itself.")
@click.option("--compare", type=FILE, metavar="OLD.json", help="Show what changed since an earlier run.")
@click.option("--tool", metavar="'CMD {file}'", help="Another tool side by side.")
@click.option("--cluster", metavar="local|ADDRESS", help="Ask on a Ray cluster, --jobs at most at once.")
def command(paths: tuple[Path, ...], **options: Any) -> int:
    """Runs each question of the tasks in a process of its own and sums up.

    Files of earlier runs (.json) instead of tasks are put side by side: which tasks only one of them decides,
    and how `auto` compares with the best of the single engines.

    Exit status 1 if an answer was wrong, 4 if there was an internal error, else 0.
    """
    from counterpoint import engines
    from counterpoint import property as properties
    from counterpoint.benchmarking.rows import Kind
    from counterpoint.benchmarking.runner import Suite, read_rows
    from counterpoint.benchmarking.side_by_side import read_runs, runs_of, side_by_side_lines
    from counterpoint.benchmarking.tables import comparison_lines, report_lines
    from counterpoint.benchmarking.tasks import collect
    from counterpoint.benchmarking.tools import OURS
    from counterpoint.cli.console import say
    from counterpoint.cli.exit_status import Terminated, turn_signals_into_exceptions
    from counterpoint.cli.output_files import check_outputs, write_output

    if all(path.suffix == ".json" for path in paths):
        say(side_by_side_lines(read_runs(paths)))
        return 0
    target: Path | None = options["json_file"]
    check_outputs({"--json": target}, paths)
    old = read_rows(options["compare"]) if options["compare"] is not None else None
    wanted = properties.named(options["property_"]).name if options["property_"] else None
    tasks = collect(paths, wanted)
    settings = {name: value for name, value in options.items() if isinstance(value, str | int | float)}
    suite = Suite(settings, (lambda text: write_output(target, text)) if target is not None else None)
    if options["resume"] and target is not None and target.is_file():
        suite.rows.update(read_rows(target))
    turn_signals_into_exceptions()
    status = 0
    try:
        with _asked(options) as (tools, jobs):
            suite.run(tools, tasks, jobs, _report)
    except Terminated as interrupt:
        status = interrupt.status
    names = {(task.name, task.property) for task in tasks}
    rows = [row for row in suite.rows.values() if (row.task, row.property) in names]
    say(report_lines(rows))
    if options["alone"]:
        say(side_by_side_lines(runs_of(rows, options["engine"])))
    if old is not None:
        say(comparison_lines(list(old.values()), rows))
    sys.stdout.flush()
    if status:
        return status
    kinds = {row.kind for row in rows if row.tool in (OURS, *engines.names())}
    return 1 if Kind.WRONG in kinds else 4 if Kind.ERROR in kinds else 0


@contextlib.contextmanager
def _asked(options: dict[str, Any]) -> Iterator[tuple[dict[str, Tool], int]]:
    """The tools, on the machines that are to answer, and how many questions are asked at once."""
    makers = _tools(options)
    if not options["cluster"]:
        yield {name: make() for name, make in makers.items()}, options["jobs"] or processors()
        return
    from counterpoint.benchmarking.on_cluster import asked_there

    with clustered(options["cluster"], options["jobs"], options["check_jobs"]) as workers:
        assert workers is not None
        yield {name: asked_there(make, workers) for name, make in makers.items()}, workers.number


def _tools(options: dict[str, Any]) -> dict[str, Maker]:
    from counterpoint.benchmarking.tools import OURS, other_tool, this_tool

    limits = (options["timeout"], options["memory"], options["check_jobs"])
    passed_on = ("prepare", "contracts", "callbacks", "asm", "volatile", "addresses", "annotations", "seed")
    same = [word for name in passed_on for word in (f"--{name}", str(options[name]))]
    same += ["--findings", "first"]
    same += [f"--{name}" for name in ("malloc-may-fail", "malloc-limit") if options[name.replace("-", "_")]]
    same += [word for text in options["option"] for word in ("--option", text)]
    tools: dict[str, Maker] = {OURS: partial(this_tool, *limits, ("--engine", options["engine"], *same))}
    for name in _alone(options["alone"] or ""):
        tools[name] = partial(this_tool, *limits, ("--engine", name, *same), name)
    if options["tool"]:
        name = Path(options["tool"].split()[0]).name
        tools[name] = partial(other_tool, options["tool"], options["timeout"], options["memory"])
    return tools


def _alone(text: str) -> tuple[str, ...]:
    """The engines of --alone. Raises UnusableInput for an unknown one."""
    from counterpoint import engines
    from counterpoint.portfolio.schedule import is_automatic

    names = engines.names() if text == "all" else tuple(filter(None, map(str.strip, text.split(","))))
    is_automatic(names)
    return tuple(name for name in names if name != "auto")


def _report(row: Row, done: int, total: int) -> None:
    """One moving line on a terminal; wrong answers and errors stay."""
    from counterpoint.benchmarking.rows import Kind
    from counterpoint.benchmarking.tables import bad_line
    from counterpoint.cli.streams import note
    from counterpoint.core.printable import shown

    terminal = sys.stderr.isatty()
    clear = "\r\x1b[K" if terminal else ""
    if row.kind in (Kind.WRONG, Kind.ERROR):
        if terminal:
            click.echo(clear, err=True, nl=False)
        note("".join(text for text, _ in bad_line(row)))
    if terminal:
        text = f"{done}/{total}  {row.seconds:5.1f} s  {row.task}  {row.verdict}"
        click.echo(f"{clear}{shown(text)[:100]}", err=True, nl=done == total)
    elif done % 50 == 0 or done == total:
        note(f"{done}/{total} done")

