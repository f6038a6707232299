"""Random programs of loops over arrays of all element types, with checks at the end that are true or nearly so.

gcc's build is run with many short inputs; TRUE must not be said of what fails there. Runs do not attack proofs here.

    python tests/fuzz_arrays.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-arrays]
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.portfolio.result import CheckResult, Outcome
from fuzz_rounds import Told, rounds

ENGINES = (
    ("houdini",),
    ("ice",),
    ("kinduction", "houdini"),
    ("spacer", "houdini"),
    ("predicates",),
    ("auto",),
    ("auto",),
)
ELEMENTS = (
    "int",
    "int",
    "unsigned char",
    "signed char",
    "short",
    "unsigned",
    "long",
    "_Bool",
    "float",
    "double",
    "unsigned _BitInt(7)",
    "_BitInt(24)",
    "struct s",
    "int *",
    "char",
)
CHECKED = """extern int nd(void); extern void reach_error(void); extern void __VERIFIER_assume(int); void *malloc(unsigned long); void free(void *); typedef unsigned long size_t;
struct s { char tag; int v; struct { short w[2]; } in; };
static int cell; static int cells[50];
"""
NATIVE = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static int given[64], used; static long failed, runs; static jmp_buf out;
static int nd(void) { if (used == 40) longjmp(out, 1); return given[used++]; }
static void __VERIFIER_assume(int c) { if (!c) longjmp(out, 1); }
static void reach_error(void) { failed++; longjmp(out, 1); }
struct s { char tag; int v; struct { short w[2]; } in; };
static int cell; static int cells[50];
#define main program
"""
ALL = """
#undef main
int main(void) {
    srand(7);
    for (int all = 0; all < 60000; all++) {
        for (int i = 0; i < 40; i++) given[i] = rand() % 3 ? rand() % 5 - 1 : rand() % 7 ? rand() % 260 : rand() - rand();
        given[0] = all % 6;
        used = 0; reset();
        if (!setjmp(out)) { program(); runs++; }
    }
    printf("%ld %ld", failed, runs);
    return 0;
}
"""


