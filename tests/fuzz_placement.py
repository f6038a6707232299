"""Random programs whose checks hang on where objects lie: on low bits of addresses, on order, on distances, on
whether one begins where another ends.

Behind a loop, a call or both, something is asked of an address that C leaves open, so that TRUE is always wrong, or
something that it settles, so that FALSE is. Where a proof may not notice (docs/soundness.md) is left out.

    python tests/fuzz_placement.py --programs 20 [--seed N] [--seconds 8] [--out build/fuzz-placement]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import counterpoint
from counterpoint.portfolio.result import Outcome
from fuzz_rounds import Told, rounds

HEAD = """#include <stdint.h>
#include <stdlib.h>
extern int nd(void); extern void reach_error(void); extern void seen(void *);
typedef uintptr_t N;
static char one, two[3]; static struct { char a, b; } pair; static long wide[2];
static union { char *p; N n; unsigned char b[sizeof(N)]; } pun; static N kept[2]; static char *at;
static N number(char *p) { return (N)p; }
static N read_back(char *p) { N n; at = p; while (nd()) seen(0); __builtin_memcpy(&n, &at, sizeof n); return n; }
static N punned(char *p) { pun.p = p; while (nd()) seen(0); return pun.n; }
static N stored(char *p) { kept[1] = (N)p; int n = 1; while (nd()) n = 1 - n; return n ? kept[n] : 0; }
static N along(N n, int k) { return k > 0 ? along(n, k - 1) : n; }
static char *same(char *p) { while (nd()) seen(p); return p; }
static N masks(void) { N m = 0; while (nd()) m = (2 * m + 1) & 15; return m; }
#define LOWEST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(N) - 1 : 0)
static int masked(N n, N m) { return (n & m) != 0; }
"""

ENGINES = (("houdini",), ("kinduction", "houdini"), ("spacer", "houdini"), ("predicates",), ("dash",), ("summaries",), ("inertial",), ("auto",), ("bmc",))
ODD = ("&one", "two", "&pair.a", "&local", "two + 1")
APART = (("&one", "two"), ("&one", "&local"), ("made", "&one"), ("&local", "made"), ("(char *)wide", "&one"), ("made", "made2"))

LOW = (
    "(unsigned char)({n} << 4) != 0 && ({n} << 5 & 32) != 0", "{n} * (N)1 << (8 * sizeof(N) - 3) != 0", "(unsigned char){n} % 16 == 3",
    "(unsigned char){n} == 5", "__builtin_popcountll({n}) == 1 && ({n} ^ 1) == 0x100001", "__builtin_ctzll({n}) < 4", "(__builtin_bswap64({n}) >> 56 & 1) != 0",
    "(char *)(({n} | 1) - 1) != p", "(({n} | 3) ^ 3) != {n}", "({n} ^ 1) < {n}", "(double){n} / 2 != (double)({n} / 2)",
    "{n} == 0x7f0001", "{n} == 4 * (N)nd() + 3",
    "nd() == 7 && (masks() & {n}) != 0", "(pun.p = p, pun.b[LOWEST] & 1)",
)  # fmt: skip
"""Whether an address is odd, in other words than masks."""
APART_BY = ("({p} ^ {q}) < 16", "({p} ^ {q}) & 5", "({p} >> 4) % 8 == ({q} >> 4) % 8", "({p} & ~(N)4095) != ({q} & ~(N)4095)", "{p} / 4096 == {q} / 4096")

TOUCHING = (("&one + 1", "two"), ("two + 3", "&one"), ("&one + 1", "&local"), ("(char *)(wide + 2)", "two"), ("&local + 1", "(char *)wide"), ("made + 1", "&one"), ("two + 3", "made"))
MEET = (
    "p == q", "{n} == (N)q", "~{n} == ~(N)q", "-{n} == -(N)q", "{n} + 5 == (N)q + 5", "{n} - 1 == (N)(q - 1)", "{n} * 3 == (N)q * 3", "({n} ^ (N)q) == 0",
    "(long long){n} == (long long)(N)q", "(double){n} == (double)(N)q", "{n} - (N)q == 0", "!({n} < (N)q) && !((N)q < {n})", "(N)q - ({n} - 1) == 1",
    "__builtin_memcmp(&p, &q, sizeof p) == 0", "{n} + (N)q == 2 * (N)q", "p <= q && q <= p", "(unsigned){n} == (unsigned)(N)q && {n} >> 31 == (N)q >> 31",
)  # fmt: skip
"""Whether one object ends where another begins."""


def program(chance: random.Random) -> tuple[str, bool]:
    """The text, and whether its check hangs on the placement."""
    routes = ("read_back(p)", "punned(p)", "stored(p)", "(N)p", "number(p)", "along((N)p, nd())", "along(number(p), 3)", "(N)same(p)", "((N)p + 2 * (N)(nd() & 1))", "((N)p ^ 1)")
    way = chance.choice(routes)
    kind, p = chance.randrange(9), chance.choice(ODD)
    q = "wide"
    if kind == 0:
        mask = chance.choice((1, 3, 7, 15))
        check = chance.choice((f"({way} & {mask}) != 0", f"{way} % {mask + 1} == {mask}", f"masked({way}, {mask})", f"({way} >> 2 & 3) == 1"))
    elif kind == 1:
        p, q = chance.choice(APART)
        check = chance.choice(("p < q", "p > q", "(N)p < (N)q", "p <= q", "(intptr_t)p >= (intptr_t)q", "(unsigned char)(N)p < (unsigned char)(N)q", "(long long)(N)p * 3 < (long long)(N)q * 3"))
    elif kind == 2:
        p, q = chance.choice(APART)
        check = chance.choice(("((q - p) & 15) == 5", "q - p < 0", "q - p > 0", "((N)q - (N)p) % 16 == 3", "(N)p - (N)q > (N)q - (N)p"))
    elif kind == 5:
        check = chance.choice(LOW).format(n=way)
    elif kind == 6:
        p, q = chance.choice(APART[:-1])
        check = chance.choice(APART_BY).format(p="(N)p", q="(N)q")
    elif kind > 6:
        p, q = chance.choice(TOUCHING)
        check = chance.choice(MEET).format(n=way)
    elif kind == 3:
        p, q = "(char *)wide", "(char *)(wide + 1)"
        check = chance.choice(("((N)p & (sizeof(long) - 1)) != 0", "p >= q", "q - p != sizeof(long)", f"(N)p % {chance.choice((2, 4))} != 0"))
    else:
        p, q = chance.choice(("&one", "two", "made")), chance.choice(("&local", "&pair.b", "made2"))
        check = chance.choice(("p == q", "(p < q) == (q < p)", "(q - p) + (p - q) != 0", "!p || !q"))
    lines = ["int main(void) {", "char local = 0; char *made = malloc(1), *made2 = malloc(2); if (!made || !made2) return 0;"]
    if kind in (2, 6) and chance.random() < 0.5:
        p, q = f"nd() ? {p} : {q}", f"(nd() ? {p} : {q})"
    lines += [f"char *p = {p}, *q = (char *)({q}); int n = 0;"]
    if kind < 8:
        lines.append(chance.choice(("while (nd()) n ^= 1;", "p = same(p);", "q = same(q); while (nd()) n++;", "while (nd()) seen(&local);")))
    lines += [f"if ({check}) reach_error();", "return 0; }"]
    return HEAD + "\n".join(lines) + "\n", kind not in (3, 4)


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    text, hangs = program(chance)
    file.write_text(text)
    engines, prepare = chance.choice(ENGINES), chance.choice(("default", "none", "modular"))
    model = chance.choice(("LP64", "ILP32"))
    result = counterpoint.check(
        file, engines=engines, prepare=prepare, data_model=model, timeout=seconds, jobs=1, proof_runs=0, shrink=False
    )
    said = ["crash"] * bool(result.crash_reports)
    if result.outcome is (Outcome.TRUE if hangs else Outcome.FALSE):
        said.append("WRONG")
    what = f"{model} {prepare} {','.join(engines)} {'hangs' if hangs else 'settled'}"
    return Told(f"{what} {result.outcome.name}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "placement", one, 8.0))
