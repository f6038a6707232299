"""What fails in a small function is told apart by who calls it: `free`, and what only hands on to it, is one place for
all blocks that are freed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from counterpoint.cli.command import run_command
from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.entries.apart import Calls, apart, called_at, calls, user_place
from counterpoint.entries.explored import is_part, place_of
from counterpoint.entries.findings import Entries, Entry, Finding, Grade
from counterpoint.execute.coverage import source_branches
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import UNPREPARED, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.result import Counterexample
from counterpoint.program.model import Program

PROGRAM = """#include <stdlib.h>
struct pair { char *name; char *value; int count; };
void give_back(void *block) { if (block) free(block); }
void drop(void *block) { give_back(block); }
void clear(struct pair *p) {
    give_back(p->name);
    give_back(p->value);
    p->name = p->value = 0;
}
void first(struct pair *p) {
    give_back(p->name);
    if (p->count > 3)
        give_back(p->name);
    p->name = 0;
}
void second(struct pair *p) {
    drop(p->value);
    drop(p->value);
    p->value = 0;
}
"""

HOLDERS = """#include <stdlib.h>
struct item { int holders; char *text; };
void release(struct item *i) { if (i != NULL && --i->holders == 0) free(i); }
void leave(struct item *i) {
    if (!i) return;
    if (--i->holders > 0) return;
    free(i->text);
    free(i);
}
void both(struct item *i) { release(i); release(i); }
void twice(struct item *i) {
    leave(i);
    leave(i);
}
"""

MAIN = """#include <stdlib.h>
static void give_back(void *block) { if (block) free(block); }
int main(void) {
    char *a = malloc(3);
    give_back(a);
    give_back(a);
    return 0;
}
"""


def _told(folder: Path, text: str) -> tuple[dict[str, list[dict[str, object]]], str]:
    file = folder / "program.c"
    file.write_text(text, encoding="utf-8")
    out = folder / "said.json"
    command = ["check", str(file), "--entry-each", "--timeout", "60", "--json", str(out)]
    run_command([*command, "--sarif", str(folder / "said.sarif")])
    document = json.loads(out.read_text("utf-8"))
    found = {one["function"]: one["findings"] for one in document["functions"]}
    return {**found, "": document["findings"]}, (folder / "said.sarif").read_text("utf-8")


def test_two_callers_of_a_wrapper_that_frees_twice_are_two_findings(tmp_path: Path) -> None:
    found, sarif = _told(tmp_path, PROGRAM)
    for name, lines in (("first", [13]), ("second", [4, 18])):
        (one,) = found[name]
        assert (one["grade"], one["function"], one["line"], one["cause"]) == ("caller", "give_back", 3, "freed")
        assert isinstance(one["called_from"], list)
        assert [call["line"] for call in one["called_from"]] == lines
    assert not found["clear"] and not found["give_back"] and not found["drop"]
    assert len(found[""]) == 2
    assert "(called from first at " in sarif


def test_what_counts_who_holds_a_block_is_for_its_callers_to_keep(tmp_path: Path) -> None:
    found, _ = _told(tmp_path, HOLDERS)
    assert not found[""]


def _program(folder: Path) -> Program:
    file = folder / "main.c"
    file.write_text(MAIN, encoding="utf-8")
    return compile_subject(SourceTask((file,), property="memory-safety")).program(UNPREPARED)


def test_a_check_has_a_number_for_each_call(tmp_path: Path) -> None:
    program = _program(tmp_path)
    copied = apart(program, "none")
    assert copied.program.checks[: len(program.checks)] == program.checks
    assert list(copied.origin[: len(program.checks)]) == list(range(len(program.checks)))
    before, after = (run(one, ReplayInputs(()), Limits()).outcome for one in (program, copied.program))
    assert isinstance(before, Violated) and isinstance(after, Violated)
    assert copied.origin[after.check] == before.check
    site = copied.program.checks[after.check]
    assert [line for _, line in calls(site)] == [2, 6]
    assert user_place(site.at).line == 2
    assert is_part(site, program.checks[before.check]) and not is_part(program.checks[before.check], site)
    merged, own = (source_branches(copied.program, way).directions for way in (False, True))
    assert [one.at.inlined_at for one in merged] == [None] * len(merged)
    assert len(own) == 2 * len(merged)


def test_the_function_that_is_checked_stays_where_it_is(tmp_path: Path) -> None:
    copied = apart(_program(tmp_path), "give_back")
    assert {one.at.line for one in source_branches(copied.program, apart=True).directions} == {2}
    assert len(source_branches(copied.program, apart=True).directions) == 2


def _site(*lines: int) -> CheckSite:
    at: SourceLocation | None = None
    for line in reversed(lines):
        at = SourceLocation("a.c", line, 1, f"f{line}", at)
    assert at is not None
    return CheckSite(0, "valid-free", "", at)


def test_calls_are_part_of_a_place_up_to_the_arbitrary_caller() -> None:
    caller = SourceLocation("x/counterpoint_callers.c", 3, 1, "entry")
    site = _site(1, 2)
    outer = replace(site.at, inlined_at=replace(_site(2).at, inlined_at=caller))
    expected: Calls = (("a.c", 2),)
    assert calls(site) == expected
    assert place_of(site) != place_of(_site(1, 4)) and place_of(site) != place_of(_site(1))
    assert called_at(replace(outer, inlined_at=None), site).inlined_at == _site(2).at
    assert called_at(SourceLocation("a.c", 9), site) == SourceLocation("a.c", 9)


def test_one_violation_is_told_once_whoever_calls() -> None:
    def finding(grade: Grade, *lines: int) -> Finding:
        return Finding(grade, Counterexample(0, "valid-free", "", _site(*lines).at, "none"), "")

    def told(*findings: Finding) -> list[list[int]]:
        entry = Entry("f", "a.c", 1, findings=findings)
        return [[one.found.at.line, *(call.line for call in one.calls)] for one in Entries("", (), (entry,)).findings]

    assert told(finding(Grade.CALLER, 1, 2), finding(Grade.CALLER, 1, 3)) == [[1, 2], [1, 3]]
    assert told(finding(Grade.CALLER, 1, 2, 5), finding(Grade.CALLER, 1, 2)) == [[1, 2]]
    assert told(finding(Grade.CALLER, 1, 2), finding(Grade.MANIFEST, 1), finding(Grade.CALLER, 1, 3)) == [[1, 2]]
    assert told(finding(Grade.MANIFEST, 1, 2), finding(Grade.MANIFEST, 1)) == [[1]]


BLOCKS = """#include <stdlib.h>
#include <string.h>
struct part { int size; char *bytes; int kind; };
int add(int *count, struct part **parts, int kind, unsigned size, char bytes[]) {
    struct part *one;
    if (*parts == NULL)
        *parts = malloc(sizeof(struct part));
    else {
        struct part *more = reallocarray(*parts, *count + 1, sizeof(struct part));
        if (more == NULL) return 0;
        *parts = more;
    }
    if (*parts == NULL) return 0;
    one = &(*parts)[(*count)++];
    one->kind = kind;
    one->size = size;
    one->bytes = malloc(size);
    if (one->bytes == NULL) return 0;
    if (bytes != NULL) memcpy(one->bytes, bytes, size);
    return 1;
}
"""


def test_what_passes_with_small_numbers_is_tried_of_late_findings_too(tmp_path: Path) -> None:
    found, _ = _told(tmp_path, BLOCKS)
    assert not found[""]
