"""What a callee's result has to be for a step that contracts allow and no test has taken.

A model of the step says how each call came back; the test that was made from it says how calls really came back. The
first call for which the difference matters is the one whose summary is refined: by a predicate over its parameters,
results and global objects that holds for what the model says, for nothing that a run has shown, and wherever the step
is possible (as far as elimination goes; otherwise for the caller's values in the model).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.calls import Calls
from counterpoint.engines.dash.explored import Visit, given_by
from counterpoint.engines.dash.frontier import QUERY_SECONDS, Questions
from counterpoint.engines.dash.region_graph import Region
from counterpoint.logic.elimination import eliminate
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.cut_graph import START
from counterpoint.regions.encoded_steps import Passed
from counterpoint.regions.instance import Instance, placed, tagged
from counterpoint.regions.tests import Test
from counterpoint.regions.tree import Node
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.objects import ScalarRecord
from counterpoint.solver.answers import Sat
from counterpoint.term import build
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size, substitute, variables

MOST_SPLICED = 4
"""Known runs of a callee that are tried in the place of a call."""

TOO_LARGE = 40
"""Times as large as the smallest predicate: then a more general one comes last."""

MOST_KNOWN = 200
"""Ends of runs of a callee that are looked at."""

MOST_SAMPLES = 40
"""Known runs of a callee that a likely model agrees with."""

AT_EXIT = "@exit"
"""How names of components at the callee's EXIT end while they stand beside the caller's."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A run of a callee inside a test; `exit` is None if the test does not show its end."""

    test: Test
    entry: Node
    exit: Node | None

    @property
    def length(self) -> int:
        return 0 if self.exit is None else self.exit.depth - self.entry.depth


@dataclass(frozen=True, slots=True)
class Needed:
    """The callee of call `number` has to come back with `wanted`: a predicate at `region`, the EXIT leaf that the
    model's result is in."""

    number: int
    region: Region[Visit]
    wanted: V


