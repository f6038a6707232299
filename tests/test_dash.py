"""DASH: the thesis's examples, and the parts that the engine is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.engines.dash import Options, Search
from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.refinement import Refinement
from counterpoint.engines.dash.region_graph import Region, RegionForest, first_abstraction
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.logic.path_queries import PathQueries, Queries
from counterpoint.program.graph import loop_heads
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import BASIC, ERROR, LARGE, Granularity, following, locations
from counterpoint.regions.tests import End, Test
from counterpoint.regions.tree import ExecutionTree
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.term import build as b
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

pytestmark = pytest.mark.fills_memory

PAPER = Path(__file__).parent / "papers"


def search_of(text: str, preparation: str = "flat", **options: object) -> Search:
    """The engine's state before its first step."""
    return Search(program(text, preparation=preparation), preparation, Options(**options), Tools(Budget(90.0)), {})


# ---------------------------------------------------------------- the thesis's examples


@dataclass
class Ran:
    """A run of the engine on the inlined program with regions at basic blocks."""

    verdict: Verdict
    search: Search

    @property
    def counts(self) -> dict[str, int | float]:
        return self.search.statistics()


def ran(file: Path, **options: object) -> Ran:
    task = compile_subject(SourceTask(files=(file,)))
    made = task.program("inlined")
    search = Search(made, "inlined", Options(block=BASIC, **options), Tools(Budget(90.0)), {})
    verdict = search.run()
    if isinstance(verdict, Safe):
        check_proof(made, verdict.certificate, Budget(90.0))
    return Ran(verdict, search)


def test_figure_3_6() -> None:
    """The last abstraction: the block of `x == 0` is split where x was 20, and the start does not lead there."""
    found = ran(PAPER / "dash_figure_3_4.c")
    assert isinstance(found.verdict, Safe) and isinstance(found.verdict.certificate, RegionGraph)
    forest = found.search.forest
    assert found.counts["tests"] <= 2 and found.counts["solver_calls"] <= 6
    lines = {
        block.index: block.instructions[0].at.line if block.instructions else block.terminator.at.line
        for block in found.search.program.main.blocks
    }
    split = [root for root in forest.roots.values() if not root.is_leaf]
    (region,) = split
    assert lines[region.place[1]] in (8, 9)
    assert region.holds is not None and region.fails is not None
    (x,) = variables(region.holds.literal)
    for value in (0, 1, 20, 21, 2**32 - 1):
        assert evaluate(region.holds.literal, {str(x.payload): value}) == (value == 20)
    assert region.fails.visits and not region.holds.visits
    assert region.fails in forest.start.after and region.holds not in forest.start.after
    assert forest.error not in forest.reachable([forest.start])
    assert forest.error in forest.reachable([region.holds])


def test_figure_4_2() -> None:
    found = ran(PAPER / "dash_figure_4_2.c")
    assert isinstance(found.verdict, Unsafe)
    (value,) = [given.value for given in found.verdict.violation.inputs if hasattr(given, "value")]
    assert value != 0 and value == ((value & 255) ^ 128) - 128 & (2**32 - 1)


def test_table_5_3() -> None:
    """With the check of target regions the diamonds cost nothing; the thesis needs 6 calls, and 128 without it."""
    assert ran(PAPER / "dash_figure_5_2.c").counts["solver_calls"] <= 6
    assert isinstance(ran(PAPER / "dash_figure_5_2.c", targets=False).verdict, Safe)


# ---------------------------------------------------------------- places

CALLS = """
int up(int n) { int s = 0; while (n-- > 0) s++; return s; }
int twice(int n) { return 2 * n; }
int main(void) { int x = twice(any()); if (x > 4) x = up(x); while (any()) x++; check(x); return x; }
"""


@pytest.mark.parametrize("granularity", [BASIC, LARGE])
def test_places(granularity: Granularity) -> None:
    made = program(CALLS, preparation="none")
    where = locations(made, granularity)
    heads = {name: set(loop_heads(made.functions[name])) for name in where.blocks}
    assert all(where.blocks[name] >= found for name, found in heads.items())
    assert "twice" not in where.blocks
    for name in where.contracts:
        assert {0, EXIT} <= where.blocks[name]
    if granularity == LARGE:
        extra = {name: set(where.blocks[name]) - heads[name] for name in where.blocks}
        assert all(blocks <= {0, EXIT} for blocks in extra.values())
    else:
        assert all(len(where.blocks[name]) >= 3 for name in where.contracts)
    assert where.name(START) == "start" and where.name(ERROR) == "error" and where.name(("up", EXIT)) == "up:exit"


