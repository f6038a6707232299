"""`counterpoint expect`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.cli.options import FILE

if TYPE_CHECKING:
    from counterpoint.projects.expectations import Case


@click.command("expect")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--check-option", "more", multiple=True, metavar="WORD", help="A word more for each check.")
@click.option("--quiet", "-q", is_flag=True, help="Only what is not as expected, and the last line.")
def command(files: tuple[Path, ...], more: tuple[str, ...], quiet: bool) -> int:
    """Checks C FILES one by one that begin with `// expect: VERDICT NAME=VALUE...` (docs/ci.md).

    Exit status: 0 if all answers are as expected, 1 if one is not, 2 for a line that cannot be understood. Files that
    expect nothing are passed over.
    """
    from counterpoint.cli.console import say, say_text
    from counterpoint.cli.exit_status import turn_signals_into_exceptions
    from counterpoint.core.errors import UnusableInput
    from counterpoint.core.files import read_given
    from counterpoint.projects.expectations import BadExpectation, answer, cases_of

    turn_signals_into_exceptions()
    cases: list[Case] = []
    for file in files:
        read_given(file, "C file", 1 << 30)
        try:
            cases += cases_of(file)
        except BadExpectation as error:
            raise UnusableInput(str(error)) from None
    wrong = 0
    for case in cases:
        said = answer(case, more)
        good = said.is_one_of(case.verdicts)
        wrong += not good
        if not good or not quiet:
            style = "good" if good else "bad"
            say([((f"{case.file}:{case.line}: {'as expected' if good else 'WRONG'}: {case.name}", style),)])
        if not good:
            say_text(said.output)
    say([((f"EXPECTED: {len(cases) - wrong} of {len(cases)}", "title"),)])
    return 1 if wrong else 0
