"""One contract of what holds for every caller and what holds for the program's calls."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.contracts.contract import Clause, Contract, LoopContract, Status


def joined(every: Contract, here: Contract | None) -> Contract:
    """Both, what was said of every caller once. Likely clauses go where they were proved for the program's calls."""
    if here is None:
        return every
    known = {clause.text for clause in every.ensures if clause.status is Status.PROVED}
    ensures = [clause for clause in every.ensures if clause.status is Status.PROVED]
    ensures += [clause for clause in here.ensures if clause.text not in known]
    told = {clause.text for clause in ensures}
    ensures += [clause for clause in every.ensures if clause.text not in told]
    requires = (*every.requires, *(one for one in here.requires if one.text not in {r.text for r in every.requires}))
    assigns, status = every.assigns, every.assigns_status
    if assigns is None or (every.missing and here.assigns is not None):
        assigns, status = here.assigns, here.assigns_status
    missing = f"for every caller: {every.missing}" if every.missing else ""
    return replace(
        every,
        requires=requires,
        ensures=tuple(ensures),
        assigns=assigns,
        assigns_status=status,
        loops=_loops(every.loops, here.loops),
        missing=missing,
    )


def _loops(every: tuple[LoopContract, ...], here: tuple[LoopContract, ...]) -> tuple[LoopContract, ...]:
    found = {(loop.file, loop.line): loop for loop in every}
    for loop in here:
        known = found.get((loop.file, loop.line))
        said: tuple[Clause, ...] = known.invariants if known is not None else ()
        texts = {clause.text for clause in said}
        more = tuple(clause for clause in loop.invariants if clause.text not in texts)
        found[loop.file, loop.line] = replace(loop, invariants=(*said, *more))
    return tuple(sorted(found.values(), key=lambda loop: (loop.file, loop.line)))
