"""Which of the two ranges a bit-vector variable is best seen in: as the operations on it read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.clauses import Horn
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

_SIGNED = frozenset({Op.SLT, Op.SDIV, Op.SREM, Op.SEXT, Op.ASHR})
_UNSIGNED = frozenset({Op.ULT, Op.UDIV, Op.UREM, Op.ZEXT, Op.LSHR})
_LINEAR = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.BVNOT})


@dataclass(slots=True)
class Signs:
    """Variables that are copied, added or compared to one another share a range, that of most of their uses."""

    _parent: dict[Term, Term] = field(default_factory=dict)
    _votes: dict[Term, int] = field(default_factory=dict)
    _cones: dict[Term, tuple[Term, ...]] = field(default_factory=dict)

    def signed(self, variable: Term) -> bool:
        """Where uses are even, signed."""
        return self._votes.get(self._root(variable), 0) >= 0

    def learn(self, horn: Horn) -> None:
        """Looks at every term of the clauses."""
        counted: list[tuple[Term, int]] = []
        for clause in horn.clauses:
            for term in reachable(clause.roots()):
                cone = self._cone(term)
                if term.op in _SIGNED or term.op in _UNSIGNED:
                    vote = 1 if term.op in _SIGNED else -1
                    counted += ((v, vote) for arg in term.args for v in self._of(arg))
                elif term.op is Op.EQ:
                    cone = tuple(v for arg in term.args for v in self._of(arg))
                self._join(cone)
            for atom in (*clause.body, *([clause.head] if clause.head else [])):
                for argument, value in zip(atom.arguments, atom.values, strict=True):
                    if isinstance(argument.sort, BitVec):
                        self._join((argument, *self._of(value)))
        for variable, vote in counted:
            root = self._root(variable)
            self._votes[root] = self._votes.get(root, 0) + vote

    def _cone(self, term: Term) -> tuple[Term, ...]:
        """The variables that the term is a sum or choice of; at most a handful. Arguments come first."""
        if not isinstance(term.sort, BitVec):
            return ()
        found: tuple[Term, ...] = ()
        if term.op is Op.VARIABLE:
            found = (term,)
        elif term.op in _LINEAR:
            found = self._of_all(term.args)
        elif term.op is Op.ITE:
            found = self._of_all(term.args[1:])
        self._cones[term] = found
        return found

    def _of_all(self, args: Iterable[V]) -> tuple[Term, ...]:
        return tuple(dict.fromkeys(v for arg in args for v in self._of(arg)))[:8]

    def _of(self, value: V) -> tuple[Term, ...]:
        return self._cones.get(value, ()) if isinstance(value, Term) else ()

    def _join(self, variables: tuple[Term, ...]) -> None:
        for other in variables[1:]:
            one, two = self._root(variables[0]), self._root(other)
            if one is not two and one.sort is two.sort:
                self._parent[two] = one

    def _root(self, variable: Term) -> Term:
        while (parent := self._parent.get(variable)) is not None:
            variable = parent
        return variable
