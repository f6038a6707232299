"""The growth of a region graph: what is kept of it, what the page holds, what there is at each step.

The example is the thesis's: the program of figure 3.4, the abstraction of figure 3.5, the stages of figure 3.6.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fresh
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import (
    ERROR,
    START,
    EdgeMade,
    EdgeRemoved,
    FrontierTried,
    GraphBegun,
    RegionEvent,
    RegionMade,
    RegionSplit,
    TestWalked,
)
from counterpoint.engines.dash.region_events import MOST_STEPS, RegionEvents
from counterpoint.engines.dash.region_graph import RegionForest
from counterpoint.portfolio.engine_process import Answer, Assignment, engine_work
from counterpoint.portfolio.recording import STEPS, TEXT, WALK, Recorder, Recording, shortened
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.source_types import SourceNames
from counterpoint.regions import cut_graph, locations
from counterpoint.regions.tests import End
from counterpoint.report.graph_layout import layered
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json
from counterpoint.report.region_pictures import MOST_EDGES, picture_of
from counterpoint.term import build
from counterpoint.term.sorts import BOOL

LINES = (2, 3, 4, 5, 8)
FIGURE_3_5: list[RegionEvent] = [
    *(RegionMade(line, f"main:{index}", line) for index, line in enumerate(LINES)),
    *(EdgeMade(*edge) for edge in ((START, 2), (2, 3), (3, 4), (3, 8), (4, 5), (5, ERROR), (5, 8))),
]
FIGURE_3_6: list[RegionEvent] = [
    TestWalked(1, (2, 3, 8), "15", "ends"),
    FrontierTried(3, 4, "sat", (2, 3, 4, 5, ERROR), 1),  # (a), (b)
    TestWalked(2, (2, 3, 4, 5, 8), "38", "ends"),
    FrontierTried(5, ERROR, "unsat", (2, 3, 4, 5, ERROR), 2),  # (c)
    RegionSplit(5, "x == 0", 9, 10),
    EdgeRemoved(10, ERROR),
    FrontierTried(4, 9, "unsat", (2, 3, 4, 9, ERROR), 2),  # (d)
    RegionSplit(4, "x - 20 == 0", 11, 12),
    EdgeRemoved(12, 9),
    FrontierTried(3, 11, "unsat", (2, 3, 11, 9, ERROR), 1),  # (e)
    RegionSplit(3, "x > 20 && x - 20 == 0 && x < 21", 13, 14),
    EdgeRemoved(14, 11),
    FrontierTried(2, 13, "unsat", (2, 13, 11, 9, ERROR), 1),  # (f)
    RegionSplit(2, "</script><b>p4</b>", 15, 16),
    EdgeRemoved(16, 13),
    EdgeRemoved(START, 15, "target unsatisfiable"),
]
EXAMPLE = [*FIGURE_3_5, *FIGURE_3_6]
RESULT = CheckResult(Outcome.TRUE, "unreach-call", ("a.c",), "ILP32", "main", engine="dash")


def recorded(events: list[RegionEvent]) -> Recording:
    recorder = Recorder("dash")
    for event in events:
        recorder.add(event)
    recording = recorder.recording()
    assert recording is not None
    return recording


def page_of(events: list[RegionEvent]) -> str:
    return as_html(replace(RESULT, recordings=(recorded(events),)))


def embedded(page: str) -> Any:
    found = re.findall(r"<script type='application/json'>(.*?)</script>", page, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def at(data: Any, step: int) -> tuple[set[int], set[tuple[int, int]], set[int]]:
    """Regions, edges and boxed regions at a step, as the page's script finds them."""

    def there(born: int, died: int | None) -> bool:
        return born <= step and (died is None or step < died)

    regions = {region["number"] for region in data["regions"] if there(region["born"], region["died"])}
    edges = {(source, target) for source, target, *time in data["edges"] if there(*time)}
    return regions, edges, {region for region, *time in data["boxed"] if there(*time)}


@pytest.fixture(scope="module")
def example() -> Any:
    return embedded(page_of(EXAMPLE))


def test_steps_are_queries_with_their_deeds(example: Any) -> None:
    said = [step["text"] for step in example["steps"]]
    assert said[0] == "The abstraction at the beginning: 5 regions, 7 edges."
    assert said[1] == "Test 1 with input 15 goes to 2, 3, 8, ends."
    assert said[2] == "Frontier (3, 4): satisfiable; test 2 with input 38 goes to 2, 3, 4, 5, 8, ends."
    assert said[3] == (
        "Frontier (5, error): unsatisfiable; region 5 is split by p1: x == 0 into 9 (it holds) and 10 (it does not);"
        " edge (10, error) is removed."
    )
    assert said[7] == (
        "Edge (start, 15) is removed: target unsatisfiable; no path from start to error is left."
    )
    assert len(said) == 8


