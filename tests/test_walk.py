"""The walk of an acyclic unrolling: going on behind cuts gives what a longer walk gives."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.program.model import Program
from counterpoint.regions.region import assumptions
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import ENTERED, POSTPONED, BackEdge, Called, Ends, EnterAll, Walk, unroll
from counterpoint.semantics.objects import World
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Until(Ends):
    """Follows so many iterations of each loop, and activations of each function; `free`: what constants decide does
    not count."""

    bound: int
    free: bool = False

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return (edge.undecided if self.free else edge.repeated) <= self.bound


@dataclass(frozen=True, slots=True)
class Later:
    """Calls of these functions are cuts."""

    functions: frozenset[str]

    def of(self, callee: str, instance: str) -> Called:
        return POSTPONED if callee in self.functions else ENTERED


LOOPS = {
    "one loop": """
        int main() { int n = any(), s = 0; for (int i = 0; i < n; i++) { s += i; check(s != 10); }
          check(s != 21); return 0; }""",
    "loop in a loop": """
        int main() { int n = any(), m = any(), s = 0;
          for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) s += i + 1; check(s != 6); }
          check(s != 7); return 0; }""",
    "two loops": """
        int main() { int n = any(), s = 0, t = 0; for (int i = 0; i < n; i++) s += 2; check(s != 4);
          for (int i = 0; i < s; i++) t += 3; check(t != 12); return 0; }""",
    "left in the middle": """
        int main() { int n = any(), k = any(), s = 0; for (int i = 0; ; i++) { if (i == k) break;
          if (s > n) goto out; s += i; } check(s != 3); return 0; out: check(s != 6); return 0; }""",
    "array": """
        int a[8]; int main() { int n = any(), k = any(); for (int i = 0; i < n && i < 8; i++) { a[i] = k; k++; }
          check(a[2] != 9); return 0; }""",
    "recursion": """
        int f(int n) { return n <= 0 ? 0 : 2 + f(n - 1); }
        int main() { int n = any(); int s = f(n); check(s != 4); if (n > 1) check(f(n - 1) != 2); return 0; }""",
}  # fmt: skip


def failing(summaries: list[RegionSummary], check: int) -> V:
    return build.disjunction([f.formula for s in summaries for f in s.failures if f.check == check])


def equivalent(world: World, one: V, two: V) -> bool:
    """No run in the world tells one from the other."""
    differ = build.not_(build.iff(one, two))
    if isinstance(differ, int):
        return differ == 0
    solver = standard_solver()
    try:
        for formula in (differ, *assumptions(world, [differ])):
            solver.add(formula)
        return isinstance(solver.check(seconds=60), Unsat)
    finally:
        solver.close()


def assert_same(made: Program, world: World, parts: list[RegionSummary], left: list[V], whole: RegionSummary) -> None:
    """The same runs fail each check, end, and go on; `left` are the cuts that nothing was put behind."""
    assert all(not part.blocks for part in (*parts, whole))
    for check in range(len(made.checks)):
        assert equivalent(world, failing(parts, check), failing([whole], check)), check
    ended = build.disjunction([part.ended for part in parts])
    assert equivalent(world, ended, whole.ended)
    beyond = build.disjunction([cut.formula for cut in whole.cuts])
    assert equivalent(world, build.disjunction(left), beyond)


@pytest.mark.parametrize("name", LOOPS)
def test_unrolling_and_going_on_is_unrolling_deeper(name: str) -> None:
    made = program(LOOPS[name], preparation="modular")
    world = World(made)
    walk = Walk(world, Until(1), EnterAll(), Budget(60))
    first = walk.from_start()
    assert first.cuts
    walk.ends = Until(4)
    more = walk.expand(first.cuts)
    assert more.steps, "there is something behind the cuts"
    whole = unroll(World(made), Until(4), Budget(60))
    assert any(f.formula != 0 for f in more.failures), "the test would show nothing"
    assert {cut.instance for cut in more.cuts} == {cut.instance for cut in whole.cuts}
    assert_same(made, world, [first, more], [cut.formula for cut in more.cuts], whole)


@pytest.mark.parametrize("name", ["one loop", "two loops", "array"])
def test_cuts_are_gone_on_from_one_by_one_and_step_by_step(name: str) -> None:
    """Each round follows one more iteration, and goes on from one cut at a time."""
    made = program(LOOPS[name])
    world = World(made)
    walk = Walk(world, Until(1), EnterAll(), Budget(60))
    parts = [walk.from_start()]
    left = list(parts[0].cuts)
    for bound in (2, 3, 4):
        walk.ends = Until(bound)
        found = [walk.expand([cut]) for cut in left]
        left = [cut for part in found for cut in part.cuts]
        parts += found
    assert_same(made, world, parts, [cut.formula for cut in left], unroll(World(made), Until(4), Budget(60)))


def test_a_cut_stays_as_it_is() -> None:
    made = program(LOOPS["array"])
    walk = Walk(World(made), Until(1), EnterAll(), Budget(60))
    first = walk.from_start()
    walk.ends = Until(3)
    once, again = walk.expand(first.cuts), walk.expand(first.cuts)
    assert once.failures and once.failures == again.failures and once.cuts == again.cuts


CALLS = """
    int seen;
    int twice(int x) { seen++; if (x > 100) reach_error(); return 2 * x; }
    int both(int x) { return x > 3 ? twice(x) : twice(x + 1); }
    int main() { int x = any(); if (x < 0) return 1; int y = both(x); check(y != 8); y += twice(y); check(seen != 2 || y != 36);
      return 0; }"""


@pytest.mark.parametrize("later", [{"twice"}, {"both"}, {"both", "twice"}])
def test_postponed_calls_are_cuts_and_can_be_entered_later(later: set[str]) -> None:
    made = program(CALLS, preparation="modular")
    world = World(made)
    walk = Walk(world, Until(1), Later(frozenset(later)), Budget(60))
    parts = [walk.from_start()]
    called = "both" if "both" in later else "twice"
    assert not parts[0].failures and {cut.pending.frame.function.name for cut in parts[0].cuts} == {called}
    while parts[-1].cuts:
        parts.append(walk.expand(parts[-1].cuts))
    assert len(parts) > 1
    assert_same(made, world, parts, [], unroll(World(made), Until(1), Budget(60)))


def test_going_on_remembers_what_constants_decided() -> None:
    """The loop is known to go on when the call is reached, so that behind the cut there its iterations do not count."""
    text = "int f(int x) { return x + 1; } int main() { int s = any(); for (int i = 0; i < 4; i++) s = f(s); check(s); }"
    made = program(text, preparation="none")
    world = World(made)
    walk = Walk(world, Until(1, free=True), Later(frozenset({"f"})), Budget(60))
    parts = [walk.from_start()]
    while parts[-1].cuts:
        parts.append(walk.expand(parts[-1].cuts))
    assert len(parts) == 5
    assert_same(made, world, parts, [], unroll(World(made), Until(1, free=True), Budget(60)))
