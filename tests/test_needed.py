"""No precondition speaks of what has no part in the failure: generated functions with parameters that are stored, added or
passed on beside what fails."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from counterpoint.contracts.declarations import declarations
from counterpoint.core.budget import Budget
from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.entries.asked import Asked, is_settled
from counterpoint.entries.environment import Environment, environment, header
from counterpoint.entries.explored import Explored, Failure, Sample, place_of
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.literals import Literal, Rank, literals, text_of
from counterpoint.entries.needed import review
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import Subject
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Outcome
from counterpoint.program.model import Program

GLOBALS = "struct s { int x; int n; int items[16]; };\nint a[10], b[8]; long total;\nlong *sink;\n"

FAILING = (
    # what fails, what has a part in it (name, type), what the value that is stored is called
    ("a[{k}] = {v};", (("k", "int"),)),
    ("a[{k}] = {v} & 1;", (("k", "unsigned"),)),
    ("if ({k} > 3) b[{k}] = {v};", (("k", "int"),)),
    ("*{p} = {v};", (("p", "int *"),)),
    ("{p}->x = {v};", (("p", "struct s *"),)),
    ("{p}->items[{p}->n] = {v};", (("p", "struct s *"),)),
    ("a[{k} - 1] += {v};", (("k", "int"),)),
    ("total = {v} + b[{k}];", (("k", "short"),)),
    ("if ({p} != 0) {p}->items[{k}] = {v};", (("p", "struct s *"), ("k", "int"))),
    ("total = ({v} ^ {p}->x) + {w};", (("p", "struct s *"),)),
)
NOISE = (("v", "int"), ("w", "long"), ("n", "unsigned"), ("len", "int"), ("flag", "char"), ("i", "int"))
"""Names of what has no part, some as counts and indices are called, and types."""


def generated(seed: int) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Functions with what has a part in the failure, and what has none."""
    choose = random.Random(seed)
    for number in range(30):
        text, needed = FAILING[number % len(FAILING)]
        noise = choose.sample(NOISE, choose.randrange(2, 4))
        names = [name for name, _ in noise]
        values = {"v": choose.choice(names), "w": choose.choice(names)}
        parameters = [*needed, *noise]
        choose.shuffle(parameters)
        given = ", ".join(f"{type_} {name}" for name, type_ in parameters)
        body = text.format(**values, **{name: name for name, _ in needed})
        before = choose.choice(("", f"total += {names[0]}; ", f"if ({names[-1]} > 5) total = {names[0]}; "))
        yield f"void f{number}({given}) {{ {before}{body} }}", frozenset(name for name, _ in needed), frozenset((*names, "total"))


@cache
def required(folder: Path, seed: int) -> list[tuple[str, list[str], frozenset[str], frozenset[str]]]:
    """Of each function its text, what it is said to require, and of which names that may be."""
    functions = list(generated(seed))
    path = folder / f"made{seed}.c"
    path.write_text(GLOBALS + "\n".join(text for text, _, _ in functions) + "\n")
    declared = declarations(SourceTask((path,), property="memory-safety"), path)
    callers = {name: environment(declared, one) for name, one in declared.functions.items()}
    behind = path.with_name("callers.c")
    behind.write_text(header(str(path)) + "\n".join(one.text() for one in callers.values()))
    compiled = compile_file(SourceTask((behind,), property="memory-safety"), behind)
    found = []
    for number, (text, needed, noise) in enumerate(functions):
        caller = callers[f"f{number}"]
        task = SourceTask((path,), property="memory-safety", entry=caller.entry)
        program = Subject(task, define_task(task, [compiled])).program("none")
        found.append((text, _clauses(program, caller, seed), needed, noise))
    return found


def _clauses(program: Program, caller: Environment, seed: int) -> list[str]:
    pool = tuple(value for value in constants(program) if 1 < value < 1000)
    exploration = Exploration(program, caller, literals(caller, (*caller.sizes, *pool)), pool, seed)
    found = exploration.run(Budget(20))
    review(exploration, Budget(20))
    assert found.shown >= set(found.clauses), "two calls differ in what it speaks of alone"
    return [text_of(clause) for clause in found.clauses]


@pytest.mark.parametrize("seed", range(3))
def test_what_has_no_part_in_the_failure_is_not_required(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    found = required(tmp_path_factory.getbasetemp(), seed)
    assert len(found) == 30
    wrong = [(text, said) for text, said, _, noise in found for one in said if noise & words(one)]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("seed", range(3))
def test_what_has_a_part_is_required(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Of each name something is said."""
    for text, said, needed, _ in required(tmp_path_factory.getbasetemp(), seed):
        assert needed <= frozenset().union(*map(words, said)) | {"p"} and said, (text, said)


def test_what_others_exclude_needs_no_words() -> None:
    """A failure without a clause is not told beside a proof; where a run fails all the same, it is."""
    at = SourceLocation("a.c", 3, 5, "f")
    site, clause = CheckSite(0, "valid-deref", "invalid read", at), (Literal(Rank.SIGN, "k", ">=", 0, "k >= 0", ""),)
    answer = CheckAnswer(0, "valid-deref", at, "read", Answer.PROVED)
    result = CheckResult(("a.c",), "memory-safety", "LP64", "main", Outcome.TRUE, checks=(answer,))
    asked = [Asked(frozenset([clause]), frozenset(), result)]
    failure, required = Failure(site, None), frozenset([clause])
    explored = Explored([Sample({"k": -1}, 0, frozenset())], sites={0: place_of(site)})
    assert is_settled(failure, required, explored, asked)
    assert not is_settled(failure, frozenset(), explored, asked), "it was proved of callers that keep more"
    explored.samples.append(Sample({"k": 1}, 0, frozenset()))
    assert not is_settled(failure, required, explored, asked)
    assert not is_settled(Failure(site, clause), required, Explored(), asked)


def words(text: str) -> frozenset[str]:
    """Names that a clause speaks of, members without what leads to them left out."""
    return frozenset(re.findall(r"(?<![>\w\\])[A-Za-z_]\w*", text))
