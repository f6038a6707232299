"""What `infer` guesses of elements and results, what it says of code without loops, and how recall is measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from counterpoint.contracts.any_caller import Unit, contract_of
from counterpoint.contracts.cases_seen import cases
from counterpoint.contracts.contract import Contract, Status
from counterpoint.contracts.declarations import declarations
from counterpoint.contracts.essential import MOST_CLAUSES, essential
from counterpoint.contracts.sentences import Sayer
from counterpoint.contracts.views import Seen, View
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import Snapshot
from counterpoint.frontend.task import SourceTask
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import recall
from c_declarations import declarations as declared_in
from contract_text import Contract as Written

K = build.variable("k", BitVec(64))
WAS, NOW, N, X, R = (build.variable(name, BitVec(32)) for name in ("was", "now", "n", "x", "r"))
NAMES = {
    K: Seen("k", False, argument=True, small=True),
    WAS: Seen("a[k]", True, old=True),
    NOW: Seen("a[k]", True),
    N: Seen("n", False, argument=True),
    X: Seen("x", True, argument=True),
    R: Seen("\\result", True, result=True),
}
VIEW = View("element", tuple(NAMES.values()), "a", "n", "k")


def proved(contract: Contract) -> list[str]:
    return [clause.text for clause in contract.ensures if clause.status is Status.PROVED]


def found(tmp_path: Path, text: str, name: str, seconds: float = 60.0) -> Contract:
    file = tmp_path / "t.c"
    file.write_text(text)
    task = SourceTask(files=(file,))
    declared = declarations(task, file)
    return contract_of(Unit(task, declared, declared.functions[name]), seconds)


# ---------------------------------------------------------------- code without loops


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("unsigned f(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }",
         {"\\result == (unsigned int)((a & b) + ((a ^ b) >> 1))"}),
        ("void f(unsigned a, unsigned b, unsigned *q) { *q = a / b; }", {"b != 0 ==> *q == (a / b)"}),
        ("unsigned f(unsigned x, unsigned k) { return x << k; }", {"k <= 31 ==> \\result == (unsigned int)(x << k)"}),
        ("int f(int x) { if (x > 9) return 9; return x; }", {"x > 9 ==> \\result == 9", "x <= 9 ==> \\result == x"}),
    ],
)  # fmt: skip
def test_what_the_code_computes(tmp_path: Path, text: str, wanted: set[str]) -> None:
    """All that can be said where the code tells all; nothing of a division by 0 or a shift by too much."""
    said = proved(found(tmp_path, text, "f"))
    # Operands that may change places stand in the order in which the process first made them.
    assert {one.replace("b & a", "a & b").replace("b ^ a", "a ^ b") for one in said} == wanted


def test_what_the_code_computes_is_said_in_front_of_what_it_implies() -> None:
    """Though it is longer, and however much else is proved."""
    whole = build.implies(build.ne(X, 0, 32), build.eq(R, build.add(build.bvand(N, 7, 32), 1, 32), 32))
    noise: list[V] = [build.implies(build.ne(X, 0, 32), build.ule(R, 8 + n, 32)) for n in range(2 * MOST_CLAUSES)]
    assert whole not in essential([*noise, whole], (), Budget(60))[:1]
    assert essential([*noise, whole], (), Budget(60), {whole}) == [whole]


def test_an_operation_without_meaning_has_no_words() -> None:
    names = {N: NAMES[N], X: Seen("x", False, argument=True), R: Seen("\\result", False, result=True)}
    sayer = Sayer(View("", ()), names, frozenset(), 64)
    same, condition = build.eq(R, build.shl(N, X, 32), 32), build.ult(X, 32, 32)
    assert sayer.sentence(same) is None
    said = sayer.sentence(build.implies(condition, same))
    assert said is not None and "==>" in said.whole
    assert sayer.sentence(build.implies(build.ult(X, 33, 32), build.eq(R, build.shl(N, X, 32), 32))) is None


def test_a_quotient_is_said_where_the_divisor_is_not_0() -> None:
    """As a condition, unless calls fulfil it anyway; never where the call made the divisor."""
    names = {N: NAMES[N], X: Seen("x", False, argument=True), R: Seen("\\result", False, result=True)}
    same, condition = build.eq(R, build.udiv(N, X, 32), 32), build.ne(X, 0, 32)
    for required, formula, wanted in (
        (frozenset(), same, "x != 0 ==> \\result == (n / x)"),
        (frozenset(), build.implies(condition, same), "x != 0 ==> \\result == (n / x)"),
        (frozenset({"x != 0"}), same, "\\result == (n / x)"),
    ):
        said = Sayer(View("", ()), names, frozenset(), 64, required).sentence(formula)
        assert said is not None and said.whole == wanted and said.cprover == ""
    made = Sayer(View("", ()), names, frozenset(), 64, frozenset({"\\result != 0"}))
    assert made.sentence(build.eq(X, build.urem(N, R, 32), 32)) is None


@pytest.mark.long
def test_what_ends_a_loop_is_left_behind(tmp_path: Path) -> None:
    """Inequalities between products: one is a loop's last condition, the other held at its head."""
    text = "unsigned f(unsigned x) { unsigned r = 0; while ((r + 1) * (r + 1) <= x) r++; return r; }"
    said = proved(found(tmp_path, text, "f"))
    assert "x >= (unsigned int)(\\result * \\result)" in said
    assert "x < (unsigned int)((unsigned int)(\\result + 1) * (unsigned int)(\\result + 1))" in said


