"""Runs see accesses that points-to and mod/ref exclude, and nothing in those of right analyses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.evidence import places
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.runs import Contradicted
from counterpoint.execute import accesses
from counterpoint.execute.accesses import WatchedAccesses, moved
from counterpoint.execute.inputs import ReplayInputs, SmallInputs
from counterpoint.execute.outcome import Limits
from counterpoint.execute.visits import Visited, VisitedProgram
from counterpoint.portfolio.proof_runs import run_proof
from counterpoint.program.model import Program
from counterpoint.semantics.layout import global_addresses
from counterpoint.static import mod_ref
from counterpoint.static import points_to as points_to_
from counterpoint.static.points_to import PointsTo, members, points_to

POINTERS = """
struct node { struct node *next; int value; } a, b, *kept = &a;
int count;
static int *choose(struct node *of) { return any() ? &of->value : &count; }
static void put(int *where, int n) { while (n-- > 0) *where += n; }
static void link(struct node *from, struct node *to) { while (any()) from->next = to; }
int main(void) {
    struct node *heap = malloc(sizeof *heap), local = {0, 3};
    heap->next = &local;
    link(&a, heap); link(&local, &b);
    __builtin_memcpy(&b, &a, sizeof b);
    for (struct node *at = kept; at; at = at->next) { put(choose(at), 3); if (any()) break; }
    free(heap);
    check(&a != &b);
}"""


def nothing_claimed(preparation: str) -> InductiveInvariants:
    return InductiveInvariants(preparation, (), ())


def changed(points: PointsTo, what: str) -> Any:
    """Without what is highest in each set (so that most pointers lose an object)."""

    def less(bits: int) -> int:
        numbers = [number for number in members(bits) if number != points_to_.EXTERNAL]
        return bits & ~(1 << numbers[-1]) if numbers else bits

    match what:
        case "registers":
            return replace(points, registers={key: less(bits) for key, bits in points.registers.items()})
        case "contents":
            return replace(points, contents=tuple(map(less, points.contents)))
        case "classes":
            return replace(points, classes=tuple((thing.number,) for thing in points.objects))
        case "written":
            return replace(points, written=0)
        case _:
            return replace(points, ended=0)


@pytest.mark.parametrize("preparation", ["flat", "modular", "none"])
def test_right_analyses_survive(preparation: str) -> None:
    runs = run_proof(subject(POINTERS), nothing_claimed(preparation), Budget(60))
    assert runs.runs > 1 and not runs.note


@pytest.mark.parametrize("what", ["registers", "contents", "classes", "written", "ended"])
def test_what_points_to_loses_is_touched(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "points_to", lambda of: changed(points_to(of), what))
    with pytest.raises(Contradicted, match=r"a run touches .* at .*\.c:\d+.*, which points-to excludes"):
        run_proof(subject(POINTERS), nothing_claimed("none"), Budget(60))


COUNTED = """
int a, b;
int main(void) {
    long at = (long)&a;
    while (at != (long)&b) at += 4;
    *(int *)at = 1;
    check(b == 1);
}"""


@pytest.mark.parametrize(("what", "text"), [("_load", POINTERS), ("_store", POINTERS), ("_call", POINTERS), ("_cast", COUNTED)])
def test_constraints_that_are_lost_are_seen(what: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not excluded(program(text, preparation="none"))
    monkeypatch.setattr(points_to_._Constraints, what, lambda *given: [])
    with pytest.raises(Contradicted, match="points-to excludes"):
        run_proof(subject(text), nothing_claimed("none"), Budget(60))


def test_effects_of_calls_that_are_lost_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = mod_ref._memory
    monkeypatch.setattr(mod_ref, "_memory", lambda points, function, memory, loop: right(points, function, {}, loop))
    text = "int g; void f(int n) { g = n; } void h(int n) { while (n-- > 0) f(n); } int main(void) { h(2); check(!g); }"
    with pytest.raises(Contradicted, match=r"touches g at .*mod/ref excludes"):
        run_proof(subject(text), nothing_claimed("none"), Budget(60))


# ---------------------------------------------------------------- numbers that happen to be addresses


def once(made: Program, watched: WatchedAccesses, inputs: Any) -> Visited:
    return VisitedProgram(made, {}, {}, watched).run(inputs, Limits(steps=50_000), most=0, whole=False)


def excluded(made: Program) -> set[Any]:
    watched = WatchedAccesses(points_to(made))
    seen: set[Any] = set()
    for seed in range(8):
        seen |= touched_twice(made, watched, SmallInputs(seed, 4, (0,)))
    return seen


def touched_twice(made: Program, watched: WatchedAccesses, inputs: Any) -> set[Any]:
    one = once(made, watched, inputs)
    elsewhere = VisitedProgram(moved(made), {}, {}, watched, apart=True)
    again = elsewhere.run(ReplayInputs(one.run.inputs), Limits(steps=50_000), most=0, whole=False)
    return {*one.excluded} & {*again.excluded}


CHANCE = """
int h, g;
int main(void) {{
    int local[4], *heap = malloc(4);
    g = h = 0;
    *heap = 0;
    int *p = (int *){};
    *p = 3;
    check(g + h + *heap < 7);
}}"""


@pytest.mark.parametrize("how", ["(long)any()", "((long)&h + any())", "((long)local + any())"])
def test_a_number_that_is_an_address_by_chance_contradicts_nothing(how: str) -> None:
    made = program(CHANCE.format(how), preparation="none")
    watched = WatchedAccesses(points_to(made))
    at = global_addresses(made)
    hits = [Always(value) for value in (at["g"], at["g"] - at["h"], *range(16, 400, 16))]
    excluded = [inputs for inputs in hits if once(made, watched, inputs).excluded]
    assert excluded and not any(touched_twice(made, watched, inputs) for inputs in excluded)


class Always(SmallInputs):
    """One number for all inputs."""

    def __init__(self, number: int) -> None:
        super().__init__(0, 1, (0,))
        self.number = number

    def scalar(self, site: int, bits: int) -> int:
        return self.number


def test_objects_are_elsewhere() -> None:
    made = program(POINTERS)
    before, after = global_addresses(made), global_addresses(moved(made))
    assert all(after[name] >= address + accesses.AWAY for name, address in before.items())
    assert once(made, WatchedAccesses(points_to(made)), SmallInputs(1, 4, (0,))).run.steps > 10
