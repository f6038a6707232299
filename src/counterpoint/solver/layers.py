"""Features around a solver, each a solver itself: remember answers, record queries, check answers.

`standard_solver` shows the stack that engines get.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import assert_never

from counterpoint.core import clock
from counterpoint.core.errors import InternalError
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.polynomial import STEPS, STEPS_PER_SECOND, Case, has_identities, is_product, products, simplify
from counterpoint.solver.polynomial.refinement import by_abstraction, factors_of
from counterpoint.solver.protocol import Settings, Solver, SolverError, SolverFactory
from counterpoint.term import build
from counterpoint.term.evaluate import Evaluation, Given, Value
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import addresses, reachable_outside, substitute_all

AT_ONCE = 1.0
"""Seconds that the solver within has before others are asked: most questions take it less."""

LONGEST = 60.0
"""Seconds for a question without a limit."""

PART = 0.7
"""Of the time that is left for values, before the solver within goes on."""


class ContradictingAnswer(InternalError):
    """A solver's answer did not stand up to its check; the message says which."""


class Layer:
    """Hands everything on; subclasses change `add` and `check`. `asserted` is what the scopes hold now."""

    def __init__(self, inner: Solver) -> None:
        self.inner = inner
        self.asserted: list[V] = []

    @property
    def name(self) -> str:
        return self.inner.name

    def add(self, formula: V) -> None:
        self.asserted.append(formula)
        self.inner.add(formula)

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        return self.inner.check(assumptions, seconds)

    @contextmanager
    def scope(self) -> Iterator[None]:
        height = len(self.asserted)
        with self.inner.scope():
            try:
                yield
            finally:
                del self.asserted[height:]

    def interrupt(self) -> None:
        self.inner.interrupt()

    def close(self) -> None:
        self.inner.close()


class Caching(Layer):
    """Answers a question that was asked before without the solver, and trivial ones at once.

    A question is the set of assertions and assumptions; at most `most` answers are remembered. Models are
    remembered as long as somebody holds them: keeping each would copy it out of the solver.
    """

    def __init__(self, inner: Solver, most: int = 10_000) -> None:
        super().__init__(inner)
        self._answers: dict[frozenset[V], weakref.ref[Model] | frozenset[V]] = {}
        self._most = most
        self.hits = 0

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        question = frozenset(self.asserted).union(assumptions)
        if 0 in question:
            return Unsat(tuple(v for v in assumptions if isinstance(v, int) and not v)[:1])
        known = self._answers.get(question)
        if isinstance(known, frozenset):  # what was contradictory: all that was asserted then, and the core
            self.hits += 1
            return Unsat(tuple(assumption for assumption in assumptions if assumption in known))
        model = None if known is None else known()
        if model is not None:
            self.hits += 1
            return Sat(model)
        answer = self.inner.check(assumptions, seconds)
        if not isinstance(answer, SolverUnknown):
            if len(self._answers) >= self._most:
                self._answers.pop(next(iter(self._answers)))
            self._answers[question] = (
                frozenset((*self.asserted, *answer.core)) if isinstance(answer, Unsat) else weakref.ref(answer.model)
            )
        return answer


class Recording(Layer):
    """Writes each query as an SMT-LIB file that any solver can replay, with the answer as a comment."""

    def __init__(self, inner: Solver, folder: Path, meanings: Mapping[int, V] | None = None) -> None:
        super().__init__(inner)
        self._folder = folder
        self._meanings = meanings or {}
        self._count = 0
        folder.mkdir(parents=True, exist_ok=True)

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        path = self._folder / f"query-{self._count:05d}.smt2"
        self._count += 1
        script = to_smtlib(with_meanings([*self.asserted, *assumptions], self._meanings))
        path.write_text(f"; {self.name} runs\n{script}", encoding="utf-8")
        answer = self.inner.check(assumptions, seconds)
        path.write_text(f"; {self.name}: {_word(answer)}\n{script}", encoding="utf-8")
        return answer


def with_meanings(formulas: Sequence[V], meanings: Mapping[int, V]) -> list[V]:
    """The formulas with every ADDRESS that `meanings` knows replaced by its meaning."""
    formulas = list(formulas)
    while True:
        known: dict[Term, V] = {}
        for term in addresses(*formulas):
            assert isinstance(term.payload, int)
            if term.payload in meanings:
                known[term] = meanings[term.payload]
        if not known:
            return formulas
        formulas = substitute_all(formulas, known)


def _word(answer: Answer) -> str:
    match answer:
        case Sat():
            return "sat"
        case Unsat(core):
            return f"unsat, core of {len(core)}"
        case SolverUnknown(reason):
            return f"unknown, {reason}"
        case other:
            assert_never(other)


