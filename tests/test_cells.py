"""What is learned of cells: ranges, index maps, matrices, single cells, order. Proofs of whole programs beside."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.engines.houdini import carried
from counterpoint.engines.houdini.batches import by_laws, by_rows
from counterpoint.execute.snapshots import RecordingLimits, record
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.invariants.candidates import matrix_indices
from counterpoint.invariants.candidates.cells import SOURCE
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.small_sizes import put_back, sizes, with_small_sizes
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term import build
from counterpoint.term.sorts import BitVec

HEAD = """extern int __VERIFIER_nondet_int(void); extern void abort(void); extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) { int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 30); int a[n], b[n];
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
"""

SHAPES = {
    "reversal": ("for (int i = 0; i < n; i++) b[n - 1 - i] = a[i];", "b#2[*:4][((sext64({n}) - forall.0) + -1)]"),
    "shift": ("for (int i = 0; i + 1 < n; i++) b[i] = a[i + 1];", "a#1[*:4][(forall.0 + 1)]"),
    "shift in place": (
        "for (int i = 0; i < n; i++) b[i] = a[i]; for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1];",
        "a#1[*:4][forall.0] == __cp_main.b#2[*:4][(forall.0 + 1)]",
    ),
    "part": ("for (int i = 2; i < n; i++) b[i] = 9;", "== 9"),
    "stride": ("for (int i = 0; i < n; i += 2) b[i] = 5;", "(forall.0[0:0] != 0)"),
    "line": ("for (int i = 0; i < n; i++) b[i] = 3 * i + 1;", "(forall.0[31:0] * 3)"),
    "case": ("for (int i = 0; i < n; i++) if (a[i] == 10) b[i] = 20;", "a#1[*:4][forall.0] != 10) || (__cp_main.b#2[*:4]"),
    "size": ("for (int i = 0; i < n; i++) b[i] = 1; for (int i = 0; i < n; i++) b[i] += n;", "[forall.0] + -1))"),
    "square": ("for (int i = 0; i < n; i++) b[i] = i * i + i;", "(forall.0[31:0] * forall.0[31:0])"),
    "difference": (
        "int c[n]; for (int i = 0; i < n; i++) c[i] = b[i] = 2 - i; for (int i = 0; i < n; i++) c[i] = a[i] - b[i];",
        "- __cp_main.b#2[*:4][forall.0])",
    ),
    "found": ("int m = a[0]; for (int i = 1; i < n; i++) if (a[i] < m) m = a[i]; b[0] = m;", "<= __cp_main.a#1[*:4][forall"),
}


def learned(text: str, folder: Path) -> list[str]:
    source = folder / "f.c"
    source.write_text(f"{HEAD}{text} for (int i = 0; i < n; i++) check(a[i] + b[i] != 7); return 0; }}\n")
    subject = compile_subject(SourceTask(files=(source,), property="unreach-call", data_model="LP64"))
    graph = cut_graph(subject.program("flat"), Budget(30))
    seen = record(graph.program, graph.cuts, graph.granules)
    found = list(SOURCE.candidates(Context(graph, seen, Budget.of_computing(10))))
    return [str(fact) for fact in surviving(found, seen)]


@pytest.mark.parametrize("name", SHAPES)
def test_learned(name: str, tmp_path: Path) -> None:
    loop, wanted = SHAPES[name]
    found = learned(loop, tmp_path)
    names = {word.split(")")[0] for fact in found for word in fact.split("sext64(")[1:]} | {""}
    assert any(wanted.format(n=name) in fact for fact in found for name in names), "\n".join(found)


def test_what_a_flag_tells_of_cells(tmp_path: Path) -> None:
    """Before it is set, no cell so far is what is looked for; then where it was is next to the index."""
    loop = """int e = __VERIFIER_nondet_int() & 3, p = -1, f = 0; for (int i = 0; i < n; i++) a[i] &= 7;
  for (int i = 0; i < n && !f; i++) if (a[i] == e) { f = 1; p = i; } if (f) b[p] = 1; check(f || p < 0);"""
    found = learned(loop, tmp_path)
    flagged = [fact for fact in found if "!= 0) || (" in fact or "!= 1) || (" in fact]
    assert any("forall.0" in fact and "[forall.0])" in fact for fact in flagged), "\n".join(found)
    assert any("+ 1))" in fact and "forall" not in fact for fact in flagged), "\n".join(found)


def test_a_number_of_the_program_is_no_small_size(tmp_path: Path) -> None:
    """Put back is what stood for a size, not the program's own 10 next to it."""
    program = """int a[100000], b[100000];
int main(void) {
  for (int i = 0; i < 100000; i += 2) { a[i] = __VERIFIER_nondet_int(); if (a[i] == 10) b[i] = 20; }
  for (int i = 0; i < 100000; i += 2) if (a[i] == 10 && b[i] != 20) reach_error();
}"""
    small = sizes(compiled(program, tmp_path).program("flat"))
    assert all(abs(one - own) > 3 for one in small.values() for own in (10, 20))


