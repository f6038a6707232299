"""Makes a failing program smaller: first without whole parts, then without lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace

from fuzz_corners import host
from fuzz_corners.programs import Case, generate, planned
from fuzz_corners.verdicts import Question, ask, wrong


def reduced(case: Case, question: Question, only: Collection[str], seconds: float = 60.0) -> Case:
    """A smaller program with the same kind of wrong answer to the question."""
    deadline = time.monotonic() + seconds
    kind = _kind(case, question)

    def still(smaller: Case) -> bool:
        return time.monotonic() < deadline and _kind(smaller, question) == kind

    return _without_lines(_without_parts(case, only, still), still) if kind else case


def _kind(case: Case, question: Question) -> str:
    answer = ask(case.text, case.property, case.model, question)
    message = wrong(case, answer)
    if answer.defect:
        return answer.defect.splitlines()[0][:60]
    return answer.verdict if message else ""


def _without_parts(case: Case, only: Collection[str], still: Callable[[Case], bool]) -> Case:
    kept = set(range(len(planned(case.seed, only, case.model).shapes)))
    for number in sorted(kept):
        if len(kept) == 1:
            break
        smaller = generate(case.seed, bool(case.violates), kept - {number}, only, case.model)
        if bool(smaller.violates) == bool(case.violates) and still(smaller):
            kept.discard(number)
            case = smaller
    return case


def _without_lines(case: Case, still: Callable[[Case], bool]) -> Case:
    """Only where sanitizers confirm that the smaller program has the fault as well (or it is a crash)."""
    builds = host.available(case)
    if case.violates and not (case.seen and builds):
        return case
    if not case.violates:
        return case
    changed = True
    while changed:
        changed = False
        lines = case.text.splitlines()
        for at in range(len(lines) - 1, -1, -1):
            if lines[at].strip() in ("", "{", "}"):
                continue
            smaller = replace(case, text="\n".join(lines[:at] + lines[at + 1 :]) + "\n")
            if still(smaller) and not host.complaints(smaller, builds):
                case, lines, changed = smaller, smaller.text.splitlines(), True
    return case
