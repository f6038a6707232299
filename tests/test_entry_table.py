"""What a table says of all its runs at once is what each of them says, whenever they were put into it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.entries.explored import Explored, Sample
from counterpoint.entries.literals import COMPARISONS, Literal, Rank, holds

SOURCES = ("p", "q", "n", "m")
WAYS = st.frozensets(st.integers(0, 6), max_size=4)

states = st.dictionaries(st.sampled_from(SOURCES), st.integers(-3, 3) | st.just(1 << 63), max_size=4)
runs = st.builds(
    lambda state, failed, reached, beside: Sample(state, failed, reached, (), reached | beside),
    states, st.none() | st.integers(0, 2), WAYS, WAYS,
)  # fmt: skip
sides = st.integers(-2, 2) | st.sampled_from(SOURCES)
needs = st.lists(st.sampled_from(("p", "q")), max_size=2).map(tuple)
literals = st.builds(
    lambda left, operator, right, needs, times: Literal(
        Rank.PAIR, left, operator, right, f"{left}{operator}{right}", "", needs, times=times
    ),
    st.sampled_from(SOURCES), st.sampled_from(sorted(COMPARISONS)), sides, needs, st.integers(1, 3),
)  # fmt: skip
clauses = st.lists(literals, min_size=1, max_size=3).map(tuple)


@given(st.lists(runs, max_size=12), st.lists(runs, max_size=12), st.lists(clauses, max_size=3))
def test_a_table_says_of_runs_what_each_says(
    first: list[Sample], later: list[Sample], asked: list[tuple[Literal, ...]]
) -> None:
    explored = Explored(list(first))
    table = explored.table
    for more in ([], later):
        explored.samples.extend(more)
        rows = explored.samples
        for clause in asked:
            assert table.among(table.keeping(clause)) == [one for one in rows if holds(clause, one.state)]
            for literal in clause:
                assert table.among(table.meeting(literal)) == [one for one in rows if literal.is_met(one.state)]
        kept = [one for one in rows if all(holds(clause, one.state) for clause in asked)]
        bits = table.keeping_all(asked)
        assert table.among(bits) == kept and bits.bit_count() == len(kept)
        passed = [one for one in rows if one.failed is None]
        assert table.among(table.passed) == passed and len(explored.passing()) == len(passed)
        assert table.among(table.failing_in((0, 2))) == [one for one in rows if one.failed in (0, 2)]
        assert table.taken(bits) == _count([one.reached for one in kept])
        beside = [one.reached | one.everywhere & {1, 5} for one in kept]
        assert table.taken(bits, {1, 5}) == _count(beside)
        assert table.taken_anywhere(bits) == _count([one.everywhere for one in kept])
        assert table.taken_below(bits) == {way for one in kept for way in one.everywhere - one.reached}
        assert table.among(table.all) == rows


def _count(taken: list[frozenset[int]]) -> dict[int, int]:
    return {way: sum(way in one for one in taken) for way in frozenset[int]().union(*taken)}
