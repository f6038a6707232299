"""What constructors folded while a proof's conditions were built: confirmed by solvers, as equations.

Then every formula says what it was built to say, and a claim that folded to nothing is impossible by a solver's word.
Most equations hold whatever stands below their top; what does not is asked again with more of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.solver.known import KnownAnswers
from counterpoint.solver.processes import Solvers
from counterpoint.solver.race import Satisfiable, race
from counterpoint.solver.valid import TOGETHER, Asked, NotAsked, not_valid
from counterpoint.term.folds import Equation, Folds
from counterpoint.term.general import Part, all_of, falsified, general
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term

DEPTHS = (3, 5, 8, 12, 16, 32, 64, 1 << 20)
"""How far below an application its equation looks; the last one is all of it.

Of a parser of 4 bytes, unrolled, 75 equations do not follow from 8 levels, 5 of them not from 16, all from 32. As a
whole they take a solver 31 s, in steps (without 5 and 12) 4 s.
"""

STEPS = 5
"""The depth of those whose answers have parts that other equations are of."""

WHOLE = 64
"""The depth from which on it looks at all that is there; above it at what parts of the equation share.

Of a machine of 100 branches, 9,285 equations took 5.4 s of computing where all was looked at, 2.2 s so.
"""

FEW = 300
"""So many general equations are asked after the claims, by the same process; more of them by another one beside it."""


DEEPEST_KNOWN = 64
"""Of equations that look further nothing is kept: each of them may be as large as the proof."""

CONSTANTS = 200
"""So many equations of constants are asked as one: a solver only calculates."""


class Unconfirmed(Exception):
    """No solver's word for some equations; the message names one."""


@contextmanager
def confirming(
    folds: Folds, backends: Sequence[str], budget: Budget, solvers: Solvers
) -> Iterator[Callable[[], int]]:
    """Has what was folded so far confirmed while other things are asked of `solvers`; the call, as `confirm`, says how
    that ended, and asks about what was folded since."""
    confirmation = Confirmation(folds, backends, budget, solvers.known)
    first = confirmation.formulas()[:TOGETHER]
    if len(first) <= FEW:
        yield lambda: confirmation.complete(solvers)
        return
    with Solvers() as beside:
        asked = Asked(beside, first, budget.remaining(), backends[0])

        def complete() -> int:
            wrong = {first[number] for number in _answered(asked.not_valid)}
            confirmation.take({formula: formula not in wrong for formula in first})
            return confirmation.complete(solvers)

        yield complete


def confirm(folds: Folds, backends: Sequence[str], budget: Budget) -> int:
    """The number of equations that each of the backends confirmed; the first one finds out how general they may be.

    Raises EvidenceRejected for an equation that is wrong (a constructor's fault), Unconfirmed for one that stayed open,
    OutOfBudget.
    """
    with Solvers() as solvers:
        return Confirmation(folds, backends, budget).complete(solvers)


