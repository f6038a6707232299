"""Results that are kept: the same check is answered at once, any other is made, and no entry gives another verdict."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import attack_results
import fresh
from counterpoint.portfolio import several
from counterpoint.portfolio.kept_results import check
from counterpoint.portfolio.request import GIB, Request
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Outcome, Proof, Reused
from counterpoint.portfolio.result_key import key_of
from counterpoint.portfolio.result_text import NoResult, document_of, result_of
from counterpoint.report.json import as_json

HEADER = "#define MOST 7\n"
PROGRAM = """
#include "most.h"
#if __has_include("extra.h")
#include "extra.h"
#endif
#ifdef STAMP
const char *when = __DATE__;
#endif
extern void reach_error(void);
int main(void) { if (MOST > 9) reach_error(); return 0; }
"""
DAY = 86_400


class Checker:
    """Stands for the portfolio: counts the checks that are made, and gives the answer `says`."""

    def __init__(self, says: CheckResult) -> None:
        self.says, self.made = says, 0

    def __call__(self, request: Request, show: object = None) -> CheckResult:
        self.made += 1
        return self.says


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checker]:
    true = CheckResult(Outcome.TRUE, "unreach-call", ("f.c",), "LP64", "main", engine="bmc", seconds=1.5)
    made = Checker(true)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(several, "check", made)
    monkeypatch.chdir(tmp_path)
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    (tmp_path / "second" / "most.h").write_text(HEADER)
    (tmp_path / "f.c").write_text(PROGRAM)
    yield made


def request(**options: object) -> Request:
    made = Request((Path("f.c"),), include=("first", "second"), cache=Path("store"))
    return replace(made, **options)  # type: ignore[arg-type]


def answered(one: Request) -> bool:
    """Whether the result is not new."""
    result = check(one)
    return result.cached is not None and bool(result.cached.answered)


def test_the_same_again(checker: Checker) -> None:
    assert not answered(request()) and checker.made == 1
    assert answered(request()) and answered(request(timeout=999.0, memory=GIB, jobs=1)) and checker.made == 1
    again = check(request())
    assert replace(again, cached=None) == checker.says
    assert not answered(request(recording=True)) and answered(request())
    assert not answered(request(cache=Path("elsewhere"))) and not answered(request(cache=None))


def test_what_the_answer_depends_on(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each difference is another check; and what was there before is answered still."""
    assert not answered(request())
    options: tuple[dict[str, object], ...] = (
        {"property": "no-overflow"}, {"entry": "other"}, {"data_model": "ILP32"}, {"seed": 3},
        {"target": "x86_64-windows-gnu"}, {"defines": ("MORE",)}, {"std": "c99"}, {"engines": ("bmc",)},
        {"options": (("bmc.bound", "3"),)}, {"malloc_may_fail": True}, {"volatile": "arbitrary"}, {"shrink": False},
        {"prepare": "none"}, {"contracts": "all"}, {"proof_runs": False}, {"findings": "more"},
        {"reuse": Path("reuse")}, {"include": ("second", "first")},
    )  # fmt: skip
    for option in options:
        assert key_of(request(**option), 60.0) not in (None, key_of(request(), 60.0)), option
    for name, value in (("C_INCLUDE_PATH", "third"), ("CPATH", "third"), ("SOURCE_DATE_EPOCH", "1"), ("LD_PRELOAD", "")):
        monkeypatch.setenv(name, value)
        assert not answered(request()), name
        monkeypatch.delenv(name)
    assert answered(request())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("f.c", PROGRAM + "int more;"),
        ("f.c", PROGRAM + "/* loop invariant */"),
        ("second/most.h", "#define MOST 8\n"),
        ("second/most.h", HEADER + "// a comment\n"),
        ("first/most.h", HEADER),
        ("first/extra.h", ""),
    ],
)
def test_edits(checker: Checker, file: str, content: str) -> None:
    """Also of comments, and headers that are found now and were not before."""
    assert not answered(request()) and answered(request())
    before = Path(file).read_text() if Path(file).exists() else None
    Path(file).write_text(content)
    assert not answered(request()) and answered(request())
    if before is None:
        Path(file).unlink()
    else:
        Path(file).write_text(before)
    assert answered(request()) and checker.made == 2


