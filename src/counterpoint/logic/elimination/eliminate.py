"""Elimination of unwanted variables from a formula: cheap exact steps in turn, then forgetting.

The conjuncts that share unwanted variables are one group; a group is worked on by itself, and a step may break it
into smaller ones. Methods, in order: values that are best for a variable everywhere (monotone), equations,
unconstrained operations, bounds, reads of arrays, case distinctions. Where these end, or have cost too much, atoms
are left open, and at last the conjuncts about one variable are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination import atoms, bounds
from counterpoint.logic.elimination.cases import cases
from counterpoint.logic.elimination.equations import first_solution
from counterpoint.logic.elimination.monotone import best_values
from counterpoint.logic.elimination.selects import without_arrays
from counterpoint.logic.elimination.unconstrained import released
from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, size, substitute_all

MOST_CASES: Final = 16
"""Cases that one elimination looks into."""

MOST_WORK: Final = 1500
"""Terms that the steps of one elimination look at, all cases together (about 5 ms); afterwards it gets coarser."""

COARSER: Final = 2
"""How often atoms are left open in one elimination, with the steps that this makes worth while."""

SMALL: Final = 150
"""Terms of a group in which atoms are left open for one variable at a time; in others, for all."""


@dataclass(frozen=True, slots=True)
class Eliminated:
    """`formula` follows from the given one and has no unwanted variable; `exact`: it is equivalent to
    `exists unwanted. given`."""

    formula: V
    exact: bool


def eliminate(
    formula: V,
    unwanted: Collection[Term] | Callable[[Term], bool],
    *,
    most_cases: int = MOST_CASES,
    most_work: int = MOST_WORK,
) -> Eliminated:
    """An over-approximation of `exists unwanted. formula`, as strong as is cheap.

    `unwanted` are VARIABLEs of any sort, or says which ones are. No solver is asked.
    """
    if isinstance(formula, int):
        return Eliminated(formula, True)
    is_unwanted = unwanted if callable(unwanted) else frozenset(unwanted).__contains__
    unknowns, parts = Unknowns(is_unwanted), conjuncts(formula)
    run = _Elimination(unknowns, most_cases, most_work)
    result = run.of(parts)
    if not run.exact:
        opened = atoms.opened(parts, unknowns, None)
        if opened is not None:
            more = _Elimination(unknowns, most_cases, most_work).of(opened)
            result = build.conjunction(dict.fromkeys((*conjuncts(result), *conjuncts(more))))
    return Eliminated(result, run.exact)


@dataclass(slots=True)
class _Elimination:
    unknowns: Unknowns
    cases_left: int
    work_left: int
    coarser_left: int = COARSER
    exact: bool = True

    def of(self, parts: Sequence[V]) -> V:
        """The conjunction of `parts` without unwanted variables."""
        done: dict[V, None] = {}
        waiting = [list(parts)]
        while waiting:
            wanted, groups = _grouped(waiting.pop(), self.unknowns)
            if 0 in wanted:
                return 0
            done.update(dict.fromkeys(wanted))
            waiting += [self._step(group) for group in groups]
        return build.conjunction(done)

    def _step(self, group: list[V]) -> list[V]:
        """What takes the group's place; it has fewer unwanted variables, or is simpler."""
        cost = size(*group)
        if cost <= self.work_left:
            self.work_left -= cost
            simpler = self._exactly(group)
            if simpler is not None:
                return simpler
        return self._coarser(group, cost)

    def _exactly(self, group: list[V]) -> list[V] | None:
        unknowns = self.unknowns
        values = best_values(group, unknowns)
        if values:
            return substitute_all(group, values)
        solved = first_solution(group, unknowns)
        if solved is not None:
            place, solution = solved
            others = [*group[:place], *solution.conditions, *group[place + 1 :]]
            return substitute_all(others, {solution.variable: solution.value})
        free = released(group, unknowns)
        if free is not None:
            return free
        for variable in unknowns.ordered(group):
            mine = [part for part in group if variable in unknowns.of(part)]
            combined = bounds.combined(mine, variable, unknowns)
            if combined is not None and combined[1]:
                return combined[0] + [part for part in group if variable not in unknowns.of(part)]
        opened = without_arrays(group, unknowns)
        if opened is not None:
            self.exact = self.exact and opened[1]
            return opened[0]
        return self._by_cases(group)

    def _by_cases(self, group: list[V]) -> list[V] | None:
        found = cases(group, self.unknowns)
        if found is None or len(found) > self.cases_left + 1:
            return None
        self.cases_left -= len(found) - 1
        results = [self.of([conjunct for part in case for conjunct in conjuncts(part)]) for case in found]
        return [build.disjunction(results)]

    def _coarser(self, group: list[V], cost: int) -> list[V]:
        """Without the variable that is in the fewest conjuncts; what they say about its bounds stays."""
        self.exact = False
        unknowns = self.unknowns
        variables = unknowns.ordered(group)
        counts = [sum(variable in unknowns.of(part) for part in group) for variable in variables]
        victim = variables[counts.index(min(counts))]
        combined = bounds.combined([part for part in group if victim in unknowns.of(part)], victim, unknowns)
        implied = combined[0] if combined is not None else []
        if self.coarser_left > 0:
            opened = atoms.opened(group, unknowns, victim if cost <= SMALL and victim.sort is not BOOL else None)
            if opened is not None:
                self.coarser_left -= 1
                self.work_left = max(self.work_left, 4 * cost)
                self.cases_left = max(self.cases_left, 3)
                return opened + implied
        return [part for part in group if victim not in unknowns.of(part)] + implied


def _grouped(parts: Sequence[V], unknowns: Unknowns) -> tuple[list[V], list[list[V]]]:
    """(conjuncts without unwanted variables, the others in groups that share none), in order of appearance."""
    flat = dict.fromkeys(conjunct for part in parts for conjunct in conjuncts(part))
    wanted: list[V] = []
    groups: dict[int, tuple[list[V], set[Term]]] = {}
    owner: dict[Term, int] = {}
    for number, part in enumerate(flat):
        mine = unknowns.of(part)
        if not mine:
            wanted.append(part)
            continue
        joined = sorted({owner[variable] for variable in mine if variable in owner})
        members: list[V] = []
        variables = set(mine)
        for old in joined:
            more, theirs = groups.pop(old)
            members += more
            variables |= theirs
        members.append(part)
        groups[number] = (members, variables)
        owner.update(dict.fromkeys(variables, number))
    return wanted, [members for members, _ in groups.values()]
