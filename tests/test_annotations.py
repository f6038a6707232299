"""Annotations in comments: how expressions are read, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import ALL, MODULAR, compile_subject
from counterpoint.frontend.annotations import annotations_of, cprover
from counterpoint.frontend.annotations.acsl import read
from counterpoint.frontend.annotations.expressions import (
    Apply,
    Binary,
    Cast,
    Every,
    Expression,
    Name,
    NoExpression,
    Number,
    Unary,
    parsed,
)
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.frontend.task import SourceTask
from counterpoint.invariants.candidates import sources
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.program.annotations import Says
from counterpoint.regions.cut_graph import cut_graph

A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a + b * c", Binary("+", A, Binary("*", B, C))),
        ("$a + été$2", Binary("+", Name("$a"), Name("été$2"))),
        ("a <= b < c", Binary("&&", Binary("<=", A, B), Binary("<", B, C))),
        ("(a < b) < c", Binary("<", Binary("<", A, B), C)),
        ("a ==> b ==> c", Binary("==>", A, Binary("==>", B, C))),
        ("a || b && c", Binary("||", A, Binary("&&", B, C))),
        ("a == b && c", Binary("&&", Binary("==", A, B), C)),
        ("-a - -010", Binary("-", Unary("-", A), Unary("-", Number(8)))),
        ("(unsigned int)a + 'b'", Binary("+", Cast("unsigned int", A), Number(98))),
        ("\\old(a) != \\null", Binary("!=", Apply("\\old", (A,)), Name("\\null"))),
        ("\\forall integer a; 0 <= a ==> b", Every("a", Binary("==>", Binary("<=", Number(0), A), B))),
    ],
)
def test_expressions(text: str, meant: Expression) -> None:
    assert parsed(text) == meant


@pytest.mark.parametrize("text", ["", "a +", "a b", "(a", "\\forall a;", "a @ b", "'", "0x", "(" * 3000, "-" * 3000, "1.5"])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(NoExpression):
        parsed(text)


# ---------------------------------------------------------------- comments

MARKS = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int seen[100];
/*@ requires n >= 0;
    requires \\forall integer j; 0 <= j < 100 ==> seen[j] == 0 || seen[j] == 1; // assumed
    assigns seen[0 .. 99]; // proved
    ensures \\result <= n;
    ensures \\forall integer j; 0 <= j < 100 ==> seen[j] == 0 || seen[j] == 1;
    behavior none: assumes n == 0; ensures \\result == 0;
*/
int mark(int n)
{
    int c = 0;
    /*@ loop invariant 0 <= c && c <= i && i <= n;
        loop invariant \\forall integer j; 0 <= j < 100 ==> seen[j] == 0 || seen[j] == 1; */
    for (int i = 0; i < n; i++) {
        int k = (i * i) & 63;
        if (!seen[k]) c++;
        seen[k] = 1;
    }
    return c;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000) return 0;
    int c = mark(n);
    if (c > n) reach_error();
    //@ loop invariant 0 <= k; loop invariant \\forall integer j; 0 <= j < 100 ==> seen[j] == 0 || seen[j] == 1;
    for (int k = 0; k < 100; k++)
        if (seen[k] != 0 && seen[k] != 1) reach_error();
    return 0;
}
"""


def _without_offsets(one: Said | Broken) -> Said | Broken:
    return replace(one, comment=-1) if isinstance(one, Broken) else replace(one, comment=-1, offset=-1)


def test_clauses_of_comments() -> None:
    text = (
        'char *s = "/*@ requires no; */"; // /*@ nor this; */\n/*@ requires x > 0; // why\n  @ ensures \\forall int k; k > x;\n'
        "  @ behavior b: assumes x == 1; ensures y; */\n/* of nobody */\nint f(int x)\n{ //@ loop invariant a;\n\n while (1); }\n"
        "/*@ requires a b; ensures c */ int g(void);\n"
    )
    assert [_without_offsets(one) for one in read(text)] == [
        Said(Says.REQUIRES, 6, "x > 0"),
        Said(Says.ENSURES, 6, "\\forall int k; k > x"),
        Said(Says.ENSURES, 6, "y", "(x == 1)"),
        Said(Says.INVARIANT, 9, "a"),
        Broken(10, "`requires a b`", "`b` was not expected"),
        Broken(10, "`ensures c`", "`;` is missing at its end"),
    ]