def test_what_follows() -> None:
    where = locations(program(CALLS, preparation="none"), BASIC)
    assert following(where, ("up", EXIT)) == following(where, ("main", EXIT))
    entered: set[str] = set()
    waiting, seen = [START], {START}
    while waiting:
        after = following(where, waiting.pop())
        entered.update(after.calls)
        for place in (*after.places, *((callee, 0) for callee in after.calls)):
            assert where.is_place(*place)
            if place not in seen:
                seen.add(place)
                waiting.append(place)
    assert entered == where.contracts and ("up", EXIT) in seen
    assert any(following(where, place).checks for place in seen)


# ---------------------------------------------------------------- tests, the tree, assignments

MIXED = """
struct item { long key; struct item *next; };
int main(void) {
    struct item a = {any(), 0}, c = {any(), &a}, *p = any() ? &a : &c;
    unsigned char cells[8] = {0};
    unsigned i = any();
    int sum = 0;
    if (i < 8) cells[i] = (unsigned char)a.key;
    while (p) { if (p->key > 3) sum++; else p->key = 7; p = p->next; }
    for (int k = 0; k < 3; k++) if (cells[k] == 5) sum += 2;
    check(sum < 6 || c.key != 9);
}
"""
"""A bit of everything, with a check that a few runs fail."""


def started(text: str, seed: int, block: Granularity = BASIC) -> tuple[Search, Test]:
    """A first test, with the abstraction of the control flow."""
    search = search_of(text, block=block, depth=60)
    search.explored.forest = first_abstraction(search.where)
    return search, search.explored.run(Assignment(search.explored.tree.world, seed, {}, (3, 5, 9)))


@given(st.integers(0, 10_000), st.sampled_from([BASIC, LARGE]))
@settings(max_examples=15, deadline=None)
def test_tests_are_runs(seed: int, block: Granularity) -> None:
    search, test = started(MIXED, seed, block)
    for node in test.nodes:
        assert all(test.assignment.value(condition) for condition in node.conditions())
        assert all(test.assignment.value(axiom) for axiom in search.explored.tree.axioms(node))
    outcome = run(search.program, ReplayInputs(test.inputs(search.explored.tree))).outcome
    assert isinstance(outcome, Violated) == (test.end is End.VIOLATED)
    assert test.end in (End.VIOLATED, End.FINISHED)


def test_equal_paths_share_nodes() -> None:
    search, first = started(MIXED, 1)
    again = search.explored.run(Assignment(search.explored.tree.world, 1, {}, (3, 5, 9)))
    assert again.nodes == first.nodes and again.number == 2
    nodes = {id(node) for node in first.nodes}
    others = [search.explored.run(Assignment(search.explored.tree.world, seed, {}, ())) for seed in range(2, 8)]
    assert all(id(test.nodes[0]) in nodes for test in others)
    assert any(id(test.nodes[-1]) not in nodes for test in others)
    assert [node.depth for node in first.nodes] == list(range(len(first.nodes)))
    assert first.nodes[-1].path() == list(first.nodes)


def test_a_test_stops_at_its_depth() -> None:
    search = search_of("int main(void) { while (1) any(); }", depth=7)
    test = search.explored.run(Assignment(search.explored.tree.world, 1))
    assert test.end is End.STOPPED and len(test.nodes) == 8


def test_assignments() -> None:
    tree = ExecutionTree(locations(program(MIXED), BASIC), {}, Budget(90.0))
    names = [b.variable(f"v!{number}", BitVec(32)) for number in range(6)]
    one, two, other = (Assignment(tree.world, seed) for seed in (1, 1, 2))
    drawn = [one.value(name) for name in names]
    assert drawn == [two.value(name) for name in names] != [other.value(name) for name in names]
    changed = one.changed({names[0]: 77}, 5)
    assert [changed.value(name) for name in names] == [77, *drawn[1:]]
    assert one.value(names[0]) == drawn[0]
    assert one.any_value(b.variable("v!array", ArraySort(32, 8))) is not None
    assert one.value(b.variable("pointer", BitVec(64))) == 0


# ---------------------------------------------------------------- regions

FACES = [b.variable(f"face{number}", BitVec(4)) for number in range(3)]
PLACES: tuple[Place, ...] = (START, ("f", 1), ("f", 2), ("g", 0), ERROR)
FIRST_EDGES = [(0, 1), (1, 1), (1, 2), (2, 1), (2, 3), (3, 4), (3, 3), (1, 4)]

PREDICATES = st.builds(lambda face, value: b.ult(face, value, 4), st.sampled_from(FACES), st.integers(1, 14))
STATES = st.fixed_dictionaries({str(face.payload): st.integers(0, 15) for face in FACES})


