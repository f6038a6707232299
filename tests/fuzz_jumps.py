"""Functions whose jumps go past declarations and back over them, for the property `uninitialised`.

Declarations with and without an initialiser, assignments and reads of a few scalars stand between labels and in a
`switch`; jumps with and without a condition go to any label. The native program has a flag beside each variable, which
says whether it has a value, and tries all short inputs: where it reads what has none, nothing must be proved.

    python tests/fuzz_jumps.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-jumps]
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import counterpoint
from counterpoint.portfolio.result import Outcome
from fuzz_rounds import Told, rounds

VARIABLES = "abc"
LABELS = 3
BITS = 6
HEAD = """extern int nd(void);
#define UNSET(v)
#define SET(v)
#define READ(v) (v)
"""
NATIVE = """#include <setjmp.h>
static int inputs, fuel, failed, has_a, has_b, has_c; static jmp_buf out;
static int nd(void) { if (--fuel < 0) longjmp(out, 1); int bit = inputs & 1; inputs >>= 1; return bit; }
static int without(void) { failed = 1; longjmp(out, 1); return 0; }
#define UNSET(v) has_##v = 0;
#define SET(v) has_##v = 1;
#define READ(v) (has_##v ? v : without())
"""
RUNS = """
#undef main
int main(void) {
    for (int k = 0; k < 1 << %d; k++) {
        inputs = k; fuel = %d; has_a = has_b = has_c = 0;
        if (!setjmp(out)) tested();
    }
    return failed;
}
"""


def _line(chance: random.Random, undeclared: list[str], known: list[str]) -> str:
    kind = chance.random()
    if undeclared and kind < 0.4:
        name = undeclared.pop()
        known.append(name)
        if chance.random() < 0.6:
            return f"int {name} = {chance.randrange(3)}; SET({name})"
        return f"int {name}; UNSET({name})"
    if kind < 0.6:
        condition = chance.choice(("if (nd()) ", "if (nd()) ", ""))
        return f"{condition}goto l{chance.randrange(LABELS)};"
    if known and kind < 0.75:
        name = chance.choice(known)
        return f"{chance.choice(('', 'if (nd()) '))}{{ {name} = {chance.randrange(3)}; SET({name}) }}"
    if known:
        return f"if (nd()) return READ({chance.choice(known)});"
    return "if (nd()) return 1;"


def program(chance: random.Random) -> str:
    undeclared, known = list(VARIABLES), list[str]()
    lines = [_line(chance, undeclared, known) for _ in range(chance.randint(5, 9))]
    places = sorted(chance.randrange(len(lines) + 1) for _ in range(LABELS))
    for label, place in reversed(list(enumerate(places))):
        lines.insert(place, f"l{label}: if (!nd()) return 2;" if chance.random() < 0.5 else f"l{label}:;")
    end = f"return READ({chance.choice(known)});" if known and chance.random() < 0.7 else "return 0;"
    if chance.random() < 0.3:
        lines = ["switch (nd()) {", *lines, "case 0:;" if chance.random() < 0.5 else "default:;", end, "}", "return 0;"]
    else:
        lines.append(end)
    if chance.random() < 0.5:  # one way out, and one jump for sure
        lines = [one.replace("if (nd()) return ", "if (nd()) seen += ").replace("if (!nd()) return 2", "") for one in lines]
        lines = [f"goto l{chance.randrange(LABELS)};", *lines]
    body = "\n    ".join(lines)
    return f"static int seen; int main(void) {{\n    {body}\n}}\n"


def fails(text: str, file: Path) -> bool:
    """Whether some run reads what has no value."""
    code, made = file.with_suffix(".native.c"), file.with_suffix(".exe")
    code.write_text(NATIVE + "#define main tested\n" + text + RUNS % (BITS, BITS))
    subprocess.run(["gcc", "-w", "-O0", str(code), "-o", str(made)], check=True)
    try:
        return subprocess.run([str(made)], timeout=20).returncode != 0
    finally:
        code.unlink()
        made.unlink()


def one(seed: int, file: Path, seconds: float) -> Told:
    text = program(random.Random(seed))
    file.write_text(HEAD + text)
    try:
        bad = fails(text, file)
    except subprocess.TimeoutExpired:
        return Told("runs without inputs for ever", [])
    result = counterpoint.check(file, property="uninitialised", timeout=seconds, jobs=1)
    said = ["crash"] * bool(result.crash_reports)
    if result.outcome is Outcome.TRUE and bad:
        said.append("WRONG")
    return Told(f"{'fails' if bad else 'holds'} {result.outcome.name}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "jumps", one))
