"""What is not worth reporting by the roles of what it speaks of."""

from __future__ import annotations

from counterpoint.inference.columns import Role
from counterpoint.inference.table import Table
from counterpoint.semantics.facts import is_ghost
from counterpoint.term.term import Term
from counterpoint.term.walk import variables


def relevant(formula: Term, table: Table) -> bool:
    """False at an exit (there are OUTPUTs) for what speaks of INPUTs only, which is the precondition's; at an entry for
    comparisons of nothing but what the function changes; and for what relates columns that depend on nothing in common.
    """
    columns = [table.columns[table.position[v]] for v in variables(formula) if not is_ghost(v)]
    if any(not a.related(b) for k, a in enumerate(columns) for b in columns[:k]):
        return False
    if any(column.role is Role.OUTPUT for column in table.columns):
        return any(column.role is not Role.INPUT for column in columns)
    return len(columns) < 2 or not all(column.assigned for column in columns)
