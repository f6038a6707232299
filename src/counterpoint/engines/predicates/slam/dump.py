"""A program's Boolean program with what its model checker says of it, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.source import SourceLocation
from counterpoint.engines.predicates.graph.edges import Precision
from counterpoint.engines.predicates.slam.bebop import NoError, check
from counterpoint.engines.predicates.slam.c2bp import LARGEST_CUBE, Abstraction
from counterpoint.engines.predicates.slam.implications import Implications
from counterpoint.engines.predicates.slam.program import BooleanProgram
from counterpoint.engines.predicates.slam.text import boolean_program_text, over_names, state_text, trace_text
from counterpoint.engines.predicates.slam.user_predicates import UserPredicate, precision_of
from counterpoint.program.model import Program
from counterpoint.program.source_lines import SourceLines
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import BASIC, Granularity, Locations, locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.granules import with_granules
from counterpoint.term.term import V

Chosen: TypeAlias = Callable[[Locations, Mapping[str, int]], tuple[Precision, Mapping[V, str]]]
"""The predicates at the places, and names for some, for the given granules (bytes per element of arrays)."""


def of_user(predicates: Sequence[UserPredicate]) -> Chosen:
    """The predicates that a user wrote."""
    return lambda where, granules: precision_of(where, granules, predicates)


def dump_over(
    program: Program,
    precision: Chosen,
    budget: Budget,
    granularity: Granularity = BASIC,
    largest: int = LARGEST_CUBE,
) -> str:
    """The Boolean program over these predicates, with lines of the source and reachable states as comments, and behind
    it what bebop says. Raises OutOfBudget, Unsupported, and what `precision` raises."""
    where = locations(program, granularity)

    def made(granules: dict[str, int]) -> BooleanProgram:
        implications = Implications()
        try:
            found, labels = precision(where, granules)
            return Abstraction(EncodedSteps(where, granules, budget), largest, implications).program(found, labels)
        finally:
            implications.close()

    return dump_of(where, with_granules(made), budget)


def dump_of(where: Locations, made: BooleanProgram, budget: Budget) -> str:
    """A Boolean program of the program with these places, as `dump_over` makes it. Raises OutOfBudget."""
    named = over_names(made)
    checked = check(named, budget)
    source = Source(where.program)
    if not isinstance(checked, NoError):
        trace = "".join(f"//   {line}\n" for line in trace_text(made, checked))
        text = boolean_program_text(named, lambda place: source.lines(where, place))
        return f"{text}\n// bebop: error is reachable\n{trace}"
    states = checked.states

    def comments(place: Place) -> list[str]:
        reached = [] if states[place] == 1 else [f"reached with {state_text(states[place])}"]
        return [*source.lines(where, place), *(["never reached"] if states[place] == 0 else reached)]

    return f"{boolean_program_text(named, comments)}\n// bebop: error is not reachable\n"


class Source:
    """Lines of the source, as far as they are known."""

    def __init__(self, program: Program) -> None:
        self._lines = SourceLines(program.sources)

    def lines(self, where: Locations, place: Place) -> list[str]:
        """Those of the block at the place, each once, in their order: `12: x = y;`."""
        if place[1] == EXIT:
            return []
        function = where.program.main if place == START else where.program.functions[place[0]]
        block = function.blocks[place[1]]
        found = [instruction.at for instruction in block.instructions] + [block.terminator.at]
        located = [at for at in found if at.line]
        return list(dict.fromkeys(self._text(at) for at in located))

    def _text(self, at: SourceLocation) -> str:
        text = self._lines.line(at)
        return f"{at.line}: {text}" if text else f"line {at.line}"
