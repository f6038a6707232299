"""Counterpoint's answers to a program, and what is wrong with them."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import fresh
from fuzz_corners.programs import Case

PREPARATIONS = ("default", "none")

DEFECTS = ("INTERNAL_ERROR", "EVIDENCE_REJECTED")
"""Reasons of UNKNOWN that are defects themselves."""


OPEN = "UNDEFINED"
"""Stands in the place of a violated check where the only right answer is UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Question:
    """How the program is asked about."""

    prepare: str = "default"
    engine: str = "auto"
    seconds: float = 10.0

    def __str__(self) -> str:
        return f"{self.prepare}, {self.engine}"


@dataclass(frozen=True, slots=True)
class Answer:
    """`verdict` is the command's last line; `defect`: it crashed, or its evidence was rejected."""

    question: Question
    verdict: str
    detail: str
    seconds: float
    defect: str = ""

    @property
    def decided(self) -> bool:
        return not self.verdict.startswith("UNKNOWN") and not self.defect


def ask(text: str, property: str, model: str, question: Question) -> Answer:
    """Checks the program in forked processes of this one; nothing stays on the disk."""
    from counterpoint.core.errors import CounterpointError

    started, before = time.monotonic(), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="fuzz-corners-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        os.chdir(folder)  # crash reports go there
        try:
            result = fresh.check(
                file, property=property, data_model=model, prepare=question.prepare, engines=(question.engine,),
                timeout=question.seconds, jobs=1,
            )  # fmt: skip
        except CounterpointError as error:
            return Answer(question, "UNUSABLE", str(error), time.monotonic() - started, f"{type(error).__name__}: {error}")
        finally:
            os.chdir(before)
        defect = ""
        if result.reason in DEFECTS or result.crash_reports:
            reports = "\n".join(Path(folder, report).read_text()[-2000:] for report in result.crash_reports)
            defect = f"{result.verdict}: {result.detail}\n{reports}"
    return Answer(question, result.verdict, result.detail, time.monotonic() - started, defect)


def wrong(case: Case, answer: Answer) -> str:
    """What is wrong with the answer, or nothing. UNKNOWN is not wrong."""
    if answer.defect:
        return f"defect ({answer.question}): {answer.defect}"
    if case.violates == OPEN:
        return f"{answer.verdict} although a run is undefined ({answer.question})" if answer.decided else ""
    if answer.decided and answer.verdict != case.expected:
        return f"{answer.verdict} instead of {case.expected} ({answer.question})"
    return ""


def all_wrong(case: Case, answers: Iterable[Answer]) -> list[str]:
    return [message for answer in answers if (message := wrong(case, answer))]
