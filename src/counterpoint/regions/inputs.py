"""From a model of a path's formula back to the inputs of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.semantics.layout import EXTERNAL_CONTENTS, external_base, external_end
from counterpoint.semantics.objects import ArbitraryBytes, MemoryRecord, ScalarRecord, World
from counterpoint.semantics.stored import as_bits
from counterpoint.term import build
from counterpoint.term.term import V

MAX_CONTENTS = 1 << 16
"""Bytes of arbitrary memory contents that an input spells out."""


class Values(Protocol):
    """Gives every term its value in one run: a solver's model, or an assignment (regions/assignment.py)."""

    def value(self, term: V) -> int: ...


def inputs_from(
    world: World, model: Values, records: Iterable[ScalarRecord | MemoryRecord] | None = None
) -> tuple[Input, ...]:
    """The arbitrary values that the run of the model consumes, in its order; `records` (default: the world's) are
    where a run may consume some."""
    inputs: list[Input] = []
    for record in world.records if records is None else records:
        if model.value(record.path) != 1:
            continue
        match record:
            case ScalarRecord(site, _, value, bits):
                inputs.append(ScalarInput(site, model.value(value), bits))
            case MemoryRecord(site, _, size, initial):
                extent = model.value(size)
                inputs.append(MemoryInput(site, extent, _contents(initial, extent, model, world.big_endian)))
    outside = _outside(world, world.external, model) if world.external is not None else ()
    if outside:
        inputs.append(MemoryInput(EXTERNAL_CONTENTS, outside[-1][0] + 1, outside))
    return tuple(inputs)


def _outside(world: World, initial: ArbitraryBytes, model: Values) -> tuple[tuple[int, int], ...]:
    """External memory, which no run of the interpreter gives in full: its start, and what is read of the rest."""
    found: dict[int, int] = {}
    if initial.whole is not None:
        for offset, size in world.outside_reads.items():
            first = model.value(offset) // initial.granule
            for index in range(first, first + -(-size // initial.granule) + 1):
                word = model.value(build.select(initial.whole, index))
                _spread(found, index * initial.granule, initial.granule, word, world.big_endian)
    bits = world.pointer_bits
    return _contents(initial, external_end(bits) - external_base(bits), model, world.big_endian, found)


def _contents(
    initial: ArbitraryBytes, size: int, model: Values, big_endian: bool, found: dict[int, int] | None = None
) -> tuple[tuple[int, int], ...]:
    """(offset, byte) of every byte that is not zero, of those `found` as well."""
    found = {} if found is None else found
    if initial.whole is not None:
        for index in range(min(size, MAX_CONTENTS) // initial.granule):
            word = model.value(build.select(initial.whole, index))
            _spread(found, index * initial.granule, initial.granule, word, big_endian)
    for offset, (length, value) in initial.given.items():
        _spread(found, offset, length, model.value(as_bits(value)), big_endian)
    return tuple((o, b) for o, b in sorted(found.items()) if b and o < size)


def _spread(found: dict[int, int], offset: int, length: int, value: int, big_endian: bool) -> None:
    for k, byte in enumerate(value.to_bytes(length, "big" if big_endian else "little")):
        found[offset + k] = byte

