"""Witnesses: what is written fits the format, others' are read as data, and no wrong one is confirmed."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import attack_witnesses
from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.editing.source import Text
from counterpoint.frontend.editing.syntax import syntax_of
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.witness.checked_copy import CheckedCopy
from counterpoint.witness.document import (
    LOCATION,
    LOOP,
    RETURN,
    TARGET,
    Contract,
    Correctness,
    Invariant,
    Location,
    Metadata,
    Violation,
    Waypoint,
    Witness,
)
from counterpoint.witness.expression import Names, NoExpression, parsed, readable
from counterpoint.witness.monitor import Monitor
from counterpoint.witness.reading import read_witness
from counterpoint.witness.validation import Answer, Validated, validate
from counterpoint.witness.values import bits_of
from counterpoint.witness.writing import written
from schema import violations

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "witness-schema.json").read_text())
REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )"

SAFE = """extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i, sum = 0;
  for (i = 0; i < n; i++) {
    sum += 2;
  }
  if (sum % 2 == 1) reach_error();
  return 0;
}
"""
UNSAFE = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  for (int i = 0; i < 2; i++) {
    int x = __VERIFIER_nondet_int();
    if (x != 77000 + i) return 0;
  }
  reach_error();
  return 0;
}
"""
RECURSIVE = """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int f(int n) {
  if (n <= 0)
    return 0;
  return f(n - 1) + 2;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && n <= 99 && f(n) != 2 * n)
    reach_error();
}
"""


def about(file: Path) -> Metadata:
    return Metadata((str(file),), (hashlib.sha256(file.read_bytes()).hexdigest(),), REACH, "LP64", "test 1")


def in_file(folder: Path, text: str) -> Path:
    file = folder / "f.c"
    file.write_text(text)
    return file


def judged(file: Path, witness: Witness, engines: tuple[str, ...] = ("auto",)) -> Validated:
    path = file.with_name("w.yml")
    path.write_text(written(witness, "2.1"))
    return validate(path, Request((file,), timeout=20, engines=engines, jobs=1))


# ---------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0 <= i && i <= 99", "i"),
        ("(int)((unsigned int)q + 1u) < n || (s == 2*n)", "n q s"),
        ("a[i].b->c != *p ? -1 : !(x & ~y)", "a i p x y"),
        ("(long long)x == 'a' + 0x1F - 1.5e3f", "x"),
        ("(struct s *)p == (void *)0", "p"),
        ("- -x", "x"),
        ("été == $x", "$x été"),
    ],
)
def test_expressions_without_effects_are_read(text: str, names: str) -> None:
    assert " ".join(sorted(parsed(text).names)) == names


@pytest.mark.parametrize(
    "text",
    [
        "", "x = 1", "x == 1; y", "f(x)", "(f)(x)", "a[0](x)", "x++", "--x", "x, y", "0); abort(); (0", "({ x; })",
        "x += 1", "sizeof(x)", '"text"', "x ? y", "x ? : y", "#x", "x\\\ny", "/* x */ 1", "a[", "(((x)", "x y", "1 2 x(",
        "__builtin_trap", "__counterpoint_x", "counterpoint_segment == 0", "return", "\\result == 1", "(" * 500 + "x" + ")" * 500,
        "x == \\at(x, Old)", "a ? b : c = 1", "&&x", "x.1", "(int){1}", "??(0", "@", "é == ",
        "'??/' == ' || f() || '", "'é'", "'ab'", "x /*p", "x // y", "a\\\n[0]", "<:", "a<:0:>", "%:define x", "*(volatile int *)p", "x == x--",
        "(int (*)[n])p", "(typeof(x))y", "(int[n])x", "__real__ x", "\\forall int k; k", "x ==> y", "a[0..1]", "x ^^ y", "int", "p->return",
        "\\old(x)", "0x", "09", "1uuuul", "1.2.3", "'\\xff'", "'\\q'", "_Generic(x, int: 1)", "(x)(y)", "x = = y", "x y", "\x00", "1 ? 2, 3 : 4",
    ],
)  # fmt: skip
def test_whatever_else_is_refused(text: str) -> None:
    with pytest.raises(NoExpression):
        parsed(text)


