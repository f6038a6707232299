"""Random conditions of ACSL over variables of all widths, against their values in numbers without bounds.

Each condition stands as an assertion in one function; the copy with checks is built by clang and run, and what it says
of each is compared with what Python computes. No verifier takes part, so that thousands of conditions take seconds.

    python tests/fuzz_conditions.py --rounds 20 [--seed N] [--clang clang]
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import invocation
from counterpoint.frontend.editing.obligations import checked_copy
from counterpoint.frontend.task import CHECKS, SourceTask

TYPES = {
    "signed char": (-128, 127), "unsigned char": (0, 255), "short": (-32768, 32767), "unsigned short": (0, 65535),
    "int": (-(2**31), 2**31 - 1), "unsigned": (0, 2**32 - 1), "long": (-(2**63), 2**63 - 1), "unsigned long": (0, 2**64 - 1),
    "_Bool": (0, 1), "long long": (-(2**63), 2**63 - 1), "unsigned long long": (0, 2**64 - 1),
}  # fmt: skip
BEHIND = (
    "#include <stdio.h>\nvoid __counterpoint_invariant(int c, const char *s) { (void)s; putchar(c ? '1' : '0'); }\n"
)
ASKED = 150
"""Conditions of one program."""

Value = Callable[[], int]
Written = tuple[str, int, Value]
"""The text, how strongly its operator binds (ACSL 1.17, figure 2.4), the value."""


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def wrapped(value: int, type_: str) -> int:
    if type_ == "_Bool":
        return int(value != 0)
    least, most = TYPES[type_]
    return (value - least) % (most - least + 1) + least


NUMBERS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "*": (15, lambda a, b: a * b), "+": (14, lambda a, b: a + b), "-": (14, lambda a, b: a - b),
    "&": (9, lambda a, b: a & b), "^": (8, lambda a, b: a ^ b), "|": (7, lambda a, b: a | b),
}  # fmt: skip
CONSTANT: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "/": (15, quotient), "%": (15, lambda a, b: a - quotient(a, b) * b),
    "<<": (13, lambda a, b: a << b), ">>": (13, lambda a, b: a >> b),
}  # fmt: skip
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip
TRUTH: dict[str, tuple[int, Callable[[bool, bool], bool]]] = {
    "&&": (6, lambda a, b: a and b), "^^": (5, lambda a, b: a != b), "||": (4, lambda a, b: a or b),
    "==>": (3, lambda a, b: not a or b), "<==>": (2, lambda a, b: a == b),
}  # fmt: skip
COMPARISON, CHOICE, PREFIX = 11, 1, 16


class Writer:
    """Writes conditions over these variables, with no more parentheses than they need."""

    def __init__(self, chance: random.Random, variables: dict[str, int]) -> None:
        self.chance, self.variables = chance, variables

    def inside(self, one: Written, least: int) -> str:
        return one[0] if one[1] >= least else f"({one[0]})"

    def number(self, depth: int) -> Written:
        chance = self.chance
        kind = chance.randrange(9) if depth else 0
        if kind < 2:
            return self.leaf()
        if kind < 5:
            sign = chance.choice(list(NUMBERS))
            strength, meant = NUMBERS[sign]
            one, two = self.number(depth - 1), self.number(depth - 1)
            text = f"{self.inside(one, strength)} {sign} {self.inside(two, strength + 1)}"
            return text, strength, lambda: meant(one[2](), two[2]())
        if kind == 5:
            sign = chance.choice(list(CONSTANT))
            strength, meant = CONSTANT[sign]
            one, by = self.number(depth - 1), chance.choice((1, 2, 3, 7, 31))
            return f"{self.inside(one, strength)} {sign} {by}", strength, lambda: meant(one[2](), by)
        if kind == 6:
            sign, one = chance.choice("-+~!"), self.number(depth - 1)
            meant_: dict[str, Callable[[int], int]] = {
                "-": int.__neg__,
                "+": int,
                "~": int.__invert__,
                "!": lambda a: int(not a),
            }
            return f"{sign} {self.inside(one, PREFIX)}", PREFIX, lambda: meant_[sign](one[2]())
        if kind == 7:
            type_, one = chance.choice(list(TYPES)), self.number(depth - 1)
            return f"({type_}){self.inside(one, PREFIX)}", PREFIX, lambda: wrapped(one[2](), type_)
        return self.choice(self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1))

    def leaf(self) -> Written:
        if self.chance.random() < 0.7:
            name = self.chance.choice(list(self.variables))
            return name, 17, lambda: self.variables[name]
        value = self.chance.choice((0, 1, 2, 5, 127, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1))
        suffix = self.chance.choice(("", "", "u", "UL"))
        return f"{value}{suffix}", 17, lambda: value

    def choice(self, condition: Written, one: Written, two: Written) -> Written:
        text = f"{self.inside(condition, CHOICE + 1)} ? {one[0]} : {self.inside(two, CHOICE)}"
        return text, CHOICE, lambda: one[2]() if condition[2]() else two[2]()

    def truth(self, depth: int) -> Written:
        chance = self.chance
        kind = chance.randrange(8) if depth else 0
        if kind < 3:
            return self.compared(depth)
        if kind == 3:
            one = self.truth(depth - 1)
            return f"!{self.inside(one, PREFIX)}", PREFIX, lambda: int(not one[2]())
        if kind == 4:
            return self.choice(self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1))
        sign = chance.choice(list(TRUTH))
        strength, meant = TRUTH[sign]
        one, two = self.truth(depth - 1), self.truth(depth - 1)
        right = sign == "==>"
        text = f"{self.inside(one, strength + right)} {sign} {self.inside(two, strength + (not right))}"
        return text, strength, lambda: int(meant(bool(one[2]()), bool(two[2]())))

    def compared(self, depth: int) -> Written:
        """Two numbers, or a chain of up to four."""
        chance, rest = self.chance, max(depth - 1, 0)
        count = chance.choice((1, 1, 1, 2, 3))
        signs = chance.choices(
            chance.choice((("<", "<=", "=="), (">", ">=", "=="))) if count > 1 else list(COMPARED), k=count
        )
        parts = [self.number(rest) for _ in range(count + 1)]
        text = self.inside(parts[0], COMPARISON + 1)
        for sign, part in zip(signs, parts[1:], strict=True):
            text += f" {sign} {self.inside(part, COMPARISON + 1)}"

        def value() -> int:
            values = [part[2]() for part in parts]
            return int(all(COMPARED[s](a, b) for s, a, b in zip(signs, values[:-1], values[1:], strict=True)))

        return text, COMPARISON, value


def variables(chance: random.Random) -> dict[str, tuple[str, int]]:
    """A name for each type, with a value that is often at an end."""
    found = {}
    for number, (type_, (least, most)) in enumerate(TYPES.items()):
        value = chance.choice(
            (least, most, least + 1, most - 1, 0, 1, chance.randint(least, most), max(least, -1), min(most, 5))
        )
        found[f"v{number}"] = (type_, value)
    return found


def conditions(file: Path, chance: random.Random, count: int) -> list[tuple[str, int]]:
    """Written to the file as far as they are not refused, with their values."""
    given = variables(chance)
    writer = Writer(chance, {name: value for name, (_, value) in given.items()})
    head = "".join(
        f"volatile {type_} {name} = ({type_}){value & 2**64 - 1}ull;\n" for name, (type_, value) in given.items()
    )
    task = SourceTask(files=(file,), annotations=CHECKS)
    some = [writer.truth(chance.choice((1, 2, 3, 4))) for _ in range(count)]
    kept = [(text, value()) for text, _, value in some]
    while True:
        body = "".join(f"//@ assert {text};\n;\n" for text, _ in kept)
        file.write_text(f"{head}int main(void) {{\n{body}return 0; }}\n")
        try:
            copy = checked_copy(task, file)
            break
        except UnusableInput as why:
            told = re.search(r":(\d+): ", str(why))
            assert told is not None, why
            kept.pop((int(told[1]) - len(given) - 2) // 2)
    file.with_name("copy.c").write_bytes(copy + b"\n" + BEHIND.encode())
    return kept


def round_of(seed: int, folder: Path, clang: Sequence[str]) -> tuple[int, list[str]]:
    kept = conditions(folder / "asked.c", random.Random(seed), ASKED)
    built = folder / "built"
    subprocess.run(
        [*clang, "-w", "-O1", "-fno-sanitize=all", "-o", str(built), str(folder / "copy.c")], check=True, timeout=120
    )
    told = subprocess.run([str(built)], capture_output=True, text=True, check=True, timeout=20).stdout
    if len(told) != len(kept):
        return len(kept), [f"{len(kept)} conditions, {len(told)} checks"]
    pairs = zip(kept, told, strict=True)
    return len(kept), [f"{text}: {value}, the check says {said}" for (text, value), said in pairs if str(value) != said]


def compiler(file: Path) -> list[str]:
    """The tool's own, which builds programs as well."""
    file.write_text("")
    return list(takewhile(lambda word: not word.startswith("-"), invocation(SourceTask(files=(file,)), "-E")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clang", help="one that builds programs; by default the tool's own")
    asked = parser.parse_args()
    bad = 0
    for seed in range(asked.seed, asked.seed + asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            clang = [asked.clang] if asked.clang else compiler(Path(folder) / "asked.c")
            count, wrong = round_of(seed, Path(folder), clang)
        bad += len(wrong)
        sys.stdout.write(f"{seed}: {count} conditions, {len(wrong)} wrong\n" + "".join(f"    {one}\n" for one in wrong))
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
