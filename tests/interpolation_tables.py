"""Prints which interpolation methods explain the infeasible error paths of programs, how fast, and with formulas of which size.

    python tests/interpolation_tables.py FILE... [--methods signs,weakest] [--paths 2] [--seconds 8] [--limit 300]

FILE is a task definition (.yml) or C source for unreach-call. A path is a feasible walk at random and then the shortest
way to a failing check, through all blocks of the entry function and, for as many paths, from loop head to loop head. What
calls by contract return is arbitrary. Seconds are of CPU, children included. Ends about --limit seconds after the start.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.execute.subject import compile_subject
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.methods import method, method_names
from counterpoint.logic.interpolation.standard import DOMAINS_FIRST, ORDER, standard_interpolator, unchecked
from counterpoint.portfolio.request import Request, source_task
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EncodedSteps, End, Finished
from counterpoint.regions.locations import BASIC, ERROR, LARGE, Granularity, following, locations
from counterpoint.semantics.granules import with_granules
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.interpolation import Interpolants, Interpolation, Interpolator
from counterpoint.solver.layers import decide
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, size, substitute_all, variables

LONGEST_WALK = 12
"""Random steps before the way to a check."""

TRIES = 6
"""Walks for each path that is wanted."""

QUERY_SECONDS = 5.0


# ---------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class Taken:
    """A step of a path: from `place` to `target`."""

    place: Place
    end: End
    target: Place


@dataclass(slots=True)
class Paths:
    """Walks through the steps of a program."""

    encoded: EncodedSteps
    chance: random.Random
    over: Callable[[], bool]
    _steps: dict[Place, list[Taken]] = field(default_factory=dict)

    def steps(self, place: Place) -> list[Taken]:
        if place not in self._steps:
            targets = [*following(self.encoded.where, place).places, ERROR]
            ends = [(end, target) for target in targets for end in self.encoded.ends(place, target)]
            self._steps[place] = [Taken(place, end, target) for end, target in ends if end.formula != 0]
        return self._steps[place]

    def infeasible(self, count: int) -> Iterator[list[V]]:
        """The parts of paths to a failing check that no run takes, `count` at most; none twice."""
        known: set[tuple[int, ...]] = set()
        for _ in range(TRIES * count):
            if self.over() or len(known) == count:
                return
            path = self._walk()
            way = self._to_error(path[-1].target if path else START)
            key = tuple(id(taken) for taken in [*path, *way])
            if not way or key in known:
                continue
            parts = self.parts([*path, *way])
            if len(parts) > 1 and isinstance(decide(parts, QUERY_SECONDS), Unsat):
                known.add(key)
                yield parts

    def _walk(self) -> list[Taken]:
        path: list[Taken] = []
        place = START
        for _ in range(self.chance.randrange(LONGEST_WALK)):
            following_ = [taken for taken in self.steps(place) if taken.target != ERROR]
            self.chance.shuffle(following_)
            for taken in following_:
                if self.over() or isinstance(decide(self.parts([*path, taken]), QUERY_SECONDS), Sat):
                    break
            else:
                return path
            path.append(taken)
            place = taken.target
        return path

    def _to_error(self, place: Place) -> list[Taken]:
        """The fewest steps to a failing check; none if there is none."""
        came: dict[Place, list[Taken]] = {place: []}
        waiting = deque([place])
        while waiting and not self.over():
            here = waiting.popleft()
            for taken in self.steps(here):
                if taken.target == ERROR:
                    return [*came[here], taken]
                if taken.target not in came:
                    came[taken.target] = [*came[here], taken]
                    waiting.append(taken.target)
        return []

    def parts(self, path: Sequence[Taken]) -> list[V]:
        """A formula for each step, over variables for the state at each cut. Arrays and floats go on as terms."""
        finished = [self.encoded.finish(taken.place, taken.end.formula) for taken in path]
        after: list[dict[Term, V]] = []
        needed: set[Term] = set()
        for taken, known in zip(reversed(path), reversed(finished), strict=True):
            values = self._values(taken, needed)
            after.append(values)
            begin = self.encoded.step(taken.place).begin
            needed = {v for v in variables(known.formula, *known.axioms, *values.values()) if v in begin}
        return self._chained(finished, after[::-1])

    def _values(self, taken: Taken, wanted: set[Term]) -> dict[Term, V]:
        ordered = sorted(wanted, key=lambda v: v.index)
        found = {v: value for v in ordered if (value := taken.end.value(v)) is not None}
        return dict(zip(found, self.encoded.renamed(taken.place, list(found.values())), strict=True))

    def _chained(self, finished: Sequence[Finished], after: Sequence[dict[Term, V]]) -> list[V]:
        parts: list[V] = []
        inside: dict[Term, V] = {}
        for number, (known, values) in enumerate(zip(finished, after, strict=True)):
            formulas = [known.formula, *known.axioms, *values.values()]
            meanings = {leaf: inside.get(leaf, _at(leaf, number)) for leaf in _leaves(formulas)}
            renamed = substitute_all(formulas, meanings)
            count = 1 + len(known.axioms)
            inside, equations = {}, []
            for variable, value in zip(values, renamed[count:], strict=True):
                if isinstance(variable.sort, BitVec):
                    equations.append(build.eq(_at(variable, number + 1), value, variable.sort.width))
                elif variable.sort is BOOL:
                    equations.append(build.iff(_at(variable, number + 1), value))
                else:
                    inside[variable] = value
            parts.append(build.conjunction([*renamed[:count], *equations]))
        return parts


def _leaves(formulas: Sequence[V]) -> list[Term]:
    return [term for term in reachable(formulas) if term.op is Op.VARIABLE]


def _at(variable: Term, number: int) -> Term:
    return build.variable(f"{variable.payload}@{number}", variable.sort)


def collected(file: Path, count: int, seed: int, over: Callable[[], bool]) -> list[list[V]]:
    """Half of the paths through all blocks, half from loop head to loop head."""
    found: list[list[V]] = []
    try:
        program = compile_subject(source_task(Request((file,)))).program("flat")
        for block in (BASIC, LARGE):
            found += _through(program, block, count, random.Random(f"{seed} {file.name} {block}"), over)
    except CounterpointError as error:
        print(f"{file.name}: {error}")
    return found


def _through(
    program: Program, block: Granularity, count: int, chance: random.Random, over: Callable[[], bool]
) -> list[list[V]]:
    where = locations(program, block)
    return with_granules(
        lambda granules: list(Paths(EncodedSteps(where, granules, Budget(60.0)), chance, over).infeasible(count))
    )


# ---------------------------------------------------------------- measuring


@dataclass(slots=True)
class Score:
    """What a method did with all paths."""

    name: str
    answered: set[int] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def ask(self, number: int, interpolator: Interpolator, parts: Sequence[V], seconds: float) -> Interpolation:
        started = _cpu()
        answer = interpolator.interpolate(parts, seconds)
        self.seconds.append(_cpu() - started)
        if isinstance(answer, Interpolants):
            self.answered.add(number)
            self.sizes += [size(formula) for formula in answer.formulas if formula not in (0, 1)]
        else:
            self.reasons[getattr(answer, "reason", "consistent")[:60]] += 1
        return answer

    def row(self, of: int, others: set[int]) -> str:
        """A line of the table; `others` are the paths that another method answers."""
        times = f"{statistics.median(self.seconds):.2f} | {statistics.mean(self.seconds):.2f}"
        sizes = f"{statistics.median(self.sizes):g} | {max(self.sizes)}" if self.sizes else " | "
        count, alone = len(self.answered), len(self.answered - others)
        return f"| {self.name} | {count} | {100 * count / of:.0f} % | {alone} | {times} | {sizes} |"


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(paths: Sequence[Sequence[V]], names: Sequence[str], seconds: float, over: Callable[[], bool]) -> None:
    """Prints the tables; paths that are not reached in time are left out."""
    askable = {name: Checked(unchecked(method(name))) for name in names}
    orders = {"weakest first (ORDER)": ORDER, "DOMAINS_FIRST": DOMAINS_FIRST}
    everyone: dict[str, Interpolator] = {**askable, **{name: standard_interpolator(o) for name, o in orders.items()}}
    scores = {name: Score(name) for name in everyone}
    done = 0
    for number, parts in enumerate(paths):
        if over():
            break
        for name, interpolator in everyone.items():
            scores[name].ask(number, interpolator, parts, seconds)
        done += 1
    if not done:
        print("no infeasible error paths")
        return
    print(f"{done} infeasible error paths of {statistics.mean(map(len, paths[:done])):.1f} steps on average\n")
    print("| method | answered | share | alone | median s | mean s | median size | largest |\n|---|---|---|---|---|---|---|---|")
    for score in scores.values():
        print(score.row(done, set().union(*(scores[n].answered for n in askable if n != score.name))))
    asked = [name for name, _ in DOMAINS_FIRST if name in askable]
    first = Counter(next((n for n in asked if p in scores[n].answered), "nobody") for p in range(done))
    print("\nin DOMAINS_FIRST, the first that answers:", ", ".join(f"{n} {k}" for n, k in first.most_common()))
    for name in askable:
        print(f"{name} does not answer:", ", ".join(f"{r} ({k})" for r, k in scores[name].reasons.most_common(3)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--methods", default=",".join(n for n in method_names() if n != "cvc5"))
    parser.add_argument("--paths", type=int, default=2, help="of each program and each kind, at most")
    parser.add_argument("--seconds", type=float, default=8.0, help="for one method and one path")
    parser.add_argument("--limit", type=float, default=300.0, help="for everything; a third of it to collect paths")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    paths: list[list[V]] = []
    for number, file in enumerate(options.files):
        share = (number + 1) / len(options.files) / 3
        paths += collected(file, options.paths, options.seed, partial(_past, started + share * options.limit))
    random.Random(options.seed).shuffle(paths)
    measured(paths, options.methods.split(","), options.seconds, partial(_past, started + options.limit))


def _past(deadline: float) -> bool:
    return time.monotonic() > deadline


if __name__ == "__main__":
    main()
