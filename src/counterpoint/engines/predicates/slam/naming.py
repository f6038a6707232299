"""Names of Boolean variables: predicates of one function that read alike share a variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.engines.predicates.slam.program import Tracked, Variable
from counterpoint.explain.names import Names
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import Locations
from counterpoint.term.term import V


def named_variables(
    where: Locations, predicates: Mapping[Place, Sequence[V]], labels: Mapping[V, str]
) -> tuple[dict[str, tuple[Variable, ...]], dict[Place, tuple[Tracked, ...]]]:
    """The variables of each procedure, and which of them stand for the predicates at each place.

    They are b1, b2, .. in the order in which they are met, unless `labels` has a name; a name that is taken, with
    another text, gets a number.
    """
    procedures: dict[str, list[Variable]] = {where.program.entry: []}
    tracked: dict[Place, tuple[Tracked, ...]] = {}
    for place, formulas in predicates.items():
        function = where.program.entry if place == START else place[0]
        variables = procedures.setdefault(function, [])
        names = Names(where.program.functions[function], list(formulas))
        used: list[int] = []
        for formula in formulas:
            used.append(_variable(variables, names.text(formula), labels.get(formula, ""), used))
        tracked[place] = tuple(Tracked(number, formula) for number, formula in zip(used, formulas, strict=True))
    return {name: tuple(variables) for name, variables in procedures.items()}, tracked


def _variable(variables: list[Variable], text: str, label: str, used: Sequence[int]) -> int:
    """The number of a variable with this text that is not in use at the place; a new one if there is none."""
    for number, variable in enumerate(variables):
        if variable.text == text and number not in used:
            return number
    taken = {variable.name for variable in variables}
    name, count = label or f"b{len(variables) + 1}", 1
    while name in taken:
        count += 1
        name = f"{label or 'b'}{'_' if label else ''}{count}"
    variables.append(Variable(name, text))
    return len(variables) - 1
