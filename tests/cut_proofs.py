"""Checks an inductive invariant of the entry function's loops by region summaries: a test's own prover."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from counterpoint.core.budget import Budget
from counterpoint.paths.region import RegionSummary, assumptions, summarise
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.program.points_to import PointsTo, points_to
from counterpoint.semantics import cutpoint as cuts
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.objects import GranuleConflict, World
from counterpoint.semantics.step import State
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.term import Term, V


@dataclass
class Names:
    """Components of a cut point by a part of their names; `of("i")` finds a register by its source name."""

    cut: cuts.CutPoint

    def of(self, name: str) -> Term:
        found = self._found(name)
        return variable_of(found, self.cut.points.program.layout.pointer_bits)

    def _found(self, name: str) -> Component:
        for component in cuts.components(self.cut):
            register = getattr(component, "register", None)
            if component.name == name or (register is not None and register.name.split(".")[0] == name):
                return component
        raise KeyError(f"{name}: {[(c.name, str(getattr(c, 'register', ''))) for c in cuts.components(self.cut)]}")


Invariants = Mapping[int, Callable[[Names], V]]


def problems(program: m.Program, invariants: Invariants) -> list[str]:
    """What the loops' invariants (by the number of the loop head in rising order) do not show."""
    points = points_to(program)
    heads = loop_heads(program.main)
    name = program.entry
    cut_of = {head: cuts.cut_point(points, name, head) for head in heads}
    cut_of[cuts.EXIT] = cuts.cut_point(points, name, cuts.EXIT)
    granules: dict[str, int] = {}
    found: list[str] = []
    for begin in (-1, *range(len(heads))):
        while True:
            try:
                found += _region(points, begin, heads, cut_of, invariants, granules)
                break
            except GranuleConflict:
                continue
    return found


def _region(
    points: PointsTo,
    begin: int,
    heads: tuple[int, ...],
    cut_of: Mapping[int, cuts.CutPoint],
    invariants: Invariants,
    granules: dict[str, int],
) -> list[str]:
    program = points.program
    world = World(program, granules)
    if begin < 0:
        cut = cuts.cut_point(points, program.entry, 0)
        state = cuts.first_state(world, cut)
        before: V = 1
    else:
        cut = cut_of[heads[begin]]
        state = cuts.arbitrary_state(world, cut)
        before = _formula(cut, state, invariants.get(begin))
    summary: RegionSummary = summarise(cut, world, state, Budget(60))
    label = "start" if begin < 0 else f"loop {begin}"
    claims: list[tuple[str, V]] = [(f"{label}: check fails", f.formula) for f in summary.failures]
    claims += [(f"{label}: {b.reason}", b.formula) for b in summary.blocks]
    for exit_ in summary.exits:
        if exit_.target == cuts.EXIT:
            continue
        number = heads.index(exit_.target)
        after = _formula(cut_of[exit_.target], exit_.state, invariants.get(number))
        claims.append((f"{label} -> loop {number}", build.and_(exit_.formula, build.not_(after))))
    return [what for what, claim in claims if not _impossible(world, before, claim)]


def _formula(cut: cuts.CutPoint, state: State, invariant: Callable[[Names], V] | None) -> V:
    return 1 if invariant is None else cuts.instantiate(invariant(Names(cut)), cut, state)


def _impossible(world: World, before: V, claim: V) -> bool:
    if claim == 0:
        return True
    query = [before, claim]
    solver = standard_solver()
    try:
        for formula in [*query, *assumptions(world, query)]:
            solver.add(formula)
        answer = solver.check(seconds=20)
    finally:
        solver.close()
    assert isinstance(answer, Sat | Unsat), answer
    return isinstance(answer, Unsat)