def test_each_stage_of_the_figures(example: Any) -> None:
    everywhere = {START, 2, 3, 4, 5}
    first_edges = {(START, 2), (2, 3), (3, 4), (3, 8), (4, 5), (5, ERROR), (5, 8)}
    assert at(example, 0) == at(example, 2) == ({2, 3, 4, 5, 8}, first_edges, everywhere)
    c = (first_edges - {(4, 5), (5, ERROR), (5, 8)}) | {(4, 9), (4, 10), (9, ERROR), (9, 8), (10, 8)}
    assert at(example, 3) == ({2, 3, 4, 8, 9, 10}, c, {START, 2, 3, 4, 9})
    d = (c - {(3, 4), (4, 9), (4, 10)}) | {(3, 11), (3, 12), (11, 9), (11, 10), (12, 10)}
    assert at(example, 4) == ({2, 3, 8, 9, 10, 11, 12}, d, {START, 2, 3, 9, 11})
    regions, edges, boxed = at(example, 6)
    assert regions == {8, 9, 10, 11, 12, 13, 14, 15, 16}
    assert {(13, 11), (15, 13), (START, 15), (START, 16)} <= edges and not {(14, 11), (16, 13)} & edges
    assert boxed == {START, 15, 13, 11, 9}
    assert START not in at(example, 7)[2] and (START, 15) not in at(example, 7)[1]
    assert [step["removed"] for step in example["steps"]][3:5] == [[[10, ERROR]], [[12, 9]]]
    assert example["steps"][3]["frontier"] == [5, ERROR] and example["steps"][3]["test"] == 2


def test_what_regions_know_and_where_they_stand(example: Any) -> None:
    regions = {region["number"]: region for region in example["regions"]}
    assert regions[9]["cut"] == [0, True] and regions[10]["cut"] == [0, False] and regions[9]["parent"] == 5
    assert regions[5]["children"] == [9, 10] and regions[9]["place"] == regions[5]["place"]
    order = [region["number"] for region in example["regions"]]
    assert order == [2, 15, 16, 3, 13, 14, 4, 11, 12, 5, 9, 10, 8]
    assert example["layers"][:5] == [[START], [0], [1], [2], [3]]
    assert sorted(example["layers"][5]) == [ERROR, 4]
    assert [(place["name"], place["line"]) for place in example["places"]][:2] == [
        ("main:0", 2),
        ("main:1", 3),
    ]


def test_nothing_in_a_predicate_is_markup() -> None:
    page = page_of([RegionMade(0, "a<b", 1, "x < y"), *EXAMPLE])
    assert "<b>p4" not in page and "a<b" not in page
    assert embedded(page)["predicates"][3] == "</script><b>p4</b>"
    assert len(re.findall("<script", page)) == len(re.findall("</script", page)) == 4


def test_no_network_and_nothing_without_a_recording() -> None:
    page = page_of(EXAMPLE)
    addresses = re.findall(r"https?://[^\s\"'<]+|src=|href=\"(?!#)|url\((?!#)", page)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}
    assert "class=growth" not in as_html(RESULT) and "counterpoint.play" not in as_html(RESULT)
    assert as_json(replace(RESULT, recordings=(recorded(EXAMPLE),))) == as_json(RESULT)


def test_a_walk_told_again_replaces_the_one_before() -> None:
    data = embedded(page_of([*EXAMPLE, RegionSplit(8, "y", 20, 21), TestWalked(1, (16, 14, 20), "15", "ends")]))
    walks = [(walk["number"], walk["regions"], walk["born"], walk["died"]) for walk in data["walks"]]
    assert walks == [(1, [2, 3, 8], 1, 8), (2, [2, 3, 4, 5, 8], 2, None), (1, [16, 14, 20], 8, None)]
    assert "est 1" not in data["steps"][8]["text"]