class Validating(Layer):
    """Evaluates every assertion under each model, and asks a second solver to confirm each unsat core.

    Raises ContradictingAnswer when they disagree. A second solver that does not know is no contradiction.
    """

    def __init__(self, inner: Solver, second: Callable[[], Solver] | None = None, seconds: float | None = 10.0) -> None:
        super().__init__(inner)
        self._second = second
        self._seconds = seconds

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        answer = self.inner.check(assumptions, seconds)
        match answer:
            case Sat(model):
                formulas = [*self.asserted, *assumptions]
                self._check_model(formulas, model.values(formulas))
            case Unsat(core) if self._second is not None:
                self._check_unsat(self._second(), core)
        return answer

    def _check_model(self, formulas: list[V], values: list[Value]) -> None:
        for formula, value in zip(formulas, values, strict=True):
            if value != 1:
                raise ContradictingAnswer(f"{self.name}'s model does not satisfy {formula}")

    def _check_unsat(self, second: Solver, core: Sequence[V]) -> None:
        for formula in self.asserted:
            second.add(formula)
        try:
            confirmed = second.check(core, self._seconds)
        finally:
            second.close()
        if isinstance(confirmed, Sat):
            raise ContradictingAnswer(f"{self.name} says unsat, {second.name} has a model")


class Polynomials(Layer):
    """Simplifies questions with products of unknowns by polynomial arithmetic before a solver sees them.

    What that alone refutes is answered at once, with all assumptions as the core. Else solvers of `connect` are
    asked, first about the simpler formulas with products as variables, for half of the seconds (`longest`,
    without a limit), then about the simpler formulas, for half of the rest, and at last the inner one about the
    original. `meanings` are the inner solver's of ADDRESS terms; `without_products` gives the solvers for the first.
    """

    def __init__(
        self,
        inner: Solver,
        connect: Callable[[], Solver],
        meanings: Mapping[int, V] | None = None,
        longest: float = 30.0,
        without_products: Callable[[], Solver] | None = None,
    ) -> None:
        super().__init__(inner)
        self._connect = connect
        self._meanings = {} if meanings is None else meanings
        self._longest = longest
        self._linear_solver = without_products or connect
        self._linear: set[Term] = set()
        self._asked: Solver | None = None

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        formulas = [*self.asserted, *assumptions]
        if (seconds is not None and seconds <= 0) or not self._has_products(formulas):
            return self.inner.check(assumptions, seconds)
        started = clock.now()
        formulas = with_meanings(formulas, self._meanings)
        simplified = simplify(formulas, STEPS if seconds is None else min(STEPS, int(seconds * STEPS_PER_SECOND)))
        core = tuple(assumption for assumption in assumptions if isinstance(assumption, Term))
        if not simplified.cases:
            return Unsat(core)
        stay_open = self._abstracted(formulas, simplified.cases, self._longest if seconds is None else seconds / 2)
        if not isinstance(stay_open, list):
            return stay_open
        if not stay_open:
            return Unsat(core)
        left = None if seconds is None else max(0.0, seconds - (clock.now() - started))
        if simplified.changed and all(products(case.formulas) <= products(formulas) for case in simplified.cases):
            answer = self._ask(stay_open, self._longest if left is None else left / 2, core)
            if not isinstance(answer, SolverUnknown) or answer.reason == "interrupted":
                return answer
            left = None if seconds is None else max(0.0, seconds - (clock.now() - started))
        return self.inner.check(assumptions, left)

    def interrupt(self) -> None:
        asked = self._asked
        (self.inner if asked is None else asked).interrupt()

    def _has_products(self, formulas: Sequence[V]) -> bool:
        """Whether a product of two unknowns occurs, or a long sum; terms without a product are remembered."""
        new = reachable_outside(formulas, self._linear)
        if any(map(is_product, new)) or has_identities(formulas):
            return True
        self._linear.update(new)
        return False

    def _abstracted(
        self, formulas: Sequence[V], cases: Sequence[Case], seconds: float
    ) -> list[Case] | Sat | SolverUnknown:
        """The cases of `formulas` that stay open, or a model of one; SolverUnknown only if interrupted."""
        deadline = clock.now() + seconds
        stay_open: list[Case] = []
        for case in cases:
            left = max(0.0, deadline - clock.now())
            try:
                factored = factors_of(formulas, case)
                steps = min(STEPS, int(left * STEPS_PER_SECOND))
                answer = by_abstraction(case.formulas, self._connect_asked, left, factored, steps)
            finally:
                self._asked = None
            if isinstance(answer, Sat):
                return Sat(Model(_Extended(answer.model, case, self._meanings)))
            if isinstance(answer, SolverUnknown):
                if answer.reason == "interrupted":
                    return answer
                stay_open.append(case)
        return stay_open

    def _connect_asked(self) -> Solver:
        self._asked = self._linear_solver()
        return self._asked

    def _ask(self, cases: Sequence[Case], seconds: float, core: tuple[V, ...]) -> Answer:
        deadline = clock.now() + seconds
        for case in cases:
            self._asked = self._connect()
            try:
                for formula in case.formulas:
                    self._asked.add(formula)
                answer = self._asked.check((), max(0.0, deadline - clock.now()))
                if isinstance(answer, Sat):
                    return Sat(Model(_Extended(answer.model, case, self._meanings)))
                if isinstance(answer, SolverUnknown):
                    return answer
            finally:
                self._asked.close()
                self._asked = None
        return Unsat(core)


