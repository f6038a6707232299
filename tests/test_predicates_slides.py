"""The slides' programs (tests/slides) with predicate abstraction: verdicts, and which predicates are tracked where.

`single` makes places of statements, as on the slides; other blocks merge them, and need fewer predicates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import pytest

from c_programs import PRELUDE, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.engines.predicates import Options, Search
from counterpoint.engines.predicates.graph.places import PlaceTexts
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import Subject
from counterpoint.logic.interpolation.standard import DOMAINS_FIRST, ORDER
from counterpoint.program.graph import loop_heads
from counterpoint.program.model import Register
from counterpoint.regions.steps import by_variable
from counterpoint.semantics.components import RegisterValue
from counterpoint.semantics.granules import GranuleConflict, with_granules
from counterpoint.term.walk import variables
from slides import locks, slide

pytestmark = pytest.mark.fills_memory

SINGLE: Final = {"predicates.block": "single"}
BASIC: Final = {"predicates.block": "basic"}
MERGED: Final = {**SINGLE, "predicates.traces": "merged"}


@dataclass(frozen=True)
class Found:
    """What one search came to. `at`: for the text of a line, what is tracked at its places, as C expressions."""

    search: Search
    verdict: Verdict
    numbers: Mapping[str, int | float]
    at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def counts(self, *names: str) -> tuple[int | float, ...]:
        return tuple(self.numbers[name] for name in names)


def found(text: str, options: Mapping[str, str], seconds: float = 200.0, order: Sequence[tuple[str, float]] = ORDER) -> Found:
    """The verdict with its evidence checked: a proof by the checker, a violation by a run of the unprepared program."""
    tested = subject(text)
    chosen = Options.of(options)

    def attempt(granules: dict[str, int]) -> tuple[Search, Verdict]:
        search = Search(tested.program(chosen.preparation), chosen, Tools(Budget(seconds)), granules, tested)
        search.refinement.order = order
        try:
            return search, search.run()
        except OutOfBudget:
            return search, Unknown(Reason.OUT_OF_TIME, search.progress())
        except GranuleConflict:
            search.close()
            raise

    search, verdict = with_granules(attempt)
    _check(tested, verdict)
    at = _by_line(search, text)
    numbers = search.statistics()
    search.close()
    return Found(search, verdict, numbers, at)


def _check(tested: Subject, verdict: Verdict) -> None:
    match verdict:
        case Safe(certificate):
            check_proof(tested.program(certificate.preparation), certificate, Budget(90))
        case Unsafe(violation):
            outcome = run(tested.program("none"), ReplayInputs(violation.inputs), Limits(steps=10_000_000)).outcome
            assert isinstance(outcome, Violated) and outcome.check == violation.check


def _by_line(search: Search, text: str) -> dict[str, tuple[str, ...]]:
    words = PlaceTexts(search.formulas.encoded.where)
    lines = (PRELUDE + text).splitlines()
    at: dict[str, dict[str, None]] = {}
    for place, predicates in search.predicates.items():
        there = at.setdefault(lines[words.at(place).line - 1].strip(), {})
        there |= dict.fromkeys(words.names(place, predicate).text(predicate) for predicate in predicates)
    return {line: tuple(said) for line, said in at.items() if said}


@cache
def shown(name: str, *options: tuple[str, str]) -> Found:
    return found(slide(name).read_text(), dict(options))


def of(name: str, options: Mapping[str, str]) -> Found:
    return shown(name, *options.items())


# ---------------------------------------------------------------- signs, slides 9 to 12


def test_signs_are_local() -> None:
    """What is tracked is the sign of y before x is computed from it, and the sign of x behind that."""
    made = of("signs", SINGLE)
    assert isinstance(made.verdict, Safe)
    assert made.at == {
        "__VERIFIER_assume(y != 0);": ("y == 0", "y > 0", "-y > 0"),
        "if (y > 0)": ("y > 0", "-y > 0"),
        "x = -y;": ("-y > 0",),
        "if (!(x > 0))": ("x > 0",),
    }
    assert made.counts("refinements", "predicates", "cut") == (1, 4, 8)


def test_signs_by_numeric_domains() -> None:
    """With the domains first, in their order: each predicate compares one variable with one constant."""
    made = found(slide("signs").read_text(), SINGLE, order=DOMAINS_FIRST)
    assert isinstance(made.verdict, Safe)
    said = [text for there in made.at.values() for text in there]
    assert said and all(re.fullmatch(r"[xy] (==|<|>|<=|>=) -?\d+", text) for text in said), said
    (behind,) = made.at["if (!(x > 0))"]
    assert behind.startswith("x ")


@pytest.mark.parametrize("name", ["signs", "trace", "calls"])
def test_one_block_needs_no_predicate(name: str) -> None:
    """Without loops there is nothing between the start and the error."""
    made = of(name, {})
    assert isinstance(made.verdict, Safe)
    assert made.counts("refinements", "predicates", "nodes") == (0, 0, 1)


# ---------------------------------------------------------------- slide 19


def test_one_predicate_at_a_loop() -> None:
    """x > 0 is enough where the whole iteration is one block: y is constant."""
    made = of("predicates", {})
    assert isinstance(made.verdict, Safe)
    assert list(made.at.values()) == [("x > 0",)]
    assert made.counts("refinements") == (1,)


def test_an_assumption_as_a_statement_of_its_own() -> None:
    """Bounds 0 < x + 2, 0 < x + 4, .. would go on for ever: once they repeat, other methods come first."""
    made = found(slide("predicates").read_text(), SINGLE)
    assert isinstance(made.verdict, Safe)


# ---------------------------------------------------------------- SLAM, slides 20 to 24


def test_slam() -> None:
    """The predicates of slide 24, where they are needed: nPacketsOld == nPackets only between the two of them."""
    made = of("slam", SINGLE)
    assert isinstance(made.verdict, Safe)
    assert made.counts("refinements", "predicates") == (6, 3)
    equality = next(text for text in made.at["} while (nPackets != nPacketsOld);"] if "nPackets" in text)
    assert re.fullmatch(r"nPackets%\d+ == nPackets%\d+", equality)
    assert made.at == {
        "if (lock != 0)": ("lock == 0",),
        "if (__VERIFIER_nondet_int()) {": ("lock == 1",),
        "if (lock != 1)": ("lock == 1",),
        "nPackets++;": ("lock == 0",),
        "} while (nPackets != nPacketsOld);": ("lock == 1", equality, "lock == 0"),
    }


def test_the_equality_is_of_the_right_variables() -> None:
    """nPacketsOld is what nPackets was at the loop's head; nPackets is what it is behind the branch."""
    made = of("slam", SINGLE)
    search = made.search
    main = search.program.main
    (head,) = loop_heads(main)
    at_head = [register.index for register in main.blocks[head].parameters if register.name == "nPackets"]
    equalities: set[frozenset[Register]] = set()
    for place, predicates in search.predicates.items():
        components = by_variable(search.formulas.encoded.where, place, search.granules)
        for predicate in predicates:
            used = [components[variable] for variable in variables(predicate)]
            if len(used) > 1:
                equalities.add(frozenset(c.register for c in used if isinstance(c, RegisterValue)))
    (pair,) = equalities
    assert [register.name for register in pair] == ["nPackets", "nPackets"]
    assert len(at_head) == 1 and at_head[0] in [register.index for register in pair]


