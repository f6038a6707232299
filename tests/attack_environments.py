"""Attacks what proofs, the interpreter and native code take for granted of the environment's pointers.

`python tests/attack_environments.py --programs 300 --seed 1` writes small functions over records with pointers, asks the
bounded model checker about each, and compares: a violation has to replay in the interpreter and in native code, and no run
may contradict a proof, of those in which the environment chooses among few objects and numbers (all of them, up to a
number), and of a native search. `wrong` counts what must not be.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.execute.inputs import Contents, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.protocol import Outcome, SearchEnd
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program

TYPES = """
extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)
struct node { int v; struct node *next; };
struct pair { struct node *one, *two; struct pair *up; int k; };
struct many { int n; struct node in[2]; struct node *to[2]; };
struct either { int tag; union { long number; struct node *p; } u; };
extern struct node *head;
"""


# ---------------------------------------------------------------- programs


@dataclass
class Writer:
    """Writes one function; `memory`: accesses are checked, so they need no guards."""

    chosen: random.Random
    memory: bool
    nodes: list[str] = field(default_factory=list)
    names: int = 0

    def write(self) -> str:
        kinds = self.chosen.sample(["node", "node2", "pair", "many", "either", "handle"], self.chosen.choice([1, 2, 2, 3]))
        parameters, body = [], []
        for number, kind in enumerate(kinds):
            name = f"a{number}"
            if kind == "handle":
                parameters.append(f"struct node **{name}")
                body.append(self.unless(name))
                self.nodes.append(f"*{name}")
            else:
                parameters.append(f"struct {kind.rstrip('2')} *{name}")
                if kind[:4] == "node":
                    self.nodes.append(name)
                    continue
                body.append(self.unless(name))
                self.nodes += {
                    "pair": [f"{name}->one", f"{name}->two"],
                    "many": [f"&{name}->in[1]", f"{name}->to[0]", f"{name}->in[0].next", f"{name}->to[{name}->n & 1]"],
                    "either": [f"({name}->tag ? {name}->u.p : 0)"],
                }[kind]
                if kind == "pair" and self.chosen.random() < 0.5:
                    body += [self.unless(f"{name}->up"), f"struct node *up{number} = {name}->up->two;"]
                    self.nodes.append(f"up{number}")
                if kind == "either" and self.chosen.random() < 0.6:
                    body.append(f"if (!{name}->tag) check({name}->u.number != {self.chosen.choice([0, 1, 7])});")
        if self.chosen.random() < 0.3:
            self.nodes.append("head")
        for _ in range(self.chosen.choice([2, 3, 4])):
            body += self.statement()
        text = "\n    ".join(body)
        return f"{TYPES}int f({', '.join(parameters)}) {{\n    {text}\n    return 0;\n}}\n"

    def unless(self, pointer: str) -> str:
        return "" if self.memory and self.chosen.random() < 0.03 else f"if (!{pointer}) return 0;"

    def fresh(self) -> str:
        self.names += 1
        return f"x{self.names}"

    def node(self) -> str:
        return self.chosen.choice(self.nodes)

    def statement(self) -> list[str]:
        return self.chosen.choice(
            (self.follow, self.follow, self.follow, self.compare, self.compare, self.store, self.copy, self.number, self.value,
             self.link, self.bytes, self.walk, self.back)
        )()  # fmt: skip

    def named(self) -> tuple[str, list[str]]:
        """A pointer that is not null in a variable."""
        name = self.fresh()
        made = [f"struct node *{name} = {self.node()};", self.unless(name)]
        self.nodes.append(name)
        return name, made

    def follow(self) -> list[str]:
        name, made = self.named()
        self.nodes.append(f"{name}->next")
        return made

    def compare(self) -> list[str]:
        one, two = self.chosen.choice(self.nodes), self.chosen.choice(self.nodes)
        condition = self.chosen.choice([f"{one} != {two}", f"{one} == {two}", f"{one} != 0"])
        if self.chosen.random() < 0.4:
            return [f"if ({self.condition()}) check({condition});"]
        return [f"check({condition});"] if self.chosen.random() < 0.5 else [f"if (!({condition})) return 0;"]

    def condition(self) -> str:
        one, two = self.node(), self.node()
        return self.chosen.choice([f"{one} == {two}", f"{one} != {two}", f"{one} && {two}"])

    def store(self) -> list[str]:
        name, made = self.named()
        other, more = self.named()
        return [*made, *more, f"{name}->v = 1; {other}->v = 2;", self.chosen.choice([f"check({name}->v == 1);", f"check({name} == {other} || {name}->v == 1);"])]

    def value(self) -> list[str]:
        name, made = self.named()
        return [*made, self.chosen.choice([f"if ({name}->v != 3) return 0;", f"check({name}->v != 3);"])]

    def copy(self) -> list[str]:
        name, made = self.named()
        local = self.fresh()
        self.nodes.append(f"{local}.next")
        kind = self.chosen.choice(["struct node", "struct node", "static struct node"])
        return [*made, f"{kind} {local}; {local} = *{name};"]

    def number(self) -> list[str]:
        name, made = self.named()
        how = self.chosen.choice(["*(long *)&{0}->next", "*(int *)&{0}->next", "(long)*(char *)&{0}->next", "(long){0}->next"])
        number = self.fresh()
        after = self.chosen.choice([f"check({number} != 1);", f"if ({number} == 0) return 0;", f"check({number} == 0 || {name}->next);"])
        return [*made, f"long {number} = {how.format(name)};", after]

    def link(self) -> list[str]:
        name, made = self.named()
        target = self.node()
        where = f"if ({self.condition()}) " if self.chosen.random() < 0.6 else ""
        return [*made, f"{where}{name}->next = {target};"]

    def bytes(self) -> list[str]:
        name, made = self.named()
        change = self.chosen.choice(["((char *)&{0}->next)[0] = 0;", "((char *)&{0}->next)[2] = 1;", "*(int *)&{0}->next = 0;"])
        self.nodes.append(f"{name}->next")
        return [*made, change.format(name)]

    def walk(self) -> list[str]:
        count, at = self.fresh(), self.fresh()
        most = self.chosen.choice([2, 3])
        step = f"for (int {count} = 0; {count} < {most} && {at}; {count}++) {at} = {at}->next;"
        start = self.node()
        self.nodes.append(at)
        return [f"struct node *{at} = {start};", step]

    def back(self) -> list[str]:
        """A list that comes back to where it began."""
        name, made = self.named()
        return [*made, f"if ({name}->next && {name}->next->next == {name}) check({name}->next->v == {name}->v);"]


# ---------------------------------------------------------------- all small environments


@dataclass
class Choices:
    """One run's choices: those planned, then the first of each kind. `made` are (chosen, how many there were)."""

    planned: list[int]
    pointer_bytes: int
    made: list[tuple[int, int]] = field(default_factory=list)

    def _choose(self, options: int) -> int:
        at = len(self.made)
        choice = self.planned[at] if at < len(self.planned) else 0
        self.made.append((choice, options))
        return choice

    def scalar(self, site: int, bits: int) -> int:
        return (0, 1, 3)[self._choose(3)]

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return fresh() if self._choose(2) else 0

    def memory(self, site: int, size: int) -> Contents:
        return ()

    def external_byte(self, offset: int) -> int:
        if offset % self.pointer_bytes == 2:
            return (0, 1)[self._choose(2)]
        return (0, 3, 1, 7)[self._choose(4)] if offset % 4 == 0 else 0

    def found(self, site: int, known: int) -> int | None:
        return self._choose(min(known + 2, 5))


