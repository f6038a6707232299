"""Random C programs on which all ways to run them must agree: `make fuzz N=1000`.

    python tests/fuzz.py [--programs N] [--first SEED] [--jobs 2] [--log FILE] [--only SEED]

Prints one line per disagreement, cut down as far as cheap, and a summary; exit status 1 if there was one.
Program SEED is the same on every machine.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import random
import sys
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path

from c_generator import Tree, generate, indented, smaller
from differential import Parties, examine

HOSTS = ("gcc -O0", "clang -O2", "gcc -O2", "clang -O0")


@dataclass(slots=True)
class Outcome:
    """What came of one program."""

    seed: int
    compared: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    complaint: str = ""


def program(seed: int) -> tuple[Tree, str]:
    """The program of a seed, and its data model."""
    model = "ILP32" if seed % 2 else "LP64"
    return generate(random.Random(seed), model, undefined=allows_undefined(seed)), model


def allows_undefined(seed: int) -> bool:
    return seed % 3 == 0


def parties(seed: int, everyone: bool) -> Parties:
    """Everyone, or a cheap selection that changes with the seed."""
    # Where a program may divide by zero it may do so for nothing, and the host's dies of it.
    hosts = () if allows_undefined(seed) else HOSTS
    if everyone:
        return Parties(host=hosts, solver=True)
    preparation = ("none", "flat")[seed // 2 % 2]
    return Parties(
        interpreter=("flat", "modular"), native=("none", "flat"), symbolic=(preparation,),
        concrete=(("flat", "none")[seed // 2 % 2],), host=(HOSTS[seed // 2 % 4],) if hosts else (), solver=seed % 10 == 0,
    )  # fmt: skip


def disagreements(text: str, model: str, who: Parties, vectors: int) -> tuple[Outcome, list[str]]:
    """What was compared, and who disagreed how; a crash of the tool counts."""
    try:
        report = examine(text, model, vectors, who)
    except Exception:
        lines = traceback.format_exc().strip().splitlines()
        return Outcome(0), [f"crash: {lines[-1]} at {lines[-3].strip() if len(lines) > 2 else ''}"]
    return Outcome(0, report.compared, report.skipped), [str(found) for found in report.disagreements]


def party_of(message: str) -> str:
    return message.split(" (input vector")[0].split(" at ")[0][:60]


def check(work: tuple[int, bool, int]) -> Outcome:
    """Examines one seed; a disagreeing program is cut down."""
    seed, everyone, vectors = work
    tree, model = program(seed)
    who = parties(seed, everyone)
    original = tree.text()
    outcome, found = disagreements(original, model, who, vectors)
    outcome.seed = seed
    if found:
        wanted = {party_of(message) for message in found}

        def bad(text: str) -> bool:
            if time.monotonic() > deadline:
                return False
            return bool(wanted & {party_of(m) for m in disagreements(text, model, only(who, wanted), vectors)[1]})

        deadline = time.monotonic() + 25
        cut = smaller(tree, bad)
        lines = "\n".join(f"  {message}" for message in found)
        outcome.complaint = f"seed {seed} ({model}):\n{lines}\n{indented(cut.text())}"
    return outcome


def only(who: Parties, wanted: set[str]) -> Parties:
    """The parties that disagreed, to try smaller programs quickly."""
    def named(kind: str, given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(p for p in given if any(w.startswith(f"{kind}, {p}") for w in wanted))

    if any(w.startswith(("crash", "front end", "solver")) for w in wanted):
        return who
    return replace(
        who, interpreter=named("interpreter", who.interpreter), native=named("native", who.native), symbolic=named("symbolic", who.symbolic),
        concrete=named("folding", who.concrete), host=tuple(h for h in who.host if h in wanted), solver=False,
    )  # fmt: skip


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--programs", type=int, default=100)
    options.add_argument("--first", type=int, default=0, help="the first seed")
    options.add_argument("--only", type=int, help="one seed, with everyone taking part")
    options.add_argument("--vectors", type=int, default=4, help="input vectors for each program")
    options.add_argument("--everyone", action="store_true", help="all parties on each program")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--log", type=Path, default=Path("build/fuzz.log"))
    given = options.parse_args()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    seeds = range(given.first, given.first + given.programs) if given.only is None else [given.only]
    work = [(seed, given.everyone or given.only is not None, given.vectors) for seed in seeds]
    compared: collections.Counter[str] = collections.Counter()
    skipped: collections.Counter[str] = collections.Counter()
    started, bad, done = time.monotonic(), 0, 0
    with multiprocessing.Pool(given.jobs, maxtasksperchild=20) as pool, given.log.open("w") as log:
        for outcome in pool.imap_unordered(check, work):
            done += 1
            compared.update(outcome.compared)
            skipped.update(outcome.skipped)
            print(f"seed {outcome.seed}: {'DISAGREE' if outcome.complaint else 'agree'}", file=log, flush=True)
            if outcome.complaint:
                bad += 1
                print(outcome.complaint, file=log, flush=True)
                print(outcome.complaint, flush=True)
            if done % 50 == 0:
                print(f"{done} programs, {bad} disagreements, {time.monotonic() - started:.0f} s", flush=True)
    print(f"{done} programs in {time.monotonic() - started:.0f} s, {bad} with a disagreement")
    for party, count in sorted(compared.items()):
        print(f"  {count:6} agreeing runs: {party}")
    for why, count in sorted(skipped.items()):
        print(f"  {count:6} not compared: {why}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
