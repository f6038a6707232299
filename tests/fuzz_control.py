"""Random programs of calls and jumps: recursion with globals, callbacks, narrow results, loops that are entered and left in the middle.

gcc's build is run with every sequence of a few inputs of four values, first to see which values some expressions have,
then with checks of values that they have in some run, or nearly. Under `unreach-call` each engine's answer about each
check must agree with these runs; under `no-overflow` no program is proved of which gcc's sanitizer stops a run, and none
refuted otherwise.

    python tests/fuzz_control.py --programs 20 [--seed N] [--seconds 8] [--out build/fuzz-control]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.portfolio.result import Outcome
from fuzz_checks import wrong
from fuzz_observed import TRAP, Observed, with_checks
from fuzz_rounds import Told, rounds

PROVERS = ("auto", "bmc", "houdini", "kinduction", "predicates", "dash", "spacer", "ice", "summaries", "inertial")
TURNS = 3
"""Engines that are asked about one program."""

TYPES = """#include <stdarg.h>
typedef enum { RED, GREEN = 5, BLUE = -2 } hue; struct pair { signed char a; unsigned short b; }; struct big { int n[5]; struct pair p; };
typedef int (*step_t)(int, struct pair *);
"""
NAMES = "static int g, calls; static unsigned u; static unsigned char c; static signed char s; static short h; static unsigned short w; static long long l; static hue e; static _Bool t; static float f; static double d; static int a[4]; static struct pair p, r; static struct big b; static step_t by;"
RESET = "g = calls = 0; u = 0; c = 0; s = 0; h = 0; w = 0; l = 0; e = RED; t = 0; f = 0; d = 0; a[0] = a[1] = a[2] = a[3] = 0; p = r = (struct pair){0}; b = (struct big){0}; by = add;"

PROGRAMS = Observed(TYPES, RESET)

FUNCTIONS = ("add", "mix", "twice")
CALLED = """static int sum(int n, ...) { va_list v; int k = 0; va_start(v, n); while (n-- > 0) { STEP; k ^= va_arg(v, int) + n; } va_end(v); return k; }
static struct pair pair(signed char x, unsigned short y) { struct pair z = { x, y }; calls += y & 1; z.b ^= calls & 1; z.a++; return z; }
static unsigned char narrow(short x) { unsigned char n = 250 + c; n += x; return n; }
static struct big grown(struct big x) { x.n[x.p.a & 3]++; x.p.b--; return x; }
"""


class Writer:
    """`OBSERVE(n, e)` stands where the n-th check is to be."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.observed: list[str] = []
        self.labels = 0
        self.deep = 0

    def program(self) -> str:
        lines = [NAMES, *(f"static int {name}(int k, struct pair *q);" for name in FUNCTIONS), CALLED]
        for name in FUNCTIONS:
            lines += [f"static int {name}(int k, struct pair *q) {{ STEP; int i = 0, j = k;"]
            if self.chance.random() < 0.6:
                lines.append(f"if (k > 0) {{ calls++; {self.call('k - 1')} }}")
            lines += [self.several(2), f"return ({self.number()}) & 7;", "}"]
        lines += ["int main(void) {", "by = add; int k = in(), i = 0, j = 0; struct pair *q = &p;", self.several(2), self.loop(), self.observe()]
        lines += [self.several(2), self.loop(), self.observe(), self.observe(), "return 0;", "}"]
        return "\n".join(lines)

    def several(self, count: int) -> str:
        return "\n".join(self.statement() for _ in range(count))

    def call(self, argument: str) -> str:
        function, where = self.chance.choice((*FUNCTIONS, "by", "(k & 1 ? add : mix)", "(*by)")), self.chance.choice(("q", "&p", "&r", "&b.p"))
        return f"{self.chance.choice(('g', 'c', 's', 'h', 'j', 'l', 'e', 't', 'a[k & 3]'))} = {function}({argument}, {where});"

    def loop(self) -> str:
        """A loop with what leaves it, goes round early, or enters it."""
        chance = self.chance
        self.labels += 1
        self.deep += 1
        n = self.labels
        leave = f"if ({self.condition()}) {chance.choice(('break;', 'continue;', f'goto past{n};'))}"
        body = "\n".join(("STEP;", self.several(chance.randrange(1, 3)), leave, f"inside{n}: ;", self.several(1), self.observe() if chance.random() < 0.4 else ""))
        inner = self.loop() if self.deep < 3 and chance.random() < 0.35 else ""
        enter = f"if ({self.condition()}) goto inside{n};" if chance.random() < 0.35 else ""
        head = chance.choice((
            "while (in()) {", "for (i = in(); i > 0; i--) {", "for (c = in(); c < 9; c += 2) {", "for (s = 120 + in(); s > 0; s++) {",
            "for (w = 3; w != 65533; w -= 3) {", "for (u = in() + 1; u >= 1 && u < 8; u *= 2) {", "for (;;) { if (!in()) break;", "for (j = 0; j < 4; j++) {",
        ))  # fmt: skip
        self.deep -= 1
        if chance.random() < 0.25:
            return f"{enter}\ndo {{ {body}\n{inner} }} while ({chance.choice(('in()', 'in() > 1', '++h & 3', 'c++ % 3'))});\npast{n}: ;"
        if chance.random() < 0.25:
            return f"j = in();\nswitch (j) {{\ncase 0: do {{ {body}\ncase 1: {self.several(1)}\ncase 2: {self.several(1)}\n}} while (in());\nbreak;\ndefault: {self.several(1)} }}\npast{n}: ;"
        return f"{enter}\n{head}\n{body}\n{inner} }}\npast{n}: ;"

    def statement(self) -> str:
        chance = self.chance
        place = chance.choice(("g", "u", "c", "s", "h", "w", "l", "e", "t", "a[k & 3]", "a[g & 3]", "p.a", "p.b", "r.b", "b.n[4]", "b.p.a", "q->a", "q->b", "k", "j"))
        others = (
            f"{place} = {self.number()};", f"{place} = {self.number()};", f"{place} {chance.choice(('+', '-', '*', '^', '|', '&'))}= {self.number()};",
            f"{place}{chance.choice(('++', '--'))};", f"{place} = {place} {chance.choice(('<<', '>>'))} ({self.number()} & 3);", "k = in();", "k = in();",
            f"{place} = {self.number()} {chance.choice('/%')} (({self.number()} & 7) + 1);", "p = r;", "r = p;", "b.p = *q;", "b = grown(b);", "r = pair(k, h);",
            f"p = pair({self.number()}, {self.number()});", f"g = sum({chance.randrange(1, 4)}, k, (int)h, (int)c, (int)s);", f"h = narrow({self.number()});",
            f"if (calls < 9) {{ calls++; {self.call('k & 1')} }}", f"if (calls < 5) {{ calls++; {self.call('2')} }}", f"by = {chance.choice(('add', 'mix', 'twice', 'by == add ? mix : add'))};",
            f"{{ int v[(k & 3) + 1]; for (int z = 0; z <= (k & 3); z++) v[z] = z + g; {place} = v[k & 3] ^ v[0]; }}",
            f"{{ short *x = __builtin_alloca(2 * ((g & 1) + 1)); x[0] = {self.number()}; x[g & 1] = k; {place} = x[0]; }}",
            f"{place} = (&(struct pair){{ {self.number()}, k }})->{chance.choice('ab')};", f"{place} = (int[]){{ k, g, 3, h }}[{self.number()} & 3];",
            f"{place} = (({self.condition()}) && (k = {self.number()}, k > 0)) || t;", f"{place} = \"ab\\377\"[k & 3];", f"{place} = ({self.condition()}) ? c : {self.number()};",
            f"switch ({chance.choice(('c', 's', 'h & 3', 'e', 'k'))}) {{ case 0: {place} += 1; case 1: g = {self.number()}; break; case -2 ... -1: h--; default: t = !t; case 5: c--; }}",
            f"if ({self.condition()}) {{ {place} = {self.number()}; }} else {{ {self.floating()} }}", self.floating(), self.floating(),
        )  # fmt: skip
        return chance.choice(others)

    def floating(self) -> str:
        chance = self.chance
        whole = chance.choice(("g", "u", "c", "s", "h", "w", "k", "e", "t"))
        sum_ = chance.choice(("f + d", "f * 3", "d / 3", "-f", "f - d", "d * d", "0.1f + f", "1e-310 * d", "f * 1e-40f", "16777217 + f", f"{whole} / 2.0", "0.0 / d", "1 / f"))
        range_ = chance.choice((("s", -128, 127), ("c", 0, 255), ("h", -32768, 32767), ("u", 0, 4294967000), ("g", -2147483000, 2147483000)))
        source = chance.choice("fd")
        return chance.choice((
            f"f = {whole};", f"d = {whole};", f"d = {sum_};", f"f = {sum_};", f"t = {source};", f"t = f {chance.choice(('<', '==', '!=', '>=', '>'))} d;",
            f"if ({source} > {range_[1]} && {source} < {range_[2]}) {range_[0]} = {source};", "if (f == d) g++;", "if (!(d < 1)) h--;", "g += f != f;", "k = __builtin_signbit(f) ? 1 : 0;",
            "if (d > -9 && d < 9) k = (int)(d * 2) & 3;", "l = (d > -1e15 && d < 1e15) ? (long long)d : 7;", "f = (float)l;", "f = (float)u; u = u ? u - 1 : 16777217;",
        ))  # fmt: skip

    def condition(self) -> str:
        chance = self.chance
        return chance.choice((
            f"{self.number()} {chance.choice(('<', '==', '>=', '!=', '>'))} {self.number()}", "in()", f"s < {self.number()}", f"u > {self.number()}",
            "c == s", "h < u", "w > h", "t", "by == mix", "e < 0", "(unsigned char)s > c", "g & 1", "d < f", "l > u", "!f",
        ))  # fmt: skip

    def number(self) -> str:
        chance = self.chance
        one, two = (chance.choice(("g", "u", "c", "s", "h", "w", "e", "t", "k", "j", "a[1]", "a[k & 3]", "p.a", "p.b", "q->b", "r.a", "b.n[4]")) for _ in range(2))
        narrow = chance.choice(("unsigned char", "signed char", "short", "unsigned short", "_Bool", "unsigned", "long long"))
        forms = (one, one, one, f"({one} + {two})", f"({one} - {two})", f"({one} ^ {two})", f"({narrow})({one} * {chance.randrange(2, 300)})", f"(({narrow}){one} {chance.choice('*+-')} {two})")
        return chance.choice((*forms, str(chance.randrange(-3, 9)), f"({one} >> {chance.randrange(3)})", "in()", f"({one} < {two})", f"(~{one})", f"(-{one})", "(int)l", f"({one} % 7)", "sizeof p"))

    def observe(self) -> str:
        if len(self.observed) >= 12:
            return ""
        places = ("g", "u", "c", "s", "h", "w", "l", "e", "t", "k", "a[2]", "a[k & 3]", "p.a", "p.b", "r.a", "b.n[4]", "b.p.b", "calls", "(f > 1)", "(d != d)", "(f == d)")
        one, two = self.chance.choice(places), self.chance.choice(places)
        value = self.chance.choice((one, one, f"({one} + 3ll * {two})", f"({one} ^ {two})", f"({one} == {two})"))
        self.observed.append(value)
        return f"OBSERVE({len(self.observed) - 1}, {value});"


