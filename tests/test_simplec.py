"""Simple C: grammar, checks, meaning of every statement and annotation, and the command."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Finished, Limits, Outcome, Violated
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.simplec import syntax as s
from counterpoint.frontend.simplec.language import translate
from counterpoint.frontend.simplec.parser import parse
from counterpoint.frontend.task import SourceTask
from counterpoint.program.graph import loop_heads
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.model import Check, Hint


def parsed(text: str) -> s.Expression:
    (procedure,) = parse(f"void main() {{ assert({text}); }}", "f.sc")
    statement = procedure.body.statements[0]
    assert isinstance(statement, s.Assertion)
    return statement.condition


def compiled(folder: Path, text: str) -> Subject:
    path = folder / "f.sc"
    path.write_text(text)
    return compile_subject(SourceTask(files=(path,), language="SimpleC"))


def outcome(subject: Subject, preparation: str = "none", **inputs: list[int] | int) -> Outcome:
    """How the run ends whose variables get these values, in the order of the run; others are 0."""
    program = subject.program(preparation)
    given = []
    for name, values in inputs.items():
        site = next(site.index for site in program.sites if site.name == name)
        given += [ScalarInput(site, value % 2**32, 32) for value in ([values] if isinstance(values, int) else values)]
    return run(program, ReplayInputs(tuple(given)), Limits(steps=100_000)).outcome


def fails(subject: Subject, **inputs: list[int] | int) -> str:
    """Message and line of the check that fails, "" if the run ends well; prepared or not."""
    found = {outcome(subject, preparation, **inputs) for preparation in ("none", "flat")}
    assert len(found) == 1, found
    match found.pop():
        case Violated(check):
            site = subject.program("none").checks[check]
            return f"{site.at.line}:{site.at.column} {site.message}"
        case Finished():
            return ""
        case other:
            return str(other)


# ---------------------------------------------------------------- expressions

VALUES = (0, 1, -1, 2, 3, 7, 31, 32, 33, 1000, -7, 2**31 - 1, -(2**31), 65536, -65535)
NAMES = {f"v{index}": value for index, value in enumerate(VALUES)}

STRENGTH = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
BINARY = [operator for level in STRENGTH for operator in level]


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def value_of(e: s.Expression) -> int:
    """SMT-LIB's meaning, over signed numbers."""
    match e:
        case s.Number(value):
            return wrapped(value)
        case s.Name(name):
            return NAMES[name]
        case s.Conditional(condition, chosen, other):
            return value_of(chosen if value_of(condition) else other)
        case s.Unary(operator, operand):
            a = value_of(operand)
            return {"-": wrapped(-a), "+": a, "~": ~a, "!": int(a == 0)}[operator]
        case s.Binary(operator, left, right):
            a, b = value_of(left), value_of(right)
            amount, quotient = b % 2**32, abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1) if b else (1 if a < 0 else -1)
            meanings: dict[str, Callable[[], int]] = {
                "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b, "|": lambda: a | b,
                "^": lambda: a ^ b, "==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b, "<=": lambda: a <= b,
                ">": lambda: a > b, ">=": lambda: a >= b, "/": lambda: quotient, "%": lambda: a - quotient * b,
                "<<": lambda: a << amount if amount < 32 else 0, ">>": lambda: a >> min(amount, 31),
                "&&": lambda: bool(a) and bool(b), "||": lambda: bool(a) or bool(b),
            }  # fmt: skip
            return wrapped(int(meanings[operator]()))


atoms = st.sampled_from([*NAMES, "0", "1", "2", "5", "31", "32", "2147483648", "4294967295"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(BINARY), inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["/", "%", "<<", ">>"]), inner),
        st.builds("{}({})".format, st.sampled_from("+-!~"), inner),
        st.builds("{} {}".format, st.sampled_from("+-!~"), inner),
        st.builds("{} ? {} : {}".format, inner, inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(expressions, min_size=20, max_size=30))