@dataclass(slots=True)
class Summaries:
    """Refines summaries. `spliced` are runs of callees that were tried in place of a call already."""

    calls: Calls
    questions: Questions
    spliced: set[tuple[Node, int, Node]] = field(default_factory=set)

    # ------------------------------------------------------------ which call, and which predicate

    def likely(self, visit: Visit, target: Region[Visit], test: Test) -> tuple[int | None, Mapping[Term, Given]] | None:
        """Of a step over several calls, a model in which all of them come back as known runs did that had the same
        arguments, but for the call of the number in the answer; None if there is none. `test` tried another model."""
        preimages, paths = self.questions.preimages, self.questions.paths
        place = visit.node.place
        crossing = preimages.crossing(place, target.place, target.literals())
        passed = preimages.encoded.passed(place)[: preimages.most_calls(place, target.place)]
        if len(passed) < 2:
            return None
        shown = [self._samples(call, test) for call in passed]
        for number in (None, *range(len(passed))):
            samples = [part for at, parts in enumerate(shown) if at != number for part in parts]
            formulas = [crossing.formula, *crossing.literals, *samples]
            answer = paths.along(visit.node, self.questions.at_node(visit.node, formulas), QUERY_SECONDS, "likely")
            if isinstance(answer, Sat):
                return number, given_by(answer.model, paths.last_leaves)
        return None

    def _samples(self, call: Passed, test: Test) -> list[V]:
        """The call comes back as known runs of the callee did, if its arguments are theirs."""
        found: dict[V, None] = {}
        for visit in self._known(call.callee, test):
            before = self._as_shown(call.before, Visit(visit.test, entry_of(visit.node)))
            after = self._as_shown(call.after, visit)
            found[build.implies(build.conjunction([call.formula, *before]), build.conjunction(after))] = None
            if len(found) == MOST_SAMPLES:
                break
        return list(found)

    def _known(self, callee: str, test: Test) -> list[Visit]:
        """Ends of runs of the callee, those of the test first."""
        known = [visit for leaf in self.calls.explored.forest.leaves((callee, EXIT)) for visit in leaf.visits]
        return sorted(known, key=lambda visit: (visit.test is not test, visit.node.depth))[:MOST_KNOWN]

    def needed(
        self,
        visit: Visit,
        source: Region[Visit],
        target: Region[Visit],
        model: Mapping[Term, Given],
        test: Test,
        number: int | None = None,
    ) -> list[Needed]:
        """What has to come back of the call that matters: for all runs through the source when the other calls come
        back as in the model, or however they do, or for the caller's values in the model. This is for a step from the
        visit's node to the target, as in the model, which `test` did not take. `number`: the call, if known."""
        node, place = visit.node, visit.node.place
        preimages = self.questions.preimages
        crossing = preimages.crossing(place, target.place, target.literals())
        step = build.conjunction([crossing.formula, *crossing.literals])
        passed = preimages.encoded.passed(place)[: preimages.most_calls(place, target.place)]
        values = _Values(self.questions, node, visit.test.assignment.changed(model, test.assignment.seed))
        if number is None:
            number = self._differing(step, passed, values, node, test)
        if number is None or not values.of(passed[number].formula):
            return []
        call = passed[number]
        said = {variable: value for variable, value in call.after.items() if _is_scalar(variable)}
        result: dict[Term, V] = {variable: values.of(value) for variable, value in said.items()}
        forest = self.calls.explored.forest
        region = forest.leaf(
            (call.callee, EXIT), lambda predicate: bool(values.of(placed(predicate, call.after.get)))
        )
        if region is None or not region.visits:
            return []
        exit_ = Instance({v: tagged(v, AT_EXIT) for v in said})
        equal = build.conjunction([call.formula, *(_equal(exit_.meaning(v), value) for v, value in said.items())])
        known = [*source.literals(), *self.questions.facts.get(place, ())] if place != START else []
        found: list[V | None] = []
        for literals in dict.fromkeys((tuple(target.literals()[:1]), tuple(target.literals()))):
            crossing = preimages.crossing(place, target.place, literals, free=number)
            full = build.conjunction([crossing.formula, *crossing.literals, equal])
            others = [v for v in exit_.strangers(full) if v not in _left_behind(call)]
            known_there = build.conjunction([full, *known])
            found += [
                _over_components(exit_, values.fixed(known_there, [v for v in others if _is_of_call(v)])),
                _over_components(exit_, known_there),
                _over_components(exit_, values.fixed(full, others)),
            ]
        good = [p for p in dict.fromkeys(found) if p not in (None, 0, 1) and _true_for(p, result)]
        limit = TOO_LARGE * min(map(size, good), default=0)
        return [Needed(number, region, predicate) for predicate in sorted(good, key=lambda p: size(p) > limit)]

    def _differing(
        self, step: V, passed: Sequence[Passed], values: _Values, node: Node, test: Test
    ) -> int | None:
        """The first call for which what the test shows is not good enough for the step; calls before it are given the
        values that the test shows."""
        returned = self.returned(node, test)
        for number, call in enumerate(passed):
            if not values.of(call.formula):
                continue
            real = next(returned, None)
            if real is None or real.exit is None or real.entry.place[0] != call.callee:
                if self._is_known(call, values, test):
                    continue
                return number
            tree = self.calls.explored.tree
            change: dict[Term, Given] = {}
            mine = _left_behind(call)
            for variable, value in call.after.items():
                shown = tree.value(real.exit, variable)
                if shown is not None and _is_scalar(variable) and value in mine:
                    assert isinstance(value, Term)
                    change[value] = test.assignment.value(shown)
            before = values.assignment
            values.assignment = before.changed(change, before.seed)
            if not values.of(step):
                values.assignment = before
                return number
        return None

    def _is_known(self, call: Passed, values: _Values, test: Test) -> bool:
        """A run of the callee had the arguments and the result that the values say."""
        for visit in self._known(call.callee, test):
            entry = Visit(visit.test, entry_of(visit.node))
            if values.of(build.conjunction([*self._as_shown(call.after, visit), *self._as_shown(call.before, entry)])):
                return True
        return False

    def returned(self, node: Node, test: Test) -> Iterator[Returned]:
        """The calls of contract functions that the test makes in the step from the node, one after the other."""
        nodes = iter(test.nodes)
        if node not in test.nodes:
            return
        for here in nodes:
            if here is node:
                break
        entry: Node | None = None
        for here in nodes:
            if entry is None:
                if here.place[1] != 0 or here.frame is node.frame or here.place[0] not in self.calls.where.contracts:
                    return
                entry = here
            elif here.frame is entry.frame and here.place[1] == EXIT:
                yield Returned(test, entry, here)
                entry = None
        if entry is not None:
            yield Returned(test, entry, None)

    def refined(self, needed: Sequence[Needed]) -> bool:
        """Splits the summary by the first predicate that holds for nothing that runs have shown; whether there is one.
        """
        for one in needed:
            if not any(self.calls.explored.holds(known, one.wanted) for known in one.region.visits):
                self.calls.split(one.region, one.wanted)
                return True
        return False

    # ------------------------------------------------------------ known runs of the callee

    def splices(
        self, visit: Visit, target: Region[Visit], needed: Needed
    ) -> Iterator[tuple[Returned, Assignment]]:
        """Assignments that get to the call with the arguments that a known run of the callee had, which came back with
        what is needed."""
        place = visit.node.place
        preimages, paths = self.questions.preimages, self.questions.paths
        crossing = preimages.crossing(place, target.place, target.literals())
        call = preimages.encoded.passed(place)[needed.number]
        tried = 0
        for known in needed.region.visits:
            key = visit.node, target.number, known.node
            if tried >= MOST_SPLICED or key in self.spliced or not self.calls.explored.holds(known, needed.wanted):
                continue
            self.spliced.add(key)
            tried += 1
            entry = entry_of(known.node)
            equal = [
                *self._as_shown(call.before, Visit(known.test, entry)),
                *self._as_shown(call.after, known),
            ]
            formulas = [call.formula, crossing.formula, *crossing.literals, *equal]
            answer = paths.along(
                visit.node, self.questions.at_node(visit.node, formulas), QUERY_SECONDS, "splice"
            )
            if isinstance(answer, Sat):
                values = given_by(answer.model, paths.last_leaves)
                seed = visit.test.assignment.seed + 1
                yield Returned(known.test, entry, known.node), visit.test.assignment.changed(values, seed)

    def _as_shown(self, values: Mapping[Term, V], visit: Visit) -> list[V]:
        found: list[V] = []
        for variable, value in values.items():
            shown = self.calls.explored.tree.value(visit.node, variable)
            if shown is not None and _is_scalar(variable):
                found.append(_equal(value, visit.test.assignment.value(shown), variable))
        return found

    def with_inputs_of(self, known: Returned, node: Node, number: int, test: Test) -> Assignment | None:
        """The test's assignment, with the inputs that a known run of a callee reads for its call of that number in the
        step from the node; None if it does not make so many."""
        calls = list(self.returned(node, test))
        if number >= len(calls):
            return None
        tree = self.calls.explored.tree
        given: dict[Term, Given] = {}
        changed = test.assignment
        here: Node | None = calls[number].entry
        behind = iter(known.test.nodes)
        there = next(node for node in behind if node is known.entry)
        while here is not None and there is not known.exit:
            read = [r for r in tree.step(here).records if isinstance(r, ScalarRecord)]
            shown = [r for r in tree.step(there).records if isinstance(r, ScalarRecord)]
            for mine, theirs in zip(read, shown, strict=False):
                if _same_input(mine, theirs) and isinstance(mine.value, Term):
                    given[mine.value] = known.test.assignment.value(theirs.value)
            there = next(behind)
            changed = test.assignment.changed(given, test.assignment.seed)
            exits = tree.step(here).exits
            taken = next((n for n, exit_ in enumerate(exits) if changed.value(exit_.formula)), None)
            here = None if taken is None or exits[taken].target != there.place else tree.child(here, taken)
        return changed if given else None


