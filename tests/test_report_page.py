"""The page in a browser: stepping, folding, filters, tabs, and that nothing in it is anyone else's.

Results are made by hand, so that each page is known; one is of a whole check.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import browser
import fresh
from counterpoint.core.events import EdgeMade, PlacePredicates, RegionMade, RegionSplit
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.c.compiler_warnings import CompilerWarning
from counterpoint.portfolio.recording import Recording
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import (
    Answer,
    Change,
    CheckAnswer,
    CheckResult,
    Counterexample,
    EngineRun,
    ExecutedLine,
    InputValue,
    Invariant,
    Listing,
    Outcome,
    Proof,
    SourceText,
)
from counterpoint.report.html import as_html

SOURCE = """/* A comment
   of two lines */
#include <assert.h>
int square(int n) {
    int r = n * n; // "no text"
    return r;
}
int main(void) {
    int x = input(), y = 0;
    for (int i = 0; i < 9; i++)
        y += square(i);
    assert(x != 7);
    return y;
}
"""
NAME = "src/a.c"


def at(line: int, function: str = "main") -> SourceLocation:
    return SourceLocation(NAME, line, 5, function)


OWNERS = {"total": -1, "buffer[0]": 1}


def step(line: int, depth: int, function: str, *changes: tuple[str, str], folded: int = 0) -> ExecutedLine:
    source = SOURCE.split("\n")[line - 1].strip()
    return ExecutedLine(at(line, function), source, tuple(Change(n, v, hex(int(v)), OWNERS.get(n, 0)) for n, v in changes), depth, folded)


STEPS = (
    step(9, 0, "main", ("x", "7"), ("y", "0")),
    step(10, 0, "main", ("i", "0")),
    step(11, 0, "main"),
    step(5, 1, "square", ("n", "0"), ("r", "0")),
    step(6, 1, "square"),
    step(10, 0, "main", ("i", "1")),
    step(11, 0, "main", ("total", "1")),
    step(5, 1, "square", ("n", "1"), ("r", "1"), ("buffer[0]", "9")),
    step(6, 1, "square"),
    step(10, 0, "main", ("i", "9"), ("y", "204"), folded=7),
    step(12, 0, "main"),
)
FOUND = Counterexample(
    0, "unreach-call", "an assertion fails", at(12), "flat",
    inputs=(InputValue(0, "call", "input", "int", at(9), bits=32, value=7, text="7"),),
    steps=STEPS, confirmed=("the interpreter", "native code"), explanation=("`x` is 7 since src/a.c:9.",),
)  # fmt: skip
CHECKS = (
    CheckAnswer(0, "unreach-call", at(12), "assertion `x != 7`", Answer.REFUTED, by="bmc"),
    CheckAnswer(1, "no-overflow", at(5, "square"), "n * n does not overflow", Answer.PROVED, by="houdini"),
    CheckAnswer(2, "no-overflow", at(11), "y + square(i) does not overflow", Answer.UNKNOWN, why="no invariant"),
)
LISTING = Listing(
    (SourceText(NAME, tuple(SOURCE.split("\n")), (5, 6, 9, 10, 11, 12, 13), (5, 6, 9, 10, 11), (("square", 4), ("main", 8))),
     SourceText("b.h", ("int other;", "int end;"), (1,), ())), 12,
)  # fmt: skip
BASE = CheckResult(
    Outcome.UNKNOWN, "no-overflow", (NAME,), "LP64", "main", seconds=4.0, reason="OUT_OF_TIME", detail="houdini was at src/a.c:10",
    checks=CHECKS, listing=LISTING, known=("12 of 14 checks are proved",), advice=("bound the loop at a.c:10",),
    engines=(EngineRun("bmc", "FALSE", "", 1.0, {"bound": 3}, started=0.5), EngineRun("houdini", "stopped", "", 2.0, started=1.5)),
    assumptions=("input is not defined: it returns anything",),
)  # fmt: skip
SECOND = replace(FOUND, message="another end", at=at(6, "square"), steps=STEPS[:5])
FALSE = replace(BASE, outcome=Outcome.FALSE, violated="unreach-call", reason="", detail="", counterexample=FOUND, findings=(FOUND, SECOND))
FACTS = (Invariant("loop", at(10), ("i <= 9", "i >= 0", "y >= 0", "n <= 8", "y <= 204")), Invariant("calls of square", at(4), ("n <= 8",)))
TRUE = replace(
    BASE, outcome=Outcome.TRUE, property="memory-safety", reason="", detail="", engine="houdini", checks=CHECKS[1:2],
    proof=Proof("invariants", "invariants", {}, FACTS),
)  # fmt: skip
PARTS = replace(FALSE, parts=(replace(FALSE, listing=None), replace(BASE, listing=None), replace(TRUE, listing=None)))

Open = Callable[..., Page]


@pytest.fixture(scope="module", autouse=True)
def no_browser_stays() -> Iterator[None]:
    yield
    browser.close()


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    def show(result: CheckResult, **how: Any) -> Page:
        path = tmp_path / "page.html"
        path.write_text(as_html(result), encoding="utf-8")
        return browser.page_at(path, **how)

    return show


def count(page: Page, selector: str) -> int:
    return page.locator(selector).count()


def now(page: Page) -> tuple[int, str]:
    """The line that is highlighted in the source, and what stands beside it."""
    row = page.locator(".l.now")
    return int(row.get_attribute("data-line") or 0), row.locator(".v").inner_text() if row.locator(".v").count() else ""


def test_a_failing_run_step_by_step(opened: Open) -> None:
    page = opened(FALSE)
    expect(page.locator("h1")).to_contain_text("FALSE(unreach-call)")
    expect(page.locator(".finding").first).to_contain_text("x is 7 since src/a.c:9.")
    assert now(page) == (12, "") and "step 11 of 11" in page.locator(".stepper").inner_text()
    page.keyboard.press("ArrowLeft")
    assert now(page) == (10, "i = 9, y = 204") and "7 more iterations" in page.locator(".told").inner_text()
    page.get_by_role("button", name="first step").click()
    assert now(page) == (9, "x = 7, y = 0")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert now(page) == (5, "n = 0, r = 0")
    captions = page.locator(".vars caption").all_inner_texts()
    assert captions == ["square", "called from main"]
    page.get_by_role("button", name="forward, over calls").click()
    page.get_by_role("button", name="forward, over calls").click()
    assert now(page) == (10, "i = 1") and page.locator(".l.seen").count() == 3
    assert browser.problems(page) == []


def test_calls_fold_and_are_stepped_over(opened: Open) -> None:
    page = opened(FALSE)
    page.get_by_role("button", name="fold calls", exact=True).click()
    assert count(page, ".trace li:visible") == 7
    page.get_by_role("button", name="first step").click()
    lines = []
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        lines.append(now(page)[0])
    assert lines == [10, 11, 10, 11, 10, 12]
    page.locator(".trace .fold[aria-expanded]").first.click()
    assert count(page, ".trace li:visible") == 9
    page.get_by_role("slider", name="step").fill("7")  # inside of a folded call: it opens
    assert now(page)[0] == 5 and count(page, ".trace li:visible") == 11
    assert browser.problems(page) == []


def test_what_does_not_bear_on_the_failure_is_left_out(opened: Open) -> None:
    steps = tuple(replace(one, aside=number in (2, 3, 4)) for number, one in enumerate(STEPS))
    page = opened(replace(FALSE, findings=(replace(FOUND, steps=steps),)))
    only = page.get_by_role("button", name="what bears on it only")
    assert count(page, ".trace li:visible") == 11 and only.get_attribute("aria-pressed") == "false"
    only.click()
    assert count(page, ".trace li:visible") == 8
    page.get_by_role("button", name="first step").click()
    lines = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        lines.append(now(page)[0])
    assert lines == [10, 10, 11]
    page.get_by_role("slider", name="step").fill("3")
    assert now(page)[0] == 5 and count(page, ".trace li:visible") == 9
    long = opened(replace(FALSE, findings=(replace(FOUND, steps=steps * 4),)))
    assert long.get_by_role("button", name="what bears on it only").get_attribute("aria-pressed") == "true"
    assert count(long, ".trace li:visible") == 32 and browser.problems(long) == []


def test_changes_of_one_variable(opened: Open) -> None:
    page = opened(FALSE)
    page.get_by_label("variable", exact=True).select_option("i")
    seen = []
    for _ in range(3):
        page.get_by_role("button", name="◀ change").click()
        seen.append(now(page)[1])
    assert seen == ["i = 9, y = 204", "i = 1", "i = 0"]
    assert page.get_by_role("button", name="◀ change").is_disabled()
    page.get_by_role("button", name="change ▶").click()
    assert now(page) == (10, "i = 1")
    page.locator(".vars button", has_text="y").click()
    assert page.get_by_label("variable", exact=True).input_value() == "y"
    page.get_by_role("button", name="the violation").click()
    captions = page.locator(".vars caption").all_inner_texts()
    assert captions == ["main", "of no call"] and "total" in page.locator(".vars table").nth(1).inner_text()
    assert "buffer[0]" in page.locator(".vars table").first.inner_text()  # of main, though square wrote it


def test_another_finding(opened: Open) -> None:
    page = opened(FALSE)
    page.get_by_role("button", name="2: a.c:6").click()
    expect(page.locator("#run-body")).to_contain_text("another end")
    assert now(page)[0] == 6 and "step 5 of 5" in page.locator(".stepper").inner_text()


def test_checks_are_filtered_and_lead_to_their_lines(opened: Open) -> None:
    page = opened(FALSE)
    assert page.locator("#checks tbody tr .tag").all_inner_texts() == ["fails", "open", "proved"]
    page.locator("#checks").get_by_role("button", name="open 1").click()
    row = page.locator("#checks tbody tr")
    assert row.count() == 1 and "no invariant" in row.inner_text()
    row.get_by_role("button", name="a.c:11").click()
    assert page.locator(".l.aim").get_attribute("data-line") == "11"
    marks = {line: page.locator(f'.l[data-line="{line}"] .m').inner_text() for line in (5, 10, 11, 12)}
    assert marks == {5: "✓", 10: "", 11: "?", 12: "✗"}
    assert page.locator('.l[data-line="5"] .m').get_attribute("title") == "proved: n * n does not overflow"


def test_source_with_coverage_and_facts(opened: Open) -> None:
    page = opened(TRUE)
    kinds = {line: (page.locator(f'.l[data-line="{line}"]').get_attribute("class") or "").split() for line in (3, 9, 12)}
    assert "ran" in kinds[9] and "never" in kinds[12] and not {"ran", "never"} & {*kinds[3]}
    expect(page.locator("#source .legend")).to_contain_text("5 of 8 lines, 12 tests")
    facts = page.locator(".fact").all_text_contents()
    assert facts[0] == "calls of square:n <= 8" and facts[1] == "each time here:i <= 9" and facts[4] == "2 more"
    page.get_by_role("button", name="2 more").click()
    assert page.locator(".fact").last.inner_text().endswith("y <= 204")
    shown_lines = page.locator(".l .c").all_inner_texts()
    assert [text.replace("\n", "") for text in shown_lines[:14]] == SOURCE.split("\n")[:14]
    assert page.locator('.l[data-line="2"] .q').inner_text() == "   of two lines */"
    page.get_by_label("File").select_option(label="b.h")
    assert page.locator(".l .c").all_inner_texts() == ["int other;", "int end;"]
    page.get_by_label("File").select_option(label=NAME)
    page.get_by_label("Find in the source").fill("SQUARE(i)")
    page.get_by_label("Find in the source").press("Enter")
    assert page.locator(".l.aim").get_attribute("data-line") == "11"
    assert browser.problems(page) == []


def test_what_ran_when(opened: Open) -> None:
    page = opened(BASE)
    assert page.locator(".engine .name").all_inner_texts() == ["compiling", "bmc", "houdini"]
    bars = [tuple(bar.get_attribute(name) for name in ("class", "x", "width")) for bar in page.locator(".engine rect").all()]
    assert bars == [("stopped", "0.0", "12.5"), ("refuted", "12.5", "25.0"), ("stopped", "37.5", "50.0")]
    page.locator(".engine summary").click()
    expect(page.locator(".engine details p")).to_have_text("bound 3")


def test_a_tab_for_each_property(opened: Open) -> None:
    page = opened(PARTS)
    tabs = page.get_by_role("tab")
    assert [text.split()[-1] for text in tabs.all_inner_texts()] == ["FALSE(unreach-call)", "UNKNOWN(OUT_OF_TIME)", "TRUE"]
    assert count(page, ".part:visible") == 1 and page.locator("#run").is_visible()
    tabs.nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true" and not page.locator("#run").is_visible()
    expect(page.locator(".part:visible")).to_contain_text("houdini was at src/a.c:10")
    page.locator(".part:visible .place", has_text="a.c:10").last.click()
    assert page.locator(".l.aim").get_attribute("data-line") == "10"
    tabs.nth(2).click()
    assert count(page, ".fact") > 0 and page.locator("#checks tbody tr").count() == 1
    tabs.nth(0).click()
    assert now(page)[0] == 12 and browser.problems(page) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(opened: Open, width: int) -> None:
    long = "w" * 5_000
    page = opened(replace(PARTS, files=(long,), assumptions=(long,), listing=replace(LISTING, files=(SourceText(NAME, (long,) * 20), *LISTING.files[1:]))), width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("dark", [False, True])
def test_contrast_and_names_for_all_that_can_be_pressed(opened: Open, dark: bool) -> None:
    page = opened(PARTS, dark=dark)
    assert page.evaluate(NAMELESS) == []
    pairs = page.evaluate(CONTRASTS)
    assert len(pairs) > 30 and [pair for pair in pairs if pair[0] < 4.4] == []
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


NAMELESS = """() => [...document.querySelectorAll("button, select, input, a, svg[role=img]")]
  .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.title)).map((one) => one.outerHTML)"""
CONTRASTS = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (one) => { for (let at = one; at; at = at.parentElement) { const c = parts(getComputedStyle(at).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  return [...document.querySelectorAll("body *")].filter((one) => one.offsetParent && !one.disabled && !one.closest("svg, .never, option, select, input") && [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
    .map((one) => { const a = light(parts(getComputedStyle(one).color)), b = light(behind(one)); return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), one.className, one.textContent.slice(0, 30)]; });
}"""


