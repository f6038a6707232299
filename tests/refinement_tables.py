"""Prints how interpolation methods explain the spurious traces that predicate abstraction meets, and what tracking their atoms costs.

    python tests/refinement_tables.py FILE|DIR|SET... [--seconds 20] [--most 40] [--methods signs,weakest] [--limit 480]
    python tests/refinement_tables.py FILE|DIR|SET... --engine [--seconds 20] [--orders ORDER,GENERAL_FIRST]

A FILE is a task definition (.yml) or C source for unreach-call, a SET names one definition per line; other properties are left
out. Engine `predicates` runs on each task until it has a verdict, --seconds are over, or --most different traces were
interpolated; methods and orders are then asked about each of these, --each seconds long. Tasks come in turn, the traces of a
task at random, until --limit seconds are over. Seconds in the tables are of CPU, children included.

With --engine, nothing is collected: the engine itself runs with one order after the other.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, OutOfBudget, UnusableInput
from counterpoint.engines.predicates import Options, Search
from counterpoint.engines.predicates.refinement.explanations import conditions
from counterpoint.engines.predicates.strategy import Inexact
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Verdict
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.methods import method, method_names
from counterpoint.logic.interpolation.standard import (
    DOMAINS_FIRST,
    GENERAL_FIRST,
    ORDER,
    standard_interpolator,
    unchecked,
)
from counterpoint.portfolio.request import Request, source_task
from counterpoint.semantics.granules import with_granules
from counterpoint.solver.answers import Unsat
from counterpoint.solver.interpolation import Interpolants, Interpolator
from counterpoint.solver.layers import decide
from counterpoint.term.term import Op, Term, V
from interpolation_tables import QUERY_SECONDS, Score

Order = Sequence[tuple[str, float]]

ORDERS: Final[Mapping[str, Order]] = {
    "ORDER": ORDER,
    "GENERAL_FIRST": GENERAL_FIRST,
    "DOMAINS_FIRST": DOMAINS_FIRST,
    "bitwuzla first": (ORDER[1], ORDER[0], *ORDER[2:]),
    "newton first": (ORDER[3], *ORDER[:3], *ORDER[4:]),
}


# ---------------------------------------------------------------- collecting


@dataclass(frozen=True, slots=True)
class Met:
    """A trace without a run that refinement was asked about."""

    file: Path
    trace: TraceFormula

    @property
    def family(self) -> str:
        return self.file.parent.name


def files(given: Sequence[Path]) -> Iterator[Path]:
    """What the arguments stand for, in order."""
    for path in given:
        if path.is_dir():
            yield from sorted(path.glob("*.yml"))
        elif path.suffix == ".set":
            yield from (path.parent / line for line in path.read_text().split())
        else:
            yield path


def subject_of(file: Path) -> Subject | None:
    """None for another property, and for what cannot be read."""
    try:
        task = source_task(Request((file,)))
    except UnusableInput:
        return None
    return compile_subject(task) if task.property == "unreach-call" else None


def searched(
    subject: Subject,
    budget: Budget,
    order: Order,
    facts: bool = True,
    observe: Callable[[TraceFormula], None] | None = None,
) -> tuple[Verdict | None, dict[str, int | float]]:
    """The engine's search with an order of methods, and what it counted; no verdict if it ran out of budget."""
    options = Options.of({"predicates.facts": "true" if facts else "false"})
    program = subject.program(options.preparation)
    granules: dict[str, int] = {}

    def attempt(granules: dict[str, int], exact: bool = False) -> tuple[Verdict | None, dict[str, int | float]]:
        search = Search(program, options, Tools(budget), granules, subject, exact)
        search.refinement.order = order
        search.refinement.observe = observe
        try:
            return search.run(), search.statistics()
        except OutOfBudget:
            return None, search.statistics()
        finally:
            search.close()

    try:
        return with_granules(attempt, granules)
    except Inexact:
        return with_granules(partial(attempt, exact=True), granules)


