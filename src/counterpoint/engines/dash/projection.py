"""Predicates for one aliasing only: what a formula says where pointers are as they are in a concrete state.

Reading and writing through pointers with several targets makes a formula a choice between all of them. The suitable
predicate of the DASH method (thesis, sections 3.2.1 and 3.2.2) is WP restricted to the aliasing alpha of the test at
the frontier. Here alpha is a list of literals that compare addresses, and the formula is walked down from its root:
where a condition about addresses decides which part matters, only the part that the state chooses is looked at.

Deviation: alpha is not one literal for each pair of mentioned pointers, but only those that decide something.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import field
from typing import Final, TypeGuard

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.semantics.layout import NULL_PAGE
from counterpoint.semantics.pointers import hidden_objects
from counterpoint.term import build
from counterpoint.term.boolean import negated
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable_outside

_ATOMS: Final = frozenset({Op.EQ, Op.ULT, Op.SLT, Op.VARIABLE})

MANY_COMPARISONS: Final = 3
"""So many literals of an alias that compare one term with constants become one equation."""


@dataclass(frozen=True, slots=True)
class Projected:
    """The conjunction of `alias` and `formula` is equivalent to that of `alias` and the original formula.

    `alias` are literals that hold in the concrete state, each once, in the order in which they were needed.
    """

    formula: V
    alias: tuple[V, ...]


def project(formula: V, value: Callable[[V], int], choose: Callable[[V], bool]) -> Projected:
    """The formula where the conditions that it chooses by are decided as in a concrete state.

    `value` is what a Bool or bit-vector term (in the formula's variables) is in that state; `choose` says of an
    atomic condition whether it is about aliasing. Conjuncts of the formula that are such conditions themselves stay
    in it and decide the others: they need no alias. Linear in the formula, but for reads of arrays through writes.
    """
    if isinstance(formula, int):
        return Projected(formula, ())
    run = _Projection(value, choose)
    for conjunct in conjuncts(formula):
        run.assume(conjunct)
    parts = [part if part in run.kept else run.of(part) for part in conjuncts(formula)]
    return Projected(build.conjunction(parts), _condensed(tuple(run.alias), value))


def compares_addresses(
    pointers: Container[Term] = (), arbitrary: Callable[[Term], bool] = lambda variable: False
) -> Callable[[V], bool]:
    """Says of atomic conditions whether they compare addresses, or read whether there is a live object.

    Addresses are made of ADDRESSes, `pointers`, base addresses (`&...`) and variables that hide objects
    (semantics/pointers.py), and what is read from arrays that hide objects if it is compared with an address.
    Conditions with an `arbitrary` variable are none: an alias speaks of states.
    """
    return _Addresses(pointers, Unknowns(arbitrary)).compared


def _condensed(alias: tuple[V, ...], value: Callable[[V], int]) -> tuple[V, ...]:
    """Many comparisons of one term with constants, as one equation: this is what a chain of cases comes to."""
    compared: dict[Term, list[V]] = {}
    for literal in alias:
        side = _compared_with_constant(literal)
        if side is not None:
            compared.setdefault(side, []).append(literal)
    equation: dict[V, V] = {}
    for side, literals in compared.items():
        if len(literals) >= MANY_COMPARISONS:
            assert isinstance(side.sort, BitVec)
            equation.update(dict.fromkeys(literals, build.eq(side, value(side), side.sort.width)))
    return tuple(dict.fromkeys(equation.get(literal, literal) for literal in alias))


def _compared_with_constant(literal: V) -> Term | None:
    assert isinstance(literal, Term)
    atom = negated(literal) if literal.op is Op.NOT else literal
    terms = [arg for arg in atom.args if isinstance(arg, Term)]
    return terms[0] if len(terms) == 1 and len(atom.args) == 2 else None


# ---------------------------------------------------------------- the walk


@dataclass(slots=True)
class _Projection:
    value: Callable[[V], int]
    choose: Callable[[V], bool]
    alias: dict[V, None] = field(default_factory=dict)
    kept: dict[Term, None] = field(default_factory=dict)
    """Conjuncts of the formula that are literals about aliasing."""
    _assumed: dict[Term, int] = field(default_factory=dict)
    """Their atoms, and what they are."""
    _atoms: dict[Term, int | None] = field(default_factory=dict)
    _done: dict[Term, V] = field(default_factory=dict)

    def assume(self, conjunct: V) -> None:
        """A conjunct of the whole formula; literals about aliasing decide their atom everywhere else."""
        if isinstance(conjunct, Term):
            atom = negated(conjunct) if conjunct.op is Op.NOT else conjunct
            if atom.op in _ATOMS and self.choose(atom):
                self.kept[conjunct] = None
                self._assumed[atom] = self._atoms[atom] = 1 if atom is conjunct else 0

    def of(self, root: V) -> V:
        """The projected value: arguments are visited when it is clear that they matter."""
        if isinstance(root, int):
            return root
        done, stack = self._done, [root]
        while stack:
            term = stack[-1]
            if term in done:
                stack.pop()
                continue
            needed = self._needed(term)
            if isinstance(needed, tuple):
                done[term] = needed[0]
                stack.pop()
            else:
                stack.append(needed)
        return done[root]

    def _needed(self, term: Term) -> Term | tuple[V]:
        """The next argument to visit, or (the result,)."""
        op, args = term.op, term.args
        if term in self._assumed:
            return (self._assumed[term],)
        if op is Op.ITE or op is Op.AND:
            if self._waits(args[0]):
                return args[0]
            first = self._image(args[0])
            if op is Op.AND and first == 0:
                return (0,)
            if op is Op.ITE and isinstance(first, int):
                branch = args[1] if first else args[2]
                return branch if self._waits(branch) else (self._image(branch),)
        for arg in args:
            if self._waits(arg):
                return arg
        return (self._rebuilt(term),)

    def _waits(self, value: V) -> TypeGuard[Term]:
        return isinstance(value, Term) and value not in self._done

    def _image(self, value: V) -> V:
        return value if isinstance(value, int) else self._done[value]

    def _rebuilt(self, term: Term) -> V:
        args = [self._image(arg) for arg in term.args]
        if term.op is Op.SELECT:
            array = args[0]
            assert isinstance(array, Term)
            return self._read(array, args[1])
        changed = any(a is not b for a, b in zip(args, term.args, strict=True))
        new = rebuild(term, args) if changed else term
        decided = self._decided(new)
        return new if decided is None else decided

    def _read(self, array: Term, index: V) -> V:
        """A read behind the writes that are elsewhere in the state."""
        sort = array.sort
        assert isinstance(sort, ArraySort)
        while array.op is Op.STORE:
            below, place, written = array.args
            same = build.eq(place, index, sort.index)
            decided = same if isinstance(same, int) else self._decided(same)
            if decided is None:
                break
            if decided:
                return written
            assert isinstance(below, Term)
            array = below
        return build.select(array, index)

    def _decided(self, condition: V) -> int | None:
        """What an atomic condition about aliasing is in the state (and everywhere under the alias), else None."""
        if not isinstance(condition, Term) or condition.sort is not BOOL:
            return None
        positive = condition.op is not Op.NOT
        atom = condition if positive else negated(condition)
        if atom.op not in _ATOMS:
            return None
        if atom not in self._atoms:
            self._atoms[atom] = None
            if self.choose(atom):
                holds = self._atoms[atom] = 1 if self.value(atom) else 0
                self.alias[atom if holds else negated(atom)] = None
        known = self._atoms[atom]
        return known if known is None or positive else 1 - known


# ---------------------------------------------------------------- which conditions are about addresses

_NO: Final = 0
_READ: Final = 1
_YES: Final = 2


@dataclass(slots=True)
class _Addresses:
    pointers: Container[Term]
    arbitrary: Unknowns
    _known: dict[Term, int] = field(default_factory=dict)

    def compared(self, condition: V) -> bool:
        """See compares_addresses."""
        if not isinstance(condition, Term):
            return False
        atom = negated(condition) if condition.op is Op.NOT else condition
        if atom.op not in (Op.EQ, Op.ULT, Op.SLT) or self.arbitrary.of(atom):
            return False
        kinds = [self._kind(arg) for arg in atom.args]
        if _YES in kinds or all(kind is _READ for kind in kinds):
            return True
        if atom.op is Op.ULT and _READ in kinds:
            return any(isinstance(arg, int) and arg == NULL_PAGE for arg in atom.args)
        return any(isinstance(arg, Term) and _reads_liveness(arg) for arg in atom.args)

    def _kind(self, value: V) -> int:
        """Whether it is computed from an address (_YES), or read from memory that may hold some (_READ)."""
        if isinstance(value, int):
            return _NO
        known = self._known
        if value not in known:
            for term in reachable_outside((value,), known):
                known[term] = self._of(term)
        return known[value]

    def _of(self, term: Term) -> int:
        if term.op is Op.ADDRESS or term in self.pointers:
            return _YES
        if term.op is Op.VARIABLE:
            name = str(term.payload)
            if isinstance(term.sort, ArraySort):
                return _READ if hidden_objects(name) else _NO
            return _YES if hidden_objects(name) or name.startswith("&") else _NO
        if term.op is Op.SELECT or term.op is Op.STORE:
            array = term.args[0]
            assert isinstance(array, Term)
            return _READ if self._known[array] else _NO
        parts = term.args[1:] if term.op is Op.ITE else term.args
        if isinstance(term.sort, BitVec | ArraySort):
            return max((self._known[part] for part in parts if isinstance(part, Term)), default=_NO)
        return _NO


def _reads_liveness(term: Term) -> bool:
    """An element of a summary's liveness array (semantics/summary.py), with or without writes to it."""
    if term.op is not Op.SELECT:
        return False
    array = term.args[0]
    while isinstance(array, Term) and array.op is Op.STORE:
        array = array.args[0]
    if not isinstance(array, Term) or array.op is not Op.VARIABLE:
        return False
    return str(array.payload).rpartition(".")[2].startswith("live")
