"""`check --entry-each`: functions from arbitrary callers, their preconditions and findings."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.contracts.declarations import declarations
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.source import SourceLocation
from counterpoint.entries.asked import Asked, under
from counterpoint.entries.checking import NOT_ASKED, Unit, _Checking
from counterpoint.entries.compiling import compiled
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.explored import Explored, Sample
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.findings import AT_START, Entries, Entry, Finding, Grade, Required
from counterpoint.entries.fixed import at_start
from counterpoint.entries.inputs import CallerInputs, NearInputs
from counterpoint.entries.judging import ENOUGH, judged
from counterpoint.entries.kept import Kept, kept_for
from counterpoint.entries.learning import Passing, clause_for, is_compared, is_restriction_to_null
from counterpoint.entries.literals import Literal, Rank, State, condition_of, holds, literals, text_of
from counterpoint.entries.members import works_with_heap
from counterpoint.entries.own_numbers import functions_of, offsets_in, ones_in
from counterpoint.entries.request import EntryEach
from counterpoint.entries.run import _small_first, _task, _texts, run
from counterpoint.entries.spots import where
from counterpoint.entries.tested import is_null_test
from counterpoint.entries.told import without_caller
from counterpoint.execute.inputs import SmallInputs
from counterpoint.execute.interpreter import run as interpret
from counterpoint.execute.outcome import Finished
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import Subject
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.portfolio.side_by_side import Limits, Lost, telling
from counterpoint.program.inputs import MemoryInput, ScalarInput
from counterpoint.program.source_lines import SourceLines
from counterpoint.report.entry_json import entries_json
from counterpoint.report.entry_lines import count_of, lines_of, summary_of
from counterpoint.report.entry_page import entries_page
from counterpoint.report.sarif import entries_sarif
from schema import violations

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "entries-schema.json").read_text())

LIBRARY = """#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int key; char *name; };
typedef int (*callback)(int, void *);
struct ops { callback run; void *data; };
int table[10];
int first(struct node *l) { return l->key; }
int before(struct node *l) { int k = l->key; if (l == NULL) return -1; return k; }
int behind(struct node *l) { if (l) l->key = 0; return l->key; }
static int twice(int *p) { free(p); free(p); return 0; }
int total(const int *a, int n) { int s = 0; for (int i = 0; i <= n; i++) s ^= a[i]; return s; }
int guarded(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= a[i]; return s; }
int look(int i) { return table[i]; }
int both(struct node *l, int n) { if (n > 3) return l->key; return 0; }
int deep(struct node *l) { return l ? l->next->key : 0; }
int call(callback f, void *data) { return f ? f(1, data) : 0; }
int through(struct ops *o) { return o->run(1, o->data); }
size_t length(const char *text) { return strlen(text); }
void lose(void) { char *p = malloc(3); p[0] = 1; }
int use(void) { return first(0); }
struct node *push(struct node *head) { struct node *n = malloc(sizeof *n); n->next = head; return n; }
char *join(const char *a, const char *b)
{
    if (a == NULL || b == NULL) return NULL;
    size_t n = strlen(a), m = strlen(b);
    char *r = malloc(n + m);
    r[n + m] = 0;
    return r;
}
int two(int *p, int *q) { *p = 1; return *q; }
int kept(void) { static int *p; return *p; }
int many(const char *format, ...) { return format[0]; }
int second(int (*g[2])(void)) { return g[1](); }
struct all { int (*all[2])(void); };
int member(struct all *o) { return o->all[1](); }
struct bits { unsigned a : 3; int : 0; unsigned b : 2; };
int bits(struct bits *p) { return p->a; }
int row(int (*m)[4]) { return (*m)[3]; }
int far(struct node *l) { return l->next->next->key; }
int farther(struct node *l) { if (!l) return 0; return l->next->next->key; }
int below(struct node *l) { return l->next ? first(l->next->next) : first(l->next); }
void amiss(struct node *l, int n) { if (l && l->name && n > 2) free(l->name + 1); }
struct unknown;
struct holder { struct unknown *it; };
void drop(struct holder *h) { if (h) free(h->it); }
const char *until(const char *s, char c) {
    while (*s != c) s++;
    return s;
}
unsigned sum(unsigned sum, const char *p, unsigned n) {
    if (n == 1)
        return sum + p[0];
    if (p == NULL)
        return 1;
    while (n--)
        sum += *p++;
    return sum;
}
void comment(char **at) {
    *at += 2;
    while (**at != 0 && **at != 10) ++*at;
}
int insert(struct node *l, struct node *n) { if (l && l->next && l->next->key > 2) { n->next = l; } return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("entries") / "library.c"
    path.write_text(LIBRARY)
    return path


@cache
def _environments(library: Path) -> dict[str, Environment]:
    task = SourceTask((library,), property="memory-safety")
    declared = declarations(task, library)
    found = {}
    for function in declared.functions.values():
        if function.file in ("", str(library)) and not function.variadic:
            found[function.name] = environment(declared, function)
    return found


@cache
def _explored(library: Path) -> dict[str, tuple[Explored, list[str]]]:
    """For each function what runs say, and why failures are findings."""
    environments = _environments(library)
    path = library.with_name("callers.c")
    path.write_text(header(str(library)) + "\n".join(one.text() for one in environments.values()))
    found = {}
    compiled = compile_file(SourceTask((path,), property="memory-safety"), path)
    for name, one in environments.items():
        task = SourceTask((library,), property="memory-safety", entry=one.entry)
        program = Subject(task, define_task(task, [compiled])).program("none")
        pool = tuple(value for value in constants(program) if 1 < value < 1000)
        mine = functions_of(program, name)
        vocabulary = literals(one, (*ones_in(mine), *one.sizes), offsets_in(mine))
        exploration = Exploration(program, one, vocabulary, pool, 0)
        runs = exploration.run(Budget(10))
        found[name] = (runs, [verdict.contradiction for verdict in judged(runs, exploration.lines, one)])
    return found


def _clauses(library: Path, name: str) -> list[str]:
    return [text_of(clause) for clause in _explored(library)[name][0].clauses]


@pytest.mark.parametrize(
    ("name", "clauses"),
    [
        ("first", ["l != \\null"]),
        ("look", ["i >= 0", "i < 10"]),
        ("both", ["l != \\null || n <= 3"]),
        ("deep", ["l != \\null ==> l->next != \\null"]),
        ("call", []),
        ("through", ["o != \\null", "o != \\null ==> o->run != \\null"]),
        ("length", ["text != \\null"]),
        ("push", []),
        ("guarded", ["a != \\null || n <= 0"]),
        ("insert", ["n != \\null"]),
        ("sum", ["p != \\null || n != 1"]),
    ],
)
def test_what_fails_gives_the_precondition(library: Path, name: str, clauses: list[str]) -> None:
    found = _clauses(library, name)
    if name in ("both", "guarded", "sum"):  # which of several words for it comes first is not the point
        assert len(found) == 1 and found[0].startswith(clauses[0].split(" ||")[0]), found
        return
    assert sorted(found) == sorted(clauses)
    assert _explored(library)[name][1] == [""] * len(clauses)


def test_what_hangs_on_the_characters_is_not_said_of_a_number(library: Path) -> None:
    """All strings end with a 0: that this is looked for is what no failing run does, and not what a caller has to do."""
    runs, _ = _explored(library)["until"]
    assert runs.failures and any(one.clause is None for one in runs.failures)
    assert not any("c" in text_of(clause).split() for clause in runs.clauses)


def test_a_block_has_the_bytes_that_the_function_steps_over(library: Path) -> None:
    """Between them and the start of the block, and one more."""
    assert "at != \\null && *at != \\null ==> \\valid(*at + (0 .. 2))" in _clauses(library, "comment")


@pytest.mark.parametrize(
    ("line", "compared"),
    [
        ("while (*s != c) s++;", True),
        ("for (; i < c; i++)", True),
        ("if (c >= 0) f(s);", True),
        ("if (p->c == d->c)", True),
        ("return s[c];", False),
        ("if (s[c] < c)", False),
        ("c->s + 1", False),
        ("x = y >> c;", False),
        ("return s[0];", False),
    ],
)
def test_a_line_that_only_compares_with_a_number(line: str, compared: bool) -> None:
    assert is_compared(_literal(Rank.SIGN, "c", ">=", 0, "c >= 0"), line) is compared


@pytest.mark.parametrize("name", ["before", "behind"])
def test_what_contradicts_the_functions_own_test_is_a_finding(library: Path, name: str) -> None:
    assert _explored(library)[name][1] != [""]
    assert "tests `l`" in _explored(library)[name][1][0]


def test_what_fails_with_every_valid_pointer_is_a_finding(library: Path) -> None:
    assert "whenever p is not null" in _explored(library)["twice"][1][0]


def test_what_fails_with_every_two_valid_pointers_is_a_finding(library: Path) -> None:
    assert _explored(library)["join"][1] == ["it fails whenever a and b are not null"]


def test_a_precondition_that_kills_a_branch_is_a_finding(library: Path) -> None:
    said = ("no call the other", "every call fails")
    assert any(one in why for one in said for why in _explored(library)["total"][1])


def test_what_is_freed_wrongly_wherever_it_is_freed_is_a_finding(library: Path) -> None:
    assert any("every call fails that leaves" in why for why in _explored(library)["amiss"][1])


def test_objects_of_which_only_the_address_is_known_are_freed_by_others(library: Path) -> None:
    assert _explored(library)["drop"][0].failures
    assert not any(_explored(library)["drop"][1])


def test_what_fails_always_is_a_finding(library: Path) -> None:
    assert _explored(library)["lose"][1] == ["no call was found that passes"]
    assert _explored(library)["use"][1] == ["no call was found that passes"]


def test_what_is_as_at_the_start_of_the_program_is_nobodys_fault(library: Path) -> None:
    runs, _ = _explored(library)["kept"]
    caller = _environments(library)["kept"]
    assert caller.fixed and runs.failures
    assert [one.contradiction for one in judged(runs, SourceLines({}), caller)] == [""]


@pytest.mark.parametrize("name", ["far", "farther", "below"])
def test_what_the_caller_makes_null_is_nobodys_fault(library: Path, name: str) -> None:
    """Pointers that lie too deep are null in all runs, which says nothing of other calls."""
    runs, _ = _explored(library)[name]
    caller = _environments(library)[name]
    lines = SourceLines({}, {one.site.at.file: LIBRARY.split("\n") for one in runs.failures})
    assert "next" in caller.cut and runs.failures
    assert not any(one.contradiction for one in judged(runs, lines, caller))
    assert any(one.contradiction for one in judged(runs, lines, replace(caller, cut=frozenset())))


@pytest.mark.parametrize(
    ("name", "clauses"),
    [
        ("second", ["g != \\null", "g != \\null ==> g[1] != \\null"]),
        ("member", ["o != \\null", "o != \\null ==> o->all[1] != \\null"]),
        ("bits", ["p != \\null"]),
        ("row", ["m != \\null"]),
    ],
)
def test_pointers_around_functions_and_arrays_are_made(library: Path, name: str, clauses: list[str]) -> None:
    runs, contradictions = _explored(library)[name]
    assert _clauses(library, name) == clauses and not any(contradictions) and runs.passing()


def test_a_caller_that_does_not_compile_takes_out_its_function_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.c"
    path.write_text("struct c { const int k; };\nint f(struct c *p) { return p->k; }\nint g(void) { return 1; }\n")
    assert run_command(["check", str(path), "--entry-each", "--timeout", "60", "--engine", "bmc"]) == 3
    said = capsys.readouterr().out
    assert "no C that compiles" in said and "FUNCTIONS: 2, 1 of 1" in said


def test_static_functions_of_one_name_are_both_checked(tmp_path: Path) -> None:
    files = tmp_path / "a.c", tmp_path / "b.c"
    for file in files:
        file.write_text(f"static int same(int x) {{ return x; }}\nint {file.stem}(int x) {{ return same(x); }}\n")
    found = run(EntryEach(Request(files, timeout=60.0, engines=("bmc",)), "same"), lambda entry: None)
    assert [(Path(one.file).name, one.missing) for one in found.entries] == [("a.c", ""), ("b.c", "")]


def test_blocks_that_are_returned_are_not_lost(library: Path) -> None:
    assert not _explored(library)["push"][0].failures


def test_a_function_from_the_caller_is_an_undefined_one(library: Path) -> None:
    assert not _explored(library)["call"][0].failures


def test_the_heap_is_used_where_it_may_be_freed(library: Path) -> None:
    task = SourceTask((library,))
    declared = declarations(task, library)
    assert works_with_heap(declared, declared.functions["twice"])
    assert works_with_heap(declared, declared.functions["call"])
    assert not works_with_heap(declared, declared.functions["length"])


def test_a_function_with_more_arguments_is_called_without_them(library: Path) -> None:
    declared = declarations(SourceTask((library,)), library)
    caller = environment(declared, declared.functions["many"])
    assert caller.rest == ("many(counterpoint_arg_format);",)
    assert "behind its named arguments there is none, as it asks for" in caller.assumed


def test_every_choice_has_an_input_of_its_own(library: Path) -> None:
    for one in _environments(library).values():
        assert len({given.source for given in one.given}) == len(one.given)
        text = one.text()
        for given in one.given:
            assert text.count(f"{given.source}()") == 1, (one.function.name, given)


# ---------------------------------------------------------------- words


def _literal(rank: Rank, left: str, operator: str, right: int, text: str, needs: tuple[str, ...] = ()) -> Literal:
    guard = " && ".join(f"{need} != 0" for need in needs)
    return Literal(rank, left, operator, right, text, text, needs, guard, needs)


P = _literal(Rank.NOT_NULL, "p", "!=", 0, "p != \\null")
P0 = _literal(Rank.NULL, "p", "==", 0, "p == \\null")
N = _literal(Rank.SIGN, "n", ">", 0, "n > 0")
N0 = _literal(Rank.SIGN, "n", "<=", 0, "n <= 0")
NEXT = _literal(Rank.NOT_NULL, "next", "!=", 0, "p->next != \\null", ("p",))


def test_a_literal_holds_where_the_way_to_it_ends() -> None:
    assert NEXT.holds({"p": 0}) and NEXT.holds({"p": 1, "next": 1}) and not NEXT.holds({"p": 1, "next": 0})
    assert not NEXT.is_met({"p": 0}) and NEXT.is_met({"p": 1, "next": 1})
    assert condition_of((NEXT, N)) == "(!(p != 0) || p->next != \\null) || n > 0"


def test_clauses_are_said_as_implications() -> None:
    assert text_of((NEXT,)) == "p != \\null ==> p->next != \\null"
    assert text_of((P0, N)) == "p != \\null ==> n > 0"
    assert text_of((P0,)) == "p == \\null"
    assert text_of((P, N0)) == "p != \\null || n <= 0"
    assert is_restriction_to_null((P0,)) and not is_restriction_to_null((P0, N))


def _passing(*runs: tuple[State, int]) -> Passing[Sample]:
    """Of runs that passed, each with a direction that it took."""
    return Explored([Sample(state, None, frozenset({way})) for state, way in runs]).passing()


def test_the_weakest_clause_leaves_what_passes() -> None:
    passed = _passing(({"p": 1, "n": 1}, 1), ({"p": 0, "n": 0}, 2))
    clause = clause_for([{"p": 0, "n": 1}], passed, [P, P0, N, N0], "p n")
    assert clause is not None and set(clause) == {P, N0}
    assert all(holds(clause, one.state) for one in passed.table.rows)


def test_a_literal_that_no_passing_run_meets_is_not_taken() -> None:
    passed = _passing(({"p": 0}, 0))
    value = _literal(Rank.SIGN, "*p", ">", 0, "*p > 0", ("p",))
    assert clause_for([{"p": 1, "*p": -1}], passed, [value, P0], "p") == (P0,)


def test_a_sign_is_asked_for_if_no_branch_dies_by_it() -> None:
    runs: list[tuple[State, int]] = [({"n": n, "m": m}, int(n > 2)) for n in range(-1, 6) for m in range(3)]
    positive = _literal(Rank.SIGN, "n", ">=", 0, "n >= 0")
    assert clause_for([{"n": -1, "m": 5}], _passing(*runs), [positive], "n") == (positive,)
    dying = _passing(*runs, ({"n": -2, "m": 0}, 7))
    assert clause_for([{"n": -1, "m": 5}], dying, [positive], "n") is None


# ---------------------------------------------------------------- reports

AT = SourceLocation("<b>.c", 3, 1, "f")
FOUND = Finding(
    Grade.MANIFEST,
    Counterexample(0, "valid-deref", "reads through <i>null</i>", AT, "none", cause="null", confirmed=("native code",)),
    "in f: line 4 tests `p`",
    "p != \\null",
)
REPORT = Entries(
    "memory-safety",
    ("<b>.c",),
    (
        Entry(
            "f", "<b>.c", 2, ("\\valid(p)",), (Required("n > 0", "valid-deref", AT, "invalid read"),), (),
            (CheckAnswer(0, "valid-deref", AT, "read of 1 byte", Answer.REFUTED),), (FOUND,),
        ),
        Entry("g", "<b>.c", 8, missing="it takes a variable number of arguments"),
    ),
)  # fmt: skip


STATES = """#include "states.h"
static int table[4], hidden, unused;
static int *const pointer = &hidden;
static int seen(void) { return hidden; }
static int (*const functions[])(void) = {seen};
int by_header(void) { return table[shown]; }
int by_pointer(void) { return table[*pointer]; }
int by_table(void) { return table[functions[0]()]; }
int by_file(void) { return table[elsewhere()]; }
int by_itself(void) { static int n; return table[n++]; }
"""


@pytest.mark.parametrize(
    ("name", "arbitrary", "fixed"),
    [
        ("by_header", "shown", ()),
        ("by_pointer", "hidden", ()),
        ("by_table", "hidden", ()),
        ("by_file", "", ("other",)),
        ("by_itself", "", ("n",)),
    ],
)
def test_variables_are_arbitrary_or_said_to_be_as_at_the_start(
    tmp_path: Path, name: str, arbitrary: str, fixed: tuple[str, ...]
) -> None:
    files = (tmp_path / "states.c", tmp_path / "elsewhere.c")
    (tmp_path / "states.h").write_text("extern int shown;\nint elsewhere(void);\n")
    files[0].write_text(STATES)
    files[1].write_text("static int other; int shown;\nint elsewhere(void) { return other; }\n")
    task = SourceTask(files, property="memory-safety")
    declared = declarations(task, files[0])
    caller = environment(declared, declared.functions[name])
    assert [one.text for one in caller.given] == ([arbitrary] if arbitrary else [])
    driver = tmp_path / "callers.c"
    driver.write_text(header(str(files[0])) + caller.text())
    task = replace(task, entry=caller.entry)
    compiled = [compile_file(replace(task, files=(file,)), file) for file in (driver, files[1])]
    program = Subject(task, define_task(task, compiled)).program("none")
    assert at_start(program, caller.entry) == fixed


def _lose(library: Path) -> _Checking:
    """The check of a function of which engines said nothing yet."""
    task = SourceTask((library,), property="memory-safety")
    declared = declarations(task, library)
    caller = environment(declared, declared.functions["lose"])
    path = library.with_name("caller of lose.c")
    path.write_text(header(str(library)) + caller.text())
    unit = Unit(Request((library,)), task, library, declared, caller, (compile_file(task, path),), path)
    found = _Checking(unit, Budget(10), Entry("lose", str(library), 1))
    found.plain = Subject(unit.entry_task, define_task(unit.entry_task, list(unit.compiled)))
    return found


def test_a_function_is_compiled_again_with_its_caller(tmp_path: Path) -> None:
    """As it stops in the middle of an expression."""
    path = tmp_path / "stops.c"
    path.write_text("#include <stdlib.h>\nint f(int *p) { return *(p ? p : (abort(), p)); }\n")
    task = SourceTask((path,), property="memory-safety")
    declared = declarations(task, path)
    caller = environment(declared, declared.functions["f"])
    callers = tmp_path / "callers.c"
    callers.write_text(header(str(path)) + caller.text())
    unit = Unit(Request((path,)), task, path, declared, caller, (compile_file(task, callers),), callers)
    assert unit.defined(callers, unit.compiled).program("none").functions


def test_what_no_engine_spoke_of_is_open(library: Path) -> None:
    lose = _lose(library)
    checks = lose.own_checks(frozenset())
    assert {one.kind for one in checks} == {"valid-deref", "valid-memtrack"}
    assert {(one.answer, one.why) for one in checks} == {(Answer.UNKNOWN, NOT_ASKED)}
    places = frozenset(where(one.kind, one.at) for one in checks)
    proved = tuple(replace(one, answer=Answer.PROVED, why="") for one in checks)
    result = CheckResult(Outcome.TRUE, "memory-safety", (), "LP64", "lose")
    lose.asked = [Asked(frozenset(), places, result)]
    assert {one.answer for one in lose.own_checks(frozenset())} == {Answer.UNKNOWN}
    lose.asked = [Asked(frozenset(), places, replace(result, checks=proved))]
    assert {one.answer for one in lose.own_checks(frozenset())} == {Answer.PROVED}
    clause = (Literal(Rank.SIGN, "n", ">", 0, "n > 0", "(n > 0)"),)
    assert lose.relies(frozenset())
    lose.composed = frozenset([clause])
    assert lose.relies(frozenset()) and not lose.relies(frozenset([clause]))


def test_what_is_as_at_the_start_is_said_once_of_all() -> None:
    entry = replace(REPORT.entries[0], assumed=(f"count {AT_START}", "sizes"))
    lines = ["".join(piece for piece, _ in line) for line in summary_of(replace(REPORT, entries=(entry, entry)))]
    assert len(lines) == 1 and lines[0].startswith("ASSUMED of 2 of 2 functions: static variables")


def test_findings_have_grade_precondition_and_weakness_in_every_report() -> None:
    text = "\n".join("".join(piece for piece, _ in line) for line in lines_of(REPORT.entries[0]))
    for said in ("manifest", "CWE-476", "precondition: p != \\null", "requires  n > 0", "replayed by native code"):
        assert said in text
    result = json.loads(entries_sarif(REPORT))["runs"][0]["results"][0]
    assert result["properties"] == {"grade": "manifest", "cwe": "CWE-476", "precondition": "p != \\null"}
    page = entries_page(REPORT)
    assert "CWE-476" in page and "<td>manifest</td>" in page and "<i>null" not in page and "<b>.c" not in page
    document = json.loads(entries_json(REPORT))
    assert not violations(document, SCHEMA)
    assert document["findings"][0]["cwe"] == "CWE-476" and document["functions"][1]["missing"]
    assert count_of(REPORT).startswith("FUNCTIONS: 2, 0 of 1 checks proved of them, requiring what is shown; findings: 1")


def test_a_violation_is_told_once_by_its_best_grade() -> None:
    run = Finding(Grade.RUN, FOUND.found, "a run from main")
    assert [one.grade for one in Entries("p", (), REPORT.entries, (run,)).findings] == [Grade.RUN]


@pytest.mark.parametrize(
    "open_", [{"relies": True}, {"missing": "no time"}, {"requires": (Required("", "valid-deref", AT, "read"),)}]
)
def test_a_function_is_not_proved_where_something_is_open(open_: dict[str, Any]) -> None:
    proved = Entry("f", "f.c", 1, checks=(CheckAnswer(0, "valid-deref", AT, "read", Answer.PROVED),))
    assert proved.is_proved and not replace(proved, **open_).is_proved


def test_what_was_proved_of_fewer_callers_is_open() -> None:
    """Clauses are given up where there are too many: what was proved with their help is no longer."""
    less, more = ((_literal(Rank.CONSTANT, "n", "<", k, f"n < {k}"),) for k in (3, 8))
    check = CheckAnswer(0, "valid-deref", AT, "read", Answer.PROVED, by="bmc")
    result = CheckResult(Outcome.UNKNOWN, "memory-safety", ("f.c",), "LP64", "main", checks=(check,))
    asked = Asked(frozenset({less, more}), frozenset(), result)
    assert [one.answer for one in under(asked, frozenset({less, more}))] == [Answer.PROVED]
    (one,) = under(asked, frozenset({more}))
    assert one.answer is Answer.UNKNOWN and "keep more" in one.why and not one.by


# ---------------------------------------------------------------- the command


def test_a_check_that_cannot_go_on_leaves_what_was_found(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: _Checking, exploration: Exploration) -> None:
        raise OutOfBudget("too late")

    monkeypatch.setattr(_Checking, "check", stop)
    (use,) = run(EntryEach(Request((library,), timeout=30.0), "use"), lambda entry: None).entries
    assert use.missing == "too late" and [one.grade for one in use.findings] == [Grade.CALLER]


def test_the_command(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    arguments = ["check", str(library), "--entry-each=first,behind", "--timeout", "60", "--json", str(out)]
    assert run_command(arguments) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("FUNCTIONS: 2, ") and "findings: 1 manifest" in said
    document = json.loads(out.read_text())
    assert not violations(document, SCHEMA)
    first, behind = document["functions"]
    assert [one["text"] for one in first["requires"]] == ["l != \\null"]
    assert {one["answer"] for one in first["checks"]} == {"proved"}
    assert behind["findings"][0]["grade"] == "manifest" and len(behind["findings"][0]["confirmed"]) == 2


def test_what_is_not_asked_in_one_check_is_not_proved_by_it(library: Path) -> None:
    request = Request((library,), timeout=6.0, engines=("bmc",))
    (join,) = run(EntryEach(request, "join"), lambda entry: None).entries
    line = LIBRARY[: LIBRARY.index("r[n + m]")].count("\n") + 1
    assert join.findings and [one.answer for one in join.checks if one.at.line == line] == [Answer.REFUTED]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--entry-each=none_*"], "matches no function"),
        (["--entry-each=first,tota"], "--entry-each=tota: matches no function"),
        (["--entry-each=,"], "matches no function"),
        (["--entry-each", "--entry", "f"], "choose one"),
        (["--entry-each", "--property", "all"], "one property at a time"),
        (["--entry-each", "--engine", "nonsense"], "unknown engine `nonsense`"),
        (["--entry-each", "-O", "bmc.nonsense=1"], "bmc.nonsense"),
        (["--entry-each", "--findings", "first"], "--findings: is about a whole program"),
        (["--witness-format", "2.1"], "--witness OUT"),
    ],
)
def test_what_cannot_be_used(
    library: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["check", str(library), *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "3 bytes allocated at a.c:16 (in lose, called at /tmp/x/counterpoint_caller.c:160) are never freed",
            "3 bytes allocated at a.c:16 (in lose) are never freed",
        ),
        ("it was freed at a.c:12 (called at /tmp/x/counterpoint_caller.c:16)", "it was freed at a.c:12"),
        (
            "a block of 9 bytes allocated at counterpoint_caller.c:46 (in counterpoint_entry_f)",
            "a block of 9 bytes that the caller gave",
        ),
        (
            "reads `counterpoint_object2_f`, but `counterpoint_object2_f` has 4 bytes (counterpoint_caller.c:6)",
            "reads what the caller gave, but what the caller gave has 4 bytes",
        ),
        (
            "`counterpoint_block3_pp[2]`: reads 8 bytes at offset 16 of a block of 0 bytes",
            "what the caller gave[2]: reads 8 bytes at offset 16 of a block of 0 bytes",
        ),
        ("freed at a.c:9 (called at a.c:12, /tmp/x/counterpoint_caller.c:109)", "freed at a.c:9 (called at a.c:12)"),
    ],
)
def test_a_message_says_nothing_of_the_arbitrary_callers_text(said: str, shown: str) -> None:
    assert without_caller(said) == shown


