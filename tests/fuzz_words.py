"""Random formulas as contracts and witnesses word them, against their values.

ACSL is evaluated in numbers without bounds, C is built by gcc with its sanitizer of undefined behaviour. No verifier
takes part.

    python tests/fuzz_words.py --rounds 5 [--seed N]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from acsl_values import WIDTHS, Reader, State, Unknown, number
from counterpoint.contracts.sentences import Sayer
from counterpoint.contracts.views import Seen, View
from counterpoint.contracts.wording import ACSL, CPROVER, Unsayable, Words
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

ASKED = 300
TYPES = {name: kind for name, kind in WIDTHS.items() if name not in ("char", "unsigned")}
NAMES = {f"v{n}": type_ for n, type_ in enumerate(TYPES)} | {f"w{n}": type_ for n, type_ in enumerate(TYPES)}


class Writer:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.variables = {name: build.variable(name, BitVec(TYPES[type_][0])) for name, type_ in NAMES.items()}
        self.given: list[V] = []

    def leaf(self, width: int) -> V:
        c = self.chance
        of = [self.variables[n] for n, t in NAMES.items() if TYPES[t][0] == width]
        if c.random() < 0.7 and of:
            return c.choice(of)
        return c.choice((0, 1, 2, 3, 7, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 3, c.randrange(1 << width))) & ((1 << width) - 1)

    def value(self, width: int, depth: int) -> V:
        c = self.chance
        kind = c.randrange(18) if depth else 0
        if kind < 3:
            return self.leaf(width)
        a = self.value(width, depth - 1)
        b = self.value(width, depth - 1)
        if kind < 8:
            f = c.choice((build.add, build.sub, build.mul, build.bvand, build.bvor, build.bvxor))
            return f(a, b, width)
        if kind == 8:
            f = c.choice((build.udiv, build.urem, build.sdiv, build.srem))
            if c.random() < 0.6:
                b = c.choice((2, 3, 5, 10, 128, (1 << width) - 3)) & ((1 << width) - 1)
            elif c.random() < 0.7:
                self.given.append(build.ne(b, 0, width))
            return f(a, b, width)
        if kind == 9:
            f = c.choice((build.shl, build.lshr, build.ashr))
            b = c.randrange(width)
            return f(a, b, width)
        if kind == 10:
            return build.ite(self.condition(depth - 1), a, b, width)
        if kind < 13 and width > 8:
            small = c.choice([w for w in (8, 16, 32) if w < width])
            return (build.zext if c.random() < 0.5 else build.sext)(self.value(small, depth - 1), small, width)
        if kind < 15 and width < 64:
            big = c.choice([w for w in (16, 32, 64) if w > width])
            low = 0 if c.random() < 0.6 else c.randrange(big - width + 1)
            return extract(self.value(big, depth - 1), big, low, width)
        if kind == 15:
            return build.neg(a, width)
        if kind == 16 and width >= 32:  # part of a value, moved down
            big, n = width, c.choice((1, 4, 8, 24))
            part = extract(a, big, n, big - n)
            return (build.zext if c.random() < 0.5 else build.sext)(part, big - n, big)
        if kind == 17:
            part = extract(a, width, c.randrange(width - 3), 3)
            return build.zext(part, 3, width)
        return self.leaf(width)

    def condition(self, depth: int) -> V:
        c = self.chance
        kind = c.randrange(8) if depth else 0
        if kind < 5:
            width = c.choice((8, 16, 32, 32, 32, 64))
            f = c.choice((build.eq, build.ne, build.ult, build.slt, build.ule, build.sle))
            return f(self.value(width, depth), self.value(width, depth), width)
        if kind == 5:
            return build.not_(self.condition(depth - 1))
        f = c.choice((build.and_, build.or_, build.implies))
        return f(self.condition(depth - 1), self.condition(depth - 1))


    def contract(self) -> V:
        """Under conditions on arguments a condition on results: of few comparisons each, so that these come again."""
        c = self.chance
        given, left = ([self.comparison(kind) for _ in range(4)] for kind in "vw")
        return build.implies(self.combined(given, 4), self.combined(left, c.choice((0, 0, 1, 2))))

    def comparison(self, kind: str) -> V:
        c = self.chance
        width = c.choice((8, 16, 32, 32, 64))
        of = [self.variables[n] for n, t in NAMES.items() if n[0] == kind and TYPES[t][0] == width]
        f = c.choice((build.eq, build.ne, build.ult, build.slt))
        return f(c.choice(of), c.choice((*of, 0, 1, 2, 4, 6)), width)

    def combined(self, atoms: list[V], depth: int) -> V:
        c = self.chance
        if not depth or c.random() < 0.2:
            return c.choice(atoms) if c.random() < 0.6 else build.not_(c.choice(atoms))
        f = c.choice((build.and_, build.and_, build.or_))
        return f(self.combined(atoms, depth - 1), self.combined(atoms, depth - 1))


def extract(value: V, big: int, low: int, width: int) -> V:
    return build.extract(low + width - 1, low, value, big) if isinstance(value, Term) else (value >> low) & ((1 << width) - 1)


def read(text: str, values: dict[str, int]) -> int:
    """-1 where the text means nothing."""
    try:
        return int(bool(Reader(text).whole()(State(values, values))))
    except Unknown:
        return -1


def valuation(chance: random.Random, few: bool = False) -> dict[str, int]:
    """`few`: of numbers that conditions compare with."""
    found = {}
    for name, type_ in NAMES.items():
        width = TYPES[type_][0]
        if few and chance.random() < 0.8:
            found[name] = chance.choice((0, 1, 2, 3, 4, 6))
            continue
        found[name] = chance.choice((0, 1, 2, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, chance.randrange(1 << width), chance.randrange(1 << width), chance.randrange(9)))
    return found


@dataclass
class Round:
    """Formulas of one seed: how many have words in ACSL and in C, and what of these is wrong."""

    seed: int
    acsl: int = 0
    c: int = 0
    wrong: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    meant: list[tuple[int, str]] = field(default_factory=list)

    def run(self, count: int) -> Round:
        chance = random.Random(self.seed)
        writer = Writer(chance)
        names = {
            variable: Seen(name, TYPES[NAMES[name]][1], argument=name[0] == "v", type=NAMES[name])
            for name, variable in writer.variables.items()
        }
        for _ in range(count):
            writer.given = []
            formula, given = writer.condition(3), frozenset(writer.given)
            if isinstance(formula, int):
                continue
            samples = [one for one in (valuation(chance) for _ in range(12)) if all(evaluate(g, one) for g in given)]
            for language in (ACSL, CPROVER):
                with suppress(Unsayable):
                    text = Words(names, frozenset(), language, given=given).condition(formula)
                    (self.in_acsl if language == ACSL else self.in_c)(text, formula, samples)
        for _ in range(count):
            self.sentence(Sayer(View("f", ()), names, frozenset(), 64), writer.contract(), chance)
        self.run_c()
        return self

    def sentence(self, sayer: Sayer, formula: V, chance: random.Random) -> None:
        said = None if isinstance(formula, int) else sayer.sentence(formula)
        if said is None or not isinstance(formula, Term):
            return
        samples = [valuation(chance, few=True) for _ in range(40)]
        self.in_acsl(said.whole, formula, samples)
        self.in_acsl(f"({said.assumes}) ==> ({said.ensures})" if said.assumes else said.ensures, formula, samples)
        if said.cprover:
            premise, arrow, rest = said.cprover.partition(" ==> ")
            self.in_c(f"(!({premise}) || ({rest}))" if arrow else premise, formula, samples)

    def in_acsl(self, text: str, formula: Term, samples: list[dict[str, int]]) -> None:
        self.acsl += 1
        for sample in samples:
            numbers = {name: number(bits, *TYPES[NAMES[name]]) for name, bits in sample.items()}
            said, meant = read(text, numbers), int(bool(evaluate(formula, sample)))
            if said != meant:
                used = {name: value for name, value in numbers.items() if name in text}
                self.wrong.append(f"ACSL {text}: {said}, not {meant}, with {used}")
                return

    def in_c(self, text: str, formula: Term, samples: list[dict[str, int]]) -> None:
        self.c += 1
        for sample in samples[:4]:
            values = " ".join(f"{name} = ({NAMES[name]}){bits}ull;" for name, bits in sample.items())
            self.lines.append(f'{values} printf("%d\\n", !!({text}));')
            self.meant.append((int(bool(evaluate(formula, sample))), text))

    def run_c(self) -> None:
        functions = [f"static void f{n}(void) {{\n" + "\n".join(self.lines[n : n + 50]) + "\n}" for n in range(0, len(self.lines), 50)]
        calls = " ".join(f"f{n}();" for n in range(0, len(self.lines), 50))
        declared = " ".join(f"volatile {type_} {name};" for name, type_ in NAMES.items())
        with tempfile.TemporaryDirectory() as folder:
            file, built = Path(folder) / "said.c", Path(folder) / "said"
            file.write_text("\n".join(["#include <stdio.h>", declared, *functions, f"int main(void) {{ {calls} return 0; }}\n"]))
            subprocess.run(["gcc", "-w", "-O0", "-fsanitize=undefined", "-o", str(built), str(file)], check=True, timeout=300)
            done = subprocess.run([str(built)], capture_output=True, text=True, timeout=60)
            self.wrong += [f"C {line}" for line in done.stderr.splitlines() if "runtime error" in line]
        said = done.stdout.split()
        pairs = zip(said, self.meant, strict=True)
        self.wrong += [f"C {text}: {value}, not {meant}" for value, (meant, text) in pairs if int(value) != meant]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    bad = 0
    for seed in range(asked.seed, asked.seed + asked.rounds):
        done = Round(seed).run(ASKED)
        bad += len(done.wrong)
        said = "".join(f"    {one}\n" for one in done.wrong)
        sys.stdout.write(f"{seed}: {done.acsl} in ACSL, {done.c} in C, {len(done.wrong)} wrong\n{said}")
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
