"""Random programs whose state is in bit-fields, unions, floats, small arrays, structures behind pointers, and calls through pointers.

gcc's build is run with every sequence of a few inputs of four values, first to see which values some expressions have,
then with checks of values that they have in some run, or nearly. A check that is called proved must fail first in no
run, one that is called refuted in some. Preparations, data models (nothing here is as wide as a pointer) and
contracts take turns.

    python tests/fuzz_states.py --programs 20 [--seed N] [--seconds 10] [--out build/fuzz-states]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.result import CheckResult, Outcome
from fuzz_checks import wrong
from fuzz_observed import Observed, with_checks
from fuzz_rounds import Told, rounds

ENGINES = (("auto",), ("bmc", "houdini"), ("houdini",), ("kinduction", "houdini"), ("predicates",), ("dash",), ("spacer",), ("ice",),
           ("summaries",), ("inertial",), ("bmc",))  # fmt: skip

TYPES = """struct bits { signed a : 3; unsigned b : 5; signed long long c : 34; _Bool d : 1; signed char e; };
union mix { float f; int i; unsigned u; unsigned char c[4]; unsigned short h[2]; signed char s; };
struct node { struct node *next; struct bits bits; union mix mix; short v; };
"""

STATICS = "static struct bits b, b2; static union mix m, m2; static unsigned char arr[4]; static short h; static double x; static volatile int v; static struct node n1, n2, *p;"
RESET = "b = b2 = (struct bits){0}; m.i = m2.i = 0; arr[0] = arr[1] = arr[2] = arr[3] = 0; h = 0; x = 0; v = 0; n1 = n2 = (struct node){0}; p = &n1; calls = 0; f = one;"
PROGRAMS = Observed(TYPES, RESET, "#define while(x) while ((step(), (x)))\n")
PLACES = ("b.a", "b.b", "b.e", "b2.a", "b2.b", "m.s", "m.c[0]", "m.c[3]", "m2.h[0]", "m2.h[1]", "m.u", "arr[0]", "arr[3]", "h", "v", "p->v",
          "p->bits.a", "n1.bits.b", "n2.v", "n1.mix.c[1]", "n2.mix.s", "k", "calls")  # fmt: skip
WIDE = ("b.c", "n1.bits.c")


class Writer:
    """`OBSERVE(n, e)` stands where the n-th check is to be."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.observed: list[str] = []

    def program(self) -> str:
        lines = [STATICS, "static int calls; static int one(int), two(int); static void through(struct bits *, union mix *, short *); static int (*f)(int) = one;"]
        lines += ["static int (*const table[2])(int) = { one, two };"]
        for name in ("one", "two"):
            again = f"if (a > 0) {{ calls++; k = {self.call('a - 1')}; }}"
            lines.append(f"static int {name}(int a) {{ STEP; int k = a; {again if self.chance.random() < 0.6 else ''} {self.several(1)} return (k ^ a) & 3; }}")
        lines += ["static void through(struct bits *q, union mix *w, short *s) {", f"int k = *s; {self.through()} }}"]
        lines += ["int main(void) {", "p = &n1; n1.next = &n2; n2.next = 0; int k = in();", self.several(2)]
        rounds = self.chance.choice(("while (in()) {", "for (int on = in(); on; on--) {", "for (int on = 3; on; on--) {", "while (1) {"))
        lines += [rounds, *self.block(), self.observe(), "}"]
        lines += [self.several(1), self.observe(), self.observe(), "return 0;", "}"]
        return "\n".join(lines)

    def block(self) -> list[str]:
        chance = self.chance
        if chance.random() < 0.5:
            return [self.several(chance.randrange(1, 4))]
        cases = [f"case {n}: {self.several(chance.randrange(1, 3))} break;" for n in range(3)]
        return ["switch (in()) {", *cases, f"default: {chance.choice(('break;', 'continue;', self.statement()))}", "}"]

    def several(self, count: int) -> str:
        return " ".join(self.statement() for _ in range(count))

    def call(self, argument: str) -> str:
        return self.chance.choice((f"one({argument})", f"two({argument})", f"f({argument})", f"table[k & 1]({argument})"))

    def through(self) -> str:
        some = ("q->a = k;", "q->b += 3;", "w->c[k & 3] = 7;", "w->f = k;", "*s = w->h[1];", "q->e = w->s - *s;", "*s += q->a;", "q->c = *s * 1000000000ll;")
        return " ".join(self.chance.choice(some) for _ in range(self.chance.randrange(1, 4)))

    def statement(self) -> str:
        chance, place = self.chance, self.chance.choice(PLACES)
        floats = (
            f"m.f = {chance.choice(('k', 'm.f + 1', '-m.f', 'x', 'm.f * 0.5f', 'h / 3.0f'))};",
            f"x = {chance.choice(('k', 'x + 0.1', 'm2.f', '-x', 'x * x + 1', '1 / (x + 1)'))};",
            "if (m.f > x) k ^= 1;", "if (x == x && x < 100 && x > -100) k = (int)x & 7;",
        )  # fmt: skip
        others = (
            f"{place} = {self.number()};", f"{place} = {self.number()};", f"{place} += {self.number()};", f"{place}++;",
            f"{chance.choice(WIDE)} = {self.number()} * 12345678ll;", "b2 = b;", "m2 = m;", "n2.bits = b;", "n2 = n1;", "p->mix = m;",
            "if (p->next) p = p->next;", "p = &n1;", "p = in() ? &n1 : &n2;", "b = p->bits;", "k = in();", "v = k;",
            f"arr[{chance.choice('kh')} & 3] = {self.number()};", "arr[3 - (k & 3)] = k;", f"f = {chance.choice(('one', 'two', 'f == one ? two : one'))};",
            f"if (calls < 9) k = {self.call('k & 1')};", "through(&b, &m, &h);", "through(&p->bits, &n2.mix, &n1.v);", "through(&n1.bits, &m2, &p->v);",
            f"if ({self.number()} {chance.choice(('<', '==', '>='))} {self.number()}) {{ {place} = {self.number()}; }}",
            "__builtin_memcpy(&m.c[1], &arr[1], 2);", "__builtin_memmove(arr + 1, arr, 3);", "__builtin_memset(&m2, k, 3);",
        )  # fmt: skip
        return chance.choice(floats if chance.random() < 0.2 else others)

    def number(self) -> str:
        chance, one, two = self.chance, self.chance.choice(PLACES), self.chance.choice(PLACES)
        narrow = chance.choice(("unsigned char", "signed char", "short", "unsigned short"))
        forms = (one, one, f"({one} + {two})", f"({one} ^ {two})", f"(({narrow})({one} * {chance.randrange(2, 300)}u))", f"({one} * {one})")
        return chance.choice((*forms, str(chance.randrange(-3, 9)), f"({one} >> {chance.randrange(3)})", "in()", f"arr[{one} & 3]"))

    def observe(self) -> str:
        places = [place for place in PLACES if place != "k"]
        one, two = self.chance.choice((*places, *WIDE, "k")), self.chance.choice((*places, "k"))
        value = self.chance.choice((one, f"({one} + 3ll * {two})", f"({one} ^ {two})", f"({one} == {two})"))
        self.observed.append(value)
        return f"OBSERVE({len(self.observed) - 1}, {value});"


