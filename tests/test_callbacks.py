"""Undefined functions that are handed functions: UNSUPPORTED, or they call them before they return."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterpoint.benchmarking.runner import read_rows
from counterpoint.cli.command import run_command
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines import bmc, kinduction
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import BEFORE_RETURN, SourceTask
from counterpoint.portfolio.replay import confirm
from counterpoint.portfolio.request import Request, source_task

PRELUDE = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
#define check(c) do { if (!(c)) reach_error(); } while (0)
#define any __VERIFIER_nondet_int
int g;
extern int sync(int (*)(void *), void *);
"""

ASSUMED = "sync calls functions that it is given only before it returns"


def compiled(
    folder: Path, text: str, property_: str = "unreach-call", callbacks: str = BEFORE_RETURN, model: str = "LP64"
) -> Subject:
    file = folder / "p.c"
    file.write_text(PRELUDE + text)
    task = SourceTask((file,), property=property_, data_model=model, callbacks=callbacks)
    return compile_subject(task)


def refuted(subject: Subject) -> bool:
    """By bounded model checking; a violation counts only if interpreter and native code replay it unprepared."""
    try:
        verdict = bmc.ENGINE.verify(Task(subject), Tools(Budget(90)))
        if not isinstance(verdict, Unsafe):
            assert isinstance(verdict, Unknown) and verdict.reason is Reason.BOUND_REACHED, verdict
            return False
        confirmed = confirm(subject, verdict.violation.inputs, Budget(90))
        assert confirmed.ways == ("the interpreter", "native code")
        return True
    finally:
        subject.close()


def proved(subject: Subject) -> Verdict:
    verdict = kinduction.ENGINE.verify(Task(subject), Tools(Budget(90)))
    if isinstance(verdict, Safe):
        check_proof(subject.program(verdict.certificate.preparation), verdict.certificate, Budget(90))
    return verdict


REFUTED = {
    "breaks an invariant": """
        int set(void *p) { g = 1; return 0; }
        int main(void) { sync(set, 0); check(g == 0); return 0; }""",
    "is never called": """
        int set(void *p) { g = 1; return 0; }
        int main(void) { sync(set, 0); check(g == 1); return 0; }""",
    "is called twice": """
        int add(void *p) { g++; return 0; }
        int main(void) { sync(add, 0); check(g != 2); return 0; }""",
    "gets the context": """
        int set(void *p) { if (p) *(int *)p = 5; return 0; }
        int main(void) { int x = 0; sync(set, &x); check(x == 0); return 0; }""",
    "gets another pointer than the context": """
        int look(void *p) { g = p != &g; return 0; }
        int main(void) { sync(look, &g); check(g == 0); return 0; }""",
    "gets null": """
        int look(void *p) { check(p != 0); return 0; }
        int main(void) { int x; return sync(look, &x); }""",
    "gets memory that is not the program's": """
        int look(void *p) { if (p && p != &g) check(*(int *)p != 77); return 0; }
        int main(void) { return sync(look, &g); }""",
    "gets the context as a number": """
        extern void timer(void (*)(unsigned long), unsigned long);
        void fire(unsigned long p) { int *q = (int *)p; if (q == &g) *q = 3; }
        int main(void) { timer(fire, (unsigned long)&g); check(g == 0); return 0; }""",
    "gets any number": """
        extern void each(void (*)(int));
        void one(int n) { check(n != 12345); }
        int main(void) { each(one); return 0; }""",
    "is one of two in the order of the second, the first": """
        extern void both(void (*)(void), void (*)(void));
        void first(void) { if (g == 1) g = 2; }
        void second(void) { g = 1; }
        int main(void) { both(first, second); check(g != 2); return 0; }""",
    "hands a function over itself": """
        int inner(void *p) { if (g == 1) g = 2; return 0; }
        int outer(void *p) { g = 1; sync(inner, p); return 0; }
        int main(void) { sync(outer, 0); check(g != 2); return 0; }""",
    "is a pointer to one of two functions": """
        int one(void *p) { g = 1; return 0; } int two(void *p) { g = 2; return 0; }
        int main(void) { int (*f)(void *) = any() ? one : two; sync(f, 0); check(g != 2); return 0; }""",
    "is handed as a pointer to anything": """
        extern void plain(void *); void set(void) { g = 1; }
        int main(void) { plain((void *)set); check(g == 0); return 0; }""",
    "is an undefined function with a callback of its own": """
        extern int outer(int (*)(int (*)(void *), void *)); int set(void *p) { g = 1; return 0; }
        int main(void) { outer(sync); sync(set, 0); check(g == 0); return 0; }""",
    "is reach_error": "extern void later(void (*)(void)); int main(void) { later(reach_error); return 0; }",
    "result is arbitrary": """
        int set(void *p) { return 3; }
        int main(void) { check(sync(set, 0) == 3); return 0; }""",
}


