"""`counterpoint infer`: contracts of functions and invariants of loops, what they assume, and how they are written."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.cli.output_files import write_output
from counterpoint.contracts import run as contracts_run
from counterpoint.contracts.any_caller import Unit, contract_of
from counterpoint.contracts.assigning import DEFINED, INVALID
from counterpoint.contracts.contract import Clause, Contract, LoopContract, Status
from counterpoint.contracts.declarations import Function, Parameter, declarations
from counterpoint.contracts.driver import driver_of
from counterpoint.contracts.elements import element_facts
from counterpoint.contracts.essential import follows
from counterpoint.contracts.loops import LoopWords
from counterpoint.contracts.needs import needs_of
from counterpoint.contracts.proving import proving
from counterpoint.contracts.shapes import Array, Number, Other, Pointer, Types, target_text
from counterpoint.contracts.together import joined
from counterpoint.contracts.views import DRIVER, Location, NoDriver, Seen
from counterpoint.contracts.wording import CPROVER, Unsayable, Words
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.entries.preconditions import preconditions
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import MODULAR, compile_subject
from counterpoint.frontend.annotations.expressions import parsed
from counterpoint.frontend.task import SourceTask
from counterpoint.report.contract_annotations import acsl, annotated, cprover
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V
from schema import violations

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "contracts-schema.json").read_text())

LIBRARY = """struct node { int key; struct node *next; };
static unsigned total;
int add(int a, int b) { return a + b; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
unsigned bump(unsigned by) { static int calls; calls++; total += by; return total; }
int key_of(struct node *l) { return l ? l->key : -1; }
unsigned down(unsigned n)
{
    unsigned i = n;
    while (i > 0)
        i--;
    return i;
}
int apply(int (*f)(int), int x) { return f(x); }
"""


@pytest.fixture
def restored_signals() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    file = tmp_path / "library.c"
    file.write_text(LIBRARY)
    return file


# ---------------------------------------------------------------- the command


def test_contracts_for_every_caller(
    library: Path, capsys: pytest.CaptureFixture[str], restored_signals: None
) -> None:
    out = library.parent / "out.c"
    arguments = ["infer", str(library), "--any-caller", "--as", "json", "--timeout", "100", "--write", str(out)]
    assert run_command(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert violations(found, SCHEMA) == []
    assert found["callers"] == "any"
    by_name = {one["name"]: one for one in found["functions"]}
    said = {name: [c["text"] for c in one["ensures"] if c["status"] == "proved"] for name, one in by_name.items()}
    assert said["add"] == ["\\result == (int)(a + b)"]
    assert by_name["add"]["assigns"] == []
    assert set(said["swap"]) == {"*a == \\old(*b)", "*b == \\old(*a)"}
    assert {c["text"] for c in by_name["swap"]["requires"]} == {"\\valid(a)", "\\valid(b)", "\\separated(b, a)"}
    assert by_name["swap"]["assigns"] == ["*a", "*b"]
    assert "total == (unsigned int)(\\old(total) + by)" in said["bump"]
    assert set(by_name["bump"]["assigns"]) == {"total", "static calls"}
    assert "l != \\null ==> \\result == \\old(l->key)" in said["key_of"]
    assert "\\result == 0" in said["down"]
    assert by_name["apply"]["assigns"] == []
    assert "f is null or leads outside of the program" in by_name["apply"]["assumed"]
    text = out.read_text()
    assert "ensures \\result == (int)(a + b); // proved\n*/\nint add(int a, int b)" in text
    assert "".join(line for line in LIBRARY.splitlines(keepends=True) if line not in text) == ""


def test_calls_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str], restored_signals: None) -> None:
    """A fact about this program's calls alone is none for every caller."""
    file = tmp_path / "program.c"
    file.write_text("int half(int x) { return x / 2; }\nint main(void) { return half(6) + half(6); }\n")
    assert run_command(["infer", str(file), "--function", "half", "--timeout", "60"]) == 0
    lines = capsys.readouterr().out.splitlines()
    here = [line for line in lines if line.endswith("proved here")]
    assert any("\\result == 3" in line for line in here)
    assert not any("\\result == 3 " in line for line in lines if line not in here)
    assert any("requires  x == 6" in line and line.endswith("all calls here") for line in lines)


def test_an_internal_error_leaves_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], restored_signals: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("on purpose")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contracts_run, "contract_of", broken)
    Path("f.c").write_text("int f(int x) { return x; }\n")
    assert run_command(["infer", "f.c", "--timeout", "20"]) == 4
    (report,) = tmp_path.glob("counterpoint-crash-*.txt")
    assert "on purpose" in report.read_text()
    assert f"crash report: {report}" in capsys.readouterr().out


