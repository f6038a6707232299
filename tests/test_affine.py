"""Affine equations by abstract interpretation: under branching, through calls, between widths; long sums."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.invariants.candidates.affine import SOURCE
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.linear_space import ONE, LinearSpace
from counterpoint.regions.cut_graph import CutGraph, cut_graph

NONDET = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"

BRANCHES = """int main(void) {
  int v3 = 0, v4 = 0, i = 0, j = 0, k = 0, l = 0;
  while (__VERIFIER_nondet_int()) {
    int c = __VERIFIER_nondet_int();
    if (c > 0) { v3++; if (c > 5) { v4 += 2; l++; } else { j--; l--; } l++; if (c > 5) l++; }
    else if (c < -10) { i += 3; l += 3; } else if (c < -5) { k -= 7; l -= 7; } else { i++; j--; }
    if (__VERIFIER_nondet_int()) { v3 += 5; l += 5; }
  }
  if (v3 + v4 + i + j + k != l) reach_error();
}"""

CALLS = """int a, b;
void f(int n) {
  if (n <= 0) return;
  a += 2; b++;
  if (__VERIFIER_nondet_int()) f(n - 1); else { f(n - 2); b--; a -= 2; }
}
int main(void) { a = 0; b = 0; f(__VERIFIER_nondet_int()); if (a != 2 * b) reach_error(); }"""

WIDTHS = """int main(void) {
  long s = 0; int n = 0;
  for (int i = 0; i < 1000; i++) { if (__VERIFIER_nondet_int()) { s += 3; n++; } }
  if (s != 3L * n) reach_error();
}"""


def graph_of(text: str, folder: Path) -> CutGraph:
    source = folder / "f.c"
    source.write_text(NONDET + text)
    subject = compile_subject(SourceTask(files=(source,), property="unreach-call", data_model="LP64"))
    return cut_graph(subject.program("flat"), Budget(30))


@pytest.mark.parametrize("text", [BRANCHES, CALLS], ids=["branches", "calls"])
def test_equations_are_enough(text: str, tmp_path: Path) -> None:
    graph = graph_of(text, tmp_path)
    houdini = Houdini(graph, Budget(30))
    try:
        houdini.extend(SOURCE.candidates(Context(graph, Snapshots(), Budget(5))))
        assert not houdini.open_regions()
    finally:
        houdini.close()


def test_narrow_numbers_are_related_to_wide_ones(tmp_path: Path) -> None:
    graph = graph_of(WIDTHS, tmp_path)
    found = [str(fact) for fact in SOURCE.candidates(Context(graph, Snapshots(), Budget(5)))]
    assert any("sext64" in fact for fact in found), found


def test_a_wrong_equation_is_not_found(tmp_path: Path) -> None:
    graph = graph_of(BRANCHES.replace("l += 5", "l += 6"), tmp_path)
    assert not list(SOURCE.candidates(Context(graph, Snapshots(), Budget(5))))


def test_space_of_points_and_directions() -> None:
    space = LinearSpace()
    assert space.empty
    assert space.add({ONE: 1, 1: 3, 2: 6})
    assert space.add({1: 1, 2: 2})
    assert not space.add({ONE: 1, 1: 5, 2: 10})
    assert space.annihilators([ONE, 1, 2], 100) == [{2: 1, 1: -2}]
    space.cut({ONE: 7, 1: -1})
    assert space.annihilators([ONE, 1, 2], 100) == [{1: 1, ONE: -7}, {2: 1, ONE: -14}]
    space.cut({ONE: 1, 1: 1})
    assert space.empty


def test_nothing_is_said_of_where_the_next_object_lies(tmp_path: Path) -> None:
    """That the counter is so far behind an object holds as regions place objects, and in no other run."""
    text = """int main(void) {
      int a[9], n = 0, m = 0; int *p = a;
      while (__VERIFIER_nondet_int()) { p[n & 7] = n; n++; m += 2; }
      if (m != 2 * n) reach_error();
    }"""
    graph = graph_of(text, tmp_path)
    said = [str(fact.formula) for fact in SOURCE.candidates(Context(graph, Snapshots(), Budget(5)))]
    assert said and not any("counter" in one for one in said)
