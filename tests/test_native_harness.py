"""The C harness reproduces a violation with another compiler and its libc."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command
from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.execute.native.build import Outcome, SearchEnd, build
from counterpoint.execute.native.harness import harness, undefined_functions
from counterpoint.execute.native.harness_build import Build
from counterpoint.frontend.prepare import prepare
from counterpoint.frontend.task import SourceTask
from harness_places import build_and_run, judged

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler of the system")

PROTOTYPES = """
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void); extern float __VERIFIER_nondet_float(void);
extern _Bool __VERIFIER_nondet_bool(void); extern long long __VERIFIER_nondet_longlong(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long); extern void __VERIFIER_assume(int);
extern void reach_error(void);
"""
PROGRAMS = {
    "two sites of one function": """
        int main(void) {
            int unused = __VERIFIER_nondet_int();
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            __VERIFIER_assume(a > 3);
            if (b == a + 5) reach_error();
        }""",
    "widths and floats": """
        int main(void) {
            unsigned char c = __VERIFIER_nondet_uchar();
            double d = __VERIFIER_nondet_double();
            long long w = __VERIFIER_nondet_longlong();
            if (c > 200 && d > 2.0 && d < 1e9 && w < -5000000000ll && __VERIFIER_nondet_bool()) reach_error();
        }""",
    "undefined functions": """
        int sensor(int); int *place(void); void log_it(int);
        int main(void) {
            int *p = place();
            log_it(1);
            if (p && sensor(3) == 17) { *p = 4; if (*p == 4) reach_error(); }
        }""",
    "memory": """
        int main(void) {
            char a[4];
            __VERIFIER_nondet_memory(a, 4);
            if (a[1] == 1) reach_error();
        }""",
    "an input declared wider than its name says": """
        extern int __VERIFIER_nondet_ushort(void);
        int main(void) {
            if (__VERIFIER_nondet_ushort() == 65535) reach_error();
        }""",
}


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_harness_reproduces_the_violation(name: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + PROGRAMS[name])
    module = prepare(SourceTask((file,), data_model="LP64"), "none")
    with build(module) as executable:
        end = list(executable.search(seconds=10))[-1]
    assert isinstance(end, SearchEnd) and end.violation is not None
    silent = undefined_functions(module.assumptions)
    source = harness(end.violation.inputs, module.sites, module.checks[end.violation.detail], silent)
    (tmp_path / "harness.c").write_text(source)
    assert COMPILER is not None
    compiling = [COMPILER, "-w", "program.c", "harness.c", "-o", "a.out"]
    subprocess.run(compiling, cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 1
    assert "violation reached" in done.stdout


def test_what_cannot_be_given_is_listed(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + "int main(void) { int x; if (x == 5) reach_error(); }")
    module = prepare(SourceTask((file,)), "none")
    with build(module) as executable:
        end = list(executable.search(seconds=10))[-1]
        assert isinstance(end, SearchEnd) and end.violation is not None
        assert executable.replay(end.violation.inputs).outcome is Outcome.VIOLATED
    assert "uninitialised x" in harness(end.violation.inputs, module.sites)


NAMED = {
    "memory": ("valid-deref", 64, "-fsanitize=address"),
    "overflow": ("overflow", 64, "-fsanitize=signed-integer-overflow"),
    "shift": ("shift", 64, "-fsanitize=shift"),
    "narrow": ("unreach-call", 32, "-m32"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_flags_that_it_needs_are_named(name: str) -> None:
    kind, bits, flag = NAMED[name]
    check = CheckSite(0, kind, "fails", SourceLocation("p.c", 3))
    build_ = Build(("-p q.c",), ("-DX=a b",), pointer_bits=bits)
    (line,) = [line for line in harness((), (), check, build=build_).split("\n") if " cc " in line]
    assert f" {flag} " in line and "'-DX=a b'" in line and "'./-p q.c'" in line
    assert ("-fwrapv" in line) == (kind not in ("overflow", "shift"))


RUNS = {
    "own error function": ("unreach-call", "void reach_error(void) {} int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); }"),
    "never called": ("unreach-call", "void gone(int); void never(void) { gone(1); } int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); }"),
    "undefined object": ("unreach-call", "extern int there; int main(void) { if (__VERIFIER_nondet_int() == 3 && there != 5) reach_error(); }"),
    "uninitialised": ("unreach-call", "int main(void) { int x; if (__VERIFIER_nondet_int() == 3 && x != 5) reach_error(); }"),
    "heap": ("unreach-call", "void *malloc(unsigned long); int main(void) { char *p = malloc(9); if (p[3] != 9) reach_error(); }"),
    "overflow": ("no-overflow", "int main(void) { int x = __VERIFIER_nondet_int(); int y = x + 1; return y == 3; }"),
    "shift": ("shift", "int main(void) { int x = __VERIFIER_nondet_int(); return 1 << (x & 63); }"),
    "outside": ("valid-deref", "int main(void) { char a[4]; int x = __VERIFIER_nondet_int(); if (x >= 0 && x < 5) a[x] = 1; return 0; }"),
    "freed twice": ("valid-free", "void *malloc(unsigned long); void free(void *); int main(void) { char *p = malloc(1); free(p); free(p); }"),
    "lost": ("valid-memtrack", "void *malloc(unsigned long); int main(void) { volatile char *p = malloc(1); p = 0; return 0; }"),
}


AT_THE_END = """
#include <stdlib.h>
struct node { struct node *next, *before; };
int main(void) {
    struct node *head = 0, *tail = 0;
    do {
        struct node *p = malloc(sizeof *p);
        if (head) tail->next = p; else head = p;
        p->next = 0, p->before = tail, tail = p;
    } while (__VERIFIER_nondet_int());
    return !head->next;
}"""
"""What is lost still stands in main's frame, which is no more."""

