"""Sources of candidates that are left out, and who said what a proof of houdini needs."""

from __future__ import annotations

import pytest

from c_programs import program, subject
from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.houdini.guessing import Guesses, left_out
from counterpoint.engines.protocol import Tools
from counterpoint.execute.snapshots import Snapshots
from counterpoint.invariants.candidates import sources
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.regions.cut_graph import cut_graph

SUM = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), a = 0, b = 0;
  if (n < 0 || n > 100000) return 0;
  for (int i = 0; i < n; i++) { a += 2; b += 3; }
  if (a + b != 5 * n) reach_error();
  return 0;
}
"""


def sources_of(option: str) -> set[str]:
    """Of the facts of a proof, with the option given; the statistics name them."""
    engine = engines.get("houdini")
    engine.verify(engines.task("houdini", subject(SUM), {"houdini.without": option}), Tools(Budget(90)))
    counters = [name.removeprefix("facts_of_") for name in engine.statistics() if name.startswith("facts_of_")]
    assert all(engine.statistics()[f"facts_of_{name}"] > 0 for name in counters)
    return set(counters)


def all_but(*names: str) -> str:
    return ", ".join(source.name for source in sources() if source.name not in names)


def test_the_proof_says_who_said_its_facts_first() -> None:
    """Of many proofs any may be found: the sources are few enough that there is one alone."""
    assert sources_of(all_but("affine", "checks", "intervals")) == {"affine", "checks", "intervals"}
    assert not sources_of(all_but("checks", "intervals"))


def test_a_source_that_is_left_out_says_nothing() -> None:
    without = sources_of("affine, equalities")
    assert without and not without & {"affine", "equalities"}


def test_which_sources_are_asked() -> None:
    graph = cut_graph(program(SUM), Budget(20))
    context = Context(graph, Snapshots(), Budget(20))
    every = Guesses()
    assert {*every.of(context, 0)} and set(every.first.values()) >= {"affine", "checks"}
    some = Guesses()
    assert {*some.of(context, 0, frozenset({"affine", "octagons"}))} and set(some.first.values()) == {"affine"}
    assert not {*Guesses(without=frozenset({"affine"})).of(context, 0, frozenset({"affine"}))}
    assert not {*Guesses(generate=False).of(context, 0)} and not {*every.of(context, 0, said=True)}


def test_the_first_who_said_a_fact_is_counted() -> None:
    graph = cut_graph(program(SUM), Budget(20))
    found = Guesses()
    facts = [*found.of(Context(graph, Snapshots(), Budget(20)), 0, frozenset({"affine"}))]
    assert facts == [*found.noted(facts, "late")]
    assert found.tally(facts) == {"facts_of_affine": len(facts)}
    assert Guesses().tally(facts) == {"facts_of_others": len(facts)}


def test_names_of_sources_are_checked() -> None:
    assert left_out("") == frozenset()
    assert left_out("affine, powers") == {"affine", "powers"}
    assert {source.name for source in sources()} == left_out(",".join(source.name for source in sources()))
    with pytest.raises(UnusableInput, match="no source of candidates is called `affin`; there are affine"):
        left_out("affin")