@pytest.mark.parametrize("name", REFUTED)
def test_violations_through_callbacks_replay(name: str, tmp_path: Path) -> None:
    assert refuted(compiled(tmp_path, REFUTED[name]))


PROVED = {
    "harmless": """
        int add(void *p) { if (g < 10) g++; return 0; }
        int main(void) { sync(add, 0); check(g <= 10); return 0; }""",
    "object that is not handed over": """
        int set(void *p) { if (p) *(int *)p = 5; return 0; }
        int main(void) { int x = 0, y = 0; int *q = &y; sync(set, &x); check(*q == 0); return 0; }""",
    "a null pointer is never called": """
        int set(void *p) { g = 1; return 0; }
        int main(void) { int (*f)(void *) = set; if (any()) f = 0; if (!f) sync(f, 0); check(g == 0); return 0; }""",
    "a literal null": "int main(void) { sync(0, 0); check(g == 0); return 0; }",
    "another function of that type": """
        int one(void *p) { g = 1; return 0; } int two(void *p) { g = 2; return 0; }
        int main(void) { int (*volatile f)(void *) = two; sync(one, 0); check(g != 2); return 0; }""",
    "later calls": """
        int set(void *p) { g = 1; return 0; } extern void other(void);
        int main(void) { sync(set, 0); g = 0; other(); check(g == 0); return 0; }""",
}


@pytest.mark.parametrize("name", PROVED)
def test_what_holds_whatever_is_called_is_proved(name: str, tmp_path: Path) -> None:
    """`later calls` shows what is assumed: nothing is called after the undefined function has returned."""
    subject = compiled(tmp_path, PROVED[name])
    verdict = proved(subject)
    assert isinstance(verdict, Safe), verdict
    listed = [sentence for sentence in subject.program("none").assumptions if sentence.startswith(ASSUMED)]
    assert len(listed) == (name != "a literal null")


def test_memory_safety(tmp_path: Path) -> None:
    """Null and the context are handed over; the context is the caller's object while the call lasts."""
    careless = "int set(void *p) { *(int *)p = 1; return 0; } int main(void) { int x; sync(set, &x); return 0; }"
    beyond = """int set(void *p) { if (p) ((char *)p)[sizeof(int)] = 1; return 0; }
        int main(void) { int x; sync(set, &x); return 0; }"""
    careful = "int set(void *p) { if (p) *(int *)p = 1; return 0; } int main(void) { int x; sync(set, &x); return 0; }"
    assert refuted(compiled(tmp_path, careless, "memory-safety"))
    assert refuted(compiled(tmp_path, beyond, "memory-safety"))
    verdict = proved(compiled(tmp_path, careful, "valid-deref"))
    assert isinstance(verdict, Safe), verdict


UNSUPPORTED = {
    "a number": """
        extern void plain(unsigned long); void set(void) { g = 1; }
        int main(void) { plain((unsigned long)set); check(g == 0); return 0; }""",
    "an unknown function": """
        extern void *find(void); int set(void *p) { return 0; } int (*volatile f)(void *) = set;
        int main(void) { sync(find(), 0); check(g == 0); return 0; }""",
    "a structure as parameter": """
        struct s { long a, b, c; }; extern void each(void (*)(struct s)); void one(struct s s) { g = s.a; }
        int main(void) { each(one); check(g == 0); return 0; }""",
    "positions that cannot be told": """
        struct s { void *a, *b; }; extern void each(struct s, int (*)(void *)); int set(void *p) { return g = 1; }
        int main(void) { struct s s = {0, 0}; int (*f)(void *) = set; each(s, f); check(g == 0); return 0; }""",
    "variable arguments": """
        extern void each(int (*)(const char *, ...));
        int one(const char *f, ...) { __builtin_va_list l; __builtin_va_start(l, f); g = __builtin_va_arg(l, int); return 0; }
        int main(void) { each(one); check(g == 0); return 0; }""",
    "a function with no model": """
        extern void longjmp(void *, int); extern void each(void (*)(void *, int));
        int main(void) { each(longjmp); check(g == 0); return 0; }""",
}