@dataclass(slots=True)
class Collector:
    """Keeps the traces of one task, none twice; ends the search when there are `most`."""

    budget: Budget
    most: int
    found: dict[tuple[V, ...], TraceFormula] = field(default_factory=dict)

    def observe(self, trace: TraceFormula) -> None:
        if len(trace.parts) > 1:
            self.found.setdefault(trace.parts, trace)
        if len(self.found) >= self.most:
            self.budget.cancel()


def collected(file: Path, seconds: float, most: int) -> list[Met]:
    """The traces of a task that are shown to be spurious."""
    collector = Collector(Budget(seconds), most)
    try:
        subject = subject_of(file)
        if subject is None:
            return []
        collector.budget = Budget(seconds)
        verdict, _ = searched(subject, collector.budget, ORDER, observe=collector.observe)
    except CounterpointError as error:
        verdict = None
        print(f"{file.name}: {error}", flush=True)
    spurious = [t for t in collector.found.values() if isinstance(decide(t.parts, QUERY_SECONDS), Unsat)]
    print(f"{file.parent.name}/{file.stem}: {len(spurious)} traces, {type(verdict).__name__}", flush=True)
    return [Met(file, trace) for trace in spurious]


def in_turn(tasks: Sequence[Sequence[Met]], seed: int) -> list[Met]:
    """One of each task, then another of each."""
    chance = random.Random(seed)
    shuffled = [chance.sample(task, len(task)) for task in tasks]
    return [met for row in zip_longest(*shuffled) for met in row if met is not None]


# ---------------------------------------------------------------- comparing


@dataclass(slots=True)
class Explanations(Score):
    """What a method said of all traces: over components, where that can be; `atoms` by the trace's number."""

    atoms: dict[int, tuple[V, ...]] = field(default_factory=dict)
    mapped: set[int] = field(default_factory=set)

    def ask_about(self, number: int, interpolator: Interpolator, trace: TraceFormula, seconds: float) -> None:
        answer = Score.ask(self, number, interpolator, trace.parts, seconds)
        if isinstance(answer, Interpolants):
            over = [trace.instances[cut].back(formula) for cut, formula in enumerate(answer.formulas, 1)]
            if None not in over:
                self.mapped.add(number)
            told = [f if known is None else known for f, known in zip(answer.formulas, over, strict=True)]
            self.atoms[number] = tuple(dict.fromkeys(atom for formula in told for atom in conditions(formula)))

    def columns(self, of: int, others: set[int]) -> str:
        counts = [len(atoms) for atoms in self.atoms.values()]
        all_atoms = [atom for atoms in self.atoms.values() for atom in atoms]
        points = f"{_percent(sum(map(is_point, all_atoms)), len(all_atoms))}"
        numbers = f"{statistics.median(counts):g} | {statistics.mean(counts):.1f}" if counts else " | "
        return f"{Score.row(self, of, others)} {numbers} | {points} | {_percent(len(self.mapped), len(self.answered))} |"


def is_point(atom: V) -> bool:
    """Compares something with a constant for equality."""
    return isinstance(atom, Term) and atom.op is Op.EQ and any(isinstance(arg, int) for arg in atom.args)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def compared(met: Sequence[Met], names: Sequence[str], seconds: float, over: Callable[[], bool]) -> None:
    """Prints the tables; traces that are not reached in time are left out."""
    singles = {name: Checked(unchecked(method(name))) for name in names}
    orders = {name: standard_interpolator(ORDERS[name]) for name in ("ORDER", "GENERAL_FIRST", "DOMAINS_FIRST")}
    everyone: dict[str, Interpolator] = {**singles, **orders}
    scores = {name: Explanations(name) for name in everyone}
    done: list[Met] = []
    for number, one in enumerate(met):
        if over():
            break
        for name, interpolator in everyone.items():
            scores[name].ask_about(number, interpolator, one.trace, seconds)
        done.append(one)
    if not done:
        print("no spurious traces")
        return
    lengths = [len(one.trace.parts) for one in done]
    print(f"\n{len(done)} of {len(met)} traces, of {statistics.mean(lengths):.1f} parts on average, {max(lengths)} at most\n")
    _overall(scores, singles, len(done))
    _families(scores, done)
    _together(scores, [name for name, _ in ORDER if name in singles], done)
    for name in singles:
        print(f"{name} does not answer:", ", ".join(f"{r} ({k})" for r, k in scores[name].reasons.most_common(3)))