def test_expressions_have_the_values_of_smt_lib(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    declared = " ".join(f"int {name};" for name in NAMES)
    asserted = "\n".join(f"assert(({text}) == {value_of(parsed(text)) % 2**32});" for text in texts)
    subject = compiled(tmp_path_factory.mktemp("e"), f"void main() {{ {declared}\n{asserted} }}")
    failing = fails(subject, **NAMES)
    assert not failing, texts[int(failing.partition(":")[0]) - 2]


def climb(tokens: list[str], level: int = 0) -> object:
    """C's grammar by precedence climbing, as nested tuples."""
    if level == len(STRENGTH):
        token = tokens.pop(0)
        if token == "(":
            inside = ternary(tokens)
            tokens.pop(0)
            return inside
        return (token, climb(tokens, level)) if token in ("+", "-", "!", "~") else token
    left = climb(tokens, level + 1)
    while tokens and tokens[0] in STRENGTH[level]:
        left = (tokens.pop(0), left, climb(tokens, level + 1))
    return left


def ternary(tokens: list[str]) -> object:
    condition = climb(tokens)
    if not tokens or tokens[0] != "?":
        return condition
    tokens.pop(0)
    chosen = ternary(tokens)
    tokens.pop(0)
    return ("?", condition, chosen, ternary(tokens))


def shape(e: s.Expression) -> object:
    match e:
        case s.Number(value):
            return str(value)
        case s.Name(name):
            return name
        case s.Unary(operator, operand):
            return operator, shape(operand)
        case s.Binary(operator, left, right):
            return operator, shape(left), shape(right)
        case s.Conditional(condition, chosen, other):
            return "?", shape(condition), shape(chosen), shape(other)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions)
def test_precedence_and_associativity_are_those_of_c(text: str) -> None:
    spaced = text.replace("(", " ( ").replace(")", " ) ")
    assert shape(parsed(text)) == ternary(spaced.split())


def test_tokens_without_spaces() -> None:
    assert shape(parsed("a<<-b>>c<=d>e&&!f||~g&h?i:- -j")) == (
        "?",
        ("||", ("&&", (">", ("<=", (">>", ("<<", "a", ("-", "b")), "c"), "d"), "e"), ("!", "f")), ("&", ("~", "g"), "h")),
        "i",
        ("-", ("-", "j")),
    )


def test_long_and_deep_expressions(tmp_path: Path) -> None:
    chain = " + ".join(["x"] * 1500)
    nested = "(" * 1500 + "x" + ")" * 1500
    right = "".join(f"x + {n} * (" for n in range(300)) + "x" + ")" * 300
    subject = compiled(tmp_path, f"void main(int x) {{ assert({chain} == 1500 * {nested}); assert({right} != 1); }}")
    assert fails(subject, x=-3) == ""


# ---------------------------------------------------------------- statements


def test_variables_are_arbitrary_until_they_are_assigned(tmp_path: Path) -> None:
    subject = compiled(tmp_path, "void main(int a) {\n int b;\n int c = b + 1;\n assert(a != 5 || c != 7 );\n}")
    assert fails(subject, a=5, b=5) == ""
    assert fails(subject, a=5, b=6) == "4:2 an assertion fails"


def test_a_declaration_in_a_loop_is_fresh_each_time(tmp_path: Path) -> None:
    text = "void main() { int i; i = 0; int sum; sum = 0; while (i < 3) { int fresh; sum = sum * 10 + fresh; i = i + 1; }\nassert(sum != 123); }"
    subject = compiled(tmp_path, text)
    assert fails(subject, fresh=[1, 2, 3]).startswith("2:1 ")
    assert fails(subject, fresh=[1, 2, 4]) == ""


def test_havoc_assume_and_branches(tmp_path: Path) -> None:
    text = """void main(int a) { /* one
  comment */ int r;
  if (a > 0) if (a > 10) r = 1; else r = 2; else { int a; a = 0; r = 3 + a; }  // the nearest if
  assert(r == (a > 0 ? (a > 10 ? 1 : 2) : 3));
  r = 1; havoc(r);
  assume(r < 100);
  assert(r != 50);
}"""
    subject = compiled(tmp_path, text)
    for a in (0, 5, 11):
        assert fails(subject, a=a) == ""
    sites = [site.name for site in subject.program("flat").sites]
    assert sites == ["a", "r", "a", "r"]
    program = subject.program("none")
    havoced = program.sites[3].index
    last = run(program, ReplayInputs((ScalarInput(havoced, 50, 32),)), Limits(steps=1000)).outcome
    assert isinstance(last, Violated) and program.checks[last.check].at.line == 7
    assert "Assumption" in str(run(program, ReplayInputs((ScalarInput(havoced, 100, 32),)), Limits(steps=1000)).outcome)


def test_names_of_c_are_free(tmp_path: Path) -> None:
    text = "void main(int long) { int main; int printf; int __x; int __i386__; int return; main = long; printf = main; __x = printf; __i386__ = __x; return = __i386__; assert(return != 9); }"
    assert fails(compiled(tmp_path, text), long=9).startswith("1:")