@pytest.mark.parametrize(
    ("line", "is_test"),
    [
        ("if (p == NULL)", True), ("if (!p)", True), ("while (p)", True), ("x = p ? 1 : 2;", True),
        ("if (p && n)", True), ("if (a || p)", True), ("if (0 != p)", True), ("if (f(p)[0] != 'x')", False),
        ("if (p->next)", False), ("if (!p->next)", False), ("q->p == NULL", False), ("if (f(p) == NULL)", False),
        ("while (q != p && q)", False), ("if (q == p || n)", False), ("return p && n;", True),
    ],
)  # fmt: skip
def test_what_a_line_tests(line: str, is_test: bool) -> None:
    assert is_null_test(line, "p") is is_test


def _kept(path: Path, text: str, name: str, **options: object) -> tuple[Kept, Entry]:
    path.write_text(text)
    task = SourceTask((path,), property="memory-safety")
    declared = declarations(task, path)
    function = declared.functions[name]
    caller = environment(declared, function)
    driver = path.with_name(CALLER)
    driver.write_text(header(str(path)) + caller.text())
    code = compile_file(replace(task, files=(driver,)), driver)
    request = Request((path,), reuse=path.with_name("folder"), **options)  # type: ignore[arg-type]
    kept = kept_for(request, replace(task, entry=caller.entry), (declared,), caller, (code,))
    assert kept is not None
    return kept, Entry(name, str(path), function.line)


