"""Failing runs in the source's words: what is wrong, what lines changed, and no name that the source does not have."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from c_programs import PRELUDE
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import UNPREPARED, WRITTEN, compile_subject
from counterpoint.explain.failing import Failure
from counterpoint.explain.story import Story, story
from counterpoint.explain.undetermined import undetermined
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import ScalarInput

FOLDER = tempfile.TemporaryDirectory()
FIRST_LINE = PRELUDE.count("\n") + 1
PATH = re.compile(r"\*?\(?\*?[A-Za-z_]\w*\)?(?:\[-?\d+(?:\.\.\d+)?\]|(?:\.|->)[A-Za-z_]\w*)*\Z")


def told(text: str, property_: str = "memory-safety", inputs: tuple[int, ...] = ()) -> Story:
    """The run of the text with these values of `any`; every name is one of the text."""
    file = Path(FOLDER.name) / "program.c"
    file.write_text(PRELUDE + text)
    made = compile_subject(SourceTask(files=(file,), property=property_))
    program = made.program(UNPREPARED)
    sites = [site.index for site in program.sites if site.kind == "call"]
    values = tuple(ScalarInput(sites[0], value & 0xFFFFFFFF, 32) for value in inputs)
    found = run(program, ReplayInputs(values), Limits(steps=300_000))
    assert isinstance(found.outcome, Violated)
    told_ = story(made.program(WRITTEN), found.outcome.check, found.inputs, found.steps)
    assert told_ is not None
    for line in told_.lines:
        for change in line.changes:
            assert PATH.match(change.name), change
            assert all(word in text for word in re.findall(r"[A-Za-z_]\w*", change.name)), change
    return told_


def failure(text: str, property_: str = "memory-safety", inputs: tuple[int, ...] = ()) -> Failure:
    found = told(text, property_, inputs).failure
    assert found is not None
    return found


def unplaced(text: str) -> str:
    """Without names of files and numbers of lines."""
    return re.sub(r"\w+\.c:\d+", "F", text)


def changed(found: Story) -> dict[str, str]:
    return {change.name: change.text for line in found.lines for change in line.changes}


MESSAGES = [
    ("int main(void) { char d[80]; int i = 80; return d[i]; }", "reads d[80] (`d[i]` with i = 80), but `d` has 80 bytes (F)", "bounds"),
    (
        "struct n { int v; struct n *next; }; int main(void) { struct n a = {1, 0}, *p = &a; return p->next->v; }",
        "reads through the null pointer `p->next`: `p->next->v`",
        "null",
    ),
    (
        "int *make(void) { return malloc(12); } int main(void) { int *p = make(); if (p) p[3] = 1; return 0; }",
        "`p[3]`: writes 4 bytes at offset 12 of a block of 12 bytes allocated at F (in make, called at F)",
        "bounds",
    ),
    (
        "void drop(int *q) { free(q); } int main(void) { int *p = malloc(4); drop(p); return *p; }",
        "reads `*p` in a block that was freed at F (called at F)",
        "freed",
    ),
    ("int *f(void) { int b[2]; return b; } int main(void) { return *f(); }", "reads local `b` of `f` after `f` has returned", "scope"),
    (
        "int main(void) { int *p; { int x = 3; p = &x; } return *p; }",
        "reads local `x` of `main` after its block ended (F)",
        "scope",
    ),
    (
        "unsigned long strlen(const char *); int main(void) { char s[2] = {'a', 'b'}; return strlen(s); }",
        "string `s` has no terminating null within its 2 bytes (strlen called at F)",
        "string",
    ),
    (
        "void *memcpy(void *, const void *, unsigned long);"
        "int main(void) { char a[8], b[16] = {0}; memcpy(a, b, 12); return a[0]; }",
        "memcpy writes 12 bytes into `a`, which has 8 bytes (F)",
        "bounds",
    ),
    ("int main(void) { int *p = malloc(4); free(p); free(p); }", "frees a block for the second time: it was freed at F", "freed"),
    ('int main(void) { char *s = "ab"; s[1] = 0; }', "writes to a string literal, which is constant", ""),
]


@pytest.mark.parametrize(("text", "message", "cause"), MESSAGES)
def test_an_access_is_told_by_its_object(text: str, message: str, cause: str) -> None:
    found = failure(text)
    assert (unplaced(found.message), found.cause) == (message, cause)


def test_a_leak_says_where_the_last_pointer_went() -> None:
    found = failure("char *dup(void) { return malloc(3); } int main(void) { char *b = dup();\n b = 0;\n return 0; }")
    assert "3 bytes allocated" in found.message and "in dup, called at" in found.message
    assert f"`b` was overwritten at program.c:{FIRST_LINE + 1}" in found.message
    kept = failure("struct n { struct n *p; } *g; int main(void) { g = malloc(8); g->p = malloc(8); free(g); }")
    assert "`g->p` was freed" in kept.message
    assert failure("int main(void) { malloc(5); }").explanation[-1] == "Its address was kept nowhere."
    ends = failure("void f(void) { char *c = malloc(7); } int main(void) { f(); }")
    assert "the life of `c` ended" in ends.message


def test_overflows_name_their_operands() -> None:
    add = failure("int main(void) { int k = 2147483647, n = 1; k = k + n; }", "no-overflow")
    assert add.message == "2147483647 + 1 overflows int (`k + n`)"
    minus = failure("int main(void) { long k = -9223372036854775807L - 1; k = -k; }", "no-overflow")
    assert minus.message.startswith("-(-9223372036854775808) overflows long")
    shift = failure("int main(void) { int k = 1073741824, n = 2; k = k << n; }", "no-overflow")
    assert shift.message == "1073741824 << 2 overflows int (`k << n`)"


def test_divisions_name_their_operands() -> None:
    zero = failure("int main(void) { int n = any(), d = n - n; return 100 % d; }", "division")
    assert zero.message == "100 % 0 divides by zero (`100 % d`)"
    least = failure("int main(void) { int k = -2147483647 - 1, d = -1; return k / d; }", "division")
    assert least.message == "-2147483648 / (-1) overflows int (`k / d`)"


def test_an_assertion_names_its_condition() -> None:
    text = "void my_assert(int c) { if (!c) reach_error(); }\nint main(void) { int x = 3, y = any(); my_assert(x < y || y); }"
    assert failure(text, "unreach-call").message == "`x < y || y` is false (x = 3, y = 0)"
    text = "void my_assert(int c) { if (!c) reach_error(); }\nint main(void) { int y = sizeof \"é\" - 2; my_assert(y < 2); my_assert(y > 2); my_assert(y); }"
    assert failure(text, "unreach-call").message == "`y > 2` is false (y = 1)"
    text = "struct s { int n; } a, *p = &a; int main(void) {\n if (p->n == 0)\n reach_error(); }"
    assert failure(text, "unreach-call").message == "reach_error() is called: `p->n == 0` holds (p->n = 0)"
    text = "int main(void) { int x = any(); if (x < 9) return 0; if (x > 5 && x != 7) { ERROR: reach_error(); } }"
    assert "`x > 5 && x != 7` holds (x = " in failure(text, "unreach-call", (12,)).message


@pytest.mark.parametrize(
    "body",
    [
        "if (x < 0) return 0; reach_error();",
        "if (x < 0) return 0;\n reach_error();",
        "while (x < 0) { x++; } reach_error();",
        "if (x < 0) { return 0; }\n reach_error();",
    ],
)
def test_a_branch_that_was_not_taken_is_no_condition(body: str) -> None:
    found = told(f"int main(void) {{ int x = any();\n {body} }}", "unreach-call", ()).failure
    assert found is None or "holds" not in found.message


def test_values_have_the_types_of_the_source() -> None:
    text = """enum e { A, B = 5 } mode; _Bool flag; unsigned char u[3]; double d; const char *msg; char c; unsigned w;
