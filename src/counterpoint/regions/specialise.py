"""One path out of a state in which several are merged: the branches that a run takes, with the conditions for them.

A merged state says `ite(c, a, b)` where paths met. For a run on which c holds, the state with `a` and the condition c
say the same, and stay small when steps follow one another. All ites are decided by the run's values; long Boolean
values as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.regions.summary import Exit
from counterpoint.semantics.contents import AnyInitial, ArrayContents, Cells, ChosenInitial, Contents
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size

LONG = 24
"""Nodes of a Boolean value that is decided."""


@dataclass(slots=True)
class Specialiser:
    """Decides by `holds` (a Bool's value in the run). `conditions` are what has to hold for all that was decided."""

    holds: Callable[[V], bool]
    conditions: dict[V, None] = field(default_factory=dict)
    _open: list[tuple[V, bool]] = field(default_factory=list)
    _done: dict[Term, V] = field(default_factory=dict)

    def exit(self, exit_: Exit) -> Exit:
        """The exit as the run takes it; `conditions` are then complete."""
        self._open.append((exit_.formula, True))
        state = exit_.state
        registers = {index: self.value(value) for index, value in state.registers.items()}
        state = State(registers, self._memory(state.memory), state.path, state.locals, state.begun)
        results = tuple(self.value(value) for value in exit_.results)
        self._settle()
        return replace(exit_, formula=build.conjunction(self.conditions), state=state, results=results)

    def literals(self, formula: V) -> list[V]:
        """Conditions without ites that imply the formula, which the run fulfils, and that the run fulfils as well."""
        self._open.append((formula, True))
        self._settle()
        return list(self.conditions)

    def path(self, formula: V, values: Iterable[V]) -> tuple[list[V], list[V]]:
        """The conditions as above, and values as they are on the run's path."""
        self._open.append((formula, True))
        taken = [self.value(value) for value in values]
        self._settle()
        return list(self.conditions), taken

    def _settle(self) -> None:
        """Turns what was decided into literals: of a disjunction, the part that the run fulfils is enough."""
        while self._open:
            formula, wanted = self._open.pop()
            if not isinstance(formula, Term):
                continue
            if formula.op is Op.NOT:
                self._open.append((formula.args[0], not wanted))
            elif formula.op is Op.AND and wanted:
                self._open += [(part, True) for part in reversed(formula.args)]
            elif formula.op is Op.AND:
                self._open.append((next(part for part in formula.args if not self.holds(part)), False))
            else:
                decided = self.term(formula)
                literal = decided if wanted else build.not_(decided)
                if literal != 1:
                    self.conditions[literal] = None

    # ------------------------------------------------------------ values

    def value(self, value: V) -> V:
        """The value without ites; a long Bool becomes its value in the run."""
        if not isinstance(value, Term):
            return value
        if value.sort is BOOL and size(value) > LONG:
            return self._decided(value)
        return self.term(value)

    def term(self, root: Term) -> V:
        """The term with each ite, of those that matter, replaced by its branch. Iterative, each node once."""
        done = self._done
        stack: list[Term] = [root]
        while stack:
            term = stack[-1]
            if term in done:
                stack.pop()
                continue
            if term.op is Op.ITE:
                taken = term.args[1] if self.holds(term.args[0]) else term.args[2]
                if isinstance(taken, Term) and taken not in done:
                    stack.append(taken)
                    continue
                done[term] = done[taken] if isinstance(taken, Term) else taken
                self._decided(term.args[0])
                stack.pop()
                continue
            waiting = [arg for arg in term.args if isinstance(arg, Term) and arg not in done]
            if waiting:
                stack += waiting
                continue
            new = [done[arg] if isinstance(arg, Term) else arg for arg in term.args]
            same = all(a is b or a == b for a, b in zip(new, term.args, strict=True))
            done[term] = term if same else rebuild(term, new)
            stack.pop()
        return done[root]

    def _decided(self, condition: V) -> int:
        """Its truth in the run, which becomes a condition."""
        if not isinstance(condition, Term):
            return condition
        truth = self.holds(condition)
        self._open.append((condition, truth))
        return int(truth)

    # ------------------------------------------------------------ memory

    def _memory(self, memory: Memory) -> Memory:
        contents = {index: self._contents(there) for index, there in memory.contents.items()}
        alive = {index: self._decided(live) for index, live in memory.alive.items()}
        return Memory(memory.shared, contents, alive)

    def _contents(self, contents: Contents) -> Contents:
        if isinstance(contents, ArrayContents):
            term = self.term(contents.term)
            return ArrayContents(term, contents.granule) if isinstance(term, Term) else contents
        changed = {
            offset: (length, new)
            for offset, (length, value) in contents.map.items()
            if (new := self.value(value)) is not value
        }
        initial = self._initial(contents.initial)
        if not changed and initial is contents.initial:
            return contents
        return Cells(contents.map.update(changed), initial, contents.history)

    def _initial(self, initial: AnyInitial) -> AnyInitial:
        while isinstance(initial, ChosenInitial):
            initial = initial.yes if self._decided(initial.condition) else initial.no
        return initial