@dataclass(slots=True)
class _Values:
    """Values of formulas of the step from a node, under an assignment that also speaks of what calls leave behind."""

    questions: Questions
    node: Node
    assignment: Assignment

    def of(self, formula: V) -> int:
        (there,) = self.questions.at_node(self.node, [formula])
        return self.assignment.value(there)

    def fixed(self, formula: V, names: Sequence[Term]) -> V:
        """The formula with the values of these variables, as far as they are no arrays."""
        found: dict[Term, V] = {v: self.of(v) for v in names if _is_scalar(v)}
        return substitute(formula, found)


def _same_input(mine: ScalarRecord, theirs: ScalarRecord) -> bool:
    return mine.site == theirs.site and isinstance(mine.value, Term) and mine.value.op is Op.VARIABLE


def entry_of(exit_: Node) -> Node:
    """Where the activation began that ends at the node."""
    node = exit_
    while not (node.frame is exit_.frame and node.place[1] == 0 and node is not exit_):
        assert node.parent is not None
        node = node.parent
    return node


def _is_scalar(variable: Term) -> bool:
    return variable.sort is BOOL or isinstance(variable.sort, BitVec)


def _is_of_call(variable: Term) -> bool:
    """The variable is one that stands for what a call leaves behind."""
    return str(variable.payload).startswith("step|call")


def _left_behind(call: Passed) -> set[V]:
    """The variables that stand for what this call leaves behind."""
    earlier = set(variables(*call.before.values()))
    return {v for v in variables(*call.after.values()) if _is_of_call(v) and v not in earlier}


def _over_components(there: Instance, formula: V) -> V | None:
    """What follows from the formula over the components of that instance alone, without a time."""
    return there.back(eliminate(formula, set(there.strangers(formula))).formula)


def _true_for(predicate: V, result: Mapping[Term, V]) -> bool:
    return substitute(predicate, {v: result[v] for v in variables(predicate) if v in result}) == 1


def _equal(one: V, other: V, like: Term | None = None) -> V:
    """`like` has the sort of both; by default it is `one`."""
    sort = like.sort if like is not None else one.sort if isinstance(one, Term) else None
    if isinstance(sort, BitVec):
        return build.eq(one, other, sort.width)
    return build.iff(one, other)
