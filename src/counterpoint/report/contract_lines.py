"""Contracts as lines for people: function by function, what is known of each clause behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from counterpoint.contracts.contract import Clause, Contract, Status
from counterpoint.contracts.request import Inferred
from counterpoint.report.lines import Line

_WIDTH: Final = 78
"""Columns of a clause, where it fits."""

_STYLES: Final = {Status.PROVED: "good", Status.HERE: "value", Status.LIKELY: "unsure"}


def lines_of(contract: Contract) -> Iterator[Line]:
    """One function."""
    where = f"  {Path(contract.file).name}:{contract.line}" if contract.file else ""
    yield ((contract.function, "title"), (where, "dim"))
    for clause in contract.requires:
        note = clause.why or "assumed of every caller" if clause.status is Status.PROVED else "all calls here"
        yield _line("requires", clause.text, note, "dim")
    for text in contract.assumed:
        yield (("    assumes   ", "dim"), (text, "plain"))
    if contract.assigns is not None:
        places = ", ".join(contract.assigns) or "\\nothing"
        yield _line("assigns", places, contract.assigns_status.value, _STYLES[contract.assigns_status])
    for clause in contract.ensures:
        yield _said("ensures", clause)
    for loop in contract.loops:
        yield ((f"    loop      line {loop.line}", "dim"),)
        for clause in loop.invariants:
            yield _said("  invariant", clause)
    for note in contract.notes:
        yield (("    note      ", "dim"), (note, "plain"))
    if contract.missing:
        yield (("    missing   ", "dim"), (contract.missing, "plain"))
    yield ()


def _said(what: str, clause: Clause) -> Line:
    note = clause.status.value
    if clause.status is Status.LIKELY:
        held = f"held in {clause.runs} call{'s' * (clause.runs != 1)}; " if clause.runs else ""
        note += f" ({held}{clause.why})"
    return _line(what, clause.text, note, _STYLES[clause.status])


def _line(what: str, text: str, note: str, style: str) -> Line:
    return (f"    {what:<9} ", "dim"), (f"{text:<{_WIDTH - 14}}", "plain"), (f"  {note}", style)


def summary_of(found: Inferred) -> Iterator[Line]:
    """The last lines."""
    clauses = [clause for one in found.contracts for clause in one.ensures]
    clauses += [clause for one in found.contracts for loop in one.loops for clause in loop.invariants]
    count = {status: sum(clause.status is status for clause in clauses) for status in Status}
    some = sum(one.says_something for one in found.contracts)
    total = len(found.contracts)
    if found.unused:
        yield ((f"The whole program: {found.unused}", "unsure"),)
    yield (
        (
            f"{total} function{'s' * (total != 1)}, {some} with a proved contract; clauses: {count[Status.PROVED]}"
            f" proved, {count[Status.HERE]} proved here, {count[Status.LIKELY]} likely; {found.seconds:.1f} s",
            "title",
        ),
    )
