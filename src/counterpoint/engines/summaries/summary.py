"""The summary of a function: pairs of pre- and postconditions, each proved of the function alone.

Formulas are over the components at the function's EXIT: a precondition speaks of inputs there (parameters, entry
values, globals that it only reads), which are what they were when the function was called. So a pair is the fact `pre
=> post` at EXIT. Pairs may overlap; where no precondition holds nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.execute.unit import Interface
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.evaluate import Value, evaluate
from counterpoint.term.term import Term, V

State = Mapping[Term, Value]


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call of a summarised function on a counterexample: its inputs and, as the model chose them, its outputs."""

    function: str
    state: State


@dataclass(frozen=True, slots=True)
class Pair:
    """Where `pre` held when the function was called, all of `post` holds when it returns. `point`: of one input
    only."""

    pre: V
    post: tuple[V, ...] = ()
    point: bool = False


@dataclass(slots=True)
class Summary:
    """f^, for each output of one function: `partitions` of the inputs into pairs that say something of that output.

    `points` are pairs of one input each, about all outputs; where the pre of a `silent` pair holds the function does
    not return. `entered`: calls of the function are walked through, because its pairs were not enough. `iterations`
    of the inner loops, a number for each pair that was looked for, and `refinements` are what table 1 of the paper
    counts.
    """

    faced: Interface
    partitions: dict[Term, list[Pair]] = field(init=False)
    points: list[Pair] = field(default_factory=list)
    silent: list[Pair] = field(default_factory=list)
    entered: bool = False
    iterations: list[int] = field(default_factory=list)
    refinements: int = 0

    def __post_init__(self) -> None:
        self.partitions = {output: [Pair(1)] for output in self.faced.outputs}

    @property
    def name(self) -> str:
        return self.faced.function.name

    @property
    def pairs(self) -> list[Pair]:
        """All that say something, points last."""
        parts = [pair for pairs in self.partitions.values() for pair in pairs if pair.post]
        return [*parts, *self.silent, *self.points]

    def facts(self) -> list[Fact]:
        """What the pairs say, each conjunct by itself."""
        formulas = (build.implies(pair.pre, one) for pair in self.pairs for one in pair.post)
        return [Fact(self.name, EXIT, formula) for formula in dict.fromkeys(formulas) if formula != 1]

    def allows(self, left: State) -> bool:
        """No pair excludes these inputs with these outputs."""
        return all(holds(fact.formula, left) for fact in self.facts())

    def of_input(self, output: Term, given: State) -> Pair:
        """pid: the pair of the output's partition that the input belongs to."""
        return next(pair for pair in self.partitions[output] if holds(pair.pre, given))

    def replace(self, output: Term, parent: Pair, children: Iterable[Pair]) -> None:
        """Of the output's partition."""
        pairs = self.partitions[output]
        place = pairs.index(parent)
        pairs[place : place + 1] = children


def holds(formula: V, state: State) -> bool:
    """The formula in the state; what the state does not have is 0."""
    return evaluate(formula, by_name(state)) == 1


def agree(claimed: State, left: State) -> bool:
    """The function leaves what a model says, as far as both are known."""
    return all(left.get(variable) == value for variable, value in claimed.items() if variable in left)


def by_name(state: State) -> dict[str, Value]:
    """As term.evaluate takes it."""
    return {str(variable.payload): value for variable, value in state.items()}


def facts_of(summaries: Iterable[Summary]) -> list[Fact]:
    return [fact for summary in summaries for fact in summary.facts()]