def test_expressions_are_written_as_they_are_read() -> None:
    """Random trees: what is written of one is read as it again, and no two tokens touch."""
    operators = ["||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"]

    def tree(chance: random.Random, depth: int) -> e.Expression:
        below = lambda: tree(chance, depth - 1)  # noqa: E731
        match chance.randrange(9) if depth else chance.randrange(3):
            case 0:
                return e.Name(chance.choice("xyz"))
            case 1:
                return e.Number(7, "0x7u")
            case 2:
                return e.Real("1.5e-3f")
            case 3:
                return e.Unary(chance.choice("-+!~*&"), below())
            case 4 | 5:
                return e.Binary(chance.choice(operators), below(), below())
            case 6:
                return e.Choice(below(), below(), below())
            case 7:
                return e.Cast(chance.choice(("T *", "unsigned long")), below())
        return chance.choice((e.Element(below(), below()), e.Field(below(), "m", arrow=True)))

    for seed in range(400):
        made = tree(random.Random(seed), 5)
        assert parsed(e.in_c(made, {}), {"T"}).of == made
    assert e.in_c(e.parsed("(a-(b-c))*-(-d)"), {}) == "( a - ( b - c ) ) * - - d"
    assert parsed(" + ".join("x" * 20_000)).text().count("x") == 20_000


def test_names_are_declared_and_no_macros() -> None:
    """`__COUNTER__` is no macro that compilers list, and reading it changes what the program reads."""
    names = Names({"N", "m"}, {"T"}, {"x", "m", "n", "T"})
    assert readable("(T)x + n", names).names == {"x", "n"}
    for text in ("__COUNTER__ >= 0", "x < N", "x == x.m", "__func__ != 0", "(struct N *)x != 0", "y"):
        with pytest.raises(NoExpression, match=r"is a macro|is not declared"):
            readable(text, names)


def test_entry_values_are_for_contracts() -> None:
    assert parsed("\\result == \\at(x, Old) + 1", extended=True).names == {"x"}
    with pytest.raises(NoExpression):
        parsed("\\at(x + 1, Old)", extended=True)


@pytest.mark.parametrize(
    ("text", "bits", "type_", "value"),
    [
        ("-3", 32, "int", 0xFFFFFFFD), ("0x10u", 8, "uchar", 16), ("010", 32, "int", 8), ("300", 8, "uchar", 44),
        ("(-9223372036854775807 - 1)", 64, "long", 1 << 63), ("1.5f", 32, "float", 0x3FC00000), ("x", 32, "int", None), ("09", 32, "int", None),
        ("nan", 64, "double", None), ("1e999", 64, "double", None), ("1" * 5000, 32, "int", None),
    ],
)  # fmt: skip
def test_constants_are_bits(text: str, bits: int, type_: str, value: int | None) -> None:
    assert bits_of(text, bits, type_) == value


# ---------------------------------------------------------------- files


def samples(file: Path) -> list[Witness]:
    at = Location(str(file), 5, 3, "main")
    point = Waypoint(RETURN, at, "\\result == -3", callee="__VERIFIER_nondet_int")
    return [
        Correctness(about(file)),
        Correctness(about(file), (Invariant(LOOP, at, "i <= n"), Invariant(LOCATION, replace(at, column=0), "1"))),
        Correctness(about(file), (), (Contract(at, "x > 0", "\\result == \\at(x, Old)"),)),
        Violation(about(file), ((point,), (Waypoint(TARGET, at),))),
    ]