# ---------------------------------------------------------------- guesses under conditions


def test_guesses_are_what_the_samples_say() -> None:
    """Of a search: -1 and all elements differ, or an index at which it is and in front of which it is not."""
    rows = []
    for content in ([3, 5, 7], [5, 5, 0], [1, 2, 3], [0, 7, 5, 5], [9], [2, 2]):
        for x in (5, 7, 9, 0):
            result = content.index(x) if x in content else -1
            for k, element in enumerate(content):
                values = {K: k, WAS: element, NOW: element, N: len(content), X: x, R: result & 0xFFFFFFFF}
                rows.append(Snapshot(values))
    said = {guess.formula for guess in cases(VIEW, NAMES, rows, ())}
    differs, wide = build.ne(NOW, X, 32), build.sext(R, 32, 64)
    none: V = build.implies(build.eq(R, 0xFFFFFFFF, 32), differs)
    assert {none, build.implies(build.slt(K, wide, 64), differs)} <= said
    assert build.implies(build.eq(K, wide, 64), build.eq(NOW, X, 32)) in said
    assert differs not in said and build.eq(NOW, X, 32) not in said
    assert cases(VIEW, NAMES, (), ()) == []


# ---------------------------------------------------------------- recall


@pytest.mark.parametrize(("clause", "answer"), [("result >= x", "TRUE"), ("result > x", "FALSE")])
def test_recall_asks_whether_clauses_are_implied(tmp_path: Path, clause: str, answer: str) -> None:
    file = tmp_path / "f.c"
    file.write_text("int f(int x, int *a) { a[1] = x; return x; }\n")
    inferred = {
        "name": "f", "requires": [], "assigns": ["a[1 .. 1]"], "assigns_status": "proved",
        "ensures": [{"text": "\\result == x || \\result == (int)(x + 0)", "status": "proved"}],
    }  # fmt: skip
    written = Written(file, "f", ("valid(a, 2)",), (clause,), ("a[1]",))
    assumed, without = recall.assumption(file, inferred, ("proved",))
    assert without == []
    harness = recall.Harness(written, declared_in(file), assumed)
    assert recall.verdict(harness.text([clause], True), 30.0) == answer


def test_conditions_of_cases_say_nothing_twice(tmp_path: Path) -> None:
    """Which element is written, and that the others are as before, without what the compiler asks of addresses."""
    file = tmp_path / "f.c"
    file.write_text("int t[2]; void put(unsigned i, int v) { if (i < 2) t[i] = v; }")
    declared = declarations(SourceTask((file,)), file)
    found = contract_of(Unit(SourceTask((file,)), declared, declared.functions["put"]), 60.0)
    said = [clause.text for clause in found.ensures if clause.status is Status.PROVED]
    assert any("i == (unsigned int)k" in text and "t[k] == v" in text for text in said), said
    assert any("i != (unsigned int)k" in text and "t[k] == \\old(t[k])" in text for text in said), said
    assert not any("<<" in text for text in said)
