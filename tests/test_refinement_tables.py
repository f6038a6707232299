"""What the comparison of interpolation methods on the engine's traces measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.methods import method
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import decide
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.walk import variables
from interpolation_tables import QUERY_SECONDS
from refinement_tables import Explanations, Met, collected, in_turn, is_point

COUNTS_TWICE = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) { if (x < 100) { x = x + 1; y = y + 1; } }
  if (x != y) reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> list[Met]:
    file = tmp_path_factory.mktemp("refinement") / "twice.c"
    file.write_text(COUNTS_TWICE)
    return collected(file, 10.0, 2)


def test_collected_traces_are_different_and_have_no_run(met: list[Met]) -> None:
    assert met
    assert len({one.trace.parts for one in met}) == len(met) <= 2
    assert all(isinstance(decide(one.trace.parts, QUERY_SECONDS), Unsat) for one in met)


def test_answers_are_counted_over_components(met: list[Met]) -> None:
    """Of a trace that newton explains, the atoms speak of components: of no variable of a single trace."""
    (one, *_) = met
    score = Explanations("newton")
    score.ask_about(0, Checked(method("newton")), one.trace, 5.0)
    assert score.answered == score.mapped == {0}
    assert score.atoms[0]
    assert not any("@" in str(v.payload) for atom in score.atoms[0] for v in variables(atom))


def test_tasks_come_in_turn(met: list[Met]) -> None:
    """The second trace of a task comes after the first of every other."""
    (one, *_) = met
    first, second = Met(Path("a/a.c"), one.trace), Met(Path("b/b.c"), one.trace)
    assert [taken.family for taken in in_turn([[first, first], [], [second]], 0)] == ["a", "b", "a"]


def test_points_are_equations_with_constants() -> None:
    x, y = (build.variable(name, BitVec(8)) for name in "xy")
    assert is_point(build.eq(x, 3, 8))
    assert not is_point(build.eq(x, y, 8))