def environments(program: Program, most: int) -> Iterator[tuple[Input, ...]]:
    """The inputs of runs that fail a check, depth first, of `most` runs at most."""
    planned: list[int] = []
    limits = Limits(steps=5_000)
    for _ in range(most):
        source = Choices(planned, program.layout.pointer_bits // 8)
        done = run(program, source, limits)
        if isinstance(done.outcome, Violated):
            yield done.inputs
        made = source.made
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        if not made:
            return
        planned = [choice for choice, _ in made]
        planned[-1] += 1


# ---------------------------------------------------------------- the comparison


@dataclass(frozen=True)
class Compared:
    """`answer` as Safe, Unsafe or why it is open; `wrong` says what must not be, "" if all is well."""

    answer: str
    wrong: str = ""


def compare(text: str, property_: str, data_model: str, runs: int, native: int) -> Compared:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "f.c"
        file.write_text(text)
        subject = compile_subject(SourceTask((file,), property=property_, data_model=data_model, entry="f"))
    try:
        return _compared(subject, runs, native)
    finally:
        subject.close()


def _compared(subject: Subject, runs: int, native: int) -> Compared:
    verdict = ENGINE.verify(Task(subject), Tools(Budget(20)))
    program = subject.program("none")
    match verdict:
        case Unsafe(violation):
            if not isinstance(run(program, ReplayInputs(violation.inputs), Limits(steps=100_000)).outcome, Violated):
                return Compared("Unsafe", f"the interpreter does not replay {violation.inputs}")
            if native and subject.native("none").replay(violation.inputs).outcome is not Outcome.VIOLATED:
                return Compared("Unsafe", f"native code does not replay {violation.inputs}")
            return Compared("Unsafe")
        case Safe(certificate):
            check_proof(subject.program(certificate.preparation), certificate, Budget(60))
            for inputs in environments(program, runs):
                return Compared("Safe", f"a run fails: {inputs}")
            if native:
                for end in subject.native("none").search(seed=1, runs=native, seconds=5):
                    if isinstance(end, SearchEnd) and end.violation is not None:
                        return Compared("Safe", f"a native run fails: {end.violation.inputs}")
            return Compared("Safe")
    return Compared(str(verdict)[:100])


def program_of(seed: int) -> tuple[str, str, str]:
    """(text, property, data model), the same for the same seed."""
    chosen = random.Random(seed)
    memory = chosen.random() < 0.5
    text = Writer(chosen, memory).write()
    return text, "memory-safety" if memory else "unreach-call", chosen.choice(["LP64", "LP64", "ILP32"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1500)
    parser.add_argument("--native", type=int, default=3000)
    asked = parser.parse_args()
    answers: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.programs):
        text, property_, data_model = program_of(seed)
        found = compare(text, property_, data_model, asked.runs, asked.native)
        answers["wrong" if found.wrong else found.answer] += 1
        if found.wrong or found.answer not in ("Safe", "Unsafe"):
            print(f"--- seed {seed}, {property_}, {data_model}: {found.answer}: {found.wrong}\n{text.removeprefix(TYPES)}", flush=True)
    print(dict(answers))
    return bool(answers["wrong"])


if __name__ == "__main__":
    sys.exit(main())
