"""The sources on a page: lines with code, lines that tests executed, and that a check does not wait for them long."""

from __future__ import annotations

from pathlib import Path

import pytest

import fresh
from counterpoint.execute.covered_lines import CoveredLines, lines_with_code
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.outcome import Limits
from counterpoint.execute.subject import WRITTEN, Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio import listing
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Listing
from counterpoint.portfolio.several import check
from counterpoint.program.inputs import ScalarInput
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json

HEADER = """static int half(int n) {
    return n / 2;
}
static int unused(int n) {
    return n;
}
"""
MAIN = """#include <stdlib.h>
#include "half.h"
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
void stop(int code) {
    exit(code);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    int i;
    if (n == 123456789) {
        n = half(n);
        stop(3);
        n = 1;
    }
    for (i = 0; i < 3; i++)
        n ^= i;
    return n == 0;
}
"""
CODE = {"main.c": {6, 9, 11, 12, 13, 14, 16, 17, 18}, "half.h": {2}}


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = tmp_path_factory.mktemp("listing")
    (folder / "half.h").write_text(HEADER)
    (folder / "main.c").write_text(MAIN)
    return compile_subject(SourceTask((folder / "main.c",), "LP64"))


def by_name(found: dict[str, set[int]]) -> dict[str, set[int]]:
    return {Path(file).name: lines for file, lines in found.items()}


def test_lines_with_code_and_lines_that_a_run_executed(subject: Subject) -> None:
    program = subject.program(WRITTEN)
    code = by_name(lines_with_code(program))
    assert {name: code[name] & lines for name, lines in CODE.items()} == CODE and not code["main.c"] & {1, 2, 3, 4, 8, 15}
    (site,) = [site.index for site in program.sites if site.kind == "call"]
    for value, expected, never in ((5, {9, 11, 16, 17, 18}, {6, 12, 13, 14}), (123456789, {6, 9, 12, 13}, {14, 16, 17, 18})):
        covered = CoveredLines(program)
        covered.run(ReplayInputs((ScalarInput(site, value, 32),)), Limits(steps=10_000))
        reached = by_name(covered.reached)
        assert expected <= reached["main.c"] and not never & reached["main.c"]
        assert reached.get("half.h", set()) == ({2} if value > 5 else set())


def test_the_listing_has_all_files_with_code_and_what_tests_covered(subject: Subject) -> None:
    told: list[object] = []
    listing._tell(subject, 0, told.append)
    first, last = told
    assert isinstance(first, Listing) and isinstance(last, Listing)
    assert [Path(file.name).name for file in last.files] == ["main.c", "half.h"]
    assert last.files[0].lines == tuple(MAIN.split("\n")) and ("main", 8) in last.files[0].functions
    assert first.runs == 0 and first.note and not first.files[0].covered
    assert last.runs > 10 and {9, 11, 16, 17, 18} <= set(last.files[0].covered) <= set(last.files[0].code)


def test_a_check_has_a_listing_only_when_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "short.c"
    path.write_text("int main(void) {\n    return 0;\n}\n")
    result = fresh.run(Request((path,), timeout=20.0, recording=True))
    assert result.listing is not None and result.listing.runs and result.listing.files[0].covered == (2,)
    assert '"listing"' not in as_json(result)
    assert fresh.run(Request((path,), timeout=20.0)).listing is None


def test_of_several_properties_the_first_one_brings_the_listing(tmp_path: Path) -> None:
    path = tmp_path / "short.c"
    path.write_text("int main(void) {\n    return 0;\n}\n")
    result = check(Request((path,), property="no-overflow,unreach-call", timeout=20.0, recording=True))
    assert [part.listing is not None for part in result.parts] == [True, False]
    assert str(path) in as_html(result) and '"covered":[[2,2]]' in as_html(result)


def test_files_that_are_gone_are_left_out(tmp_path: Path) -> None:
    there = tmp_path / "there.c"
    there.write_text("int x;\n")
    assert [file.name for file in listing.given((tmp_path / "gone.c", there)).files] == [str(there)]
