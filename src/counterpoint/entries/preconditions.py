"""Conditions on callers without which runs of a function fail: what `infer` asks of the arbitrary caller's runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.views import NoDriver
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, OutOfBudget
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.learning import is_restriction_to_null
from counterpoint.entries.literals import Clause, holds, literals, text_of
from counterpoint.entries.needed import review
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import UNPREPARED, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Program
from counterpoint.program.names import original

PROPERTIES: Final = ("valid-deref", "division")
"""What is not to fail: accesses, and divisions where there are some."""

LARGEST: Final = 1 << 31

BOUNDARY_RUNS: Final = 60
LEAST_PASSED: Final = 8
"""Runs on the boundary of a comparison that are tried, and that have to pass."""

_WEAKER: Final = {"<": "<=", ">": ">="}


def preconditions(
    task: SourceTask, declared: Declarations, function: Function, budget: Budget
) -> Sequence[str] | None:
    """As contracts say them, each once: those of which runs show that calls fail without and pass with them; None where
    runs tell nothing, or there is no arbitrary caller."""
    below = declared.below(function.name)
    asked = (any(one.touches_memory for one in below), any(one.divides for one in below))
    found: list[str] = []
    try:
        caller = environment(declared, function)
        for name, worth in zip(PROPERTIES, asked, strict=True):
            if worth:
                found += _of_runs(replace(task, property=name), declared, caller, budget)
    except (NoDriver, CounterpointError):
        return None
    return tuple(dict.fromkeys(found))


def _of_runs(task: SourceTask, declared: Declarations, caller: Environment, budget: Budget) -> Iterator[str]:
    program = _compiled(task, declared.file, caller)
    pool = tuple(value for value in constants(program, 400) if 1 < value < LARGEST)
    vocabulary = literals(caller, (*caller.sizes, *_own_constants(program, caller.function.name)))
    exploration = Exploration(program, caller, vocabulary, pool, 0)
    if not exploration.run(budget).passing():
        raise OutOfBudget("no run passed")
    review(exploration, budget)
    for clause in exploration.found.clauses:
        if clause in exploration.found.shown and not is_restriction_to_null(clause):
            yield text_of(_weakest(exploration, clause, budget))


def _weakest(exploration: Exploration, clause: Clause, budget: Budget) -> Clause:
    """With `<=` for `<` where no run fails on the boundary, which few runs meet by chance."""
    one = clause[0]
    if len(clause) > 1 or one.operator not in _WEAKER or not isinstance(one.right, int):
        return clause
    others = [other for other in exploration.found.clauses if other != clause]
    passed = 0
    for _ in range(BOUNDARY_RUNS):
        state = exploration.drawn() | {one.left: one.right}
        if budget.remaining() <= 0 or not all(holds(other, state) for other in others):
            continue
        sample = exploration.sample(state, budget)
        if sample is not None and sample.failed is not None:
            return clause
        passed += sample is not None
    weaker = [o for o in exploration.vocabulary if (o.left, o.right) == (one.left, one.right)]
    found = next((o for o in weaker if o.operator == _WEAKER[one.operator]), one)
    return (found,) if passed >= LEAST_PASSED else clause


def _compiled(task: SourceTask, own: Path, caller: Environment) -> Program:
    """The unprepared program of the arbitrary caller."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        path = Path(folder) / CALLER
        path.write_text(header(str(own.absolute())) + caller.text(), "utf-8")
        return compile_subject(replace(task.instead({own: path}), entry=caller.entry)).program(UNPREPARED)


def _own_constants(program: Program, name: str) -> tuple[int, ...]:
    """Those in the function's own code."""
    mine = {key: function for key, function in program.functions.items() if original(key) == name}
    found = constants(replace(program, functions=mine)) if mine else ()
    return tuple(value for value in found if 1 < value < LARGEST)
