"""Predicates that users give as C expressions, at all places that have what they name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, product

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.slam.c2bp import places
from counterpoint.engines.predicates.slam.expressions import Expression, parse
from counterpoint.explain.names import Names
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import Locations
from counterpoint.regions.steps import by_variable
from counterpoint.term.term import Term, V

MOST_READINGS = 4
"""Predicates that one expression makes at a place where its names have several meanings."""

_LABELLED = regex(r"\s*([A-Za-z_]\w*)\s*:\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class UserPredicate:
    """What the user wrote: `NAME: EXPRESSION`, or the expression alone."""

    label: str
    expression: Expression


def user_predicate(text: str) -> UserPredicate:
    """Raises UnusableInput."""
    labelled = _LABELLED.fullmatch(text)
    return UserPredicate(labelled[1], parse(labelled[2])) if labelled else UserPredicate("", parse(text))


def precision_of(
    where: Locations, granules: Mapping[str, int], predicates: Sequence[UserPredicate]
) -> tuple[dict[Place, tuple[V, ...]], dict[V, str]]:
    """The predicates at each place but START, and their labels. In SSA form a name may have several meanings at a
    place: each of them is taken. Raises UnusableInput for a predicate that no place has all names of."""
    precision: dict[Place, tuple[V, ...]] = {}
    labels: dict[V, str] = {}
    known: dict[str, None] = {}
    used: set[UserPredicate] = set()
    for place in places(where):
        if place == START:
            continue
        meanings = _meanings(where, granules, place)
        known |= dict.fromkeys(meanings)
        found: list[V] = []
        for predicate in predicates:
            choices = [meanings.get(name, []) for name in predicate.expression.names]
            for chosen in islice(product(*choices), MOST_READINGS):
                formula = predicate.expression.predicate(dict(zip(predicate.expression.names, chosen, strict=True)))
                found.append(formula)
                labels.setdefault(formula, predicate.label)
                used.add(predicate)
        precision[place] = tuple(dict.fromkeys(found))
    for predicate in predicates:
        if predicate not in used:
            raise UnusableInput(_unused(predicate.expression, list(known)))
    return precision, labels


def _meanings(where: Locations, granules: Mapping[str, int], place: Place) -> dict[str, list[Term]]:
    """The components at the place by the names they are shown with, and by these without a register's number."""
    variables = list(by_variable(where, place, granules))
    names = Names(where.program.functions[place[0]], variables, where.program).names
    found: dict[str, list[Term]] = {}
    for variable in variables:
        shown = names[variable]
        for name in dict.fromkeys([shown, shown.partition("%")[0]]):
            if name:
                found.setdefault(name, []).append(variable)
    return found


def _unused(expression: Expression, known: Sequence[str]) -> str:
    strange = [name for name in expression.names if name not in known]
    if not strange:
        return f"predicate `{expression.text}`: no place has a value for all of its names"
    plain = [name for name in known if name.replace("_", "a").isalnum()]
    return f"predicate `{expression.text}`: nothing is named {strange[0]}; there are {', '.join(plain[:20])}"
