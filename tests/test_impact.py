"""What lazy abstraction with interpolants says of small programs of all kinds, each safe and with a bug, that its proofs
are accepted by the checker, which knows nothing of it, and that its violations are runs of the unprepared program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from c_programs import subject
from counterpoint.analysis.predicates.edges import Edge
from counterpoint.analysis.predicates.labels import LabelledTree
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.paths.cut_graph import START, Place
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V


@dataclass(frozen=True)
class Kind:
    """A safe program, and the text to replace so that a check can fail."""

    text: str
    safe: str
    broken: str


KINDS = {
    "straight": Kind("int main(void) { int x = any(); if (x > 3) check(x > 2); }", "x > 2)", "x > 4)"),
    "lock": Kind(
        """
        int main(void) {
            int held = 0, old, new = any();
            do {
                check(!held); held = 1;
                old = new;
                if (any()) { held = 0; new++; }
            } while (new != old);
            check(held);
        }""",
        "new++",
        "new--; old = new",
    ),
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
    "nested loops": Kind(
        """
        int main(void) {
            int i = 0, j, on = 0;
            while (i < 3) {
                on = 1;
                for (j = 0; j < 5 && any(); j++) check(on == 1);
                on = 0; i++;
            }
            check(on == 0);
        }""",
        "on = 0; i++",
        "on = any(); i++",
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
    "array": Kind(
        """
        int main(void) {
            int a[4] = {1, 2, 3, 4}, i = any();
            while (any()) { if (i >= 0 && i < 4) a[i] = 5; }
            if (i == 2) check(a[1] == 2);
        }""",
        "a[1] == 2",
        "a[2] == 3",
    ),
    "pointer": Kind(
        """
        int main(void) {
            int x = 1, y = 2, *p = any() ? &x : &y;
            while (any()) { *p = 3; p = &y; }
            check(x == 1 || x == 3);
        }""",
        "*p = 3",
        "*p = 4",
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
    tested = subject(text)
    task = Task(tested, {"predicates.strategy": "impact", **dict(options)})
    verdict = ENGINE.verify(task, Tools(Budget(90)))
    match verdict:
        case Safe(certificate):
            check_proof(tested.program(certificate.preparation), certificate, Budget(90))
        case Unsafe(violation):
            outcome = run(tested.program("none"), ReplayInputs(violation.inputs), Limits(steps=100_000)).outcome
            assert isinstance(outcome, Violated)
    return verdict


@pytest.mark.parametrize("block", ["large", "basic"])
@pytest.mark.parametrize("kind", KINDS)
def test_safe(kind: str, block: str) -> None:
    assert isinstance(verdict_of(KINDS[kind].text, ("predicates.block", block)), Safe)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "counting"])
def test_unsafe(kind: str) -> None:
    broken = KINDS[kind].text.replace(KINDS[kind].safe, KINDS[kind].broken)
    assert broken != KINDS[kind].text
    assert isinstance(verdict_of(broken), Unsafe)


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