def test_slam_in_one_block() -> None:
    """An iteration is one block: what the lock is at its head is all."""
    made = of("slam", {})
    assert isinstance(made.verdict, Safe)
    assert made.counts("refinements", "predicates") == (1, 1)
    assert all("lock" in text for there in made.at.values() for text in there)


# ---------------------------------------------------------------- p1 to pn, slides 26 to 28


@pytest.mark.parametrize("n", [10, 20, pytest.param(40, marks=pytest.mark.long)])
def test_correlated_locks_at_every_block(n: int) -> None:
    """Tracked where they are needed, n predicates make about n states, not 2^n: linear in all columns."""
    made = found(locks(n), BASIC)
    assert isinstance(made.verdict, Safe)
    assert made.numbers["predicates"] <= n + 2
    assert made.numbers["average"] <= 2
    assert made.numbers["refinements"] <= 2 * n + 4
    assert made.numbers["nodes"] <= 40 * n
    assert made.numbers["solver_calls"] <= 20 * n


@pytest.mark.parametrize("n", [4, 8, pytest.param(16, marks=pytest.mark.long)])
def test_correlated_locks_at_every_statement(n: int) -> None:
    """p1 to pn are predicates between their lock and unlock only: fewer than two per place."""
    made = found(locks(n), MERGED)
    assert isinstance(made.verdict, Safe)
    assert n <= made.numbers["predicates"] <= n + 2
    assert made.numbers["average"] <= 2
    assert made.numbers["refinements"] <= 4 * n + 5
    assert made.numbers["nodes"] <= 90 * n
    assert made.numbers["solver_calls"] <= 50 * n


