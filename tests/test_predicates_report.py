"""What predicate abstraction shows: its graph on the page, its invariants, its predicates, and where it stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import browser
import fresh
from c_programs import PRELUDE, program
from counterpoint.core.budget import Budget
from counterpoint.core.events import (
    SEVERAL,
    AbstractGrowth,
    AbstractNode,
    AbstractRefinement,
    Event,
    GraphBegun,
    PlacePredicates,
    Precision,
    RegionEvent,
)
from counterpoint.engines.predicates import Options, Search
from counterpoint.engines.predicates.graph.events import MOST_NODES, MOST_STEPS, DrawnNode, GraphEvents
from counterpoint.engines.predicates.graph.places import FIRST, LAST, MOST_TEXTS, PlaceTexts
from counterpoint.engines.predicates.reports import stuck
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Reason, Safe
from counterpoint.portfolio.readable_proof import facts_of, invariants_of
from counterpoint.portfolio.recording import PLACES, STEPS, Recorder, Recording
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, EngineRun, Outcome
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import locations
from counterpoint.report.abstract_pictures import tree_of
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V
from schema import ROOT, violations

LOCK = """
int main(void) {
    int lock = 0, new = any(), old;
    do {
        check(lock == 0);
        lock = 1;
        old = new;
        if (any()) { lock = 0; new++; }
    } while (new != old);
    check(lock == 1);
}
"""
MACHINE = """
int main(void) {
    int state = any(), done = any();
    __VERIFIER_assume(state == 4 || state == 7 || state == 9 && done);
    while (any()) {
        if (state == 4) state = 7;
        else if (state == 7) { state = 9; done = 1; }
        else if (state == 9) { check(done); state = 4; }
        else reach_error();
    }
}
"""
BOUND = """
int main(void) {
    int x = 0, y = any();
    __VERIFIER_assume(y > 3);
    while (any()) {
        if (x < 10) x++;
        if (y < 100) y++;
    }
    check(x < 11 && y > 3);
}
"""
RESULT = CheckResult(Outcome.TRUE, "unreach-call", ("a.c",), "ILP32", "main", engine="predicates")


def line(text: str, part: str) -> int:
    """Where the part begins in the file."""
    return (PRELUDE + text).split(part)[0].count("\n") + 1


def embedded(page: str) -> Any:
    (found,) = re.findall(r"<section class=growth data-kind=abstract>.*?json'>(.*?)</script>", page, re.DOTALL)
    return json.loads(found)


def recorded(events: Sequence[RegionEvent]) -> Recording:
    recorder = Recorder("predicates")
    for event in events:
        recorder.add(event)
    recording = recorder.recording()
    assert recording is not None
    return recording


# ---------------------------------------------------------------- invariants


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOCK, [("loop", ("lock == 0",))]),
        (MACHINE, [("loop", ("state == 4 || state == 7 || (state == 9 && done != 0)",))]),
        (BOUND, [("loop", ("x < 11", "y > 3"))]),
    ],
)
def test_invariants_are_short(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    made = program(text)
    search = Search(made, Options(facts=False, trials=False), Tools(Budget(90.0)), {})
    verdict = search.run()
    assert isinstance(verdict, Safe)
    found = invariants_of(made, facts_of(made, verdict.certificate), unions=True)
    search.close()
    assert [(invariant.where, invariant.formulas) for invariant in found] == expected


# ---------------------------------------------------------------- a whole check


@pytest.fixture(scope="module", autouse=True)
def no_browser_stays() -> Iterator[None]:
    yield
    browser.close()


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> CheckResult:
    path = tmp_path_factory.mktemp("machine") / "machine.c"
    path.write_text(PRELUDE + MACHINE)
    return fresh.run(Request((path,), engines=("predicates",), timeout=90.0, recording=True))


def test_the_page_has_the_graph_step_by_step(checked: CheckResult) -> None:
    assert checked.verdict == "TRUE"
    data = embedded(as_html(checked))
    steps = data["steps"]
    assert steps[0]["text"].endswith("until an error can be reached: 1, 2, error.") or steps[0]["trace"]
    assert steps[-1]["text"].endswith("nothing is left to follow: no error can be reached.")
    loop = line(MACHINE, "    while")
    assert {place["line"] for place in data["places"]} >= {loop}
    new = [text for step in steps for _, texts in step["predicates"] for text in texts]
    assert any("state" in text for text in new) and len(new) == len(set(new))
    last = len(steps) - 1
    alive = {node["number"] for node in data["nodes"] if node["died"] is None}
    assert alive == {node for node in alive if any(n["number"] == node and n["born"] <= last for n in data["nodes"])}
    parents = {node["number"]: node["parent"] for node in data["nodes"]}
    assert all(parents[number] in {0, *alive} for number in alive)


def test_predicates_of_each_place_are_in_page_and_json(checked: CheckResult) -> None:
    (place,) = checked.engines[0].predicates
    assert place.line == line(MACHINE, "    while") and place.function == "main"
    assert place.count == len(place.predicates) and any(text.startswith("state == ") for text in place.predicates)
    page, document = as_html(checked), json.loads(as_json(checked))
    assert "Predicates of predicates per place" in page and f"<code>{place.predicates[0]}</code>" in page
    assert document["engines"][0]["predicates"][0]["count"] == place.count
    assert violations(document, ROOT) == []


# All steps of the only graph, and what the page draws of each; every box is clicked twice.
DRAWN = """() => {
  const section = document.querySelector(".growth"), svg = section.querySelector("svg");
  const forward = [...section.querySelectorAll("button")].find((one) => one.textContent === "Forward");
  const texts = (kind) => [...svg.querySelectorAll(kind)].map((one) => (one.querySelector(".id") || {textContent: "error"}).textContent);
  const count = (kind) => svg.querySelectorAll(kind).length;
  return [...section.querySelectorAll("ol > li")].map(() => {
    for (const times of [1, 2]) for (const box of [...svg.querySelectorAll(".region rect")]) box.dispatchEvent(new Event("click"));
    const told = {said: section.querySelector(".said").textContent, nodes: texts(".region"), gone: texts(".gone"),
      trace: texts(".boxed"), edges: count(".edge") - count(".cover"), covers: count(".cover")};
    forward.click();
    return told;
  });
}"""


def test_the_script_draws_every_step(checked: CheckResult, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(as_html(checked))
    opened = browser.page_at(page)
    drawn = opened.evaluate(DRAWN)
    assert browser.problems(opened) == []
    data = embedded(page.read_text())
    assert [one["said"] for one in drawn] == [step["text"] for step in data["steps"]]
    for index, (one, step) in enumerate(zip(drawn, data["steps"], strict=True)):
        present = [n for n in data["nodes"] if n["born"] <= index and (n["died"] is None or index < n["died"])]
        shown = {str(n["number"]) for n in present} | {str(n) for n in step["gone"]}
        assert set(one["nodes"]) - {"error"} == shown and one["gone"] == [str(n) for n in step["gone"]]
        assert one["edges"] == len(one["nodes"]) - 1 and ("error" in one["nodes"]) == bool(step["trace"])


def test_nothing_in_a_text_is_markup() -> None:
    odd = "</script><b>" * 2
    place = PlacePredicates(odd, 3, (odd,), 2, odd)
    events = [AbstractGrowth((AbstractNode(1, 0, odd, 0, odd),), (), (1,)), AbstractRefinement(1, (place,))]
    run_ = EngineRun("predicates", "TRUE", "", 1.0, predicates=(place,))
    page = as_html(replace(RESULT, engines=(run_,), recordings=(recorded(events),)))
    assert odd not in page and "<b></script>" not in page and embedded(page)["nodes"][0]["states"] == odd and "1 more" in page


# ---------------------------------------------------------------- steps


def test_each_step_says_what_happened() -> None:
    nodes = [AbstractNode(number, number - 1, "main:1", 7, "x == 0") for number in range(1, 5)]
    new = PlacePredicates("main:1", 7, ("x == 0", "y < x"), 2)
    tree = tree_of(recorded([
        GraphBegun(),
        AbstractGrowth(tuple(nodes[:3]), ((3, 2),), (1, 2)),
        AbstractRefinement(1, (new,), (2, 3)),
        AbstractGrowth((nodes[3],), ((4, SEVERAL),)),
        AbstractRefinement(2, ended="NO_PROGRESS: why"),
    ]))  # fmt: skip
    assert [step.text for step in tree.steps] == [
        "The graph grows (3 nodes made, 1 covered) until an error can be reached: 1, 2, error.",
        "Refinement 1: the trace is spurious. New: x == 0; y < x at line 7; 2 nodes removed.",
        "The graph grows (1 node made, 1 covered) until nothing is left to follow: no error can be reached.",
        "Refinement 2: NO_PROGRESS: why.",
    ]
    assert [(node.number, node.born, node.died) for node in tree.nodes] == [(1, 0, None), (2, 0, 1), (3, 0, 1), (4, 2, None)]
    assert tree.covers == [(3, 2, 0, 1), (4, SEVERAL, 2, None)] and not tree.notes


def test_recordings_are_bounded() -> None:
    many = [AbstractRefinement(number) for number in range(STEPS + 9)]
    tree = tree_of(recorded(many))
    assert len(tree.steps) == STEPS and tree.notes == ["The picture ends after the first 400 steps."]
    nodes = tuple(AbstractNode(number, 0, "p", 1) for number in range(1, PLACES + 2))
    assert len(recorded([AbstractGrowth(nodes[:-1])]).steps) == 1
    assert "more than 1,500" in tree_of(recorded([AbstractGrowth(nodes)])).notes[0]


def place_of(made: Program) -> Place:
    where = locations(made, "large")
    (block,) = where.blocks[made.entry]
    return made.entry, block


def events_of(made: Program, wanted: bool = True) -> tuple[GraphEvents, list[Event]]:
    sent: list[Event] = []
    return GraphEvents(PlaceTexts(locations(made, "large")), sent.append, wanted), sent


def test_what_is_sent_is_bounded_and_only_what_is_new() -> None:
    made = program(LOCK)
    place, variable = place_of(made), build.variable("x", BitVec(32))
    story, sent = events_of(made)
    graph = [DrawnNode(1, 0, START, 1, 0)]
    for number in range(2, MOST_STEPS + 20):
        graph.append(DrawnNode(number, 1, place, build.eq(variable, number, 32), 1))
        story.grown(graph.copy, None)
    growths = [event for event in sent if isinstance(event, AbstractGrowth)]
    assert len(growths) == MOST_STEPS > STEPS
    assert [len(event.made) for event in growths] == [2] + [1] * (MOST_STEPS - 1)
    assert growths[1].made == (AbstractNode(3, 1, "main:1", line(LOCK, "        check(lock"), "x == 3"),)
    assert growths[1].covered == ((3, 1),)

    story, sent = events_of(made)
    story.grown(lambda: [DrawnNode(number, 0, place, 1, 0) for number in range(1, 9 * MOST_NODES)], [])
    story.grown(list, [])
    assert [len(event.made) for event in sent if isinstance(event, AbstractGrowth)] == [MOST_NODES] and MOST_NODES > PLACES


def test_nothing_is_sent_unless_someone_looks() -> None:
    """Nor is the graph looked at; but the predicates at the end are always told, and not all in full."""
    made = program(LOCK)
    story, sent = events_of(made, wanted=False)
    story.grown(lambda: pytest.fail("looked at"), [])
    story.refined(lambda: pytest.fail("looked at"), {}, None)
    assert sent == []
    variable = build.variable("x", BitVec(32))
    predicates: list[V] = [build.eq(variable, number, 32) for number in range(MOST_TEXTS + 5)]
    story.precision({place_of(made): predicates, START: []})
    (told,) = sent
    assert isinstance(told, Precision) and len(told.places) == 1
    assert told.places[0].count == len(predicates) and len(told.places[0].predicates) == MOST_TEXTS


# ---------------------------------------------------------------- where it stopped


def test_traces_are_named_by_lines() -> None:
    made = program(LOCK)
    words, place = PlaceTexts(locations(made, "large")), place_of(made)
    head, check = line(LOCK, "        check(lock"), line(LOCK, "    check(lock == 1)")
    said = words.described([START, place, place])
    assert said == f"start -> program.c:{head} (2 times) -> error at program.c:{head} or program.c:{check}"
    many = [START, *[place, START] * 20]
    assert words.described(many).count(" -> ") == FIRST + LAST + 1 and " -> .. -> " in words.described(many)


def test_unknown_names_the_trace() -> None:
    made = program(LOCK)
    search = Search(made, Options(), Tools(Budget(90.0)), {})
    root = search.graph.root
    unknown = stuck(search.events.texts, [root], True, "")
    assert unknown.reason is Reason.NO_PROGRESS
    assert unknown.detail.startswith("the error trace start -> error") and "interpolants of one path" in unknown.detail
    unknown = stuck(search.events.texts, [root], False, "timeout")
    assert unknown.reason is Reason.SOLVER_UNKNOWN and unknown.detail.endswith(": timeout")
    search.events.grown(list, [root])
    assert search.events.stopped("3 refinements").startswith("3 refinements; the last error trace was start -> error")
    search.close()
