"""For an UNKNOWN: what the user can try next, as a command for these files where there is one.

A rule is here because its advice was seen to help on stops of its kind: docs/decisions/advice.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import ceil
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason
from counterpoint.frontend.task import BEFORE_RETURN, LARGEST_SOURCE, OUTPUTS_ONLY
from counterpoint.portfolio.command_line import command_line
from counterpoint.portfolio.nearest import Stop, nearest
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckResult, Outcome
from counterpoint.program.model import LOST

MORE = 3
"""How many times the time is to be: most of what more time decides is decided within that."""

_UNDECIDED = (Reason.OUT_OF_TIME, Reason.SOLVER_UNKNOWN, Reason.NO_PROGRESS, Reason.BOUND_REACHED)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to try: a request that differs in what matters, if there is one, and a sentence on why."""

    why: str
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """An UNKNOWN, what was asked, and the engine that came nearest."""

    result: CheckResult
    request: Request
    stop: Stop


def _longer(case: Case) -> float:
    """Whole seconds."""
    return float(ceil(MORE * case.request.timeout))


def _each_once(given: Iterable[Advice | None]) -> list[Advice]:
    """By what it asks for."""
    found: dict[Request | str, Advice] = {}
    for advice in given:
        if advice is not None:
            found.setdefault(advice.request or advice.why, advice)
    return list(found.values())


def advised(result: CheckResult, request: Request) -> CheckResult:
    """An UNKNOWN with what came nearest and what to try; other results as they are."""
    if result.outcome is not Outcome.UNKNOWN:
        return result
    stop = nearest(result)
    case = Case(result, request, stop)
    given = _each_once(rule(case) for rule in RULES)[:MOST]
    first = given[0].request if given else None
    others = (f"{command_line(one.request)}  # {one.why}" if one.request else one.why for one in given[1:])
    return replace(
        result,
        nearest=stop.words,
        next_command=command_line(first) if first is not None else "",
        advice=(*(one.why for one in given[:1]), *others),
    )


MOST = 2
"""Things to try."""


# ---------------------------------------------------------------- the rules, the most certain first


def _more_time_for_evidence(case: Case) -> Advice | None:
    """The same engine alone finds the same answer sooner, and the rest of the time is the checker's."""
    if case.stop.reason != Reason.EVIDENCE_UNCHECKED:
        return None
    request = replace(case.request, engines=(case.stop.engine,), timeout=_longer(case))
    return Advice(f"{case.stop.engine} alone finds its answer sooner, and more time is left to re-check it", request)


def _time_to_begin(case: Case) -> Advice | None:
    """The limit did not let any engine begin."""
    if case.result.engines or case.result.reason not in (Reason.OUT_OF_TIME, Reason.NO_PROGRESS):
        return None
    timeout = max(60.0, _longer(case))
    return Advice("compiling and preparing took all of the time", replace(case.request, timeout=timeout))


def _callbacks(case: Case) -> Advice | None:
    if case.result.reason != Reason.UNSUPPORTED or "with a function pointer" not in case.result.detail:
        return None
    if case.request.callbacks == BEFORE_RETURN:
        return None
    why = "an undefined function is handed a function: so it may call that one, but only before it returns (assumed)"
    return Advice(why, replace(case.request, callbacks=BEFORE_RETURN))


def _assembly(case: Case) -> Advice | None:
    if case.result.reason != Reason.UNSUPPORTED or "assembly" not in case.result.detail:
        return None
    if case.request.asm == OUTPUTS_ONLY:
        return None
    return Advice(
        "inline assembly gives its outputs any values and does nothing else then (assumed)",
        replace(case.request, asm=OUTPUTS_ONLY),
    )


def _unsupported(case: Case) -> Advice | None:
    if case.result.reason != Reason.UNSUPPORTED:
        return None
    return Advice("replace the construct on that line, or give the called function a body that stands for it")


def _undefined(case: Case) -> Advice | None:
    if case.result.reason != Reason.UNDEFINED or case.result.property == "undefined":
        return None
    return Advice(
        "C gives runs that get to that line no meaning: this shows one, or proves that there is none",
        replace(case.request, property="undefined"),
    )


def _memory(case: Case) -> Advice | None:
    if case.result.reason != Reason.OUT_OF_MEMORY:
        return None
    request = replace(case.request, memory=2 * case.request.memory, jobs=1)
    return Advice("more memory, and one engine at a time", request)


def _smaller_bound(case: Case) -> Advice | None:
    """A harness says by a macro how large its inputs are."""
    if case.result.reason not in (*_UNDECIDED, Reason.EVIDENCE_UNCHECKED):
        return None
    found = _bound_macro(case.request)
    if found is None:
        return None
    name, value = found
    smaller = value // 2 if value > 3 else value - 1
    others = tuple(one for one in case.request.defines if one.partition("=")[0] != name)
    why = f"smaller inputs, {name} = {smaller} instead of {value}: if that is decided, go up again"
    return Advice(why, replace(case.request, defines=(*others, f"{name}={smaller}")))


