"""What pointers point to, as columns: elements of arrays over addresses, and what these were at the entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from counterpoint.inference.columns import Column
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue, Value
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term

Derived: TypeAlias = tuple[Column, list[Value]]

MOST = 24
"""Columns that are added."""

NEAR = 3
"""Elements from the one that is pointed to on."""


def pointees(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> list[Derived]:
    """A column for each element that a pointer leads to in all rows, with its values; after those of entry values."""
    places = {column.variable: k for k, column in enumerate(columns)}
    old_arrays = {column.old for column in columns}
    found: list[Derived] = []
    for position, pointer in enumerate(columns):
        if not pointer.pointer or pointer.size is not None:
            continue
        arrays = [a for a in columns if _addressed(a, pointer.width) and a.variable not in old_arrays]
        for array, offset in ((a, offset) for a in arrays for offset in range(NEAR if a.granule != 1 else 1)):
            old = places.get(array.old) if array.old is not None else None
            new = _pointee(rows, pointer, position, array, places[array.variable], offset)
            before = None if old is None else _pointee(rows, pointer, position, columns[old], old, offset)
            if new is not None and before is not None:
                found.append(before)
                new = replace(new[0], old=before[0].variable), new[1]
            if new is not None:
                found.append(new)
    return found[:MOST]


def complete(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> list[int]:
    """Rows in which all is known that pointers lead to and that is known in some."""
    pairs = [
        (k, j, array.granule or 1)
        for k, pointer in enumerate(columns)
        for j, array in enumerate(columns)
        if pointer.pointer and pointer.size is None and _addressed(array, pointer.width)
    ]
    known = {pair: [_leads(row, *pair) for row in rows] for pair in pairs}
    wanted = [there for there in known.values() if any(there)]
    return [number for number in range(len(rows)) if all(there[number] for there in wanted)]


def _leads(row: Sequence[Value], position: int, place: int, granule: int) -> bool:
    address, elements = row[position], row[place]
    return isinstance(address, int) and isinstance(elements, ArrayValue) and address // granule in elements.entries


def _addressed(array: Column, bits: int) -> bool:
    sort, granule = array.variable.sort, array.granule
    return isinstance(sort, ArraySort) and sort.index == bits and granule is not None and granule & (granule - 1) == 0


def _pointee(
    rows: Sequence[Sequence[Value]], pointer: Column, position: int, array: Column, place: int, offset: int
) -> Derived | None:
    """None where it is not known in all rows."""
    granule, bits = array.granule or 1, pointer.width
    values: list[Value] = []
    for row in rows:
        address, elements = row[position], row[place]
        assert isinstance(address, int) and isinstance(elements, ArrayValue)
        value = elements.entries.get(address // granule + offset)
        if value is None:
            return None
        values.append(value)
    index = build.add(build.lshr(pointer.variable, granule.bit_length() - 1, bits), offset, bits)
    term = build.select(array.variable, index)
    assert isinstance(term, Term)
    name = f"{array.variable.payload} at {pointer.variable.payload} + {offset}"
    column = Column(build.variable(name, BitVec(array.width)), array.role, groups=_groups(pointer, array), term=term)
    return (column, values) if values else None


def _groups(pointer: Column, array: Column) -> frozenset[str] | None:
    if pointer.groups is None or array.groups is None:
        return None
    return pointer.groups | array.groups
