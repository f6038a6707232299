"""`counterpoint dump --summarised`: the functions of a program as the engine has summarised them by the end of its
time."""

from __future__ import annotations

from contextlib import suppress

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.summaries.check import Check
from counterpoint.engines.summaries.options import Options
from counterpoint.engines.summaries.printing import summarised
from counterpoint.execute.subject import Subject


def dump_of(subject: Subject, preparation: str, refinements: float, seconds: float) -> str:
    """The summaries after so many refinements, or when the search came to its end. Raises Unsupported where there is
    no summarised program."""
    check = Check(Task(subject, {}, preparation), Tools(Budget(seconds)), Options(), refinements)
    try:
        with suppress(OutOfBudget):
            check.check()
        return summarised(check.summaries.values())
    finally:
        check.close()