def test_an_edge_to_itself_becomes_four() -> None:
    data = embedded(page_of([RegionMade(0, "loop", 1), EdgeMade(0, 0), RegionSplit(0, "p", 1, 2)]))
    assert at(data, 1)[1] == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_what_was_never_made_does_no_harm() -> None:
    odd = [
        FrontierTried(3, 4, "perhaps"),
        EdgeRemoved(7, 8),
        RegionSplit(7, "p", 8, 9),
        TestWalked(1, (), "", ""),
        EdgeMade(20, ERROR),
    ]
    data = embedded(page_of(odd))
    assert [step["text"][:22] for step in data["steps"]][1] == "Test 1 without input ."


# ---------------------------------------------------------------- from a forest of regions


@dataclass(eq=False)
class Walker:
    """A test as far as the events look at it."""

    number: int
    nodes: tuple[SimpleNamespace, ...]
    end: End = End.FINISHED

    def inputs(self, tree: object) -> tuple[ScalarInput, ...]:
        return (ScalarInput(0, 0xFFFFFFFF, 32), ScalarInput(1, 7, 8))


def inside(test: Any, node: Any, predicate: Any) -> bool:
    """Some fixed answer."""
    return bool((sum(map(ord, str(predicate.payload))) + test.number + node.place[1]) % 2)


@pytest.mark.parametrize("seed", range(8))
def test_the_picture_is_the_forest(seed: int) -> None:
    choose = random.Random(seed)
    function = SimpleNamespace(name="f", parameters=(), blocks=(), at=SimpleNamespace(line=3))
    where: Any = SimpleNamespace(
        program=SimpleNamespace(functions={"f": function}, names=SourceNames()), name=lambda place: f"f:{-place[1]}"
    )
    sent: list[Any] = []
    told = RegionEvents(where, sent.append, True, inside)
    forest: RegionForest[object] = RegionForest()
    places = [cut_graph.START, locations.ERROR, *(("f", -number) for number in range(10, 16))]
    roots = [forest.add_place(place) for place in places]
    for source in roots:
        for target in choose.sample(roots[1:], 3):
            if source is not forest.error:
                forest.connect(source, target)
    told.changed(forest)
    nodes = [SimpleNamespace(place=place) for place in (cut_graph.START, *choose.choices(places[2:], k=9))]
    test: Any = Walker(1, tuple(nodes))

    def region_of(node: Any) -> Any:
        return forest.leaf(node.place, lambda predicate: inside(test, node, predicate))

    tree: Any = None
    told.walked(test, tree, region_of)
    for step in range(12):
        for _ in range(choose.randrange(3)):
            leaves = [leaf for place in places[2:] for leaf in forest.leaves(place)]
            forest.split(choose.choice(leaves), build.variable(f"p{step}{choose.random()}", BOOL))
        leaves = [leaf for place in places for leaf in forest.leaves(place)]
        for leaf in choose.sample(leaves, 3):
            for target in choose.sample(list(leaf.after), min(len(leaf.after), 2)):
                forest.disconnect(leaf, target)
        told.changed(forest, "" if choose.random() < 0.5 else "because")
    recorder = Recorder("dash")
    for event in sent:
        recorder.add(event)
    recording = recorder.recording()
    assert recording is not None
    data = embedded(as_html(replace(RESULT, recordings=(recording,))))
    last = len(data["steps"]) - 1
    names = {forest.start: START, forest.error: ERROR}
    present = [leaf for place in places for leaf in forest.leaves(place)]
    regions, edges, _ = at(data, last)
    assert regions == {leaf.number for leaf in present if leaf not in names}
    assert edges == {(names.get(a, a.number), names.get(b, b.number)) for a in present for b in a.after}
    assert now_at(data, last) == [region_of(node).number for node in nodes[1:]]
    assert data["walks"][0]["inputs"] == "-1, 7"


def now_at(data: Any, step: int) -> list[int]:
    """Where the walk of the only test leads after all splits, as the page's script finds it."""
    regions = {region["number"]: region for region in data["regions"]}
    (walk,) = [walk for walk in data["walks"] if walk["born"] <= step and (walk["died"] is None or step < walk["died"])]
    found = []
    for number in walk["regions"]:
        while regions[number]["children"]:
            number = regions[number]["children"][1]
        found.append(number)
    return found


# ---------------------------------------------------------------- bounds


