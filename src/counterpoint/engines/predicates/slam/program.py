"""Boolean programs: what is left of a program when only predicates are known of its states.

Control flow is that of the places (regions/locations.py). A place has one Boolean variable for each predicate tracked
there; the variables of all places of a function are those of one procedure, where one variable may stand for different
formulas in different places (in SSA form `x` is another register after each assignment).

Source: Ball, Majumdar, Millstein, Rajamani (PLDI 2001), section 4; Ball, Rajamani (SPIN 2000), section 2. Deviations:
edges instead of statements; `choose` has no value where both of its conditions hold (PLDI 2001: the first one counts),
since no state is like that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.term import V

Literal: TypeAlias = tuple[int, bool]
"""The number of an input of the step (`BooleanProgram.inputs`), and whether it holds."""

Cube: TypeAlias = tuple[Literal, ...]
"""A conjunction, by rising numbers."""

Cubes: TypeAlias = tuple[Cube, ...]
"""A disjunction."""

FALSE: Final[Cubes] = ()
TRUE: Final[Cubes] = ((),)


@dataclass(frozen=True, slots=True)
class Variable:
    """A Boolean variable of a procedure; `text` is its predicate as C expression."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Tracked:
    """At some place, the procedure's variable of that number stands for the predicate."""

    variable: int
    predicate: V


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of one variable: true where `positive` holds, false where `negative` does, otherwise either."""

    positive: Cubes
    negative: Cubes


UNKNOWN: Final = Choice(FALSE, FALSE)


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """`assume(!blocked)` and the assignment, all at once, of `choices` to what is tracked at the edge's target.

    It comes after the first `len(made)` calls of the step (for an edge into a callee: those before that call), number
    k of which was made where `made[k]` holds, and may have been left out (its results are arbitrary) elsewhere. For an
    edge into a callee `choices` are the arguments: what is tracked at the callee's entry. Transitions of a step need
    not agree on `made`: a run of the C program fulfils what is said by all that it takes, edges into callees too.
    """

    edge: Edge
    blocked: Cubes
    made: tuple[Cubes, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class BooleanProgram:
    """`tracked` has all places that are syntactically reachable; ERROR is none of them. `calls` names the callees of
    each place's step, `transitions` what its step does. No state at a place fulfils one of the cubes `impossible` there
    (numbers in `tracked`), so that states with them are left out (`enforce` in PLDI 2001).
    """

    entry: str
    procedures: Mapping[str, tuple[Variable, ...]]
    tracked: Mapping[Place, tuple[Tracked, ...]]
    impossible: Mapping[Place, Cubes]
    calls: Mapping[Place, tuple[str, ...]]
    transitions: Mapping[Place, tuple[Transition, ...]]

    def procedure(self, place: Place) -> str:
        """The function that the place is in."""
        return self.entry if place == START else place[0]

    def inputs(self, place: Place) -> list[tuple[int, Tracked]]:
        """What the cubes of the step from the place speak of: with NO_CALL what is tracked there, then, with the number
        of each call of the step, what is tracked at the callee's EXIT when it is back."""
        found = [(NO_CALL, tracked) for tracked in self.tracked[place]]
        for number, callee in enumerate(self.calls[place]):
            found += [(number, tracked) for tracked in self.tracked[callee, EXIT]]
        return found

    def entering(self, place: Place, call: int) -> Transition | None:
        """The step's edge on which that call enters its callee; None if it is never made."""
        return next((t for t in self.transitions[place] if t.edge.call == call), None)

    def all_transitions(self) -> Iterator[Transition]:
        """By their sources, in the order of `tracked`."""
        for transitions in self.transitions.values():
            yield from transitions
