"""The transitions of a Boolean program as relations: BDDs (package `dd`; CUDD if it is installed).

Each variable of a procedure has a column of BDD variables next to each other: its value at the procedure's entry
(e), at the present place (c), at the next one or at a callee's entry (n), and at the EXIT of the step's call number k
(r of k).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from counterpoint.engines.predicates.graph.edges import NO_CALL
from counterpoint.engines.predicates.slam.program import BooleanProgram, Cube, Cubes, Transition
from counterpoint.regions.cut_graph import Place
from counterpoint.term.boolean import bool_ite
from counterpoint.term.term import V

Bdd: TypeAlias = Any
"""A node of the manager; equal sets are equal nodes."""

Values: TypeAlias = tuple[bool, ...]
"""What holds of the predicates tracked at a place, in their order."""


def manager() -> Any:
    """CUDD's, or dd's own in Python."""
    try:
        from dd import cudd as package
    except ImportError:
        from dd import autoref as package
    return package.BDD()


class Relations:
    """Relations over (e, c) say how a procedure gets from its entry to a place."""

    def __init__(self, program: BooleanProgram, bdd: Any = None) -> None:
        self.program = program
        self.bdd = manager() if bdd is None else bdd
        self.most_calls = max((len(calls) for calls in program.calls.values()), default=0)
        families = ["e", "c", "n", *(f"r{k}_" for k in range(self.most_calls))]
        width = max((len(variables) for variables in program.procedures.values()), default=0)
        self.columns = range(width)
        for column in self.columns:
            self.bdd.declare(*(f"{family}{column}" for family in families))
        self.true, self.false = self.bdd.true, self.bdd.false
        self._inputs: dict[Place, list[str]] = {}
        self._relations: dict[Transition, Bdd] = {}

    # ------------------------------------------------------------ names

    def family(self, name: str) -> list[str]:
        """One value of all variables."""
        return [f"{name}{column}" for column in self.columns]

    def variables(self, place: Place, family: str) -> list[str]:
        """What is tracked at the place."""
        return [f"{family}{tracked.variable}" for tracked in self.program.tracked.get(place, ())]

    def inputs(self, place: Place) -> list[str]:
        """`BooleanProgram.inputs`."""
        if place not in self._inputs:
            self._inputs[place] = [
                f"c{tracked.variable}" if call == NO_CALL else f"r{call}_{tracked.variable}"
                for call, tracked in self.program.inputs(place)
            ]
        return self._inputs[place]

    # ------------------------------------------------------------ sets

    def cubes(self, cubes: Cubes, names: Sequence[str]) -> Bdd:
        """Their disjunction."""
        found = self.false
        for cube in cubes:
            found |= self.cube(cube, names)
        return found

    def cube(self, cube: Cube, names: Sequence[str]) -> Bdd:
        """The conjunction of the literals."""
        return self.bdd.cube({names[number]: holds for number, holds in cube})

    def state(self, place: Place, values: Values, family: str) -> Bdd:
        """One abstract state."""
        return self.bdd.cube(dict(zip(self.variables(place, family), values, strict=True)))

    def possible(self, place: Place, family: str) -> Bdd:
        """All states but those that are impossible at the place."""
        return ~self.cubes(self.program.impossible.get(place, ()), self.variables(place, family))

    def without(self, families: Iterable[str], relation: Bdd) -> Bdd:
        """For some values of these."""
        names = [name for family in families for name in self.family(family)]
        return self.bdd.exist(names, relation) if names else relation

    def renamed(self, relation: Bdd, families: Mapping[str, str]) -> Bdd:
        """All at once."""
        names = {f"{old}{column}": f"{new}{column}" for old, new in families.items() for column in self.columns}
        return self.bdd.let(names, relation) if names else relation

    def entered(self, function: str, entries: Bdd) -> Bdd:
        """The relation at the entry, for entry states over e."""
        found = entries
        for tracked in self.program.tracked.get((function, 0), ()):
            e, c = self.bdd.var(f"e{tracked.variable}"), self.bdd.var(f"c{tracked.variable}")
            found &= self.bdd.ite(e, c, ~c)
        return found

    # ------------------------------------------------------------ transitions

    def relation(self, transition: Transition) -> Bdd:
        """Over the step's inputs and n."""
        if transition not in self._relations:
            edge = transition.edge
            names = self.inputs(edge.source)
            found = ~self.cubes(transition.blocked, names) & self.possible(edge.target, "n")
            targets = self.variables(edge.target, "n")
            for name, choice in zip(targets, transition.choices, strict=True):
                next_ = self.bdd.var(name)
                found &= next_ | ~self.cubes(choice.positive, names)
                found &= ~next_ | ~self.cubes(choice.negative, names)
            self._relations[transition] = found
        return self._relations[transition]

    def left_out(self, transition: Transition, call: int) -> Bdd:
        """Inputs with which that call may not have been made."""
        return ~self.cubes(transition.made[call], self.inputs(transition.edge.source))

    def entry(self, place: Place, call: int) -> Bdd:
        """How that call of the step gets into its callee, over the inputs and n."""
        entering = self.program.entering(place, call)
        return self.false if entering is None else self.relation(entering)

    def summary(self, place: Place, call: int, at_exit: Bdd) -> Bdd:
        """The callee's relation at its EXIT (or a part of it), over n and the call's results."""
        return self.renamed(at_exit, {"e": "n", "c": f"r{call}_"})

    def called(self, before: Bdd, place: Place, call: int, summary: Bdd) -> Bdd:
        """What holds when the call is back, if it is made."""
        return self.without("n", before & self.entry(place, call) & summary)

    def results(self) -> list[str]:
        """The families of results."""
        return [f"r{k}_" for k in range(self.most_calls)]

    def image(self, before: Bdd, transition: Transition) -> Bdd:
        """The relation at the target; for an edge into a callee, its entry states over e."""
        after = before & self.relation(transition)
        if transition.edge.call == NO_CALL:
            return self.renamed(self.without(["c", *self.results()], after), {"n": "c"})
        return self.renamed(self.without(["e", "c", *self.results()], after), {"n": "e"})

    # ------------------------------------------------------------ answers

    def picked(self, relation: Bdd, names: Iterable[str]) -> dict[str, bool]:
        """Values of these variables for which the relation, which is not empty, holds with some others."""
        kept = set(names)
        others = sorted(set(self.bdd.support(relation)) - kept)
        found: dict[str, bool] = self.bdd.pick(self.bdd.exist(others, relation) if others else relation, care_vars=kept)
        return found

    def formula(self, place: Place, relation: Bdd) -> V:
        """The states of a relation at the place (over c) over its predicates. Linear in the BDD."""
        predicates = {f"c{t.variable}": t.predicate for t in self.program.tracked[place]}
        kept = set(self.bdd.support(relation)) - set(predicates)
        root = self.bdd.exist(sorted(kept), relation) if kept else relation
        return term_of(self.bdd, root, predicates)


def term_of(bdd: Any, root: Bdd, meaning: Mapping[str, V]) -> V:
    """The function as a formula over what its variables mean; nodes are shared. Without recursion."""
    done: dict[Bdd, V] = {bdd.true: 1, bdd.false: 0}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        _, low, high = bdd.succ(node)
        if node.negated:
            low, high = ~low, ~high
        waiting = [child for child in (low, high) if child not in done]
        if waiting:
            stack += waiting
            continue
        done[node] = bool_ite(meaning[node.var], done[high], done[low])
        stack.pop()
    return done[root]
