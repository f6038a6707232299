"""How many wrong meanings do runs catch? `make mutants`.

Every mutant of `semantics` (mutants.py) is applied in a process of its own. There unsafe programs are put to `bmc` (and to
`houdini`, where that gives up), and a proof is put to the checker, all under the wrong meaning. Where that says TRUE, the mutant
has made a verdict wrong, and the proof is run: a contradiction within the limit catches it. A mutant is caught if the proofs of
at least one program are, which is how its user would learn of it; the share of single wrong verdicts is told as well.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.runs import Contradicted
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.native.build import NotNative, Outcome, SearchEnd
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.portfolio.proof_runs import run_proof
from counterpoint.portfolio.request import Request, source_task
from counterpoint.program import model as m
from mutants_semantics.mutants import ACCESS, OPERATION, Mutant, mutants
from mutants_semantics.programs import Unsafe, programs, tasks

CATCHING = 5.0
"""Seconds within which runs have to contradict a proof."""

ENGINES = (("bmc", 2.0), ("houdini", 2.0))
"""What is asked, each with its limit in seconds of this process's work."""


@dataclass
class Ready:
    """A compiled program; `operations` are those in its flat (or unprepared) form."""

    of: Unsafe
    subject: Subject
    operations: frozenset[str]


@dataclass
class Row:
    """What one mutant did: programs asked, wrong TRUEs, how many of these were caught, and the slowest catch in seconds."""

    mutant: str
    kind: str
    asked: int = 0
    wrong: int = 0
    caught: int = 0
    slowest: float = 0.0
    missed: list[str] = field(default_factory=list)
    broken: str = ""


def ready(one: Unsafe, folder: Path) -> Ready:
    """Compiled and natively built."""
    path = one.path
    if path is None:
        path = folder / f"p{abs(hash(one.name))}.c"
        path.write_text(one.text)
    options = dict(one.options)
    defines = tuple(options.pop("define", "").split(",")) if options.get("define") else ()
    request = Request((path,), one.property, one.model, defines=defines, prepare=one.prepare, **options)  # type: ignore[arg-type]
    subject = compile_subject(source_task(request))
    made = subject.program("none" if one.prepare == "none" else "flat")
    subject.native("none")
    names = {
        i.operation for f in made.functions.values() for b in f.blocks for i in b.instructions if isinstance(i, m.Compute)
    }
    return Ready(one, subject, frozenset(names))


def compiled(chosen: Iterable[Unsafe], folder: Path) -> list[Ready]:
    found = []
    for one in chosen:
        try:
            found.append(ready(one, folder))
        except (CounterpointError, NotNative) as error:
            print(f"left out: {one.name}: {error}", flush=True)
    return found


def fitting(mutant: Mutant, all_: Sequence[Ready], most: int) -> list[Ready]:
    """Programs that may tell, spread over all of them."""
    if mutant.kind == OPERATION:
        some = [one for one in all_ if mutant.about in one.operations]
        own = [one for one in some if one.of.path is None]
        rest = [one for one in some if one.of.path is not None]
        return [*own[:3], *_spread(rest, most - len(own[:3]))]
    memory = [one for one in all_ if one.of.property.startswith(("valid-", "memory-"))]
    if mutant.kind == ACCESS or mutant.about == "memory-safety":
        return _spread(memory, 3 * most)
    return _spread([one for one in all_ if one not in memory and one.of.path is not None], 2 * most)


