"""From the inputs of a run back to an assignment over a tree's world: the inverse of regions/inputs.py.

Names of arbitrary values depend on the order in which a world was explored, inputs do not: this is how a run travels
from one process to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from counterpoint.core.records import dataclass
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.semantics.layout import EXTERNAL_CONTENTS
from counterpoint.semantics.objects import ArbitraryBytes, MemoryRecord, ScalarRecord
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V


@dataclass(slots=True, eq=False)
class Replayed(Assignment):
    """An assignment that takes contents of memory from inputs when they are first asked for; the rest is drawn."""

    outside: MemoryInput | None = None
    contents: list[tuple[ArbitraryBytes, MemoryInput]] = field(default_factory=list)

    def _draw(self, term: Term) -> Given:
        for initial, given in self._sources():
            found = _part(term, initial, given, self.world.big_endian)
            if found is not None:
                return found
        return Assignment._draw(self, term)

    def _sources(self) -> list[tuple[ArbitraryBytes, MemoryInput]]:
        if self.outside is None or self.world.external is None:
            return self.contents
        return [*self.contents, (self.world.external, self.outside)]


def replayed(tree: ExecutionTree, inputs: Sequence[Input], seed: int, single: bool) -> Replayed:
    """The assignment of the run with these inputs, followed through the tree until they are used up or do not fit.

    `single`: see regions/tests.run_test. What the inputs do not say is drawn. A pointer to external memory is only
    known to be null or not. Raises OutOfBudget and GranuleConflict, as steps do.
    """
    found = Replayed(tree.world, seed)
    waiting = list(inputs[::-1])
    if waiting and isinstance(waiting[0], MemoryInput) and waiting[0].site == EXTERNAL_CONTENTS:
        found.outside = waiting[0]
        del waiting[0]
    node: Node | None = tree.root
    while node is not None and waiting and _consume(found, tree.step(node).records, waiting):
        node = _next(tree, node, found, single)
    return found


def _next(tree: ExecutionTree, node: Node, assignment: Assignment, single: bool) -> Node | None:
    def holds(formula: V) -> bool:
        return bool(assignment.value(formula))

    taken = next((n for n, exit_ in enumerate(tree.step(node).exits) if holds(exit_.formula)), None)
    if taken is None:
        return None
    return tree.taken(node, taken, holds) if single else tree.child(node, taken)


def _consume(found: Replayed, records: Sequence[ScalarRecord | MemoryRecord], waiting: list[Input]) -> bool:
    """The records on the run's path take the next inputs; False where one does not fit."""
    for record in records:
        if found.value(record.path) != 1:
            continue
        if not waiting or waiting[-1].site != record.site:
            return False
        given = waiting.pop()
        match record, given:
            case ScalarRecord(), ScalarInput():
                _set(found, record.value, given.value)
            case MemoryRecord(), MemoryInput():
                found.contents.append((record.initial, given))
            case _:
                return False
    return True


def _set(found: Assignment, term: V, value: int) -> None:
    """The variable that the term is; of a pointer to external memory, whether it is null."""
    if not isinstance(term, Term):
        return
    if term.op is Op.VARIABLE:
        found.drawn.setdefault(term, value)
    elif term.op is Op.ITE and isinstance(term.args[0], Term) and term.args[0].op is Op.VARIABLE:
        found.drawn.setdefault(term.args[0], int(value == 0))


def _part(term: Term, initial: ArbitraryBytes, given: MemoryInput, big_endian: bool) -> Given | None:
    """What the input says of a variable that stands for contents; None if it is not one of this memory's."""
    order: Literal["big", "little"] = "big" if big_endian else "little"
    known = dict(given.contents)

    def read(offset: int, size: int) -> int:
        return int.from_bytes(bytes(known.get(offset + k, 0) for k in range(size)), order)

    if initial.whole is term and isinstance(term.sort, ArraySort):
        words = sorted({offset // initial.granule for offset in known})
        return {word: read(word * initial.granule, initial.granule) for word in words}
    for offset, (size, value) in initial.given.items():
        if value is term and isinstance(term.sort, BitVec):
            return read(offset, size)
        if isinstance(value, Term) and value.op is Op.ITE and value.args[0] is term and term.sort is BOOL:
            return int(read(offset, size) == 0)
    return None
