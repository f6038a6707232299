"""Checks with what earlier checks left: the same verdicts, and what need not be asked is not asked."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import fresh
from counterpoint.cli.command import run_command
from counterpoint.cli.long_options import spelled_out
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.cache import folder_for
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Reused
from counterpoint.report.json import as_json
from counterpoint.report.parts import report_of
from mutate_c import mutated
from schema import violations

LOOPS = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int total, calls;
int clamp(int x) { if (x < 0) return 0; if (x > 100) return 100; return x; }
int sum_to(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) { sum += clamp(i); if (sum > 1000) sum = 1000; }
  return sum;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  total = sum_to(n);
  calls++;
  n--;
  if (total < 0 || total > 1000) reach_error();
  return 0;
}
"""
KEPT = (
    ("int sum = 0;", "int unused = n * 3, sum = 0; (void)unused;"),
    ("calls++; n--;", "n--; calls++;"),
    ("sum", "subtotal"),
    ("int total, calls;", "\n\n/* moved */ int calls; int total;\n"),
)
"""Edits of one function that keep its contract."""


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def check(file: Path, text: str, reuse: Path | None, **options: object) -> CheckResult:
    file.write_text(text)
    request = Request((file,), engines=("houdini",), timeout=30.0, proof_runs=False, reuse=reuse)
    return fresh.run(replace(request, **options))  # type: ignore[arg-type]


def reused(result: CheckResult) -> Reused:
    assert result.reused is not None
    return result.reused


def test_what_is_known_is_not_asked(tmp_path: Path) -> None:
    """The same again, then with edits that keep contracts; elsewhere, without the key, all is asked."""
    file, store = tmp_path / "p.c", tmp_path / "store"
    first = check(file, LOOPS, store)
    assert first.verdict == "TRUE" and first.engine == "houdini" and not reused(first).answers
    again = check(file, LOOPS, store)
    assert again.verdict == "TRUE" and again.engine == "reuse"
    assert reused(again).answers == reused(again).questions > 10 and reused(again).proof == "houdini"
    assert not violations(json.loads(as_json(again)), json.loads(Path("docs/result-schema.json").read_text()))
    said = ["".join(piece for piece, _ in line) for line in report_of(again)]
    assert f"Re-used  {reused(again).sentences()[0]}" in said and str(store) in "".join(said)
    for old, new in KEPT:
        edited = check(file, LOOPS.replace(old, new), store)
        had = reused(edited)
        assert edited.verdict == "TRUE" and edited.engine == "reuse", (new, had)
        assert had.questions - had.answers <= 0.1 * had.questions, (new, had)
    (tmp_path / "config" / "counterpoint" / "reuse.key").write_bytes(b"k" * 32)
    foreign = check(file, LOOPS, store)
    assert foreign.verdict == "TRUE" and foreign.engine == "houdini" and not reused(foreign).answers
    assert "did not count" in reused(foreign).sentences()[1]


def test_a_contract_that_is_broken_is_not_believed(tmp_path: Path) -> None:
    file, store = tmp_path / "p.c", tmp_path / "store"
    assert check(file, LOOPS, store).verdict == "TRUE"
    for old, new in (("sum > 1000", "sum > 1100"), ("total = sum_to(n)", "total = sum_to(n) - 1")):
        edited = check(file, LOOPS.replace(old, new), store, engines=("random",))
        assert edited.verdict == "FALSE(unreach-call)", new


def test_facts_about_functions_come_along(tmp_path: Path) -> None:
    """Another program with the same recursive function."""
    down = "int down(int n) { if (n <= 0) return 3; return down(n - 1); }\n"
    head = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
    first = head + down + "int main(void) { int d = down(__VERIFIER_nondet_int()); if (d != 3) reach_error(); return 0; }"
    other = head + "int x;\n" + down + "int main(void) { x = down(7); if (x != 3) reach_error(); x = 2; return 0; }"
    store = tmp_path / "store"
    assert check(tmp_path / "a.c", first, store).verdict == "TRUE"
    second = check(tmp_path / "b.c", other, store)
    assert second.verdict == "TRUE" and reused(second).functions, second.reused


def test_random_edits(tmp_path: Path) -> None:
    """Verdicts after edits are as with empty stores. (`python tests/mutate_c.py` does that with many.)"""
    chance, store = random.Random(11), tmp_path / "store"
    check(tmp_path / "p.c", LOOPS, store)
    for _ in range(2):
        text = mutated(LOOPS, chance)
        with_store = check(tmp_path / "p.c", text, store, engines=("random", "houdini"), timeout=4.0)
        without = check(tmp_path / "q.c", text, None, engines=("random", "houdini"), timeout=4.0)
        answers = {with_store.verdict, without.verdict}
        assert len(answers) == 1 or any("OUT_OF_TIME" in one or "UNCHECKED" in one for one in answers), (text, answers)


def test_stores_that_cannot_be_used(tmp_path: Path) -> None:
    """The verdict is what it is without."""
    file, store = tmp_path / "p.c", tmp_path / "store"
    trivial = "int main(void) { return 0; }"
    store.mkdir()
    (store / "answers").write_text("in the way")
    (store / "proofs").write_text("in the way")
    for folder in (store, Path("/proc/no/folder")):
        result = check(file, trivial, folder)
        assert result.verdict == "TRUE" and len(reused(result).sentences()) == 2, result.reused
    (tmp_path / "config").rename(tmp_path / "moved")
    (tmp_path / "config").write_text("")
    assert "nothing is re-used" in reused(check(file, trivial, tmp_path / "new")).notes[0]


def test_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert spelled_out(["check", "--reuse", "f.c"]) == ["check", "--reuse=", "f.c"]
    assert spelled_out(["check", "--reuse=d", "--", "--reuse"]) == ["check", "--reuse=d", "--", "--reuse"]
    file = tmp_path / "f.c"
    file.write_text("int main(void) { return 0; }")
    with pytest.raises(UnusableInput, match="is no folder"):
        folder_for("--reuse", str(file))
    with pytest.raises(UnusableInput, match="names a folder"):
        folder_for("--reuse", "off")
    assert run_command(["check", f"--reuse={file}", str(file)]) == 2
    assert run_command(["check", "--reuse=" + 300 * "a", str(file)]) == 2
    assert run_command(["certify", "--reuse", str(file), str(file)]) == 2
    assert "--reuse" in capsys.readouterr().err
