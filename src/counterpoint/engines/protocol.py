"""What an engine is: a name, a source, and one method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from counterpoint.core.budget import Budget
from counterpoint.core.events import Observer, ignore
from counterpoint.core.source import is_undefined
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.execute.subject import Subject
from counterpoint.invariants.pool import Alone, FactPool


@dataclass(frozen=True, slots=True)
class Option:
    """What a user may set for an engine: its name as in Task.options ("bmc.bound"), what holds otherwise, a sentence.

    The engine raises UnusableInput for a value that it does not understand.
    """

    name: str
    default: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Task:
    """The question: does a run of `subject` violate the property it was compiled for?

    `options` are "prepare" ("none" or "default") and those of the engine's OPTIONS that were given, by their full
    names ("bmc.bound") and by their short ones ("bound").
    """

    subject: Subject
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tools:
    """The only ambient things an engine may use. `facts` is about the flat preparation.

    `recording`: someone will look at the growth of a region graph; without, no RegionEvent need be sent.
    """

    budget: Budget
    observe: Observer = ignore
    seed: int = 0
    facts: FactPool = field(default_factory=Alone)
    recording: bool = False


class Engine(Protocol):
    """A verification method. Modules of `engines/` expose one as `ENGINE`, and a tuple of Option as `OPTIONS`
    if it has any.

    `verify` ends by itself when the budget does (Unknown(OUT_OF_TIME), or OutOfBudget raised), is
    deterministic for a seed where it ends before, and may leave statistics with `statistics()`.
    """

    @property
    def name(self) -> str: ...

    @property
    def reference(self) -> str:
        """The paper, section and figure that it follows."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for `counterpoint engines`."""
        ...

    def verify(self, task: Task, tools: Tools) -> Verdict: ...


def unmodelled(said: Iterable[str]) -> Unknown:
    """Runs meet what has no meaning: UNDEFINED if it has none in C, wherever that is (`Site.without_meaning`)."""
    reasons = [reason for reason in dict.fromkeys(said) if reason]
    undefined = bool(reasons) and all(is_undefined(reason) for reason in reasons)
    return Unknown(Reason.UNDEFINED if undefined else Reason.UNSUPPORTED, "; ".join(reasons))
