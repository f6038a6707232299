"""Proofs about blocks goal by goal, with the hypotheses that models call for; what fails by a little has none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.engines.answers import invariant_proof
from counterpoint.engines.houdini import rehearsal
from counterpoint.engines.houdini.rehearsal import rehearsed
from counterpoint.evidence.induction import Setting, over_setting, region_question
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.regions import region
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import FLAT
from counterpoint.invariants.candidates import heap_blocks
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.small_heaps.proposal import propose
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.encodings import Hints
from counterpoint.semantics.facts import Fact
from counterpoint.solver import lazily
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.lazily import chosen
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

LIST = """struct n { struct n *next; }; int main(void) { struct n *l = 0, *t;
    while (any()) { struct n *x = malloc(sizeof *x); x->next = l; l = x; }
    while (%s) { t = l->next; %s free(l); l = t; %s } return 0; }"""


def proposed(text: str) -> tuple[CutGraph, tuple[Fact, ...], tuple[Fact, ...] | None]:
    graph = cut_graph(subject(text, "memory-safety").program(FLAT), Budget(300))
    guessed = list(heap_blocks.SOURCE.candidates(Context(graph, Snapshots(), Budget(60))))
    proposal = propose(graph, guessed, Budget(60), 0)
    return graph, proposal.kept, proposal.proof


def is_shown(graph: CutGraph, facts: Sequence[Fact], hints: Hints = ()) -> bool:
    safe = invariant_proof(graph, FLAT, facts, hints)
    assert isinstance(safe, Safe)
    return check_proof(graph.program, safe.certificate, Budget(300)).claims > 0


def test_what_a_proof_lacks_comes_in_and_what_it_does_not_need_or_is_no_fact_goes() -> None:
    graph, kept, proof = proposed(LIST % ("l", "", ""))
    assert proof is not None
    wrong = [Fact(*place, 0) for place in dict.fromkeys(fact.place for fact in kept)]
    for begun in (proof, proof[1:], [*wrong, *proof], kept):
        found = rehearsed(graph, begun, kept, Budget(300))
        assert found is not None and len(found.facts) < len(kept) and not set(wrong) & set(found.facts)
        assert is_shown(graph, found.facts)


@pytest.mark.parametrize(
    ("goes_on", "does", "then"),
    [
        ("l", "free(l);", ""),  # freed twice
        ("l && l->next", "", ""),  # the last one is lost
        ("l", "if (t) t->next = 0;", ""),  # what comes behind the next one is lost
        ("l", "if (t) free(t->next);", ""),  # freed twice, two rounds later
        ("l", "", "if (any()) l = 0;"),  # the rest is lost
        ("l", "if (any()) t = l;", ""),  # read when it is freed
    ],
)
def test_what_fails_by_a_little_is_not_rehearsed(
    goes_on: str, does: str, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With time for every goal on any machine: one without an answer is nothing that fails."""
    monkeypatch.setattr(rehearsal, "TURNS", (30.0, 60.0))
    graph, kept, proof = proposed(LIST % (goes_on, does, then))
    assert proof is None and rehearsed(graph, kept, kept, Budget(300)) is None


def test_the_checker_need_not_choose_what_a_rehearsal_has_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """And chooses where hints are no good: of no formulas, of none for a goal, of others than these."""
    graph, kept, proof = proposed(LIST % ("l", "", ""))
    assert proof is not None
    found = rehearsed(graph, proof, kept, Budget(300))
    assert found is not None and found.hints
    others = tuple((hint[0], *found.hints[0][1:2]) for hint in found.hints)
    for hints in ((), ((),), (("no mark",),), others):
        assert is_shown(graph, found.facts, hints)

    def no_choice(*_: object) -> None:
        raise AssertionError("nothing is left to choose")

    monkeypatch.setattr(lazily, "chosen", no_choice)
    assert is_shown(graph, found.facts, found.hints)


def test_hints_make_no_proof() -> None:
    """Whatever is hinted at: of no facts, of some that are wrong, and of those of another program that is in order."""
    graph, kept, proof = proposed(LIST % ("l", "", ""))
    assert proof is not None
    found = rehearsed(graph, proof, kept, Budget(300))
    assert found is not None
    every = tuple(dict.fromkeys(mark for hint in found.hints for mark in hint))
    mixed = tuple((goal, *every) for goal in every)
    wrong = [Fact(*place, 0) for place in dict.fromkeys(fact.place for fact in kept)]
    broken = cut_graph(subject(LIST % ("l", "free(l);", ""), "memory-safety").program(FLAT), Budget(300))
    for where, facts in ((graph, ()), (graph, (*found.facts, *wrong)), (broken, found.facts)):
        for hints in (found.hints, mixed):
            with pytest.raises(EvidenceRejected):
                is_shown(where, facts, hints)


RING = """struct n { struct n *next, *prev; int data; }; int main(void) { struct n *x = malloc(sizeof *x), *y, *z;
    x->next = x->prev = x;
    while (any()) { y = malloc(sizeof *y); y->next = x->next; y->next->prev = y; y->prev = x; x->next = y; }
    y = x->next; while (y != x) { z = y; y = y->next; free(z); } free(x); return 0; }"""


def test_where_a_dead_pointer_points_to_no_live_block_lies() -> None:
    """The ring's first node points to one that was freed: no live one of 24 bytes begins 16 before that address. Of pairs
    of blocks for which that is assumed, one is the block that an encoding looks for there."""
    graph, kept, _ = proposed(RING)

    def claims(setting: Setting) -> list[V]:
        """What fails, or is lost, in the last loop and behind it, where facts do not exclude it."""
        last = region(setting.places, max(setting.places.starts), setting.needed, setting.granules, setting.budget)
        question = region_question(setting, last, claims=True)
        asked = [goal.violated for goal in question.goals[-len(last.claims) :] if goal.violated != 0]
        return [one for one in asked if not isinstance(chosen(one, question.hypotheses, 60.0).answer, Unsat)]

    assert over_setting(graph.program, kept, sorted(graph.granules.items()), Budget(300), claims) == []


def test_hypotheses_come_in_where_models_violate_them() -> None:
    x, y = build.variable("x", BitVec(8)), build.variable("y", BitVec(8))
    hypotheses = [build.ult(y, 9, 8), build.ult(x, 5, 8), build.ult(y, 7, 8)]
    found = chosen(build.ult(6, x, 8), hypotheses, 10.0)
    assert isinstance(found.answer, Unsat) and 1 in found.used
    found = chosen(build.ult(3, x, 8), hypotheses, 10.0)
    assert isinstance(found.answer, Sat) and found.answer.model.values(hypotheses) == [1, 1, 1]
    assert isinstance(chosen(build.ult(6, x, 8), hypotheses, 0.0).answer, Unsat | SolverUnknown)
