"""Elements of arrays as components of traces (engines/predicates/traces/cells.py)."""

from __future__ import annotations

import random

from counterpoint.engines.predicates.traces.cells import MOST_CELLS, element, followed
from counterpoint.term import build as b
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term
from counterpoint.term.walk import reachable

BYTES = ArraySort(32, 8)
A, OTHER = b.variable("A", BYTES), b.variable("B", BYTES)
I, C = b.variable("i", BitVec(32)), b.variable("c", BOOL)


def test_arrays_read_at_constants_are_followed_by_element() -> None:
    two, three = b.select(A, 2), b.select(A, 3)
    formula = b.and_(b.eq(two, 5, 8), b.ult(three, two, 8))
    assert followed([A, I], [formula]) == [two, three, I]


def test_arrays_that_are_read_elsewhere_or_written_are_followed_as_they_are() -> None:
    fixed, moving = b.eq(b.select(A, 2), 5, 8), b.eq(b.select(A, I), 5, 8)
    assert followed([A], [fixed, moving]) == [A]
    written = b.eq(b.select(b.store(A, I, 1), 2), 5, 8)
    assert followed([A], [fixed, written]) == [A]
    many = [b.eq(b.select(A, k), 5, 8) for k in range(MOST_CELLS + 1)]
    assert followed([A], many) == [A]
    assert followed([A], [fixed, A]) == [A]


def test_an_element_is_what_evaluation_says_and_reads_no_changed_array() -> None:
    draw = random.Random(7)
    for _ in range(200):
        term: Term = A
        for _ in range(draw.randrange(6)):
            if draw.random() < 0.3:
                other = OTHER if draw.random() < 0.5 else b.store(OTHER, draw.randrange(4), draw.randrange(9))
                chosen = b.ite(C, term, other, BYTES)
                assert isinstance(chosen, Term)
                term = chosen
            else:
                term = b.store(term, I if draw.random() < 0.4 else draw.randrange(4), draw.randrange(9))
        index = draw.randrange(4)
        found = element(term, index)
        values = {"A": {k: draw.randrange(9) for k in range(4)}, "B": {k: draw.randrange(9) for k in range(4)}}
        given = {**values, "i": draw.randrange(4), "c": draw.randrange(2)}
        assert evaluate(found, given) == evaluate(b.select(term, index), given)
        reads = [t for t in reachable([found]) if t.op is Op.SELECT]
        assert all(t.args[0] in (A, OTHER) and t.args[1] == index for t in reads)
