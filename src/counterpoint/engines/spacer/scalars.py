"""Clauses without arrays: what is read of memory are numbers of their own.

A read behind writes is a choice between what was written and a read of the array before; a read of an array of which
nothing else is known is an unknown, and two of these are equal where their indices are. So the clause has at least
the runs that it had, and just these as far as it reads.

Source: Ackermann's reduction, with McCarthy's axiom for reads over writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from counterpoint.logic.horn.clauses import Atom, Clause, Horn, horn_clauses
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

MOST_READS = 14
"""Reads of one array between which equal indices are said to give equal values."""


def scalar_clauses(graph: CutGraph, known: Iterable[Fact]) -> Horn:
    """The clauses over numbers only: relations speak of what pointers point to instead of memory."""
    horn = horn_clauses(graph, known, scalars=True)
    return Horn(horn.relations, tuple(without_arrays(clause) for clause in horn.clauses))


def without_arrays(clause: Clause) -> Clause:
    """The clause over numbers; its atoms have no arguments that are arrays."""
    reads = _Reads()
    for term in reachable(clause.roots()):
        if not isinstance(term.sort, ArraySort):
            reads.rewritten(term)

    def new(value: V) -> V:
        return reads.done[value] if isinstance(value, Term) else value

    def atom(old: Atom) -> Atom:
        return replace(old, values=tuple(new(value) for value in old.values), guard=new(old.guard))

    formula = build.conjunction([new(clause.formula), *reads.congruences()])
    return Clause(None if clause.head is None else atom(clause.head), tuple(atom(a) for a in clause.body), formula)


class _Reads:
    """Rewrites terms, arguments first. `done` has what each became."""

    def __init__(self) -> None:
        self.done: dict[Term, V] = {}
        self._unknown: dict[Term, dict[V, Term]] = {}
        self._read: dict[tuple[Term, V], V] = {}
        self._count = 0

    def rewritten(self, term: Term) -> None:
        """`term` is no array, and everything below it that is none was rewritten before."""
        if term.op is Op.SELECT:
            array, index = term.args
            assert isinstance(array, Term)
            self.done[term] = self._of(array, self._new(index))
            return
        args = [self._new(arg) for arg in term.args]
        changed = any(new is not old for new, old in zip(args, term.args, strict=True))
        self.done[term] = rebuild(term, args) if changed else term

    def _new(self, value: V) -> V:
        """An equality of arrays, which no region has, would keep its arrays."""
        return self.done.get(value, value) if isinstance(value, Term) else value

    def _of(self, array: Term, index: V) -> V:
        """The element of an array at an index that was rewritten."""
        stack = [array]
        while stack:
            here = stack[-1]
            if (here, index) in self._read:
                stack.pop()
                continue
            below = {Op.STORE: here.args[:1], Op.ITE: here.args[1:]}.get(here.op, ())
            waiting = [part for part in below if isinstance(part, Term) and (part, index) not in self._read]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            self._read[here, index] = self._element(here, index)
        return self._read[array, index]

    def _element(self, array: Term, index: V) -> V:
        assert isinstance(array.sort, ArraySort)
        match array.op, array.args:
            case Op.STORE, (Term() as before, at, value):
                here = build.eq(self._new(at), index, array.sort.index)
                return build.ite(here, self._new(value), self._read[before, index], BitVec(array.sort.element))
            case Op.ITE, (condition, Term() as yes, Term() as no):
                both = self._read[yes, index], self._read[no, index]
                return build.ite(self._new(condition), *both, BitVec(array.sort.element))
            case Op.CONSTANT_ARRAY, (value,):
                return self._new(value)
        known = self._unknown.setdefault(array, {})
        if index not in known:
            self._count += 1
            known[index] = build.variable(f"{array.payload}[{self._count}]", BitVec(array.sort.element))
        return known[index]

    def congruences(self) -> list[V]:
        """Equal indices, equal elements."""
        found: list[V] = []
        for array, known in self._unknown.items():
            assert isinstance(array.sort, ArraySort)
            for (i, a), (j, b) in combinations(list(known.items())[:MOST_READS], 2):
                same = build.eq(i, j, array.sort.index)
                found.append(build.implies(same, build.eq(a, b, array.sort.element)))
        return [formula for formula in found if formula != 1]
