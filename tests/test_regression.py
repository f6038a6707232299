"""Small C programs whose first lines say what the answers must be.

Each `// ...` line at the top is one case: the right verdicts (`TRUE`, `FALSE(valid-deref)`, `UNKNOWN`; several
joined by ` or `), then optionally `property=NAME`, `model=LP64`, `prepare=none`, `timeout=SECONDS`, `define=BUG`
and other fields of a request, such as `callbacks=before-return`. UNKNOWN stands for any reason except an internal error,
UNKNOWN(UNDEFINED) for that one.

`model=ILP32,LP64 prepare=default,none` asks for every combination: `make regression` runs all of them; otherwise
each case runs in one, the next case of the program in the next, so that each word of each list occurs among two
neighbours; and of a program with more than MOST_CASES, every other case, of more than twice as many, every third.
Without `model` it is the command's default, LP64.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import fresh
from counterpoint.portfolio.result import INTERNAL_ERROR

FOLDERS = (Path(__file__).parent / "regression", Path(__file__).parent / "papers")
PROGRAMS = sorted(path for folder in FOLDERS for path in folder.rglob("*.c"))
DEFAULT_TIMEOUT = 30.0
LISTS = ("model", "prepare")
ALL = os.environ.get("COUNTERPOINT_REGRESSION") == "all"
MOST_CASES = 4


@dataclass(frozen=True)
class Case:
    """One question about a program: what may be answered under which options."""

    path: Path
    verdicts: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        shown = "-".join(value for name, value in self.options if name not in ("timeout", "property"))
        return f"{self.path.stem}-{shown}" if shown else self.path.stem


def cases(path: Path) -> list[Case]:
    """The cases of a program, one per expectation line and combination of its lists."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not re.match(r"// (?:TRUE|FALSE\(|UNKNOWN)", line):
            break
        options = dict(re.findall(r"([\w-]+)=(\S+)", line[2:]))
        verdicts = tuple(part.strip() for part in re.sub(r"[\w-]+=\S+", "", line[2:]).split(" or "))
        for verdict in verdicts:
            assert re.fullmatch(r"TRUE|FALSE\([\w-]+\)|UNKNOWN(\(\w+\))?", verdict), f"{path}: bad first line"
        lists = [options[name].split(",") for name in LISTS if name in options]
        names = [name for name in LISTS if name in options]
        chosen = list(product(*map(sorted, lists)))
        if not ALL:
            ends = [one for pair in zip(chosen, reversed(chosen), strict=True) for one in pair]
            chosen = [ends[(len(found) + len(found) // 2) % len(chosen)]]
        found += [Case(path, verdicts, tuple((options | dict(zip(names, one, strict=True))).items())) for one in chosen]
    assert found, f"{path}: its first line says no verdict"
    step = 1 if ALL or len(found) <= MOST_CASES else 2 if len(found) <= 2 * MOST_CASES else 3
    return found[::step]


CASES = [case for path in PROGRAMS for case in cases(path)]


def test_programs_are_found() -> None:
    assert len(PROGRAMS) > 60


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdict(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, object] = dict(case.options)
    monkeypatch.chdir(tmp_path)  # crash reports go there
    defines = str(options.pop("define", ""))
    if "engines" in options:
        options["engines"] = tuple(str(options["engines"]).split(","))
    result = fresh.check(
        case.path,
        data_model=options.pop("model", None),
        timeout=float(str(options.pop("timeout", DEFAULT_TIMEOUT))),
        defines=tuple(defines.split(",")) if defines else (),
        jobs=1,
        **options,
    )
    shown = {result.verdict, result.outcome.value} if result.outcome.value == "UNKNOWN" else {result.verdict}
    reports = "\n".join(Path(report).read_text() for report in result.crash_reports)
    assert result.reason != INTERNAL_ERROR and INTERNAL_ERROR not in {run.answer for run in result.engines}, reports
    runs = "\n".join(f"{run.engine} {run.seconds} s {run.answer} {run.detail} {run.statistics}" for run in result.engines)
    assert shown.intersection(case.verdicts), f"{result.verdict}: {result.detail}\n{runs}\n{reports}"
