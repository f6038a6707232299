"""Many seeds, one after the other on a few processes.

    python -m fuzz_corners [--programs N] [--first SEED] [--jobs 2] [--pairs] [--only CORNER[.SHAPE],...]
    python -m fuzz_corners --show SEED [--fault 0|1]      the program of a seed, its answer, its inputs
    python -m fuzz_corners --truth [--programs N]         only the sanitizers: is the generator right?

A failing program goes to the folder `--out` (build/fuzz-corners) with the answer it should have and the command that
repeats it, as it was and cut down. Exit status 1 if anything failed.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

import fresh
from fuzz_corners import host
from fuzz_corners.kit import shapes
from fuzz_corners.programs import Case, generate
from fuzz_corners.reduce import reduced
from fuzz_corners.verdicts import PREPARATIONS, Answer, Question, ask, wrong

FAILED, TRUTH = "wrong answers", "the generator and the sanitizers disagree"


@dataclass(frozen=True, slots=True)
class Work:
    """One seed, and what to do with it."""

    seed: int
    mode: str
    seconds: float
    only: tuple[str, ...]
    engines: tuple[str, ...]
    cut: bool
    fault: bool | None = None
    confirm: str = "one"


@dataclass(slots=True)
class Outcome:
    """What came of a seed: how many answers of each kind, for each shape as well; the failures with their programs."""

    seed: int
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    unknown: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: list[tuple[str, Case, Question | None, str, str]] = field(default_factory=list)
    seconds: float = 0.0


def examine(work: Work) -> Outcome:
    """Never raises: what goes wrong here is a failure too."""
    outcome, started = Outcome(work.seed), time.monotonic()
    try:
        match work.mode:
            case "truth":
                for fault in (False, True):
                    _confirm(generate(work.seed, fault, only=work.only), work.confirm, outcome)
            case "pairs":
                _pair(work, outcome)
            case _:
                case = generate(work.seed, work.fault, only=work.only)
                _confirm(case, work.confirm, outcome)
                _questions(work, case, [Question(p, "auto", work.seconds) for p in PREPARATIONS], outcome)
    except Exception:
        case = Case(work.seed, "", "", "", "", (), "", (), True, (), "")
        outcome.failures.append(("crash of the fuzzer", case, None, traceback.format_exc(), ""))
    outcome.seconds = time.monotonic() - started
    return outcome


def _confirm(case: Case, how: str, outcome: Outcome) -> None:
    """Compares with the sanitizers: with all builds, with one that the seed chooses, or not at all."""
    builds = host.available(case)
    if how == "one" and builds:
        builds = [builds[case.seed % len(builds)]]
    if how == "none" or not builds:
        outcome.counts["not confirmed"] += 1
        return
    found = host.complaints(case, builds)
    outcome.counts["confirmed" if case.seen or not case.violates else "out of the sanitizers' sight"] += 1
    if found:
        outcome.failures.append((TRUTH, case, None, "\n".join(found), ""))


def _pair(work: Work, outcome: Outcome) -> None:
    """Safe and unsafe, both data models where the shapes allow it, both preparations, all engines."""
    seen = set()
    for model in ("ILP32", "LP64"):
        for fault in (False, True):
            case = generate(work.seed, fault, only=work.only, model=model)
            if (case.model, fault) not in seen:
                seen.add((case.model, fault))
                _confirm(case, work.confirm, outcome)
                questions = [Question(p, e, work.seconds) for e in work.engines for p in PREPARATIONS]
                _questions(work, case, questions, outcome)


def _questions(work: Work, case: Case, questions: list[Question], outcome: Outcome) -> None:
    reported: set[str] = set()
    for question in questions:
        answer = ask(case.text, case.property, case.model, question)
        message = wrong(case, answer)
        _count(case, answer, message, outcome)
        kind = answer.defect.splitlines()[0][:60] if answer.defect else answer.verdict
        if message and kind not in reported:
            reported.add(kind)
            if work.cut:
                smaller = reduced(case, question, work.only)
            else:
                smaller = case
            outcome.failures.append((FAILED, case, question, message, smaller.text if smaller is not case else ""))


def _count(case: Case, answer: Answer, message: str, outcome: Outcome) -> None:
    kind = "wrong" if message else answer.verdict.partition("(")[0]
    outcome.counts[f"{answer.question.prepare} {answer.question.engine}: {kind} of {'unsafe' if case.violates else 'safe'}"] += 1
    if kind == "UNKNOWN":
        outcome.unknown[f"{answer.verdict} {'+'.join(case.names)}: {answer.detail[:90]}"] += 1


def command(case: Case, question: Question) -> str:
    """What repeats the answer."""
    options = f"--property {case.property} --data-model {case.model} --timeout {question.seconds:g} --jobs 1"
    return f"counterpoint check FILE {options} --engine {question.engine} --prepare {question.prepare}"


def written(folder: Path, failure: tuple[str, Case, Question | None, str, str], number: int) -> Path:
    """Writes a failing program with what is known about it."""
    what, case, question, message, smaller = failure
    shown = "\n".join(f"// {line}" for line in message.splitlines())
    head = f"// {case.expected} property={case.property} model={case.model}\n// seed {case.seed}: {what}: {' + '.join(case.names)}\n"
    again = f"// {command(case, question)}\n" if question else ""
    body = smaller or case.text
    original = "\n// as generated:\n" + "\n".join(f"//   {line}" for line in case.text.splitlines()) + "\n" if smaller else ""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{case.guilty.replace('.', '-')}-{case.seed}-{number}.c"
    file.write_text(f"{head}{again}// inputs {list(case.inputs)}\n{shown}\n{body}{original}")
    return file


def _outcomes(work: list[Work], jobs: int) -> Iterator[Outcome]:
    if jobs <= 1:
        yield from map(examine, work)
        return
    # Not multiprocessing.Pool: its processes may not have children that use multiprocessing.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, fresh.import_everything) as pool:
        waiting = {pool.submit(examine, one) for one in work}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)




def show(seed: int, fault: bool | None, only: tuple[str, ...], model: str) -> None:
    case = generate(seed, fault, only=only, model=model)
    print(f"// {case.expected} property={case.property} model={case.model}")
    print(f"// {' + '.join(case.names)}; inputs {list(case.inputs)}; seen by sanitizers as {case.seen or '-'}")
    print(case.text, end="")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--programs", type=int, default=100)
    options.add_argument("--first", type=int, default=0, help="the first seed")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--seconds", type=float, help="of a check (10; with --pairs 2)")
    options.add_argument("--only", type=lambda text: tuple(text.split(",")), default=(), help="corners or shapes")
    options.add_argument("--each", action="store_true", help="so many programs of every shape, by itself")
    options.add_argument("--pairs", action="store_true", help="safe and unsafe, both preparations, all engines")
    options.add_argument("--truth", action="store_true", help="the sanitizers only")
    options.add_argument("--engines", type=lambda text: tuple(text.split(",")), default=())
    options.add_argument("--confirm", choices=("all", "one", "none"), default="one", help="builds to confirm the truth with")
    options.add_argument("--show", type=int, metavar="SEED")
    options.add_argument("--model", choices=("ILP32", "LP64"), default="", help="of what is shown")
    options.add_argument("--fault", type=int, choices=(0, 1))
    options.add_argument("--no-cut", action="store_true")
    options.add_argument("--out", type=Path, default=Path("build/fuzz-corners"))
    given = options.parse_args()
    fault = None if given.fault is None else bool(given.fault)
    if given.show is not None:
        show(given.show, fault, given.only, given.model)
        return 0
    mode = "pairs" if given.pairs else "truth" if given.truth else "programs"
    engines = given.engines or (_all_engines() if given.pairs else ())
    seconds = given.seconds or (2.0 if given.pairs else 10.0)
    groups = [given.only] if not given.each else [(name,) for name in shapes() if not given.only or {name, name.partition(".")[0]} & set(given.only)]
    work = [
        Work(seed, mode, seconds, only, engines, not given.no_cut, fault, given.confirm)
        for seed in range(given.first, given.first + given.programs) for only in groups
    ]  # fmt: skip
    return run(work, given.jobs, given.out)


def _all_engines() -> tuple[str, ...]:
    from counterpoint import engines

    return ("auto", *engines.names())


def run(work: list[Work], jobs: int, out: Path) -> int:
    """Prints progress, failures and the summary; the exit status."""
    counts: collections.Counter[str] = collections.Counter()
    unknown: collections.Counter[str] = collections.Counter()
    guilty: collections.Counter[str] = collections.Counter()
    started, failing, done = time.monotonic(), 0, 0
    for outcome in _outcomes(work, jobs):
        done += 1
        counts.update(outcome.counts)
        unknown.update(outcome.unknown)
        failing += bool(outcome.failures)
        for number, failure in enumerate(outcome.failures):
            file = written(out, failure, number)
            what, case, _, message, _ = failure
            guilty[f"{what}: {_blamed(case)}"] += 1
            print(f"{file}: {' + '.join(case.names)} {case.model}: {message.splitlines()[0][:200]}", flush=True)
        if done % 100 == 0:
            print(f"{done} seeds, {failing} failing, {time.monotonic() - started:.0f} s", flush=True)
    print(f"{done} seeds in {time.monotonic() - started:.0f} s, {failing} failing")
    for title, table in (("", counts), ("failures\n", guilty), ("UNKNOWN\n", unknown)):
        print(title + "\n".join(f"  {count:6} {what}" for what, count in table.most_common(40)))
    return 1 if failing else 0


def _blamed(case: Case) -> str:
    return case.guilty if case.violates else " + ".join(case.names) or "?"


if __name__ == "__main__":
    sys.exit(main())