class Confirmation:
    """The equations of `folds`, grouped by their general formulas. `known`: of which the first backend has said whether
    they are valid, now or, of those that are, in an `earlier` check; what follows from these leaves at once."""

    def __init__(
        self, folds: Folds, backends: Sequence[str], budget: Budget, earlier: KnownAnswers | None = None
    ) -> None:
        self.folds, self.backends, self.budget = folds, backends, budget
        self.earlier = _Earlier(earlier, budget) if earlier is not None and len(backends) == 1 else None
        self.known: dict[Term, bool] = {}
        self._groups = _Groups(DEPTHS[0], CONSTANTS)
        self._taken = 0

    def formulas(self) -> list[Term]:
        """Those of all that was folded so far, as general as possible."""
        new = self.folds.equations(self._taken)
        self._taken += len(new)
        self._groups.add(new, self.budget)
        if self.earlier is not None:
            self._groups = self.earlier.left(self._groups)
        return list(self._groups.by_formula())

    def take(self, said: Mapping[Term, bool]) -> None:
        """What the first backend has said of formulas."""
        self.known.update(said)
        if self.earlier is not None:
            self.earlier.learn(said, self.backends[0])

    def complete(self, solvers: Solvers) -> int:
        """As `confirm`."""
        confirmed, still_open = self.settled(solvers)
        for formula, equation in still_open.items():
            self._refuse(solvers, equation, formula, self.backends[0])
        for backend in self.backends[1:]:
            for formula in self._failed(solvers, list(confirmed), backend):
                self._refuse(solvers, confirmed[formula], formula, backend)
        solvers.settle()
        return self._taken

    def settled(self, solvers: Solvers) -> tuple[dict[Term, Equation], dict[Term, Equation]]:
        """What the first backend confirmed, as general as it may be, and in full what it did not: the formulas, each
        with one of its equations. All that was folded follows from these. Raises Unconfirmed where the backend ends."""
        self.formulas()
        confirmed: dict[Term, Equation] = {}
        groups, by_steps = self._groups, bool(self.folds.parts)
        for deeper in DEPTHS[1:]:
            failed = self._round(solvers, groups, confirmed)
            if self.earlier is not None:
                self.earlier.note(groups.depth, failed)
            if by_steps and failed:
                failed, by_steps = self._by_steps(solvers, failed, confirmed), False
            groups = _Groups(deeper, 1)
            groups.add([equation for equations in failed.values() for equation in equations], self.budget)
        failed = self._round(solvers, groups, confirmed)
        return confirmed, {formula: equations[0] for formula, equations in failed.items()}

    def _by_steps(
        self, solvers: Solvers, failed: dict[Term, list[Equation]], confirmed: dict[Term, Equation]
    ) -> dict[Term, list[Equation]]:
        """Of `failed` what is not shown with other equations, of parts of the answers that are older, in mind."""
        groups = _Groups(STEPS, 1)
        groups.add([one for equations in failed.values() for one in equations], self.budget, self.folds.parts)
        left = {one for equations in self._round(solvers, groups, confirmed).values() for one in equations}
        asked = {one for equations in groups.by_formula().values() for one in equations}
        rest = {formula: [o for o in group if o in left or o not in asked] for formula, group in failed.items()}
        return {formula: group for formula, group in rest.items() if group}

    def _round(
        self, solvers: Solvers, groups: _Groups, confirmed: dict[Term, Equation]
    ) -> dict[Term, list[Equation]]:
        """Adds to `confirmed` what the first backend shows of the groups; returns the rest."""
        asked = groups.by_formula()
        if self.earlier is not None:
            self.known |= self.earlier.known(asked, groups.depth)
        new = [formula for formula in asked if formula not in self.known]
        wrong = self._failed(solvers, new, self.backends[0])
        if self.earlier is not None:
            self.earlier.learn({formula: formula not in wrong for formula in new}, self.backends[0])
        failed = wrong | {formula: None for formula in asked if not self.known.get(formula, True)}
        confirmed.update((formula, group[0]) for formula, group in asked.items() if formula not in failed)
        return {formula: asked[formula] for formula in failed}

    def _failed(self, solvers: Solvers, formulas: Sequence[Term], backend: str) -> dict[Term, None]:
        positions = _answered(lambda: not_valid(solvers, formulas, self.budget.remaining(), backend))
        return dict.fromkeys(formulas[number] for number in positions)

    def _refuse(self, solvers: Solvers, equation: Equation, formula: Term, backend: str) -> NoReturn:
        what = f"{equation[0]} = {equation[1]}"
        match race(solvers, to_smtlib([falsified([formula])]), self.budget.remaining(), (backend,)):
            case Satisfiable():
                raise EvidenceRejected(f"a constructor folded what is not equal: {what}")
        raise Unconfirmed(f"{backend} did not confirm in time that {what}")


def _answered(positions: Callable[[], list[int]]) -> list[int]:
    try:
        return positions()
    except NotAsked as missing:
        raise Unconfirmed(str(missing)) from None


