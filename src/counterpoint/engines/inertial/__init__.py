"""Inertial refinement: error conditions over placeholders for what was not entered; what has to be is entered.

    loops become functions that call themselves                                                  outline.py
    each function's checks are hoisted through calling contexts, all other calls skipped         contexts.py, search.py
    at the program's entry each condition is asked about, and what a strategy chooses is entered refinement.py
        a run satisfies it that passes nothing abstract: unsafe
        no run satisfies it, whatever is abstract: excluded
    all excluded: a proof with contracts for what stayed abstract                                proof.py

Source: [inertial refinement, sections III and IV]; docs/engines/inertial.md maps its algorithms to files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.contexts import calls_of
from counterpoint.engines.inertial.correction import CORRECTIONS
from counterpoint.engines.inertial.outline import outlined
from counterpoint.engines.inertial.proof import proof
from counterpoint.engines.inertial.search import Search
from counterpoint.engines.inertial.strategies import NAMES, strategy
from counterpoint.engines.inertial.unfolding import Setting
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.evidence.verdict import Reason, Unknown, Unsafe, Verdict
from counterpoint.execute.subject import MODULAR
from counterpoint.program.model import Program

OPTIONS = (
    Option("inertial.strategy", "ir", f"what is entered next: {', '.join(NAMES)}"),
    Option("inertial.correction", "cores", f"how ir finds correction sets: {', '.join(CORRECTIONS)}"),
    Option("inertial.batches", "true", "false: a loop is entered one iteration at a time"),
    Option("inertial.contexts", "0", "calling contexts of a function, the shortest ones; 0: all"),
    Option("inertial.query", "20", "seconds that one question may take"),
)


def preparation(options: Mapping[str, str]) -> str:
    """The one that keeps functions."""
    return MODULAR


@dataclass(slots=True)
class InertialRefinement:
    """The engine."""

    name: str = "inertial"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Inertial refinement, algorithms 1 and 2"
    summary: str = "calls and loops are skipped, and entered where a failing check cannot be decided otherwise"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        search = search_of(task, tools, self.numbers)
        search.search()
        if search.found:
            return Unsafe(next(iter(search.found.values())))
        if search.undecided or search.cut_short:
            return _gave_up(search)
        tools.observe(Progress(self.name, "proving"))
        return proof(task, search.entered, search.deepest, tools)


def search_of(task: Task, tools: Tools, numbers: dict[str, int | float]) -> Search:
    """The search that the task's options ask for; it counts in `numbers`. Raises UnusableInput."""
    return search_in(task.subject.program(MODULAR), task.options, tools, numbers)


def search_in(
    program: Program, options: Mapping[str, str], tools: Tools, numbers: dict[str, int | float]
) -> Search:
    """The same in a program of the modular preparation."""
    name, correction = options.get("inertial.strategy", "ir"), options.get("inertial.correction", "cores")
    batches = options.get("inertial.batches", "true")
    if name not in NAMES:
        raise UnusableInput(f"option inertial.strategy: `{name}` is none of {', '.join(NAMES)}")
    if correction not in CORRECTIONS:
        raise UnusableInput(f"option inertial.correction: `{correction}` is none of {', '.join(CORRECTIONS)}")
    if batches not in ("true", "false"):
        raise UnusableInput(f"option inertial.batches: `{batches}` is neither true nor false")
    seconds = _number(options.get("inertial.query", "20"), "inertial.query", 1, "number of seconds")
    most = _number(options.get("inertial.contexts", "0"), "inertial.contexts", 0, "number of contexts")
    regions = outlined(program).program
    calls = calls_of(regions)
    numbers.clear()
    setting = Setting(regions, calls.own, tools, seconds, numbers=numbers)
    setting.count("regions", len(regions.functions))
    return Search(setting, calls, strategy(name, correction), program, MODULAR, batches == "true", most)


def _number(text: str, option: str, least: int, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,8}", text) or int(text) < least:
        raise UnusableInput(f"option {option}: `{text[:40]}` is not a {what}")
    return int(text)


def _gave_up(search: Search) -> Unknown:
    if search.undecided:
        check, reason = next(iter(search.undecided.items()))
        return Unknown(Reason.NO_PROGRESS, f"check {check}: {reason}")
    return Unknown(Reason.BOUND_REACHED, "no violation in the calling contexts that were looked at")


ENGINE = InertialRefinement()