# ---------------------------------------------------------------- annotations

ANNOTATED = """void main(int n) {
  int i = 0;
  while (i < n)
    cand(i != 4 && n) bound(3)
    inv(i  <=  /* at most */ 3)
    inv(i >= 0) cand(n % i == 0)
    i = i + 1;
}"""


def test_required_invariants_are_checked_whenever_the_head_is_reached(tmp_path: Path) -> None:
    subject = compiled(tmp_path, ANNOTATED)
    assert fails(subject, n=3) == ""
    assert fails(subject, n=4) == "5:5 the required invariant `i <= /* at most */ 3` does not hold"
    last = compiled(tmp_path, "void main(int n) { int i = n; while (i < 5) inv(i != 5) i = i + 1; }")
    assert fails(last, n=4) == fails(last, n=5) != ""
    assert fails(last, n=6) == ""


def test_annotations_are_hints_in_the_loop_head(tmp_path: Path) -> None:
    program = compiled(tmp_path, ANNOTATED).program("flat")
    (head,) = loop_heads(program.main)
    kinds = [type(i) for i in program.main.blocks[head].instructions if isinstance(i, Hint | Check)]
    assert kinds == [Hint, Hint, Check, Hint, Check, Hint]
    assert len(program.main.blocks[head].edges) == 2


IN_C = """extern void reach_error(void); extern void __counterpoint_candidate(long long);
extern void __counterpoint_invariant(_Bool, const char *); extern int __counterpoint_divide(int, int);
extern long __counterpoint_remainder(long, long long);
int main(void) {
  for (int i = 0; __counterpoint_candidate(i - 3), i < 5; i++)
    __counterpoint_invariant(i != 4, "\\"never\\" 4");
  if (__counterpoint_remainder(1, 2)) reach_error();
}
"""