def _spread(given: Sequence[Ready], most: int) -> list[Ready]:
    most = max(0, min(most, len(given)))
    return [given[number * len(given) // most] for number in range(most)]


def proof_of(one: Ready) -> Certificate | None:
    """A proof that the checker accepts, as things are."""
    for name, seconds in ENGINES:
        try:
            task = engines.task(name, one.subject, {"prepare": one.of.prepare})
            verdict = engines.get(name).verify(task, Tools(Budget.of_computing(seconds)))
            if isinstance(verdict, Safe):
                program = one.subject.program(verdict.certificate.preparation)
                check_proof(program, verdict.certificate, Budget(20.0))
                return verdict.certificate
            if type(verdict).__name__ == "Unsafe":
                return None
        except CounterpointError:
            continue
    return None


def tried(mutant: Mutant, chosen: Sequence[Ready]) -> Row:
    """In a process of its own."""
    row = Row(mutant.name, mutant.kind)
    mutant.apply()
    for one in chosen:
        row.asked += 1
        try:
            proof = proof_of(one)
            if proof is None:
                continue
            row.wrong += 1
            before = sum(os.times()[:4])
            try:
                run_proof(one.subject, proof, Budget(CATCHING + 5.0))
                row.missed.append(one.of.name)
            except Contradicted:
                row.caught += 1
                row.slowest = max(row.slowest, sum(os.times()[:4]) - before)
        except Exception:
            row.broken = traceback.format_exc().splitlines()[-1]
    return row


def in_a_process(mutant: Mutant, chosen: Sequence[Ready], seconds: int) -> Row:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        try:
            row = tried(mutant, chosen)
        except BaseException:
            row = Row(mutant.name, mutant.kind, broken=traceback.format_exc().splitlines()[-1])
        with os.fdopen(writer, "w") as out:
            json.dump(row.__dict__, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as given:
        said = given.read()
    os.waitpid(child, 0)
    return Row(**json.loads(said)) if said else Row(mutant.name, mutant.kind, broken="no time")


def not_found(all_: Iterable[Ready]) -> Iterable[str]:
    """The programs that native search does not find unsafe within a moment: what to expect where verdicts are missed."""
    for one in all_:
        end = list(one.subject.native("none").search(runs=200_000, steps=5_000_000, seconds=3.0))[-1]
        seen = isinstance(end, SearchEnd) and end.violation is not None and end.violation.outcome is Outcome.VIOLATED
        if not seen:
            yield one.of.name


def summary(rows: Sequence[Row]) -> str:
    lines = []
    for kind in dict.fromkeys(row.kind for row in rows):
        some = [row for row in rows if row.kind == kind]
        lines.append(_line(kind, some))
    lines.append(_line("all", rows))
    return "\n".join(lines)


def _line(name: str, rows: Sequence[Row]) -> str:
    wrong = [row for row in rows if row.wrong]
    caught = [row for row in wrong if row.caught]
    verdicts, seen = sum(row.wrong for row in rows), sum(row.caught for row in rows)
    share = 100 * len(caught) / len(wrong) if wrong else 100.0
    return (
        f"{name:10} {len(rows):4} mutants, {len(wrong):4} make some TRUE wrong, {len(caught):4} of these caught ({share:.0f}%); "
        f"{verdicts} wrong TRUEs, {seen} caught; slowest {max((row.slowest for row in rows), default=0.0):.1f} s"
    )


def main() -> int:
    """Exit status 1 if less than 80% of the mutants that make some TRUE wrong are caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10, help="programs for each mutant")
    parser.add_argument("--every", type=int, default=1, help="every n-th mutant only")
    parser.add_argument("--regression", type=int, default=1, help="every n-th program of tests/regression only")
    parser.add_argument("--tasks", type=Path, nargs="*", default=[], help="sets, folders, task definitions whose FALSE ones are asked as well")
    parser.add_argument("--every-task", type=int, default=10, help="every n-th of these tasks only")
    parser.add_argument("--only", default="", help="mutants whose name begins so")
    parser.add_argument("--json", type=Path, help="a line for each mutant")
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, _ in ENGINES:
            engines.get(name)
        more = tasks(given.tasks, given.every_task) if given.tasks else []
        all_ = compiled([*programs(given.regression), *more], Path(folder))
        print(f"native search alone does not find: {'; '.join(not_found(all_)) or 'nothing'}", flush=True)
        print(f"{len(all_)} programs after {time.monotonic() - started:.0f} s", flush=True)
        rows = []
        for mutant in [one for one in mutants() if one.name.startswith(given.only)][:: given.every]:
            row = in_a_process(mutant, fitting(mutant, all_, given.programs), 600)
            rows.append(row)
            print(f"{row.mutant:40} {row.asked:3} asked {row.wrong:3} wrong {row.caught:3} caught {row.broken}", flush=True)
            if given.json is not None:
                with given.json.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row.__dict__) + "\n")
    print(summary(rows))
    wrong = [row for row in rows if row.wrong]
    return int(sum(bool(row.caught) for row in wrong) < 0.8 * len(wrong))
