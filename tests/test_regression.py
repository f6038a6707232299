"""Small C programs whose first line says what the answer must be.

`// TRUE`, `// FALSE(valid-deref)`, `// UNKNOWN`, several joined by ` or `; then optionally
`property=NAME`, `model=LP64`, `timeout=SECONDS`. UNKNOWN stands for any reason except an internal error.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import counterpoint
from counterpoint.portfolio.result import INTERNAL_ERROR

FOLDERS = (Path(__file__).parent / "regression", Path(__file__).parent / "papers")
PROGRAMS = sorted(path for folder in FOLDERS for path in folder.glob("*.c"))
DEFAULT_TIMEOUT = 30.0


def expectation(path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """The verdicts that are right, and the options of the first line."""
    line = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("//").strip()
    options = dict(re.findall(r"(\w+)=(\S+)", line))
    verdicts = tuple(part.strip() for part in re.sub(r"\w+=\S+", "", line).split(" or "))
    for verdict in verdicts:
        assert re.fullmatch(r"TRUE|FALSE\([\w-]+\)|UNKNOWN", verdict), f"{path}: bad first line"
    return verdicts, options


def test_programs_are_found() -> None:
    assert len(PROGRAMS) > 60


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_verdict(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, options = expectation(path)
    monkeypatch.chdir(tmp_path)  # crash reports go there
    result = counterpoint.check(
        path,
        property=options.get("property"),
        data_model=options.get("model", "ILP32"),
        timeout=float(options.get("timeout", DEFAULT_TIMEOUT)),
        jobs=1,
    )
    shown = "UNKNOWN" if result.outcome.value == "UNKNOWN" else result.verdict
    reports = "\n".join(Path(report).read_text() for report in result.crash_reports)
    assert result.reason != INTERNAL_ERROR, reports
    runs = "\n".join(f"{run.engine} {run.seconds} s {run.answer} {run.detail} {run.statistics}" for run in result.engines)
    assert shown in verdicts, f"{result.verdict}: {result.detail}\n{runs}\n{reports}"