def test_what_was_found_of_a_function_is_kept_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "kept.c"
    text = "static int id(int x) { return x; }\nint first(int *p) { return id(*p); }\nint other(int x) { return x; }\n"
    at = SourceLocation(str(path), 2, 5, "first")
    kept, entry = _kept(path, text, "first")
    check = CheckAnswer(0, "valid-deref", at, "read of 4 bytes", Answer.PROVED)
    found = replace(entry, requires=(Required("p != \\null", "valid-deref", at, "invalid read"),), checks=(check,))
    kept.put(found, 10.0)
    elsewhere = "\n\n" + text.replace("other(int x) { return x; }", "other(int x) { return x / 2; }")
    again, entry = _kept(path, elsewhere, "first")
    said = again.get(entry, 10.0)
    assert said is not None and said.reused and said.requires[0].at.line == 4 and said.checks[0].at.line == 4
    callee, entry = _kept(path, text.replace("return x; }", "return x + 1; }", 1), "first")
    assert callee.get(entry, 10.0) is None
    options, entry = _kept(path, text, "first", malloc_may_fail=True)
    assert options.get(entry, 10.0) is None


def test_what_was_left_open_is_told_again_only_where_there_is_no_more_time(tmp_path: Path) -> None:
    kept, entry = _kept(tmp_path / "kept.c", "int first(int *p) { return *p; }\n", "first")
    at = SourceLocation(entry.file, 1, 5, "first")
    kept.put(replace(entry, checks=(CheckAnswer(0, "valid-deref", at, "read", Answer.UNKNOWN),)), 10.0)
    assert kept.get(entry, 11.0) is not None and kept.get(entry, 100.0) is None
    kept.put(replace(entry, findings=(FOUND,)), 1000.0)
    assert kept.get(entry, 100.0) is None  # what was replayed is not kept


