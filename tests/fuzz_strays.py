"""Programs in which a pointer leaves its object and comes to lie where another pointer points, with loops and calls
between.

Each is joined from where the pointer comes from, how it is moved, what holds it, what lies between, what it meets and
what is done then. Moved by any distance it may meet the other (in some placement of the objects), and the access through
it is wrong: TRUE must not be said. Its twin is moved inside its object only and never meets it: FALSE must not be said.

    python tests/fuzz_strays.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-strays]
"""

from __future__ import annotations

import random
import sys
from itertools import product
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.portfolio.result import Outcome
from fuzz_rounds import Told, rounds

ENGINES = ("auto", "houdini", "spacer", "kinduction", "predicates", "dash")

HEAD = """extern int nd(void); extern unsigned long far(void); extern int *other(void); extern void reach_error(void);
void *malloc(unsigned long); void free(void *);
static int whole[4], second[4]; static struct { int before; int a[4]; int *p; } s; static int *kept, *many[4];
static int rounds(int n) { return n <= 0 ? 0 : rounds(n - 1) + 1; }
static int *handed(int *p, int n) { return n <= 0 ? p : handed(p, n - 1); }
"""

ORIGINS = {
    "static": "int *a = whole;",
    "local": "int room[4] = {0}; int *a = room;",
    "heap": "int *a = malloc(16); if (!a) return 0; a[0] = a[1] = a[2] = a[3] = 0;",
    "member": "int *a = s.a;",
    "either": "int *a = nd() ? whole : s.a;",
}
MOVES = {
    "far": ("int *p = (int *)((char *)a + far());", "int *p = a + (nd() & 3);"),
    "steps": ("int *p = a; while (nd()) p++;", "int *p = a; while (nd() && p < a + 3) p++;"),
    "back": ("int *p = a + 3; while (nd()) p--;", "int *p = a + 3; while (nd() && p > a) p--;"),
    "strides": (
        "int *p = a; while (nd()) p = (int *)((char *)p + far());",
        "int *p = a; while (nd()) p = a + (nd() & 3);",
    ),
}
HOLDS = {
    "register": ("", "p"),
    "global": ("kept = p;", "kept"),
    "member": ("s.p = p;", "s.p"),
    "element": ("unsigned k = nd() & 3; for (int i = 0; i < 4; i++) many[i] = p;", "many[k]"),
    "cell": ("int **c = malloc(sizeof *c); if (!c) return 0; *c = p;", "(*c)"),
}
BETWEEN = {
    "loop": "while (nd()) a[0] ^= 1;",
    "calls": "a[0] = rounds(nd());",
    "argument": "{held} = handed({held}, nd());",
    "both": "while (nd()) a[0] = rounds(nd());",
}
MEETS = {
    "given": ("int *q = other(); if (!q) return 0;", "{held} == q"),
    "object": ("int *q = second;", "{held} == q"),
    "number": ("", "(unsigned long){held} == (sizeof(long) == 8 ? 0x700002000000UL : 0xa0000000UL)"),
}
DONE = {
    "write": ("valid-deref", "*{held} = 1;"),
    "read": ("valid-deref", "return *{held};"),
    "value": ("unreach-call", "*q = 5; if (*{held} != 5) reach_error();"),
}


def program(chance: random.Random) -> tuple[str, str, bool]:
    """The text, the property, and whether the pointer may stray."""
    strays = chance.random() < 0.7
    origin, move, hold, between, meet, done = (
        chance.choice(list(table)) for table in (ORIGINS, MOVES, HOLDS, BETWEEN, MEETS, DONE)
    )
    if done == "value" and meet == "number":
        meet = "given"
    keep, held = HOLDS[hold]
    got, condition = MEETS[meet]
    property_, action = DONE[done]
    moved = MOVES[move][0 if strays else 1]
    parts = (got, ORIGINS[origin], moved, keep, BETWEEN[between], f"if ({condition}) {{ {action} }}", "return 0;")
    body = "\n    ".join(part.replace("{held}", held) for part in parts if part)
    return f"{HEAD}int main(void) {{\n    {body}\n}}\n", property_, strays


def number_of_programs() -> int:
    """How many there are without twins."""
    return len(list(product(ORIGINS, MOVES, HOLDS, BETWEEN, MEETS, DONE)))


def options(chance: random.Random, seconds: float) -> dict[str, Any]:
    return {
        "timeout": seconds,
        "jobs": 1,
        "engines": (chance.choice(ENGINES),),
        "data_model": chance.choice(("LP64", "LP64", "ILP32")),
        "prepare": chance.choice(("default", "default", "modular")),
    }


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    text, property_, strays = program(chance)
    file.write_text(text)
    how = options(chance, seconds)
    result = counterpoint.check(file, property=property_, **how)
    said = ["crash"] * bool(result.crash_reports)
    if result.outcome is (Outcome.TRUE if strays else Outcome.FALSE):
        said.append("WRONG")
    what = f"{property_} {','.join(how['engines'])} {'strays' if strays else 'stays'}"
    return Told(f"{what} {result.outcome.name}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "strays", one))