def test_what_is_assumed_is_said(tmp_path: Path) -> None:
    """A write may lead outside of the array; a parameter hides a global and another is called k; the globals of a caller
    are apart from what its arguments lead to."""
    file = tmp_path / "t.c"
    file.write_text(
        "int room[4]; int total; static void spend(void) { total = 5; }\n"
        "int put(int at, int k) { room[at] = k; return k; }\n"
        "int hidden(int total) { spend(); return total; }\n"
        "int both(int *p) { total = 1; *p = 2; return total; }\n"
        "int *alias = &room[2]; int via(int v) { room[2] = 1; *alias = v; return room[2]; }\n"
        "void behind(int *p) { p[1] = 3; }\n"
    )
    declared = declarations(SourceTask(files=(file,)), file)
    found = {
        name: contract_of(Unit(SourceTask(files=(file,)), declared, declared.functions[name]), 60.0)
        for name in ("put", "hidden", "both", "via", "behind")
    }
    assert INVALID in found["put"].assumed
    assert all("integer k" not in clause.text for clause in found["put"].ensures)
    assert found["hidden"].assigns == ("static total",)
    assert all("old(total)" not in clause.text for clause in found["hidden"].ensures)
    assert "\\separated(p, &total)" in [clause.text for clause in found["both"].requires]
    apart = "alias != \\null ==> \\separated(alias, &alias, &room)"
    assert apart in [clause.text for clause in found["via"].requires]
    assert INVALID not in found["both"].assumed
    assert [one.text for one in found["behind"].requires] == ["\\valid(p)"]
    assert INVALID in found["behind"].assumed
    assert "stay in what is required" in INVALID


def test_what_no_object_is_made_of_is_outside(tmp_path: Path) -> None:
    """Functions, bytes, incomplete types; structures without a name are made, arrays with pointers are arbitrary."""
    file = tmp_path / "t.c"
    file.write_text(
        "typedef int (*call)(void *, int); union u { int a; char *p; };\n"
        "struct s { void *ctx; call f; struct { short a, b; } pairs[3]; union u v; struct { int x; int *y; } in;\n"
        "  char *names[2]; struct hidden *h; };\n"
        "int use(struct s *s, int x) { s->in.x = x; return s->f(s->ctx, x) + s->names[0][0] + s->pairs[1].a; }\n"
        "int known(struct hidden *h, union u v, int y) { return h ? y : 0; }\n"
    )
    declared = declarations(SourceTask(files=(file,)), file)
    use, known = (
        contract_of(Unit(SourceTask(files=(file,)), declared, declared.functions[name]), 60.0)
        for name in ("use", "known")
    )
    assert "s->in.x == x" in [clause.text for clause in use.ensures if clause.status is Status.PROVED]
    assert use.assigns is not None and "s->in.x" in use.assigns
    assert {f"s->{name} is null or leads outside of the program" for name in ("ctx", "f")} <= set(use.assumed)
    assert any(said.startswith("functions outside of the program") for said in use.assumed)
    assert "s->names holds no pointer to an object that is spoken of here" in use.assumed
    assert "h is null or leads outside of the program" in known.assumed
    assert "h != \\null ==> \\result == y" in [clause.text for clause in known.ensures]