def _every_path(case: Case) -> Advice | None:
    """Small inputs have few paths: a test for each of them is a proof."""
    if case.result.reason not in _UNDECIDED or case.request.engines != ("auto",) or _bound_macro(case.request) is None:
        return None
    if any(run.engine == "dse" for run in case.result.engines):
        return None
    request = replace(case.request, engines=("dse",), timeout=_longer(case))
    return Advice("a test for every path, of which small inputs have few", request)


def _accesses_alone(case: Case) -> Advice | None:
    """Leaks are about the whole heap at the end of runs; accesses often need less."""
    open_ = {check.kind for check in case.result.checks if check.answer is Answer.UNKNOWN}
    if case.result.property != "memory-safety" or case.result.reason not in _UNDECIDED or open_ - {LOST}:
        return None
    why = "only that no access is invalid; leaks are another question"
    return Advice(why, replace(case.request, property="valid-deref"))


def _out_of_guesses(case: Case) -> Advice | None:
    """More time makes no more guesses."""
    nothing_else = case.stop.engine == "houdini" and case.stop.reason == Reason.NO_PROGRESS
    return _loop_candidate(case) if nothing_else and case.request.engines == ("auto",) else None


def _loop_candidate(case: Case) -> Advice | None:
    if case.result.reason not in _UNDECIDED or not case.result.features.get("loops"):
        return None
    open_ = next((check for check in case.result.checks if check.answer is Answer.UNKNOWN and check.at.line), None)
    where = f"of the loop at {case.stop.loop}" if case.stop.loop else "of a loop"
    if not case.stop.loop and open_ is not None:
        where = f"of loops around and before {Path(open_.at.file).name}:{open_.at.line}"
    simple = any(file.suffix == ".sc" for file in case.request.files)
    written = "cand(CONDITION)" if simple else "__counterpoint_candidate(CONDITION);"
    return Advice(f"say what always holds: `{written}` first in the body {where}; it is proved before it is used")


def _more_time(case: Case) -> Advice | None:
    if case.result.reason not in (Reason.OUT_OF_TIME, Reason.SOLVER_UNKNOWN):
        return None
    refining = case.stop.engine == "predicates" and case.stop.reason == Reason.OUT_OF_TIME
    why = "predicates was still ruling out ways to an error, which often ends" if refining else "the same"
    return Advice(f"{why} in {MORE} times the time", replace(case.request, timeout=_longer(case)))


def _automatic(case: Case) -> Advice | None:
    if case.result.reason not in _UNDECIDED or case.request.engines == ("auto",):
        return None
    why = "all engines in turn, which also tell each other what they prove"
    return Advice(why, replace(case.request, engines=("auto",), options=()))


def _rejected(case: Case) -> Advice | None:
    if case.result.reason != Reason.EVIDENCE_REJECTED:
        return None
    return Advice("an engine's answer did not hold: please report it with its crash report")


RULES: tuple[Callable[[Case], Advice | None], ...] = (
    _more_time_for_evidence,
    _rejected,
    _time_to_begin,
    _callbacks,
    _assembly,
    _unsupported,
    _undefined,
    _memory,
    _automatic,
    _smaller_bound,
    _every_path,
    _accesses_alone,
    _out_of_guesses,
    _more_time,
    _loop_candidate,
)


_SIZE = regex(
    r"(?:^|_)[KMN]$|MAX|LEN|SIZE|BOUND|LIMIT|COUNT|NUM|DEPTH|BYTES|CHARS|ITER|SLOTS|CAP|ELEM|TIMES|STEPS", re.IGNORECASE
)
"""Names of macros that say how much there is of something."""
_DEFINED = regex(
    rb"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\r?\n[ \t]*#[ \t]*define[ \t]+\1[ \t]+\(?(\d{1,9})[uUlL]*\)?[ \t]*\r?$",
    re.MULTILINE,
)


def _bound_macro(request: Request) -> tuple[str, int] | None:
    """A macro with a number above 1 that -D sets, or that a file defines unless it is set."""
    for macro in request.defines:
        name, _, value = macro.partition("=")
        if _SIZE.search(name) and re.fullmatch(r"\d{1,9}", value) and int(value) > 1:
            return name, int(value)
    for file in request.files:
        try:
            text = read_given(file, "C file", LARGEST_SOURCE)
        except UnusableInput:
            continue
        for found in _DEFINED.finditer(text):
            name, number = found[1].decode(), int(found[2])
            set_ = any(macro.partition("=")[0] == name for macro in request.defines)
            used = len(re.findall(rb"\b%b\b" % found[1], text)) > 2
            if number > 1 and used and not set_ and _SIZE.search(name):
                return name, number
    return None