def test_what_changes_by_itself(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The day is part of the text, where it is used; so is the product."""
    stamped = request(defines=("STAMP",))
    for day in (0, DAY):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(day))
        assert not answered(stamped) and answered(stamped)
    key = key_of(request(), 60.0)
    for name in ("_product", "_installed"):
        monkeypatch.setattr(f"counterpoint.portfolio.result_key.{name}", lambda: "another")
        assert key_of(request(), 60.0) != key
        monkeypatch.undo()


def test_limits_of_no_answer(checker: Checker) -> None:
    """An UNKNOWN is one for no more time, memory or engines than there were; not if something went wrong."""
    unknown = replace(checker.says, outcome=Outcome.UNKNOWN, reason="OUT_OF_TIME")
    checker.says = unknown
    assert not answered(request(timeout=10.0)) and answered(request(timeout=10.0)) and answered(request(timeout=5.0))
    more: tuple[dict[str, object], ...] = ({"timeout": 60.0}, {"memory": 99 * GIB}, {"jobs": 3})
    for option in more:
        assert not answered(request(**{"timeout": 10.0, **option})), option
    both = replace(checker.says, parts=(replace(unknown, outcome=Outcome.TRUE, reason=""), unknown))
    wrong = (replace(unknown, reason=INTERNAL_ERROR), replace(unknown, crash_reports=("crash",)))
    for number, says in enumerate((*wrong, both)):
        checker.says = says
        one = request(seed=number + 1, timeout=9.0)
        assert [answered(one), answered(one)] == [False, says is both]
        assert not answered(replace(one, timeout=60.0))
    checker.says = unknown
    assert not answered(request(reuse=Path("reuse"))) and not answered(request(reuse=Path("reuse")))


def test_files_that_change_meanwhile(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was checked may be another text than the key's: it is not kept, also if the file is as before."""

    def check_and(write: list[str]) -> None:
        def checking(request: Request, show: object = None) -> CheckResult:
            for text in write:
                Path("second/most.h").write_text(text)
            return checker(request)

        monkeypatch.setattr(several, "check", checking)

    check_and(["#define MOST 10\n", HEADER])
    assert not answered(request()) and not answered(request())
    check_and(["#define MOST 11\n"])
    assert not answered(request())
    check_and([])
    assert not answered(request()) and answered(request())


def test_what_cannot_be_kept(checker: Checker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is checked, and one line says why nothing is kept. What does not compile is as it is without."""
    Path("store").write_text("in the way")
    result = check(request())
    assert result.verdict == "TRUE" and result.cached is not None and "cannot be kept" in result.cached.note
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/nothing")
    result = check(request(cache=Path("other")))
    assert result.cached is not None and "without a key" in result.cached.note
    Path("f.c").write_text("#error no\n")
    assert key_of(request(), 60.0) is None and check(request()).cached is None
    assert key_of(request(files=(Path("missing.c"),)), 60.0) is None


def test_results_as_text(tmp_path: Path) -> None:
    """All that there is comes back; what is none is refused."""
    reused = Reused("folder", 1, 2, "the proof of houdini", 3, ("note",))
    text = "int main(void) { int a[3]; int i = __VERIFIER_nondet_int(); if (i > 1) a[i] = 1; return 0; }"
    found = []
    for source, property_ in ((text, "memory-safety"), ("int main(void) { return 0; }", "unreach-call")):
        (tmp_path / "f.c").write_text("extern int __VERIFIER_nondet_int(void);\n" + source)
        found.append(fresh.run(Request((tmp_path / "f.c",), property=property_, timeout=20.0)))
    assert [result.outcome for result in found] == [Outcome.FALSE, Outcome.TRUE]
    for result in (*found, CheckResult(Outcome.TRUE, "p", (), "LP64", "main", reused=reused)):
        text = json.dumps(document_of(result))
        again = result_of(json.loads(text))
        assert as_json(again) == as_json(result) and json.dumps(document_of(again)) == text
        assert again.checks == result.checks and again.counterexample == result.counterexample
    document = document_of(result)
    for wrong in (None, [], {}, {**document, "outcome": "MAYBE"}, {**document, "files": "f.c"}, {**document, "x": 1}):
        with pytest.raises((NoResult, ValueError)):
            result_of(wrong)


def test_attacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python tests/attack_results.py` does that with many."""

    def guessed(one: Request, show: object = None) -> CheckResult:
        name = one.files[0].name
        result = CheckResult(Outcome.TRUE, "unreach-call", (name,), "LP64", "main", proof=Proof("kind", name, {"x": 1}))
        return result if "safe" in name else replace(result, outcome=Outcome.FALSE, violated=name, proof=None)

    monkeypatch.setattr(several, "check", guessed)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = attack_results.store(tmp_path)
    monkeypatch.setattr(several, "check", made.known)
    for what, name, result in attack_results.attacks(made, 14, random.randrange(1000)):
        assert result.verdict == made.fresh[name].verdict, (what, name)
        assert result.cached is not None and not result.cached.answered and "does not count" in result.cached.note
    assert all(check(one).cached is not None for one in made.requests.values())
