"""Which locals become objects of their own for each life, and which of these become allocas again."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.frontend.definition.locals import kept_addresses
from counterpoint.frontend.definition.scopes import Scopes, with_crossings
from counterpoint.frontend.passes.escape_analysis import with_contained
from frontend_jit import modules

DIRECT = "int main(void) { for (int i = 0; i < 3; i++) { int x = i; x++; int a[4]; a[i] = x; } return 0; }"
HANDED_ON = "static void f(int *p) { *p = 1; } int main(void) { for (int i = 0; i < 3; i++) { int x; f(&x); } return 0; }"
STORED = "int *g; int main(void) { for (int i = 0; i < 3; i++) { int x; if (g) *g = 1; g = &x; } return 0; }"
CARRIED = "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { int x = i; if (p) *p = 1; p = &x; } return 0; }"


@pytest.mark.parametrize(
    ("source", "kept"),
    [(DIRECT, False), (HANDED_ON, False), (STORED, True), (CARRIED, True)],
    ids=["direct", "handed on", "stored", "carried to the next life"],
)
def test_own_objects(tmp_path: Path, source: str, kept: bool) -> None:
    for module in modules(tmp_path, source).values():
        assert ("= call ptr @__cp_local(" in module.text) is kept, module.preparation


def test_addresses_that_are_kept() -> None:
    lines = [
        "  %1 = alloca i32", "  %2 = alloca i32", "  %3 = alloca [4 x i32]", "  %4 = alloca i32", "  %5 = alloca ptr",
        "  store i32 3, ptr %1, align 4", "  store ptr %2, ptr %5, align 4",
        "  %6 = getelementptr [4 x i32], ptr %3, i32 0, i32 1", "  store i32 1, ptr %6, align 4",
        "  %7 = getelementptr i8, ptr %4, i32 1", "  call void @f(ptr %7)",
    ]  # fmt: skip
    assert kept_addresses(lines, ["%1", "%2", "%3", "%4", "%5"]) == {"%2", "%4"}


HEAD = "define internal void @f(i1 %c) {\n"
MADE = "  %x = call ptr @__cp_local(i32 4, i32 4, i32 0)\n  store i32 1, ptr %x, align 4\n"
DECLARED = "declare ptr @__cp_local(i32, i32, i32)\ndeclare void @__cp_local_end(ptr)\n"
END = "  call void @__cp_local_end(ptr %x)\n"


@pytest.mark.parametrize(
    ("body", "contained"),
    [
        (MADE + END + "  ret void\n", True),
        (MADE + END + "  %v = load i32, ptr %x, align 4\n  ret void\n", False),
        (MADE + "  %n = ptrtoint ptr %x to i32\n" + END + "  ret void\n", False),
        ("  br label %a\n\na:\n  %old = phi ptr [ null, %0 ], [ %x, %a ]\n  %v = load i32, ptr %old, align 4\n"
         + MADE + END + "  br i1 %c, label %a, label %b\n\nb:\n  ret void\n", False),
        ("  br label %a\n\na:\n" + MADE + END + "  br i1 %c, label %a, label %b\n\nb:\n  ret void\n", True),
        (MADE + "  %y = getelementptr i8, ptr %x, i32 2\n" + END + "  %e = icmp eq ptr %y, null\n  ret void\n", False),
    ],
    ids=["ended", "read when dead", "a number", "from the life before", "in a loop", "compared when dead"],
)  # fmt: skip
def test_contained(body: str, contained: bool) -> None:
    from counterpoint.core.source import NOWHERE, Site

    layout = 'target datalayout = "e-m:e-p:32:32-i64:64-n8:16:32-S128"\ntarget triple = "i386-unknown-linux-musl"\n\n'
    text = layout + HEAD + body + "}\n" + DECLARED
    found = with_contained(text, [Site(0, "uninitialised", "x", "i32", NOWHERE)], 0)
    assert (found is not None) is contained


def test_crossings_split_edges() -> None:
    metadata = {
        "!1": "distinct !DISubprogram(name: \"f\")",
        "!2": "distinct !DILexicalBlock(scope: !1, file: !9, line: 1)",
        "!3": "!DILocation(line: 1, scope: !1)",
        "!4": "!DILocation(line: 2, scope: !2)",
        "!5": "!DILexicalBlockFile(scope: !2, file: !9)",
        "!6": "!DILocation(line: 2, scope: !5)",
    }
    lines = [
        "  switch i32 %0, label %3 [", "    i32 1, label %2", "    i32 2, label %4", "  ], !dbg !3",
        "2:", "  store i32 1, ptr %x, align 4, !dbg !4", "  br label %4, !dbg !6",
        "3:", "  ret void, !dbg !3",
        "4:", "  store i32 1, ptr %x, align 4, !dbg !4", "  br label %3, !dbg !4",
    ]  # fmt: skip
    text = "\n".join(with_crossings(lines, "1", Scopes(metadata), {"!2": (["  #in"], ["  #out"])}))
    assert text.count("  #in") == 2  # at the start of block 2, and on the edge to 4 that passes it
    assert "i32 2, label %cp.scope.0" in text and "cp.scope.0:\n  #in\n  br label %4" in text
    assert text.count("  #out") == 1 and "#out\n  br label %3" in text