struct { unsigned f : 3; int neg : 5; struct { short x; }; union { int i; } un; int m[2][2]; } r; int *q; int (*fn)(void);
int zero(void) { return 0; }
int main(void) { mode = B; flag = 1; u[1] = 200; d = 0.25; msg = "hi\\n"; c = 'a'; w = 4294967295u;
  r.f = 5; r.neg = -3; r.x = -7; r.un.i = 9; r.m[1][0] = 4; q = &r.m[1][0]; fn = zero;
  reach_error(); }"""
    values = changed(told(text, "unreach-call"))
    expected = {
        "mode": "B", "flag": "true", "u[1]": "200", "d": "0.25", "msg": '"hi\\n"', "c": "'a' (97)", "w": "4294967295",
        "r.f": "5", "r.neg": "-3", "r.x": "-7", "r.un.i": "9", "r.m[1][0]": "4", "q": "r.m[1]", "fn": "zero",
    }  # fmt: skip
    assert values == expected


def test_loops_are_folded() -> None:
    text = """int main(void) { int s = 0, n = 20;
  for (int i = 0; i < n; i++) {
    s += i;
  }
  if (s == 190) reach_error(); }"""
    found = told(text, "unreach-call")
    folded = [line for line in found.lines if line.folded]
    assert [line.folded for line in folded] == [19] and len(found.lines) == 6
    assert [(change.name, change.text) for change in folded[0].changes] == [("i", "19"), ("s", "190")]


def test_calls_show_their_arguments_and_recursion_only_its_first_lines() -> None:
    text = "int fib(int n) { if (n < 2) return n;\n return fib(n - 1) + fib(n - 2); }\nint main(void) { if (fib(12)) reach_error(); }"
    found = told(text, "unreach-call")
    assert len(found.lines) < 12
    assert [change.text for line in found.lines for change in line.changes if change.name == "n"] == ["12", "11", "10"]


def test_writes_of_neighbours_are_one_change() -> None:
    text = """void *memcpy(void *, const void *, unsigned long); char b[8]; int v[6];
