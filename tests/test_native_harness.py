"""The C harness reproduces a violation with another compiler and its libc."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from counterpoint.execute.native.build import Outcome, SearchEnd, build
from counterpoint.execute.native.harness import harness, undefined_functions
from counterpoint.frontend.prepare import prepare
from counterpoint.frontend.task import SourceTask

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


def test_comments_cannot_be_closed_by_names(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + "int main(void) { if (__VERIFIER_nondet_int() == 2) reach_error(); }")
    module = prepare(SourceTask((file,)), "none")
    source = harness((), module.sites)
    assert source.count("/*") == source.count("*/")
    assert "__VERIFIER_nondet_int" in source
