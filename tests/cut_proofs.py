"""Checks an inductive invariant of the entry function's loops by region summaries: a test's own prover."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from counterpoint.core.budget import Budget
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.regions.region import assumptions, summarise
from counterpoint.regions.summary import RegionSummary
from counterpoint.semantics import cutpoint as cuts
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.objects import World
from counterpoint.semantics.step import State
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.static.points_to import PointsTo, points_to
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec, Bool
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import addresses, substitute, variables


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
        found += with_granules(partial(_region, points, begin, heads, cut_of, invariants), granules)
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
        head = exit_.target[1]
        number = heads.index(head)
        after = _formula(cut_of[head], exit_.state, invariants.get(number))
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


def chained(program: m.Program, steps: int) -> bool:
    """Whether a check can fail behind at most `steps` iterations.

    All components are equal at each cut point; everything else is renamed for each region.
    """
    points = points_to(program)
    heads = loop_heads(program.main)
    cut_of = {head: cuts.cut_point(points, program.entry, head) for head in heads}
    return with_granules(lambda granules: _chained(points, heads, cut_of, granules, steps))


def _chained(
    points: PointsTo, heads: tuple[int, ...], cut_of: Mapping[int, cuts.CutPoint], granules: dict[str, int], steps: int
) -> bool:
    """Regions of one depth share nothing; arriving at a head at depth k is one of its regions of depth k - 1."""
    query: list[V] = []
    failing: list[V] = []
    arrivals: dict[int, V] = {-1: 1}
    entry: dict[int, dict[Component, V]] = {-1: {}}
    for depth in range(steps + 2):
        following: dict[int, list[tuple[V, dict[Component, V]]]] = {}
        for begin in sorted(arrivals):
            here = begin
            world = World(points.program, granules)
            cut = cuts.cut_point(points, points.program.entry, 0) if here < 0 else cut_of[here]
            state = cuts.first_state(world, cut) if here < 0 else cuts.arbitrary_state(world, cut)
            start = {} if here < 0 else _values(cut, state, granules)
            summary = summarise(cut, world, state, Budget(60))
            exits = [
                (exit_, _values(cut_of[exit_.target[1]], exit_.state, granules)) for exit_ in summary.exits
            ]
            failed = build.disjunction([f.formula for f in summary.failures])
            everything = [failed, *start.values()]
            for exit_, values in exits:
                everything += [exit_.formula, *values.values()]
            facts = assumptions(world, [v for v in everything if isinstance(v, int) or v.sort is not None])
            rename = _Renaming(f"#{depth}.{here}", len(points.program.globals))
            arrived = arrivals[begin]
            for component, value in entry[begin].items():  # solvers do not like equations between arrays
                variable = start.get(component)
                if isinstance(component.sort(64), ArraySort) and isinstance(variable, Term) and variable.op is Op.VARIABLE:
                    rename.arrays[variable] = value
            query += [build.implies(arrived, rename(fact)) for fact in facts]
            for component, value in entry[begin].items():
                if component in start:
                    query.append(build.implies(arrived, _equal(value, rename(start[component]), component)))
            failing.append(build.and_(arrived, rename(failed)))
            for exit_, values in exits:
                taken = build.and_(arrived, rename(exit_.formula))
                renamed = {component: rename(value) for component, value in values.items()}
                following.setdefault(exit_.target[1], []).append((taken, renamed))
        arrivals, entry = {}, {}
        for target, options in following.items():
            arrivals[target] = build.disjunction([taken for taken, _ in options])
            merged = options[0][1]
            for taken, values in options[1:]:
                merged = {c: _choose(taken, v, merged[c], c) for c, v in values.items() if c in merged}
            entry[target] = merged
    query.append(build.disjunction(failing))
    solver = standard_solver()
    try:
        for formula in query:
            solver.add(formula)
        answer = solver.check(seconds=30)
    finally:
        solver.close()
    assert isinstance(answer, Sat | Unsat), answer
    return isinstance(answer, Sat)


def _values(cut: cuts.CutPoint, state: State, granules: dict[str, int]) -> dict[Component, V]:
    return {component: cuts.value_of(component, cut, state) for component in cuts.components(cut, granules)}


def _equal(one: V, two: V, component: Component) -> V:
    sort = component.sort(64)
    if isinstance(sort, Bool):
        return build.iff(one, two)
    if isinstance(sort, BitVec):
        return build.eq(one, two, sort.width)
    assert one is two, "arrays are substituted"
    return 1


def _choose(condition: V, yes: V, no: V, component: Component) -> V:
    return build.ite(condition, yes, no, component.sort(64))


class _Renaming:
    """Variables and addresses of one region, but for those of globals, under names of their own."""

    def __init__(self, suffix: str, shared: int) -> None:
        self.suffix = suffix
        self.shared = shared
        self.arrays: dict[Term, V] = {}

    def __call__(self, value: V) -> V:
        if isinstance(value, int):
            return value
        mapping: dict[Term, V] = {v: build.variable(f"{v.payload}{self.suffix}", v.sort) for v in variables(value)}
        for place in addresses(value):
            if isinstance(place.payload, int) and place.payload >= self.shared:
                mapping[place] = build.variable(f"&{place.payload}{self.suffix}", place.sort)
        mapping.update(self.arrays)
        return substitute(value, mapping)