class Writer:
    def __init__(self, seed: int) -> None:
        self.chance = c = random.Random(seed)
        self.element = c.choice(ELEMENTS)
        if self.element.startswith(("_BitInt", "unsigned _BitInt")):
            self.element = c.choice(("int", "unsigned short"))
        self.index = c.choice(("int", "int", "unsigned", "unsigned char", "long", "size_t", "short"))
        self.form = c.choice(("local", "static", "heap", "heap", "two", "member"))
        self.bound = c.choice((20, 40))

    def at(self, i: str, array: str = "a") -> str:
        a = {"two": f"{array}[({i}) / 7][({i}) % 7]", "member": f"{array}.d[{i}]"}.get(self.form, f"{array}[{i}]")
        return f"{a}.v" if self.element == "struct s" else a

    def value(self, i: str = "") -> str:
        c = self.chance
        if self.element == "int *":
            return c.choice(("&cell", "0", f"cells + ({i or 'n'}) % 50", "cells + n % 50"))
        return c.choice(
            (
                "0",
                "1",
                "7",
                "x",
                "y",
                "x + 1",
                "nd()",
                i or "y",
                f"{i or 'y'} * 2",
                f"{i or 'n'} + x",
                "n",
                "x & 15",
                f"({i or 'n'}) % 3",
            )
        )

    def loop(self, body: str) -> str:
        c = self.chance
        first, last = c.choice(("0", "0", "0", "1", "k")), c.choice(("n", "n", "n", "n - 1", "k", "n / 2"))
        if self.index in ("unsigned", "unsigned char", "size_t") and last == "n - 1":
            last = "n"
        way = c.randrange(6)
        t = self.index
        if way == 0:
            return f"{{ {t} i = {first}; while (i < {last}) {{ {body} i++; }} }}"
        if way == 1:
            return f"for ({t} i = {first}; i < {last}; i += {c.choice('123')}) {{ {body} }}"
        if way == 2:
            return f"for (int i = n - 1; i >= {first}; i--) {{ {body} }}"
        if way == 3 and self.form in ("local", "static", "heap"):
            inner = body.replace("a[i]", "(*p)")
            return (
                f"{{ {t} i = 0; for ({self.element} *p = a; p {c.choice(('<', '!='))} a + n; p++) {{ {inner} i++; }} }}"
            )
        return f"for ({t} i = {first}; i < {last}; i++) {{ {body} }}"

    def step(self) -> str:
        c = self.chance
        i, v = self.at("i"), self.value("i")
        pointer = self.element == "int *"
        options = [f"{i} = {v};"] * 4 + [
            f"if ({c.choice(('i % 2', 'i < k', 'nd()', 'i == k', 'x > 2'))}) {i} = {v};",
            f"if (i > 0) {i} = {self.at('i - 1')};",
            f"if (i == k) continue; {i} = {v};" if False else f"if (i != k) {i} = {v};",
        ]
        if not pointer:
            options += [
                f"s += {i};",
                f"if ({i} > m) m = {i};",
                f"if ({i} == x) {{ k = i; break; }}",
                f"{i} += 1;",
                f"if ({i} == x) c++;",
                f"if (i > 0 && {i} < {self.at('i - 1')}) {i} = {self.at('i - 1')};",
                f"if ({i} < 0) {i} = -{i};",
            ]
        else:
            options += [f"if ({i} == &cell) c++;", f"if ({i} && i == k) *{i} = 3;"]
        return c.choice(options)

    def check(self) -> str:
        c = self.chance
        j, v = self.at("j"), self.value("j").replace("nd()", "x")
        if self.element == "int *":
            claims = [f"{j} == {v}", f"{j} != 0", "cell == 0", "c <= n", f"{j} == 0 || {j} == &cell"]
        else:
            claims = [f"{j} == {v}"] * 3 + [
                f"{j} <= m",
                f"{j} >= 0",
                f"{j} != x",
                "c <= n",
                f"j == 0 || {j} >= {self.at('j - 1')}",
                f"{j} == {v} || {j} == {self.value('j').replace('nd()', '0')}",
                "k <= n",
                "s >= 0",
                f"j >= k || {j} == {v}",
                f"j % 2 || {j} == {v}",
                "m >= 0",
                f"{j} <= 255",
            ]
        if c.random() < 0.5:
            return f"for ({self.index} j = {c.choice('001')}; j < n; j++) if (!({c.choice(claims)})) reach_error();"
        return f"{{ int j = nd(); if (j >= 0 && j < n && !({c.choice(claims)})) reach_error(); }}"

    def program(self) -> tuple[str, str]:
        c = self.chance
        e, b = self.element, self.bound
        declared = {
            "local": f"{e} a[{b}] = {{0}};",
            "static": "",
            "heap": f"{e} *a = malloc((n + 1) * sizeof({e}));",
            "two": f"{e} a[7][7] = {{0}};",
            "member": f"struct {{ int len; {e} d[{b}]; int end; }} a = {{0}};",
        }[self.form]
        glob = f"static {e} a[{b}];" if self.form == "static" else ""
        if c.random() < 0.3 and e not in ("int *", "struct s"):
            self.loop_of = "f"
            glob += f"\nstatic {e} get(int q) {{ return q; }}"
        lines = [
            glob,
            "int main(void) {",
            f"int n = nd(); __VERIFIER_assume(n >= 0 && n < {min(b, 49) - 1});"
            if self.form != "heap"
            else "int n = nd(); __VERIFIER_assume(n >= 0 && n < 100000);",
            "int k = nd(); __VERIFIER_assume(k >= 0 && k <= n); int x = nd(), y = nd(), c = 0; long s = 0; int m = 0;",
            declared,
        ]
        if self.form == "heap":
            lines.append(f"for (int i = 0; i < n; i++) {self.at('i')} = 0;")
        lines += [self.loop(self.step()) for _ in range(c.choice((1, 1, 2)))]
        lines += [self.check(), "return 0; }"]
        reset = f"static void reset(void) {{ cell = 0; for (int i = 0; i < 50; i++) cells[i] = 0; {f'for (int i = 0; i < {b}; i++) a[i] = (__typeof__(a[0])){{0}};' if self.form == 'static' else ''} }}"
        return "\n".join(lines), reset


def failing(text: str, know: str, folder: Path) -> tuple[int, int]:
    source, built = folder / "native.c", folder / "native"
    source.write_text("static void reset(void);\n" + NATIVE + text + know + ALL)
    subprocess.run(["gcc", "-w", "-O1", "-fwrapv", "-o", str(built), str(source)], check=True, timeout=60)
    told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    return int(told[0]), int(told[1])


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    writer = Writer(seed)
    text, know = writer.program()
    try:
        fails, runs = failing(text, know, file.parent)
    except subprocess.CalledProcessError as why:
        return Told(f"not built {str(why)[:100]}", ())
    file.write_text(CHECKED + text)
    how: dict[str, Any] = {
        "timeout": seconds,
        "jobs": 1,
        "proof_runs": 0,
        "data_model": chance.choice(("LP64", "LP64", "ILP32")),
        "engines": chance.choice(ENGINES),
    }
    result: CheckResult = counterpoint.check(file, property="unreach-call", **how)
    said = [f"crash {result.reason}"] * bool(result.crash_reports)
    if result.outcome is Outcome.TRUE and fails:
        said.append(f"TRUE, and {fails} runs fail")
    what = f"{writer.element} {writer.form} {','.join(how['engines'])}"
    return Told(f"{what} {result.outcome.name} {result.reason or ''} {fails}/{runs}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "arrays", one))
