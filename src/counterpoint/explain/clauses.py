"""A Boolean combination of predicates as few short clauses, for people.

What a graph of abstract states says of a place is the union of its states: right, but long. Here it becomes literals
that hold in all states, without those that others imply, and the rest as clauses or as cases, whichever is shorter
(two-level minimisation, covers.py). What predicates mean is used as far as they compare the same two terms (or one with
constants, comparisons.py): combinations of values that no state has do not matter. Everything is bounded; what is left
out, the result says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.explain.comparisons import possible
from counterpoint.explain.covers import TooLargeError, cover
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, size

MOST_ATOMS: Final = 150
MOST_NODES: Final = 20_000
"""Sizes of formulas, and of BDDs, up to which they are made readable."""

FEWEST: Final = 4
"""Predicates that are kept of formulas whose clauses would take too long."""

MOST_CLAUSES: Final = 16
MOST_CASES: Final = 6
"""Clauses that are given, and cases up to which these are instead."""

Literal: TypeAlias = V
Clause: TypeAlias = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Readable:
    """Equivalent to a formula: all `facts` (literals), all `clauses` (disjunctions), and one of the `cases`
    (conjunctions; none: no condition). Not `whole`: weaker than it, and there is more to say."""

    facts: tuple[Literal, ...]
    clauses: tuple[Clause, ...] = ()
    cases: tuple[Clause, ...] = ()
    whole: bool = True


def readable(formula: V, states: States | None = None) -> Readable | None:
    """None where the formula is too large. Deterministic. `states` saves a manager of its own, which takes 10 ms."""
    atoms = _atoms(formula)
    if formula == 0 or len(atoms) > MOST_ATOMS:
        return None
    if len(atoms) == 1:
        return Readable((formula,))
    work = _Work(states or States(), atoms)
    try:
        return work.of(formula)
    except TooLargeError:
        return None
    finally:
        work.forget()


@dataclass(slots=True)
class _Work:
    """One formula; `known` is what all combinations of predicates that there are have in common."""

    states: States
    atoms: Sequence[Term]
    known: Bdd = None
    _order: dict[V, int] = field(default_factory=dict)
    _bdds: dict[V, Bdd] = field(default_factory=dict)

    def of(self, formula: V) -> Readable:
        for number, atom in enumerate(self.atoms):
            self._bdds[atom] = self.states.literal(atom)
            self._order[atom] = number
        self.known = self.states.all
        for cubes in possible(self.atoms):
            allowed = self.states.none
            for cube in cubes:
                allowed |= self.states.cube(cube)
            self.known = self._checked(self.known & allowed)
        exact = self._checked(self._bdd(formula) & self.known)
        if exact == self.states.none:
            raise TooLargeError  # the terms are compared in more ways than are known here
        facts = self._facts(exact)
        return self._rest(exact, facts)

    def forget(self) -> None:
        """BDDs must be gone before their manager is."""
        self.known = None
        self._bdds.clear()

    # ------------------------------------------------------------ literals

    def _facts(self, exact: Bdd) -> list[Literal]:
        """The literals that hold everywhere; those that the others imply are dropped, vague ones first."""
        found: list[Literal] = []
        for atom in self.atoms:
            literal = self.states.literal(atom)
            if exact & ~literal == self.states.none:
                found.append(atom)
            elif exact & literal == self.states.none:
                found.append(build.not_(atom))
        for literal in sorted(found, key=_vagueness):
            others = self.known
            for other in found:
                if other is not literal:
                    others &= self._literal(other)
            if others & ~self._literal(literal) == self.states.none:
                found.remove(literal)
        return found

    def _literal(self, literal: Literal) -> Bdd:
        assert isinstance(literal, Term)
        negative = literal not in self._bdds
        return ~self._bdds[literal.args[0]] if negative else self._bdds[literal]

    # ------------------------------------------------------------ the rest

    def _rest(self, exact: Bdd, facts: Sequence[Literal]) -> Readable:
        care = self.known
        for literal in facts:
            care &= self._literal(literal)
        lower, upper = exact, self._checked(exact | ~care)
        if upper == self.states.all:
            return Readable(tuple(facts))
        found = self._covers(~upper, ~lower)
        clauses = None if found is None else self._irredundant(lower, care, found)
        cases = self._covers(lower, upper)
        if cases is not None and len(cases) <= MOST_CASES and (clauses is None or _size(cases) < _size(clauses)):
            return Readable(tuple(facts), cases=tuple(cases))
        if clauses is None:
            return Readable(tuple(facts), tuple(self._some_clauses(lower, care)), whole=False)
        clauses.sort(key=len)
        return Readable(tuple(facts), tuple(clauses[:MOST_CLAUSES]), whole=len(clauses) <= MOST_CLAUSES)

    def _some_clauses(self, lower: Bdd, care: Bdd) -> list[Clause]:
        """What can be said with fewer predicates, those that are short; nothing if even that takes too long."""
        kept = sorted(self.states.predicates(lower), key=lambda atom: (size(atom), self._order[atom]))
        while len(kept) > FEWEST:
            kept, left_out = kept[: len(kept) // 2], kept[len(kept) // 2 :]
            lower = self.states.forget(lower, left_out)
            found = self._covers(care & ~lower, ~lower)
            if found is not None:
                return sorted(self._irredundant(lower, care, found), key=len)[:MOST_CLAUSES]
        return []

    def _irredundant(self, lower: Bdd, care: Bdd, cubes: Iterable[Clause]) -> list[Clause]:
        """The clauses that deny the cubes, without literals and clauses that are not needed."""
        shorter: dict[Clause, Bdd] = {}
        for cube in cubes:
            kept = [build.not_(literal) for literal in cube]
            for literal in sorted(kept, key=_vagueness):
                without = [other for other in kept if other is not literal]
                if without and lower & ~self._any(without) == self.states.none:
                    kept = without
            shorter[tuple(kept)] = self._any(kept)
        for clause in sorted(shorter, key=len, reverse=True)[: 4 * MOST_CLAUSES]:
            others = care
            for other, meaning in shorter.items():
                if other != clause:
                    others &= meaning
            if others & ~shorter[clause] == self.states.none:
                del shorter[clause]
        return list(shorter)

    def _any(self, literals: Iterable[Literal]) -> Bdd:
        found = self.states.none
        for literal in literals:
            found |= self._literal(literal)
        return found

    def _covers(self, lower: Bdd, upper: Bdd) -> list[Clause] | None:
        """Cubes whose union lies between the two; None if that takes too long."""
        try:
            return cover(self.states, self._order, lower, upper)
        except TooLargeError:
            return None

    # ------------------------------------------------------------ formulas as BDDs

    def _bdd(self, formula: V) -> Bdd:
        """Linear in the formula's Boolean structure, times the sizes of BDDs."""
        for term in _structure(formula):
            if term in self._bdds:
                continue
            args = [self._value(arg) for arg in term.args]
            match term.op:
                case Op.NOT:
                    found = ~args[0]
                case Op.AND:
                    found = args[0] & args[1]
                case Op.XOR:
                    found = (args[0] & ~args[1]) | (~args[0] & args[1])
                case _:
                    found = (args[0] & args[1]) | (~args[0] & args[2])
            self._bdds[term] = self._checked(found)
        return self._value(formula)

    def _value(self, value: V | object) -> Bdd:
        if isinstance(value, Term):
            return self._bdds[value]
        return self.states.all if value else self.states.none

    def _checked(self, states: Bdd) -> Bdd:
        if states.dag_size > MOST_NODES:
            raise TooLargeError
        return states


def _size(clauses: Iterable[Clause]) -> int:
    return sum(map(len, clauses))


def _vagueness(literal: Literal) -> int:
    """`x != c` says least, `x == c` most."""
    assert isinstance(literal, Term)
    if literal.op is Op.NOT:
        inner = literal.args[0]
        return 0 if isinstance(inner, Term) and inner.op is Op.EQ else 1
    return 2 if literal.op is Op.EQ else 1


def _inside(term: Term) -> bool:
    """It combines Bools."""
    return term.op in (Op.NOT, Op.AND) or (term.op in (Op.XOR, Op.ITE) and term.sort is BOOL)


def _atoms(formula: V) -> list[Term]:
    """The predicates, oldest first."""
    return [term for term in _parts(formula) if not _inside(term)]


def _structure(formula: V) -> Iterator[Term]:
    """What combines them, arguments first."""
    return (term for term in _parts(formula) if _inside(term))


def _parts(formula: V) -> list[Term]:
    found: set[Term] = set()
    stack = [formula]
    while stack:
        term = stack.pop()
        if isinstance(term, Term) and term not in found:
            found.add(term)
            if _inside(term):
                stack += [arg for arg in term.args if isinstance(arg, Term)]
    return [term for term in reachable([formula]) if term in found]
