"""`counterpoint dump`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.options import FILE, Seconds, source_options

if TYPE_CHECKING:
    from counterpoint.execute.subject import Subject


_FORMS = {"boolean": "boolean-program"}
"""The options of forms that are called otherwise."""


@click.command("dump")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--program", "form", flag_value="program", default=True, help="The prepared program. [default]")
@click.option("--ir", "form", flag_value="ir", help="The LLVM IR that it is made from.")
@click.option("--bgd", "form", flag_value="bgd", help="A block graph, which `check` reads (docs/bgd.md).")
@click.option(
    "--boolean-program",
    "form",
    flag_value="boolean",
    help="A Boolean program, and whether its error is reachable: over the predicates that `check --engine predicates"
    " --boolean-program` finds, or over given ones (docs/boolean-programs.md).",
)
@click.option(
    "--summarised",
    "form",
    flag_value="summarised",
    help="The functions off the way to a check as C, with the pairs that `check --engine summaries` finds for them.",
)
@click.option(
    "--predicate",
    "predicates",
    multiple=True,
    metavar="[NAME:] EXPRESSION",
    help="With --boolean-program: a predicate in C, tracked wherever its variables are. Repeatable.",
)
@click.option(
    "--step",
    type=click.IntRange(0),
    metavar="N",
    help="With --boolean-program and --summarised: after N refinements, not after all.",
)
@click.option(
    "--timeout",
    type=Seconds(),
    default="20",
    show_default=True,
    help="With --boolean-program and --summarised: for finding predicates or pairs; what was found is printed.",
)
@click.option(
    "--prepare",
    type=click.Choice(["flat", "modular", "none"]),
    default="flat",
    show_default=True,
    help="flat: everything inlined that is not recursive; modular: functions kept; none: mem2reg only.",
)
@click.option("--locations", is_flag=True, help="With --program: the place in the source of each instruction.")
@source_options
def command(
    files: tuple[Path, ...],
    form: str,
    predicates: tuple[str, ...],
    step: int | None,
    timeout: float,
    prepare: str,
    locations: bool,
    **options: Any,
) -> int:
    """Prints the program that FILES make, with the property's checks, as engines see it.

    Exit status: 0 if it was printed; 2 if it cannot be compiled, has what a block graph cannot say, or a predicate is
    of nothing in it.
    """
    from counterpoint.cli.console import say_text
    from counterpoint.core.errors import UnusableInput
    from counterpoint.execute.subject import compile_subject
    from counterpoint.portfolio.request import Request, source_task

    for option, given, forms in (
        ("--predicate", predicates, ("boolean",)),
        ("--step", step is not None, ("boolean", "summarised")),
        ("--locations", locations, ("program",)),
    ):
        if given and form not in forms:
            listed = " or ".join(f"--{_FORMS.get(one, one)}" for one in forms)
            raise UnusableInput(f"{option}: goes with {listed}")
    options["property"] = options.pop("property_")
    subject = compile_subject(source_task(Request(files=files, **options)))
    match form:
        case "ir":
            text = subject.module(prepare).text
        case "bgd":
            from counterpoint.frontend.bgd.from_program import block_graph

            text = block_graph(subject.program(prepare))
        case "boolean":
            if predicates and step is not None:
                raise UnusableInput("--step: with --predicate nothing is refined")
            if predicates:
                text = _boolean_program(subject, prepare, predicates)
            else:
                text = _refined_program(subject, prepare, math.inf if step is None else step, timeout)
        case "summarised":
            from counterpoint.engines.summaries.dump import dump_of
            from counterpoint.execute.subject import FLAT, MODULAR

            modular = MODULAR if prepare == FLAT else prepare
            text = dump_of(subject, modular, math.inf if step is None else step, timeout)
        case _:
            from counterpoint.program.render import render

            text = render(subject.program(prepare), locations)
    say_text(text)
    return 0


def _boolean_program(subject: Subject, prepare: str, predicates: tuple[str, ...]) -> str:
    """Without preparation, all that is not recursive is inlined."""
    from counterpoint.core.budget import Budget
    from counterpoint.engines.predicates.slam.dump import dump_over, of_user
    from counterpoint.engines.predicates.slam.user_predicates import user_predicate
    from counterpoint.execute.subject import INLINED, UNPREPARED

    wanted = of_user([user_predicate(text) for text in predicates])
    program = subject.program(INLINED if prepare == UNPREPARED else prepare)
    return dump_over(program, wanted, Budget(math.inf))


def _refined_program(subject: Subject, prepare: str, refinements: float, timeout: float) -> str:
    """Over the predicates of SLAM's loop after that many refinements, or at its end if that comes first."""
    from contextlib import suppress

    from counterpoint.core.budget import Budget
    from counterpoint.core.errors import OutOfBudget, UnusableInput
    from counterpoint.engines.predicates.options import Options
    from counterpoint.engines.predicates.slam.dump import dump_of
    from counterpoint.engines.predicates.slam.search import after
    from counterpoint.engines.protocol import Tools
    from counterpoint.evidence.verdict import Safe, Unknown, Unsafe
    from counterpoint.execute.subject import INLINED, UNPREPARED
    from counterpoint.regions.locations import BASIC

    preparation = INLINED if prepare == UNPREPARED else prepare
    options = Options(block=BASIC, preparation=preparation, trials=False, facts=False)
    slam, verdict = after(subject.program(preparation), options, Tools(Budget(timeout)), refinements)
    try:
        made = slam.made
        if verdict is None:
            with suppress(OutOfBudget):
                made = slam.abstraction.program(slam.predicates)
    finally:
        slam.close()
    if made is None:
        raise UnusableInput(f"no Boolean program in {timeout:g} s: --timeout gives it more")
    match verdict:
        case Safe():
            ending = "; the error cannot be reached"
        case Unsafe():
            ending = "; the trace below has a run"
        case Unknown(reason):
            ending = f"; the loop ended: {reason}"
        case None:
            ending = ""
    text = dump_of(slam.formulas.encoded.where, made, Budget(math.inf))
    return f"// after {slam.progress()}{ending}\n{text}"