def test_clauses_of_cbmc(tmp_path: Path) -> None:
    """Of a head that begins in the line before; in comments, strings and directives there are none."""
    text = (
        'char *s = "f() __CPROVER_requires(no)"; /* f() __CPROVER_requires(no) */\n#define P() f() __CPROVER_requires(no)\n'
        "int f(int x) // why\n  __CPROVER_requires(x > 0 && (x < 9))\n  __CPROVER_ensures(__CPROVER_return_value == __CPROVER_old(x))\n"
        "{ for (int i = 0;\n i < x; i++) __CPROVER_assigns(i) __CPROVER_loop_invariant(i /* , */ <= x)\n"
        "  __CPROVER_loop_invariant(__CPROVER_forall { int k; k })\n { __CPROVER_assume(x); } }\n"
    )
    assert list(cprover.read(text)) == [
        Said(Says.REQUIRES, 3, "x > 0 && (x < 9)"),
        Said(Says.ENSURES, 3, "\\result == \\old(x)"),
        Said(Says.INVARIANT, 6, "i <= x"),
        Broken(8, "`loop invariant __CPROVER_forall { int k; k }`", "`{` was not expected"),
    ]
    for broken in ("__CPROVER_requires(", "f()__CPROVER_requires", "f()__CPROVER_requires((", "(" * 9999 + "__CPROVER_requires(1)"):
        assert list(cprover.read(broken)) == []
    file = tmp_path / "f.c"
    file.write_text(
        "unsigned f(unsigned n) {\n  unsigned i = 0;\n  while (i < n)\n    __CPROVER_loop_invariant(i <= n)\n"
        "  { i++; }\n  return i;\n}\nint main(void) { return f(9); }\n"
    )
    assert any("<=u f%0" in fact for fact in _facts(file))


def _facts(file: Path) -> list[str]:
    """What annotations of the file guess at all places of the modular program."""
    program = compile_subject(SourceTask(files=(file,))).program(MODULAR, (ALL,))
    context = Context(cut_graph(program, Budget(60)), Snapshots(), Budget(60))
    (source,) = (one for one in sources() if one.name == "annotations")
    return [str(fact) for fact in source.candidates(context)]


def test_conditions_are_of_the_places(tmp_path: Path) -> None:
    """Entry values, members behind pointers, elements by a ghost; unsigned numbers as such, sums without bounds."""
    file = tmp_path / "f.c"
    file.write_text(
        "unsigned total; struct box { int low; int high; } b;\n"
        "/*@ requires n < 5; ensures total == \\old(total) + n; ensures \\result == n; */\n"
        "unsigned\nadd(unsigned n) { total += n; return n; }\n"
        "/*@ ensures p->high == (int)(\\old(p->high) + 1) && p->nothing == 1; */\n"
        "void bump(struct box *p) { p->high++; }\n"
        "/*@ ensures \\forall integer k; 0 <= k < n ==> a[k] == v; */\n"
        "void fill(int *a, unsigned n, int v) { for (unsigned i = 0; i < n; i++) a[i] = v; }\n"
        "int main(void) { int room[4]; bump(&b); fill(room, 4, add(2)); return room[1]; }\n"
    )
    found = _facts(file)
    assert "add:0: (add%0 <u 5)" in found
    assert "add:exit: (add%0 == add.result0)" in found
    assert any(one.startswith("add:exit: ((") and "zext" in one and "old(total" in one for one in found)
    assert any(one.startswith("bump:exit: ") and "old(b" in one for one in found)
    assert any(one.startswith("fill:exit: ") and "<=u (forall.0 - " in one for one in found)


def test_annotations_help_and_are_not_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what the comments say alone there is a proof, without it none; what is false, or broken, changes nothing."""
    monkeypatch.chdir(tmp_path)
    Path("marks.c").write_text(MARKS)
    Path("plain.c").write_text(MARKS.replace("@", ""))
    Path("false.c").write_text(MARKS.replace("seen[k] = 1", "seen[k] = 2").replace("requires n", "requires (n"))
    given = ["--engine", "houdini", "-O", "houdini.generate=false", "--prepare", "modular", "--no-proof-runs"]
    said = {}
    for name in ("marks", "plain", "false"):
        run_command(["check", f"{name}.c", "--timeout", "60", *given])
        said[name] = capsys.readouterr().out
    assert "VERDICT: TRUE" in said["marks"]
    assert "VERDICT: UNKNOWN" in said["plain"]
    assert "VERDICT: UNKNOWN" in said["false"] and "`requires (n >= 0` is not used" in said["false"]


def test_places_are_called_as_line_directives_say(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    note = "//@ loop invariant a;\nwhile (1);\n"
    file.write_text(f'{note}#line 7 "/g.c"\n{note}\n# 3\n{note}')
    said, _ = annotations_of(SourceTask(files=(file,)))
    assert [(one.file, one.line) for one in said] == [(str(file), 2), ("/g.c", 8), ("/g.c", 4)]


def test_no_comment_stops_a_check(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    for text in ("/*@", "/*@ */", "/*@ requires ", "/*@ ensures (((;", "//@ loop invariant \\forall;\n", "/*@ requires 'é; */", "/*@" * 50_000):
        file.write_text(text + "\nint main(void) { return 0; } /* */\n")
        annotations_of(SourceTask(files=(file,)))