def test_no_function_at_all(tmp_path: Path) -> None:
    path = tmp_path / "only.c"
    path.write_text("int main(void) { return 0; }\n")
    with pytest.raises(UnusableInput, match="no function but main"):
        run(EntryEach(Request((path,))), lambda entry: None)


INDEXED = """
struct image { int count; };
struct file { int images; struct image *saved; };
int counted(struct file *f, int index) {
    if (index < 0 || index > f->images - 1)
        return 0;
    return f->saved[index].count;
}
"""

GROWN = """
#include <stdlib.h>
struct file { int count; int *saved; };
int grown(struct file *f) {
    if (f->saved == NULL)
        f->saved = malloc(sizeof(int));
    else
        f->saved = realloc(f->saved, sizeof(int) * (f->count + 1));
    if (f->saved == NULL)
        return 0;
    f->saved[f->count] = 1;
    return 1;
}
"""

HUNG_UP = """
#include <stdlib.h>
struct node { struct node *next, *prev, *child; };
int append(struct node *list) {
    struct node *item = calloc(1, sizeof *item);
    if (item == NULL)
        return 0;
    if (list == NULL) {
        free(item);
        return 0;
    }
    if (list->child == NULL) {
        list->child = item;
        item->prev = item;
    } else if (list->child->prev) {
        list->child->prev->next = item;
        list->child->prev = item;
    }
    return 1;
}
"""