def _overall(scores: Mapping[str, Explanations], singles: Mapping[str, Interpolator], of: int) -> None:
    head = ["method", "answered", "share", "alone", "median s", "mean s", "median size", "largest"]
    _head([*head, "median atoms", "mean atoms", "x == c", "over components"])
    for name, score in scores.items():
        print(score.columns(of, set().union(*(scores[n].answered for n in singles if n != name))))


def _families(scores: Mapping[str, Explanations], done: Sequence[Met]) -> None:
    """How many each answers of each family."""
    of = Counter(one.family for one in done)
    print()
    _head(["method", *(f"{family} ({count})" for family, count in of.items())])
    for score in scores.values():
        answered = Counter(done[number].family for number in score.answered)
        print(f"| {score.name} | " + " | ".join(str(answered[family]) for family in of) + " |")


def _together(scores: Mapping[str, Explanations], names: Sequence[str], done: Sequence[Met]) -> None:
    """On traces that all of the named methods answer: how many different atoms of a task's traces there are, over all
    tasks. Few mean that what explains one trace explains others."""
    common = sorted(set(range(len(done))).intersection(*(scores[name].answered for name in names)))
    print(f"\n{len(common)} traces that each of {', '.join(names)} answers:\n")
    _head(["method", "different atoms of a task, sum", "of these x == c", "a trace"])
    for name, score in scores.items():
        if all(number in score.answered for number in common):
            atoms = {(done[number].file, atom) for number in common for atom in score.atoms[number]}
            each = statistics.mean(len(score.atoms[number]) for number in common) if common else 0.0
            points = _percent(sum(is_point(atom) for _, atom in atoms), len(atoms))
            print(f"| {name} | {len(atoms)} | {points} | {each:.1f} |")
    print()


def _head(names: Sequence[str]) -> None:
    print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}", flush=True)


# ---------------------------------------------------------------- the engine with each order


def with_orders(tasks: Sequence[Path], names: Sequence[str], seconds: float, facts: bool) -> None:
    """Prints what the engine needs for each task with each order."""
    _head(["task", *(f"{name}: verdict, refinements, predicates, s" for name in names)])
    for file in tasks:
        print(f"| {file.parent.name}/{file.stem} |", end="", flush=True)
        for name in names:
            print(f" {_with_order(file, name, seconds, facts)} |", end="", flush=True)
        print(flush=True)


def _with_order(file: Path, name: str, seconds: float, facts: bool) -> str:
    try:
        subject = subject_of(file)
        if subject is None:
            return ""
        started = time.monotonic()
        verdict, numbers = searched(subject, Budget(seconds), ORDERS[name], facts)
    except CounterpointError as error:
        return str(error)
    said = "-" if verdict is None else type(verdict).__name__
    return f"{said} {numbers['refinements']} {numbers['predicates']} {time.monotonic() - started:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the engine, for a task")
    parser.add_argument("--most", type=int, default=40, help="traces of a task")
    parser.add_argument("--methods", default=",".join(n for n in method_names() if n != "cvc5"))
    parser.add_argument("--each", type=float, default=3.0, help="for one method and one trace")
    parser.add_argument("--limit", type=float, default=480.0, help="for all methods and traces")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", action="store_true", help="compare orders of methods in the engine")
    parser.add_argument("--orders", default="ORDER,DOMAINS_FIRST", help=", ".join(ORDERS))
    parser.add_argument("--no-facts", action="store_true", help="with --engine: when facts come depends on the time")
    options = parser.parse_args()
    tasks = list(files(options.files))
    if options.engine:
        with_orders(tasks, options.orders.split(","), options.seconds, not options.no_facts)
        return
    met = in_turn([collected(file, options.seconds, options.most) for file in tasks], options.seed)
    compared(met, options.methods.split(","), options.each, partial(_past, time.monotonic() + options.limit))


def _past(deadline: float) -> bool:
    return time.monotonic() > deadline


if __name__ == "__main__":
    main()
