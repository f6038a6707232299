"""What is sure about a term where only some of its variables have values, and arrays are known at some indices only.

For states that were noted in part. Independent of the constructors' rewriting, as term/evaluate.py is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

import immutables

from counterpoint.core.records import dataclass
from counterpoint.term import floating
from counterpoint.term.evaluate import ArrayValue, Value, applied
from counterpoint.term.sorts import ArraySort, Float
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import reachable_outside


@dataclass(frozen=True, slots=True)
class Noted:
    """An array of which nothing is known but `entries`."""

    entries: immutables.Map[int, int]


Known: TypeAlias = Value | Noted | None
"""None: not known."""

@dataclass(slots=True)
class PartialEvaluation:
    """Values of terms in one state, each term once. Variables that are not in `given` are not known; of an array that
    is given as an ArrayValue only its entries are. `work` counts the terms evaluated.
    """

    given: Mapping[Term, Value]
    work: int = 0
    _done: dict[Term, Known] = field(default_factory=dict)

    def truth(self, formula: V) -> bool | None:
        """Whether the formula holds; None if that depends on what is not known."""
        value = self.of(formula)
        return None if value is None else bool(value)

    def of(self, value: V) -> Known:
        """The term's value, as far as it is known."""
        if isinstance(value, int):
            return value
        if value not in self._done:
            terms = reachable_outside((value,), self._done)
            self.work += len(terms)
            for term in terms:
                arguments = [arg if isinstance(arg, int) else self._done[arg] for arg in term.args]
                self._done[term] = self._known(term, arguments)
        return self._done[value]

    def _known(self, term: Term, arguments: Sequence[Known]) -> Known:
        match term.op:
            case Op.VARIABLE:
                return self._variable(term)
            case Op.ADDRESS:
                return None
            case Op.AND:
                return 0 if 0 in arguments else None if None in arguments else 1
            case Op.ITE:
                condition, yes, no = arguments
                if condition is None:
                    return yes if yes == no else None
                return yes if condition else no
            case Op.BITS_FROM_FP:
                return _bits(term, arguments[0])
            case Op.OWNED:
                return arguments[0]
        return _of_array(term, arguments)

    def _variable(self, term: Term) -> Known:
        value = self.given.get(term)
        if value is None:
            return None
        if isinstance(term.sort, ArraySort):
            return Noted(value.entries) if isinstance(value, ArrayValue) else None
        if not isinstance(value, int):
            return None
        value &= term.sort.mask
        return floating.canonical(value, term.sort) if isinstance(term.sort, Float) else value


def _bits(term: Term, value: Known) -> Known:
    """A NaN has any bits."""
    (sort,) = argument_sorts(term)
    assert isinstance(sort, Float)
    return value if isinstance(value, int) and not floating.is_nan(value, sort) else None


def _of_array(term: Term, arguments: Sequence[Known]) -> Known:
    """Any other operation, where an array among the arguments may be Noted."""
    match term.op, arguments:
        case Op.SELECT, (Noted(entries), int(index)):
            return entries.get(index)
        case Op.STORE, (Noted(entries), int(index), int(element)):
            return Noted(entries.set(index, element))
        case Op.STORE, (Noted(entries), int(index), None):
            return Noted(entries.delete(index)) if index in entries else Noted(entries)
    plain = [arg for arg in arguments if isinstance(arg, int | ArrayValue)]
    return applied(term, plain) if len(plain) == len(arguments) else None