def about_overflow(text: str, file: Path, how: dict[str, Any]) -> tuple[str, list[str]]:
    """No check is in the program: gcc's sanitizer says whether it overflows."""
    plain = "\n".join("" if line.startswith("OBSERVE") else line for line in text.split("\n"))
    flags = ("-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error")
    cut, _, lines = PROGRAMS.run(plain, file.parent, *flags)
    file.write_text(PROGRAMS.checked + plain)
    result = counterpoint.check(file, property="no-overflow", **how)
    said = [f"crash {result.reason}"] * bool(result.crash_reports)
    if result.outcome is Outcome.TRUE and TRAP in lines:
        said.append("TRUE, and runs overflow")
    if result.outcome is Outcome.FALSE and TRAP not in lines and not cut:
        said.append("FALSE, and no run overflows")
    return result.outcome.name, said


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    writer = Writer(seed)
    text = writer.program()
    how: dict[str, Any] = {"timeout": seconds, "jobs": 1, "proof_runs": 0, "shrink": False}
    what, said = [], []
    overflow = chance.random() < 0.25
    if not overflow:
        _, seen, _ = PROGRAMS.run(text, file.parent, "-fwrapv")
        text = with_checks(text, writer.observed, seen, chance)
        cut, _, lines = PROGRAMS.run(text, file.parent, "-fwrapv")
        file.write_text(PROGRAMS.checked + text)
        what.append(str(sorted(lines)))
    for engine in chance.sample(PROVERS, TURNS):
        how |= {"engines": (engine,), "prepare": chance.choice(("default", "default", "none", "modular"))}
        if overflow:
            outcome, bad = about_overflow(text, file, how)
        else:
            result = counterpoint.check(file, **how)
            outcome, bad = result.outcome.name, wrong(result, cut, lines)
            if result.outcome is Outcome.FALSE and not lines and not cut:
                bad.append("FALSE, and no run fails")
        what.append(f"{engine} {how['prepare']} {outcome}")
        said += [f"{engine} {how['prepare']}: {line}" for line in bad]
    return Told(("overflow " if overflow else "") + ", ".join(what), said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "control", one, 8.0))