@pytest.mark.parametrize("n", [5, 10])
def test_correlated_locks_along_paths(n: int) -> None:
    """The same with single paths of each trace."""
    made = found(locks(n), SINGLE)
    assert isinstance(made.verdict, Safe)
    assert made.numbers["predicates"] <= n + 2
    assert made.numbers["average"] <= 2.5


@pytest.mark.parametrize("n", [10, 40])
def test_correlated_locks_in_one_block(n: int) -> None:
    """Between loop heads nothing is left to be correlated."""
    made = found(locks(n), {})
    assert isinstance(made.verdict, Safe)
    assert made.counts("refinements", "predicates") == (1, 1)
    assert made.numbers["nodes"] <= 5


# ---------------------------------------------------------------- interpolation, slides 38 to 60


def test_the_predicate_map_of_slide_58() -> None:
    """Copies are no statements: x is ctr of the start, y is ctr behind the increment. So at pc4 y = x + 1, at pc5 y = i;
    at pc2 and pc3 there is nothing to say that does not hold by itself."""
    made = of("trace", SINGLE)
    assert isinstance(made.verdict, Safe)
    assert made.at == {"if (x == i - 1) {": ("ctr%2 == ctr%0 + 1",), "if (y != i)": ("ctr == i",)}
    assert made.counts("refinements", "predicates") == (1, 2)


def test_calls() -> None:
    """Slide 60: inlined, the values are constants, and no trace gets to the error."""
    made = of("calls", SINGLE)
    assert isinstance(made.verdict, Safe)
    assert made.counts("refinements", "predicates") == (0, 0)


# ---------------------------------------------------------------- limitations, slides 72 to 76


@pytest.mark.parametrize("options", [{}, pytest.param(SINGLE, marks=pytest.mark.long)], ids=["large", "single"])
def test_a_million_iterations(options: Mapping[str, str]) -> None:
    """Slide 72: runs beside the refinement end it."""
    made = of("counting", options)
    assert isinstance(made.verdict, Unsafe)
    assert made.numbers["refinements"] < 100


def test_a_list_without_end() -> None:
    """Slide 73: that x is never null needs more than predicates about finitely many cells. Never a wrong answer."""
    made = found(slide("list_walk").read_text(), {}, seconds=3.0)
    assert isinstance(made.verdict, Safe | Unknown)


def test_a_long_trace() -> None:
    """Slides 74 to 76: the error is behind a thousand iterations."""
    made = of("long_trace", SINGLE)
    assert isinstance(made.verdict, Unsafe)
    assert made.numbers["refinements"] < 100