STREAM = """
#include <stdio.h>
int magic(FILE *file) {
    int a = fgetc(file);
    return a == 0xff && fgetc(file) == 0xd8;
}
"""


BEHIND_A_POINTER = """
#include <stdlib.h>
int added(int **list, int n) {
    if (*list == 0) *list = malloc(sizeof **list);
    return n;
}
"""

HEADED = """
int kind(char *text) { unsigned char kind = text[-1]; return kind & 7; }
"""


WALKED = """
#include <string.h>
int count(const char **names) { const char **p; int n = 0; for (p = names; *p; p++) n += (int)strlen(*p); return n; }
"""

UP_TO_ITS_END = """
int sum(int *p, int *end) { int s = 0; while (p != end) s += *p++; return s; }
"""

ABOVE = """
unsigned prefix(unsigned *prefixes, int code, int clear) {
    int i = 0;
    while (code > clear && i++ <= 4095) { if (code > 4095) return 9; code = (int)prefixes[code]; }
    return (unsigned)code;
}
"""

JOINED = """
typedef char *sds;
int join(sds *parts, int count, int sep) {
    int j, n = 0;
    for (j = 0; j < count; j++) { n += parts[j][-1] & 7; if (j != count - 1) n += sep; }
    return n;
}
"""

DEEP_IN_ONE_BRANCH = """
#include <stdio.h>
struct source { FILE *file; int (*read)(char *, int); };
struct gif { void *source; };
int get(struct gif *gif, char *to, int n) {
    return ((struct source *)gif->source)->read ? ((struct source *)gif->source)->read(to, n) :
        (int)fread(to, 1, n, ((struct source *)gif->source)->file);
}
"""