int main(void) { char *p = malloc(4); if (!p) return 0;
  memcpy(b, "ab\\0\\3", 5);
  for (int i = 1; i < 4; i++) v[i] = i;
  for (int i = 0; i < 4; i++) p[i] = 'x';
  return b[8]; }"""
    values = changed(told(text))
    assert values["b"] == '"ab\\0\\x03"' and values["v[1..3]"] == "{1, 2, 3}" and values["p[0..3]"] == '"xxxx"'


def test_what_does_not_bear_on_the_failure_is_set_aside() -> None:
    text = """int twice(int x) { return 2 * x; }
int main(void) { int a = any();
  int b = 7;
  b = twice(b);
  int c = a;
  int *p = 0;
  if (c == 0) p = &a;
  b = b + 1;
  return p[c + 1]; }"""
    lines = {line.at.line - FIRST_LINE: line.aside for line in told(text).lines if not line.depth}
    assert [number for number, aside in lines.items() if not aside] == [1, 4, 6, 8]
    assert lines[3] and lines[5] and lines[7]


def test_strings_and_buffers_are_quoted() -> None:
    text = r"""void *memset(void *, int, unsigned long); unsigned char u[40]; char s[4], t[9]; const char *lit;
int main(void) { memset(u, 255, 40); s[0] = '"'; s[1] = '\\'; s[2] = '\n'; t[8] = 1; lit = "a\"b";
  return lit[9]; }"""
    found = told(text)
    values = changed(found)
    assert values["u"] == "all 255" and values["s"] == r'"\"\\\n"' and values["lit"] == r'"a\"b"'
    assert found.failure is not None and r'the string "a\"b" has 4 bytes' in found.failure.message


def test_deep_recursion_and_odd_types_are_told() -> None:
    deep = "int d(int n) { if (n == 0) reach_error();\n return d(n - 1) + 1; } int main(void) { return d(3000); }"
    assert len(told(deep, "unreach-call").lines) <= 501
    odd = """struct s { struct { union { int i; struct { char c; short b : 9; }; }; }; struct s *self; int m[2][3]; int tail[]; };
typedef int vec __attribute__((vector_size(16))); _Complex double z; long double l; __int128 w;
int main(void) { int n = 3; int vla[n]; struct s *p = malloc(sizeof *p + 8); if (!p) return 0; vec q = {1, 2, 3, 4};
  p->self = p; p->self->self->i = 4; p->tail[1] = 6; w = -1; vla[2] = q[1];
  reach_error(); }"""
    values = changed(told(odd, "unreach-call"))
    assert values["p->tail[1]"] == "6" and values["vla[2]"] == "2" and values["n"] == "3"


def test_undetermined_parts_are_named() -> None:
    text = "struct r { int a, len; }; int main(void) { struct r r; r.a = 1; int z = any(); if (r.len == 5) reach_error(); }"
    file = Path(FOLDER.name) / "program.c"
    file.write_text(PRELUDE + text)
    made = compile_subject(SourceTask(files=(file,), property="unreach-call"))
    sites = [site.index for site in made.program(UNPREPARED).sites if site.name == "r"]
    program = made.program(WRITTEN)
    found = [undetermined(program, (ScalarInput(site, 5, 32),)) for site in sites]
    assert ("r.len",) in found and undetermined(program, (ScalarInput(sites[0], 0, 32),)) == ()


def test_long_runs_are_told_quickly_and_shortly() -> None:
    text = """struct n { struct n *next; int v; } *h; int main(void) {
  for (int i = 0; i < 3000; i++) { struct n *x = malloc(sizeof *x);
    if (!x) return 0;
    x->next = h; x->v = i; h = x; }
  int *p = 0; return *p; }"""
    assert len(told(text).lines) < 20


def test_each_change_says_whose_variable_it_is() -> None:
    found = told(
        "static int total; static void add(int *sum, int n) { int twice = 2 * n; *sum += twice; total++; }\n"
        "static int deep(int n) { int own[2] = {0, 0}; add(&own[1], n); return own[1]; }\n"
        "int main(void) { int result = deep(3); if (result == 6) { char d[2]; return d[result]; } return 0; }\n"
    )
    owners = {(change.name, line.depth, change.depth) for line in found.lines for change in line.changes}
    assert {("twice", 2, 2), ("n", 2, 2), ("own[1]", 2, 1), ("total", 2, -1), ("result", 0, 0)} <= owners


@pytest.mark.parametrize("type_", ["long long", "long"])
def test_a_bit_field_has_its_type_and_no_shifts(type_: str) -> None:
    made = f"struct s {{ {type_} a : 40; int pad; }} g; int main(void) {{ g.a = 0x7fffffffffLL; "
    found = failure(made + "long long c = g.a * g.a * 3; return (int)c; }", "no-overflow")
    assert found.message == f"549755813887 * 549755813887 overflows {type_} (`g.a * g.a`)"


def test_no_type_is_said_that_is_not_known() -> None:
    """Of 64 bits there may be two."""
    text = "long long two(void) { return 2; } int main(void) { return (int)(two() * 0x7fffffffffffffffLL); }"
    assert failure(text, "no-overflow").message.startswith("2 * 9223372036854775807 overflows 64 bits")
