"""What a run that fails is about, for each place: a null pointer, bounds, memory that is gone."""

from __future__ import annotations

import re
from contextlib import suppress

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.entries.environment import CALLER
from counterpoint.entries.exploring import OWN, STEPS, Exploration
from counterpoint.execute.subject import WRITTEN, Subject
from counterpoint.explain.failing import Failure
from counterpoint.explain.story import story


def look_why(subject: Subject, exploration: Exploration, budget: Budget) -> None:
    """Finds the causes, as far as the budget goes."""
    with suppress(CounterpointError):
        program = subject.program(WRITTEN)
        for place, sample in exploration.simplest().items():
            if sample.failed is None or budget.remaining() <= 0:
                break
            with suppress(CounterpointError):
                told = story(program, sample.failed, sample.inputs, STEPS, budget.remaining())
                if told is not None and told.failure is not None:
                    exploration.found.causes[place] = _cause(told.failure)


def _cause(failure: Failure) -> str:
    """Its sub-kind, or that the block is one of the program's own code."""
    where = re.search(r"The block was allocated at (\S+)", " ".join(failure.explanation))
    own = failure.cause == "bounds" and where is not None and CALLER not in where[1]
    return OWN if own else failure.cause