BRIEFLY = ("own error function", "uninitialised", "overflow", "outside", "lost")
"""One of each way to find a failure; the others take as long."""

NARROW = {"lost at the end": ("valid-memtrack", AT_THE_END), "uninitialised": RUNS["uninitialised"], "outside": RUNS["outside"]}


@needs_compiler
@pytest.mark.parametrize("name", [name if name in BRIEFLY else pytest.param(name, marks=pytest.mark.long) for name in RUNS])
def test_built_as_named_it_fails(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fails_as_named(*RUNS[name], "LP64")


def links_for_32_bits() -> bool:
    command = [COMPILER or "cc", "-m32", "-fsanitize=address", "-x", "c", "-", "-o", "/dev/null"]
    return subprocess.run(command, input=b"int main(void) { return 0; }", capture_output=True, check=False).returncode == 0


@needs_compiler
def test_built_for_32_bits_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if not links_for_32_bits():
        pytest.skip("the system's compiler has no libraries for -m32")
    for property_, text in NARROW.values():
        fails_as_named(property_, text, "ILP32")


def fails_as_named(property_: str, text: str, model: str) -> None:
    """In the working directory."""
    Path("p.c").write_text(f"int __VERIFIER_nondet_int(void); void reach_error(void);\n{text}\n")
    asked = ["--property", property_, "--data-model", model]
    assert run_command(["check", "p.c", *asked, "--engine", "random,bmc", "--findings", "first", "--json", "r.json"]) == 1
    assert run_command(["replay", "p.c", "r.json", *asked, "--harness", "harness.c"]) == 1
    head = Path("harness.c").read_text().partition("*/")[0]
    (line,) = [line.lstrip(" *") for line in head.split("\n") if " cc " in line]
    assert "It may not fail" not in head
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0, done
    assert "violation reached" in done.stdout or "Sanitizer" in done.stderr or "runtime error" in done.stderr, done


def test_comments_cannot_be_closed_by_names(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + "int main(void) { if (__VERIFIER_nondet_int() == 2) reach_error(); }")
    module = prepare(SourceTask((file,)), "none")
    source = harness((), module.sites)
    assert source.count("/*") == source.count("*/")
    assert "__VERIFIER_nondet_int" in source


PLACES = {
    "in a callee": ("valid-deref", 3, """
        static int get(const int *a, int at) {
            return a[at];
        }
        int main(void) { int a[3] = {1, 2, 3}, at = __VERIFIER_nondet_int(); return at >= 0 && at < 4 ? get(a, at) : 0; }"""),
    "in the library": ("valid-deref", 6, """
        void *memcpy(void *, const void *, unsigned long);
        int main(void) {
            char a[4] = {0}, b[9] = {0};
            int n = __VERIFIER_nondet_int();
            if (n >= 0 && n < 8) memcpy(b, a, n);
            return b[0];
        }"""),
    "assertion": ("unreach-call", 3, """
        #include <assert.h>
        static void inner(int x) { assert(x != 77); }
        int main(void) { inner(__VERIFIER_nondet_int()); }"""),
    "error function": ("unreach-call", 4, """
        static void inner(int x) {
            if (x > 77)
                reach_error();
        }
        int main(void) { inner(__VERIFIER_nondet_int()); }"""),
    "overflow": ("no-overflow", 4, """
        int main(void) {
            int sum = 0, count = __VERIFIER_nondet_int();
            for (int i = 0; i < count; i++) sum += 1000000 * i;
            return sum;
        }"""),
}  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("name", PLACES)
def test_it_fails_at_the_same_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the comment at its top names the line of the user's file, not one of a model of the library."""
    monkeypatch.chdir(tmp_path)
    property_, line, text = PLACES[name]
    Path("p.c").write_text(f"int __VERIFIER_nondet_int(void); void reach_error(void);{text}\n")
    asked = ["--property", property_]
    assert run_command(["check", "p.c", *asked, "--engine", "random,bmc", "--findings", "first", "--json", "r.json"]) == 1
    assert run_command(["replay", "p.c", "r.json", *asked, "--harness", "harness.c"]) == 1
    assert f"p.c:{line}" in Path("harness.c").read_text().partition("*/")[0]
    report = build_and_run(Path("harness.c"), tmp_path)
    assert judged(f"p.c:{line}", property_, report, "").answer == "same", report
