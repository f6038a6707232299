"""frontend/c/slices.py: files without what one function cannot reach, and the front end of `check --entry-each`."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.contracts.declarations import declarations
from counterpoint.core.errors import CompilationFailed
from counterpoint.entries import compiling
from counterpoint.entries.environment import environment
from counterpoint.entries.request import EntryEach
from counterpoint.entries.run import run
from counterpoint.frontend.c.bitcode import read
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.c.library import library
from counterpoint.frontend.c.link import link
from counterpoint.frontend.c.slices import Slices, _words_of_models, part
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.request import Request

FIRST = """
#include <stdlib.h>
#include <string.h>
int shared = 1;
static int own = 2;
static int same(void) { return own; }
int other(int);
extern int (*const switchboard[2])(int);
__attribute__((weak)) int overridden(void) { return 1; }
int behind_alias(void) { return 7; }
int called_alias(void) __attribute__((alias("behind_alias")));
int leaf(int x) { return x + 1; }
int threaded(int x) { return other(x) + same(); }
int by_handlers(int x) { return switchboard[x & 1](x); }
int weakly(void) { return overridden(); }
int aliased(void) { return called_alias(); }
char *duplicated(const char *s) { return strdup(s); }
__attribute__((constructor)) static void starts(void) { shared = other(3); }
int odd(void) __asm__("odd name");
int odd(void) { return leaf(3); }
int oddly(void) { return odd(); }
"""

SECOND = """
#include <stddef.h>
static int own = 3;
static int same(void) { return own++; }
static char heap[100];
void *malloc(size_t size) { return size < 100 ? heap : 0; }
extern int shared;
int last(int x) { return x + shared; }
static int nearby(int x) { return x - shared; }
int other(int x) { return x > 3 ? last(x) : same(); }
int (*const switchboard[2])(int) = {last, nearby};
int overridden(void) { return 2; }
int unused(int x) { return x * 5; }
"""

DEBUG = re.compile(r" #\d+|,? ![\w.]+ !\d+|^!.*$|^attributes.*$|^ *#dbg.*$|(?<=[a-z])\.\d+\b", re.MULTILINE)
"""And the numbers of static names that two files have."""


def _code(text: str) -> list[str]:
    return sorted(line for line in DEBUG.sub("", text).split("\n") if line)


def _program(folder: Path) -> tuple[SourceTask, tuple[Path, Path], Slices]:
    files = folder / "first.c", folder / "second.c"
    for file, text in zip(files, (FIRST, SECOND), strict=True):
        file.write_text(text)
    task = SourceTask(files, property="memory-safety")
    code = [compile_file(task, file) for file in files]
    return task, files, Slices.of([(one, part(one)) for one in code])


ENTRIES = ("leaf", "threaded", "by_handlers", "weakly", "aliased", "duplicated", "odd name", "oddly", "last", "other", "unused")


def test_what_an_entry_reaches_is_the_same_as_in_the_whole_program(tmp_path: Path) -> None:
    task, _, slices = _program(tmp_path)
    for entry in ENTRIES:
        mine = replace(task, entry=entry)
        whole = link(mine, [one.code for one in slices.whole])
        small = link(mine, [one.code for one in slices.reached(entry)])
        assert _code(small) == _code(whole), entry


def test_the_slices_are_small_and_linkage_stays(tmp_path: Path) -> None:
    _, _, slices = _program(tmp_path)
    first, second = (read(one.code) for one in slices.reached("leaf"))
    defined = {one.name for one in (*first.functions, *second.functions) if not one.is_declaration}
    assert defined == {"leaf", "starts", "malloc", "last", "other", "same", "behind_alias"}
    (weak,) = (one for one in read(slices.reached("weakly")[0].code).functions if one.name == "overridden")
    assert weak.linkage.name == "weak_any"
    assert slices.reached("leaf")[0].whole == slices.whole[0].code


def test_a_name_that_cannot_be_read_leaves_the_files_whole(tmp_path: Path) -> None:
    _, _, slices = _program(tmp_path)
    kept = Slices.of([(one, None) for one in slices.whole])
    assert kept.reached("leaf") == slices.whole


def test_models_can_mention_nothing_else(tmp_path: Path) -> None:
    """What a model calls, or has, may be the program's: it has to be among the names that stay."""
    for models in (library(SourceTask((), property="memory-safety"), True, errors) for errors in (False, True)):
        mentioned = frozenset[str]().union(*(one.needed for one in models.parts))
        own = (name for name in mentioned if not name.startswith(("llvm.", "__")))
        assert set(own) <= _words_of_models()


BROKEN = """
struct hidden;
int good(int *p) { return *p; }
int bad(int (*grid)[]) { return (*grid)[0]; }
int fine(int x) { return x; }
"""


def test_a_caller_that_is_no_c_takes_out_its_own_function_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "broken.c"
    file.write_text(BROKEN)
    task = SourceTask((file,), property="memory-safety")
    declared = declarations(task, file)
    callers: list[compiling._Caller] = [environment(declared, declared.functions[n]) for n in ("good", "fine")]
    wrong = replace(callers[0], rest=("this is no C",), entry="counterpoint_entry_wrong")  # type: ignore[type-var]
    callers.insert(1, wrong)
    compiling._compiled(task, file, callers)
    assert [isinstance(one, str) for one in callers] == [False, True, False]
    assert str(callers[1]).startswith("its caller is no C that compiles: ")
    file.write_text("int f(int x) { return y; }\n")
    with pytest.raises(CompilationFailed, match="undeclared"):
        compiling._compiled(task, file, [])


def test_files_are_compiled_with_their_callers_once(tmp_path: Path) -> None:
    _, files, _ = _program(tmp_path)
    asked = EntryEach(Request(files=files, property="memory-safety", jobs=2))
    task = SourceTask(files, property="memory-safety")
    made = compiling.compiled(asked, task, time.monotonic() + 60)
    assert made is not None
    entries = [job.environment.entry for job in made.jobs if job.environment is not None]
    assert len(entries) == len(set(entries)) == len(made.jobs) and "counterpoint_entry_1_same" in entries
    assert compiling.compiled(asked, task, time.monotonic() - 1) is None


def test_one_file_that_does_not_compile_is_named(tmp_path: Path) -> None:
    _, files, _ = _program(tmp_path)
    files[1].write_text("int f(void) { return 1 }\n")
    with pytest.raises(CompilationFailed, match=r"second.c:1:\d+: expected ';'"):
        run(EntryEach(Request(files=files, property="memory-safety")), lambda _: None)


def test_functions_of_several_files_are_checked_with_what_they_reach(tmp_path: Path) -> None:
    _, files, _ = _program(tmp_path)
    request = Request(files=files, property="memory-safety", timeout=90.0)
    found = {one.function: one for one in run(EntryEach(request, "by_handlers,leaf"), lambda _: None).entries}
    assert found["leaf"].is_proved and found["by_handlers"].checks and not found["by_handlers"].missing
