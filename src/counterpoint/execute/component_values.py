"""What components of a cut point's state (semantics/components.py) are in the memory of a concrete run.

Arrays are noted in part: small objects whole, of large ones the first and last elements and those near
the numbers in registers. An index that is not among the entries is *unknown*, not the array's default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

import immutables

from counterpoint.core.records import dataclass
from counterpoint.execute.memory import Memory, MemoryBlock
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Counter,
    Elements,
    Live,
    Old,
    Size,
    SummaryElements,
    SummaryLive,
    SummarySizes,
)
from counterpoint.semantics.cutpoint import CutPoint
from counterpoint.semantics.layout import global_addresses
from counterpoint.term.evaluate import ArrayValue, Value

WHOLE = 40
"""Elements of objects that are noted whole."""

FIRST, LAST, AROUND = 6, 3, 2
"""Elements of a larger object that are noted: at its start, at its end, and on both sides of a number."""

MAX_OBJECTS = 12
"""Objects of a summary whose contents are noted: the newest live ones, and those that registers point into."""

MAX_LOOKED_AT = 60
"""Objects of one number that are looked at for live ones."""


@dataclass(slots=True)
class Observed:
    """The memory of one run. `born` gives, for each allocation's object number, the addresses it made; `begun`, for
    each function, what is known of the beginnings of its activations at work, the innermost last (entry_values.py), and
    `activations` counts those that ever began."""

    memory: Memory
    statics: Mapping[int, int]
    born: dict[int, list[int]] = field(default_factory=dict)
    number_at: dict[int, int] = field(default_factory=dict)
    begun: dict[str, list[Mapping[Component, Value | None]]] = field(default_factory=dict)
    activations: int = 0
    _static: dict[int, MemoryBlock] = field(default_factory=dict)

    def entry_value(self, function: str, component: Component) -> Value | None:
        """What the component was when the innermost activation of the function began."""
        activations = self.begun.get(function)
        return activations[-1].get(component) if activations else None

    def note(self, number: int, address: int) -> None:
        """An allocation happened."""
        self.born.setdefault(number, []).append(address)
        self.number_at[address] = number

    def single(self, number: int) -> MemoryBlock | None:
        """The live object of that number: the last one made."""
        block = self._static.get(number)
        if block is None:
            address = self.statics.get(number)
            if address is None:
                made = self.born.get(number)
                block = self.memory.block_at(made[-1]) if made else None
            elif (block := self.memory.block_at(address)) is not None:
                self._static[number] = block
        return block if block is not None and block.live else None

    def all_of(self, numbers: Sequence[int], near: Sequence[int] = ()) -> list[MemoryBlock]:
        """The newest live objects of these numbers, and those that the addresses `near` are in."""
        newest = sorted(address for number in numbers for address in self.born.get(number, ())[-MAX_LOOKED_AT:])
        found: dict[int, MemoryBlock] = {}
        for address in reversed(newest):
            block = self.memory.block_at(address)
            if block is not None and block.live and len(found) < MAX_OBJECTS:
                found[block.base] = block
        for address in near:
            block = self.memory.block_at(address)
            if block is not None and block.live and self.number_at.get(block.base) in numbers:
                found[block.base] = block
        return [found[base] for base in sorted(found)]


Reader = Callable[[Observed, Sequence[int]], Value | None]
"""Gives the component's value (None: it has none), from memory and the numbers in registers."""


def statics(cut: CutPoint) -> dict[int, int]:
    """The addresses of globals by their object numbers."""
    addresses = global_addresses(cut.points.program)
    return {t.number: addresses[t.name] for t in cut.points.objects if t.item is not None and t.name in addresses}


def reader(component: Component, cut: CutPoint) -> Reader | None:
    """How to read a component of memory; None for those that are no memory or cannot be read."""
    big = cut.points.program.layout.big_endian
    match component:
        case Base(number) if (item := cut.points.objects[number].item) is not None and item.code:
            return lambda seen, _: seen.statics.get(number)
        case Base(number):
            return lambda seen, _: None if (block := seen.single(number)) is None else block.base
        case Live(number):
            return lambda seen, _: 0 if seen.single(number) is None else 1
        case Size(number):
            return lambda seen, _: None if (block := seen.single(number)) is None else block.size
        case Cell(number, _, offset, size):
            return lambda seen, _: _cell(seen.single(number), offset, size, big)
        case Elements(number, _, granule):
            return lambda seen, numbers: _elements(seen.single(number), granule, numbers, big)
        case SummaryElements(summary, granule):
            group = _group(cut, summary)
            return lambda seen, numbers: _contents(seen.all_of(group, numbers), granule, numbers, big)
        case SummaryLive(summary):
            group = _group(cut, summary)
            return lambda seen, numbers: _array(_liveness(seen, group, numbers))
        case SummarySizes(summary):
            group = _group(cut, summary)
            return lambda seen, numbers: _array({block.base: block.size for block in seen.all_of(group, numbers)})
        case Counter():
            return lambda seen, _: seen.memory.next_free
        case Old(was):
            function = cut.function.name
            return lambda seen, _: seen.entry_value(function, was)
        case _:
            return None


def _liveness(seen: Observed, group: Sequence[int], numbers: Sequence[int]) -> dict[int, int]:
    """1 at the start of each live block that is noted; at 0, where none is, 0 says that these are all there are."""
    blocks = seen.all_of(group, numbers)
    made = [len(seen.born.get(number, ())) for number in group]
    everything = len(blocks) < MAX_OBJECTS and all(count <= MAX_LOOKED_AT for count in made)
    return {**({0: 0} if everything else {}), **{block.base: 1 for block in blocks}}


def _group(cut: CutPoint, summary: int) -> tuple[int, ...]:
    return next((group.members for group in cut.summaries if group.number == summary), ())


def _array(entries: Mapping[int, int]) -> ArrayValue:
    return ArrayValue(0, immutables.Map(entries))


def _cell(block: MemoryBlock | None, offset: int, size: int, big: bool) -> int | None:
    if block is None or not 0 <= offset <= block.size - size:
        return None
    if size == 1:
        return block.data[offset]
    return int.from_bytes(block.data[offset : offset + size], "big" if big else "little")


def _elements(block: MemoryBlock | None, granule: int, numbers: Sequence[int], big: bool) -> ArrayValue | None:
    if block is None:
        return None
    return _array(dict(_entries(block, granule, numbers, big)))


def _contents(blocks: Sequence[MemoryBlock], granule: int, numbers: Sequence[int], big: bool) -> ArrayValue:
    found: dict[int, int] = {}
    for block in blocks:
        start = block.base // granule
        found.update((start + index, value) for index, value in _entries(block, granule, numbers, big))
    return _array(found)


def _entries(block: MemoryBlock, granule: int, numbers: Sequence[int], big: bool) -> list[tuple[int, int]]:
    """(index, value) of the elements that are noted, by index."""
    count = -(-block.size // granule)  # what is behind the end of the last one is arbitrary: here, zero
    wanted: Sequence[int] = range(count)
    if count > WHOLE:
        near = {*range(FIRST), *range(count - LAST, count)}
        for number in numbers:
            for centre in (number, (number - block.base) // granule):
                if -AROUND <= centre < count + AROUND:
                    near.update(range(max(centre - AROUND, 0), min(centre + AROUND + 1, count)))
        wanted = sorted(near)
    data = block.data
    return [(k, _number(bytes(data[k * granule : (k + 1) * granule]), granule, big)) for k in wanted]


def _number(data: bytes, size: int, big: bool) -> int:
    return int.from_bytes(data.ljust(size, b"\0"), "big" if big else "little")
