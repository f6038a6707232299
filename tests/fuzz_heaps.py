"""Random programs that build, change and free linked blocks for as long as inputs say, whose answers all short runs tell.

Each round of a loop does one of three things to lists and their heads (globals, locals, a field of a structure, a cell of an array);
what is done, or that the loop ends, is an input of four values. gcc's build, called with every sequence of a few, keeps a table of blocks and tells
whether an access, a free, lost memory or an assertion is wrong in some run. TRUE must not be said then. No unrolling
ends, so that what is TRUE is by facts about arbitrary blocks; runs do not attack proofs here, so that what the
encoding assumes away is seen.

    python tests/fuzz_heaps.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-heaps]
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

KINDS = ("valid-deref", "valid-free", "valid-memtrack", "unreach-call")
ENGINES = (("houdini",), ("houdini", "kinduction"), ("spacer", "houdini"), ("predicates",), ("dash",), ("auto",))
LENGTH = 8
"""Inputs of a sequence; a run that asks for more is cut off."""

CHECKED = """extern int nd(void); extern void reach_error(void); void *malloc(unsigned long); void free(void *);
#define ROUND (void)0
#define KNOW(p)
#define FORGET
#define M(p) (*(p))
#define make() malloc(sizeof(struct node))
#define let_go(p) free(p)
static int in(void) { return nd() & 3; }
"""

NATIVE = f"""#include <setjmp.h>
#include <stdio.h>
static int given[16], used, cut; static long steps; static jmp_buf out;
enum {{ DEREF, FREE, LOST, ERROR, KINDS }}; static long failed[KINDS];
static void end(int kind) {{ if (kind >= 0) failed[kind]++; longjmp(out, 1); }}
static int in(void) {{ if (used == {LENGTH}) {{ cut = 1; end(-1); }} return given[used++]; }}
static void step(void) {{ if (++steps > 3000) {{ cut = 1; end(-1); }} }}
struct node;
static char *blocks[64]; static int live[64], marked[64], count; static char pool[64 * 64]; static void **roots[64]; static int known, base;
static int owner(void *p) {{ char *at = p; return at >= pool && at < pool + sizeof pool ? (at - pool) / 64 : -1; }}
static void *make_block(void) {{
    step(); if (count == 64) {{ cut = 1; end(-1); }}
    for (int i = 0; i < 64; i++) pool[64 * count + i] = 0x55;
    live[count] = 1; return pool + 64 * count++;
}}
static void let_go(void *p) {{
    step(); if (!p) return;
    int of = owner(p); if (of < 0 || !live[of] || p != pool + 64 * of) end(FREE);
    live[of] = 0;
}}
static void *at(void *p, unsigned long size) {{
    step(); int of = owner(p);
    if (of >= 0 && live[of] && (char *)p + size <= pool + 64 * of + sizeof_node()) return p;
    if (of < 0 && outside(p)) return p;
    end(DEREF); return 0;
}}
#define M(p) (*(__typeof__(p))at(p, sizeof *(p)))
#define KNOW(p) roots[known++] = (void **)&(p)
#define FORGET known = base
static void mark(void *p) {{
    int of = owner(p); if (of < 0 || !live[of] || marked[of]) return;
    marked[of] = 1;
    for (int i = 0; i + 8 <= sizeof_node(); i += 8) mark(*(void **)(pool + 64 * of + i));
}}
static void look(void) {{
    step(); for (int i = 0; i < 64; i++) marked[i] = 0;
    for (int i = 0; i < known; i++) mark(*roots[i]);
    for (int i = 0; i < count; i++) if (live[i] && !marked[i]) end(LOST);
}}
#define ROUND look()
#define make() make_block()
#define reach_error() end(ERROR)
#define main program
"""

ALL_RUNS = f"""
#undef main
int main(void) {{
    for (long all = 0; all < 1L << {2 * LENGTH}; all++) {{
        for (int i = 0; i < {LENGTH}; i++) given[i] = all >> 2 * i & 3;
        used = steps = count = 0; known = base = 0; reset();
        if (!setjmp(out)) {{ program(); look(); }}
    }}
    printf("%ld %ld %ld %ld", failed[DEREF], failed[FREE], failed[LOST], failed[ERROR]);
    return 0;
}}
"""

MEMBERS = (
    ("struct node *next; struct node *other; int v;", ""),
    ("int v; struct node *next; struct node *other;", ""),
    ("struct node *other; long pad[2]; struct node *next; int v;", ""),
    ("struct { struct node *next; } in; struct node *other; int v;", "in."),
    ("union { struct node *next; long bits; }; struct node *other; int v;", ""),
)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.members, inner = chance.choice(MEMBERS)
        self.next = f"{inner}next"
        kinds = ("static struct node *{0};", "static struct {{ int n; struct node *h; }} {0};", "static struct node *{0}[2];")
        forms = chance.choices((0, 0, 0, 1, 2), k=2)
        self.globals = [kinds[form].format(name) for form, name in zip(forms, "gh", strict=True)]
        self.heads = [(name, f"{name}.h", f"{name}[1]")[form] for form, name in zip(forms, "gh", strict=True)]
        self.clear = [f"{head} = 0;" for head in self.heads]
        self.locals = chance.randrange(2)
        self.functions = chance.random() < 0.3

    def program(self) -> tuple[str, str]:
        """(the program, what the native build needs to know of it)."""
        chance = self.chance
        lines = [f"struct node {{ {self.members} }};", *self.globals, "static struct node outer;"]
        if self.functions:
            lines += ["static void push(struct node **to, int v) {", "struct node *t = make();"]
            lines += [f"M(t).{self.next} = *to; M(t).other = 0; M(t).v = v; *to = t;", "}"]
        lines += ["int main(void) {", *(f"KNOW({head});" for head in self.heads)]
        names = self.heads[: chance.choice((1, 2, 2))] + ["a", "b"][: self.locals * chance.choice((1, 2))]
        if self.locals:
            lines += ["struct node *a = 0, *b = 0;", "KNOW(a); KNOW(b);"]
        for _ in range(chance.choice((1, 1, 2))):
            lines += ["for (int on = 1; on;) {", "ROUND;", "switch (in()) {", "case 0: on = 0; break;"]
            for case in range(1, 4):
                lines += [f"case {case}: {{ {self.action(names, case)} break; }}"]
            lines += ["}", "}"]
        lines += ["ROUND;"]
        for name in names:
            if chance.random() < 0.8:
                lines.append(f"while ({name}) {{ struct node *t = M({name}).{self.next}; let_go({name}); {name} = t; }}")
        lines += ["ROUND;"] * self.locals + ["FORGET;"]
        if self.locals:
            lines += [f"KNOW({head});" for head in self.heads]
        know = "\n".join(
            [
                "static int sizeof_node(void) { return sizeof(struct node); }",
                "static int outside(void *p) { return (char *)p >= (char *)&outer && (char *)p < (char *)(&outer + 1); }",
                f"static void reset(void) {{ {' '.join(self.clear)} outer = (struct node){{0}}; }}",
            ]
        )
        return "\n".join([*lines, "return 0;", "}"]), know

    def action(self, names: list[str], case: int) -> str:
        chance, x, y = self.chance, self.chance.choice(names), self.chance.choice(names)
        nxt, value = self.next, self.chance.randrange(3)
        made = f"struct node *t = make(); M(t).{nxt} = {x}; M(t).other = {chance.choice(('0', y, 't', x))}; M(t).v = {value};"
        if self.functions and chance.random() < 0.7:
            made = f"push(&{x}, {value}); struct node *t = {x};"
        popped = f"struct node *t = {x}; {x} = M({x}).{nxt};"
        grows = (
            f"{made} {x} = t;",
            f"{made} {x} = t;",
            f"{made} {x} = t; if ({y}) M({y}).other = t;",
            f"if (!{x}) {{ {made} {x} = t; }}",
        )
        shrinks = (
            f"if ({x}) {{ {popped} let_go(t); }}",
            f"if ({x}) {{ {popped} let_go(t); }}",
            f"if ({x} && M({x}).{nxt}) {{ struct node *t = M({x}).{nxt}; M({x}).{nxt} = M(t).{nxt}; let_go(t); }}",
            f"if ({x} && M({x}).other) {{ let_go(M({x}).other); M({x}).other = 0; }}",
            f"while ({x}) {{ {popped} let_go(t); }}",
        )
        forms = (
            f"if ({x}) {{ {popped} M(t).{nxt} = {y}; {y} = t; }}",
            f"if ({x}) M({x}).other = {y};",
            f"if ({x} && M({x}).other) M(M({x}).other).v = {value};",
            f"if ({x} && M({x}).other) {x} = M({x}).other;",
            f"struct node *t = {x}; {x} = {y}; {y} = t;",
            f"if ({x}) {{ struct node *t = {x}; while (M(t).{nxt}) t = M(t).{nxt}; M(t).{nxt} = {y}; {y} = 0; }}",
            f"struct node *t = {x}, *r = 0; while (t) {{ struct node *n = M(t).{nxt}; M(t).{nxt} = r; r = t; t = n; }} {x} = r;",
            f"if ({x} && {y} && {x} != {y}) {{ M({x}).v = 1; M({y}).v = 2; if (M({x}).v != 1) reach_error(); }}",
            f"if ({x} && {y}) {{ M({x}).v = 1; M({y}).v = 2; if (M({x}).v != 1) reach_error(); }}",
            f"if ({x} && M({x}).other && M(M({x}).other).v > {value}) reach_error();",
            f"for (struct node *t = {x}; t; t = M(t).{nxt}) if (M(t).v == {value}) reach_error();",
            f"if ({x} && M({x}).other == {y}) reach_error();",
            f"if ({x}) M({x}).other = &outer;",
            f"if (!{x}) {{ {x} = {y}; {y} = 0; }}",
            f"{x} = {y};",
            f"{x} = {y};",
            f"if ({x}) M({x}).other = {y};",
        )
        if case == 1:
            return chance.choice(grows)
        return chance.choice(shrinks if case == 2 and chance.random() < 0.7 else forms)


def failing(text: str, know: str, folder: Path) -> list[int]:
    """How many runs violate each of KINDS first of all."""
    source, built = folder / "native.c", folder / "native"
    head = "static int sizeof_node(void); static int outside(void *); static void reset(void);\n"
    source.write_text(head + NATIVE + text + know + ALL_RUNS)
    subprocess.run(["gcc", "-w", "-O1", "-o", str(built), str(source)], check=True, timeout=60)
    told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=60).stdout
    return [int(number) for number in told.split()]


def options(chance: random.Random, seconds: float) -> dict[str, Any]:
    asked: dict[str, Any] = {"timeout": seconds, "jobs": 1, "proof_runs": 0, "data_model": chance.choice(("LP64", "ILP32"))}
    return asked | {"engines": chance.choice(ENGINES), "prepare": chance.choice(("default", "default", "modular"))}


def wrong(result: CheckResult, kind: str, fails: list[int]) -> list[str]:
    """What the result says that runs contradict."""
    found = [f"crash {result.reason}"] * bool(result.crash_reports)
    alone = fails[KINDS.index(kind)]
    earlier = sum(fails) - alone
    if result.outcome is Outcome.TRUE and alone and (kind != "unreach-call" or not earlier):
        found.append(f"TRUE, and {alone} runs fail")
    return found


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    text, know = Writer(seed).program()
    fails = failing(text, know, file.parent)
    file.write_text(CHECKED + text)
    how = options(chance, seconds)
    failed = [kind for kind, count in zip(KINDS, fails, strict=True) if count]
    kind = chance.choice(failed if failed and chance.random() < 0.7 else KINDS)
    result = counterpoint.check(file, property=kind, **how)
    return Told(f"{kind} {','.join(how['engines'])} {result.outcome.name} {fails}", wrong(result, kind, fails))


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "heaps", one))
