"""Lines 8 to 32 of algorithm 1: a summary is refined by a counterexample that is spurious because of it.

Each output of the function has a partition of its own, and in it a parent that the input belongs to. The parent is
split into the inputs where the output is explained by what was seen, and all others; each child's post is inferred
from runs and proved of the function alone, with the proof's counterexamples fed back. Where no child excludes the
counterexample, the one point is a pair.

Deviations: pairs of different outputs overlap; a pre is inferred together with a post that excludes the
counterexample, from all rows rather than from the counterexample's inputs alone (Daikon's pre is then split by what
is proved).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import chain, islice
from typing import TYPE_CHECKING

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.summaries.inferred import determines, explanations, likely
from counterpoint.engines.summaries.rows import Rows, State, equal, is_number
from counterpoint.engines.summaries.summary import Pair, Summary, agree, holds
from counterpoint.engines.summaries.unit_proof import Answer, Open, Proved, Refuted, UnitProof
from counterpoint.execute.unit import UnitRun
from counterpoint.solver.answers import Sat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

if TYPE_CHECKING:
    from counterpoint.engines.summaries.explanation import Explained, Explainer

AROUND = 120
"""Runs on inputs near those of a counterexample, at first."""

AROUND_AGAIN = 20
"""The same near an input that refuted a pair."""

SYNTHESISED = 10
"""Inputs that a solver finds for a second child: as in the paper, section 4.1."""

MOST_ITERATIONS = 12
"""Of an inner loop."""

SAMPLES = 6
"""Rows whose outputs are explained before there are counterexamples."""

MOST_POSTS = 4
"""Conjuncts of a pair that are tried beside the one that it is looked for."""

MOST_REFINEMENTS = 10
"""Of one summary, beside two for each output."""

MOST_OPEN = 2
"""Questions without an answer, after which a refinement ends."""


@dataclass(slots=True)
class Refinement:
    """Refines one function's summary, and for its proofs those of the functions below (`others`). `points`: so many
    pairs of one input it may have."""

    summary: Summary
    rows: Rows
    proof: UnitProof
    others: Mapping[str, Refinement]
    budget: Budget
    points: int
    _busy: bool = False
    _open: int = 0
    _inferred: dict[tuple[V, int], list[V]] = field(default_factory=dict)

    @property
    def exhausted(self) -> bool:
        """So many refinements were not enough: what the function does is no matter of a few comparisons."""
        return self.summary.refinements >= MOST_REFINEMENTS + 2 * len(self.rows.outputs)

    def refine(self, spurious: State, real: State) -> bool:
        """`spurious`: inputs with the outputs of the counterexample, `real` with those of a run; whether the pairs
        exclude the counterexample now. Raises OutOfBudget."""
        self.summary.refinements += 1
        self._open = 0
        self.rows.note([real])  # line 9: testdb = inputs(ce, f^, k)
        self.rows.around(real, AROUND)
        for output in self.rows.outputs:
            if spurious.get(output) != real.get(output) and self._open < MOST_OPEN:
                self._partition(output, spurious, real)
        if self.summary.allows(spurious):  # line 25
            self._add_point(real)
        return not self.summary.allows(spurious)

    def silence(self, spurious: State) -> bool:
        """The same where the function does not return for these inputs: there, everything holds when it does."""
        self.summary.refinements += 1
        given = {v: value for v, value in spurious.items() if v in self.summary.faced.inputs}
        self.rows.around(given, AROUND)
        for iteration in range(1, MOST_ITERATIONS + 1):
            pre = self._explainer(given).excluding_all()
            answer: Answer = Open() if pre is None else self.proof.check(pre, 0)
            if self._learned(answer, 0):
                continue
            self.summary.iterations.append(iteration)
            if isinstance(answer, Proved) and pre is not None:
                self.summary.silent.append(Pair(pre, (0,)))
            break
        return not self.summary.allows(spurious)

    def ahead(self) -> None:
        """Without a counterexample: what always holds, and each output of some runs as if any other were spurious."""
        self.rows.anywhere(AROUND)
        samples = [dict(state) for state in self.rows.states()][:: max(1, len(self.rows.rows) // SAMPLES)]
        for output in self.rows.outputs:
            parent = self.summary.partitions[output][0]
            always = self._others(output, parent.pre)
            self.summary.replace(output, parent, [Pair(parent.pre, tuple(always))])
            for real in samples[:SAMPLES]:
                wrong = {**real, output: _number(real, output) ^ 1}
                if self.summary.allows(wrong):
                    self._partition(output, wrong, real)

    # ------------------------------------------------------------ lines 8 to 31

    def _partition(self, output: Term, spurious: State, real: State) -> None:
        parent = self.summary.of_input(output, real)  # line 8
        first = self._first_child(output, parent, spurious, real)  # lines 10 to 15
        if first is None:
            return
        if first.pre is parent.pre:  # a stronger post, and nothing to be parted
            self.summary.replace(output, parent, [first])
            return
        second = self._second_child(output, parent, first)  # lines 16 to 23
        self.summary.replace(output, parent, [first, second])  # lines 30 and 31

    def _first_child(self, output: Term, parent: Pair, spurious: State, real: State) -> Pair | None:
        """The pair with the widest pre whose post excludes what is spurious; None if none was found."""
        hopeless: set[V] = set()
        for iteration in range(1, MOST_ITERATIONS + 1):  # repeat, line 10
            if self._open >= MOST_OPEN:
                return None
            found = self._explained(output, parent, spurious, real, hopeless)  # lines 11 and 12
            if found is None:
                return None
            answer = self.proof.check(found.pre, found.post)  # line 13
            if isinstance(answer, Proved):  # until ce' is null, line 15
                self.summary.iterations.append(iteration)
                others = () if determines(found.post, output) else self._others(output, found.pre)
                return Pair(found.pre, tuple(dict.fromkeys((*parent.post, found.post, *others))))
            if not self._learned(answer, found.post):  # line 14
                hopeless.add(found.post)
        return None

    def _explained(
        self, output: Term, parent: Pair, spurious: State, real: State, hopeless: Collection[V]
    ) -> Explained | None:
        """A post that excludes what is spurious, with its pre: what the output is, or what is likely of it."""
        explainer = self._explainer(real, parent.pre)
        posts: Iterable[V]
        for posts in (*explanations(self.rows, output, real), self._posts(output, parent.pre)):
            found = explainer.best(post for post in posts if post not in hopeless and not holds(post, spurious))
            if found is not None:
                return found
        return None

    def _second_child(self, output: Term, parent: Pair, first: Pair) -> Pair:
        pre = build.and_(build.not_(first.pre), parent.pre)  # line 16
        self._synthesise(pre)  # line 17
        always = self._always(output, pre)  # lines 18 to 23
        posts = [always] if always is not None else self._others(output, pre)
        return Pair(pre, tuple(dict.fromkeys((*parent.post, *posts))))

    def _always(self, output: Term, pre: V) -> V | None:
        """What the output is wherever `pre` holds, if that is one thing."""
        state = next((state for state in self.rows.states() if holds(pre, state)), None)
        posts = chain(*explanations(self.rows, output, state)) if state is not None else ()
        for post in posts:
            if self._is_likely(pre, post) and self._proved(pre, post):
                return post
        return None

    def _add_point(self, real: State) -> None:
        """Lines 24 to 28; proved, because a function that reads inputs has no single output."""
        known = [v for v in self.summary.faced.inputs if v in real]
        if len(self.summary.points) >= self.points or not all(is_number(v) for v in self.summary.faced.inputs):
            return
        pre = build.conjunction([equal(v, _number(real, v)) for v in known])
        left = [v for v in self.rows.outputs if v in real]
        post = build.conjunction([equal(v, _number(real, v)) for v in left])
        if isinstance(self.proof.check(pre, post), Proved):
            self.summary.points.append(Pair(pre, (post,), point=True))

    # ------------------------------------------------------------ posts

    def _posts(self, output: Term, pre: V) -> Iterator[V]:
        """Likely ones about the output."""
        key = pre, len(self.rows.rows)
        if key not in self._inferred:
            self._inferred[key] = likely(self.rows, pre, self.budget)
        yield from (post for post in self._inferred[key] if post == 0 or output in variables(post))

    def _others(self, output: Term, pre: V) -> list[V]:
        """What is likely about the output under the pre, as far as it is proved: violated ones are dropped."""
        return [post for post in islice(self._posts(output, pre), MOST_POSTS) if self._proved(pre, post)]

    def _proved(self, pre: V, post: V) -> bool:
        answer = self.proof.check(pre, post)
        if self._learned(answer, post) and self._is_likely(pre, post):
            answer = self.proof.check(pre, post)
        return isinstance(answer, Proved)

    def _is_likely(self, pre: V, post: V) -> bool:
        return self._explainer({}, pre).agrees(post)

    # ------------------------------------------------------------ testdb

    def _learned(self, answer: Answer, post: V) -> bool:
        """Whether it is known now why the pair could not be proved: because of a row, or of the summary of a function
        that is called there, which is refined."""
        if not isinstance(answer, Refuted):
            self._open += isinstance(answer, Open)
            return False
        if self._new_row(answer.given, post):
            return True
        self._busy = True
        try:
            return any(self.others[call.function].corrected(call.state) for call in answer.calls)
        finally:
            self._busy = False

    def run(self, claimed: State) -> UnitRun | None:
        """simulate(f, i): what the function really does on the inputs of a claimed call."""
        return self.rows.run({v: value for v, value in claimed.items() if v in self.summary.faced.inputs})

    def corrected(self, claimed: State) -> bool:
        """Whether the claim about a call of the function was wrong, and is excluded by its pairs now."""
        if self._busy:
            return False
        done = self.run(claimed)
        if done is None:
            return False
        if done.left is None:
            return self.silence(claimed)
        return not agree(claimed, done.left) and self.refine(claimed, done.left)

    def _new_row(self, given: State, post: V) -> bool:
        """Whether a run on the input shows that `post` is false there."""
        done = self.rows.run(given)
        if done is None or done.left is None or holds(post, done.left):
            return False
        self.rows.around(done.left, AROUND_AGAIN)
        return True

    def _explainer(self, given: State, parent: V = 1) -> Explainer:
        from counterpoint.engines.summaries.explanation import Explainer  # numpy, which not everyone needs

        return Explainer(self.rows, given, parent)

    def _synthesise(self, pre: V) -> None:
        """synthinputs(f, pre)."""
        known = [v for v in variables(pre) if is_number(v)]
        solver = standard_solver(seed=self.rows.seed)
        try:
            solver.add(pre)
            for _ in range(SYNTHESISED if known else 0):
                answer = solver.check(seconds=min(1.0, self.budget.remaining()))
                if not isinstance(answer, Sat):
                    return
                given: dict[Term, int] = {v: answer.model.value(v) for v in known}
                self.rows.run(given)
                solver.add(build.disjunction([build.not_(equal(v, value)) for v, value in given.items()]))
        finally:
            solver.close()


def _number(state: State, variable: Term) -> int:
    value = state[variable]
    assert isinstance(value, int)
    return value
