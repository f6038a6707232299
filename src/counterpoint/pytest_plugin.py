"""A pytest plugin: C files that begin with `// expect: VERDICT` are tests (docs/ci.md).

Off, unless `--counterpoint` is given or the configuration says `counterpoint = true`; until then nothing but this file
is imported.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from counterpoint.projects.expectations import Case


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--counterpoint`, and what the configuration may say."""
    group = parser.getgroup("counterpoint", "checks of C files")
    group.addoption("--counterpoint", action="store_true", help="Collect C files that begin with `// expect: VERDICT`.")
    parser.addini("counterpoint", "As --counterpoint.", type="bool", default=False)
    parser.addini("counterpoint_options", "Options for all checks, as of `counterpoint check`.", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """C files, where they are asked for."""
    config = parent.config
    if file_path.suffix in (".c", ".i") and (config.getoption("--counterpoint") or config.getini("counterpoint")):
        return CFile.from_parent(parent, path=file_path)
    return None


class CFile(pytest.File):
    """A C file with a test for each line that says what is expected."""

    def collect(self) -> Iterator[pytest.Item]:
        """Nothing of a file that expects nothing."""
        from counterpoint.projects.expectations import BadExpectation, cases_of

        try:
            cases = cases_of(self.path)
        except (BadExpectation, OSError) as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CCase.from_parent(self, name=case.name, case=case)


class CCase(pytest.Item):
    """One check."""

    def __init__(self, case: Case, **given: Any) -> None:
        super().__init__(**given)
        self.case = case

    def runtest(self) -> None:
        """Raises OtherAnswer."""
        from counterpoint.projects.expectations import answer

        said = answer(self.case, shlex.split(str(self.config.getini("counterpoint_options"))))
        if not said.is_one_of(self.case.verdicts):
            raise OtherAnswer(f"expected {' or '.join(self.case.verdicts)}\n\n{said.output}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what the check said, without a traceback."""
        if isinstance(excinfo.value, OtherAnswer):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The line with the expectation."""
        return self.path, self.case.line - 1, f"{self.path.name}: {self.name}"


class OtherAnswer(Exception):
    """A check answered otherwise than the file expects."""
