"""Random places of assertions and loop invariants: behind labels and heads without braces, beside directives that leave
code out or move lines, in arguments of macros. The copy with checks and the same program with calls written by hand are
built by clang and run, and must say the same. What is refused is counted.

    python tests/fuzz_places.py --rounds 20 [--seed N]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.editing.obligations import checked_copy
from counterpoint.frontend.task import CHECKS, SourceTask
from fuzz_conditions import BEHIND, compiler

HEAD = "#define TWICE(x) x\n#define FIVE 5\n#define STEP(v) v = v + 1\n#define ASK(c) __counterpoint_invariant(!!(c), \"\")\n"
Pair = tuple[str, str]
"""Text with a comment, and with a call by hand instead."""


class Writer:
    """Writes one function's body over `x` and `y`, twice."""

    def __init__(self, seed: int) -> None:
        self.chance, self.labels = random.Random(seed), 0

    def condition(self) -> str:
        return f"{self.chance.choice('xy')} {self.chance.choice(('<', '==', '!=', '>='))} {self.chance.randrange(6)}"

    def asked(self) -> Pair:
        """A comment, and the statement that it means."""
        said, chance = self.condition(), self.chance
        form = chance.choice(("//@ assert {};\n", "/*@ assert {}; */ ", "/*@ check {};\n  @*/\n", "/*@\n assert {}; */\n"))
        return form.format(said), f"ASK({said}); "

    def statement(self, depth: int) -> Pair:
        chance = self.chance
        simple = chance.choice(("x = y + 1;", "STEP(y);", "y ^= x;", "x &= 7;", "{ x++; }", ";"))
        kind = chance.randrange(12) if depth else 0
        if kind < 3:
            return simple, simple
        comment, call = self.asked()
        (a, b), (c, d) = self.statement(depth - 1), self.statement(depth - 1)
        head = f"if ({self.condition()})"
        if kind == 3:
            return f"{head} {comment}{a} else {c}", f"{head} {{ {call}{b} }} else {{ {d} }}"
        if kind == 4:
            return f"{head} {{ {a} }} else\n{comment}{c}", f"{head} {{ {b} }} else {{ {call}{d} }}"
        if kind == 5:
            said = self.condition()
            loop = f"for (int k = 0; k < {chance.randrange(3)}; k++)"
            asking = loop.replace("; k <", f"; ASK({said}), k <")
            return f"//@ loop invariant {said};\n{loop} {comment}{a}", f"{asking} {{ {call}{b} }}"
        if kind == 6:
            said, turns = self.condition(), f"(z++ & 3) < {chance.randrange(3)}"
            return f"//@ loop invariant {said};\nwhile ({turns}) {a}", f"while (ASK({said}), {turns}) {{ {b} }}"
        if kind == 7:
            self.labels += 1
            label = f"L{self.labels}:"
            jump = f"if (z++ % 3 == 1) goto L{self.labels};"
            return f"{{ {label} {comment}{a}\n{jump} }}", f"{{ {label} {call}{b}\n{jump} }}"
        if kind == 8:
            cases = "switch (x & 3) {{ case 0: {} {} case 1: {} break;\ndefault: {} }}"
            return cases.format(a, comment, c, comment), cases.format(b, call, d, call)
        if kind == 9 and chance.random() < 0.2:
            return f"TWICE({{ {a}\n{comment}{c} }})", f"TWICE({{ {b}\n{call}{d} }})"
        return f"{{ {a} {comment}{c} {comment}}}", f"{{ {b} {call}{d} {call}}}"

    def line(self) -> Pair:
        """One piece of the body, on lines of its own."""
        chance = self.chance
        kind = chance.randrange(10)
        (a, b), (comment, call) = self.statement(2), self.asked()
        if kind == 0:
            moved = chance.choice(("#line 1", "#line 7", "#line FIVE", '# 3 "other.y"', "/*\n#line 90\n*/", '#line 5 "f.c"'))
            return moved, moved
        if kind < 4:
            two, three = self.statement(1)
            test = chance.choice(("0", "1", "FIVE == 4", "defined TWICE", "\\\n0", "/* ; */ 1 // text"))
            other = chance.choice(("#else", "#elif 1", "#line 12\n#else", "# /* */ else"))
            first = chance.choice(("", "#define STEPS 3\n", "/* if\n#else\n*/", "#line 30\n"))
            form = f"{{}}\n#if {test}\n{first}{{}}\n{{}}\n{other}\n{{}}\n#endif"
            out, meant = chance.choice(((comment, call), ("x++; ", "x++; ")))
            return form.format(comment, two, a, out + two), form.format(call, three, b, meant + three)
        if kind == 4:
            return f"// text \\\n{comment.strip()}\n{a}" if comment.startswith("//") else a, b
        return comment + a, call + b

    def program(self) -> Pair:
        lines = [self.line() for _ in range(self.chance.randrange(1, 7))]
        head, end = f"{HEAD}int main(void) {{ int x = 1, y = 2, z = 0;\n", "\nreturn 0; }\n"
        return head + "\n".join(one for one, _ in lines) + end, head + "\n".join(two for _, two in lines) + end


def ran(text: bytes, file: Path, clang: Sequence[str]) -> str:
    file.write_bytes(b"void __counterpoint_invariant(int c, const char *s);\n" + text + BEHIND.encode())
    built = file.with_suffix(".run")
    done = subprocess.run([*clang, "-w", "-fno-sanitize=all", "-o", str(built), str(file)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        return f"not compiled: {done.stderr[:300]}"
    return subprocess.run([str(built)], capture_output=True, text=True, timeout=20, check=True).stdout


def round_of(seed: int, folder: Path, clang: Sequence[str]) -> tuple[bool, str]:
    """(whether checks were written, what is wrong with them)."""
    asked, by_hand = Writer(seed).program()
    file = folder / "asked.c"
    file.write_text(asked)
    try:
        copy = checked_copy(SourceTask(files=(file,), annotations=CHECKS), file)
    except UnusableInput as why:
        return False, "" if "cannot be checked" in str(why) else str(why)
    said, meant = ran(copy, folder / "copy.c", clang), ran(by_hand.encode(), folder / "hand.c", clang)
    return True, "" if said == meant else f"the checks say {said}, by hand {meant}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    bad = written = 0
    for seed in range(asked.seed, asked.seed + asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            checks, wrong = round_of(seed, Path(folder), compiler(Path(folder) / "asked.c"))
        written += checks
        bad += bool(wrong)
        if wrong:
            sys.stdout.write(f"{seed}: {wrong}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{asked.rounds} programs, {written} with checks, {bad} wrong\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
