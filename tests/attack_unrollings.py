"""Attacks the checker of complete unrollings: mutated cuts, judged by running the programs on all of their inputs.

`python tests/attack_unrollings.py --mutants 500` prints what `attack_proofs` does. The programs read at most two numbers
and use three bits of each, so 64 runs of the interpreter are all runs: a certificate is a proof if none of them fails a check or
takes an instance that it cuts. One that stops too late makes the checker go on until its time is up.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from attack_proofs import attack
from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.program.instances import taken
from counterpoint.program.model import Program

SECONDS = 2.0
"""Limit of one check: nearly all are much faster, and those that unroll on never end."""


@dataclass(frozen=True)
class Unrolled:
    """A program whose runs end; `broken` are texts to replace so that it can fail."""

    text: str
    broken: tuple[tuple[str, str], ...]
    property: str = "unreach-call"


PROGRAMS: dict[str, Unrolled] = {
    "bounded": Unrolled(
        "int main(void) { int n = any() & 7, s = 0; for (int i = 0; i < n; i++) s += 2; check(s <= 14); return 0; }",
        (("<= 14", "<= 13"), ("i < n", "i <= n"), ("s += 2", "s += 3")),
    ),
    "two inputs": Unrolled(
        "int main(void) { unsigned a = any() & 7, b = any() & 7, i = 0; while (i < a) { if (i == b) break; i++; } check(i <= b);"
        " return 0; }",
        (("i == b", "i == b + 1"), ("check(i <= b)", "check(i < b + (a < 7))")),
    ),
    "nested": Unrolled(
        "int main(void) { int n = any() & 3, c = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) c++; check(c <= 6);"
        " return 0; }",
        (("c <= 6", "c <= 5"), ("c++", "c += 1 + (j == 2)")),
    ),
    "again and again": Unrolled(
        "int sum(int n) { int s = 0; while (n > 0) s += n--; return s; }"
        " int main(void) { int a = any() & 3, b = any() & 7; int s = sum(a), t = sum(b); check(s + t <= 34); return 0; }",
        (("<= 34", "<= 33"), ("n > 0", "n >= 0 && s < 99"), ("s += n--", "s += 1 + n--")),
    ),
    "recursion": Unrolled(
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main(void) { int n = any() & 7; check(f(n) == n); return 0; }",
        (("1 + f", "(n != 7) + f"), ("n <= 0", "n <= 1")),
    ),
    "both ways": Unrolled(
        "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }"
        " int main(void) { int n = any() & 7; if (n > 5) return 0; check(f(n) <= 5); return 0; }",
        (("f(n) <= 5", "f(n) <= 4"), ("n > 5", "n > 6")),
    ),
    "through pointers": Unrolled(
        "int one(int n) { int s = 0; while (n-- > 0) s++; return s; } int two(int n) { return n + 2; }"
        " int main(void) { int (*f)(int) = any() & 1 ? one : two; int r = f(any() & 7); check(r <= 9); return 0; }",
        (("r <= 9", "r <= 8"), ("s++", "s += 2"), ("n + 2", "n + 3")),
    ),
    "loop in a loop's call": Unrolled(
        "int g; void up(int n) { do g++; while (--n > 0); }"
        " int main(void) { int n = any() & 3; for (int i = 0; i < n; i++) up(i); check(g <= 4); return 0; }",
        (("g <= 4", "g <= 3"), ("--n > 0", "--n >= 0")),
    ),
    "into a loop": Unrolled(
        "int main(void) { unsigned n = any() & 7, m = any() & 7, s = 0; if (n & 1) goto in; for (;;) { s++; in: if (s >= m) break; }"
        " check(s <= 7); return 0; }",
        (("s <= 7", "s <= 6"), ("s++", "s += 2")),
    ),
    "assumed": Unrolled(
        "int main(void) { int n = any(); __VERIFIER_assume(n >= 0 && n < 7); int s = 0; while (n) { n--; s++; check(s < 7); }"
        " return 0; }",
        (("check(s < 7)", "check(s < 6)"), ("n < 7", "n < 8")),
    ),
    "array": Unrolled(
        "int a[8]; int main(void) { int n = any() & 7, k = any() & 7; for (int i = 0; i < n; i++) a[i] = i; check(a[k] <= 6);"
        " return 0; }",
        (("a[k] <= 6", "a[k] <= 5"), ("a[i] = i", "a[i] = i + 1")),
    ),
    "heap": Unrolled(
        "int main(void) { unsigned char n = any() & 7; char *p = malloc(n + 1); for (int i = 0; i <= n; i++) p[i] = 1; free(p); return 0; }",
        (("malloc(n + 1)", "malloc(n + (n < 6))"), ("i <= n", "i <= n + 1")),
        property="valid-memsafety",
    ),
}


# ---------------------------------------------------------------- mutants


@dataclass(frozen=True)
class Cut:
    """What `attack` wants to know of a mutant."""

    name: str
    how: str
    text: str
    property: str
    cuts: tuple[str, ...]
    preparation: str = "flat"
    seconds = SECONDS
    shown = ()

    @property
    def certificate(self) -> CompleteUnrolling:
        return CompleteUnrolling(self.preparation, self.cuts)

    @property
    def program(self) -> Program:
        return program(self.text, self.property, self.preparation)

    @property
    def settings(self) -> str:
        return f"{self.text}\n    cuts {self.cuts}"


def mutants(seed: int) -> Iterator[Cut]:
    """Without an end, the same for the same seed."""
    chosen = random.Random(seed)
    while True:
        name = chosen.choice(sorted(PROGRAMS))
        proof = PROGRAMS[name]
        cuts = cuts_of(proof.text, proof.property)
        text = proof.text.replace(*chosen.choice(proof.broken)) if chosen.random() < 0.3 else proof.text
        base = mutant = Cut(name, "", text, proof.property, cuts)
        for _ in range(chosen.choice([0, 1, 1, 2, 3]) if text != proof.text else chosen.choice([1, 1, 2, 3])):
            how, mutate = chosen.choice(HOW)
            mutant = replace(mutant, cuts=tuple(mutate(mutant, chosen)), how=f"{mutant.how} {how}")
        if text != proof.text or mutant.cuts != base.cuts:
            yield mutant


@lru_cache(maxsize=64)
def cuts_of(text: str, property_: str) -> tuple[str, ...]:
    """Those of a proof by the bounded model checker."""
    verdict = ENGINE.verify(Task(subject(text, property_)), Tools(Budget(60)))
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, CompleteUnrolling), (text, verdict)
    assert verdict.certificate.preparation == "flat"
    return verdict.certificate.cuts


def _known(base: Cut, chosen: random.Random) -> str:
    """The name of an instance: one that is cut, or one that some run takes."""
    return chosen.choice(sorted({*base.cuts, *facts_of_runs(base.text, base.property, base.preparation)[1]}) or [""])


def _drop(base: Cut, chosen: random.Random) -> list[str]:
    cuts = list(base.cuts)
    if cuts:
        cuts.pop(chosen.randrange(len(cuts)))
    return cuts


def _taken(base: Cut, chosen: random.Random) -> list[str]:
    """Cuts what is known: an earlier iteration, another context, a call."""
    return [*base.cuts, _known(base, chosen)]


def _count(base: Cut, chosen: random.Random) -> list[str]:
    """One cut, or a known instance, in another iteration of one of its loops, here or in a caller."""
    return _renamed(base, chosen, r"\d+(?=[],])")


def _number(base: Cut, chosen: random.Random) -> list[str]:
    """The same with any number in it: blocks, positions of calls, targets."""
    return _renamed(base, chosen, r"\d+")


def _renamed(base: Cut, chosen: random.Random, pattern: str) -> list[str]:
    cuts = list(base.cuts)
    number = chosen.randrange(len(cuts)) if cuts and chosen.random() < 0.7 else None
    name = cuts.pop(number) if number is not None else _known(base, chosen)
    found = list(re.finditer(pattern, name))
    if found:
        where = chosen.choice(found)
        new = max(0, int(where.group()) + chosen.choice([-2, -1, -1, 1, 1, 2]))
        name = name[: where.start()] + str(new) + name[where.end() :]
    return [*cuts, name]


def _context(base: Cut, chosen: random.Random) -> list[str]:
    """An instance of one activation said of another: the calls before it dropped, doubled or those of another name."""
    here, there = _known(base, chosen), _known(base, chosen)
    inner = here.rpartition("/")[2] if not here.endswith("/") else here
    calls = there[: there.rfind("/") + 1]
    new = chosen.choice([inner, calls + inner, calls + here, calls])
    kept = [cut for cut in base.cuts if cut != here or chosen.random() < 0.3]
    return [*kept, new] if new else kept


def _callee(base: Cut, chosen: random.Random) -> list[str]:
    """The name of another function in it."""
    functions = sorted(base.program.functions)
    cuts = list(base.cuts) or [_known(base, chosen)]
    number = chosen.randrange(len(cuts))
    here = [name for name in functions if name in cuts[number]]
    if here:
        cuts[number] = cuts[number].replace(chosen.choice(here), chosen.choice(functions))
    return cuts


def _odd(base: Cut, chosen: random.Random) -> list[str]:
    """A prefix, a suffix, with blanks, the same name twice."""
    name = _known(base, chosen)
    return [*base.cuts, chosen.choice([name[:-1], name[1:], name + " ", name + "/", name * 2, name, name.replace("[", "[0,")])]


HOW = [(f.__name__, f) for f in (_drop, _taken, _count, _count, _number, _context, _callee, _odd)]


# ---------------------------------------------------------------- the second opinion


class Numbers:
    """Gives these numbers in turn, and zeros."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)

    def scalar(self, site: int, bits: int) -> int:
        return self.numbers.pop(0) if self.numbers else 0

    def pointer(self, site: int, bits: int, fresh: object) -> int:
        return 0

    def memory(self, site: int, size: int) -> tuple[()]:
        return ()

    def external_byte(self, offset: int) -> int:
        return 0

    def found(self, site: int, known: int) -> int | None:
        return None


@lru_cache(maxsize=256)
def facts_of_runs(text: str, property_: str, preparation: str) -> tuple[bool, frozenset[str]]:
    """Whether a run fails a check, and the names of all instances that runs take."""
    made = program(text, property_, preparation)
    fails, names = False, set[str]()
    for given in product(range(8), repeat=2):
        done = run(made, Numbers(*given), record=True)
        fails = fails or isinstance(done.outcome, Violated)
        points = (done.points[index] for index, _ in done.events)
        told = ((p.function, -1 if p.kind == "return" else p.block) for p in points if p.kind in ("block", "return"))
        names.update(taken(made, told))
    return fails, frozenset(names)


def is_proof(mutant: Cut) -> bool | None:
    """Whether no run fails or takes what is cut; whether the cuts are enough nobody says."""
    fails, names = facts_of_runs(mutant.text, mutant.property, mutant.preparation)
    return not (fails or names & set(mutant.cuts))


if __name__ == "__main__":
    sys.exit(attack(mutants, is_proof, __doc__, as_good=False))