# ---------------------------------------------------------------- what others wrote

HOSTILE = [
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 1</script>",
    "<!--<script>", "--><img src=x onerror=window.pwned=1>",
    "]]><svg onload=window.pwned=1>",
    "\" onmouseover=window.pwned=1 x=\"", "' autofocus onfocus='window.pwned=1",
    "javascript:window.pwned=1", "</style><style>*{display:none}</style>",
    "</textarea></select></button></table></div></main>",
    "{{ 7 * 7 }}{% raw %}", "${window.pwned = 1}`;window.pwned=1;//",
    "\u2028window.pwned=1\u2029", "\u202egnp.exe\u202c\u2066", "\x00\x07\x1b[31m\x9b", "\udcff\udc80 \ufffe",
    "__proto__", "&lt;b&gt;&#x3c;b&#x3e;\\u003cb\\u003e", "x" * 30_000, "\u0e01\u0e49\u0e49\u0e49" * 300 + "\u05d0\u05d1" * 50,
]  # fmt: skip


def hostile(text: str) -> CheckResult:
    """The text in every place where a user's may stand."""
    here = SourceLocation(text, 1, 1, text)
    change = Change(text, text, text)
    found = replace(
        FOUND, message=text, at=here, cause=text, notes=(text,), explanation=(f"{text} `{text}` {text}:1",), confirmed=(text,),
        inputs=(InputValue(0, "call", text, text, here, bits=32, value=7, text=text), InputValue(1, "heap", text, "", at(3), size=9)),
        steps=(ExecutedLine(here, text, (change,), 0), ExecutedLine(at(5, text), text, (change, change), 1), ExecutedLine(SourceLocation(f"{text}?", 4), text, (change,), 0, 3)),
    )  # fmt: skip
    checks = tuple(CheckAnswer(0, text, here, text, answer, text, text, text, True) for answer in Answer)
    listing = Listing((SourceText(text, (text, f'/* {text} */ "{text}" // {text}', text), (1, 2), (2,), ((text, 1),)), *LISTING.files), 3, text)
    places = PlacePredicates(text, 1, (text,), 2, text)
    engine = EngineRun(text, text, text, 1.0, {text: text}, predicates=(places,), started=0.1)
    steps = ((RegionMade(0, text, 1, text), EdgeMade(-1, 0)), (RegionSplit(0, text, 1, 2),))
    part = replace(
        FALSE, files=(text, text), entry=text, data_model=text, checks=checks, findings=(found, found), counterexample=found, listing=listing, known=(text,),
        advice=(text,), detail=text, assumptions=(text,), engines=(engine,), crash_reports=(text,), nearest=text, next_command=text,
        warnings=(CompilerWarning(here, text, text),), compilation={"include": [text], "std": text},
        proof=Proof(text, text, {}, (Invariant(text, here, (text,) * 5),)), engine=text, recordings=(Recording(text, steps, True),),
    )  # fmt: skip
    return replace(part, parts=(replace(part, listing=None, recordings=()), replace(part, property=text, listing=None)))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_others_wrote_runs_or_breaks_the_page(text: str, opened: Open) -> None:
    page = opened(hostile(text))
    counted = {kind: count(page, kind) for kind in ("script", "style", "main > section", ".part", "footer", "img", "iframe", "body > *")}
    assert counted == {"script": 4, "style": 1, "main > section": 3, ".part": 2, "footer": 1, "img": 0, "iframe": 0, "body > *": 6}
    page.keyboard.press("ArrowLeft")
    assert "step 2 of 3" in page.locator(".stepper").inner_text()
    page.evaluate("document.querySelectorAll('[role=tab]')[1].click()")
    assert page.evaluate("[...document.querySelectorAll('button:not([role=tab])')].filter((one) => one.offsetParent && one.isConnected && (one.click(), 1)).length") > 15
    said = page.evaluate("[window.pwned, document.documentElement.scrollWidth <= innerWidth, document.querySelectorAll('[onmouseover], [onfocus], [onload], [onerror]').length]")
    assert said == [None, True, 0] and browser.problems(page) == []
    assert all(line.isprintable() for line in page.content().split("\n"))