def test_what_is_written_fits_the_format_and_is_read_back(tmp_path: Path) -> None:
    file = in_file(tmp_path, SAFE)
    for witness in samples(file):
        path = tmp_path / "w.yml"
        path.write_text(written(witness, "2.1"))
        assert violations(yaml.safe_load(path.read_text()), SCHEMA) == []
        again = read_witness(path)
        assert replace(again, metadata=witness.metadata) == _without_callees(witness)
    path = tmp_path / "w.graphml"
    path.write_text(written(witness, "1.0"))
    read = read_witness(path)
    assert isinstance(read, Violation)
    assert read.segments[0][0] == Waypoint(RETURN, Location(str(file), 5), "\\result == -3")
    assert read.metadata.specification == REACH
    path.write_text(path.read_text().replace('"startline">5<', f'"startline">{"9" * 5000}<'))
    again = read_witness(path)
    assert isinstance(again, Violation) and again.segments[-1][0].location.line == 0


def _without_callees(witness: Witness) -> Witness:
    if isinstance(witness, Correctness):
        return witness
    return replace(witness, segments=tuple(tuple(replace(p, callee="") for p in s) for s in witness.segments))


def _broken(entry: Any, path: str, value: Any) -> Any:
    *way, last = path.split(".")
    part = entry
    for name in way:
        part = part[int(name) if isinstance(part, list) else name]
    if value is None:
        del part[last]
    else:
        part[int(last) if isinstance(part, list) else last] = value
    return entry


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("0.entry_type", "invariants", "one of"),
        ("0.metadata", None, "metadata"),
        ("0.content.0.segment.0.waypoint.location.line", "010", "whole number"),
        ("0.metadata.format_version", "3.0", "format_version"),
        ("0.metadata.uuid", None, "uuid"),
        ("0.metadata.producer.name", None, "name"),
        ("0.metadata.task.input_files", [], "at least one"),
        ("0.metadata.task.input_file_hashes", {"f.c": "abc"}, "SHA-256"),
        ("0.metadata.task.language", "Java", "expected C"),
        ("0.metadata.task.data_model", "LP128", "one of"),
        ("0.content.0.segment.0.waypoint.type", "wait", "one of"),
        ("0.content.0.segment.0.waypoint.action", "cycle", "one of"),
        ("0.content.0.segment.0.waypoint.action", "avoid", "one to follow"),
        ("0.content.0.segment.0.waypoint.constraint", None, "constraint"),
        ("0.content.0.segment.0.waypoint.location.line", "x", "whole number"),
        ("0.content.0.segment.0.waypoint.location.line", "0", "whole number"),
        ("0.content.0.segment.0.waypoint.location.line", "9" * 30, "whole number"),
        ("0.content.0.segment.0.waypoint.location.file_name", "other.c", "one of the witness's files"),
        ("0.content.1", {"segment": []}, "one to follow"),
        ("0.content.1.segment.0.waypoint.type", "function_enter", "target"),
        ("0.content", [], "target"),
        ("0.content", "text", "a list"),
        ("0", "text", "an object"),
    ],
)
def test_broken_witnesses_are_refused_in_one_line(tmp_path: Path, path: str, value: Any, said: str) -> None:
    file = in_file(tmp_path, UNSAFE)
    document = yaml.safe_load(written(samples(file)[3], "2.0"))
    broken = tmp_path / "w.yml"
    broken.write_text(yaml.dump(_broken(document, path, value)))
    with pytest.raises(UnusableInput, match=said) as error:
        read_witness(broken)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("w.yml", "", "list of entries"),
        ("w.yml", "{}", "list of entries"),
        ("w.yml", "[]", "no entry"),
        ("w.yml", "- entry_type: ghost_instrumentation", "threads"),
        ("w.graphml", "<graphml>", "not XML"),
        ("w.graphml", "no markup", "not XML"),
        ("w.graphml", "<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>", "document type"),
        ("w.graphml", "<graphml/>", "no graph"),
        ("w.graphml", "<graphml><graph/></graphml>", "violations alone"),
    ],
)
def test_other_documents_are_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UnusableInput, match=said):
        read_witness(path)


# ---------------------------------------------------------------- in the program's text


PLACES = """#define N 10
int g(int a);
int main(void) {
  int x = 0, y;
  for (;;) { if (x > 3) break; x++; }
  do x--; while (x > N);
  if (x) y = 1; else y = 2;
again:
  while (y < 3) y++;
  switch (y) { case 3: x = 1; }
  return g(x) ? 1 : 0;
}
"""


