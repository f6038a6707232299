"""z3's Spacer on the clauses, in the view that is handed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.clauses import Horn
from counterpoint.logic.horn.view import (
    Native,
    NativeAtom,
    NativeClause,
    Outcome,
    Refuted,
    Solved,
    Undecided,
    Untranslatable,
    View,
)
from counterpoint.regions.cut_graph import Place
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, size

MAX_FACT: Final = 400
"""Terms of one fact; larger conjuncts are dropped."""

OPTIONS: Final[Mapping[str, object]] = {
    "xform.slice": False,
    "xform.inline_linear": False,
    "xform.inline_eager": False,
}
"""The answer has to speak of our relations, with all their arguments."""


@dataclass(slots=True)
class Run:
    """One fixedpoint with all clauses; `solve` may be ended early through `view.context.interrupt()`."""

    horn: Horn
    view: View
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    fixedpoint: Any = None
    relations: dict[Place, Any] = field(default_factory=dict)
    constants: dict[Place, list[Native]] = field(default_factory=dict)
    failure: Any = None

    def solve(self, seconds: float | None = None) -> Outcome:
        """Whether a failure can be derived, after about `seconds` at most (z3 checks its clock itself)."""
        import z3

        try:
            self._declare(z3, seconds)
            for clause in self.horn.clauses:
                for native in self.view.clauses(clause):
                    self._rule(z3, native)
            answer = self.fixedpoint.query(self.failure())
        except z3.Z3Exception as error:
            if self.fixedpoint is None:
                return Undecided(_message(error))
            return Undecided(_message(error), self._lemmas(z3))
        if answer == z3.unsat:
            return self._solved(z3)
        if answer == z3.sat:
            return Refuted()
        return Undecided(self.fixedpoint.reason_unknown(), self._lemmas(z3))

    def _declare(self, z3: Any, seconds: float | None) -> None:
        context = self.view.context
        self.fixedpoint = z3.Fixedpoint(ctx=context)
        limit = {} if seconds is None else {"timeout": max(1, round(seconds * 1000))}
        self.fixedpoint.set(engine="spacer", **limit)
        for name, value in {**OPTIONS, "spacer.random_seed": self.seed, **self.options}.items():
            self.fixedpoint.set(name, value)
        boolean = z3.BoolSort(context)
        for number, (place, arguments) in enumerate(self.horn.relations.items()):
            sorts = [self.view.sort(argument) for argument in arguments]
            if place[1] == EXIT:
                sorts.append(boolean)
            relation = z3.Function(f"P{number}", *sorts, boolean)
            self.fixedpoint.register_relation(relation)
            self.relations[place] = relation
            self.constants[place] = [z3.Const(f"arg{number}.{k}", sort) for k, sort in enumerate(sorts)]
            if place[1] == EXIT:
                *others, guard = self.constants[place]
                self._add(z3, (*others, guard), relation(*others, guard), [z3.Not(guard)])
        self.failure = z3.Function("failure", boolean)
        self.fixedpoint.register_relation(self.failure)

    def _rule(self, z3: Any, clause: NativeClause) -> None:
        body = [self._atom(z3, atom) for atom in clause.body]
        head = self.failure() if clause.head is None else self._atom(z3, clause.head)
        self._add(z3, clause.variables, head, [*body, *clause.formulas])

    def _atom(self, z3: Any, atom: NativeAtom) -> Native:
        values = list(atom.values)
        if atom.place[1] == EXIT:
            values.append(z3.BoolVal(True, self.view.context) if atom.guard is None else atom.guard)
        return self.relations[atom.place](*values)

    def _add(self, z3: Any, variables: tuple[Native, ...], head: Native, body: list[Native]) -> None:
        rule = z3.Implies(z3.And(*body, z3.BoolVal(True, self.view.context)), head) if body else head
        self.fixedpoint.add_rule(z3.ForAll(list(variables), rule) if variables else rule)

    # ------------------------------------------------------------ answers

    def _solved(self, z3: Any) -> Solved:
        """The answer is a conjunction of `forall x. P(x) = interpretation`."""
        facts: list[Fact] = []
        complete = True
        places = {relation.name(): place for place, relation in self.relations.items()}
        seen: set[Place] = set()
        for part in _conjuncts(z3, self.fixedpoint.get_answer()):
            constants: list[Native] = []
            if z3.is_quantifier(part):
                constants = [z3.Const(f"answer.{k}", part.var_sort(k)) for k in range(part.num_vars())]
                part = z3.substitute_vars(part.body(), *reversed(constants))
            if not z3.is_eq(part):
                complete = False
                continue
            atom, meaning = part.children()
            place = places.get(atom.decl().name())
            if place is None:
                continue
            seen.add(place)
            found, whole = self._facts(z3, place, atom.children(), meaning)
            facts += found
            complete = complete and whole
        return Solved(tuple(dict.fromkeys(facts)), complete and len(seen) == len(places))

    def _lemmas(self, z3: Any) -> tuple[Fact, ...]:
        """What was learned of each relation for runs of any length."""
        facts: list[Fact] = []
        for place, relation in self.relations.items():
            try:
                cover = self.fixedpoint.get_cover_delta(-1, relation)
                constants = self.constants[place]
                cover = z3.substitute_vars(cover, *constants)
            except z3.Z3Exception:
                continue
            facts += self._facts(z3, place, constants, cover)[0]
        return tuple(dict.fromkeys(facts))

    def _facts(self, z3: Any, place: Place, constants: list[Native], meaning: Native) -> tuple[list[Fact], bool]:
        """The conjuncts of an interpretation that can be translated, and whether these are all."""
        facts: list[Fact] = []
        complete = True
        arguments = self.horn.relations[place]
        if place[1] == EXIT:
            *constants, guard = constants
            meaning = z3.substitute(meaning, (guard, z3.BoolVal(True, self.view.context)))
        pairs: list[tuple[Native, Term]] = list(zip(constants, arguments, strict=True))
        for part in _conjuncts(z3, meaning):
            try:
                formula: V = self.view.decode(part, pairs)
            except Untranslatable:
                complete = False
                continue
            for conjunct in conjuncts(formula):
                if size(conjunct) > MAX_FACT:
                    complete = False
                else:
                    facts.append(Fact(*place, conjunct))
        return facts, complete


def _conjuncts(z3: Any, formula: Native) -> list[Native]:
    found: list[Native] = []
    stack = [formula]
    while stack:
        part = stack.pop()
        if z3.is_and(part):
            stack += reversed(part.children())
        elif z3.is_not(part) and z3.is_or(part.arg(0)):
            stack += (z3.Not(child) for child in reversed(part.arg(0).children()))
        else:
            found.append(part)
    return found


def _message(error: Exception) -> str:
    value = error.args[0] if error.args else ""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