def test_a_hostile_program_from_its_file_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a<_script><img src=x onerror=pwned=1>&lt; --x.c"
    Path(name).write_bytes(
        b'extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n'
        b'// </script><script>window.pwned=1</script> \xff\xfe \xe2\x80\xa8 \xe2\x80\xae <!--\n'
        b'const char *text = "</script><script>window.pwned=1</script>"; int n asm("<i>");\n'
        b'int main(void) { n = __VERIFIER_nondet_int(); if (n == 7) reach_error(); /*' + b"x" * 20_000 + b"*/ }\n"
    )
    result = fresh.run(Request((Path(name),), engines=("bmc",), timeout=60.0, recording=True))
    assert result.verdict == "FALSE(unreach-call)"
    assert result.listing is not None and [len(file.lines) for file in result.listing.files] == [5] and result.listing.runs > 0
    path = tmp_path / "r.html"
    path.write_text(as_html(result))
    assert sum(run.started > 0 for run in result.engines) == 1
    page = browser.page_at(path)
    assert "window.pwned=1</script> \\ufffd" in page.locator('.l[data-line="2"] .c').inner_text().replace("�", "\\ufffd")
    assert now(page)[0] == 4 and page.evaluate("window.pwned") is None and browser.problems(page) == []


# ---------------------------------------------------------------- as a file