RARE_AND_NULL = """
#include <stdlib.h>
struct hooks { void *(*allocate)(size_t); void (*deallocate)(void *); };
struct buffer { const unsigned char *content; size_t length, offset; struct hooks hooks; };
struct item { int type; char *value; };
int parse(struct item *const item, struct buffer *const b) {
    const unsigned char *in = b->content + b->offset + 1, *end = in; unsigned char *out = NULL, *o = NULL;
    if (b->content[b->offset] != 34) return 0;
    while ((size_t)(end - b->content) < b->length && *end != 34) end++;
    if ((size_t)(end - b->content) >= b->length || *end != 34) return 0;
    out = b->hooks.allocate(end - in + 1);
    if (out == NULL) return 0;
    for (o = out; in < end;) *o++ = *in++;
    *o = 0;
    item->type = 4;
    item->value = (char *)out;
    return 1;
}
"""


@pytest.mark.parametrize(
    "text",
    [HUNG_UP, STREAM, BEHIND_A_POINTER, pytest.param(RARE_AND_NULL, marks=pytest.mark.long)],
    ids=["hung up", "stream", "behind a pointer", "rare and null"],
)
def test_what_only_the_arbitrary_caller_is_to_blame_for_is_no_finding(tmp_path: Path, text: str) -> None:
    library = tmp_path / "library.c"
    library.write_text(text)
    found = run(EntryEach(Request(files=(library,), timeout=20.0), "*"), lambda entry: None)
    (entry,) = found.entries
    assert entry.runs > ENOUGH and not entry.findings


