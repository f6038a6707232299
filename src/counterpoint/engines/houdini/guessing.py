"""What the sources of candidates say of a program, which of them are asked, and who said what a proof then needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshots
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import CandidateSource, Context
from counterpoint.invariants.contract_facts import of_contracts
from counterpoint.invariants.filtering import refuted
from counterpoint.semantics.facts import Fact

SAID = ("hints", "annotations")
"""The sources of candidates that the program itself gives."""

SOURCE_SECONDS = 1.5
SOURCE_SHARE = 0.25
"""Limits of one source of candidates: seconds of computing, at most a part of the time left. What is not guessed for
want of a second costs several later: of matrices, the ranges of cells that come last are those that a proof needs."""

MOST_PER_PLACE = 400
"""Candidates per place and stage that are tried, the likeliest first."""


@dataclass(slots=True)
class Guesses:
    """The sources that are asked: all but `without`; without `generate` those that the program itself gives.

    `first` has who was the first to say a fact. Made anew for each run of the engine.
    """

    generate: bool = True
    without: frozenset[str] = frozenset()
    first: dict[Fact, str] = field(default_factory=dict)

    def of(
        self, context: Context, stage: int, names: frozenset[str] | None = None, *, said: bool = False
    ) -> Iterator[Fact]:
        """What the sources of the stage guess (or those of the names, or `said` by the program), each for a limited
        time."""
        generate = self.generate and not said
        for source in self._asked(stage, names):
            if (generate or source.name in SAID) and not of_contracts(source, context.graph):
                limit = Budget.of_computing(min(SOURCE_SECONDS, SOURCE_SHARE * context.budget.remaining()))
                try:
                    yield from self.noted(source.candidates(replace(context, budget=limit)), source.name)
                except OutOfBudget:
                    context.budget.spend()
        if stage == 0 and generate and names is None:
            for place in context.graph.cuts:
                yield Fact(*place, 0)

    def _asked(self, stage: int, names: frozenset[str] | None) -> list[CandidateSource]:
        some = [source for source in guesses.sources() if source.stage == stage and source.name not in self.without]
        return some if names is None else [source for source in some if source.name in names]

    def noted(self, facts: Iterable[Fact], name: str) -> Iterator[Fact]:
        """The same facts; the name has said them, where nobody did before."""
        for fact in facts:
            self.first.setdefault(fact, name)
            yield fact

    def tally(self, facts: Iterable[Fact]) -> dict[str, int]:
        """How many of the facts each source has said first, as statistics `facts_of_SOURCE`."""
        counted = Counter(self.first.get(fact, "others") for fact in facts)
        return {f"facts_of_{name}": number for name, number in sorted(counted.items())}


def left_out(names: str) -> frozenset[str]:
    """The sources with these names (commas between). Raises UnusableInput for a name that no source has."""
    without = frozenset(name.strip() for name in names.split(",") if name.strip())
    known = [source.name for source in guesses.sources()]
    for name in sorted(without):
        if name not in known:
            there_are = ", ".join(known)
            raise UnusableInput(f"houdini.without: no source of candidates is called `{name}`; there are {there_are}")
    return without


def filtered(facts: Iterable[Fact], snapshots: Snapshots) -> list[Fact]:
    """Each fact once, without those that a concrete run refutes; at most MOST_PER_PLACE of a place."""
    unique = list(dict.fromkeys(facts))
    wrong = refuted(unique, snapshots)
    count: dict[tuple[str, int], int] = {}
    usable: list[Fact] = []
    for fact in unique:
        count[fact.place] = count.get(fact.place, 0) + (fact not in wrong)
        if fact not in wrong and count[fact.place] <= MOST_PER_PLACE:
            usable.append(fact)
    return usable
