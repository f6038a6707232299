"""Two regions composed at a block are the region that is walked at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.program.graph import contract_functions, loop_heads
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place, Region, Way, cut_graph
from counterpoint.regions.region_copy import compose
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term, V

PROGRAMS = {
    "branches and joins": """
        int main() { int x = any(), y = any(); if (x > 3) y = x + 1; else if (x == y) y = 2 * y; check(y != 7);
          if (y > 10) x = y - x; check(x != 40 || y < 3); return x; }""",
    "loop body": """
        int main() { int n = any(), k = any(), s = 0;
          for (int i = 0; i < n; i++) { if (i == k) s += 2; else s -= i; check(s != 9); if (s > 20) k++; }
          check(s != 17); return 0; }""",
    "two loops": """
        int main() { int n = any(), k = any(), s = 0; for (int i = 0; i < n; i++) { if (s & 1) s += i; else s += 3; }
          if (k > 3) s = 0; check(s != 5); for (int i = 0; i < k; i++) { if (s > 4) s--; check(s != 2); } return 0; }""",
    "globals and an array": """
        int g, a[8]; int main() { unsigned i = any(), j = any();
          for (int k = 0; k < i; k++) { a[k & 7] = j; if (k == 3) { g = a[2]; a[j & 7] = g + 1; } check(g != 5 || a[j & 7] != 9); }
          check(a[i & 7] != 4 || g == 1); return 0; }""",
    "call by contract": """
        int g; void f(int n) { for (int i = 0; i < n; i++) g++; }
        int main() { int x = any(), y = any(); if (x > 2) y = x; check(y != 1); f(y); if (g > x) g = 0; check(g != 3); return 0; }""",
}  # fmt: skip


def regions(made: Program, also: Iterable[Place] = ()) -> dict[Place, Region]:
    return {region.start: region for region in cut_graph(made, Budget(60), also).regions}


def difference(one: V, two: V, value: Term) -> V:
    """The two values of a component differ; arrays: at an arbitrary index."""
    if value.sort is BOOL:
        return build.not_(build.iff(one, two))
    if isinstance(value.sort, BitVec):
        return build.not_(build.eq(one, two, value.sort.width))
    assert isinstance(value.sort, ArraySort) and isinstance(one, Term) and isinstance(two, Term)
    index = build.variable("any index", BitVec(value.sort.index))
    return build.not_(build.eq(build.select(one, index), build.select(two, index), value.sort.element))


def ways_to(region: Region, target: Place) -> list[Way]:
    return [way for way in region.ways if way.target == target]


def claims(whole: Region, composed: Region) -> Iterable[tuple[str, V]]:
    """What no run may fulfil if the two are the same."""
    for check in {failure.check for region in (whole, composed) for failure in region.failures}:
        one, two = (
            build.disjunction([f.formula for f in region.failures if f.check == check]) for region in (whole, composed)
        )
        yield f"check {check}", build.not_(build.iff(one, two))
    for target in dict.fromkeys(way.target for region in (whole, composed) for way in region.ways):
        mine, theirs = ways_to(whole, target), ways_to(composed, target)
        one, two = (build.disjunction([way.formula for way in ways]) for ways in (mine, theirs))
        yield f"to {target}", build.not_(build.iff(one, two))
        for way in mine:
            for other in theirs:
                both = build.and_(way.formula, other.formula)
                for component in way.values.values.keys() & other.values.values.keys():
                    differ = difference(way.values.values[component], other.values.values[component], component)
                    yield f"{component} at {target}", build.and_(both, differ)


def known(solver: Solver, *regions_: Region) -> None:
    for region in regions_:
        for formula in region.assumed:
            solver.add(formula)


def differences(whole: Region, composed: Region) -> list[str]:
    solver = standard_solver()
    try:
        known(solver, whole, composed)
        assert isinstance(solver.check(seconds=30), Sat), "what is assumed is contradictory"
        found = []
        for what, claim in claims(whole, composed):
            with solver.scope():
                solver.add(claim)
                if not isinstance(solver.check(seconds=30), Unsat):
                    found.append(what)
        return found
    finally:
        solver.close()


def middles(made: Program) -> Iterable[Place]:
    """Blocks where regions can be cut in two."""
    for name in (made.entry, *sorted(contract_functions(made))):
        function = made.functions[name]
        yield from ((name, block) for block in range(1, len(function.blocks)) if block not in loop_heads(function))


@pytest.mark.parametrize("preparation", ["flat", "modular"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_two_regions_compose_to_the_region_walked_at_once(name: str, preparation: str) -> None:
    made = program(PROGRAMS[name], preparation=preparation)
    whole = regions(made)
    composed = 0
    for middle in middles(made):
        parts = regions(made, [middle])
        for start, region in parts.items():
            calls = any(not way.leaves for way in parts[middle].ways)  # what these leave behind has names of its own
            if not calls and start != middle and middle in {way.target for way in region.ways}:
                assert differences(whole[start], compose(region, parts[middle], "#2")) == [], (start, middle)
                composed += 1
    assert composed or (name == "branches and joins" and preparation == "modular"), "nothing was cut in two"


def test_a_wrong_second_region_is_noticed() -> None:
    parts = regions(program(PROGRAMS["loop body"]))
    (head,) = (way.target for way in parts[START].ways)
    loop = parts[head]
    twice = compose(loop, loop, "#1")
    assert differences(twice, compose(loop, loop, "#1")) == []
    assert differences(twice, compose(loop, replace(loop, failures=()), "#1"))
    assert differences(twice, compose(loop, replace(loop, ways=loop.ways[1:]), "#1"))
    assert differences(twice, loop)


def test_iterations_compose_one_after_the_other() -> None:
    """Three times around: the sum of the indices is 3, and s is 6 at the head, if n allows that."""
    text = "int main() { int n = any(), s = 0; for (int i = 1; i <= n; i++) { s += i; check(s != 15); } return 0; }"
    made = program(text)
    parts = regions(made)
    (head,) = (place for place in parts if place != START)
    region = parts[START]
    for time in range(5):
        solver = standard_solver()
        known(solver, region)
        solver.add(region.failing)
        assert isinstance(solver.check(seconds=30), Unsat)
        solver.close()
        region = compose(region, parts[head], f"#{time}")
    solver = standard_solver()
    known(solver, region)
    solver.add(region.failing)
    assert isinstance(solver.check(seconds=30), Sat)
    solver.close()