@pytest.mark.parametrize(
    "text",
    [INDEXED, GROWN, HEADED, WALKED, UP_TO_ITS_END, ABOVE, JOINED, DEEP_IN_ONE_BRANCH],
    ids=["indexed", "grown", "headed", "walked", "up to its end", "above", "joined", "deep in one branch"],
)
def test_what_runs_show_of_the_arbitrary_caller_alone_is_no_finding(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without what engines say behind the runs, which takes all of the time."""
    monkeypatch.setattr(_Checking, "check", lambda checking, exploration: None)
    library = tmp_path / "library.c"
    library.write_text(text)
    found = run(EntryEach(Request(files=(library,), timeout=40.0), "*"), lambda entry: None)
    (entry,) = found.entries
    assert entry.runs > 4 * ENOUGH and not entry.findings


SHIFTED = """
#include <stdlib.h>
struct hooks { void *(*allocate)(size_t); void (*deallocate)(void *); };
static struct hooks hooks = { malloc, free };
static int fills(char *text, int kind) { if (kind == 7) return 0; text[0] = 1; return 1; }
char *made(int kind, int n) {
    char *text;
    if (n < 0) return NULL;
    text = hooks.allocate(4);
    if (!fills(text, kind)) {
        hooks.deallocate(text + 1);
        return NULL;
    }
    return text;
}
"""

BACKWARD = """
void squeezed(char *text) {
    char *into = text;
    if (text == 0) return;
    while (text[0] != 0)
        switch (text[0]) {
            case ' ': text++; break;
            default: into[0] = text[0]; text++; into--;
        }
    *into = 0;
}
"""


@pytest.mark.parametrize(("text", "lines"), [(SHIFTED, {11}), (BACKWARD, {8, 10})], ids=["a rare way", "two places"])
def test_what_fails_near_a_run_that_fails_is_certain(
    tmp_path: Path, text: str, lines: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Checking, "check", lambda checking, exploration: None)  # runs say so, engines need not
    library = tmp_path / "library.c"
    library.write_text(text)
    found = run(EntryEach(Request(files=(library,), timeout=40.0), "*"), lambda entry: None)
    told = {one.found.at.line for one in found.findings if one.grade is Grade.MANIFEST}
    assert told and told <= lines


def test_what_was_found_before_time_ended_is_told() -> None:
    def work(job: int, seconds: float, so_far: Callable[[str], None]) -> str:
        so_far("half")
        time.sleep(job)
        return "whole"

    found: dict[int, str | Lost] = {}
    telling([0, 60], work, Limits(2, time.monotonic() + 2.0, 1.0, 2.0, 0.1), found.__setitem__)
    assert found == {0: "whole", 60: "half"}


def test_time_goes_by_weight_and_the_last_ones_have_their_part() -> None:
    limits = Limits(2, time.monotonic() + 1000.0, 1.0, 900.0, 0.0)
    first, light = (limits.seconds(weight, [10.0] * 9, [], 10) for weight in (20.0, 10.0))
    assert first == pytest.approx(2 * 2 * 1000.0 * 20 / 110, abs=5) and light == pytest.approx(400.0, abs=5)
    assert limits.seconds(10.0, [], [10.0], 10) == limits.most
    last = Limits(2, time.monotonic() + 100.0, 1.0, 900.0, 0.0)
    assert last.seconds(10.0, [10.0], [10.0, 10.0], 40) == pytest.approx(50.0, rel=0.1)


def test_runs_that_passed_are_had_again_in_another_form_of_the_program(library: Path) -> None:
    one = _environments(library)["both"]
    path = library.with_name("again.c")
    path.write_text(header(str(library)) + one.text())
    compiled = compile_file(SourceTask((path,), property="memory-safety"), path)
    task = SourceTask((library,), property="memory-safety", entry=one.entry)
    subject = Subject(task, define_task(task, [compiled]))
    exploration = Exploration(subject.program("none"), one, literals(one, one.sizes), (), 0)
    assert exploration.again(subject.program("entered")) is None
    exploration.run(Budget(20.0))
    again = exploration.again(subject.program("entered"))
    assert again is not None
    ends = [interpret(subject.program("entered"), again(number)).outcome for number in range(20)]
    assert sum(isinstance(end, Finished) for end in ends) > 12


def test_functions_with_little_text_below_them_come_first(tmp_path: Path) -> None:
    library = tmp_path / "library.c"
    library.write_text("int low(int n)\n{\n    return n + 1 - 1;\n}\nint high(int n) { return low(n); }\nint own(void) { return 1; }\n")
    asked = EntryEach(Request(files=(library,), property="memory-safety"))
    made = compiled(asked, _task(asked), time.monotonic() + 60)
    assert made is not None
    jobs = made.jobs
    assert [job.function.name for job in jobs] == ["low", "high", "own"]
    assert [job.function.name for job in _small_first(jobs, _texts(jobs))] == ["own", "low", "high"]


def test_values_near_a_run_are_mostly_its_own() -> None:
    earlier = (ScalarInput(3, 200, 8), MemoryInput(4, 5, ((0, 7), (4, 9))))
    drawn = CallerInputs({5: 300}, SmallInputs(1, 8), random.Random(1), b"x")
    near = [NearInputs(earlier, drawn) for _ in range(40)]
    assert sum(one.scalar(3, 8) == 200 for one in near) > 20
    assert sum(one.memory(4, 3) == ((0, 7),) for one in near) > 20
    assert near[0].scalar(5, 8) == 300 & 255
    assert (0, ord("x")) in {pair for _ in range(40) for pair in drawn.memory(9, 2)}


@pytest.mark.parametrize(
    ("property_", "code", "required"),
    [
        ("division", "int f(int a, int b) { return a / b; }", "b != 0"),
        ("undefined", "int f(int a, int b) { return a % b; }", "b != 0"),
        ("memory-safety", "int f(int n) { int a[n]; a[0] = 1; return a[0]; }", "n > 0"),
    ],
)
def test_what_a_sanitizer_tests_makes_no_finding(property_: str, code: str, required: str, tmp_path: Path) -> None:
    """Its branch is none of the function's: that all calls fail that take it says nothing."""
    file = tmp_path / "f.c"
    file.write_text(code)
    (f,) = run(EntryEach(Request((file,), timeout=20.0, property=property_), "f"), lambda entry: None).entries
    assert not f.findings and required in {one.text for one in f.requires}


HANDED_ON = """
struct item { struct item *next; };
static int add(struct item *list, struct item *item) {
    if (list == 0 || item == 0) return 0;
    list->next = item;
    return 1;
}
int insert(struct item *list, int which, struct item *added) {
    if (which < 1) return add(list, added);
    added->next = list;
    return 1;
}
"""

TESTED_FIRST = HANDED_ON.replace("list == 0 || item == 0", "item == 0 || list == 0")

HOOKED = """
#include <stdlib.h>
struct hooks { void *(*make)(size_t); void (*drop)(void *); };
static struct hooks standard = { malloc, free };
struct buffer { int length; struct hooks hooks; };
int twice(struct buffer *b) {
    if (b == 0 || b->hooks.make == 0 || b->hooks.drop == 0) return 0;
    char *made = b->hooks.make(4);
    b->hooks.drop(made);
    if (b->length > 3) b->hooks.drop(made);
    return 1;
}
int set(void) { standard.make = malloc; return 0; }
"""

TYPED = """
#include <stdlib.h>
struct inner { long words[9]; char *text; };
struct outer { void *inside; };
int cleared(struct outer *o) {
    struct inner *i = (struct inner *)o->inside;
    if (i == 0) return 0;
    if (i->words[8] > 2) { free(i); free(i); return 1; }
    return 2;
}
"""


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (HANDED_ON, "insert", "line 4 of add tests `item`, as if `added` could be null"),
        (TESTED_FIRST, "insert", "line 4 of add tests `item`, as if `added` could be null"),
        (HOOKED, "twice", "every call fails that leaves line 10 one way"),
        (TYPED, "cleared", "every call fails that leaves line 8 one way"),
    ],
    ids=["a null pointer for another function", "which is tested first", "functions of a table", "a member without a type"],
)
def test_what_contradicts_the_code_around(tmp_path: Path, text: str, name: str, why: str) -> None:
    library = tmp_path / "library.c"
    library.write_text(text)
    found = run(EntryEach(Request(files=(library,), timeout=30.0), name), lambda entry: None)
    (one,) = found.findings
    assert one.grade is Grade.MANIFEST and why in one.why