def test_what_was_said_early_outlives_the_time(monkeypatch: pytest.MonkeyPatch, library: Path) -> None:
    declared = declarations(SourceTask(files=(library,)), library)
    unit = Unit(SourceTask(files=(library,)), declared, declared.functions["swap"])

    def slow(unit: Unit, seconds: float, tell: Callable[[Contract], None]) -> Contract:
        def wait(found: Contract) -> None:
            tell(found)
            time.sleep(60)

        return contract_of(unit, seconds, wait)

    monkeypatch.setattr(contracts_run, "contract_of", slow)
    found = contracts_run._attempt(unit, 20.0)
    assert isinstance(found, Contract)
    assert (found.assigns, found.missing) == (("*a", "*b"), "its time was used up")
    assert "\\valid(a)" in [clause.text for clause in found.requires] and DEFINED in found.assumed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "main"], "no file defines main: use --any-caller"),
        (["--any-caller", "--function", "nothing"], "--function nothing: no file defines it"),
        (["--any-caller", "--from", "main"], "choose one"),
        (["--any-caller", "--write", "{}"], "is the file that is read"),
        (["--any-caller", "--write", "/nowhere/out.c"], "does not exist"),
    ],
)
def test_bad_input_is_one_line(
    library: Path, capsys: pytest.CaptureFixture[str], restored_signals: None, arguments: list[str], said: str
) -> None:
    assert run_command(["infer", str(library), *(one.format(library) for one in arguments)]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert library.read_text() == LIBRARY


# ---------------------------------------------------------------- parts


def test_what_a_file_declares(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(
        "typedef struct { int x; } point;\n"
        "extern int elsewhere;\n"
        "int f(point *p, const char *s, unsigned n) { if (p && n) return s[n] + elsewhere; return 0; }\n"
        "int printf(const char *, ...);\n"
        "int g(const char *form, ...) { return 0; }\n"
        "int order(int *a, int *b) { return a < b; }\n"
        "int listed(void) { int some[4] = {g(\"\"), elsewhere}; return some[1]; }\n"
    )
    declared = declarations(SourceTask(files=(file,)), file)
    function = declared.functions["f"]
    assert [(p.name, p.tested, p.indexed) for p in function.parameters[:2]] == [
        ("p", True, False), ("s", False, True),
    ]  # fmt: skip
    assert function.uses == {"elsewhere"} and not declared.variables["elsewhere"].defined
    assert "printf" not in declared.functions
    assert (declared.functions["listed"].calls, declared.functions["listed"].uses) == ({"g"}, {"elsewhere", "some"})
    with pytest.raises(NoDriver, match="variable number"):
        driver_of(declared, declared.functions["g"], str(file))
    requires = driver_of(declared, function, str(file)).requires
    assert "p == \\null || \\valid(p)" in requires and "\\valid(s + (0 .. n - 1))" in requires
    assert any("lie higher" in text for text in driver_of(declared, declared.functions["order"], str(file)).assumed)


@pytest.mark.parametrize(
    ("type_", "shape"),
    [
        ("unsigned int", Number("unsigned int", False)),
        ("const char *", Pointer("const char", True)),
        ("char *const", Pointer("char", False)),
        ("int[3][4]", Array("int[4]", 3)),
        ("int (*)(int)", Other("a pointer to a function")),
        ("struct hidden", Other("an incomplete structure")),
        ("size", Number("unsigned long", False)),
    ],
)
def test_shapes(type_: str, shape: object) -> None:
    assert Types(typedefs={"size": "unsigned long"}).shape(type_) == shape


X, Y, R = (build.variable(name, BitVec(32)) for name in ("x", "y", "r"))
NAMES = {X: Seen("x", True, argument=True), Y: Seen("*y", False, old=True), R: Seen("\\result", True, result=True)}


@pytest.mark.parametrize(
    ("formula", "said", "in_c"),
    [
        (build.eq(R, build.add(X, 1, 32), 32), "\\result == (int)(x + 1)", "(int)((unsigned int)x + 1u)"),
        (build.ult(X, R, 32), "(unsigned int)x < (unsigned int)\\result", "(unsigned int)x <"),
        (build.slt(X, 0, 32), "x < 0", "x < 0"),
        (build.eq(R, Y, 32), "\\result == (int)\\old(*y)", "(int)__CPROVER_old(*y)"),
        (build.ult(Y, 7, 32), "\\old(*y) < 7", "< 7u"),
        (build.implies(build.slt(X, 0, 32), build.eq(R, 1 << 31, 32)), "-2147483648", "(-2147483647 - 1)"),
    ],
)
def test_words_are_the_machines(formula: V, said: str, in_c: str) -> None:
    """ACSL's integers have no bounds, so that what wraps around has a cast; C's signed ones must not overflow."""
    assert said in Words(NAMES, frozenset("x")).condition(formula)
    assert in_c in Words(NAMES, frozenset("x"), CPROVER).condition(formula)


def test_no_words_where_they_would_be_wrong() -> None:
    """A division by what may be 0 is no C; what a result is has no words before the call."""
    with pytest.raises(Unsayable):
        Words(NAMES, frozenset("x")).condition(build.eq(R, build.sdiv(X, Y, 32), 32))
    with pytest.raises(Unsayable):
        Words(NAMES, frozenset("x"), before=True).condition(build.eq(R, X, 32))


def test_new_values_are_of_old_pointers() -> None:
    """`l->next->key` behind the call would be another node's, where the call changed `l->next`."""
    words = Words({}, frozenset("l"))
    assert words.name(Seen("l->key", True)) == "l->key"
    assert words.name(Seen("l->next->key", True)) == "\\old(l->next)->key"
    assert words.name(Seen("*head", True)) == "*\\old(head)"
    assert words.name(Seen("(*l->row)[k]", True)) == "(*\\old(l->row))[k]"
    assert words.name(Seen("(*l)[k]", True)) == "(*l)[k]"


def test_static_ones_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """The linker numbers those of the second file: what is said of one is not about the other."""
    one, two = tmp_path / "one.c", tmp_path / "two.c"
    one.write_text(
        "static int G; int get(void) { return G; } void put(int x) { G = x; }\nstatic int set(int x) { put(1); return 1; }\n"
        "int first(int x) { return set(x); }\n"
    )
    two.write_text(
        "static int G; int get(void); int first(int);\n"
        "int other(int x) { G = x; return get(); }\n"
        "static int set(int x) { G = 5; return 2 + 0 * first(x); }\nint second(int x) { return set(x); }\n"
    )
    for files in ((one, two), (two, one)):
        task = SourceTask(files)
        declared = declarations(task, two)
        other = contract_of(Unit(task, declared, declared.functions["other"]), 20.0)
        assert not other.missing and not [c for c in other.ensures if "\\result" in c.text and "G" not in c.text]
        mine = contract_of(Unit(task, declared, declared.functions["set"]), 20.0)
        assert not mine.missing and mine.assigns == ("G",)
        assert "\\result == 2" in [c.text for c in mine.ensures]


def test_elements_behind_a_pointer_are_named_as_c_reads_them() -> None:
    assert target_text("p", Array("int", 4)) == "(*p)" and target_text("p", Pointer("int", False)) == "*p"


def test_annotations(tmp_path: Path) -> None:
    """Nothing of a name or a reason ends a comment, and likely clauses are none."""
    file = tmp_path / "a.c"
    file.write_bytes(b"int g;\nint f(int n) {\n\twhile (n > 0) n--;\n\treturn \xff;\n}\n")
    clauses = (
        Clause("\\result >= 0", Status.PROVED, cprover="__CPROVER_return_value >= 0"),
        Clause("g == 1", Status.LIKELY, runs=3),
    )
    loop = LoopContract(str(file), 3, (Clause("n >= 0", Status.HERE), Clause("memory k", Status.HERE, exact=False)))
    contract = Contract(
        "f", str(file), 2, assumed=("it does not get to /tmp/*/x.c",), assigns=("static s",), ensures=clauses,
        loops=(loop,), offset=7, loop_offsets=((3, 23),),
    )  # fmt: skip
    text = acsl(contract)
    assert text.count("*/") == 1 and text.endswith("*/\n")
    assert "// counterpoint: assigns static s" in text and "// counterpoint: likely: ensures g == 1" in text
    written = annotated(file, {"f": contract})
    assert b"\t/*@ loop invariant n >= 0; // proved here\n\t*/\n\twhile (n > 0)" in written
    assert b"memory k" not in written and b"\treturn \xff;" in written
    write_output(out := tmp_path / "out.c", written)
    assert out.read_bytes() == written
    assert "__CPROVER_ensures(__CPROVER_return_value >= 0) /* proved */" in cprover(contract)


def test_both_kinds_of_callers_in_one_contract() -> None:
    every = Contract("f", "f.c", 1, assigns=(), ensures=(Clause("a", Status.PROVED), Clause("b", Status.LIKELY)))
    here = Contract("f", "f.c", 1, ensures=(Clause("a", Status.HERE), Clause("b", Status.HERE)))
    found = joined(every, here)
    assert [(c.text, c.status) for c in found.ensures] == [("a", Status.PROVED), ("b", Status.HERE)]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int x;\n")
    contract = Contract("f", str(file), 1, assigns=(), offset=99)
    with pytest.raises(UnusableInput, match="was changed"):
        annotated(file, {"f": contract})


def test_what_calls_fail_without_is_required(tmp_path: Path) -> None:
    """Found from runs, as weak as they tell, and enough for a proof that nothing fails; valid pointers are given."""
    file = tmp_path / "t.c"
    file.write_text(
        "int items[16]; unsigned top;\n"
        "int pop(int *out) { if (top == 0) return 0; top--; *out = items[top]; return 1; }\n"
        "int quotient(int a, int b) { return a / b; }\n"
        "int pick(const int *a, int n, int i) { return a[i]; }\n"
    )
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    functions = declared.functions
    assert preconditions(task, declared, functions["quotient"], Budget(20.0)) == ("b != 0",)
    assert set(preconditions(task, declared, functions["pick"], Budget(20.0))) >= {"n > i", "i >= 0"}
    found = contract_of(Unit(task, declared, functions["pop"], needs=preconditions), 60.0)
    assert [one.text for one in found.requires if one.why] == ["top <= 16"]
    assert INVALID not in found.assumed
    assert found.assigns == ("top", "*out")
    assert "requires top <= 16; // needed" in acsl(found)


def test_needs_become_c() -> None:
    """Arguments by the driver's names; what C has no words for is left out."""
    function = Function("f", (Parameter("p", "struct s *"), Parameter("", "int")), "int", False, False, "f.c", 1, 0, True)
    texts = ["p != \\null ==> (p->n < g || arg2 >= -1)", "\\valid(p + 1)", "n <", "g != 0"]
    assert [need.code for need in needs_of(function, texts)] == [
        "(!(counterpoint_arg_p != 0) || ((counterpoint_arg_p->n < g) || (counterpoint_arg_arg2 >= (-1))))", "(g != 0)",
    ]  # fmt: skip


@pytest.mark.long
def test_invariants_are_said_in_c(tmp_path: Path) -> None:
    """Over source variables, and as expressions that can be read back; pointers that may be null as far as runs tell
    are so. Nothing of registers, addresses or liveness is said."""
    file = tmp_path / "t.c"
    file.write_text(
        "int total; struct node { int key; struct node *next; };\n"
        "void count(unsigned n) { while (n > 0) { n--; total++; } }\n"
        "int same(struct node *l, struct node *m) { return l == m; }\n"
    )
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    found = {
        name: contract_of(Unit(task, declared, declared.functions[name], needs=preconditions), 60.0)
        for name in ("count", "same")
    }
    invariants = {name: [c.text for loop in one.loops for c in loop.invariants] for name, one in found.items()}
    assert any("\\at(total, Pre)" in text and "\\at(n, Pre)" in text for text in invariants["count"])
    assert "l == \\null || \\valid(l)" in [one.text for one in found["same"].requires]
    for contract in found.values():
        clauses = [*contract.requires, *contract.ensures, *(c for loop in contract.loops for c in loop.invariants)]
        for clause in clauses:
            assert clause.exact and "live" not in clause.text and "memory" not in clause.text
            parsed(clause.text)


def test_facts_about_elements_have_words(tmp_path: Path) -> None:
    """Of the address of an element becomes of its index; what is below no limit of its own is below the length."""
    file = tmp_path / "t.c"
    file.write_text("void fill(int *a, unsigned n, int v) { int k = 1; for (unsigned i = 0; i < n; i++) a[i] = v + k; }\n")
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    function = declared.functions["fill"]
    driver = driver_of(declared, function, str(file))
    (tmp_path / "driver.c").write_text(driver.text)
    names = tuple(view.name for view in driver.views)
    program = compile_subject(SourceTask(files=(tmp_path / "driver.c",), entry=DRIVER)).program(MODULAR, names)
    work = proving(program, driver.views, Budget(60.0))
    graph, view = work.graph, driver.views[1]
    words = LoopWords(graph, declared, function, "fill", driver.views)
    (head,) = (block for name, block in graph.cuts if name == "fill" and block > 0)
    facts = [fact for group in element_facts(graph, Snapshots(), "fill", view, work.names(view), ()) for fact in group]
    here = [fact.formula for fact in facts if fact.block == head]
    said = [words.said(formula, head, words.names(head)) for formula in here]
    assert "\\forall integer j; i <= j < n ==> (a[j] == \\at(a[j], Pre))" in said
    assert "\\forall integer j; 0 <= j < i ==> (a[j] == \\at(a[j], Pre))" in said
    assert all(text is None or parsed(text) for text in said)
    work.close()


def test_bytes_between_members_are_written(tmp_path: Path) -> None:
    """A copy or fill of a structure changes more than its members."""
    file = tmp_path / "t.c"
    file.write_text(
        "struct pair { short x; long z; } g;\nvoid copy(struct pair *d, const struct pair *s) { *d = *s; g.x = 1; }\n"
    )
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    found = contract_of(Unit(task, declared, declared.functions["copy"]), 60.0)
    assert found.assigns == ("g.x", "*d")
    assert Location("r->in.a[0..3]", "").whole == "*r" and Location("a[0..n - 1]", "").whole == "a[0..n - 1]"


def test_nothing_follows_without_time() -> None:
    """What is left unasked is no reason to leave a location out of `assigns`."""
    known, formula = build.slt(X, 5, 32), build.slt(X, 7, 32)
    assert follows(formula, [known], Budget(20.0))
    assert not follows(formula, [], Budget(20.0))
    assert not follows(formula, [known], Budget(0.0))