class _Extended:
    """A model of a case's formulas, with the variables that the case defines."""

    def __init__(self, model: Model, case: Case, meanings: Mapping[int, V]) -> None:
        self._model = model
        self._meanings = meanings
        self._defined = case.defined(Evaluation(lambda leaf: model.source.value(leaf)))

    def value(self, leaf: Term) -> Given | None:
        found = self._defined.get(leaf)
        if found is not None:
            return found
        if leaf.op is Op.ADDRESS:
            assert isinstance(leaf.payload, int)
            meaning = self._meanings.get(leaf.payload)
            if meaning is not None:
                return Evaluation(self.value).of((meaning,))[0]
        return self._model.source.value(leaf)


class FewValues(Layer):
    """Asks a SAT solver about values where every unknown of a question has few of them.

    What it says is as good as the solver's own answer: models are evaluated before they are handed on. Questions with
    a limit of AT_ONCE or less go to the solver within alone.
    """

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        if seconds is not None and seconds <= AT_ONCE:
            return self.inner.check(assumptions, seconds)
        started = clock.now()
        answer = self.inner.check(assumptions, AT_ONCE)
        if not isinstance(answer, SolverUnknown) or answer.reason != "timeout":
            return answer
        from counterpoint.solver.domains.question import by_values  # the package is needed by few questions

        left = LONGEST if seconds is None else seconds - (clock.now() - started)
        found = by_values([*self.asserted, *assumptions], PART * left)
        if isinstance(found, Unsat):
            return Unsat(tuple(part for part in assumptions if isinstance(part, Term)))
        if found is not None:
            return found
        return self.inner.check(assumptions, None if seconds is None else seconds - (clock.now() - started))


def standard_solver(
    name: str = "bitwuzla",
    addresses: Mapping[int, V] | None = None,
    seed: int = 0,
    memory_megabytes: int = 0,
    record: Path | None = None,
    validate: bool = False,
    polynomials: bool = False,
    few_values: bool = False,
) -> Solver:
    """The stack around the backend `name`, innermost first: by values, multiplied out, validated, recorded, remembered.

    Raises UnusableInput if there is no such backend.
    """
    settings = Settings(seed, {} if addresses is None else addresses, memory_megabytes)
    solver: Solver = backend(name).connect(settings)
    if few_values:
        solver = FewValues(solver)
    if polynomials:
        # z3 is faster at what is left of products than Bitwuzla: sums and comparisons of wide words.
        solver = Polynomials(
            solver,
            lambda: backend(name).connect(settings),
            settings.addresses,
            without_products=lambda: backend("z3").connect(settings),
        )
    if validate:
        other = "z3" if name != "z3" else "bitwuzla"
        solver = Validating(solver, lambda: backend(other).connect(settings))
    if record is not None:
        solver = Recording(solver, record, settings.addresses)
    return Caching(solver)


def standard_factory(
    name: str = "bitwuzla", seed: int = 0, memory_megabytes: int = 0, polynomials: bool = False
) -> SolverFactory:
    """A SolverFactory of standard solvers."""

    def connect(addresses: Mapping[int, V] | None = None) -> Solver:
        return standard_solver(name, addresses, seed, memory_megabytes, polynomials=polynomials)

    return connect


def decide(formulas: Sequence[V], seconds: float | None = None, name: str = "bitwuzla") -> Answer:
    """Whether the conjunction has a model: by polynomial arithmetic, and a solver for what that leaves open."""
    solver = standard_solver(name, polynomials=True)
    try:
        for formula in formulas:
            solver.add(formula)
        return solver.check((), seconds)
    finally:
        solver.close()


def is_satisfiable(formula: V, solver: Solver, seconds: float | None = None) -> bool:
    """Whether `formula` has a model together with what is asserted. Raises SolverError if unknown."""
    answer = solver.check([formula], seconds)
    if isinstance(answer, SolverUnknown):
        raise SolverError(f"{solver.name}: {answer.reason}")
    return isinstance(answer, Sat)


def is_valid(formula: V, solver: Solver, seconds: float | None = None) -> bool:
    """Whether `formula` follows from what is asserted. Raises SolverError if that stays unknown."""
    return not is_satisfiable(build.not_(formula), solver, seconds)
