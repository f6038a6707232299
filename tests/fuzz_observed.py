"""Programs with places `OBSERVE(n, e)`: gcc's build tells which values the expressions have in all runs, and which checks
of such values fail.

Every input has four values, and a run is one sequence of LENGTH of them.
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fuzz_checks import LENGTH

TRAP = 999
"""The line that fails where a run ends by a trap."""

_ALL_RUNS = f"""
#undef main
#undef while
int main(void) {{
    signal(SIGILL, trapped);
    for (long all = 0; all < 1L << {2 * LENGTH}; all++) {{
        for (int i = 0; i < {LENGTH}; i++) given[i] = all >> 2 * i & 3;
        used = steps = 0; reset();
        if (!sigsetjmp(out, 1)) program();
    }}
    printf("%d\\n", cut);
    for (int n = 0; n < 16; n++) {{ for (int i = 0; i < count[n]; i++) printf("%lld ", seen[n][i]); printf("\\n"); }}
    for (int line = 1; line < 1000; line++) if (failed[line]) printf("%d ", line);
    return 0;
}}
"""


@dataclass(frozen=True)
class Observed:
    """What stands in front of the programs (`types`), what makes their variables as they are at the start (`reset`), and
    what else natively built ones begin with (`natively`)."""

    types: str
    reset: str
    natively: str = ""

    @property
    def checked(self) -> str:
        """The beginning of a program that is checked: `in()` is an input."""
        return (
            "extern int nd(void); extern void reach_error(void);\n#define STEP (void)0\n"
            "static int in(void) { return nd() & 3; }\n" + self.types
        )

    @property
    def native(self) -> str:
        """The beginning of one that is built and run; lines have the numbers that they have in the other."""
        return f"""#define OBSERVE(n, e) look(n, e)
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static void reset(void);
static int given[16], used, cut, failed[1000]; static long steps; static sigjmp_buf out;
static long long seen[16][64]; static int count[16];
static void end(int line) {{ failed[line] = 1; siglongjmp(out, 1); }}
static void trapped(int n) {{ (void)n; end({TRAP}); }}
static int in(void) {{ if (used == {LENGTH}) {{ cut = 1; end(0); }} return given[used++]; }}
static void step(void) {{ if (++steps > 3000) {{ cut = 1; end(0); }} }}
static void look(int n, long long value) {{
    for (int i = 0; i < count[n]; i++) if (seen[n][i] == value) return;
    if (count[n] < 64) seen[n][count[n]++] = value;
}}
#define reach_error() end(__LINE__)
#define STEP step()
{self.natively}#define main program
{self.types}
#line {self.checked.count(chr(10)) + 1}
"""

    def run(self, text: str, folder: Path, *flags: str) -> tuple[bool, list[list[int]], set[int]]:
        """Whether runs were cut off, the values seen, and the lines whose checks fail first in some run, or TRAP."""
        source, built = folder / "native.c", folder / "native"
        source.write_text(f"{self.native}{text}\nstatic void reset(void) {{ {self.reset} }}\n{_ALL_RUNS}")
        common = ["gcc", "-w", "-O1", "-fno-strict-aliasing", "-ffp-contract=off", *flags, "-o", str(built), str(source)]
        subprocess.run(common, check=True, timeout=60)
        told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=60).stdout.split("\n")
        return told[0] == "1", [list(map(int, line.split())) for line in told[1:17]], set(map(int, told[17].split()))


def with_checks(text: str, observed: list[str], seen: list[list[int]], chance: random.Random) -> str:
    """A check of one value at each place: one that is there, or nearly."""

    def check(found: re.Match[str]) -> str:
        values = seen[int(found[1])] or [0]
        least, most, one = min(values), max(values), chance.choice(values)
        near = [k for k in (least - 1, most + 1, one + 1, one - 1) if k not in values]
        value = one if chance.random() < 0.3 else chance.choice(near or [most + 1])
        beyond = f"{observed[int(found[1])]} > {most - (chance.random() < 0.3)}"
        fails = beyond if chance.random() < 0.3 else f"{observed[int(found[1])]} == {value}"
        return f"if ({fails}) reach_error();"

    return re.sub(r"OBSERVE\((\d+), .*?\);$", check, text, flags=re.MULTILINE)