def test_an_array_is_as_small_as_a_size_next_to_its_own(tmp_path: Path) -> None:
    loop = "int a[100000]; int main(void) { for (int i = 0; i < 99999; i++) if (a[i + 1] < a[i]) reach_error(); }"
    program = compiled(loop, tmp_path).program("flat")
    (small,) = sizes(program).values()
    assert with_small_sizes(program, sizes(program)).globals["a"].size == 4 * (small + 1)


def test_a_range_begins_as_far_in_front_of_the_end_as_a_number(tmp_path: Path) -> None:
    found = learned("for (int i = 0; i < n; i++) b[n - 1 - i] = 7; b[0] = 8;", tmp_path)
    assert any("== 7" in fact and " - sext64(" in fact for fact in found), "\n".join(found)


@pytest.mark.long
def test_large_sizes_are_learned_from_small_ones(tmp_path: Path) -> None:
    """No run gets from the first loop to the last one in time; the facts are about 100,000 cells all the same."""
    source = tmp_path / "f.c"
    source.write_text("""extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int a[100000], b[100000], c[100000];
int main(void) {
  for (int i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < 100000; i++) b[i] = a[i];
  for (int i = 99999; i >= 0; i--) c[99999 - i] = b[i];
  for (int i = 0; i < 100000; i++) if (c[i] != a[99999 - i]) reach_error();
}""")
    subject = compile_subject(SourceTask(files=(source,), property="unreach-call", data_model="LP64"))
    graph = cut_graph(subject.program("flat"), Budget(30))
    seen = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(steps=10_000))
    found = [str(fact) for fact in SOURCE.candidates(Context(graph, seen, Budget.of_computing(10)))]
    whole = [fact for fact in found if "0x186a0 <= forall.0" in fact and "0x1869f" in fact]
    assert any("a[*:4][" in fact and "c[*:4][" in fact and "==" in fact for fact in whole), "\n".join(found)


PLANE = """int a[20][7];
int main(void) {
  for (int i = 0; i < 20; i++) for (int j = 0; j < 7; j++) a[i][j] = 3 * i - j + 5;
  for (int i = 0; i < 20; i++) for (int j = 0; j < 7; j++) if (a[i][j] != 3 * i - j + 5) reach_error();
}"""
"""A matrix whose cells are a plane over row and column, which is no line over the index."""


def plane(folder: Path) -> tuple[Context, list[Fact]]:
    """With the candidates that speak of quotients and hold in all states seen."""
    graph = cut_graph(compiled(PLANE, folder).program("flat"), Budget(30))
    context = Context(graph, record(graph.program, graph.cuts, graph.granules), Budget.of_computing(10))
    found = (fact for source in (matrix_indices.SOURCE, SOURCE) for fact in source.candidates(context))
    return context, surviving([fact for fact in found if "/u" in str(fact)], context.snapshots)


def test_cells_that_are_a_plane_over_row_and_column(tmp_path: Path) -> None:
    _, found = plane(tmp_path)
    cells = [fact for fact in found if "[forall.0] ==" in str(fact) and "%u 7" in str(fact)]
    assert len({fact.place for fact in cells}) == 4, "\n".join(map(str, found))


def test_the_law_of_an_index_needs_no_other_fact(tmp_path: Path) -> None:
    """It is a candidate of Houdini, which takes it for a fact of its place."""
    context, found = plane(tmp_path)
    first, slow = by_rows(found)
    laws, cells = by_laws(slow)
    assert {fact.place for fact in laws} <= set(context.graph.cuts) and len(laws) == 2, "\n".join(map(str, found))
    assert not set(laws) & set(first) and not any(ghosts(fact.formula) for fact in laws)
    with closing(Houdini(context.graph, Budget(60))) as houdini:
        assert set(houdini.extend(laws)) == set(laws)
    assert {fact.place for fact in cells} == set(context.graph.cuts) and not by_laws(first)


def compiled(text: str, folder: Path) -> Subject:
    source = folder / "f.c"
    source.write_text("extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n" + text)
    return compile_subject(SourceTask(files=(source,), property="unreach-call", data_model="LP64"))


