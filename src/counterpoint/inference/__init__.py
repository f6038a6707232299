"""Likely invariants from tables of samples (dynamic inference); numpy is loaded when something is learned.

`infer` is the whole of it. Tables are made by `table_of` from rows of Python's numbers, by `place_table` from states at
a place of runs, or from vectors (`inference.table.Table`). A formula that is reported was true of every row, and is but
a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from counterpoint.core.budget import Budget
from counterpoint.inference.columns import Column, Likely, Options, Role
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.term import Term, V

if TYPE_CHECKING:
    from counterpoint.execute.snapshots import Snapshot
    from counterpoint.inference.table import Table
    from counterpoint.semantics.cutpoint import CutPoint

__all__ = ["Column", "Likely", "Options", "Role", "infer", "place_table", "place_tables", "table_of"]


def infer(table: Table, options: Options | None = None, budget: Budget | None = None) -> list[Likely]:
    """What held on all rows: unconditional first, then by strength of template and confidence; the same for any order
    of the rows. Once the budget is used up, what was found until then."""
    from counterpoint.inference import learner

    return learner.infer(table, options or Options(), budget or Budget(3600.0))


def table_of(
    columns: Sequence[Column],
    rows: Sequence[Sequence[int | Mapping[int, int] | ArrayValue]],
    sites: Sequence[int] | None = None,
    conditions: Mapping[int, Term] | None = None,
) -> Table:
    """The table of rows with a number per column (signed or not; 0 or 1 of Bools), and the known elements of arrays.

    `sites`: a label per row, 0 or more; `conditions`: the formulas that hold just on rows of a label, where known.
    """
    from counterpoint.inference import table

    return table.from_rows(columns, rows, sites, conditions or {})


def place_table(
    cut: CutPoint,
    granules: Mapping[str, int],
    snapshots: Sequence[Snapshot],
    groups: Mapping[str, frozenset[str]] | None = None,
) -> Table:
    """States at a place as a table, a row per snapshot; see inference/places.py. `granules` are the cut graph's."""
    from counterpoint.inference import places

    return places.place_table(cut, granules, snapshots, groups)


def place_tables(
    cut: CutPoint, granules: Mapping[str, int], snapshots: Sequence[Snapshot]
) -> Iterator[tuple[V, Table]]:
    """The same under 1, and for each way in which pointers point, under its condition; see inference/aliasing.py."""
    from counterpoint.inference import aliasing

    return aliasing.place_tables(cut, granules, snapshots)
