"""What of a model makes a formula true: the variables that another value could make a difference of.

Source: [Babic and Hu, Structural abstraction of software verification conditions], as [inertial refinement, section II]
describes it (DCR): from the root down, a conjunction that is false needs one of its false parts, a choice its condition
and the branch taken; everything else needs all of its parts.
"""

from __future__ import annotations

from counterpoint.solver.answers import Model
from counterpoint.term.term import Op, Term, V


def cared_about(formula: V, model: Model) -> frozenset[Term]:
    """The variables that justify the formula's value in the model. Linear in the formula.

    Of several false parts of a conjunction one that is needed anyway is taken, else the first.
    """
    needed: set[Term] = set()
    found: set[Term] = set()
    waiting: list[V] = [formula]
    while waiting:
        term = waiting.pop()
        if not isinstance(term, Term) or term in needed:
            continue
        needed.add(term)
        match term.op:
            case Op.VARIABLE:
                found.add(term)
            case Op.AND if model.value(term) == 0:
                waiting.append(_false_part(term, model, needed))
            case Op.ITE:
                waiting += [term.args[0], term.args[1] if model.value(term.args[0]) == 1 else term.args[2]]
            case _:
                waiting.extend(term.args)
    return frozenset(found)


def _false_part(term: Term, model: Model, needed: set[Term]) -> V:
    false = [part for part in term.args if model.value(part) == 0]
    return next((part for part in false if part in needed), false[0])
