"""Laws of inference: what is reported is true of every row, rows have no order, formulas on vectors mean what they mean."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.inference import Column, Options, Role, infer, table_of
from counterpoint.inference.ring import solved
from counterpoint.inference.table import Table
from counterpoint.inference.vectors import possible, refuting_rows, true_rows, values_of
from counterpoint.semantics.facts import ghost, ghosts
from counterpoint.term import build, evaluate, substitute, variables
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term, V

ROLES = (Role.INPUT, Role.OUTPUT, Role.PLACE)
SORTS = (BitVec(1), BitVec(5), BitVec(8), BitVec(8), BitVec(32), BitVec(32), BitVec(64), BOOL, ArraySort(64, 8))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[tuple[Any, ...]]]:
    """Few columns whose numbers are small, huge, or made of the first ones."""
    sorts = draw(st.lists(st.sampled_from(SORTS), min_size=1, max_size=5))
    columns = []
    for number, sort in enumerate(sorts):
        earlier = [c.variable for c in columns if c.variable.sort is sort]
        columns.append(
            Column(
                build.variable(f"c{number}", sort),
                draw(st.sampled_from(ROLES)),
                pointer=sort is BitVec(64) and draw(st.booleans()),
                old=draw(st.sampled_from([None, *earlier])),
                size=draw(st.sampled_from([None, 3])) if isinstance(sort, ArraySort) else None,
            )
        )
    random = Random(draw(st.integers(0, 1 << 30)))
    spread = draw(st.sampled_from((2, 5, 40, 1 << 64)))
    rows = [tuple(value(column, random, spread) for column in columns) for _ in range(draw(st.integers(0, 40)))]
    return columns, rows


def value(column: Column, random: Random, spread: int) -> Any:
    if column.is_array:
        known = random.sample(range(4), random.randint(0, 4))
        return {index: random.randrange(min(spread, 256)) for index in known}
    return random.randrange(spread) - random.choice((0, spread // 2)) & ((1 << column.width) - 1)


def truly(formula: V, columns: list[Column], row: tuple[Any, ...]) -> bool:
    """By term/evaluate, for each index that all arrays of the formula know: others make nothing false."""
    given_ = {str(c.variable.payload): v for c, v in zip(columns, row, strict=True)}
    arrays = [str(v.payload) for v in variables(formula) if isinstance(v.sort, ArraySort)]
    known = set.intersection(*(set(given_[name]) for name in arrays)) if arrays else set()
    if not ghosts(formula):
        return bool(evaluate(formula, given_)) or bool(arrays)
    instances = (substitute(formula, dict.fromkeys(ghosts(formula), index)) for index in sorted(known) if index + 1 in known)
    return all(evaluate(instance, given_) for instance in instances)


@settings(max_examples=40, deadline=None)
@given(tables(), st.booleans())
def test_what_is_reported_is_true_of_every_row(drawn: tuple[list[Column], list[tuple[Any, ...]]], implied: bool) -> None:
    columns, rows = drawn
    for likely in infer(table_of(columns, rows), Options(confidence=0.0, implied=implied)):
        assert all(truly(likely.formula, columns, row) for row in rows), likely
        assert 0 < likely.support <= len(rows) and 0.0 <= likely.confidence <= 1.0


@settings(max_examples=20, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_rows_have_no_order(drawn: tuple[list[Column], list[tuple[Any, ...]]], random: Any) -> None:
    columns, rows = drawn
    mixed = list(rows)
    random.shuffle(mixed)
    assert infer(table_of(columns, rows)) == infer(table_of(columns, mixed))


@settings(max_examples=15, deadline=None)
@given(st.integers(-9, 9).filter(lambda a: a != 0), st.integers(-99, 99), st.sampled_from((8, 32, 64)), st.integers(0, 99))
def test_planted_among_noise(factor: int, rest: int, width: int, seed: int) -> None:
    """An equation with a small factor is found whatever is beside it."""
    random = Random(seed)
    x, y = build.variable("x", BitVec(width)), build.variable("y", BitVec(width))
    noise = [build.variable(f"n{number}", BitVec(width)) for number in range(3)]
    rows = []
    for _ in range(60):
        number = random.getrandbits(width)
        rows.append((number, *(random.getrandbits(width) for _ in noise), factor * number + rest))
    mask = (1 << width) - 1
    line = build.add(build.mul(factor & mask, x, width), rest & mask, width)
    found = infer(table_of([Column(v) for v in (x, *noise, y)], rows), Options(conditions=False))
    assert build.eq(y, line, width) in [likely.formula for likely in found]


# ---------------------------------------------------------------- vectors


def random_term(random: Random, depth: int, width: int, leaves: dict[int, list[Term]]) -> V:
    """A bit-vector term of that width."""
    kind = random.randrange(14 if depth else 2)
    if kind == 0:
        return random.getrandbits(width)
    if kind == 1:
        return random.choice(leaves[width])
    a, b = (random_term(random, depth - 1, width, leaves) for _ in range(2))
    if kind < 11:
        operation = random.choice(
            ("add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "bvand", "bvor", "bvxor", "shl", "lshr", "ashr")
        )
        found: V = getattr(build, operation)(a, b, width)
        return found
    if kind == 11:
        compared = random.choice((build.eq, build.ult, build.slt, build.sle))(a, b, width)
        return build.ite(compared, a, random.choice((b, random.getrandbits(width))), width)
    other = random.choice([w for w in leaves if w != width])
    c = random_term(random, depth - 1, other, leaves)
    if other > width:
        low = random.randrange(other - width + 1)
        return build.extract(low + width - 1, low, c, other)
    return random.choice((build.sext, build.zext))(c, other, width)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 40))
def test_vectors_mean_what_terms_mean(seed: int) -> None:
    random = Random(seed)
    widths = (1, 3, 8, 32, 63, 64)
    leaves = {w: [build.variable(f"v{w}.{n}", BitVec(w)) for n in range(2)] for w in widths}
    columns = [Column(leaf) for some in leaves.values() for leaf in some]
    edges = (0, 1, -1, 1 << 31, 1 << 63, 5)
    rows = [
        tuple(random.choice((random.getrandbits(64), *edges)) & ((1 << c.width) - 1) for c in columns) for _ in range(12)
    ]
    term = random_term(random, 3, random.choice(widths), leaves)
    if isinstance(term, Term) and possible(term, table := table_of(columns, rows)):
        wanted = [evaluate(term, {str(c.variable.payload): n for c, n in zip(columns, row, strict=True)}) for row in rows]
        assert values_of(term, table).tolist() == wanted


def test_what_is_unknown_refutes_nothing() -> None:
    array, k = build.variable("a", ArraySort(64, 8)), ghost(0, 64)
    element, after = build.select(array, k), build.select(array, build.add(k, 1, 64))
    table = table_of([Column(array)], [({0: 1, 1: 2},), ({},), ({3: 9},), ({0: 2, 1: 1},)])
    assert true_rows(build.ule(element, after, 8), table).tolist() == [True, True, True, False]
    assert true_rows(build.ule(element, 2, 8), table).tolist() == [True, True, False, True]
    assert true_rows(build.eq(build.select(array, 1), 2, 8), table).tolist() == [True, True, True, False]
    assert true_rows(build.and_(build.eq(build.select(array, 9), 2, 8), 0), table).tolist() == [False] * 4


def test_rows_that_refute() -> None:
    """The first one of a chunk, also far behind."""
    numbers = np.zeros(200_000, dtype=np.uint64)
    numbers[150_000] = 1
    x = build.variable("x", BitVec(8))
    table = Table((Column(x),), (numbers,))
    formulas = [build.eq(x, 0, 8), build.ule(x, 1, 8), build.eq(x, 1, 8)]
    assert refuting_rows(formulas, table, lambda: None) == [150_000, None, 0]


# ---------------------------------------------------------------- tables and the ring


def test_distinct() -> None:
    array, x = build.variable("a", ArraySort(64, 8)), build.variable("x", BitVec(8))
    rows = [({0: 1}, 2), ({0: 1}, 2), ({}, 2), ({0: 1, 1: 0}, 2), ({0: 1}, 3), ({}, 2), ({1: 1}, 2)]
    table = table_of([Column(array), Column(x)], rows).distinct()
    assert table.count == 5 and table.support == 7
    assert sorted(table.weights.tolist()) == [1, 1, 1, 2, 2]  # type: ignore[union-attr]
    assert table.distinct().support == 7


def test_hashes_that_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are compared where their hashes are equal."""
    monkeypatch.setattr("counterpoint.inference.table.mixed", np.zeros_like)
    x, array = build.variable("x", BitVec(8)), build.variable("a", ArraySort(64, 8))
    table = table_of([Column(x), Column(array)], [(1, {0: 1}), (1, {0: 1}), (2, {0: 1}), (2, {0: 2}), (2, {}), (2, {})])
    assert table.distinct().count == 4


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 64), st.integers(1, 4), st.integers(0, 6), st.integers(0, 1 << 40))
def test_equations_in_the_ring(width: int, columns: int, rows: int, seed: int) -> None:
    """A planted solution is found, perhaps another one: also with zero divisors."""
    random = Random(seed)
    mask = (1 << width) - 1
    left = [[random.getrandbits(width) << random.randrange(width) & mask for _ in range(columns)] for _ in range(rows)]
    wanted = [random.getrandbits(width) for _ in range(columns)]
    right = [sum(a * b for a, b in zip(row, wanted, strict=True)) & mask for row in left]
    found = solved(np.array(left, dtype=np.uint64).reshape(rows, columns), np.array(right, dtype=np.uint64), width)
    assert found is not None
    for row, value_ in zip(left, right, strict=True):
        assert sum(a * b for a, b in zip(row, found, strict=True)) - value_ & mask == 0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1 << 40))
def test_equations_without_a_solution(seed: int) -> None:
    """Compared with all numbers of three bits."""
    random = Random(seed)
    left = [[random.randrange(8) for _ in range(2)] for _ in range(random.randint(1, 4))]
    right = [random.randrange(8) for _ in left]
    there = any(
        all((row[0] * a + row[1] * b - value_) % 8 == 0 for row, value_ in zip(left, right, strict=True))
        for a in range(8)
        for b in range(8)
    )
    assert (solved(np.array(left, dtype=np.uint64), np.array(right, dtype=np.uint64), 3) is not None) is there


def test_confidence_is_a_threshold() -> None:
    random = Random(1)
    columns = [Column(build.variable(name, BitVec(8))) for name in "abc"]
    rows = [tuple(random.randrange(40) for _ in columns) for _ in range(9)]
    for threshold in (0.0, 0.5, 0.9, 1.0):
        options = replace(Options(), confidence=threshold)
        assert all(likely.confidence >= threshold for likely in infer(table_of(columns, rows), options))
