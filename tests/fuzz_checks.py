"""Random programs with several checks, each on a line of its own, whose answers all runs tell.

Every input has four values, so that gcc's build of a program, called with every sequence of them, tells which checks
fail first in some run. A check that is called proved must not be among them, one that is called refuted must be.

    python tests/fuzz_checks.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-checks]
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

KINDS = ("unreach-call", "memory-safety", "division")
LENGTH = 7
"""Inputs of a sequence; a run that asks for more is cut off."""

CHECKED = """extern int nd(void); extern void __VERIFIER_assume(int); extern void reach_error(void); int arr[5], sink;
#define AT(i) arr[i] = 1
#define DIV(i) sink = 7 / (i)
"""

NATIVE = f"""#include <setjmp.h>
#include <stdio.h>
static int given[16], used, cut, failed[1000]; static long steps; static jmp_buf out;
static void end(int line) {{ failed[line] = 1; longjmp(out, 1); }}
static int nd(void) {{ if (used == {LENGTH}) {{ cut = 1; end(0); }} return given[used++]; }}
static void __VERIFIER_assume(int holds) {{ if (!holds) end(0); }}
static void step(void) {{ if (++steps > 2000) {{ cut = 1; end(0); }} }}
#define reach_error() end(__LINE__)
#define AT(i) do {{ int at = (i); if (at < 0 || at > 4) end(__LINE__); step(); }} while (0)
#define DIV(i) do {{ if ((i) == 0) end(__LINE__); step(); }} while (0)
#define while(x) while ((step(), (x)))
#define main program
#line 4
"""

ALL_RUNS = f"""
#undef main
#undef while
int main(void) {{
    for (long all = 0; all < 1L << {2 * LENGTH}; all++) {{
        for (int i = 0; i < {LENGTH}; i++) given[i] = all >> 2 * i & 3;
        used = steps = 0;
        if (!setjmp(out)) program();
    }}
    printf("%d", cut);
    for (int line = 1; line < 1000; line++) if (failed[line]) printf(" %d", line);
    return 0;
}}
"""

INPUTS = (
    "static int in(void) { unsigned v = nd(); if (v > 3) v = 0; return v; }",
    "static int in(void) { int v = nd(); __VERIFIER_assume(v >= 0 && v < 4); return v; }",
    "#define in() (nd() & 3)",
)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int, kind: str) -> None:
        self.chance, self.kind = random.Random(seed), kind
        self.lines: list[str] = []
        self.functions: list[str] = []

    def program(self) -> str:
        chance = self.chance
        self.lines = [chance.choice(INPUTS)]
        for name in ("f", "g")[: chance.randrange(3)]:
            again = chance.random() < 0.3
            self.lines += [f"static int {name}(int a, int b) {{", "int c = 0;"]
            self.lines += [f"if (a > 0) c = {name}(a - 1, b) & 3;"] * again
            self.block(["a", "b", "c"], chance.randrange(1, 4), 0 if again else 1)
            self.lines += ["return (a ^ b) & 3;", "}"]
            self.functions.append(name)
        self.lines += ["int main(void) {", "int x = in(), y = in(), z = 0;"]
        self.block(["x", "y", "z"], chance.randrange(2, 4), 1)
        if chance.random() < 0.5:
            self.lines.append(chance.choice(("while (1) {", "while (in()) {")))
            self.functions = []
            self.block(["x", "y", "z"], chance.randrange(2, 4), 0)
            self.lines.append("}")
        return "\n".join([*self.lines, "return 0;", "}"])

    def block(self, names: list[str], count: int, loops: int, depth: int = 0) -> None:
        for _ in range(count):
            self.statement(names, loops, depth)

    def statement(self, names: list[str], loops: int, depth: int) -> None:
        chance, variable = self.chance, self.chance.choice(names[:3])
        what = chance.randrange(10)
        if what < 2 and depth < 3:
            self.lines.append(f"if ({self.condition(names)}) {{")
            self.block(names, chance.randrange(1, 3), loops, depth + 1)
            self.lines += ["} else {", f"{variable} = in();"] * (what == 0)
            self.lines.append("}")
        elif what == 2 and loops:
            index = f"i{len(self.lines)}"
            self.lines.append(f"for (int {index} = 0; {index} < {chance.choice(names)}; {index}++) {{")
            self.block([*names, index], chance.randrange(1, 3), loops - 1, depth + 1)
            self.lines.append("}")
        elif what == 3:
            self.lines.append(f"{variable} = {self.number(names)} & 3;")
        elif what == 4:
            self.lines.append(f"{variable} = in();")
        elif what == 5:
            self.lines.append(f"__VERIFIER_assume({self.condition(names)});")
        elif what == 6 and self.functions:
            called = chance.choice(self.functions)
            self.lines.append(f"{variable} = {called}({self.number(names)} & 3, {self.number(names)} & 3);")
        else:
            self.lines.append(self.check(names))

    def check(self, names: list[str]) -> str:
        chance, number = self.chance, self.number(names)
        match self.kind:
            case "unreach-call":
                return f"if ({self.condition(names)} && {self.condition(names)}) reach_error();"
            case "memory-safety":
                return f"AT({number} + {chance.randrange(3)});"
        return f"DIV({number} + {chance.randrange(3)} - {chance.randrange(3)});"

    def condition(self, names: list[str]) -> str:
        operator = self.chance.choice(("==", "!=", "<", ">", "<=", ">="))
        return f"{self.number(names)} {operator} {self.number(names)}"

    def number(self, names: list[str]) -> str:
        chance, one, other = self.chance, self.chance.choice(names), self.chance.choice(names)
        narrow = chance.choice(("unsigned char", "signed char", "short", "long"))
        forms = (one, one, f"({one} + {other})", f"({one} ^ {other})", f"({one} & {chance.randrange(1, 4)})")
        more = (f"(({narrow})({one} * {chance.randrange(2, 90)}) & 7)", str(chance.randrange(5)))
        return chance.choice(forms + more)


def failing(text: str, folder: Path) -> tuple[bool, set[int]]:
    """Whether runs were cut off, and the lines whose checks fail first in some run."""
    source, built = folder / "native.c", folder / "native"
    source.write_text(NATIVE + text + ALL_RUNS)
    subprocess.run(["gcc", "-w", "-O1", "-o", str(built), str(source)], check=True, timeout=60)
    told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    return told[0] == "1", set(map(int, told[1:]))


def options(chance: random.Random, kind: str, seconds: float) -> dict[str, Any]:
    asked: dict[str, Any] = {"property": kind, "timeout": seconds, "jobs": 1, "proof_runs": 0}
    asked["engines"] = chance.choice(
        (("auto",), ("bmc",), ("bmc", "houdini"), ("houdini",), ("dse", "houdini"), ("kinduction",), ("predicates",), ("dash",))
    )
    if asked["engines"] == ("bmc",):
        asked["options"] = (("bmc.cases", "true"),)
    elif chance.random() < 0.2:
        asked["prepare"] = "none"
    asked["shrink"] = chance.random() < 0.3
    return asked


def wrong(result: CheckResult, cut: bool, lines: set[int]) -> list[str]:
    """What the result says that runs contradict."""
    found = [f"crash {result.reason}"] * bool(result.crash_reports)
    answers: dict[int, set[str]] = {}
    for check in result.checks:
        answers.setdefault(check.at.line, set()).add(check.answer.name)
    found += [f"line {line} is proved, and fails" for line in sorted(lines) if answers.get(line) == {"PROVED"}]
    findings = {finding.at.line for finding in result.findings}
    found += [f"line {line} is refuted, and never fails" for line in sorted(findings - lines) if not cut]
    if result.outcome is Outcome.TRUE and lines:
        found.append("TRUE, and runs fail")
    return found


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    kind = chance.choice(KINDS)
    text = Writer(seed, kind).program()
    cut, lines = failing(text, file.parent)
    file.write_text(CHECKED + text)
    how = options(chance, kind, seconds)
    result = counterpoint.check(file, **how)
    return Told(f"{kind} {','.join(how['engines'])} {result.outcome.name}", wrong(result, cut, lines))


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "checks", one))
