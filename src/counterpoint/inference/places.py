"""Tables from states at a place of runs (execute/snapshots.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from counterpoint.execute.snapshots import Snapshot
from counterpoint.inference.columns import WIDEST, Column, Role
from counterpoint.inference.pointees import complete, pointees
from counterpoint.inference.table import Table, from_rows
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.semantics.components import (
    Base,
    Component,
    Elements,
    RegisterValue,
    ResultValue,
    Size,
    SummaryElements,
    SummaryLive,
    SummarySizes,
    variable_of,
)
from counterpoint.semantics.cutpoint import EXIT, CutPoint, components
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.sorts import ArraySort, Float
from counterpoint.term.term import Term, V

COUNTER, OLD_COUNTER = "counter", "old(counter)"

Named: TypeAlias = Mapping[str, Term]
"""The place's variables by their components' names."""


def place_table(
    cut: CutPoint,
    granules: Mapping[str, int],
    snapshots: Sequence[Snapshot],
    groups: Mapping[str, frozenset[str]] | None = None,
) -> Table:
    """The components at the place that had a value in all snapshots, a row per snapshot; no columns without snapshots.

    Beside the components there are what pointers point to (pointees.py). At an exit, results and what has an entry
    value `old(NAME)` there are OUTPUT; at the entry all is INPUT, and `assigned` if it has one. `groups`: what
    components depend on, by their names. Floats are left out, and so is the counter of addresses but for its entry
    value.
    """
    bits = cut.points.program.layout.pointer_bits
    here = components(cut, granules)
    named = {c.name: variable_of(c, bits) for c in here}
    columns = _columns(cut, here, named, snapshots, groups or {})
    rows = [[s.values[column.variable] for column in columns] for s in snapshots]
    for column, values in pointees(columns, rows):
        columns.append(column)
        for row, value in zip(rows, values, strict=True):
            row.append(value)
    return from_rows(columns, rows, None, {})


def complete_snapshots(cut: CutPoint, granules: Mapping[str, int], snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Those in which all is known that pointers lead to and that is known in some."""
    here = components(cut, granules)
    bits = cut.points.program.layout.pointer_bits
    columns = _columns(cut, here, {c.name: variable_of(c, bits) for c in here}, snapshots, {})
    rows = [[s.values[column.variable] for column in columns] for s in snapshots]
    return [snapshots[number] for number in complete(columns, rows)]


def _columns(
    cut: CutPoint,
    here: Sequence[Component],
    named: Named,
    snapshots: Sequence[Snapshot],
    groups: Mapping[str, frozenset[str]],
) -> list[Column]:
    columns: list[Column] = []
    for component in here:
        variable = named[component.name]
        if component.name == COUNTER or not _suitable(variable) or _old_at_entry(cut, component):
            continue
        if all(_kind(variable, s.values.get(variable)) for s in snapshots) and snapshots:
            columns.append(_column(cut, component, named, groups.get(component.name)))
    return columns


def _old_at_entry(cut: CutPoint, component: Component) -> bool:
    """At a function's entry it is what it is the entry value of."""
    return cut.block == 0 and component.name.startswith("old(")


def _suitable(variable: Term) -> bool:
    sort = variable.sort
    if isinstance(sort, ArraySort):
        return max(sort.index, sort.element) <= WIDEST
    return not isinstance(sort, Float) and sort.width <= WIDEST


def _kind(variable: Term, value: object) -> bool:
    return isinstance(value, ArrayValue if isinstance(variable.sort, ArraySort) else int)


def _column(cut: CutPoint, component: Component, named: Named, groups: frozenset[str] | None) -> Column:
    old = named.get(f"old({component.name})")
    return Column(
        named[component.name],
        _role(cut, component, old, named),
        pointer=_is_pointer(component),
        groups=groups,
        old=old if cut.block != 0 else None,
        size=_size(cut, component, named),
        granule=_granule(component),
        assigned=old is not None,
        border=component.name == OLD_COUNTER,
    )


def _role(cut: CutPoint, component: Component, old: Term | None, named: Named) -> Role:
    if cut.block == 0 or component.name.startswith("old(") or isinstance(component, Base):
        return Role.INPUT
    if cut.block != EXIT:
        fixed = isinstance(component, RegisterValue) and component.register in cut.function.parameters
        return Role.INPUT if fixed else Role.PLACE
    if isinstance(component, RegisterValue):
        return Role.INPUT
    if isinstance(component, ResultValue) or old is not None:
        return Role.OUTPUT
    told = any(name.startswith("old(") for name in named)  # of what changes, and this does not
    return Role.INPUT if told else Role.PLACE


def _is_pointer(component: Component) -> bool:
    match component:
        case RegisterValue(_, register):
            return isinstance(register.type, PointerType)
        case ResultValue(_, _, type_):
            return isinstance(type_, PointerType)
        case Base():
            return True
        case _:
            return False


def _size(cut: CutPoint, component: Component, named: Named) -> V | None:
    """Of an object's start in bytes, of an array in elements."""
    match component:
        case Base(thing, label):
            size = _bytes(cut, thing)
            return named.get(Size(thing, label).name) if size is None else size
        case Elements(thing, label, granule):
            size = _bytes(cut, thing)
            if size is None:
                return named.get(Size(thing, label).name) if granule == 1 else None
            return size // granule
        case _:
            return None


def _bytes(cut: CutPoint, thing: int) -> int | None:
    known = cut.points.objects[thing]
    if known.item is not None:
        return known.item.size
    size = known.allocation.size if known.allocation is not None else None
    return size.bits if isinstance(size, m.Constant) else None


def _granule(component: Component) -> int | None:
    match component:
        case SummaryElements(_, granule):
            return granule
        case SummaryLive() | SummarySizes():
            return 1
        case _:
            return None