@dataclass
class Model:
    """A forest, and beside it the edges as a set of pairs."""

    forest: RegionForest[int] = field(default_factory=RegionForest)
    edges: set[tuple[Region[int], Region[int]]] = field(default_factory=set)

    def __post_init__(self) -> None:
        roots = [self.forest.add_place(place) for place in PLACES]
        for source, target in FIRST_EDGES:
            self.forest.connect(roots[source], roots[target])
            self.edges.add((roots[source], roots[target]))

    def leaves(self) -> list[Region[int]]:
        return [leaf for place in PLACES for leaf in self.forest.leaves(place)]

    def split(self, region: Region[int], predicate: V) -> None:
        children = self.forest.split(region, predicate)

        def now(end: Region[int]) -> tuple[Region[int], ...]:
            return children if end is region else (end,)

        self.edges = {(a, c) for source, target in self.edges for a in now(source) for c in now(target)}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_splits(data: st.DataObject) -> None:
    """Whatever is split or disconnected: leaves are a partition, edges are inherited, and both ends know them."""
    model = Model()
    for _ in range(data.draw(st.integers(1, 8))):
        leaf = data.draw(st.sampled_from(model.leaves()))
        if data.draw(st.booleans()) and leaf.after:
            target = data.draw(st.sampled_from(list(leaf.after)))
            gone = model.forest.disconnect_all((leaf.place, leaf.literals()), (target.place, target.literals()))
            expected = {(a, c) for a, c in model.edges if inside(a, leaf) and inside(c, target)}
            assert gone == len(expected) >= 1
            model.edges -= expected
        elif leaf.place not in (START, ERROR):
            model.split(leaf, data.draw(PREDICATES))
    leaves = model.leaves()
    assert {(a, c) for a in leaves for c in a.after} == model.edges == {(a, c) for c in leaves for a in c.before}
    state = data.draw(STATES)
    for place in PLACES:
        found = model.forest.leaf(place, lambda predicate: bool(evaluate(predicate, state)))
        fulfilled = [leaf for leaf in model.forest.leaves(place) if evaluate(leaf.formula, state)]
        assert fulfilled == [found]
    assert model.forest.leaf(("nowhere", 1), lambda _: True) is None
    frontiers_are_right(model, data)


def inside(leaf: Region[int], region: Region[int]) -> bool:
    """The leaf has at least the region's literals, at its place."""
    return leaf.place == region.place and leaf.fulfils(region.literals())


def frontiers_are_right(model: Model, data: st.DataObject) -> None:
    """They come in the order of their distance, and no region behind them is visited."""
    for leaf in model.leaves():
        if leaf.place != ERROR and data.draw(st.booleans()):
            leaf.visits.append(1)
    found = list(model.forest.frontiers())
    assert [f.distance for f in found] == sorted(f.distance for f in found)
    for frontier in found:
        assert frontier.source.visits and not frontier.target.visits and frontier.target in frontier.source.after
        assert model.forest.error in model.forest.reachable([frontier.target])
    if model.forest.start.visits and model.forest.error in model.forest.reachable([model.forest.start]):
        assert found


# ---------------------------------------------------------------- questions


def some_value(search: Search, visit: Visit, choice: int) -> tuple[Term, int] | None:
    """A bit-vector component at the visit's place that has a value there."""
    known = search.questions.preimages.encoded.step(visit.node.place).begin if visit.node.place != START else {}
    scalars = [v for v in known if isinstance(v.sort, BitVec) and search.explored.tree.value(visit.node, v) is not None]
    if not scalars:
        return None
    component = scalars[choice % len(scalars)]
    return component, search.explored.value(visit, component)


@given(st.integers(0, 500), st.integers(1, 40), st.integers(0, 40), st.integers(0, 9), st.sampled_from([BASIC, LARGE]))
@settings(max_examples=25, deadline=None)
def test_slices_say_what_the_whole_path_says(
    seed: int, position: int, choice: int, value: int, block: Granularity
) -> None:
    search, test = started(MIXED, seed, block)
    node = test.nodes[position % len(test.nodes)]
    visit = Visit(test, node)
    picked = some_value(search, visit, choice)
    if picked is None:
        return
    component, now = picked
    wanted = search.explored.at(node, b.eq(component, value, component.sort.width))
    tree = search.explored.tree
    queries = Queries()
    answer = PathQueries(tree, queries).along(node, [wanted], 10.0, "sliced")
    formulas = [wanted, *node.conditions(), *tree.axioms(node)]
    formulas += address_axioms(tree.world, {i for formula in formulas for i in mentioned_objects(formula)})
    whole = Queries().check(formulas, [], 10.0, "whole")
    assert type(answer) is type(whole)
    assert now != value or isinstance(answer, Sat)
    queries.close()


