"""Programs that compute a number from one object's address and make it into a pointer, which may hit another object.

Each is joined from what the objects are, how the other one's address is made into a number (early, late, in vain), how
the number is moved, what holds it, what lies between, and what is compared before the write. Moved by any distance it is
the other object's address in some run: TRUE must not be said. Its twin stays in its object: FALSE must not be said.

    python tests/fuzz_numbers.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-numbers]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.portfolio.result import Outcome
from fuzz_rounds import Told, rounds

ENGINES = ("auto", "bmc", "houdini", "spacer", "kinduction", "predicates")

HEAD = """extern int nd(void); extern unsigned long far(void); extern void reach_error(void);
void *malloc(__SIZE_TYPE__); void *memcpy(void *, const void *, __SIZE_TYPE__);
static int one[4], two[4]; static unsigned long number, seen;
static union { unsigned long n; unsigned short parts[sizeof(long) / 2]; int *p; } u, v;
static int rounds(int n) { return n <= 0 ? 0 : rounds(n - 1) + 1; }
"""

OBJECTS = {
    "static": "int *a = one, *b = two;",
    "local": "int room[4] = {0}, other[4] = {0}; int *a = room, *b = other;",
    "heap": "int *a = malloc(16), *b = malloc(16); a[0] = b[0] = 0;",
    "heap, later": "int *b = malloc(16); while (nd()) b[1] ^= 1; int *a = malloc(16); a[0] = b[0] = 0;",
    "one of many": "int *a, *b = malloc(16); do a = malloc(16); while (nd()); a[0] = b[0] = 0;",
    "both": "int room[4] = {0}; int *a = room, *b = two;",
}
EXPOSED = {
    "early": ("unsigned long t = (unsigned long)b; if (t == 3) return 1;", "return 0;"),
    "late": ("", "return (unsigned long)b == 3;"),
    "in vain": ("unsigned long t = (unsigned long)b;", "return 0;"),
    "in memory": ("v.p = b; seen = v.n;", "return seen == 3;"),
}
MOVES = {
    "far": ("n += far();", "n += 4UL * (nd() & 3);"),
    "steps": ("while (nd()) n += 4;", "while (nd()) n = (unsigned long)a + 4UL * (nd() & 3);"),
    "up": ("n += 16UL * (nd() & 1023);", "n += 0UL * (nd() & 1023);"),
    "down": ("n -= 16UL * (nd() & 1023);", "n -= 0UL * (nd() & 1023);"),
}
HOLDS = {
    "register": "int *p = (int *)n;",
    "global": "number = n; int *p = (int *)number;",
    "union": "u.n = n; int *p = u.p;",
    "changed in a union": "u.p = a; u.n += n - (unsigned long)a; int *p = u.p;",
    "copy": "int *p; memcpy(&p, &n, sizeof p);",
    "parts": "u.p = a; for (unsigned k = 0; k < sizeof(long) / 2; k++) u.parts[k] = n >> 16 * k; int *p = u.p;",
    "block": "unsigned long *c = malloc(sizeof *c); *c = n; int *p = *(int **)c;",
}
BETWEEN = {"nothing": "", "loop": "while (nd()) a[1] ^= 1;", "calls": "a[1] = rounds(nd());"}
MEETS = {
    "nothing": "{done}",
    "pointer": "if (p == b) { {done} }",
    "number": "if ((unsigned long)p == (unsigned long)b) { {done} }",
}
DONE = "*p = 1; if (b[0]) reach_error();"


def program(chance: random.Random) -> tuple[str, bool]:
    """The text, and whether the number may be the other object's address."""
    hits = chance.random() < 0.7
    parts = (chance.choice(list(table.values())) for table in (OBJECTS, EXPOSED, MOVES, HOLDS, BETWEEN, MEETS))
    objects, (exposed, end), moves, hold, between, meets = parts
    middle = (hold, between) if chance.random() < 0.5 else (between, hold)
    number = ("unsigned long n = (unsigned long)a;", moves[0 if hits else 1])
    lines = (objects, exposed, *number, *middle, meets.replace("{done}", DONE), end)
    body = "\n    ".join(line for line in lines if line)
    return f"{HEAD}int main(void) {{\n    {body}\n}}\n", hits


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    engine = chance.choice(ENGINES)
    text, hits = program(chance)
    file.write_text(text)
    how: dict[str, Any] = {
        "engines": (engine,),
        "data_model": chance.choice(("LP64", "LP64", "ILP32")),
        "prepare": chance.choice(("default", "default", "none")),
    }
    result = counterpoint.check(file, timeout=seconds, jobs=1, **how)
    said = ["crash"] * bool(result.crash_reports)
    if result.outcome is (Outcome.TRUE if hits else Outcome.FALSE):
        said.append("WRONG")
    return Told(f"{','.join(how['engines'])} {'hits' if hits else 'stays'} {result.outcome.name}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "numbers", one))