def test_the_policy_allows_the_page_s_own_scripts_alone(opened: Open, tmp_path: Path) -> None:
    page = as_html(FALSE)
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[0]
    assert "default-src &#39;none&#39;" in policy and "unsafe" not in policy and "http" not in policy
    path = tmp_path / "changed.html"
    path.write_text(page.replace("</footer>", "</footer><script>window.pwned = 1</script><img src='http://example.org/x'>"))
    changed = browser.page_at(path)
    assert changed.evaluate("window.pwned") is None and [one[:6] for one in browser.problems(changed)].count("error:") == 2


def test_large_sources_open_at_once(opened: Open) -> None:
    lines = tuple(f"    value_{number} = other_{number} + 0x{number:x}; /* line {number} */" for number in range(20_000))
    checks = tuple(replace(CHECKS[1], check=n, at=at(n), what=f"check {n}") for n in range(1, 20_000, 4))
    large = replace(FALSE, checks=checks, listing=Listing((SourceText(NAME, lines, tuple(range(1, 20_000))),), 1))
    text = as_html(large)
    assert len(text) < 5_000_000
    started = time.monotonic()
    page = opened(large)
    assert now(page)[0] == 12 and time.monotonic() - started < 6.0
    page.get_by_label("Find in the source").fill("value_19000 ")
    page.get_by_label("Find in the source").press("Enter")
    assert page.locator(".l.aim").get_attribute("data-line") == "19001"
    assert count(page, ".l") < 2_000


