"""Random programs with blocks that grow, pointers into them, locals of blocks and calls, for as long as inputs say.

Each round of a loop does one of three things; what is done, or that the loop ends, is an input of four values. gcc's
build, called with every sequence of a few, takes each object from memory of its own that is never used again, and tells
whether an access or a free is wrong in some run. TRUE must not be said then, nor FALSE of what no run shows. Runs do not
attack proofs here.

    python tests/fuzz_memory.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-memory]
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

KINDS = ("valid-deref", "valid-free", "valid-memcleanup", "unreach-call")
ENGINES = (("houdini",), ("kinduction", "houdini"), ("spacer", "houdini"), ("predicates",), ("dash",), ("auto",))
LENGTH = 7

CHECKED = """extern int nd(void); extern void reach_error(void); void *malloc(unsigned long); void free(void *); void *realloc(void *, unsigned long);
#define M(p) (*(p))
#define make(n) malloc((n) * sizeof(int))
#define grow(p, n) realloc(p, (n) * sizeof(int))
#define let_go(p) free(p)
#define ARR(t, a, n) t a[n]
#define LOCAL(t, a) t a
#define ALLOCA(n) __builtin_alloca((n) * sizeof(int))
#define DIE(a) (void)0
#define ENTER (void)0
#define LEAVE (void)0
static int in(void) { return nd() & 3; }
"""

NATIVE = f"""#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static int given[16], used, cut; static long steps; static jmp_buf out;
enum {{ DEREF, FREE, CLEAN, ERROR, KINDS }}; static long failed[KINDS];
static void end(int kind) {{ if (kind >= 0) failed[kind]++; longjmp(out, 1); }}
static int in(void) {{ if (used == {LENGTH}) {{ cut = 1; end(-1); }} return given[used++]; }}
static void step(void) {{ if (++steps > 3000) {{ cut = 1; end(-1); }} }}
enum {{ ROOM = 256 }};
static char pool[1024 * ROOM]; static int live[1024], size[1024], heap[1024], frame[1024], count, depth;
static int owner(const void *p) {{ const char *at = p; return at >= pool && at < pool + sizeof pool ? (at - pool) / ROOM : -1; }}
static void *object(long n, int is_heap, int of_frame) {{
    step(); if (count == 1024 || n > ROOM / 2 || n < 0) {{ cut = 1; end(-1); }}
    live[count] = 1; size[count] = n; heap[count] = is_heap; frame[count] = of_frame; memset(pool + ROOM * count, 0, ROOM);
    return pool + ROOM * count++ + ROOM / 4;
}}
static char *start(int of) {{ return pool + ROOM * of + ROOM / 4; }}
static void let_go(void *p) {{
    step(); if (!p) return;
    int of = owner(p); if (of < 0 || !live[of] || !heap[of] || (char *)p != start(of)) end(FREE);
    live[of] = 0;
}}
static void *make(long n) {{ return object(n * 4, 1, 0); }}
static void *grow(void *p, long n) {{
    void *q = make(n); int of = owner(p), to = owner(q);
    if (p) {{ let_go(p); memcpy(q, p, size[of] < size[to] ? size[of] : size[to]); }}
    return q;
}}
#define ARR(t, a, n) t *a = object((n) * sizeof(t), 0, 0)
#define LOCAL(t, a) t *a##_ = object(sizeof(t), 0, 0)
#define ALLOCA(n) object((n) * 4, 0, depth)
static void die(void *p) {{ live[owner(p)] = 0; }}
#define DIE(a) die(a)
#define ENTER depth++
static void leave(void) {{ for (int i = 0; i < count; i++) if (frame[i] == depth) live[i] = 0; depth--; }}
#define LEAVE leave()
static void *at(const void *p, unsigned long n) {{
    step(); int of = owner(p);
    if (of >= 0 && live[of] && (char *)p >= start(of) && (char *)p + n <= start(of) + size[of]) return (void *)p;
    if (of < 0 && outside(p)) return (void *)p;
    end(DEREF); return 0;
}}
static void look(void) {{ for (int i = 0; i < count; i++) if (live[i] && heap[i]) end(CLEAN); }}
#define M(p) (*(__typeof__(p))at(p, sizeof *(p)))
#define reach_error() end(ERROR)
#define main program
"""

ALL_RUNS = f"""
#undef main
int main(void) {{
    for (long all = 0; all < 1L << {2 * LENGTH}; all++) {{
        for (int i = 0; i < {LENGTH}; i++) given[i] = all >> 2 * i & 3;
        used = steps = count = depth = 0; reset();
        if (!setjmp(out)) {{ program(); look(); }}
    }}
    printf("%ld %ld %ld %ld %d", failed[DEREF], failed[FREE], failed[CLEAN], failed[ERROR], cut);
    return 0;
}}
"""


class Writer:
    """`p`: a block of `n` ints, or null and 0; `q`, `r`: pointers into whatever; `g`: one of the static objects."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.bounded = seed % 4 != 0

    def program(self) -> tuple[str, str]:
        chance = self.chance
        self.static = chance.random() < 0.5
        lines = ["static int out3[3]; struct pair { int *a; int b; };"]
        reset = "memset(out3, 0, sizeof out3);"
        if self.static:
            lines.append("static int *p, *q, *r, n, k;")
            reset += " p = q = r = 0; n = k = 0;"
        lines += self.functions()
        lines.append("int main(void) {")
        if not self.static:
            lines.append("int *p = 0, *q = 0, *r = 0; int n = 0, k = 0;")
        lines += ["ENTER;"]
        if chance.random() < 0.3:
            lines.append(f"p = make({chance.randrange(1, 4)}); n = {chance.randrange(1, 4)};")
        for _ in range(chance.choice((1, 1, 1, 2))):
            head = (
                f"for (int on = {self.chance.choice((1, 2, 3))}; on; on--) {{"
                if self.bounded
                else "for (int on = 1; on;) {"
            )
            lines += [head, "switch (in()) {", f"case 0: {self.action() if self.bounded else 'on = 0;'} break;"]
            for case in range(1, 4):
                lines.append(f"case {case}: {{ {self.action()} break; }}")
            lines += ["}", "}"]
        if chance.random() < 0.7:
            lines.append("let_go(p);")
        if chance.random() < 0.2:
            lines.append("let_go(q);")
        know = f"static int outside(const void *p) {{ return (char *)p >= (char *)out3 && (char *)p < (char *)(out3 + 3); }}\nstatic void reset(void) {{ {reset} }}"
        return "\n".join([*lines, "LEAVE;", "return 0;", "}"]), know

    def functions(self) -> list[str]:
        chance = self.chance
        pick = [
            "static int *same(int *a) { return a; }",
            "static int *next(int *a) { return a + 1; }",
            "static int *none(int *a) { (void)a; return 0; }",
            "static int *local(int *a) { ENTER; int *b = ALLOCA(2); M(b) = M(a); LEAVE; return b; }",
            "static int *handed(int *a) { ENTER; int *b = ALLOCA(2); b[0] = M(a); LEAVE; return a; }",
            "static int *freed(int *a) { let_go(a); return a; }",
        ]
        two = chance.sample(pick, 2)
        self.calls = [one.split("(")[0].split("*")[1] for one in two]
        table = f"static int *(*const table[2])(int *) = {{ {self.calls[0]}, {self.calls[1]} }};"
        if chance.random() < 0.4:
            table = table.replace("const ", "")
        return [*two, table, "static void store(struct pair s) { M(s.a + s.b) = 1; }"]

    def index(self) -> str:
        return self.chance.choice(("0", "n - 1", "k", "n", "1", "k - 1", "n / 2"))

    def action(self) -> str:
        c = self.chance
        x, y = c.choice("pqr"), c.choice("pqr")
        i = self.index()
        always = (
            f"if (!p) {{ n = {c.choice(('1', '2', '3', 'in() + 1', 'in()'))}; p = make(n); }}",
            f"n = n + {c.choice('12')}; p = grow(p, n); if (n > 20) n = 20, p = grow(p, {c.choice(('n', 'n', 'n + 1', '19'))});",
            "if (k < n) k++;",
            "if (k > 0) k--;",
            "k = 0;",
            "k = in();",
            "if (n > 1) { n--; p = grow(p, n); }",
            f"if (p) {{ let_go(p); p = 0; {c.choice(('', 'n = 0;', 'n = 0;', 'n = 0; k = 0;', 'q = 0; n = 0;', 'q = r = 0; n = k = 0;'))} }}",
            "if (p && k < n) q = p + k;",
            "q = p; r = q;",
            f"{x} = {y};",
            f"{x} = out3 + {c.randrange(4)};",
            "q = 0;",
            "r = 0;",
            f"if (p && {c.choice(('k < n', 'k <= n', 'n', '1', 'n > 1'))}) M(p + {i}) = {c.randrange(3)};",
            f"if ({x}) M({x}) = {c.randrange(3)};",
            f"if ({x}) k = M({x}) & 3;",
            f"if (q && {c.choice(('p', 'q == p + k', 'k < n', 'q != r'))}) M(q) = 1;",
            "if (q == p && q) M(q + n - 1) = 2;",
            f"for (int i = 0; i < {c.choice(('n', 'k', 'n + 1', 'n - 1'))}; i++) M(p + i) = i;",
            f"if (p) for (int *t = p; t {c.choice(('<', '!=', '<='))} p + {c.choice('nk')}; t++) M(t) = 0;",
            f"{{ ARR(int, a, {c.choice(('3', 'n + 1', 'k + 1'))}); {c.choice('qr')} = a; M(a + {c.choice(('0', 'k', 'n', '2'))}) = 1; DIE(a); }}",
            f"{{ ARR(int, a, 3); int *t = a; for (int i = 0; i < {c.choice(('3', 'k', 'n'))}; i++) M(t++) = i; DIE(a); }}",
            f"{c.choice('qr')} = ALLOCA({c.choice(('1', '2', 'k + 1'))});",
            f"if ({x}) {y} = {self.calls[0]}({x});",
            f"if ({x}) {y} = table[in() & 1]({x});",
            f"if ({x}) {y} = table[k & 1]({x});",
            f"if ({x}) {{ struct pair s = {{ {x}, {c.choice(('0', 'k', '1'))} }}; store(s); }}",
            f"if ({x} && {x} == {y}) {{ M({x}) = 1; if (M({y}) != 1) reach_error(); }}",
            f"if ({x} && {y}) {{ M({x}) = 1; M({y}) = 2; if (M({x}) == 1) reach_error(); }}",
            "if (q == r && q != 0 && n == 0) reach_error();",
            f"{{ int *t = {x}; {x} = {y}; {y} = t; }}",
            "if (q && r && q - q + r == r) M(r) = 0;",
            f"let_go({x});" if c.random() < 0.3 else "n = n;",
        )
        return " ".join(c.choice(always) for _ in range(c.choice((1, 1, 2))))


