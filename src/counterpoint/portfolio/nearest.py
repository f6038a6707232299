"""Of an UNKNOWN: which engine came nearest to an answer, and what stopped it, in words for those who do not know it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason
from counterpoint.portfolio.result import INTERNAL_ERROR, Answer, CheckResult, EngineRun

MANY_REFINEMENTS = 3
"""From which on predicate abstraction is on its way."""

CLAIMED = "PROVED"
"""The answer of an engine that proved some of the checks, as in `EngineRun.answer`."""

_WITHOUT_MEANING = (Reason.UNSUPPORTED, Reason.UNDEFINED)
_LATE = regex(r"^\S+ (?:was stopped after|used up its) [\d.]+ s(?: at (?P<work>[^;]+))?")
_NUMBER = r"([\d,]+)"
_REPEATED = regex(r"(?:^|[ >])([^ >][^>]*?:\d+) \(\d+ times\)")
_OPEN = regex(r"the loop at (.+?:\d+)(?:,|$)")


@dataclass(frozen=True, slots=True)
class Stop:
    """The engine that came nearest ("" where none was at work), its reason as in `EngineRun.answer`, what stopped it;
    `loop`: the place (file:line) of a loop of which it took ever more iterations, if it said so."""

    engine: str
    reason: str
    words: str
    loop: str = ""


def nearest(result: CheckResult) -> Stop:
    """For a result whose `engines`, `checks` and `features` are known."""
    runs = _by_engine(result.engines)
    if not runs or result.reason in (*_WITHOUT_MEANING, INTERNAL_ERROR):
        return Stop("", result.reason, result.detail)
    run = min(runs, key=lambda run: _distance(run, result))
    return Stop(run.engine, _reason(run), _words(run, _share(run, result)), _loop(run))


def _share(run: EngineRun, result: CheckResult) -> str:
    """`proved 12 of 16 checks and `, if it proved any."""
    proved = _proved(run, result)
    return f"proved {proved} of {_count(len(result.checks), 'check')} and " if proved else ""


def _proved(run: EngineRun, result: CheckResult) -> int:
    return Counter(check.by for check in result.checks if check.answer is Answer.PROVED)[run.engine]


def _by_engine(runs: Iterable[EngineRun]) -> list[EngineRun]:
    """The last run of each that ended without an answer, with the seconds of all; claims about some checks come in
    between."""
    last: dict[str, EngineRun] = {}
    for run in runs:
        before = last.get(run.engine)
        if before is not None:
            latest = before if run.answer == CLAIMED else run
            last[run.engine] = replace(latest, seconds=run.seconds + before.seconds)
        elif run.answer != CLAIMED:
            last[run.engine] = run
    return list(last.values())


def _reason(run: EngineRun) -> str:
    return run.answer.removeprefix("UNKNOWN(").removesuffix(")")


def _distance(run: EngineRun, result: CheckResult) -> tuple[int, int, float]:
    """Small is near: evidence that was not re-checked in time; most checks proved; what is likely to end."""
    proved = _proved(run, result)
    if _reason(run) == Reason.EVIDENCE_UNCHECKED:
        return 0, -proved, -run.seconds
    if _reason(run) in (*_WITHOUT_MEANING, INTERNAL_ERROR):
        return 9, 0, -run.seconds
    bound, refinements = _statistic(run, "bound"), _statistic(run, "refinements") or _counted(run, "refinements")
    match run.engine:
        case "bmc" if result.features.get("bounded") and bound:
            rank = 1
        case "predicates" if refinements >= MANY_REFINEMENTS:
            rank = 2
        case "dse":
            rank = 3
        case "houdini" if run.told or _statistic(run, "candidates_kept"):
            rank = 4
        case "bmc" if bound:
            rank = 5
        case "random":
            rank = 8
        case _:
            rank = 6
    return (1, -proved, rank) if proved else (2, rank, -run.seconds)


def _statistic(run: EngineRun, name: str) -> int:
    value = run.statistics.get(name, 0)
    return int(value) if not isinstance(value, str) else 0


def _counted(run: EngineRun, what: str) -> int:
    """"12 refinements" in what the engine says."""
    found = re.search(rf"{_NUMBER} {what}\b", run.detail)
    return int(found[1].replace(",", "")) if found else 0


def _loop(run: EngineRun) -> str:
    pattern = {"predicates": _REPEATED, "houdini": _OPEN}.get(run.engine)
    found = pattern.findall(run.detail) if pattern is not None else []
    return found[-1] if found else ""


# ---------------------------------------------------------------- in words


_STOPPED = {
    Reason.OUT_OF_TIME: "its time was over",
    Reason.OUT_OF_MEMORY: "its memory was full",
    Reason.SOLVER_UNKNOWN: "the solver had no answer to one question",
    Reason.BOUND_REACHED: "it was not to go further",
    Reason.NO_PROGRESS: "it had nothing else to try",
    Reason.EVIDENCE_UNCHECKED: "its answer could not be re-checked in time",
    Reason.EVIDENCE_REJECTED: "its answer did not hold when it was re-checked",
}


def _words(run: EngineRun, share: str) -> str:
    """`bmc came nearest: it decided all runs with up to 8 iterations of each loop; its time was over after 12.3 s`."""
    reason = _reason(run)
    stopped = _STOPPED.get(Reason(reason), reason) if reason in _STOPPED else run.answer
    after = f" after {run.seconds:.1f} s" if reason in (Reason.OUT_OF_TIME, Reason.EVIDENCE_UNCHECKED) else ""
    done = "found an answer" if reason == Reason.EVIDENCE_UNCHECKED else share + _done(run)
    return f"{run.engine} came nearest: it {done}; {stopped}{after}"


def _done(run: EngineRun) -> str:
    """What it counted, if that is known: one that was stopped in the middle may not have told."""
    late = _LATE.match(run.detail)
    doing = f"was at work ({late['work']})" if late is not None and late["work"] else "was at work"
    return _counted_work(run) or (run.detail if run.detail and late is None else doing)


def _counted_work(run: EngineRun) -> str:
    bound = _statistic(run, "bound")
    match run.engine:
        case "bmc" if bound:
            return f"decided all runs with up to {_count(bound, 'iteration')} of each loop"
        case "bmc":
            return "was at work on the first iteration of each loop"
        case "kinduction" if bound:
            return f"decided all runs with up to {_count(bound, 'iteration')}, but not the step to one more"
        case "kinduction":
            return "tried to prove the step from some iterations to one more"
        case "houdini":
            return _done_by_houdini(run)
        case "predicates" if (refinements := _statistic(run, "refinements") or _counted(run, "refinements")):
            more = f", each time for one more iteration of the loop at {_loop(run)}" if _loop(run) else ""
            return f"ruled out {_count(refinements, 'way')} to an error that no run takes{more}"
        case "dash" if (tests := _statistic(run, "tests") or _counted(run, "tests")):
            return f"ran {_count(tests, 'test')} and looked for what separates the program's states from the error"
        case "ice" if (learned := _statistic(run, "learned")):
            clauses = _count(learned, "clause")
            return f"learned {clauses} in agreement with the program's runs, which is not enough for a proof yet"
        case "spacer":
            return "tried to solve the program as one system of clauses"
        case "inertial" if (entered := _statistic(run, "regions_expanded")):
            return f"entered {_count(entered, 'call')} and iterations that it had skipped"
        case "dse" if (paths := _statistic(run, "tests") or _counted(run, "tests")):
            return f"tried {_count(paths, 'path')}"
        case "summaries" if (functions := _statistic(run, "abstracted_functions")):
            refined = _count(_statistic(run, "refinements"), "time")
            return f"summarised {_count(functions, 'function')} and refined that {refined}"
        case "random" if (tests := _statistic(run, "tests") or _counted(run, "runs")):
            return f"ran {_count(tests, 'test')} and found no violation"
    return ""


def _done_by_houdini(run: EngineRun) -> str:
    stages = (_statistic(run, name) for name in run.statistics if name.startswith("candidates_stage"))
    kept = _statistic(run, "candidates_kept") or run.told
    guessed = max(_statistic(run, "candidates_decided"), kept, *stages)
    if not guessed:
        without = _reason(run) == Reason.NO_PROGRESS
        return "had no facts about loops to try" if without else "was preparing to guess what holds in loops"
    if _reason(run) == Reason.NO_PROGRESS:
        where = f"the error behind the loop at {_loop(run)}" if _loop(run) else "the error"
        return f"guessed {_count(guessed, 'fact')} about loops, of which {kept:,} hold but do not exclude {where}"
    return f"was sorting out which of {_count(guessed, 'guessed fact')} about loops hold"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
