"""Failing runs are shrunk: fewer, smaller and rounder inputs, a shorter run, the same check."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, EvidenceRejected, OutOfBudget, OutOfMemory
from counterpoint.core.source import NOWHERE, Site
from counterpoint.execute.native.build import Outcome
from counterpoint.execute.native.protocol import encode
from counterpoint.execute.native.trials import _Records, edited
from counterpoint.execute.simpler import rounder, simpler, towards_zero, weight
from counterpoint.execute.subject import UNPREPARED, Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import shrinking
from counterpoint.portfolio.replay import Confirmed, confirm
from counterpoint.portfolio.shrinking import shrunk
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput

HEAD = """
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int); extern void reach_error(void); extern void *malloc(unsigned long);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
"""

RING = """
int main(void) {
    unsigned count = 0;
    while (1) {
        int operation = __VERIFIER_nondet_int(), value = __VERIFIER_nondet_int();
        if (operation % 3 == 1) count++;
        else if (operation % 3 == 2 && count) count--;
        if (count > 8) reach_error();
        if (value == 77) count = 0;
    }
}"""

TEXT = """
int main(void) {
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length <= 100);
    char text[100];
    int depth = 0;
    for (unsigned i = 0; i < length; i++) text[i] = __VERIFIER_nondet_char();
    for (unsigned i = 0; i < length; i++) {
        if (text[i] == '{') depth++;
        if (text[i] == '}') depth--;
        if (depth == 4) reach_error();
    }
}"""


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends it is the number of its tries, however slow the machine is."""
    monkeypatch.setattr(shrinking, "SECONDS", 30.0)
    monkeypatch.setattr(shrinking, "SHARE", 0.5)


def subject_of(directory: Path, body: str, **task: str) -> Subject:
    file = directory / "program.c"
    file.write_text(HEAD + body)
    return compile_subject(SourceTask((file,), data_model="LP64", **task))


def run_of(subject: Subject, *values: tuple[str, int]) -> tuple[Input, ...]:
    """One input for each (name of the site, value), of the width of the site."""
    sites = {site.name: site for site in subject.program(UNPREPARED).sites}
    bits = {"__VERIFIER_nondet_char": 8, "__VERIFIER_nondet_double": 64}
    return tuple(
        ScalarInput(sites[name].index, value & ((1 << bits.get(name, 32)) - 1), bits.get(name, 32))
        for name, value in values
    )


def values_of(confirmed: Confirmed) -> list[int]:
    return [given.value - (given.value >> 31 << 32) for given in confirmed.inputs if isinstance(given, ScalarInput)]


# ---------------------------------------------------------------- whole runs


