"""Bytes of objects in the source's words: what is read there is what the bytes hold."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import fresh
from counterpoint.explain.memory_names import Bytes, MemoryNames
from counterpoint.explain.names import Names
from counterpoint.frontend.lower import lower
from counterpoint.frontend.prepare import compile_task
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Program
from counterpoint.term import build
from counterpoint.term.infix import infix
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import V

SOURCE = """struct inner { unsigned char tag; short low; union { int whole; unsigned char parts[4]; }; };
struct ring { int slots[4]; unsigned head, count; struct inner all[2]; char *next; enum { RED } colour; unsigned bits:3, more:29; };
struct ring r; int plain; char text[9];
int main(void) { r.head = 1; plain = text[0]; return r.count; }
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("names") / "names.c"
    path.write_text(SOURCE)
    return lower(compile_task(SourceTask((path,), "LP64")).prepared("none"), named=True)


_TOLD = re.compile(r"(?:\((char|short|int)\)\(?)?([\w.\[\]]+?)(?: >> (\d+))?\)?\Z")


@pytest.mark.parametrize("order", ["little", "big"])
def test_what_is_told_is_what_the_bytes_hold(source: Program, order: str) -> None:
    layout = replace(source.layout, big_endian=order == "big")
    names = MemoryNames(replace(source, layout=layout))
    memory = random.Random(7).randbytes(56)
    variable = build.variable("r[0:4]", BitVec(32))
    told: dict[tuple[int, int], str] = {}
    for offset in range(56):
        for size in (1, 2, 4, 8):
            said = names.text("r", Bytes(variable, "r", offset, size))
            if said is None:
                continue
            told[offset, size] = said[0]
            found = _TOLD.match(said[0])
            assert found is not None and said[1] == (found[1] is not None), said
            part = names.part(Bytes(variable, "r", offset, size))
            assert part is not None and f"r{part.path}" == found[2]
            whole = int.from_bytes(memory[part.offset : part.offset + part.size], order)  # type: ignore[arg-type]
            value = whole >> int(found[3] or 0) & ((1 << 8 * size) - 1)
            assert value == int.from_bytes(memory[offset : offset + size], order), (offset, size, said)  # type: ignore[arg-type]
    assert told[8, 4] == "r.slots[2]" and told[20, 4] == "r.count" and told[26, 2] == "r.all[0].low"
    assert told[36, 4] == "r.all[1].whole" and told[40, 8] == "r.next" and told[48, 4] == "r.colour"
    assert told[21, 1] == ("(char)(r.count >> 8)" if order == "little" else "(char)(r.count >> 16)")
    assert told[29, 1] == "r.all[0].parts[1]"
    assert not {(52, 4), (25, 1), (18, 4)} & told.keys()  # bit-fields, padding, halves of two members


def said(program: Program, formula: V, named: bool = True) -> str:
    return Names(program.functions["main"], [formula], program if named else None).text(formula)


def test_formulas_speak_of_members(source: Program) -> None:
    count, whole = (build.variable(name, BitVec(32)) for name in ("r[20:4]", "plain[0:4]"))
    assert said(source, build.ult(count, whole, 32)) == "(unsigned)r.count < (unsigned)plain"
    assert said(source, build.eq(count, 3, 32), named=False) == "r[20:4] == 3"
    cells = build.variable("r[*:1]", ArraySort(64, 8))
    read = [build.select(cells, 20 + k) for k in range(4)]
    joined = read[0]
    for low, byte in enumerate(read[1:], 1):
        joined = build.concat(byte, 8, joined, 8 * low)
    assert said(source, build.ult(joined, 3, 32)) == "(unsigned)r.count < 3u"
    swapped = build.concat(read[0], 8, read[1], 8)
    assert "concat" in said(source, build.ult(swapped, 3, 16))
    other = build.concat(build.select(cells, 52), 8, build.select(cells, 51), 8)
    assert said(source, build.ult(other, 3, 16)) == "(unsigned short)r[51..52] < 3u"
    index = build.variable("main%1", BitVec(64))
    assert "[" in said(source, build.eq(build.select(cells, index), 3, 8))


def test_static_locals_are_called_as_in_their_function(tmp_path: Path) -> None:
    path = tmp_path / "statics.c"
    path.write_text("""static int f(void) { static int count, own[2]; return ++count + own[1]; }
static int g(void) { static int count; return ++count; }
int main(void) { return f() + g(); }
""")
    program = lower(compile_task(SourceTask((path,), "LP64")).prepared("none"), named=True)
    here, there = (build.variable(name, BitVec(32)) for name in ("f.count[0:4]", "g.count[0:4]"))
    assert said(program, build.slt(here, 3, 32)) == "count < 3"
    assert said(program, build.slt(here, there, 32)) == "f.count < g.count"
    assert said(program, build.slt(build.variable("f.own[4:4]", BitVec(32)), here, 32)) == "own[1] < count"


def test_large_formulas_are_cut() -> None:
    x = build.variable("x", BitVec(32))
    deep: V = x
    for number in range(300):
        deep = build.add(build.mul(deep, deep, 32), number, 32)
    text = infix(build.ult(deep, 7, 32), lambda variable: "x")
    assert ".." in text and len(text) < 5_000
    wide = build.conjunction([build.not_(build.eq(build.variable(f"v{n}", BitVec(8)), n % 256, 8)) for n in range(2_000)])
    for formula in (wide, build.not_(wide)):
        text = infix(formula, lambda variable: str(variable.payload))
        assert text.endswith("..") and len(text) < 5_000


def test_proofs_are_told_in_members(tmp_path: Path) -> None:
    path = tmp_path / "ring.c"
    path.write_text("""extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
struct ring { int slots[8]; unsigned head, count; };
static struct ring r;
int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) { if (r.count < 8) r.count++; }
        else if (r.count > 0) { r.head = (r.head + 1) & 7; r.count--; }
        if (r.count > 8 || r.head > 7) reach_error();
    }
}
""")
    result = fresh.check(path, engines=("houdini",), timeout=60.0)
    assert result.verdict == "TRUE" and result.proof is not None
    formulas = [formula for invariant in result.proof.invariants for formula in invariant.formulas]
    assert any("r.count" in formula for formula in formulas) and any("r.head" in formula for formula in formulas)
    assert not any("r[" in formula or "slots" in formula for formula in formulas)  # passes split r: its parts are told
