"""Facts that are asserted once a model violates them: few of many matter to a question.

    check                 without the facts that wait
    no model              none with them either
    it violates some      they are asserted, and it is asked again
    it violates none      a model with all of them

Source: none of its own; lemmas on demand [Brummayer and Biere 2009], with facts that are known beforehand.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from counterpoint.core import clock
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown
from counterpoint.solver.layers import Layer
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts

MOST_ROUNDS = 24
"""Models of one question that may violate facts, after which all of them are asserted."""


class Lazily(Layer):
    """A solver in which `facts` hold. They are no part of its scopes."""

    def __init__(self, inner: Solver, facts: Iterable[V]) -> None:
        super().__init__(inner)
        self._waiting = list(dict.fromkeys(part for fact in facts for part in _parts(fact)))

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        """As any solver's; a limit counts work where the machine does other things as well, up to twice as long."""
        started, worked = clock.now(), time.process_time()
        left = seconds
        for further in range(MOST_ROUNDS, -1, -1):
            answer = self.inner.check(assumptions, left)
            if not isinstance(answer, Sat):
                return answer
            violated = self._violated(answer.model)
            if not violated:
                return answer
            del answer  # nobody else wants this model: the solver need not copy it
            self._assert(violated if further > 1 else self._waiting)
            if seconds is not None:
                left = seconds - max(time.process_time() - worked, (clock.now() - started) / 2)
                if left <= 0:
                    return SolverUnknown("timeout")
        raise AssertionError("nothing waits in the last round")

    def _violated(self, model: Model) -> list[V]:
        values = model.values(self._waiting)
        return [fact for fact, value in zip(self._waiting, values, strict=True) if value != 1]

    def _assert(self, facts: Sequence[V]) -> None:
        for fact in facts:
            self.inner.add(fact)
        asserted = frozenset(facts)
        self._waiting = [fact for fact in self._waiting if fact not in asserted]


def _parts(fact: V) -> list[V]:
    """The conjuncts, also of what an implication implies."""
    found: list[V] = []
    for one in conjuncts(fact):
        implied = _implied(one)
        if implied is None:
            found.append(one)
        else:
            condition, what = implied
            found += [build.implies(condition, part) for part in conjuncts(what)]
    return found


def _implied(fact: V) -> tuple[V, V] | None:
    """A fact of the form `condition implies (a and b)`."""
    if not isinstance(fact, Term) or fact.op is not Op.NOT:
        return None
    both = fact.args[0]
    if not isinstance(both, Term) or both.op is not Op.AND:
        return None
    condition, denied = both.args
    for one, other in ((condition, denied), (denied, condition)):
        if isinstance(other, Term) and other.op is Op.NOT and _is(other.args[0], Op.AND):
            return one, other.args[0]
    return None


def _is(value: V, op: Op) -> bool:
    return isinstance(value, Term) and value.op is op
