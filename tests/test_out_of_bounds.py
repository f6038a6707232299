"""Accesses that leave their local, or lie partly outside of an object: one access, valid or not, in every preparation."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import Outcome
from counterpoint.execute.outcome import Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask

HEAD = """
extern void *malloc(__SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__), *memset(void *, int, __SIZE_TYPE__);
extern int choose(void); extern void reach_error(void);
struct pair { int a, b; }; struct triple { int a, b, c; }; struct holder { struct pair p; int c; };
struct link { struct link *next; char *data; }; struct place { char *at; int n; };
static int of_char(int *p) { return *p; }
static int of_place(struct place *p) { return *(int *)p->at; }
static int at(char *p, int n) { return n > 0 ? *(int *)(p + n) : 0; }
static struct holder got(struct holder *p) { return *p; }
static int first(struct triple *p) { struct triple t = *p; return t.a; }
static void put(struct triple *p, int v) { struct triple t = {v, v, v}; t.b = v + 1; *p = t; }
#define CLAIM(c) do { if (!(c)) reach_error(); } while (0)
"""

FAILS = {
    "read": "int x = 0x01020304; short *p = (short *)((char *)&x + 3); CLAIM((*p >> 8) == 0);",
    "read, the part inside": "int x = 0x01020304; short *p = (short *)((char *)&x + 3); CLAIM((*p & 0xff) == 1);",
    "copied": "int x = 0x01020304; short s = 0; memcpy(&s, (char *)&x + 3, 2); CLAIM((s >> 8) == 0);",
    "before": "int x = 7; int *p = (int *)((char *)&x - 1); CLAIM(((*p >> 8) & 0xff) == 7);",
    "inlined": "char x = 1; CLAIM((of_char((int *)&x) & 0xff) == 1);",
    "inlined, constant later": "int x = 0x01010101; CLAIM((at((char *)&x, 1) & 0xff) == 1);",
    "through a member": "char x = 1; struct place p = {&x, 3}; CLAIM((of_place(&p) & 0xff) == 1);",
    "through a list": "char x = 1; struct link a, b; a.next = &b; b.data = &x; b.next = 0;"
    " struct link *p = &a; CLAIM((*(short *)p->next->data & 0xff) == 1);",
    "through an array": "char x = 1; char *t[2] = {0, &x}; int i = choose() ? 1 : 1;"
    " CLAIM((*(short *)t[i] & 0xff) == 1);",
    "one of two": "char x = 1, y[4] = {1, 2, 3, 4}; char *p = choose() ? &x : y; CLAIM((*(int *)p & 0xff) == 1);",
    "chosen offset": "int x = 1; int i = choose() ? 3 : 2; CLAIM((*(short *)((char *)&x + i) & 0xff) == 0);",
    "truth as offset": "_Bool c = choose() & 1; int x = 1; CLAIM((*(int *)((char *)&x + c) & 0xff) == 1);",
    "structure": "struct pair s = {1, 2}; struct holder t = *(struct holder *)&s; CLAIM(t.p.a == 1);",
    "structure, assigned": "struct pair s = {1, 2}; struct holder t = {{1, 2}, 3}; t = *(struct holder *)&s;"
    " CLAIM(t.p.a == 1);",
    "structure, returned": "struct pair s = {1, 2}; struct holder t = got((struct holder *)&s); CLAIM(t.p.a == 1);",
    "structure in a block": "int *m = malloc(8); m[0] = 1; m[1] = 2; CLAIM(first((struct triple *)m) == 1);",
    "in a loop": "for (int i = 0; i < 4; i++) { char c = 1; if (i == 3) CLAIM((*(short *)&c & 0xff) == 1); }",
    "vector": "typedef int four __attribute__((vector_size(16))); int a[3] = {1, 1, 1}; four v; memcpy(&v, a, 16);"
    " CLAIM(v[0] == 1);",
    "static object": "static char x[3] = {1, 1, 1}; CLAIM((*(int *)x & 0xff) == 1);",
    "unknown length": "char x[8]; memset(x, 5, 8); unsigned n = choose(); if (n > 5) return 0; char m[4] = {5, 5, 5, 5};"
    " memcpy(x, m, n); CLAIM(x[0] == 5);",
    "many bytes": "struct { long long a[100]; } c, *b = malloc(8); b->a[0] = 1; c = *b; CLAIM(c.a[0] == 1);",
}
HOLDS = {
    "write": "int x = 7; *(short *)((char *)&x + 3) = -1; CLAIM(x == 7);",
    "write before": "int x = 7; *(int *)((char *)&x - 1) = -1; CLAIM(x == 7);",
    "filled": "int x = 7; memset((char *)&x + 1, 0xff, 4); CLAIM(x == 7);",
    "filled, no size": "int x = 7; memset(&x, 0xff, (__SIZE_TYPE__)-1); CLAIM(x == 7);",
    "copied to": "int x = 7; char b[8] = {9, 9, 9, 9, 9, 9, 9, 9}; memcpy((char *)&x + 1, b, 4); CLAIM(x == 7);",
    "structure": "struct pair s = {1, 2}; struct triple t = {7, 8, 9}; *(struct triple *)&s = t;"
    " CLAIM(s.a == 1 && s.b == 2);",
    "structure in a block": "int *m = malloc(8); m[0] = 1; m[1] = 2; put((struct triple *)m, 7);"
    " CLAIM(m[0] == 1 && m[1] == 2);",
    "through pointers": "int x = 1; int *p = &x; int **pp = &p; **pp = 3; *(long long *)*pp = 9; CLAIM(x == 3);",
    "inside": "int x[2] = {0x01010101, 0x01010101}; CLAIM((at((char *)x, 1) & 0xff) == 1);",
    "one of two, inside": "int x = 5; char y[4] = {5, 0, 0, 0}; char *p = choose() ? (char *)&x : y;"
    " CLAIM((*(int *)p & 0xff) == 5);",
    "structure, inside": "int *m = malloc(12); m[0] = 1; m[1] = 2; CLAIM(first((struct triple *)m) == 1);",
    "unknown length, inside": "char x[8]; memset(x, 5, 8); unsigned n = choose(); if (n > 4) return 0;"
    " char m[4] = {5, 5, 5, 5}; memcpy(x, m, n); CLAIM(x[0] == 5);",
}  # fmt: skip
CASES = [(name, text, False) for name, text in FAILS.items()] + [(name, text, True) for name, text in HOLDS.items()]


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
@pytest.mark.parametrize(("text", "holds"), [case[1:] for case in CASES], ids=[f"{c[0]}, {c[2]}" for c in CASES])
def test_one_access(text: str, holds: bool, model: str, tmp_path: Path) -> None:
    file = tmp_path / "access.c"
    file.write_text(f"{HEAD}int main(void) {{ {text} return 0; }}\n")
    subject = compile_subject(SourceTask(files=(file,), data_model=model))
    try:
        for preparation in ("flat", "modular", "none"):
            verdict = ENGINE.verify(Task(subject, preparation=preparation), Tools(Budget(60)))
            assert isinstance(verdict, Safe if holds else Unsafe), preparation
            if isinstance(verdict, Unsafe):
                inputs = verdict.violation.inputs
                assert isinstance(run(subject.program("none"), ReplayInputs(inputs)).outcome, Violated), preparation
        if not holds:
            assert subject.native("none").replay(inputs).outcome is Outcome.VIOLATED
    finally:
        subject.close()
