"""The arbitrary values of one run: given ones, and the rest drawn when they are first asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.semantics.copied import Copied
from counterpoint.semantics.layout import OBJECT_ALIGNMENT, dynamic_base, gap, global_addresses, own_base
from counterpoint.semantics.objects import World
from counterpoint.term.evaluate import ArrayValue, Evaluation, Given, Value, array_value
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V

MAX_COPIED = 1 << 20
"""Bytes up to which the value of a copied array is exact."""


@dataclass(slots=True, eq=False)
class Assignment:
    """Values for all variables of an execution tree's world. Deterministic for a seed and an order of questions.

    `drawn` holds what was chosen at random. Objects get addresses as semantics/layout.py wants them, each its own.
    """

    world: World
    seed: int
    given: Mapping[Term, Given] = field(default_factory=dict)
    pool: Sequence[int] = ()
    drawn: dict[Term, Given] = field(default_factory=dict)
    _random: random.Random = field(init=False)
    _addresses: dict[int, int] = field(default_factory=dict)
    _next: int = 0
    _placed: int = 0
    _evaluation: Evaluation = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._evaluation = Evaluation(self._leaf)
        program = self.world.program
        known = global_addresses(program)
        for name, index in self.world.globals.items():
            if name in known:
                self._addresses[index] = known[name]
        self._next = dynamic_base(program)

    def value(self, term: V) -> int:
        """The value of a Bool, bit-vector or float."""
        if isinstance(term, int):
            return term
        (value,) = self._evaluation.of((term,))
        assert isinstance(value, int)
        return value

    def any_value(self, term: V) -> Value:
        """The value of any term, arrays included."""
        (value,) = self._evaluation.of((term,))
        return value

    def changed(self, values: Mapping[Term, Given], seed: int) -> Assignment:
        """This one with other values for some variables; what nobody asked for is drawn anew."""
        return Assignment(self.world, seed, {**self.given, **self.drawn, **values}, self.pool)

    # ------------------------------------------------------------ leaves

    def _leaf(self, term: Term) -> Given | None:
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            return self._address(term.payload)
        if term.op is not Op.VARIABLE:
            return None
        if term in self.given:
            return self.given[term]
        if term in self.world.copied:
            return copied_value(self.world.copied[term][0], self.any_value)
        if term not in self.drawn:
            self.drawn[term] = self._draw(term)
        return self.drawn[term]

    def _draw(self, term: Term) -> Given:
        """Mostly small numbers, then those of the program, then any. Only nondeterministic scalars (`v!`) are drawn:
        pointers are null, and whatever an encoding leaves open is 0."""
        if isinstance(term.sort, ArraySort):
            return {}
        if isinstance(term.sort, BitVec) and str(term.payload).endswith(".external"):
            bits = self.world.pointer_bits
            first = own_base(bits) >> (bits - term.sort.width)  # external objects: semantics/contents.py
            taken = [v for t, v in (*self.given.items(), *self.drawn.items()) if str(t.payload).endswith(".external")]
            return max((int(v) + 1 for v in taken if isinstance(v, int) and v >= first), default=first)
        if not str(term.payload).startswith("v!"):
            return 0
        if term.sort is BOOL:
            return self._random.getrandbits(1)
        assert isinstance(term.sort, BitVec)
        width = term.sort.width
        kind = self._random.random()
        if kind < 0.5:
            return self._random.randint(-3, 10) & ((1 << width) - 1)
        if kind < 0.75 and self.pool:
            return self._random.choice(self.pool) & ((1 << width) - 1)
        return self._random.getrandbits(width)

    def _address(self, index: int) -> int:
        """Objects made earlier lie lower: states at cut points count on that (semantics/cutpoint.py)."""
        if index not in self._addresses:
            for earlier in range(self._placed, index):
                self._place(earlier)
            self._place(index)
            self._placed = index + 1
        return self._addresses[index]

    def _place(self, index: int) -> None:
        if index not in self._addresses:
            thing = self.world.objects[index]
            step = max(OBJECT_ALIGNMENT, thing.alignment)
            base = -(-self._next // step) * step
            self._addresses[index] = base
            self._next = base + min(self.value(thing.size), 1 << 24) + gap(self.world.pointer_bits)


def copied_value(copied: Copied, value: Callable[[V], Value]) -> ArrayValue:
    """The array of semantics/copied.py in one run, where `value` gives the values of all that it is defined by."""
    before, start, size = value(copied.before), value(copied.start), value(copied.size)
    assert isinstance(before, ArrayValue) and isinstance(start, int) and isinstance(size, int)
    if not value(copied.condition):
        return before
    array, first = _new_bytes(copied, value)
    sort = copied.before.sort
    assert isinstance(sort, ArraySort)
    last = (1 << sort.index) - 1
    written = {(start + k) & last: array[(first + k) & last] for k in range(min(size, MAX_COPIED))}
    return ArrayValue(before.default, before.entries.update(written))


def _new_bytes(copied: Copied, value: Callable[[V], Value]) -> tuple[ArrayValue, int]:
    """Where the new bytes are in the run, and the index of the first."""
    if not copied.sources:
        byte = value(copied.byte)
        assert isinstance(byte, int)
        return array_value({}, byte), 0
    chosen = next((source for source in reversed(copied.sources) if value(source[0])), copied.sources[0])
    array, first = value(chosen[1]), value(chosen[2])
    assert isinstance(array, ArrayValue) and isinstance(first, int)
    return array, first