def test_what_is_inserted_keeps_lines_and_compiles(tmp_path: Path) -> None:
    """Every kind of place once; clang's tree of the copy has all that the file's has, and the copy's calls."""
    file = in_file(tmp_path, PLACES)
    task = SourceTask((file,))
    syntax = syntax_of(task, Text(file, file.read_bytes()))
    said = {(loop.kind, syntax.text.place(loop.range.begin)[0]) for loop in syntax.loops}
    assert said == {("for", 5), ("do", 6), ("while", 9)}
    copy = CheckedCopy({file: syntax}, Names({"N"}, syntax.types, syntax.declared))
    invariants = [Invariant(LOOP, Location("f.c", line), "x >= 0") for line in (5, 6, 9)]
    invariants += [Invariant(LOCATION, Location("f.c", line), "x >= 0") for line in (4, 7, 8, 10, 11)]
    copy.write(Correctness(about(file), (*invariants, Invariant(LOOP, Location("f.c", 5), "x < N"))))
    assert len(copy.refused) == 1 and "`N` is a macro" in copy.refused[0]
    monitor = Monitor({file: syntax}, Names(set(), syntax.types, syntax.declared))
    points = [
        Waypoint("branching", Location("f.c", 7, 3), "true"),
        Waypoint("branching", Location("f.c", 10, 3), "3"),
        Waypoint("branching", Location("f.c", 11, 15), "false"),
        Waypoint("function_enter", Location("f.c", 11, 13)),
        Waypoint("function_return", Location("f.c", 11, 13), "\\result == 0"),
        Waypoint("assumption", Location("f.c", 7, 10), "x == 1"),
    ]
    monitor.write(Violation(about(file), (*((point,) for point in points), (Waypoint(TARGET, Location("f.c", 11, 3)),))))
    for (_, content), least in ((copy.contents()[0], 8), (monitor.contents()[0], 7)):
        written_ = tmp_path / "copy.c"
        written_.write_bytes(content)
        assert content.count(b"\n") == PLACES.count("\n") + 2
        again = syntax_of(SourceTask((written_,)), Text(written_, content))
        assert len(again.loops) == 3
        assert content.count(b"counterpoint_segment") + content.count(b"__counterpoint_invariant(!!") >= least


# ---------------------------------------------------------------- judged


def test_invariants_are_shown_and_never_believed(tmp_path: Path) -> None:
    file = in_file(tmp_path, SAFE)
    loop = Location(str(file), 5, 3, "main")
    good = Invariant(LOOP, loop, "sum == 2 * i")
    assert judged(file, Correctness(about(file), (good,)), ("houdini",)).answer is Answer.CONFIRMED
    wrong = judged(file, Correctness(about(file), (good, Invariant(LOOP, loop, "i < 1000"))), ("random",))
    assert wrong.answer is Answer.REFUTED and "i < 1000" in wrong.why
    nowhere = judged(file, Correctness(about(file), (replace(good, location=replace(loop, line=6)),)), ("houdini",))
    assert nowhere.answer is Answer.UNKNOWN and "no loop begins there" in nowhere.why


def test_contracts_are_guesses_for_recursive_functions(tmp_path: Path) -> None:
    """Nothing else is guessed here; a contract that does not hold is refused."""
    file = in_file(tmp_path, RECURSIVE)
    path = tmp_path / "w.yml"
    for result, answer in (("\\at(n, Old) * 2", Answer.CONFIRMED), ("\\at(n, Old)", Answer.UNKNOWN)):
        contract = Contract(Location(str(file), 2, 5), "n >= 0 && n <= 99", f"\\result == {result}")
        path.write_text(written(Correctness(about(file), (), (contract,)), "2.1"))
        options = (("houdini.generate", "false"),)
        asked = Request((file,), timeout=20, engines=("houdini",), options=options, prepare="modular", jobs=1)
        assert validate(path, asked).answer is answer