def test_what_is_used_after_it_was_freed_is_told_with_a_block(tmp_path: Path) -> None:
    """It fails for null as well, which is not the point."""
    library = tmp_path / "library.c"
    library.write_text(
        "#include <stdlib.h>\nstruct node { int v; };\nint after(struct node *n) {\n free(n);\n return n->v;\n}\n"
    )
    found = run(EntryEach(Request(files=(library,), timeout=20.0), "after"), lambda entry: None)
    assert [(one.grade, one.found.cause) for one in found.findings] == [(Grade.MANIFEST, "freed")]


@pytest.mark.long
def test_an_array_is_as_long_as_is_said(tmp_path: Path) -> None:
    library = tmp_path / "library.c"
    library.write_text("int all(char **t, int n) { int k = 0; for (int i = 0; i <= n; i++) k += t[i] != 0; return k; }")
    found = run(EntryEach(Request(files=(library,), timeout=20.0), "all"), lambda entry: None)
    assert [one.grade for one in found.findings] == [Grade.MANIFEST]


def test_what_leaves_the_bounds_of_its_own_block_is_a_finding(tmp_path: Path) -> None:
    text = """
#include <stdlib.h>
struct deep { struct deep *next; };
static void drop(struct deep *d) { while (d) { struct deep *n = d->next; free(d); d = n; } }
int made(struct deep *list, int n) {
    if (list == 0 || n < 1) return 0;
    struct deep *first = malloc(sizeof *first);
    first->next = list->next ? list->next->next : 0;
    if (n > 4) drop((struct deep *)((char *)first + 4)); else drop(first);
    return 1;
}
"""
    library = tmp_path / "library.c"
    library.write_text(text)
    found = run(EntryEach(Request(files=(library,), timeout=30.0), "made"), lambda entry: None)
    assert [(one.grade, one.found.at.line) for one in found.findings] == [(Grade.CALLER, 4)]


def test_a_precondition_can_be_kept(tmp_path: Path) -> None:
    """What fails for no simple reason is not excused by clauses that contradict each other, and calls pass."""
    file = tmp_path / "f.c"
    file.write_text("int g; unsigned char u; int f(int x0, unsigned char x1, signed char x2) { g = -1 / (u & x1); return 0; }")
    (f,) = run(EntryEach(Request((file,), timeout=20.0, property="division"), "f"), lambda entry: None).entries
    assert not f.findings and not {"x0 <= 0", "x0 > 0"} <= {one.text for one in f.requires}


PALETTE = r"""
#include <stdlib.h>
#include <string.h>
struct colour { unsigned char r, g, b; };
struct palette { int count; struct colour *colours; };
int bits(int n) {
    int i;
    for (i = 1; i <= 8; i++)
        if ((1 << i) >= n) break;
    return i;
}
struct palette *palette_of(int n, const struct colour *from) {
    if (n != (1 << bits(n)))
        return NULL;
    struct palette *p = malloc(sizeof *p);
    if (p == NULL) return NULL;
    p->colours = calloc(n, sizeof *p->colours);
    if (p->colours == NULL) { free(p); return NULL; }
    p->count = n;
    if (from != NULL) {
        memcpy(p->colours, from, n * sizeof *p->colours);
    }
    return p;
}
"""


@pytest.mark.long
def test_a_library_function_that_copies_as_many_as_it_is_told_is_no_finding(tmp_path: Path) -> None:
    library = tmp_path / "palette.c"
    library.write_text(PALETTE)
    found = run(EntryEach(Request(files=(library,), timeout=20.0), "palette_of"), lambda entry: None)
    assert [entry.function for entry in found.entries] == ["palette_of"]
    assert not found.findings
