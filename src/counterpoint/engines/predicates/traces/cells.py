"""Elements of arrays as components of their own: what a trace needs to know of an array that it reads at fixed indices.

No solver's interpolants speak of the equality of arrays, so a trace's formula cannot name a changed array at a cut.
Where all that comes later reads it at constant indices, those elements can be named instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

MOST_CELLS: Final = 40
"""Elements of one array that are followed; with more, the array is."""


def followed(components: Sequence[Term], formulas: Iterable[V]) -> list[Term]:
    """The components, but of arrays that the formulas only read at constant indices those elements (SELECT terms). What
    hands an array on as it is, a formula that is one, needs all of it."""
    arrays = {component for component in components if isinstance(component.sort, ArraySort)}
    if not arrays:
        return list(components)
    formulas = list(formulas)
    cells: dict[Term, dict[Term, None]] = {array: {} for array in components if array in arrays}
    whole = {formula for formula in formulas if isinstance(formula, Term) and formula in arrays}
    for term in reachable(formulas):
        for position, arg in enumerate(term.args):
            if isinstance(arg, Term) and arg in arrays:
                if term.op is Op.SELECT and position == 0 and isinstance(term.args[1], int):
                    cells[arg][term] = None
                else:
                    whole.add(arg)
    found: list[Term] = []
    for component in components:
        there = cells.get(component, {})
        if component not in arrays or component in whole or not 0 < len(there) <= MOST_CELLS:
            found.append(component)
        else:
            found += there
    return found


def element(array: Term, index: int) -> V:
    """The element at a constant index, over the elements of the arrays that the term is made of: stores at other
    indices and choices are looked through. Linear in these."""
    done: dict[Term, V] = {}
    stack = [array]
    while stack:
        term = stack[-1]
        if term in done:
            stack.pop()
            continue
        below = [arg for arg in _arrays_below(term) if arg not in done]
        if below:
            stack += below
            continue
        done[term] = _element(term, index, done)
        stack.pop()
    return done[array]


def _arrays_below(term: Term) -> list[Term]:
    if term.op is Op.ITE:
        return [arg for arg in term.args[1:] if isinstance(arg, Term)]
    if term.op is Op.STORE and isinstance(term.args[0], Term):
        return [term.args[0]]
    return []


def _element(term: Term, index: int, done: dict[Term, V]) -> V:
    assert isinstance(term.sort, ArraySort)
    if term.op is Op.ITE:
        condition, yes, no = term.args
        assert isinstance(yes, Term) and isinstance(no, Term)
        return build.ite(condition, done[yes], done[no], BitVec(term.sort.element))
    if term.op is Op.STORE:
        below, at, value = term.args
        assert isinstance(below, Term)
        return build.ite(build.eq(at, index, term.sort.index), value, done[below], term.sort.element)
    return build.select(term, index)
