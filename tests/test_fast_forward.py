"""States far along a run: reached without the run, and enough to learn what a loop does late."""

from __future__ import annotations

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.invariants.candidates import equalities
from counterpoint.invariants.candidates.cases import SOURCE
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fast_forward import fast_forwarded
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.term import Term
from counterpoint.term.walk import variables

PHASES = (
    "int main(void) { unsigned x = 0, y = 7; while (x < 50000000) { if (x < 40000000) x++; else { x += 2; y++; } }"
    " check(y == 5000007); return 0; }"
)
NESTED = (
    "int main(void) { unsigned s = 0; for (unsigned i = 0; i < 3000000; i++) { for (unsigned j = 0; j < 1000; j++) s++; }"
    " check(s == 3000000000u); return 0; }"
)

SUM = (
    "int main(void) { int n = any(), i, s = 0; if (n <= 0 || n > 1000000) return 0; int *a = malloc(4ul * n);"
    " for (i = 0; i < n; i++) a[i] = 1; for (i = 0; i < n; i++) s += a[i]; for (i = 0; i < n; i++) a[i] += s;"
    " for (i = 0; i < n; i++) check(a[i] == n + 1); return 0; }"
)


def seen(text: str) -> tuple[CutGraph, Snapshots, Snapshots]:
    graph = cut_graph(program(text), Budget(90))
    short = record(
        graph.program,
        graph.cuts,
        graph.granules,
        limits=RecordingLimits(steps=2_000, longest_steps=2_000, long_steps=2_000),
    )
    return graph, short, fast_forwarded(graph, short, Budget(90))


def values(snapshots: Snapshots, name: str) -> set[int]:
    found = set()
    for visits in snapshots.at.values():
        for visit in visits:
            found |= {v for k, v in visit.values.items() if str(k.payload) == name and isinstance(v, int)}
    return found


def test_a_loop_is_followed_into_its_second_phase_and_to_its_end() -> None:
    graph, short, longer = seen(PHASES)
    (place,) = (p for p in graph.cuts if p[1] >= 0)
    pairs = {tuple(v for v in visit.values.values() if isinstance(v, int))[:2] for visit in longer.at[place]}
    assert (50_000_000, 5_000_007) in pairs and (40_000_000, 7) in pairs
    assert max(max(pair) for pair in pairs) == 50_000_000
    assert len(short.at[place]) < len(longer.at[place])


def test_all_states_of_a_deterministic_loop_lie_on_its_run() -> None:
    graph, _, longer = seen(PHASES)
    (place,) = (p for p in graph.cuts if p[1] >= 0)
    for visit in longer.at[place]:
        x, y = tuple(v for v in visit.values.values() if isinstance(v, int))[:2]
        assert y == 7 + max(0, x - 40_000_000) // 2


def test_nested_loops_are_skipped_from_the_inside_out() -> None:
    _, _, longer = seen(NESTED)
    assert any(3_000_000_000 in values(longer, str(k.payload)) for v in longer.at.values() for s in v for k in s.values)


def test_cases_are_learned_from_both_phases() -> None:
    graph, _, longer = seen(PHASES)
    (place,) = (p for p in graph.cuts if p[1] >= 0)
    facts = [f.formula for f in SOURCE.candidates(Context(graph, longer, Budget(90))) if f.place == place]
    x, y = [k for k in longer.at[place][0].values if k.sort == next(iter(longer.at[place][0].values)).sort][:2]

    def true_at(formula: object, a: int, b: int) -> bool:
        assert isinstance(formula, Term)
        return evaluate(formula, {str(x.payload): a, str(y.payload): b}) == 1

    late = [f for f in facts if true_at(f, 45_000_000, 2_500_007) and not true_at(f, 45_000_000, 2_500_008)]
    early = [f for f in facts if true_at(f, 100, 7) and not true_at(f, 100, 8)]
    assert late and early
    assert build.and_(late[0], early[0]) != 0


def test_numbers_that_extrapolated_states_do_not_know_are_learned_from_the_others() -> None:
    graph, _, _ = seen(SUM)
    snapshots = record(graph.program, graph.cuts, graph.granules)
    longer = fast_forwarded(graph, snapshots, Budget(90))
    last = sorted(place for place in graph.cuts if place[1] >= 0)[-2]
    widths = {len([v for v in visit.values.values() if isinstance(v, int)]) for visit in longer.at[last]}
    assert len(widths) > 1  # some visits know the sum
    facts = [fact for fact in equalities.SOURCE.candidates(Context(graph, longer, Budget(90))) if fact.place == last]
    assert any(len(variables(fact.formula)) == 2 for fact in facts)  # sum == n
