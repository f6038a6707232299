"""Asks several solvers in processes of their own about one SMT-LIB script; the first answer wins."""

from __future__ import annotations

import selectors
from collections.abc import Sequence
from importlib.util import find_spec

from counterpoint.core import clock
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.processes import SolverProcess, Solvers

RACERS = ("bitwuzla", "z3")
"""The backends that `solver.worker` can run, the one that wins more often first."""

POLYNOMIALS = "polynomials"
"""What `solver.worker` runs beside them where something is multiplied, or much added: `solver.polynomial`, then a
backend."""

LONG_SUM = 4
"""Additions in a script from which it may be about sums that are the same in another order."""

CVC5 = "cvc5"
"""A backend that takes part where two have to agree, if its package is installed."""

HEAD_START = 0.2
"""Seconds for which the first backend is alone: most questions of proofs take it less, and to start z3 costs 0.1 s of
processor time."""

FIRST_TURN = 0.25
"""Seconds of a backend's first turn where more of them are at work than may compute at once; the next one is longer by
GROWTH. What is of use for polynomials is known after less."""

LENGTH = 20_000
"""Characters of a script for which turns are as much longer: what is long takes long to read, and is rather much than
difficult."""

GROWTH = 2

FAVOUR = 3
"""How many times as long the turns are of the backend that answered the last question that took long, and of
polynomials, which are at once through with what is of no use for them."""


def independent() -> tuple[str, ...]:
    """The solvers that answer by themselves, without anything of ours but the text."""
    return (*RACERS, CVC5) if find_spec(CVC5) is not None else RACERS


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """`backend` found a model; it is not handed over."""

    backend: str


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """`backend` showed that there is no model."""

    backend: str


Outcome = Satisfiable | Unsatisfiable | SolverUnknown


def check_in_processes(
    smtlib_text: str,
    seconds: float,
    backends: Sequence[str] | None = None,
    memory_megabytes: int = 0,
    agreeing: int = 1,
) -> Outcome:
    """`race` with processes for this question alone; `memory_megabytes` limits each (0: no limit).

    No process is left when this returns or raises, also after Ctrl-C.
    """
    with Solvers(memory_megabytes) as solvers:
        return race(solvers, smtlib_text, seconds, backends, agreeing)


def race(
    solvers: Solvers, smtlib_text: str, seconds: float, backends: Sequence[str] | None = None, agreeing: int = 1
) -> Outcome:
    """The answer to the script's one question, within about half a second after `seconds`.

    SolverUnknown names what each backend said when none has an answer. Unsatisfiable takes so many `agreeing` backends;
    one that says the opposite is enough for Satisfiable. So many begin; the others follow after HEAD_START, or when
    those that began cannot be enough, and first of them who won last. At most `solvers.at_once` compute at a time, in
    turns. No process is at work when this returns or raises. With `solvers.known`, where any one answer is enough,
    those answers count as well.
    """
    known = solvers.known if backends is None and agreeing == 1 else None
    key = known.key(smtlib_text) if known is not None else ""
    if known is not None and known.refutes(key):
        known.found += 1
        return Unsatisfiable("an earlier check")
    if backends is None:
        identities = "bvmul" in smtlib_text or smtlib_text.count("bvadd") >= LONG_SUM
        backends = (RACERS[0], POLYNOMIALS, *RACERS[1:]) if identities else RACERS
    running = _Race(solvers, smtlib_text, clock.now(), seconds, agreeing, backends)
    try:
        outcome = running.outcome()
    finally:
        solvers.end(running.at_work.values())
    if known is not None:
        known.asked += 1
        if isinstance(outcome, Unsatisfiable):
            known.learn(key, outcome.backend)
    return outcome


class _Race:
    """`queue`: who waits for a turn, be it the first; `until`: when the turns of those end who compute."""

    def __init__(
        self, solvers: Solvers, text: str, begun: float, seconds: float, agreeing: int, backends: Sequence[str]
    ) -> None:
        self.solvers, self.text = solvers, text
        self.begun, self.deadline = begun, begun + seconds
        self.agreeing = agreeing
        self.queue = [*backends[:agreeing], *sorted(backends[agreeing:], key=solvers.won_last, reverse=True)]
        turn = FIRST_TURN * (1 + len(text) / LENGTH)
        favoured = {name for name in backends if name == POLYNOMIALS or solvers.won_last(name)}
        self.turns = {name: turn * (FAVOUR if name in favoured else 1) for name in backends}
        self.until: dict[str, float] = {}
        self.at_work: dict[str, SolverProcess] = {}
        self.reasons: dict[str, str] = {}
        self.agreed: list[str] = []

    def outcome(self) -> Outcome:
        with selectors.DefaultSelector() as selector:
            while self.at_work or self.queue:
                self._take_turns(selector)
                left = self.deadline + 0.3 - clock.now()
                ready = selector.select(max(0.0, min(left, self._next_change())))
                if not ready and left <= 0:
                    return SolverUnknown("timeout" + (f", but for {', '.join(self.agreed)}" if self.agreed else ""))
                for key, _ in ready:
                    selector.unregister(key.fileobj)
                    if decided := self._answered(self.at_work[str(key.data)]):
                        return decided
        said = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return SolverUnknown("; ".join([*said, *(f"{name}: unsat" for name in self.agreed)]))

    def _take_turns(self, selector: selectors.BaseSelector) -> None:
        """Whose turn is over makes way, where someone waits who may go on; who is first in the queue computes."""
        now, free = clock.now(), self.solvers.at_once - len(self.until)
        waiting = len(self.queue) - free if self._more_may() else 0
        for name in [name for name, until in self.until.items() if until <= now][: max(0, waiting)]:
            del self.until[name]
            self.at_work[name].stop()
            self.queue.append(name)
        while self.queue and len(self.until) < self.solvers.at_once and self._more_may():
            name = self.queue.pop(0)
            self.until[name] = now + self.turns[name]
            self.turns[name] *= GROWTH
            if name in self.at_work:
                self.at_work[name].go_on()
                continue
            self.at_work[name] = self.solvers.ask(name, "check", self.text, max(0.001, self.deadline - now))
            selector.register(self.at_work[name].output, selectors.EVENT_READ, name)

    def _more_may(self) -> bool:
        """Be at work than those that began: these cannot be enough, or have had their time alone."""
        return len(self.at_work) + len(self.agreed) < self.agreeing or clock.now() >= self.begun + HEAD_START

    def _next_change(self) -> float:
        """Seconds until someone else may compute."""
        if not self.queue:
            return float("inf")
        first = min(self.until.values()) if len(self.until) >= self.solvers.at_once else 0.0
        return max(first, self.begun + HEAD_START) - clock.now()

    def _answered(self, process: SolverProcess) -> Outcome | None:
        name, word = process.backend, process.answer()
        self.until.pop(name, None)
        process.go_on()  # it may have been stopped when it had just answered
        if word not in ("sat", "unsat"):
            self.reasons[name] = word.removeprefix("failed ") or process.why()
            self.solvers.end([self.at_work.pop(name)])
            return None
        self.solvers.give_back(self.at_work.pop(name))
        if clock.now() - self.begun > HEAD_START:
            self.solvers.has_won(name)
        if word == "sat":
            return Satisfiable(name)
        self.agreed.append(name)
        return Unsatisfiable(" and ".join(self.agreed)) if len(self.agreed) == self.agreeing else None
