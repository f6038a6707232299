"""A check of each program of a project, one after the other, with the same options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.kept_results import check
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult
from counterpoint.projects.configuration import Configuration
from counterpoint.projects.programs import Program, programs_of


@dataclass(frozen=True, slots=True)
class Checked:
    """A program with its result; or `refused`, why it cannot be checked."""

    program: Program
    result: CheckResult | None
    refused: str = ""

    @property
    def verdict(self) -> str:
        return self.result.verdict if self.result is not None else "UNUSABLE"


Tell = Callable[[Checked], None]


def check_project(request: Request, configuration: Configuration, folder: Path, tell: Tell) -> tuple[Checked, ...]:
    """The programs of the database that the request names; `tell` is called with each when it is done.

    A program that cannot be checked is told of as such. Raises UnusableInput where there is no program.
    """
    assert request.compilation_database is not None
    task = SourceTask(
        (), request.assumed_data_model(), request.target, request.include, request.defines, request.std,
        entry=request.entry, cc=request.cc,
    )  # fmt: skip
    found: list[Checked] = []
    for program in programs_of(request.compilation_database, task, configuration, folder):
        try:
            checked = Checked(program, check(replace(request, files=program.files)))
        except UnusableInput as error:
            checked = Checked(program, None, str(error))
        tell(checked)
        found.append(checked)
    return tuple(found)