@pytest.mark.parametrize(
    ("line", "invariant", "said"),
    [
        ("if (__COUNTER__ == 0) reach_error();", "__COUNTER__ >= 0", "is not declared"),
        ("if (__BASE_FILE__[0] != 99) reach_error();", "x == x", "in a copy"),
        ("\n#define else\nif (x == 1) reach_error();", "x == x", "`else` is a macro"),
        ("int counterpoint_result = x; if (counterpoint_result) reach_error();", "x == x", "of the checker's own"),
    ],
)
def test_what_would_change_the_program_is_refused(tmp_path: Path, line: str, invariant: str, said: str) -> None:
    """All of these fail, and the first has no error any more when the invariant is read before it."""
    file = in_file(tmp_path, "extern void reach_error(void);\nint main(void) {\n  int x = 1;\n  x = 1; " + line + "\n}\n")
    at = Location(str(file), 4)
    found = judged(file, Correctness(about(file), (Invariant(LOCATION, at, invariant),)), ("bmc",))
    assert found.answer is Answer.UNKNOWN and said in found.why


def test_mutated_witnesses_are_judged_by_what_they_say(tmp_path: Path) -> None:
    """`python tests/attack_witnesses.py` does that with many: what all runs of the program tell is the truth."""
    report = attack_witnesses.Report()
    for number, base in enumerate(attack_witnesses.bases(tmp_path)):
        for mutant in attack_witnesses.mutants(base, 1, random.Random(number)):
            attack_witnesses.judge(base, mutant, tmp_path, report, ("bmc",), 5)
    assert report.wrong == []


def test_violations_are_followed_and_replayed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = in_file(tmp_path, UNSAFE)
    monkeypatch.chdir(tmp_path)
    status = run_command(["check", str(file), "--engine", "bmc", "--findings", "first", "-q", "--witness", "w.yml"])
    assert status == 1
    text = Path("w.yml").read_text()
    assert violations(yaml.safe_load(text), SCHEMA) == []
    assert [v for v in ("\\result == 77000", "\\result == 77001", "column: 35") if v not in text] == []
    assert run_command(["certify", str(file), "w.yml"]) == 1
    assert "Witness CONFIRMED" in capfd.readouterr().out
    Path("w.yml").write_text(text.replace("77001", "77002"))
    assert validate(Path("w.yml"), Request((file,), engines=("bmc",), jobs=1)).answer is Answer.REFUTED


TURNS = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0;
  for (int i = 0; i < 2; i++)
    if (i)
      x = __VERIFIER_nondet_int();
    else
      y = __VERIFIER_nondet_int();
  if (x + y == 5)
    reach_error();
}
"""


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ([(9, "2"), (7, "3")], Answer.CONFIRMED),
        ([(7, "3"), (9, "2")], Answer.REFUTED),
        ([(9, "2"), (7, "3"), (7, "3")], Answer.REFUTED),
        ([(9, "4294967298")], Answer.REFUTED),
    ],
)
def test_values_are_returned_in_the_order_that_is_told(tmp_path: Path, told: list[tuple[int, str]], answer: Answer) -> None:
    file = in_file(tmp_path, TURNS)
    points = [Waypoint(RETURN, Location(str(file), line), f"\\result == {value}") for line, value in told]
    points.append(Waypoint(TARGET, Location(str(file), 11, 5)))
    assert judged(file, Violation(about(file), tuple((point,) for point in points)), ("bmc",)).answer is answer


def test_a_witness_of_something_else_is_refused(tmp_path: Path) -> None:
    file = in_file(tmp_path, UNSAFE)
    fitting = about(file)
    for metadata, said in (
        (replace(fitting, hashes=("0" * 64,)), "other contents"),
        (replace(fitting, specification="CHECK( init(main()), LTL(G ! overflow) )"), "no-overflow"),
        (replace(fitting, data_model="ILP32"), "--data-model ILP32"),
        (replace(fitting, specification="nothing"), "CHECK"),
    ):
        with pytest.raises(UnusableInput, match=said):
            judged(file, Correctness(metadata))