def test_two_cells_of_all_of_an_array_are_in_order(tmp_path: Path) -> None:
    """Behind the last cell there is none to compare it with: both are cells of the array, wherever the sorting ends."""
    subject = compiled(
        """int a[100000];
int main(void) {
  for (int i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();
  for (int again = 1; again;) {
    again = 0;
    for (int i = 1; i < 100000; i++) if (a[i - 1] > a[i]) { int t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; again = 1; }
  }
  for (int i = 1; i < 100000; i++) if (a[i - 1] > a[i]) reach_error();
}""",
        tmp_path,
    )
    graph = cut_graph(subject.program("flat"), Budget(30))
    seen = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(steps=10_000))
    found = [str(fact) for fact in SOURCE.candidates(Context(graph, seen, Budget.of_computing(10)))]
    ordered = [fact for fact in found if "[forall.0] <= a[*:4][forall.1])" in fact]
    assert any("!= 0) || " in fact and "0x186a0 <= forall.1)" in fact for fact in ordered), "\n".join(found)


def test_sorting_cell_by_cell_is_in_order_with_what_is_behind(tmp_path: Path) -> None:
    """A prefix is in order with all other cells, and the least of those that were looked at is at a variable."""
    subject = compiled(
        """int a[100000];
int main(void) {
  for (int i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < 100000; i++) {
    int s = i;
    for (int k = i + 1; k < 100000; k++) if (a[k] < a[s]) s = k;
    int t = a[s]; a[s] = a[i]; a[i] = t;
  }
  for (int i = 1; i < 100000; i++) if (a[i - 1] > a[i]) reach_error();
}""",
        tmp_path,
    )
    graph = cut_graph(subject.program("flat"), Budget(30))
    seen = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(steps=10_000))
    found = [str(fact) for fact in SOURCE.candidates(Context(graph, seen, Budget.of_computing(10)))]
    behind = [fact for fact in found if "0x186a0 <= forall.1)" in fact and "<= a[*:4][forall.1])" in fact]
    assert any("forall.0 < 0) || (sext64(" in fact and " <= forall.0)" in fact for fact in behind), "\n".join(found)
    assert any("(a[*:4][sext64(" in fact and "] <= a[*:4][forall.0])" in fact for fact in found), "\n".join(found)


def test_rows_and_columns_are_made_small_as_well(tmp_path: Path) -> None:
    """The numbers of columns are factors, and those of all cells products of two sizes, which are put back."""
    subject = compiled(
        """int a[1000][1500];
int main(void) {
  for (int i = 0; i < 1000; i++) for (int j = 0; j < 1500; j++) a[i][j] = 7;
  for (int i = 0; i < 1000; i++) for (int j = 0; j < 1500; j++) if (a[i][j] != 7) reach_error();
}""",
        tmp_path,
    )
    graph = cut_graph(subject.program("flat"), Budget(30))
    seen = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(steps=10_000))
    found = [str(fact) for fact in SOURCE.candidates(Context(graph, seen, Budget.of_computing(10)))]
    for wanted in (" * 1500)", f"{1000 * 1500:#x} <= forall.0"):
        assert any(wanted in fact and "== 7" in fact for fact in found), "\n".join(found)


def test_what_holds_at_a_loop_is_guessed_behind_it(tmp_path: Path) -> None:
    subject = compiled(
        """int main(void) { unsigned k = 0; for (int i = 0; i < 500; i++) if (__VERIFIER_nondet_int()) k++;
  for (unsigned i = 0; i < k; i++) if (i >= 500) reach_error(); }""",
        tmp_path,
    )
    graph = cut_graph(subject.program("flat"), Budget(30))
    first, second = graph.cuts
    both = {variable_of(c, 64) for c in graph.components(first)} & {variable_of(c, 64) for c in graph.components(second)}
    (count,) = (v for v in both if v.sort == BitVec(32))
    fact = Fact(*first, build.ule(count, 500, 32))
    with closing(Houdini(graph, Budget(30))) as houdini:
        assert Fact(*second, fact.formula) in carried([fact], houdini, Budget(30))


def test_sizes_are_put_back_where_they_fit() -> None:
    narrow, wide = build.variable("narrow", BitVec(8)), build.variable("wide", BitVec(32))
    small = {1000: 13, 100_000: 21}
    assert put_back(build.ule(wide, 13 * 13, 32), small) is build.ule(wide, 1_000_000, 32)
    assert put_back(build.eq(narrow, 13, 8), small) is build.eq(narrow, 13, 8)
    assert put_back(build.ule(wide, 21 * 21, 32), small) is build.ule(wide, 21 * 21, 32)
