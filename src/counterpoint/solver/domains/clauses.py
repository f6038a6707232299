"""The clauses of a question whose terms have few values each: a literal for each value of each term.

    term t                          one of its values, no two of them
    t = f(a, b)                     [a = u] and [b = w] imply [t = f(u, w)]
    a fact a = b                    [a = v] if and only if [b = v]
    a fact a != b                   not [a = v] or not [b = v]
    another comparison, a fact      no two values for which it is false
    any other Bool                  a literal of its own, by the same tables [Tseitin 1968]

Terms that are known to differ from one another and have as many values together as there are of them have each value
once: a clause says so for each. With fewer values they cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod
from typing import Final

from counterpoint.solver.domains.values import MOST_COMBINATIONS, Domains
from counterpoint.term.evaluate import applied
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import reachable

MOST_CLAUSES = 2_000_000

PAIRWISE = 64
"""Values of a term up to which a clause for each pair of them says that they are not its values both."""


class TooManyClauses(Exception):
    """The question has more than MOST_CLAUSES."""


class Clauses:
    """`clauses` are satisfiable if and only if the facts of `domains` hold together, by what `value` reads off a model.

    Literals are positive and negative numbers, as in DIMACS. Raises TooManyClauses.
    """

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.clauses: list[list[int]] = []
        self.literals = 1
        self._true: Final = 1
        self._is: dict[Term, dict[int, int]] = {}
        self._bools: dict[Term, int] = {}
        self._different: dict[Term, set[Term]] = {}
        self._add(self._true)
        facts = self._defined(domains.facts)
        for term in reachable(facts):
            if term.sort is not BOOL:
                self._make(term)
        for fact in facts:
            self._assert(fact)
        self._all_different()

    def value(self, variable: Term, model: Sequence[int]) -> int | None:
        """The variable's value in a model, `model[n - 1]` being the literal n or its complement; None if it is free."""
        if variable.sort is BOOL:
            literal = self._bools.get(variable)
            return None if literal is None else int(model[literal - 1] > 0)
        values = self._is.get(variable)
        if values is None:
            free = self.domains.values.get(variable)
            return free[0] if free else None
        return next((value for value, literal in values.items() if _holds(literal, model)), None)

    # ---------------------------------------------------------------- terms

    def _defined(self, facts: Iterable[V]) -> list[V]:
        """The facts without equations that give a variable the value of a term that is not built on it: both have the
        same literals then."""
        kept: list[V] = []
        for fact in facts:
            if isinstance(fact, Term) and fact.op is Op.EQ and self._one(*fact.args):
                continue
            kept.append(fact)
        return kept

    def _one(self, left: V, right: V) -> bool:
        """Gives one of the two, a variable, the literals of the other; False where that cannot be."""
        for name, term in ((left, right), (right, left)):
            if not isinstance(name, Term) or not isinstance(term, Term):
                continue
            if name.op is not Op.VARIABLE or name in self._is:
                continue
            below = reachable((term,))
            if name in below:
                continue
            for part in below:
                if part.sort is not BOOL:
                    self._make(part)
            literals = self._is[term]
            wanted = set(self.domains.values[name])
            for value, literal in literals.items():
                if value not in wanted:
                    self._add(-literal)
            self._is[name] = {value: literal for value, literal in literals.items() if value in wanted}
            self._some(self._is[name].values())
            return True
        return False

    def _make(self, term: Term) -> None:
        """The literals of a bit vector, whose arguments have theirs."""
        if term in self._is:
            return
        literals = self._is[term] = {value: self._new() for value in self.domains.values[term]}
        self._some(literals.values())
        if len(literals) <= PAIRWISE:
            for one, other in combinations(literals.values(), 2):
                self._add(-one, -other)
        else:
            self._at_most_one(list(literals.values()))
        if term.op is Op.ITE:
            condition = self._literal(term.args[0])
            for arg, decided in ((term.args[1], -condition), (term.args[2], condition)):
                for value, literal in self._literals(arg).items():
                    self._add(decided, -literal, literals[value])
        elif term.op is not Op.VARIABLE:
            for combination, conditions in self._combinations(term):
                made = applied(term, combination)
                assert isinstance(made, int)
                self._add(*conditions, literals[made])

    def _literals(self, value: V) -> dict[int, int]:
        return {value: self._true} if isinstance(value, int) else self._is[value]

    def _combinations(self, term: Term) -> Iterable[tuple[tuple[int, ...], list[int]]]:
        """Values of the arguments, and the literals of which one is true where they do not have them."""
        of_each = [self._literals(arg) for arg in term.args]
        if prod(map(len, of_each)) > MOST_COMBINATIONS:
            raise TooManyClauses
        for chosen in product(*(literals.items() for literals in of_each)):
            yield tuple(value for value, _ in chosen), [-literal for _, literal in chosen]

    # ---------------------------------------------------------------- formulas

    def _literal(self, formula: V) -> int:
        """A literal that is equivalent to a Bool."""
        if isinstance(formula, int):
            return self._true if formula else -self._true
        for term in reachable((formula,)):
            if term.sort is BOOL and term not in self._bools:
                self._bools[term] = self._named(term)
            elif term.sort is not BOOL:
                self._make(term)
        return self._bools[formula]

    def _named(self, term: Term) -> int:
        """The literal of a Bool, whose arguments have theirs."""
        if term.op is Op.NOT:
            return -self._argument(term.args[0])
        literal = self._new()
        if term.op is Op.VARIABLE:
            return literal
        if term.op is Op.AND:
            args = [self._argument(arg) for arg in term.args]
            for arg in args:
                self._add(-literal, arg)
            self._add(literal, *(-arg for arg in args))
        elif all(sort is BOOL for sort in argument_sorts(term)):
            for bits in product((0, 1), repeat=len(term.args)):
                pairs = zip(map(self._argument, term.args), bits, strict=True)
                others = [-argument if bit else argument for argument, bit in pairs]
                self._add(*others, literal if applied(term, bits) else -literal)
        else:
            for combination, conditions in self._combinations(term):
                self._add(*conditions, literal if applied(term, combination) else -literal)
        return literal

    def _argument(self, value: V) -> int:
        if isinstance(value, int):
            return self._true if value else -self._true
        return self._bools[value]

    def _assert(self, fact: V) -> None:
        """The fact holds."""
        holds, inner = True, fact
        if isinstance(fact, Term) and fact.op is Op.NOT:
            holds, inner = False, fact.args[0]
        if not isinstance(inner, Term):
            self._add(self._true if bool(inner) is holds else -self._true)
        elif inner.op is Op.AND and not holds:
            self._add(*(-self._literal(arg) for arg in inner.args))
        elif inner.op is Op.EQ:
            self._equal(*inner.args) if holds else self._differ(*inner.args)
        elif inner.op in (Op.ULT, Op.SLT):
            for combination, conditions in self._combinations(inner):
                if bool(applied(inner, combination)) is not holds:
                    self._add(*conditions)
        else:
            literal = self._literal(inner)
            self._add(literal if holds else -literal)

    def _equal(self, left: V, right: V) -> None:
        ours, theirs = self._literals(left), self._literals(right)
        for value in ours.keys() | theirs.keys():
            one, other = ours.get(value, -self._true), theirs.get(value, -self._true)
            self._add(-one, other)
            self._add(one, -other)

    def _differ(self, left: V, right: V) -> None:
        ours, theirs = self._literals(left), self._literals(right)
        for value in sorted(ours.keys() & theirs.keys()):
            self._add(-ours[value], -theirs[value])
        if isinstance(left, Term) and isinstance(right, Term):
            self._different.setdefault(left, set()).add(right)
            self._different.setdefault(right, set()).add(left)

    def _all_different(self) -> None:
        """Groups of terms that differ from one another: where there are as many values as terms, each is there."""
        open_terms = sorted(self._different, key=lambda term: term.index)
        while open_terms:
            group: list[Term] = []
            for term in open_terms:
                if all(term in self._different[other] for other in group):
                    group.append(term)
            values = sorted({value for term in group for value in self._is[term]})
            if len(values) < len(group):
                self._add()
            if len(values) == len(group):
                for value in values:
                    self._some([self._is[term][value] for term in group if value in self._is[term]])
            taken = set(group)
            open_terms = [term for term in open_terms if term not in taken]

    # ---------------------------------------------------------------- clauses

    def _new(self) -> int:
        self.literals += 1
        return self.literals

    def _add(self, *clause: int) -> None:
        if len(self.clauses) >= MOST_CLAUSES:
            raise TooManyClauses
        self.clauses.append(list(clause) or [-self._true])

    def _some(self, literals: Iterable[int]) -> None:
        self._add(*literals)

    def _at_most_one(self, literals: list[int]) -> None:
        """By a chain of literals that say that one before has been true [Sinz 2005]."""
        before = literals[0]
        for literal in literals[1:]:
            self._add(-literal, -before)
            chained = self._new()
            self._add(-before, chained)
            self._add(-literal, chained)
            before = chained


def _holds(literal: int, model: Sequence[int]) -> bool:
    return (model[abs(literal) - 1] > 0) is (literal > 0)
