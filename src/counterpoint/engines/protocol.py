"""What an engine is: a name, a source, and one method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol

from counterpoint.core.budget import Budget
from counterpoint.core.events import Observer, ignore
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.verdict import Verdict
from counterpoint.execute.subject import FLAT, MODULAR, UNPREPARED, Subject
from counterpoint.invariants.pool import Alone, FactPool
from counterpoint.program.model import Program


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

    `options` are those of the engine's OPTIONS that were given, by their names. `preparation` is the form of the
    program that the engine works on; `engines.task` makes tasks whose preparation is the one that an engine wants.
    Calls of the functions `contracts` go by contract, whatever they are ("all": of all functions); with `frames`,
    regions go on past loops, where the engine knows how (semantics/framing.py).
    """

    subject: Subject
    options: Mapping[str, str] = field(default_factory=dict)
    preparation: str = FLAT
    contracts: tuple[str, ...] = ()
    frames: bool = False

    @property
    def program(self) -> Program:
        return self.subject.program(self.preparation, self.contracts)


Claim = Callable[[frozenset[int], Certificate], None]
"""Takes checks and a certificate of the program focused on them (Subject.focused): what an engine proved that does not
come to a proof of the whole."""


def unheard(checks: frozenset[int], certificate: Certificate) -> None:
    """The Claim that nobody listens to."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The only ambient things an engine may use. `facts` is about the task's program, whatever its focus.

    `recording`: someone will look at the growth of a region graph; without, no RegionEvent need be sent. `claim` takes
    proofs of some of the checks.
    """

    budget: Budget
    observe: Observer = ignore
    seed: int = 0
    facts: FactPool = field(default_factory=Alone)
    recording: bool = False
    claim: Claim = unheard


def usual_preparation(options: Mapping[str, str]) -> str:
    """The flat program, or with "prepare" `none` the unprepared one, with `modular` the one with all its functions:
    that of the engines that tell each other facts."""
    given = options.get("prepare", FLAT)
    return given if given in (UNPREPARED, MODULAR) else FLAT


class Engine(Protocol):
    """A verification method. Modules of `engines/` expose one as `ENGINE`, a tuple of Option as `OPTIONS` if it has
    any, and a function `preparation` (as `usual_preparation` above) if it works on other forms of the program. With
    `TURN`, seconds, it runs by default: that long at first, behind the provers that portfolio/schedule.py places.

    `verify` ends by itself when the budget does (Unknown(OUT_OF_TIME), or OutOfBudget raised), is
    deterministic for a seed where it ends before, and may leave statistics with `statistics()`.
    """

    @property
    def name(self) -> str: ...

    @property
    def says(self) -> tuple[str, ...]:
        """What it can answer but UNKNOWN: "TRUE", "FALSE"."""
        ...

    @property
    def reference(self) -> str:
        """The paper, section and figure that it follows."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for `counterpoint engines`."""
        ...

    def verify(self, task: Task, tools: Tools) -> Verdict: ...
