"""Block graphs: the thesis's example, meaning and errors of what is read, and the way from C to BGD and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.errors import UnusableInput
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Finished, Limits, Violated
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.bgd.from_program import block_graph
from counterpoint.frontend.bgd.language import translate
from counterpoint.frontend.bgd.parser import parse
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import ScalarInput

FIGURE = Path(__file__).parent.parent / "examples" / "dash_figure.bgd"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compiled(folder: Path, text: str, data_model: str = "ILP32") -> Subject:
    path = folder / "f.bgd"
    path.write_text(text)
    return compile_subject(SourceTask(files=(path,), data_model=data_model, language="BGD"))


def fails(subject: Subject, *inputs: int) -> bool:
    """Whether `assertfail` is reached, prepared or not; the inputs are those of the statement `input`."""
    found = set()
    for preparation in ("none", "flat"):
        program = subject.program(preparation)
        sites = [site.index for site in program.sites if site.kind == "call"]
        given = tuple(ScalarInput(sites[0], value, 64) for value in inputs)
        outcome = run(program, ReplayInputs(given), Limits(steps=100_000)).outcome
        assert isinstance(outcome, Violated | Finished), outcome
        found.add(isinstance(outcome, Violated))
    assert len(found) == 1
    return found.pop()


# ---------------------------------------------------------------- the thesis's figure 4.3

EDGES = {
    ("39782752", "39782848"), ("39782848", "39810272"), ("39782848", "39810752"), ("39810272", "39810656"),
    ("39810272", "39810464"), ("39810656", "39782848"),
}  # fmt: skip


def test_the_abstraction_of_the_figure_has_its_blocks_and_edges() -> None:
    graph = parse(FIGURE.read_text(), str(FIGURE))
    assert len(graph.blocks) == 6
    assert set(graph.edges()) == EDGES
    subject = compile_subject(SourceTask(files=(FIGURE,), language="BGD"))
    order = {block.name.name: index for index, block in enumerate(graph.blocks)}
    program_edges = {
        (block.index, edge.target) for block in subject.program("flat").main.blocks for edge in block.edges
    }
    named = {(order[source], order[target]) for source, target in EDGES}
    place = [0, 1, 2, 4, 3, 5]  # the program has the loop's body before the error
    assert {(place[source], place[target]) for source, target in program_edges} == named
    assert fails(subject, 5) and fails(subject, 0xFFFF_FFFB)  # a char holds them: x == y at once
    assert not fails(subject, 0) and not fails(subject, 300) and not fails(subject, 128)


def test_the_figure_is_unsafe(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["check", str(FIGURE), "--engine", "bmc", "--timeout", "30"]) == 1
    out = capfd.readouterr().out
    assert f"{FIGURE}:24:5" in out and out.rstrip().endswith("VERDICT: FALSE(unreach-call)")


# ---------------------------------------------------------------- meaning


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "add": lambda a, b: a + b, "-": lambda a, b: a - b, "sub": lambda a, b: a - b,
    "*": lambda a, b: a * b, "mul": lambda a, b: a * b, "|": lambda a, b: a | b, "and": lambda a, b: a & b,
    "^": lambda a, b: a ^ b, "xor": lambda a, b: a ^ b, "&": lambda a, b: a & b, "or": lambda a, b: a | b,
    "udiv": lambda a, b: a // b, "urem": lambda a, b: a % b, "bvudiv": lambda a, b: a // b,
    "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b, "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip
SIGNED: dict[str, Callable[[int, int], int]] = {
    "/": quotient, "sdiv": quotient, "bvsdiv": quotient, "%": lambda a, b: a - quotient(a, b) * b,
    "srem": lambda a, b: a - quotient(a, b) * b, "bvsrem": lambda a, b: a - quotient(a, b) * b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
}  # fmt: skip
SHIFTS: dict[str, Callable[[int, int], int]] = {
    "<<": lambda a, n: a << n, "shl": lambda a, n: a << n, ">>": lambda a, n: a >> n, "ashr": lambda a, n: a >> n,
    "bvshl": lambda a, n: a << n, "bvashr": lambda a, n: a >> n,
}  # fmt: skip
COMPARED = {"ult", "ule", "ugt", "uge", "==", "!=", "eq", "ne", "<", "<=", ">", ">=", "slt", "sle", "sgt", "sge"}


def facts() -> list[tuple[str, int, int, int, int]]:
    """(operator, width, a, b, result) of every operator, with and without signs."""
    found = []
    for width in (7, 32):
        mask = (1 << width) - 1
        for a, b in ((mask - 6, 2), (3, mask)):
            for operator, compute in UNSIGNED.items():
                found.append((operator, width, a, b, compute(a, b) & mask))
            for operator, compute in SIGNED.items():
                found.append((operator, width, a, b, compute(signed(a, width), signed(b, width)) & mask))
        for operator, compute in SHIFTS.items():
            found.append((operator, width, mask - 9, 2, compute(-10, 2) & mask))
        found += [("lshr", width, mask - 9, 2, (mask - 9) >> 2), ("bvlshr", width, mask, width, 0)]
        found += [("bvshl", width, 5, width, 0), ("bvashr", width, mask - 9, mask, mask)]
        found += [("bvsdiv", width, 5, 0, mask), ("bvsdiv", width, mask, 0, 1), ("bvsrem", width, 5, 0, 5)]
        found += [("bvudiv", width, 5, 0, mask), ("bvurem", width, 5, 0, 5)]
    least = 1 << 31
    return [*found, ("bvsdiv", 32, least, mask32(), least), ("slt", 1, 1, 0, 1), ("ult", 1, 0, 1, 1)]


def mask32() -> int:
    return 0xFFFF_FFFF


def test_operations(tmp_path: Path) -> None:
    lines, name = [], 10
    found = facts()
    for operator, width, a, b, result in found:
        type_ = f"i{1 if operator in COMPARED else width}"
        lines.append(f"eq i{width} %{name} {a:x} eq i{width} %{name + 1} add %{name} 0")
        lines.append(f"eq {type_} %{name + 2} {operator} %{name + 1} {b:x} eq i1 %{name + 3} == %{name + 2} {result:x}")
        name += 5
    text, last = ["block %1 {", *lines, "eq i1 %5 input"], "%5"
    for index in range(len(found)):
        text.append(f"eq i1 %{index * 5 + 14} and {last} %{index * 5 + 13}")
        last = f"%{index * 5 + 14}"
    text.append(f"br {last} %2 %3 }} block %2 {{ retvoid }} block %3 {{ assertfail unreachable }}")
    subject = compiled(tmp_path, "\n".join(text))
    assert not fails(subject, 1) and fails(subject, 0)


CONVERSIONS_AND_MEMORY = """
global i32 @1 = ff
constant [ 4 x i32 ] @2 = { 0 i16 1 4 ptr @1 8 i8 80 }
global [ 3 x i16 ] @3
block %1 {
  alloca %10
  alloca %11 [ 3 x i32 ]
  eq i9 %12 input
  eq i16 %13 sext %12 16
  eq i32 %14 zext %13 32
  store %14 %10
  eq i32 %15 load %10
  fill %11 ff 8
  eq ptr %16 offset %11 4
  store %15 %16
  copy @3 %11 6              ; ff ff ff ff and two bytes of %15
  eq ptr %17 offset @3 2
  eq i32 %18 load %17        ; the low half of %15, above ffff
  eq i8 %19 trunc %18 8
  eq i1 %20 == %19 ff
  eq ptr %21 offset @2 4
  eq ptr %22 load %21
  eq i32 %23 load %22
  eq i1 %24 == %23 ff
  eq ptr %25 offset @2 8
  eq i8 %26 load %25
  eq i1 %27 < %26 0
  eq i1 %28 and %20 %24
  eq i1 %29 and %28 %27
  eq i32 %30 lshr %18 10
  eq i1 %31 ne %30 ff80      ; 180 as nine bits, sign-extended to sixteen
  eq i1 %32 and %29 %31
  br %32 %2 %3
}
block %2 { retvoid }
block %3 { assertfail unreachable }
"""


def test_memory_and_conversions(tmp_path: Path) -> None:
    subject = compiled(tmp_path, CONVERSIONS_AND_MEMORY)
    assert fails(subject, 0x180)
    assert not fails(subject, 0x181) and not fails(subject, 0x80)


def test_phis_take_their_values_at_once(tmp_path: Path) -> None:
    text = """
    block %1 { eq i8 %5 input goto %2 }
    block %2 {
      eq i8 %6 phi 1 %1 %7 %2
      eq i8 %7 phi 2 %1 %6 %2
      eq i8 %8 phi %5 %1 %9 %2
      eq i8 %9 - %8 1
      eq i1 %10 == %9 0
      br %10 %3 %2
    }
    block %3 { eq i1 %11 == %6 2 br %11 %4 %20 }
    block %4 { assertfail unreachable }
    block %20 { ret %6 }
    """
    subject = compiled(tmp_path, text)
    assert not fails(subject, 1) and fails(subject, 2) and not fails(subject, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("block %1 {\n  eq i8 %2 phi\n}", "f.bgd:3:1: unexpected `}`: expected a value"),
        ("block %1 {\n  goto\n", "f.bgd:2:7: unexpected end of file: expected a name `%...`"),
        ("block %1 { eq i8 %2 addx 1 1 retvoid }", "f.bgd:1:21: unexpected `addx`"),
        ("block %1 { retvoid eq", "f.bgd:1:20: unexpected `eq`: expected `}`"),
        ("block %1 { eq i65 %2 5 retvoid }", "f.bgd:1:15: unexpected `i65`: expected at most 64 bits"),
        ("block %1 { eq i8 %2 100 retvoid }", "`100` (hexadecimal) has more than 8 bits"),
        ("block %1 { goto %2 }", "f.bgd:1:17: there is no block %2"),
        ("block %1 { store 3 @1 store @1 @1 retvoid block %1 { retvoid }", "unexpected `block`"),
        ("block %1 { eq i8 %2 3 eq i8 %2 4 retvoid }", "%2 is defined again"),
        ("block %1 { eq i8 %2 add %3 5 eq i8 %3 1 retvoid }", "%3 is read where it may not be defined yet"),
        ("block %1 { eq i8 %2 3 eq i16 %3 add %2 1 retvoid }", "f.bgd:1:37: %2 is of type i8: expected i16"),
        ("block %1 { goto %2 } block %2 { eq i8 %3 phi 1 %1 2 %2 retvoid }", "%2 does not go to block %2"),
        ("block %1 { goto %2 } block %2 { eq i8 %3 1 eq i8 %4 phi 1 %1 retvoid }", "phis at the block's start"),
        ("block %1 { eq i8 %2 3 eq i32 %3 sext %2 20 retvoid }", "the width `20` is not that of i32: expected 32"),
    ],
)
def test_errors_say_where_and_what(here: Path, text: str, said: str) -> None:
    (here / "f.bgd").write_text(text)
    with pytest.raises(UnusableInput) as caught:
        translate(Path("f.bgd"))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- from C and back

C_HEAD = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n"
LOOPS = """
struct pair { short a; int b; };
int table[4] = {3, 1, 4, 1};
static struct pair pairs[2] = {{1, 2}, {3, 4}};
int *where = &table[2];
static int pick(int k) {
  switch (k) { case 0: return 7; case 1: case 5: return 9; case -3: return table[1]; default: return k / (k - 8); }
}
int main(void) {
  int n = __VERIFIER_nondet_int(), sum = 0;
  __VERIFIER_assume(n >= -4 && n < 8);
  for (int i = 0; i < 4; i++) { int copy[3] = {i, 2, n}; sum += table[i] * copy[n & 1] + pairs[i & 1].b; }
  *where += pick(n);
  if (sum + *where + (n >> 1) == GOAL) reach_error();
  return 0;
}
"""


def expected(n: int) -> int:
    """The sum of LOOPS for an n."""
    table = [3, 1, 4, 1]
    total = sum(table[i] * (i, 2, n)[n & 1] + (2, 4)[i & 1] for i in range(4))
    picked = {0: 7, 1: 9, 5: 9, -3: 1}.get(n, quotient(n, n - 8))
    return total + 4 + picked + (n >> 1)


def test_a_program_keeps_its_meaning(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    for goal, bad in ((expected(5), True), (-1000, False)):
        file.write_text(C_HEAD + LOOPS.replace("GOAL", str(goal)))
        program = compile_subject(SourceTask(files=(file,), data_model="LP64")).program("flat" if bad else "none")
        subject = compiled(tmp_path, block_graph(program), "LP64")
        for n in (-4, -3, 0, 1, 5, 7):
            assert fails(subject, n % 2**32) is (bad and expected(n) == goal), n


def test_round_trip_by_the_command(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for condition, status in (("x > 8", 0), ("x > 5", 1)):
        (here / "p.c").write_text(
            C_HEAD + "int x, y; int main(void) { x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 1 && x < 9);\n"
            f"while (y < x) y++;\n if ({condition} && y == x) reach_error(); }}"
        )
        assert run_command(["dump", "p.c", "--bgd"]) == 0
        out = capfd.readouterr().out
        assert "; p.c:4" in out
        (here / "p.bgd").write_text(out)
        assert run_command(["check", "p.bgd", "-q", "--engine", "bmc", "--timeout", "30"]) == status, out
        capfd.readouterr()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("float f = __VERIFIER_nondet_int(); if (f > 1) reach_error();", "p.c:2:"),
        ("int *p = __builtin_malloc(4); *p = 1; if (*p) reach_error();", "p.c:2:"),
        (
            "int *p, i = __VERIFIER_nondet_int(); { int a[2] = {1, 2}; p = &a[i]; } if (*p) reach_error();",
            "out of scope",
        ),
    ],
)
def test_what_a_block_graph_cannot_say(here: Path, capfd: pytest.CaptureFixture[str], body: str, said: str) -> None:
    (here / "p.c").write_text(C_HEAD + f"int main(void) {{ {body} }}")
    assert run_command(["dump", "p.c", "--bgd", "--prepare", "none"]) == 2
    out, err = capfd.readouterr()
    assert out == "" and said in err and "cannot be written as a block graph" in err
    assert run_command(["dump", "p.c"]) == 0
    assert "function __cp_main() -> () {" in capfd.readouterr().out


@pytest.mark.parametrize("strange", ["\x0b", "\x00", "\u00e9", "?"])
def test_a_character_that_no_grammar_knows(strange: str) -> None:
    with pytest.raises(UnusableInput, match=r"f\.bgd:2:2: unexpected"):
        parse(f"block %1 {{\n {strange}\n", "f.bgd")
