"""Programs that end where something has no meaning (program/cutting.py), and what is proved in front of it."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.entries.rungs import Rungs
from counterpoint.execute.inputs import RandomInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import ENTERED, Subject
from counterpoint.program.cutting import Spot, behind, cut_off, up_to
from counterpoint.program.graph import loop_heads
from counterpoint.program.model import LOST, Call, Check, Program

TEXT = """
int a[8], b[8];
static int far(int n) { n &= 7; return n ? b[n] + far(n - 1) : b[n]; }
int f(int n, int m) {
    int s = a[n & 7];
    if (m > 3) return a[m & 7] + s;
    for (int i = 0; i < n; i++) s += a[i & 7] + far(i);
    return s + a[m & 7];
}
int main(void) { return f(any(), any()); }
"""
FRONT, OTHER, LOOP, BEHIND = 5, 6, 7, 8
"""Lines of the function f, as PRELUDE has none."""


def whole() -> tuple[Subject, Program]:
    made = subject(TEXT, "valid-deref")
    return made, made.program(ENTERED)


def lines(made: Subject, checks: frozenset[int]) -> set[int]:
    own = {site.index: site.at.line for site in made.defined.checks if site.at.function == "f"}
    return {own[one] - min(own.values()) + FRONT for one in checks if one in own}


def spots_at_loop(program: Program) -> list[Spot]:
    """On the edges into loops of the entry."""
    heads = loop_heads(program.main)
    return [
        Spot(program.entry, block.index, len(block.instructions), edge.target)
        for block in program.main.blocks
        for edge in block.edges
        if edge.target in heads
    ]


def test_what_is_behind_a_loop_that_is_not_entered() -> None:
    made, program = whole()
    assert lines(made, behind(program, spots_at_loop(program))) == {LOOP, BEHIND}
    assert not behind(program, [])


def test_a_spot_in_a_function_is_one_behind_each_call() -> None:
    made, program = whole()
    assert any(isinstance(one, Call) for block in program.main.blocks for one in block.instructions)
    (name,) = (one for one in program.functions if one != program.entry)
    found = behind(program, [Spot(name, 0, 0)])
    assert lines(made, found) == {LOOP, BEHIND}
    assert any(made.defined.checks[one].at.function == "far" for one in found)


def test_a_spot_in_a_block_is_in_front_of_what_comes_later_in_it() -> None:
    made, program = whole()
    for block in program.main.blocks:
        for position, one in enumerate(block.instructions):
            if isinstance(one, Check) and lines(made, frozenset([one.check])) == {FRONT}:
                assert one.check in behind(program, [Spot(program.entry, block.index, position)])
                assert one.check not in behind(program, [Spot(program.entry, block.index, position + 1)])
                return
    pytest.fail("no check")


def outcomes(program: Program) -> list[object]:
    return [run(program, RandomInputs(seed)).outcome for seed in range(60)]


WRONG = TEXT.replace("a[n & 7]", "a[n & 8]").replace("s + a[m & 7]", "s + a[m & 31]")


def test_runs_of_the_program_that_is_cut_off_are_those_that_pass_no_spot() -> None:
    made = subject(WRONG, "valid-deref")
    program = made.program(ENTERED)
    short = cut_off(program, spots_at_loop(program))
    pairs = list(zip(outcomes(program), outcomes(short), strict=True))
    failed = [two for one, two in pairs if isinstance(one, Violated)]
    assert any(isinstance(two, Violated) for two in failed) and any(not isinstance(two, Violated) for two in failed)
    checks = frozenset(two.check for two in failed if isinstance(two, Violated))
    assert not checks & behind(program, spots_at_loop(program))
    ended = outcomes(up_to(program, checks))
    for whole_run, short_run in zip(outcomes(program), ended, strict=True):
        if isinstance(whole_run, Violated) and whole_run.check in checks:
            assert short_run == whole_run


STRAYS = """
char *get(void);
char a[4]; char big[1 << 20]; char *kept;
int f(int n, int m) {
    int s = a[n & FIRST];
    if (m > 3) return a[m & 3] + s;
    char *p = any() ? get() : big; big[0] = any();
    while (*p != 0) { p += any(); kept = p; }
    return s + a[m & LAST];
}
int main(void) { return f(any(), any()); }
"""


@pytest.mark.parametrize(("first", "last"), [(3, 3), (3, 7), (7, 3)])
def test_checks_in_front_of_a_stray_are_proved_and_none_behind_it(first: int, last: int) -> None:
    made = subject(STRAYS.replace("FIRST", str(first)).replace("LAST", str(last)), "valid-deref")
    own = frozenset(site.index for site in made.defined.checks if site.at.function == "f")
    rungs = Rungs(made.focused(own), Budget(60.0), 0)
    rungs.climb()
    proved = lines(made, frozenset(rungs.proved))
    assert proved >= ({FRONT, OTHER} if first == 3 else {OTHER})
    assert not proved & {FRONT if first == 7 else 0, LOOP + 1, LOOP + 2 if last == 7 else 0}
    assert lines(made, frozenset(rungs.open_behind)) >= {LOOP + 1, LOOP + 2}
    assert all("another object" in said for said in rungs.open_behind.values())


def test_what_is_in_front_of_the_first_loop_is_proved_at_once() -> None:
    for text, good in ((TEXT, {FRONT, OTHER}), (WRONG, {OTHER})):
        made = subject(text, "valid-deref")
        own = frozenset(site.index for site in made.defined.checks if site.at.function == "f")
        rungs = Rungs(made.focused(own), Budget(60.0), 0)
        (claim,) = rungs.at_once(rungs.subject.outermost())
        assert claim.spots and not claim.certificate.said()
        rungs.judge(claim)
        assert lines(made, frozenset(rungs.proved)) == good


def test_lost_memory_is_behind_all_spots() -> None:
    text = STRAYS.replace("FIRST", "3").replace("LAST", "7").replace("int s = a", "char *q = malloc(3); free(q); int s = a")
    made = subject(text, "memory-safety")
    lost = frozenset(site.index for site in made.defined.checks if site.kind == LOST)
    own = frozenset(site.index for site in made.defined.checks if site.at.function == "f") | lost
    rungs = Rungs(made.focused(own), Budget(60.0), 0)
    rungs.climb()
    assert lost and not rungs.proved & lost
    assert lines(made, frozenset(rungs.proved) - lost) >= {FRONT, OTHER}
    assert LOOP + 2 not in lines(made, frozenset(rungs.proved))