def test_only_the_steps_that_it_needs_are_left(tmp_path: Path) -> None:
    """Of 200 rounds of which most cancel each other the nine that fill the ring stay, each with the simplest values."""
    choose = random.Random(3)
    with_noise = [value for _ in range(200) for value in (choose.choice((1, 4, -2, 2, 0, 7)), choose.randrange(1000))]
    subject = subject_of(tmp_path, RING)
    sites = [site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_int"]
    inputs = [ScalarInput(sites[at % 2], value & 0xFFFFFFFF, 32) for at, value in enumerate(with_noise)]
    inputs += [ScalarInput(sites[at % 2], 4 - 4 * (at % 2), 32) for at in range(18)]
    confirmed = confirm(subject, tuple(inputs), Budget(60))
    assert values_of(shrunk(subject, confirmed, Budget(60))) == [1, 0] * 9
    subject.close()


def test_a_length_shrinks_with_what_it_counts(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, TEXT)
    text = "a{bc}{{d{e{f}{{{x}{"
    given = [("__VERIFIER_nondet_uint", 60), *(("__VERIFIER_nondet_char", ord(letter)) for letter in text)]
    found = shrunk(subject, confirm(subject, run_of(subject, *given), Budget(60)), Budget(60))
    assert values_of(found) == [4, *map(ord, "{{{{")]
    subject.close()


COUNTED = """
int main(void) {
    int count = __VERIFIER_nondet_int(), met = 0;
    if (count < 1 || count > 64) return 0;
    for (int i = 0; i < count; i++) {
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        met += a == 3 && b == 5;
    }
    if (met >= 3) reach_error();
}"""

SUMMED = """
int main(void) {
    int sum = 0, count = __VERIFIER_nondet_int();
    __VERIFIER_assume(count >= 0 && count < 50);
    for (int i = 0; i < count; i++) {
        int value = __VERIFIER_nondet_int();
        __VERIFIER_assume(value > -100 && value < 100);
        sum += value;
    }
    if (sum > 400) reach_error();
}"""


def test_what_a_count_leaves_out_moves_up(tmp_path: Path) -> None:
    """The pairs that matter stand far apart among 64; then the count alone shrinks."""
    subject = subject_of(tmp_path, COUNTED)
    count, *sites = [site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_int"]
    pairs = [(3, 5) if at in (7, 30, 60) else (at % 4, 0) for at in range(64)]
    values = [(count, 64), *((sites[side], pair[side]) for pair in pairs for side in (0, 1))]
    inputs = tuple(ScalarInput(site, value, 32) for site, value in values)
    found = shrunk(subject, confirm(subject, inputs, Budget(60)), Budget(60))
    assert values_of(found) == [3, 3, 5, 3, 5, 3, 5]
    subject.close()


def test_a_sum_is_made_of_fewer(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, SUMMED)
    count, site = [site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_int"]
    inputs = (ScalarInput(count, 40, 32), *(ScalarInput(site, 11, 32) for _ in range(40)))
    found = shrunk(subject, confirm(subject, inputs, Budget(60)), Budget(60))
    assert values_of(found)[0] <= 8
    subject.close()


VALUES = {
    "a bound": ("int a = __VERIFIER_nondet_int(); if (a > 1234) reach_error();", [77777], [2000]),
    "a narrow range": (
        "int a = __VERIFIER_nondet_int(); if (a > 1234 && a < 2345) reach_error();", [1999], [2000]),
    "one value": ("int a = __VERIFIER_nondet_int(); if (a == -12345) reach_error();", [-12345], [-12345]),
    "a difference": (
        "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a > 3 && (unsigned) b == a + 5u) reach_error();",
        [3000000, 3000005], [4, 9]),
    "equal ones": (
        "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a > 9 && a == b) reach_error();",
        [123456, 123456], [10, 10]),
    "negative": ("int a = __VERIFIER_nondet_int(); if (a < -17) reach_error();", [-87654], [-20]),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_become_small_and_round(name: str, tmp_path: Path) -> None:
    body, given, expected = VALUES[name]
    subject = subject_of(tmp_path, f"int main(void) {{ {body} }}")
    sites = [site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_int"]
    inputs = tuple(ScalarInput(site, value & 0xFFFFFFFF, 32) for site, value in zip(sites, given, strict=True))
    found = shrunk(subject, confirm(subject, inputs, Budget(60)), Budget(60))
    assert values_of(found) == expected
    subject.close()


def test_the_same_check_fails(tmp_path: Path) -> None:
    """Simpler inputs that fail another check are not the same violation."""
    body = """int main(void) {
        int a = __VERIFIER_nondet_int();
        if (a == 3) reach_error();
        if (a > 400) reach_error();
    }"""
    subject = subject_of(tmp_path, body)
    confirmed = confirm(subject, run_of(subject, ("__VERIFIER_nondet_int", 54321)), Budget(60))
    found = shrunk(subject, confirmed, Budget(60))
    assert found.check == confirmed.check and values_of(found) == [500]
    subject.close()


def test_contents_of_memory_shrink(tmp_path: Path) -> None:
    body = """int main(void) {
        char block[64];
        __VERIFIER_nondet_memory(block, 64);
        if (block[17] > 'f' && block[18]) reach_error();
    }"""
    subject = subject_of(tmp_path, body)
    site = next(site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_memory")
    contents = tuple((offset, 105 + offset % 7) for offset in range(64))
    found = shrunk(subject, confirm(subject, (MemoryInput(site, 64, contents),), Budget(60)), Budget(60))
    (block,) = [given for given in found.inputs if given.site == site]
    assert isinstance(block, MemoryInput) and dict(block.contents).keys() == {17, 18}
    assert dict(block.contents)[18] == 1
    subject.close()


UNDETERMINED = """int main(void) {
    int x, a = __VERIFIER_nondet_int();
    if (a == 20 && x != 3) reach_error();
    if (a == 30 && x == 3) reach_error();
}"""


@pytest.mark.parametrize(("value", "left"), [(20, 0), (30, 3)])
def test_undetermined_values_are_zero_where_the_violation_remains(value: int, left: int, tmp_path: Path) -> None:
    subject = subject_of(tmp_path, UNDETERMINED)
    given = run_of(subject, ("x", left or 17), ("__VERIFIER_nondet_int", value))
    confirmed = confirm(subject, given, Budget(60))
    found = shrunk(subject, confirmed, Budget(60))
    assert values_of(found) == [left, value] and found.notes == confirmed.notes
    subject.close()


def test_what_depends_on_more_than_before_is_not_taken(tmp_path: Path) -> None:
    """A simpler run that fails only because an uninitialised variable happens to be zero shows less."""
    body = """int main(void) {
        int x, a = __VERIFIER_nondet_int();
        if (a > 5 || x == 0) reach_error();
    }"""
    subject = subject_of(tmp_path, body)
    confirmed = confirm(subject, run_of(subject, ("x", 0), ("__VERIFIER_nondet_int", 54321)), Budget(60))
    assert confirmed.notes == ()
    assert shrunk(subject, confirmed, Budget(60)).notes == ()
    subject.close()


@pytest.mark.parametrize("why", [EvidenceRejected("not so"), OutOfBudget("used up"), OutOfMemory("too much")])
def test_an_unconfirmed_run_does_not_replace_a_confirmed_one(
    why: CounterpointError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(tmp_path, "int main(void) { if (__VERIFIER_nondet_int() > 3) reach_error(); }")
    confirmed = confirm(subject, run_of(subject, ("__VERIFIER_nondet_int", 54321)), Budget(60))

    def reject(*_: object) -> Confirmed:
        raise why

    monkeypatch.setattr(shrinking, "confirm", reject)
    assert shrunk(subject, confirmed, Budget(60)) is confirmed
    subject.close()


def test_where_time_is_short_nothing_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = subject_of(tmp_path, "int main(void) { if (__VERIFIER_nondet_int() > 3) reach_error(); }")
    confirmed = confirm(subject, run_of(subject, ("__VERIFIER_nondet_int", 54321)), Budget(60))
    monkeypatch.setattr(shrinking, "shrink", None)
    assert shrunk(subject, confirmed, Budget(0.1)) is confirmed
    subject.close()


def test_without_native_code_the_interpreter_shrinks(tmp_path: Path) -> None:
    """Machine code cannot judge a pointer that leaves its object: the interpreter's runs are tried, fewer of them."""
    body = """int main(void) {
        int a[4] = {0}, b[4] = {0}, at = __VERIFIER_nondet_int();
        for (int i = 0; i < 4; i++) b[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(at >= 0 && at < 1000);
        return a[at];
    }"""
    subject = subject_of(tmp_path, body, property="valid-deref")
    given = [("__VERIFIER_nondet_int", value) for value in (997, 5, 6, 7, 8)]
    sites = [site.index for site in subject.program(UNPREPARED).sites if site.name == "__VERIFIER_nondet_int"]
    inputs = tuple(
        ScalarInput(sites[at > 0], value, 32) for at, (_, value) in enumerate(given)
    )
    confirmed = confirm(subject, inputs, Budget(60))
    found = shrunk(subject, Confirmed(confirmed.check, ("the interpreter",), *_rest(confirmed)), Budget(60))
    assert [value for value in values_of(found) if value] == [4]
    subject.close()


def _rest(confirmed: Confirmed) -> tuple[tuple[Input, ...], tuple[str, ...], object]:
    return confirmed.inputs, confirmed.notes, confirmed.interpreted


def test_long_runs_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "LONGEST", 50)
    subject = subject_of(tmp_path, TEXT)
    text = "{{{{" + "a" * 20
    given = [("__VERIFIER_nondet_uint", 60), *(("__VERIFIER_nondet_char", ord(letter)) for letter in text)]
    confirmed = confirm(subject, run_of(subject, *given), Budget(60))
    assert shrunk(subject, confirmed, Budget(60)) is confirmed
    subject.close()


# ---------------------------------------------------------------- what the user sees


def test_replay_tells_what_check_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(HEAD + TEXT)
    assert run_command(["check", "p.c", "--engine", "random", "--json", "r.json"]) == 1
    told = capsys.readouterr().out
    assert run_command(["replay", "p.c", "r.json"]) == 1
    again = capsys.readouterr().out

    def run_in(text: str) -> list[str]:
        lines = text.splitlines()
        start = next(at for at, line in enumerate(lines) if "__VERIFIER_nondet_uint" in line and "= 4" in line)
        return lines[start : next(at for at, line in enumerate(lines) if line.startswith("Replayed"))]

    assert run_in(told) == run_in(again)


def test_it_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(HEAD + "int main(void) { if (__VERIFIER_nondet_uint() > 123456) reach_error(); }")
    for options, simple in (([], True), (["--no-shrink"], False)):
        assert run_command(["check", "p.c", "--engine", "random", "--json", "r.json", *options]) == 1
        assert ('"value": 200000' in Path("r.json").read_text()) == simple


# ---------------------------------------------------------------- edits and values


def test_edited_records_are_those_of_the_edited_inputs() -> None:
    """What the process reads is the same as if the edited inputs had been written anew, contents by their place apart."""
    base: tuple[Input, ...] = (
        ScalarInput(1, 5, 32), MemoryInput(2, 8, ((0, 1), (3, 9))), ScalarInput(1, 6, 32), ScalarInput(3, 1 << 70, 128),
        MemoryInput(-2, 1 << 20, ((0, 4), (70000, 5))), ScalarInput(4, 7, 8),
    )  # fmt: skip
    changes = (
        ((0, 1, ()),), ((1, 2, (MemoryInput(2, 8, ((7, 7),)),)), (5, 6, (ScalarInput(4, 0, 8),))), ((4, 5, ()),), ((0, 6, ()),), (),
    )  # fmt: skip
    for edits in changes:
        assert _read(_Records(base).edited(edits, b"")) == _read(encode(edited(base, edits)))


def _read(data: bytes) -> list[tuple[int, int, int, bytes | int]]:
    count, _ = struct.unpack_from("<II", data)
    contents = data[8 + 24 * count :]
    found: list[tuple[int, int, int, bytes | int]] = []
    for at in range(count):
        site, bits, low, high = struct.unpack_from("<iIQQ", data, 8 + 24 * at)
        start, length = high & 0xFFFFFFFF, high >> 32
        found.append((site, bits, low, high if bits else contents[start : start + length]))
    return found


def test_trials_end_as_replays_do(tmp_path: Path) -> None:
    """Hundreds of runs in one process, some of which crash or stray, leave nothing behind for those after them."""
    body = """int main(void) {
        int a[4] = {0}, at = __VERIFIER_nondet_int();
        int *p = malloc(4 * (__VERIFIER_nondet_uint() % 7));
        p[0] = 3;
        a[at] = p[at & 3];
        return 0;
    }"""
    subject = subject_of(tmp_path, body, property="valid-deref")
    executable = subject.native(UNPREPARED)
    choose = random.Random(1)
    values = [(choose.randrange(-3, 8), choose.randrange(9)) for _ in range(60)]
    runs = [run_of(subject, ("__VERIFIER_nondet_int", a), ("__VERIFIER_nondet_uint", b)) for a, b in values]
    single = [executable.replay(inputs) for inputs in runs]
    failing = {run.detail for run in single if run.outcome is Outcome.VIOLATED}
    assert len(failing) > 1
    with executable.trials(30) as trials:
        for check in sorted(failing):
            expected = [at for at, run in enumerate(single) if (run.outcome, run.detail) == (Outcome.VIOLATED, check)]
            for start in range(len(runs)):
                candidates = [((0, 2, inputs),) for inputs in runs[start:]]
                found = trials.first(runs[0], candidates, check, 10_000)
                after = [at for at in expected if at >= start]
                assert (found is None) == (not after)
                if found is not None:
                    number, run = found
                    assert start + number == after[0]
                    assert (run.inputs, run.steps) == (single[after[0]].inputs, single[after[0]].steps)
    subject.close()


INT = Site(0, "call", "__VERIFIER_nondet_int", "int", NOWHERE)
CHAR = Site(1, "call", "__VERIFIER_nondet_char", "char", NOWHERE)
DOUBLE = Site(2, "call", "__VERIFIER_nondet_double", "double", NOWHERE)
POINTER = Site(3, "undefined", "place", "ptr", NOWHERE)
ARGC = Site(4, "argument", "argc", "int", NOWHERE)
SITES = (INT, CHAR, DOUBLE, POINTER, ARGC)


@pytest.mark.parametrize("site", range(5))
@pytest.mark.parametrize("bits", [1, 7, 8, 16, 32, 64, 128])
def test_values_to_try_are_lighter_and_fit(site: int, bits: int) -> None:
    choose = random.Random(bits)
    for _ in range(50):
        given = ScalarInput(site, choose.getrandbits(bits), bits)
        tried = [*simpler(given, SITES), *(rounder(given, SITES) if bits > 1 else [])]
        assert all(0 <= value.value < 1 << bits for value in tried)
        assert all(weight(value, SITES) < weight(given, SITES) for value in tried)
        assert towards_zero(given, 0, SITES).value == 0


def test_the_simplest_comes_first() -> None:
    assert simpler(ScalarInput(0, 54321, 32), SITES)[0].value == 0
    assert simpler(ScalarInput(4, 54321, 32), SITES)[0].value == 1
    assert [value.value for value in simpler(ScalarInput(3, 1 << 40, 64), SITES)] == [0]
    assert ord("a") in [value.value for value in simpler(ScalarInput(1, 0x9C, 8), SITES)][:3]
    pi = struct.unpack("<Q", struct.pack("<d", 3.14159))[0]
    assert struct.pack("<Q", simpler(ScalarInput(2, pi, 64), SITES)[1].value) in (struct.pack("<d", 1.0), struct.pack("<d", 2.0))
