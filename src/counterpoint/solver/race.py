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
    one that says the opposite is enough for Satisfiable. So many begin, and those whose processes are there already;
    the others follow after HEAD_START, or when those that began cannot be enough. No process is at work when this
    returns or raises. With `solvers.known`, where any one answer is enough, those answers count as well.
    """
    known = solvers.known if backends is None and agreeing == 1 else None
    key = known.key(smtlib_text) if known is not None else ""
    if known is not None and known.refutes(key):
        known.found += 1
        return Unsatisfiable("an earlier check")
    if backends is None:
        identities = "bvmul" in smtlib_text or smtlib_text.count("bvadd") >= LONG_SUM
        backends = (RACERS[0], POLYNOMIALS, *RACERS[1:]) if identities else RACERS
    running = _Race(solvers, smtlib_text, clock.now(), seconds, agreeing, list(backends))
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
    def __init__(
        self, solvers: Solvers, text: str, begun: float, seconds: float, agreeing: int, backends: list[str]
    ) -> None:
        self.solvers, self.text = solvers, text
        self.begun, self.deadline = begun, begun + seconds
        self.agreeing, self.waiting = agreeing, backends
        self.at_work: dict[str, SolverProcess] = {}
        self.reasons: dict[str, str] = {}
        self.agreed: list[str] = []

    def outcome(self) -> Outcome:
        with selectors.DefaultSelector() as selector:
            self._start(self.waiting[: self.agreeing], selector)
            self._start([name for name in self.waiting if self.solvers.is_there(name)], selector)
            while self.at_work or self.waiting:
                if self.waiting and (len(self.at_work) + len(self.agreed) < self.agreeing or self._head_start() <= 0):
                    self._start(list(self.waiting), selector)
                left = self.deadline + 0.3 - clock.now()
                ready = selector.select(max(0.0, min(left, self._head_start()) if self.waiting else left))
                if not ready and left <= 0:
                    return SolverUnknown("timeout" + (f", but for {', '.join(self.agreed)}" if self.agreed else ""))
                for key, _ in ready:
                    selector.unregister(key.fileobj)
                    if decided := self._answered(self.at_work[str(key.data)]):
                        return decided
        said = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return SolverUnknown("; ".join([*said, *(f"{name}: unsat" for name in self.agreed)]))

    def _head_start(self) -> float:
        """What is left of it."""
        return self.begun + HEAD_START - clock.now()

    def _start(self, names: Sequence[str], selector: selectors.BaseSelector) -> None:
        for name in names:
            self.waiting.remove(name)
            process = self.solvers.ask(name, "check", self.text, max(0.001, self.deadline - clock.now()))
            self.at_work[name] = process
            selector.register(process.output, selectors.EVENT_READ, name)

    def _answered(self, process: SolverProcess) -> Outcome | None:
        name, word = process.backend, process.answer()
        if word not in ("sat", "unsat"):
            self.reasons[name] = word.removeprefix("failed ") or process.why()
            self.solvers.end([self.at_work.pop(name)])
            return None
        self.solvers.give_back(self.at_work.pop(name))
        if word == "sat":
            return Satisfiable(name)
        self.agreed.append(name)
        return Unsatisfiable(" and ".join(self.agreed)) if len(self.agreed) == self.agreeing else None