def test_of_huge_sources_the_page_has_what_matters(opened: Open) -> None:
    lines = tuple(f"{number} {'x' * 400}" for number in range(1, 20_001))
    steps = (replace(STEPS[0], at=at(9_000)), *STEPS[1:])
    huge = replace(FALSE, counterexample=None, findings=(replace(FOUND, steps=steps),), listing=Listing((SourceText(NAME, lines),)))
    assert len(as_html(huge)) < 300_000
    page = opened(huge)
    page.get_by_role("button", name="first step").click()
    assert now(page)[0] == 9_000 and count(page, ".gap") == 2


def test_without_a_listing_the_run_tells_the_source(opened: Open) -> None:
    page = opened(replace(FALSE, listing=None))
    assert now(page)[0] == 12 and page.locator('.l[data-line="9"] .c').inner_text() == "int x = input(), y = 0;"
    assert "No coverage" not in page.locator("#source").inner_text()


def test_the_page_says_how_to_ask_again() -> None:
    result = replace(FALSE, files=("a b.c",), entry="f", compilation={"include": ["x"], "defines": ["N=1"], "std": "gnu11", "malloc_may_fail": True})
    page = as_html(result)
    told = "counterpoint check &#39;a b.c&#39; --property no-overflow --data-model LP64 --entry f -I x -D N=1 --malloc-may-fail"
    assert told in page and json.dumps("") is not None
