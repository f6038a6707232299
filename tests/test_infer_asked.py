"""What `infer` asks of arrays as checks: that a result is an element, order, where a string ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from counterpoint.contracts import asked, asked_guesses
from counterpoint.contracts.any_caller import Unit, contract_of
from counterpoint.contracts.asked import Asking
from counterpoint.contracts.contract import Contract, Status
from counterpoint.contracts.declarations import declarations
from counterpoint.contracts.driver import driver_of
from counterpoint.contracts.views import DRIVER
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import Snapshot
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.attending import attended
from counterpoint.portfolio.processes import spawn
from counterpoint.term import build
from counterpoint.term.sorts import BitVec

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from acsl_to_c import clause

ELEMENT = "\\exists integer k; 0 <= k < 2 && \\old(t[k]) == \\result"

COUNTED = "n > 0 ==> (\\exists integer k; 0 <= k < n && a[k] == \\result)"


def contract(file: Path) -> Contract:
    """Made by a process of its own, as `infer` does: terms that it makes are not in the way of other tests."""
    task = SourceTask((file,))
    declared = declarations(task, file)
    unit = Unit(task, declared, declared.functions["f"])
    child = spawn(lambda send: send(contract_of(unit, 60)), 4 << 30)
    try:
        return next(one for one in attended(child, time.monotonic() + 120) if isinstance(one, Contract))
    finally:
        child.kill()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int t[2]; int f(int i) { return t[i & 1]; }", ["\\exists integer k; 0 <= k < 2 && t[k] == \\result"]),
        ("int t[2]; int f(int i) { int r = t[i & 1]; t[0] = i; return r; }", [ELEMENT]),
        pytest.param("struct s { int t[2]; } g; int f(int i) { int r = g.t[i & 1]; g.t[0] = i; return r; }",
                     [ELEMENT.replace("t[k]", "g.t[k]")], marks=pytest.mark.long),
        ("int t[2]; int f(int i) { return t[i & 1] + 1; }", []),
        ("int t[2]; int f(int i) { t[0]++; return t[i & 1]; }", []),
        ("int t[2]; long f(int i) { return t[i & 1]; }", []),
        ("int t[2]; int f(int i) { static int s; return s ? s : t[i & 1]; }", []),
        ("int t[2]; static int g(int i) { static int s; return s++ ? i : t[0]; } int f(int i) { return g(i); }", []),
        ("int f(const int *a, unsigned n) { return a[0]; }", [COUNTED]),
        ("int f(const int *a, unsigned n) { return a[n]; }", []),
        ("void reach_error(void); int t[2]; int f(int i) { if (i) reach_error(); return t[0]; }", []),
    ],
)  # fmt: skip
def test_elements_as_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: list[str]) -> None:
    """Asked for whatever samples say, so that only proofs decide; static variables have any value."""
    monkeypatch.setattr(asked, "_is_likely", lambda *_: True)
    (tmp_path / "f.c").write_text(text)
    found = contract(tmp_path / "f.c")
    assert not found.missing
    assert [c.text for c in found.ensures if "exists" in c.text and c.status is Status.PROVED] == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int t[2]; void f(void) { if (t[0] > t[1]) { int x = t[0]; t[0] = t[1]; t[1] = x; } }",
         ["\\forall integer k; 1 <= k < 2 ==> t[k - 1] <= t[k]"]),
        ("int t[2]; void f(void) { if (t[0] > t[1]) { int x = t[0]; t[0] = t[1]; t[1] = x + 1; } }", []),
        ("int f(const char *s) { return s[0] == 0 ? 0 : 1; }",
         ["\\forall integer k; 0 <= k < \\result ==> s[k] != 0"]),
        ("int f(const char *s) { return s[0] == 0 ? 0 : -1; }", []),
        pytest.param("int f(const int *a, unsigned n) { return n < 2 || (n == 2 && a[0] <= a[1]); }",
                     ["\\result != 0 ==> (\\forall integer k; 1 <= k < n ==> a[k - 1] <= a[k])"], marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_order_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: list[str]) -> None:
    monkeypatch.setattr(asked, "_is_likely", lambda *_: True)
    (tmp_path / "f.c").write_text(text)
    told = [c.text for c in contract(tmp_path / "f.c").ensures]
    assert [one for one in told if "1 <= k" in one or "s[\\result]" in one or "k < \\result ==>" in one] == said


def test_samples_decide_what_is_asked(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("int f(const int *a, unsigned n) { return a[0]; }")
    task = SourceTask((tmp_path / "f.c",))
    declared = declarations(task, tmp_path / "f.c")
    driver = driver_of(declared, declared.functions["f"], str(tmp_path / "f.c"))
    view = next(view for view in driver.views if view.array)
    names = {build.variable(f"v{n}", BitVec(32)): seen for n, seen in enumerate(view.values)}
    length, old, result = (
        next(v for v, seen in names.items() if wanted(seen))
        for wanted in (
            lambda seen: seen.text == "n",
            lambda seen: seen.text == "a[k]" and seen.old,
            lambda seen: seen.result,
        )
    )
    one = driver.questions[0]
    rows = [Snapshot({length: 2, old: 7, result: 7}), Snapshot({length: 2, old: 8, result: 7})]
    assert asked._is_likely(one, driver, lambda _: (names, rows))
    alone = Snapshot({length: 1, old: 8, result: 7})
    assert not asked._is_likely(one, driver, lambda _: (names, [*rows, alone]))
    assert not asked._is_likely(one, driver, lambda _: (names, ()))


def test_what_is_asked_is_compared_with_runs() -> None:
    assert "exists(k, " in clause(COUNTED)
    assert "forall(k, " in clause("(\\forall integer k; 1 <= k < n ==> a[k - 1] <= a[k]) ==> \\result != 0")


def test_a_guess_about_a_view_is_asked_of_its_values(tmp_path: Path) -> None:
    """Words of C mean what the formula does; what is safe needs a proof, and follows from nothing that is known."""
    text = "signed char f(unsigned n) { unsigned i = 0; while (i < n) i++; return i == n ? -1 : 0; }"
    (tmp_path / "f.c").write_text(text)
    task = SourceTask((tmp_path / "f.c",))
    declared = declarations(task, tmp_path / "f.c")
    driver = driver_of(declared, declared.functions["f"], str(tmp_path / "f.c"))
    (view,) = driver.views
    names = dict(zip((build.variable("n", BitVec(32)), build.variable("r", BitVec(8))), view.values, strict=True))
    n, result = names
    true, false = build.eq(result, 255, 8), build.or_(build.eq(result, 0, 8), build.ult(n, 1 << 31, 32))

    def made(text: str) -> Subject:
        (tmp_path / "driver.c").write_text(text)
        return compile_subject(SourceTask((tmp_path / "driver.c",), entry=DRIVER))

    asking = Asking(made, driver.assumed, 0)
    guesses = [(view, one) for one in (false, true, build.slt(result, 0, 8))]
    found = list(asked_guesses.asked(driver, guesses, lambda _: names, 64))
    assert "{ if (!(counterpoint_v1 == -1)) counterpoint_error(); }" in found[1].text
    proved = asked_guesses.proved_ones(found, {view: []}, asking.is_safe, Budget(60.0), 1.0)
    assert list(proved) == [(view, true)]
    nothing = asked_guesses.proved_ones(found, {view: [true]}, lambda *_: True, Budget(60.0), 1.0)
    assert list(nothing) == [(view, false)]
    assert list(asked_guesses.proved_ones(found, {}, asking.is_safe, Budget(0.0), 1.0)) == []