@given(st.integers(0, 500), st.integers(0, 40), st.sampled_from([BASIC, LARGE]))
@settings(max_examples=25, deadline=None)
def test_concrete_steps_start_in_preimages(seed: int, choice: int, block: Granularity) -> None:
    """A step of a run into a state with some literals starts in the preimage of that state."""
    search, test = started(MIXED, seed, block)
    for source, target in zip(test.nodes, test.nodes[1:], strict=False):
        picked = some_value(search, Visit(test, target), choice)
        literals: list[V] = []
        if picked is not None:
            component, now = picked
            literals = [b.eq(component, now, component.sort.width), b.ule(component, now, component.sort.width)]
        preimage = search.questions.preimages.of(source.place, target.place, literals)
        assert source.place == START or search.explored.holds(Visit(test, source), preimage.formula)
        strangers = [
            v for v in variables(preimage.formula) if v not in search.questions.preimages.encoded.step(source.place).begin
        ]
        assert not strangers
    if test.end is End.VIOLATED:
        last = test.nodes[-1]
        preimage = search.questions.preimages.of(last.place, ERROR, [])
        assert last.place == START or search.explored.holds(Visit(test, last), preimage.formula)


TOGGLED = """
int main(void) {
    int cell = any() & 3, *p = &cell, other = 0, locked = 0;
    if (any()) p = &other;
    while (any()) {
        if (locked) { check(*p == 9); locked = 0; } else { *p = 9; locked = 1; }
    }
}
"""


@pytest.mark.parametrize("block", [BASIC, LARGE])
@pytest.mark.parametrize("refine", ["wp", pytest.param("interpolant", marks=pytest.mark.long)])
def test_predicates_are_suitable(block: Granularity, refine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Definition 1 of the thesis, on what tests know: the visit is in the half without an edge, and every step that
    some test takes into the target starts in the other half."""
    search = search_of(TOGGLED, block=block, refine=refine, facts=False)
    search.tools = Tools(Budget(90.0), seed=0)
    explored, found, splits = search.explored, Refinement.predicate, []

    def steps(source: Place, target: Place) -> list[tuple[Visit, Visit]]:
        pairs = [(test, *ends) for test in explored.tests for ends in zip(test.nodes, test.nodes[1:], strict=False)]
        return [(Visit(t, a), Visit(t, c)) for t, a, c in pairs if (a.place, c.place) == (source, target)]

    def checked(self: Refinement, visit: Visit, target: Place, literals: list[V]) -> V | None:
        predicate = found(self, visit, target, literals)
        if predicate is not None:
            splits.append(predicate)
            assert not explored.holds(visit, predicate)
            for one, two in steps(visit.node.place, target):
                if all(explored.holds(two, literal) for literal in literals):
                    assert explored.holds(one, predicate)
        return predicate

    monkeypatch.setattr(Refinement, "predicate", checked)
    verdict = search.run()
    assert splits and not isinstance(verdict, Unsafe)
    if isinstance(verdict, Safe):
        check_proof(search.program, verdict.certificate, Budget(90.0))


def test_visits_follow_splits() -> None:
    search, test = started(MIXED, 3)
    node = test.nodes[4]
    visit = Visit(test, node)
    region = search.explored.region(visit)
    assert region is not None and any(known.node is node for known in region.visits)
    picked = some_value(search, visit, 0)
    assert picked is not None
    component, now = picked
    holds, fails = search.explored.split(region, b.eq(component, now, component.sort.width))
    assert any(known.node is node for known in holds.visits)
    assert len(holds.visits) + len(fails.visits) == len(region.visits)
    assert search.explored.region(visit) is holds


def test_questions_are_remembered() -> None:
    queries = Queries()
    x = b.variable("x", BitVec(8))
    parts = [b.ult(x, 3, 8), b.ult(5, x, 8)]
    first = queries.check([parts[0]], [parts[1], b.eq(x, x, 8)], 5.0, "test")
    assert isinstance(first, Unsat) and set(first.core) <= {parts[1]}
    assert queries.check([parts[0]], [parts[1], b.eq(x, x, 8)], 5.0, "test") == first
    assert (queries.asked, queries.hits) == (1, 1)
    queries.close()


def test_the_task_and_its_options() -> None:
    """The same seed gives the same search."""
    counts = []
    for _ in range(2):
        search = search_of(CALLS, "none", block=BASIC)
        search.run()
        counts.append({name: value for name, value in search.statistics().items() if "seconds" not in name})
    assert counts[0] == counts[1]


def test_native_code_of_inlined_programs() -> None:
    """Violations behind long loops are replayed natively."""
    task = subject(CALLS)
    for preparation in ("inlined", "called"):
        assert task.program(preparation).main.blocks
        assert task.native(preparation, lean=True).replay((), seconds=5.0) is not None