class _Earlier:
    """What is known of equations from earlier checks, in the most general form in which each was confirmed."""

    def __init__(self, answers: KnownAnswers, budget: Budget) -> None:
        self.answers, self.budget = answers, budget
        self.seen: dict[Term, bool] = {}
        self.keys: dict[Term, str] = {}
        self.too_general: list[Term] = []

    def left(self, groups: _Groups) -> _Groups:
        """Those with equations that are not known. Those of a formula that was too general before are looked for as far
        down as it took then."""
        unknown = self._unknown(groups)
        depths = {formula: self.answers.depth(self.keys[formula]) for formula in unknown}
        return groups.only({formula for formula in unknown if self._are_open(unknown[formula], depths[formula])})

    def known(self, formulas: Iterable[Term], depth: int) -> dict[Term, bool]:
        """Those that are known to be valid, each counted once."""
        for formula in formulas:
            if formula not in self.seen:
                self.budget.spend()
                looked_up = depth <= DEEPEST_KNOWN
                key = self.keys[formula] = self.answers.key(to_smtlib([falsified([formula])])) if looked_up else ""
                self.seen[formula] = self.answers.refutes(key)
                self.answers.found += self.seen[formula]
        return {formula: True for formula in formulas if self.seen[formula]}

    def note(self, depth: int, failed: Iterable[Term]) -> None:
        """What was asked at this depth is over: how far down it has to be looked another time."""
        failed = list(failed)
        if depth == DEPTHS[0]:
            self.too_general = failed
        elif not failed:
            for formula in self.too_general:
                self.answers.learn_depth(self.keys[formula], depth)
            self.too_general = []

    def learn(self, said: Mapping[Term, bool], backend: str) -> None:
        """What the backend has been asked, and whether it showed it to be valid."""
        self.answers.asked += len(said)
        for formula, valid in said.items():
            if valid:
                self.answers.learn(self.keys[formula], backend)

    def _are_open(self, equations: Sequence[Equation], deepest: int) -> bool:
        for depth in DEPTHS[1:]:
            if depth > deepest:
                break
            deeper = _Groups(depth, 1)
            deeper.add(equations, self.budget)
            equations = [one for group in self._unknown(deeper).values() for one in group]
            if not equations:
                return False
        return True

    def _unknown(self, groups: _Groups) -> dict[Term, list[Equation]]:
        asked = groups.by_formula()
        known = self.known(asked, groups.depth)
        return {formula: equations for formula, equations in asked.items() if formula not in known}


class _Groups:
    """Equations by what is the same in them as far as `depth` shows it: general formulas, each with its equations.
    Those of constants are the same in nothing: so many `together` are one formula."""

    def __init__(self, depth: int, together: int) -> None:
        self.depth, self.together = depth, together
        self.by_shape: dict[object, tuple[Term, list[Equation]]] = {}

    def by_formula(self) -> dict[Term, list[Equation]]:
        found: dict[Term, list[Equation]] = {}
        for formula, equations in self.by_shape.values():
            found.setdefault(formula, []).extend(equations)
        return found

    def only(self, formulas: Container[Term]) -> _Groups:
        """Those with one of these formulas."""
        left = _Groups(self.depth, self.together)
        left.by_shape = {shape: found for shape, found in self.by_shape.items() if found[0] in formulas}
        return left

    def add(
        self, equations: Iterable[Equation], budget: Budget, parts: Mapping[Term, Sequence[Part]] | None = None
    ) -> None:
        """Where there are `parts`, only those that speak of some."""
        constant: dict[Term, Equation] = {}  # equations with one formula say the same
        for equation in equations:
            budget.spend()
            applied, answer, sort, number = equation
            found = general(applied, answer, sort, self.depth, self.depth >= WHOLE, parts, number)
            if parts is not None and not found.given:
                continue
            known = self.by_shape.get(found.shape)
            if known is not None:
                known[1].append(equation)
            elif found.constant and self.together > 1:
                constant[found.formula()] = equation
            else:
                self.by_shape[found.shape] = found.formula(), [equation]
        formulas = list(constant)
        for first in range(0, len(formulas), self.together):
            part = formulas[first : first + self.together]
            self.by_shape["constants", len(self.by_shape)] = all_of(part), [constant[formula] for formula in part]