BY_VALUE = """
    struct s { int a[9]; }; extern void each(struct s, int (*)(void *)); int set(void *p) { return g = 1; }
    int main(void) { struct s s; int (*f)(void *) = set; each(s, FUNCTION); check(g == 0); return 0; }"""


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_structures_that_are_copied_leave_positions_alone(model: str, tmp_path: Path) -> None:
    assert refuted(compiled(tmp_path, BY_VALUE.replace("FUNCTION", "f"), model=model))


@pytest.mark.parametrize("callbacks", ["unsupported", BEFORE_RETURN])
def test_a_literal_null_is_no_function(callbacks: str, tmp_path: Path) -> None:
    verdict = proved(compiled(tmp_path, BY_VALUE.replace("FUNCTION", "0"), callbacks=callbacks))
    assert isinstance(verdict, Safe), verdict


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_cannot_be_told_stays_unsupported(name: str, tmp_path: Path) -> None:
    verdict = bmc.ENGINE.verify(Task(compiled(tmp_path, UNSUPPORTED[name])), Tools(Budget(90)))
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED, verdict


BY_DEFAULT = ("breaks an invariant", "is a pointer to one of two functions", "is handed as a pointer to anything", "a number")


@pytest.mark.parametrize("name", BY_DEFAULT)
def test_without_the_option_the_call_is_unsupported(name: str, tmp_path: Path) -> None:
    subject = compiled(tmp_path, {**REFUTED, **UNSUPPORTED}[name], callbacks="unsupported")
    verdict = bmc.ENGINE.verify(Task(subject), Tools(Budget(90)))
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED, verdict


def test_threads_and_signals_stay_unsupported(tmp_path: Path) -> None:
    text = "extern void (*signal(int, void (*)(int)))(int); void f(int n) { g = n; } int main(void) { signal(2, f); check(!g); }"
    verdict = bmc.ENGINE.verify(Task(compiled(tmp_path, text)), Tools(Budget(90)))
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED, verdict


def test_enumerations_do_not_hide_positions_and_32_bits_pass_ints(tmp_path: Path) -> None:
    """On ILP32 a context may be any `int`."""
    text = """
        enum e { A, B }; extern void timer(enum e, void (*)(unsigned), unsigned);
        void fire(unsigned p) { if (p == (unsigned)&g) *(int *)p = 3; }
        int main(void) { void (*f)(unsigned) = fire; timer(A, f, (unsigned)&g); check(g == 0); return 0; }"""
    assert refuted(compiled(tmp_path, text, model="ILP32"))


def test_a_choice_is_one_site_in_every_preparation(tmp_path: Path) -> None:
    """Replays find a site's values by counting, so copies must keep its number."""
    subject = compiled(tmp_path, REFUTED["hands a function over itself"])
    for preparation in ("none", "modular", "flat"):
        sites = {site.index: site.name for site in subject.module(preparation).sites if site.kind == "callback"}
        used = {int(n) for n in re.findall(r"@__cp_nondet_i1\(i32 (\d+)\)", subject.module(preparation).text)}
        assert {sites[n] for n in used if n in sites} >= {"sync calls inner", "sync calls outer"}


def test_the_result_says_what_was_assumed_and_is_replayed_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """check | replay through the files; a result without the entry stands for the default."""
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(PRELUDE + REFUTED["gets the context"])
    options = ["--engine", "bmc", "--jobs", "1", "--json", "r.json"]
    assert run_command(["check", "p.c", "--callbacks", BEFORE_RETURN, *options]) == 1
    assert f"  {ASSUMED}" in capfd.readouterr().out
    assert run_command(["replay", "p.c", "r.json", "--callbacks", BEFORE_RETURN]) == 1
    assert run_command(["replay", "p.c", "r.json"]) == 2
    assert "give --callbacks before-return" in capfd.readouterr().err
    assert run_command(["check", "p.c", *options]) == 3
    assert "--callbacks before-return" in capfd.readouterr().out
    with pytest.raises(UnusableInput, match="callbacks"):
        source_task(Request((Path("p.c"),), callbacks="later"))


def test_bench_hands_the_option_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(PRELUDE + REFUTED["breaks an invariant"])
    Path("u.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    Path("p.yml").write_text(
        "format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: u.prp\n    expected_verdict: false\n"
    )
    arguments = ["bench", "p.yml", "--engine", "bmc", "--json", "r.json", "--callbacks"]
    for callbacks, verdict in (("unsupported", "UNKNOWN(UNSUPPORTED)"), (BEFORE_RETURN, "FALSE(unreach-call)")):
        assert run_command([*arguments, callbacks]) == 0
        (row,) = read_rows(Path("r.json")).values()
        assert row.verdict == verdict