def failing(text: str, know: str, folder: Path) -> list[int]:
    source, built = folder / "native.c", folder / "native"
    head = "static int outside(const void *); static void reset(void);\n"
    source.write_text(head + NATIVE + text + know + ALL_RUNS)
    subprocess.run(["gcc", "-w", "-O1", "-o", str(built), str(source)], check=True, timeout=60)
    told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=60).stdout
    return [int(number) for number in told.split()]


def options(chance: random.Random, seconds: float) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "timeout": seconds,
        "jobs": 1,
        "proof_runs": 0,
        "data_model": chance.choice(("LP64", "ILP32")),
    }
    return asked | {"engines": chance.choice(ENGINES), "prepare": chance.choice(("default", "default", "modular"))}


def wrong(result: CheckResult, kind: str, fails: list[int]) -> list[str]:
    found = [f"crash {result.reason}"] * bool(result.crash_reports)
    alone = fails[KINDS.index(kind)]
    earlier = sum(fails[:4]) - alone
    if result.outcome is Outcome.TRUE and alone and (kind.startswith("valid-d") or not earlier or kind == "valid-free"):
        found.append(f"TRUE, and {alone} runs fail")
    if result.outcome is Outcome.FALSE and not alone and not earlier and not fails[4]:
        found.append("FALSE, and no run fails")
    if result.outcome is Outcome.FALSE and not alone and not earlier:
        found.append("(?) FALSE, no short run fails")
    return found


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    text, know = Writer(seed).program()
    fails = failing(text, know, file.parent)
    file.write_text(CHECKED + text)
    how = options(chance, seconds)
    if seed % 4:
        how["engines"] = chance.choice((("auto",), ("bmc",), ("dse",), ("kinduction",)))
    failed = [kind for kind, count in zip(KINDS, fails[:4], strict=True) if count]
    kind = chance.choice(failed if failed and chance.random() < 0.85 else KINDS)
    result = counterpoint.check(file, property=kind, **how)
    return Told(f"{kind} {','.join(how['engines'])} {result.outcome.name} {fails}", wrong(result, kind, fails))


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "memory", one))