def test_c_programs_may_speak_to_the_checker_too(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(IN_C)
    subject = compile_subject(SourceTask(files=(path,)))
    assert fails(subject) == '6:5 the required invariant `"never" 4` does not hold'
    assert subject.program("none").assumptions == (
        "the undefined function __counterpoint_remainder returns any value and changes nothing",
    )


def test_nested_statements_and_comments_in_annotations(tmp_path: Path) -> None:
    depth = 200
    text = "void main(int a) {\n" + "if (a) {" * depth + "while (a) inv(a /* \u00e9 \"?\\ */ != 7) a = a + 1;" + "}" * depth + "}"
    assert fails(compiled(tmp_path, text), a=5).endswith('invariant `a /* \u00e9 "?\\ */ != 7` does not hold')


# ---------------------------------------------------------------- errors

ERRORS = {
    "1:23: unexpected `}`: expected `=`": "void main() { int x; x}",
    "2:3: unexpected `)`: expected an expression": "void main() { assert(\n  ); }",
    "1:12: unexpected end of file: expected `{`": "void main()",
    "1:15: unexpected `else`: expected": "void main() { else }",
    "1:15: the comment is not closed": "void main() { /* int x; }",
    "1:20: `++` is no operator": "void main() {a = a ++ 1; }",
    "1:27: `--` is no operator": "void main(int a) { assert(--a); }",
    "1:15: unexpected `@`": "void main() { @ }",
    "1:20: a number has only decimal digits": "void main() { x =  0x1F; }",
    "1:19: unexpected `if`": "void main() { int if; }",
    "1:51: unexpected `i`: expected a number": "void main(int i) { while (i) inv(i) cand(i) bound(i) { } }",
    "1:23: `y` is declared again": "void main(int y){ int y; }",
    "2:1: `y` is not declared: write `int y;`": "void main() { { int y; }\ny = 1; }",
    "1:23: `z` is not declared": "void main() { assume(!z); }",
    "1:21: `z` is not declared": "void main() { havoc(z); }",
    "1:36: `k` is not declared": "void main(int i) { while (i) cand((k)) { } }",
    "1:34: `b` is not declared": "void main(int a) { if (a) int b; b = 1; }",
    "1:23: `x` is used in its own initialiser": "void main() { int x = x; }",
    "1:22: the number has more than 32 bits": "void main() { assert(4294967296); }",
    "1:6: the procedure is called `f`: expected `main`": "void f() { }",
    "1:15: a second procedure": "void main() {}void main() {}",
    "1:1: there is no procedure": "// nothing\n",
    "1:1: unexpected `int`: expected `void`": "int main() { return 0; }",
}


@pytest.mark.parametrize("said", ERRORS)
def test_errors_name_line_and_column(said: str, tmp_path: Path) -> None:
    path = tmp_path / "f.sc"
    path.write_text(ERRORS[said])
    with pytest.raises(UnusableInput) as raised:
        translate(path)
    assert str(raised.value).startswith(f"{path}:{said}"), (str(raised.value), ERRORS[said])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [b"void main() { x = \xff; }", b"void main() { " + b"{" * 5000, b"void main() { " + b"{" * 5000 + b"}" * 5001,
     b"void main(int a) { assert(" + b"-(" * 5000 + b"a" + b")" * 5000 + b"); }", b"void main() { assert(" + b"9" * 6000 + b"); }"],
    ids=["bytes", "open", "nested", "deep", "digits"],
)  # fmt: skip
def test_hostile_texts_end_in_one_line(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "f.sc"
    path.write_bytes(text)
    with pytest.raises(UnusableInput, match=r"f\.sc"):
        translate(path)


# ---------------------------------------------------------------- the command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield tmp_path
    for number, handler in kept.items():
        signal.signal(number, handler)


UNSAFE = """void main(int a, int b) {
  int larger;
  if (a > b)
    larger = a;
  assert(larger >= b);
}
"""
SAFE = """void main(int a, int b) {
  assume(b != 0);
  int q; int r;
  q = a / b; r = a % b;
  assert(a == q * b + r);
  int i; i = 0;
  while (i < 3) bound(3) inv(0 <= i && i <= 3) cand(i == 7) { i = i + 1; }
  assert(i == 3);
}
"""


def test_unsafe_end_to_end(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "f.sc").write_text(UNSAFE)
    assert run_command(["check", "f.sc", "--timeout", "20", "--json", "r.json"]) == 1
    out = capfd.readouterr().out
    assert "f.sc:5:3: `larger >= b` is false (larger = 0, b = 1)" in out
    assert out.rstrip().endswith("VERDICT: FALSE(unreach-call)")
    result = json.loads((here / "r.json").read_text())["counterexample"]
    assert {value["name"] for value in result["inputs"]} == {"a", "b", "larger"}
    assert [step["source"] for step in result["steps"]][-1] == "assert(larger >= b);"
    assert run_command(["replay", "f.sc", "r.json", "--timeout", "20"]) == 1


def test_safe_end_to_end_by_task_definition(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "program.txt").write_text(SAFE)
    (here / "p.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (here / "t.yml").write_text(
        "format_version: '2.0'\ninput_files: program.txt\noptions: {language: SimpleC}\n"
        "properties:\n  - property_file: p.prp\n    expected_verdict: true\n"
    )
    assert run_command(["check", "t.yml", "--timeout", "20", "--engine", "bmc", "--json", "r.json", "-q"]) == 0
    assert capfd.readouterr().out.strip() == "VERDICT: TRUE"
    assert run_command(["certify", "t.yml", "r.json", "--timeout", "20"]) == 0


def test_unusable_input_is_one_line(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "f.sc").write_text("void main() {\n  x = 1;\n}")
    (here / "g.c").write_text("int main(void) { return 0; }")
    (here / "t.yml").write_text("format_version: '2.0'\ninput_files: [g.c, f.sc]\noptions: {language: C}\n")
    (here / "u.yml").write_text("format_version: '2.0'\ninput_files: g.c\noptions: {language: Java}\n")
    for arguments, said in (
        (["f.sc"], "f.sc:2:3: `x` is not declared"),
        (["f.sc", "g.c"], "f.sc: a program in Simple C is one file"),
        (["t.yml"], "f.sc: a program in Simple C is one file"),
        (["u.yml"], "language is `Java`"),
        (["f.sc", "--property", "memory-safety"], "assertions only"),
    ):
        assert run_command(["check", *arguments]) == 2
        out, err = capfd.readouterr()
        assert said in err and len(err.strip().splitlines()) == 1 and out == "", (arguments, err)


@pytest.mark.parametrize(
    ("expression", "value"),
    [("a / 0", -1), ("(0 - a) / 0", 1), ("a % 0", 7), ("(0 - a) % 0", -7), ("a << 32", 0), ("(0 - a) >> 40", -1)],
)
def test_operations_have_smtlibs_values_where_c_has_none(expression: str, value: int, tmp_path: Path) -> None:
    subject = compiled(tmp_path, f"void main() {{ int a; assume(a == 7); assert({expression} == 0 - {-value}); }}")
    assert fails(subject, a=7) == ""
