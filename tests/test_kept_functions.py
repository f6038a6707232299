"""What `check --entry-each --reuse` knows of a function from an earlier command (entries/kept.py, kept_key.py)."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.contracts.declarations import declarations
from counterpoint.core.source import SourceLocation
from counterpoint.entries import kept_key
from counterpoint.entries.environment import CALLER, environment, header
from counterpoint.entries.findings import Entries, Entry
from counterpoint.entries.kept import Kept, kept_for
from counterpoint.entries.request import EntryEach
from counterpoint.entries.run import run
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.c.slices import Slices, part
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckAnswer
from counterpoint.report.entry_lines import summary_of

HEADER = """
#ifndef LIMIT
#define LIMIT 10
#endif
struct point { int x; int y; const char *name; };
void undefined_one(int);
void undefined_two(int);
static inline int small(int x) { int y = x; return y < LIMIT; }
"""

FILE = """
#include "point.h"
static int id(int x) { static int calls; return x + calls++; }
int second_file(struct point *);
int first(struct point *p) {
    int i, sum = 0;
    for (i = 0; i < 3; i++)
        sum += id(p->x);
    if (sum > 7)
        undefined_one(sum);
    p->name = "called";
    return small(sum) + second_file(p);
}
int after(int x) { return x; }
"""

SECOND = """
#include "point.h"
int second_file(struct point *p) { return p->y; }
int unrelated(int x) { return x + 1; }
"""

ELSEWHERE = """
struct unrelated { int a, b; const int c; };
int before(char *p) {
    static int calls; int i; struct unrelated u = {1, 2, 3};
    for (i = 0; i < 7; i++) calls += *p;
    p = calls ? "one text" : "another";
    return *p + u.c;
}
"""


def _write(folder: Path, **texts: str) -> None:
    for name, text in {"header": HEADER, "file": FILE, "second": SECOND, **texts}.items():
        (folder / {"header": "point.h", "file": "file.c", "second": "second.c"}[name]).write_text(text)


def _kept(folder: Path, defines: tuple[str, ...] = (), **options: Any) -> Kept:
    """For `first`, as a command finds it."""
    files = folder / "file.c", folder / "second.c"
    task = SourceTask(files, property="memory-safety", defines=defines)
    declared = [declarations(task, file) for file in files]
    caller = environment(declared[0], declared[0].functions["first"])
    driver = folder / str(len(list(folder.iterdir()))) / CALLER
    driver.parent.mkdir()
    driver.write_text(header(str(files[0])) + caller.text())
    compiled = [compile_file(replace(task, files=(driver,)), driver), compile_file(task, files[1])]
    code = Slices.of([(one, part(one)) for one in compiled]).reached(caller.entry)
    request = Request(files, reuse=folder / "kept", defines=defines, **options)
    kept = kept_for(request, replace(task, entry=caller.entry), declared, caller, code)
    assert kept is not None
    return kept


@pytest.fixture
def before(tmp_path: Path) -> str:
    _write(tmp_path)
    return _kept(tmp_path).key


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"file": FILE.replace("static int id", ELSEWHERE + "static int id")},
        {"file": "\n\n" + FILE.replace("return x; }", "return x / 2; }")},
        {"second": ELSEWHERE.replace("before", "behind") + SECOND.replace("x + 1", "x + 2")},
        {"header": HEADER.replace("struct point", "struct more { int z; };\nint more(struct more *);\nstruct point", 1)},
    ],
)
def test_an_edit_elsewhere_leaves_the_answer(tmp_path: Path, before: str, texts: dict[str, str]) -> None:
    _write(tmp_path, **texts)
    assert _kept(tmp_path).key == before


@pytest.mark.parametrize(
    "texts",
    [
        {"file": FILE.replace("sum = 0", "sum = 1")},
        {"file": FILE.replace("x + calls++", "x - calls++")},
        {"second": SECOND.replace("p->y", "p->x")},
        {"header": HEADER.replace("x < LIMIT", "x > LIMIT").replace("y < LIMIT", "y <= LIMIT")},
        {"header": HEADER.replace("int x; int y;", "int y; int x;")},
        {"header": HEADER.replace("int x; int y;", "unsigned x; int y;")},
        {"header": HEADER.replace("const char *name", "char *name")},
        {"header": HEADER.replace("int y = x", "const int y = x")},
        {"header": HEADER.replace("LIMIT 10", "LIMIT 11")},
        {"header": HEADER.replace("int y; const", "int y; int *z; const")},
        {"header": HEADER.replace("one(int);", "one(int) __attribute__((noreturn));")},
    ],
)
def test_an_edit_that_matters_does_not(tmp_path: Path, before: str, texts: dict[str, str]) -> None:
    _write(tmp_path, **texts)
    assert _kept(tmp_path).key != before


def test_which_of_two_functions_never_returns_matters(tmp_path: Path) -> None:
    """Both have the same groups of attributes; who has which is another thing."""
    used = FILE.replace("undefined_one(sum);", "undefined_one(sum), undefined_two(sum);")
    _write(tmp_path, file=used, header=HEADER.replace("one(int);", "one(int) __attribute__((noreturn));"))
    one = _kept(tmp_path).key
    _write(tmp_path, file=used, header=HEADER.replace("two(int);", "two(int) __attribute__((noreturn));"))
    assert _kept(tmp_path).key != one


def test_options_and_versions_matter(tmp_path: Path, before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _kept(tmp_path, defines=("LIMIT=12",)).key != before
    assert _kept(tmp_path, malloc_may_fail=True).key != before
    assert _kept(tmp_path, engines=("bmc",)).key != before
    assert _kept(tmp_path, timeout=10.0, jobs=1, memory=1 << 30, cache=tmp_path).key == before
    monkeypatch.setattr(kept_key, "product", lambda: "of another version")
    kept_key._surroundings.cache_clear()
    assert _kept(tmp_path).key != before
    kept_key._surroundings.cache_clear()


def _entry(kept: Kept, folder: Path, answer: Answer) -> tuple[Entry, Entry]:
    file = str(folder / "file.c")
    entry = Entry("first", file, kept.starts[file, "first"])
    at = SourceLocation(str(folder / "second.c"), kept.starts[str(folder / "second.c"), "second_file"], 42, "second_file")
    return entry, replace(entry, checks=(CheckAnswer(0, "valid-deref", at, "read of 4 bytes", answer),))


def test_lines_move_with_functions_of_other_files(tmp_path: Path) -> None:
    _write(tmp_path)
    kept = _kept(tmp_path)
    kept.put(_entry(kept, tmp_path, Answer.PROVED)[1], 1.0)
    _write(tmp_path, second="\n\n\n" + SECOND)
    kept = _kept(tmp_path)
    said = kept.get(_entry(kept, tmp_path, Answer.PROVED)[0], 1.0)
    assert said is not None and said.reused and said.checks[0].at.line == 6


def test_what_is_open_is_told_again_for_as_large_a_share_of_the_time(tmp_path: Path) -> None:
    _write(tmp_path)
    kept = _kept(tmp_path)
    entry, found = _entry(kept, tmp_path, Answer.UNKNOWN)
    kept.put(found, 5.0, 10.0)
    assert kept.get(entry, 100.0, 10.0) is not None  # others left more of the time: as the first command would
    assert kept.get(entry, 100.0, 20.0) is None and kept.get(entry, 100.0) is None
    assert kept.get(entry, 5.0, 20.0) is not None


def test_nothing_that_was_changed_on_disk_counts(tmp_path: Path) -> None:
    _write(tmp_path)
    kept = _kept(tmp_path)
    entry, found = _entry(kept, tmp_path, Answer.PROVED)
    other = replace(kept, key="of another function")
    other.put(replace(found, runs=77), 1.0)
    (theirs,) = (tmp_path / "kept" / "functions").glob("*/*")
    kept.put(found, 1.0)
    (file,) = (set((tmp_path / "kept" / "functions").glob("*/*"))) - {theirs}
    content = file.read_bytes()
    wrong = [
        content[:-1], content[: len(content) // 2], b"", content + b" ", content.replace(b"proved", b"refuted"),
        content.replace(b'"runs": 0', b'"runs": 9'), theirs.read_bytes(), os.urandom(len(content)),
        content.partition(b"\n")[0] + b"\n" + theirs.read_bytes().partition(b"\n")[2],
    ]  # fmt: skip
    for one in wrong:
        assert one != content
        file.write_bytes(one)
        assert kept.get(entry, 1.0) is None
    file.write_bytes(content)
    assert kept.get(entry, 1.0) is not None
    mine = replace(kept, folder=replace(kept.folder, secret=b"another user's key, of 32 bytes."))
    assert mine.get(entry, 1.0) is None
    for text in (b"[]", b"null", b'{"given seconds": 9, "share": "x"}', b'{"given seconds": 9, "share": 1, "checks": 3}'):
        kept.folder.put(kept.key, text)
        assert kept.get(entry, 1.0) is None


LIBRARY = """
int leaf(int x) { return x + 0 * 1; }
int deref(int *p) { return *p; }
int calls(int *p) { return deref(p) + leaf(1); }
int own(unsigned n) { int a[4] = {0}; return a[n & 3]; }
"""


def _run(file: Path, folder: Path) -> tuple[Entries, set[str]]:
    found = run(EntryEach(Request((file,), property="memory-safety", timeout=120.0, reuse=folder)), lambda _: None)
    return found, {one.function for one in found.entries if one.reused}


def _said(found: Entries) -> list[object]:
    return [(one.function, one.requires, [(c.kind, c.at, c.answer) for c in one.checks]) for one in found.entries]


def test_one_function_edited_is_checked_and_those_that_call_it(tmp_path: Path) -> None:
    file, folder = tmp_path / "library.c", tmp_path / "kept"
    file.write_text(LIBRARY)
    cold, reused = _run(file, folder)
    assert not reused and not any("RE-USED" in text for line in summary_of(cold) for text, _ in line)
    again, reused = _run(file, folder)
    assert reused == {"leaf", "deref", "calls", "own"} and _said(again) == _said(cold)
    assert any("RE-USED: what is said of 4 of 4" in text for line in summary_of(again) for text, _ in line)
    file.write_text(LIBRARY.replace("0 * 1", "0 * 2").replace("int deref", "\nint deref"))
    edited, reused = _run(file, folder)
    assert reused == {"deref", "own"}
    cold, _ = _run(file, tmp_path / "other")
    assert _said(edited) == _said(cold)


def test_two_commands_may_use_one_folder(tmp_path: Path) -> None:
    _write(tmp_path)
    kept = _kept(tmp_path)
    entry, found = _entry(kept, tmp_path, Answer.PROVED)
    lost: list[object] = []

    def work() -> None:
        mine = replace(kept, folder=replace(kept.folder))
        for _ in range(100):
            mine.put(found, 1.0)
            if mine.get(entry, 1.0) is None:
                lost.append(mine.folder)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lost and not list((tmp_path / "kept" / "functions").glob("*/.new-*"))