def options(chance: random.Random, model: str, seconds: float) -> dict[str, Any]:
    asked: dict[str, Any] = {"timeout": seconds, "jobs": 1, "proof_runs": 0, "shrink": False, "data_model": model}
    asked["engines"] = chance.choice(ENGINES)
    asked["prepare"] = chance.choice(("default", "none", "modular", "modular"))
    if asked["prepare"] == "modular" and chance.random() < 0.6:
        asked["contracts"] = chance.choice(("all", "through"))
    return asked


def asked_of(file: Path, how: dict[str, Any]) -> CheckResult:
    return counterpoint.check(file, **how)


def one(seed: int, file: Path, seconds: float) -> Told:
    chance = random.Random(seed)
    model = chance.choice(("LP64", "LP64", "ILP32"))
    writer = Writer(seed)
    text = writer.program()
    _, seen, _ = PROGRAMS.run(text, file.parent, "-fwrapv")
    text = with_checks(text, writer.observed, seen, chance)
    cut, _, lines = PROGRAMS.run(text, file.parent, "-fwrapv")
    file.write_text(PROGRAMS.checked + text)
    how = options(chance, model, seconds)
    try:
        result = asked_of(file, how)
    except UnusableInput:  # nothing calls the function of --contracts
        result = asked_of(file, how | {"contracts": "all"})
    said = wrong(result, cut, lines)
    if result.outcome is Outcome.FALSE and not lines and not cut:
        said.append("FALSE, and no run fails")
    what = f"{model} {how['prepare']} {how.get('contracts', '')} {','.join(how['engines'])}"
    return Told(f"{what} {result.outcome.name} {sorted(lines)}", said)


if __name__ == "__main__":
    sys.exit(rounds(__doc__, "states", one))
