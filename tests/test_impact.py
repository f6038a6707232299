"""What lazy abstraction with interpolants says of small programs of all kinds, each safe and with a bug, that its proofs
are accepted by the checker, which knows nothing of it, and that its violations are runs of the unprepared program."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.impact.labels import LabelledTree
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.regions.cut_graph import START, Place
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V
from test_predicates_verdicts import KINDS as OF_ABSTRACTION
from test_predicates_verdicts import Kind, broken
from test_predicates_verdicts import verdict_of as of_options

KINDS = {
    **{name: OF_ABSTRACTION[name] for name in ("lock", "nested loops", "array", "pointer")},
    "straight": Kind("int main(void) { int x = any(); if (x > 3) check(x > 2); }", "x > 2)", "x > 4)"),
    "two locks": Kind(
        """
        int main(void) {
            int p = any(), q = any(), l = 0, k = 0;
            while (any()) {
                if (p) { check(!l); l = 1; }
                if (q) { check(!k); k = 1; }
                if (p) l = 0;
                if (q) k = 0;
            }
        }""",
        "if (q) k = 0",
        "if (p) k = 0",
    ),
    "counting": Kind(
        "int main(void) { unsigned i = 0; while (i < 1000) i++; check(i == 1000); }", "i == 1000", "i != 1000 || any()"
    ),
    "counting up to n": Kind(
        "int main(void) { int n = any(), i = 0; if (n < 0) return 0; while (i < n) i++; check(i == n); }",
        "i = 0;",
        "i = 1;",
    ),
    "equal counters": Kind(
        "int main(void) { unsigned x = 0, y = 0; while (any()) { x++; y++; } check(x == y); }",
        "y++;",
        "if (any()) y++;",
    ),
    "state machine": Kind(
        """
        int main(void) {
            int state = 1, key = 0;
            while (state != 4) {
                if (state == 1) { key = 0; state = 2; }
                else if (state == 2) { key = 7; if (any()) state = 3; }
                else if (state == 3) { check(key == 7); state = any() ? 1 : 4; }
                else check(0);
            }
        }""",
        "key = 7;",
        "if (any()) key = 7;",
    ),
    "saturation": Kind(
        "int main(void) { unsigned char c = 0; while (any()) { if (c < 200) c += 2; } check(c % 2 == 0); }",
        "c += 2",
        "c += 3",
    ),
    "function": Kind(
        """
        int level;
        void up(void) { if (level < 2) level++; }
        int main(void) { while (any()) up(); check(level <= 2); }""",
        "level < 2",
        "level < 3",
    ),
}


def verdict_of(text: str, *options: tuple[str, str]) -> Verdict:
    """The strategy's, with its evidence checked."""
    return of_options(text, {"predicates.strategy": "impact", **dict(options)})


@pytest.mark.parametrize("block", ["large", "basic"])
@pytest.mark.parametrize("kind", KINDS)
def test_safe(kind: str, block: str) -> None:
    assert isinstance(verdict_of(KINDS[kind].text, ("predicates.block", block)), Safe)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "counting"])
def test_unsafe(kind: str) -> None:
    assert isinstance(verdict_of(broken(KINDS[kind])), Unsafe)


def test_recursion_is_left_to_others() -> None:
    text = "int f(int n) { return n > 0 ? f(n - 1) : 0; } int main(void) { check(f(any()) == 0); }"
    verdict = verdict_of(text)
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED


def test_covering() -> None:
    """What implies an earlier label is covered; it stays so while it implies the stronger label, and no longer."""
    p, q = (build.variable(name, BOOL) for name in "pq")

    def implied(place: Place, label: Iterable[V], formula: V) -> bool:
        return formula in label

    tree = LabelledTree(implied, lambda node: (node.number,))
    assert tree.next() is tree.root
    edge = Edge(START, ("main", 1))
    first, second = tree.add(tree.root, edge), tree.add(tree.root, edge)
    tree.root.followed = True
    tree.strengthen(second, build.and_(p, q))
    assert tree.close(second) and not tree.close(first)
    tree.strengthen(first, p)
    assert second.covered_by is first
    tree.strengthen(first, build.not_(q))
    assert not second.covered
    below_second = tree.add(second, Edge(("main", 1), ("main", 1)))
    third = tree.add(tree.root, edge)
    third.label |= below_second.label
    assert not tree.close(below_second) and tree.close(third) and third.covered_by is below_second
    tree.cover(second, first)
    assert not third.covered, "what lies below a covered node covers nothing"
