"""Branch coverage, test suites as files, and the command that writes them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from c_programs import program
from counterpoint.cli.command import run_command
from counterpoint.cli.tests import write_folder
from counterpoint.core.errors import UnusableInput
from counterpoint.core.source import NOWHERE
from counterpoint.execute.coverage import BranchCoverage
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.outcome import Limits
from counterpoint.portfolio.result import InputValue
from counterpoint.portfolio.suite import Ending, SuiteTest
from counterpoint.program.inputs import ScalarInput
from counterpoint.report.suite_files import test_xml as xml_of

BUG = """extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    float f = __VERIFIER_nondet_float();
    if (n == 123456) {
        if (c > 200 && f == 2.5f)
            reach_error();
    }
    switch (n) { case 5: return 1; case 6: case 7: return 2; default: return 3; }
}
"""


@pytest.fixture(autouse=True)
def restored_signals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
    assert not list(tmp_path.glob("counterpoint-crash-*"))


def labels(text: str, *values: int, preparation: str = "none") -> tuple[set[str], set[str]]:
    """All directions as `line:label`, and those that a run with these values takes."""
    coverage = BranchCoverage(program(text, preparation=preparation))
    inputs = [ScalarInput(site.index, 0, 32) for site in coverage.program.sites if site.kind == "call"]
    given = [ScalarInput(item.site, value, 32) for item, value in zip(inputs, values, strict=True)]
    found = coverage.run(ReplayInputs(given), Limits())
    names = [f"{d.at.line - 8}:{d.label}" for d in coverage.branches.directions]
    return set(names), {names[number] for number in found.reached}


def test_directions_of_branches() -> None:
    text = """
    static int sign(int x) {
        if (x < 0) return -1;
        return x > 0;
    }
    int main(void) {
        int n = any();
        while (n > 10 && n != 15) n--;
        switch (sign(n)) { case -1: return 1; case 1: case 2: return 2; }
        return 0;
    }
    """
    everything, taken = labels(text, 12)
    assert everything == {
        "3:true", "3:false", "8:true", "8:false", "9:case -1", "9:case 1, 2", "9:default",
    }  # fmt: skip
    assert taken == {"3:false", "8:true", "8:false", "9:case 1, 2"}
    assert labels(text, 0xFFFFFFFF)[1] == {"3:true", "8:false", "9:case -1"}


def test_models_of_libc_and_calls_through_pointers_are_no_branches() -> None:
    text = """
    extern void *memset(void *, int, unsigned long);
    static int one(int x) { return x; } static int two(int x) { return x + 1; }
    int (*table[2])(int) = {one, two};
    int main(void) { char a[9]; memset(a, 1, sizeof a); return table[any() & 1](a[3]); }
    """
    assert labels(text, 1)[0] == set()


@pytest.mark.parametrize("property_", ["no-overflow", "division", "undefined", "conversion", "shift", "memory-safety"])
def test_tests_of_sanitizers_are_no_branches(property_: str) -> None:
    steps = "n = n + 7; signed char c = n; int a[n]; a[0] = c; n = (n << 1) / a[0]; double d = n; n = d;"
    text = f"int main(void) {{ int n = any(); if (n > 3) {{ {steps} }} return n - 1; }}"
    coverage = BranchCoverage(program(text, property_, "none"))
    branches = {(d.at, d.ordinal) for d in coverage.branches.directions if d.label == "false"}
    assert len(branches) == 1


def test_copies_of_a_branch_are_one() -> None:
    text = """
    static int f(int x) { if (x > 3) x = any(); return x; }
    int main(void) { int a = f(any()); int b = f(a); return a + b; }
    """
    coverage = BranchCoverage(program(text, preparation="flat"))
    assert len(coverage.branches.edges) > len(coverage.branches.directions) == 2


def scalar(type_: str, bits: int, value: int, text: str, kind: str = "call") -> InputValue:
    return InputValue(1, kind, "__VERIFIER_nondet_x", type_, NOWHERE, bits=bits, value=value, text=text)


def test_values_in_a_test_case() -> None:
    inputs = (
        scalar("int", 32, 0xFFFFFFFE, "-2"),
        scalar("i32", 32, 7, "7", kind="uninitialised"),
        scalar("float", 32, 0x40200000, "2.5"),
        scalar("void *", 32, 0, "null"),
        scalar("i16", 16, 3, "3"),
    )
    root = ElementTree.fromstring(xml_of(SuiteTest("random", inputs, Ending.FINISHES, frozenset())))
    assert [(item.tag, item.get("type"), item.text) for item in root] == [
        ("input", "int", "-2"), ("input", "float", "2.5"), ("input", "void *", "0"), ("input", None, "3"),
    ]  # fmt: skip
    assert root.get("coversError") is None


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "bug.c").write_text(BUG)
    here = Path.cwd()
    os.chdir(folder)
    try:
        assert run_command(["tests", "bug.c", "--out", "out", "--timeout", "20"]) == 0
    finally:
        os.chdir(here)
    return folder


def test_a_suite_covers_everything_and_marks_the_violation(suite: Path) -> None:
    told = json.loads((suite / "out" / "suite.json").read_text())
    assert told["branches"]["total"] == told["branches"]["reached"] == 9
    assert told["ended"] == "everything is covered"
    (violating,) = [test for test in told["tests"] if test["violates"]]
    assert violating["confirmed"] == ["the interpreter", "native code"]
    assert {test["origin"] for test in told["tests"]} >= {"zeros", "dse"}
    root = ElementTree.parse(suite / "out" / f"{violating['name']}.xml").getroot()
    assert root.get("coversError") == "true"
    kinds, values = [item.get("type") for item in root], [item.text for item in root]
    assert kinds == ["int", "unsigned char", "float"]
    assert values[0] == "123456" and int(values[1] or 0) > 200 and values[2] == "2.5"
    assert f"{violating['name']}-harness.c" in {path.name for path in (suite / "out").iterdir()}


def test_metadata(suite: Path) -> None:
    text = (suite / "out" / "metadata.xml").read_text()
    root = ElementTree.fromstring(text)
    assert [item.tag for item in root] == [
        "sourcecodelang", "producer", "specification", "programfile", "programhash", "entryfunction", "architecture",
        "creationtime",
    ]  # fmt: skip
    assert root.findtext("architecture") == "64bit" and root.findtext("programfile") == "bug.c"
    assert re.fullmatch(r"[0-9a-f]{64}", root.findtext("programhash") or "")
    assert 'DTD test-format test-metadata 1.1//EN"' in text


def test_the_same_seed_writes_the_same_tests(suite: Path) -> None:
    os.chdir(suite)
    assert run_command(["tests", "bug.c", "--out", "again", "--timeout", "20", "--quiet"]) == 0
    for file in (suite / "out").glob("test-*"):
        assert file.read_text() == (suite / "again" / file.name).read_text()


def test_a_test_on_an_endless_path_is_kept(tmp_path: Path) -> None:
    source = "extern int __VERIFIER_nondet_int(void); int main(void) { while (1) if (__VERIFIER_nondet_int() == 5) ; }"
    (tmp_path / "loop.c").write_text(source)
    assert run_command(["tests", "loop.c", "--out", "out", "--timeout", "20", "--quiet"]) == 0
    told = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert told["branches"]["reached"] == 2
    assert all(test["ending"] == "goes on beyond the limit" for test in told["tests"])


def test_refused_folders(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    for out in ("full", "a.c", "missing/out"):
        assert run_command(["tests", "a.c", "--out", out]) == 2
        assert out.partition("/")[0] in capfd.readouterr().err
    assert run_command(["tests", "b.c", "--out", "new"]) == 2
    assert run_command(["tests", "a.c", "--out", "new", "-O", "dse.depth=x"]) == 2
    assert not (tmp_path / "new").exists()


def test_all_files_or_none(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput):
        write_folder(tmp_path / "out", {"a": "1", "no/such": "2"})
    assert not list(tmp_path.iterdir())
    write_folder(tmp_path / "out", {"a": "1"})
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# ---------------------------------------------------------------- Test-Comp's rules

METADATA = (
    "sourcecodelang", "producer", "specification", "programfile", "programhash", "entryfunction", "architecture",
    "creationtime",
)  # fmt: skip
"""What test-metadata.dtd wants, in this order; input suites, which may stand before the last, are of other tools."""

EVERY_TYPE = """extern void abort(void);
extern void __VERIFIER_assume(int);
#define ANY(name, type) extern type __VERIFIER_nondet_##name(void);
ANY(bool, _Bool) ANY(char, char) ANY(uchar, unsigned char) ANY(short, short) ANY(ushort, unsigned short) ANY(int, int)
ANY(uint, unsigned) ANY(long, long) ANY(ulong, unsigned long) ANY(longlong, long long) ANY(float, float)
ANY(ulonglong, unsigned long long) ANY(double, double)
void reach_error(void) { abort(); }
int main(void) {
    __VERIFIER_assume(__VERIFIER_nondet_bool());
    __VERIFIER_assume(__VERIFIER_nondet_char() == -3);
    __VERIFIER_assume(__VERIFIER_nondet_uchar() == 200);
    __VERIFIER_assume(__VERIFIER_nondet_short() == -32768);
    __VERIFIER_assume(__VERIFIER_nondet_ushort() == 65535);
    __VERIFIER_assume(__VERIFIER_nondet_int() == -2147483647 - 1);
    __VERIFIER_assume(__VERIFIER_nondet_uint() == 4294967295u);
    __VERIFIER_assume(__VERIFIER_nondet_long() == -9223372036854775807l - 1);
    __VERIFIER_assume(__VERIFIER_nondet_ulong() == 18446744073709551615ul);
    __VERIFIER_assume(__VERIFIER_nondet_longlong() == -5000000000ll);
    __VERIFIER_assume(__VERIFIER_nondet_ulonglong() == 1ull << 63);
    float f = __VERIFIER_nondet_float();
    __VERIFIER_assume(f > 2.5f && f < 2.5000005f);
    double d = __VERIFIER_nondet_double();
    __VERIFIER_assume(d < -1e300 && d > -1.000000000000001e300);
    if (f != 0) reach_error();
    return 0;
}
"""

FORMATS = {
    "_Bool": "%d", "char": "%hhd", "unsigned char": "%hhu", "short": "%hd", "unsigned short": "%hu", "int": "%d",
    "unsigned int": "%u", "long": "%ld", "unsigned long": "%lu", "long long": "%lld", "unsigned long long": "%llu",
    "float": "%f", "double": "%lf",
}  # fmt: skip
"""How an executor of such suites reads a value of the type by sscanf; one to four letters of l, u, f may follow."""


def test_suites_keep_the_formats_rules(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(EVERY_TYPE)
    goal = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )"
    (tmp_path / "error.prp").write_text(f"{goal}\n")
    words = ["--out", "suite", "--property", "error.prp", "--timeout", "30", "--data-model", "LP64"]
    assert run_command(["tests", "a.c", *words]) == 0
    metadata = ElementTree.parse(tmp_path / "suite" / "metadata.xml").getroot()
    assert tuple(one.tag for one in metadata) == METADATA and all(one.text for one in metadata)
    assert metadata.find("specification").text == goal and metadata.find("architecture").text == "64bit"
    tests = [path for path in sorted((tmp_path / "suite").glob("*.xml")) if path.name != "metadata.xml"]
    suite = [ElementTree.parse(path).getroot() for path in tests]
    for path, test in zip(tests, suite, strict=True):
        assert re.search(r'<!DOCTYPE testcase PUBLIC "\+//IDN sosy-lab\.org//DTD test-format testcase 1\.1//EN"', path.read_text())
        assert test.tag == "testcase" and set(test.attrib) <= {"coversError"}
        assert all(one.tag == "input" and set(one.attrib) <= {"type", "variable"} and len(one) == 0 for one in test)
    (error,) = [test for test in suite if test.get("coversError") == "true"]
    assert [one.get("type") for one in error] == list(FORMATS)
    if shutil.which("gcc") is not None:
        assert executed(tmp_path, [(one.get("type"), one.text) for one in error]) == -signal.SIGABRT


def executed(folder: Path, values: list[tuple[str | None, str | None]]) -> int:
    """Runs the program of the folder with values that are read as text, as executors do."""
    names = {"unsigned int": "uint", "long long": "longlong", "_Bool": "bool"}
    lines = ["#include <stdio.h>\n#include <stdlib.h>", "void __VERIFIER_assume(int c) { if (!c) exit(77); }"]
    for type_, text in values:
        assert type_ is not None
        name = names.get(type_, type_.replace("unsigned ", "u").replace("long long", "longlong"))
        read = "int" if type_ == "_Bool" else type_
        lines.append(
            f"{type_} __VERIFIER_nondet_{name}(void) {{ {read} v; char rest;"
            f' if (sscanf("{text}", "{FORMATS[type_]}%c", &v, &rest) != 1) exit(78); return v; }}'
        )
    (folder / "inputs.c").write_text("\n".join(lines))
    subprocess.run(["gcc", "-w", "-o", "run", "a.c", "inputs.c"], cwd=folder, check=True)
    return subprocess.run([folder / "run"]).returncode


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("COVER( init(main()), FQL(COVER EDGES(@CONDITIONEDGE)) )", "no goal that tests are made for"),
        ("COVER( init(main()), FQL(COVER EDGES(@CALL(other))) )", "no goal that tests are made for"),
        ("COVER( init(start()), FQL(COVER EDGES(@DECISIONEDGE)) )", "is about start"),
    ],
)
def test_other_goals_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str], stated: str, said: str) -> None:
    (tmp_path / "goal.prp").write_text(stated)
    (tmp_path / "a.c").write_text("int f(void) { return 0; }\n")
    assert run_command(["tests", "a.c", "--out", "suite", "--property", "goal.prp", "--entry", "f"]) == 2
    assert said in capfd.readouterr().err
