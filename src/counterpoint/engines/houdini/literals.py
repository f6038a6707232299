"""Formulas under what is known as a plain truth: the literals among hypotheses are 1 or 0 in all others.

`(live[x] == 1) ? x : block` is x where `live[x] == 1` is known, and what hangs on `block` is gone. A solver that gets
its formulas one after the other does not see that.

Source: none of its own; unit propagation, over terms.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.term.rebuild import rebuild
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, reachable_outside


class Literals:
    """Those of the `known` formulas that are an atom or its negation hold in all that is simplified."""

    def __init__(self, known: Iterable[V]) -> None:
        self._done: dict[Term, V] = {}
        self._atoms: dict[V, Term] = {}
        for formula in known:
            if isinstance(formula, Term):
                atom, value = (formula.args[0], 0) if formula.op is Op.NOT else (formula, 1)
                if isinstance(atom, Term) and atom.op not in (Op.AND, Op.ITE, Op.NOT) and atom not in self._done:
                    self._done[atom] = value
                    self._atoms[formula] = atom

    def simplified(self, formula: V) -> V:
        """Equivalent to the formula where the literals hold; a literal is itself. Each term is looked at once."""
        if isinstance(formula, int) or formula in self._atoms:
            return formula
        for term in reachable_outside((formula,), self._done):
            args = [arg if isinstance(arg, int) else self._done[arg] for arg in term.args]
            changed = any(new is not old for new, old in zip(args, term.args, strict=True))
            self._done[term] = rebuild(term, args) if changed else term
        return self._done[formula]

    def behind(self, formulas: Iterable[V]) -> list[V]:
        """The literals under which these are simplified, those that occur in them."""
        there = frozenset(reachable(formulas))
        return [literal for literal, atom in self._atoms.items() if atom in there]
