"""Blocks of one statement each: where they begin, and that nothing else changes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from zlib import crc32

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.engines.dash import Options, Search
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, StepLimit, Violated
from counterpoint.execute.subject import INLINED, STATEMENTS, UNPREPARED, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.result_file import PREPARATIONS
from counterpoint.program.graph import loop_heads
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.model import Function, Instruction
from counterpoint.program.statements import split_statements
from counterpoint.program.validate import validate
from counterpoint.regions.locations import BASIC, locations

SAMPLES = sorted(
    path for path in (Path(__file__).parent / "regression").glob("*.c") if crc32(path.stem.encode()) % 2
)
"""Half of them, and the same half when others are added."""


# ---------------------------------------------------------------- where blocks begin

TRACE = """int main(void) {
    unsigned ctr = any();
    unsigned i = any();
    unsigned x = ctr;
    ctr = ctr + 1;
    unsigned y = ctr;
    if (x == i - 1) {
        if (y != i)
            reach_error();
    }
    return 0;
}
"""


def starts(text: str, preparation: str = STATEMENTS) -> list[int]:
    """The line of `text`, counted from 1, in which each block of main starts that has instructions; sorted."""
    before = program("int main(void) { check(any()); }").main.blocks[0].instructions[0].at.line - 1
    blocks = program(text, preparation=preparation).main.blocks
    return sorted(block.instructions[0].at.line - before for block in blocks if block.instructions)


def test_a_block_for_each_statement() -> None:
    """The slides' trace: all its statements have places, but copies of variables, which are no instructions."""
    made = program(TRACE, preparation=STATEMENTS)
    validate(made)
    assert starts(TRACE) == [2, 3, 5, 7, 8, 9]
    assert starts(TRACE, INLINED) == [2, 8, 9]
    assert len(locations(made, BASIC).blocks[made.entry]) == len(made.main.blocks) - 1


def test_lines_of_inlined_bodies() -> None:
    """Two calls in one line execute the line of the body as two statements."""
    text = "int g; void f(void) {\ng = g + 1;\n} int main(void) {\nf(); f();\ncheck(g == 2); }"
    assert starts(text) == [2, 2, 5, 5] and starts(text, INLINED) == [2, 5, 5]


def test_what_stays_together() -> None:
    """The instructions of one line, locals with their lives, and what nothing uses."""
    text = """int main(void) { int a[4];
        int n = any(); { int c[2];
        c[0] = a[n & 3] = c[1] = n / 2;
        }
        (void)(n * 5);
        return 0;
    }"""
    assert len(program(text, preparation=INLINED).main.blocks) == 1
    blocks = program(text, preparation=STATEMENTS).main.blocks
    lines = [{instruction.at.line for instruction in block.instructions} - {0} for block in blocks]
    start = min(lines[0])
    assert lines == [{start}, {start + 1}, {start + 2, start + 4, start + 5, start + 6}]


def test_a_condition_in_a_line_of_its_own() -> None:
    text = "int main(void) {\n_Bool p = any() > 0;\nint n = any();\nif (p)\ncheck(n); return 0; }"
    blocks = program(text, preparation=STATEMENTS).main.blocks
    assert [len(block.edges) for block in blocks[:3]] == [1, 1, 2]


def test_twice_is_once() -> None:
    made = program(TRACE, preparation=STATEMENTS)
    assert split_statements(made).main is made.main


# ---------------------------------------------------------------- the same program


def executed(function: Function) -> list[Instruction]:
    return list(chain.from_iterable(block.instructions for block in function.blocks))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_same_runs(path: Path) -> None:
    """Random runs end in the same way, at the same check, after the same inputs, and replay."""
    given = dict(re.findall(r"(\w+)=(\S+)", path.read_text(encoding="utf-8").splitlines()[0]))
    entry = given.get("entry", "main")
    model, property_ = given.get("model", "LP64").split(",")[0], given.get("property", "unreach-call")
    std = given.get("std", "gnu11")
    defines = tuple(filter(None, given.get("define", "").split(",")))
    task = compile_subject(
        SourceTask((path,), data_model=model, property=property_, std=std, entry=entry, defines=defines)
    )
    whole, split = task.program(INLINED), task.program(STATEMENTS)
    validate(split)
    assert (split.sites, split.checks, split.globals) == (whole.sites, whole.checks, whole.globals)
    assert list(split.functions) == list(whole.functions)
    for name, function in split.functions.items():
        assert executed(function) == executed(whole.functions[name])
        assert len(loop_heads(function)) == len(loop_heads(whole.functions[name]))
    for seed in range(5):
        one, other = (run(form, RandomInputs(seed), Limits(steps=3_000)) for form in (whole, split))
        if isinstance(one.outcome, StepLimit) or isinstance(other.outcome, StepLimit):
            continue  # jumps count as steps
        assert (one.outcome, one.inputs) == (other.outcome, other.inputs)
        again = run(split, ReplayInputs(one.inputs, strict=True))
        assert (again.outcome, again.inputs) == (one.outcome, one.inputs)


RECURSIVE = """int sum(int n) {
    int rest = 0;
    if (n > 0)
        rest = sum(n - 1);
    rest = rest ^ 8;
    return rest + 1;
}
int main(void) {
    int n = any();
    int s = sum(n & 7);
    check(s != 4);
}
"""


def test_recursion() -> None:
    """What recursive functions compute stays, and their bodies are split too."""
    whole, split = (program(RECURSIVE, preparation=form) for form in (UNPREPARED, STATEMENTS))
    validate(split)
    assert len(split.functions["sum"].blocks) == len(whole.functions["sum"].blocks) + 1
    outcomes = [
        [run(form, ReplayInputs((ScalarInput(0, n, 32),))).outcome for n in range(8)] for form in (whole, split)
    ]
    assert outcomes[0] == outcomes[1] and len({type(outcome) for outcome in outcomes[0]}) == 2


# ---------------------------------------------------------------- engines and evidence

LOOP = """int held;
void lock(void) {
    check(!held);
    held = 1;
}
void unlock(void) {
    check(held);
    held = 0;
}
int main(void) {
    unsigned now = any();
    unsigned before;
    do {
        lock();
        before = now;
        if (any()) {
            unlock();
            now++;
        }
    } while (now != before);
    unlock();
}
"""


def test_a_proof_with_a_region_at_every_statement() -> None:
    """DASH's graph of regions over the split program is accepted, and without the edges from its start it is not."""
    task = subject(LOOP)
    made = task.program(STATEMENTS)
    verdict = Search(made, STATEMENTS, Options(block=BASIC), Tools(Budget(90.0)), {}).run()
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, RegionGraph)
    found = verdict.certificate
    blocks = {region.place[1] for region in found.regions}
    assert len(made.main.blocks) > len(task.program(INLINED).main.blocks)
    assert all(block.index in blocks for block in made.main.blocks[1:] if "." in block.name)
    check_proof(task.program(found.preparation), found, Budget(90.0))
    with pytest.raises(EvidenceRejected):
        check_proof(made, replace(found, edges=tuple(edge for edge in found.edges if edge[0] >= 0)), Budget(90.0))


def test_the_name_is_known() -> None:
    """To stored proofs, and to native replays, which run the unprepared program."""
    task = subject(LOOP)
    assert STATEMENTS in PREPARATIONS
    assert task.native(STATEMENTS) is task.native(UNPREPARED)
    found = run(subject(TRACE.replace("!=", "==")).program(STATEMENTS), ReplayInputs((ScalarInput(1, 1, 32),)))
    assert found.outcome == Violated(0)