def test_growth_beyond_the_bounds_is_counted_only() -> None:
    events = list(FIGURE_3_5)
    last = 5
    for child in range(100, 100 + 4 * STEPS, 2):
        events += [FrontierTried(last, ERROR, "unsat"), RegionSplit(last, "p", child, child + 1)]
        events.append(EdgeRemoved(child + 1, ERROR))
        last = child
    recording = recorded(events)
    assert len(recording.steps) == STEPS < MOST_STEPS and not recording.whole
    assert recording.steps == recorded(events[: len(FIGURE_3_5) + 3 * (STEPS - 1)]).steps
    picture = picture_of(recording)
    assert picture.notes == ["The picture ends after the first 400 steps."]
    assert len(picture.steps) == STEPS and len(as_html(replace(RESULT, recordings=(recording,)))) < 3_000_000


def test_too_many_places_or_edges() -> None:
    many: list[RegionEvent] = [RegionMade(number, f"b{number}", 0) for number in range(2000)]
    assert "no picture: the graph has more than 1,500" in picture_of(recorded(many)).notes[0]
    side = int(MOST_EDGES**0.5) + 2
    dense: list[RegionEvent] = [RegionMade(number, "b", 0) for number in range(side)]
    dense += [EdgeMade(source, target) for source in range(side) for target in range(side)]
    picture = picture_of(recorded([*dense, TestWalked(1, (0,), "", "ends"), TestWalked(2, (0,), "", "ends")]))
    assert len(picture.steps) == 1 and "the first 1 steps" in picture.notes[0]


def test_a_graph_begun_anew_is_the_only_one() -> None:
    again = [RegionMade(0, "old", 1), GraphBegun(), *EXAMPLE]
    assert len(recorded(again).steps) == 8 and recorded(again).steps[0][1:] == recorded(EXAMPLE).steps[0]


def test_long_texts_and_walks_are_cut() -> None:
    split = shortened(RegionSplit(0, "x" * (TEXT + 9), 1, 2))
    assert isinstance(split, RegionSplit) and len(split.predicate) == TEXT + 4
    walk = shortened(TestWalked(1, tuple(range(5000)), "", "ends"))
    assert isinstance(walk, TestWalked)
    assert len(walk.regions) == WALK and walk.outcome == "ends (the first 400 of 5,000 regions)"
    assert shortened(FIGURE_3_6[0]) is FIGURE_3_6[0]


# ---------------------------------------------------------------- from the engine's process


@pytest.mark.parametrize("wanted", [True, False])
def test_events_leave_the_engine_only_when_wanted(
    wanted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Recorded:
        name = reference = summary = "recorded"

        def verify(self, task: object, tools: Any) -> Any:
            assert tools.recording is wanted
            for event in EXAMPLE:
                tools.observe(event)
            raise OutOfBudget

    monkeypatch.setattr("counterpoint.engines._module", lambda name: SimpleNamespace(ENGINE=Recorded()))
    sent: list[object] = []
    nowhere: Any = None
    engine_work(nowhere, Assignment("recorded", 1.0, 0, {}, tmp_path / "facts", wanted))(sent.append)
    assert isinstance(sent[-1], Answer)
    assert [event for event in sent if isinstance(event, RegionEvent)] == (EXAMPLE if wanted else [])


def test_a_whole_check_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "locks.c"
    path.write_text("""extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int lock = 0, new = 0, old;
    do {
        if (lock) reach_error();
        lock = 1;
        old = new;
        if (__VERIFIER_nondet_int()) { lock = 0; new++; }
    } while (new != old);
    if (!lock) reach_error();
}
""")
    result = fresh.run(Request((path,), engines=("dash",), timeout=90.0, recording=True))
    assert result.verdict == "TRUE"
    data = embedded(as_html(result))
    assert data["steps"][-1]["text"].endswith("no path from start to error is left.")
    assert START not in at(data, len(data["steps"]) - 1)[2] and data["walks"]
    assert {place["line"] for place in data["places"]} <= set(range(3, 13))
    assert any("lock" in predicate for predicate in data["predicates"])


def test_layers_follow_control_flow() -> None:
    edges = [(0, 1), (1, 2), (2, 1), (2, 3), (1, 4), (4, 4), (3, 5), (4, 5)]
    layers = layered(range(7), edges)
    depth: dict[int, int] = {node: index for index, layer in enumerate(layers) for node in layer}
    assert all(depth[source] < depth[target] for source, target in edges if (source, target) not in ((2, 1), (4, 4)))
    assert sorted(depth) == list(range(7)) and layered([], []) == []
    crossed = layered([0, 1, 2, 3, 4], [(0, 1), (0, 2), (1, 4), (2, 3)])
    assert (crossed[1].index(1) < crossed[1].index(2)) == (crossed[2].index(4) < crossed[2].index(3))
