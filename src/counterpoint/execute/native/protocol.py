"""What an executable says and is told: outcomes, inputs as lines and as records."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import groupby

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.semantics.layout import EXTERNAL_CONTENTS, EXTERNAL_SIZE, external_base, external_end

_RECORD = struct.Struct("<iIQQ")
_MEMORY_RECORD = struct.Struct("<iIQII")
LARGEST_CONTENTS = 256 << 20
"""Bytes of one object that an input may describe."""


class Outcome(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    VIOLATED = "violated"
    ASSUMPTION = "assumption"
    UNSUPPORTED = "unsupported"
    STEPS = "steps"
    DEPTH = "depth"
    MEMORY = "memory"
    CRASHED = "crashed"
    INPUTS = "inputs"
    STRAYED = "strayed"
    """A pointer came to lie in another object than its own: machine words do not tell whose it is."""
    TIME = "time"
    """The process was ended because the wall-clock limit had passed."""


@dataclass(frozen=True, slots=True)
class NativeRun:
    """One run. `detail` is the check of VIOLATED, the site of UNSUPPORTED, the signal of CRASHED, else 0.

    `inputs` are what it consumed, in order. `invented` counts the ones (zeros) that were not given to it.
    `steps` are block entries and bytes of contents; None in a lean build, which does not count, and for TIME.
    """

    outcome: Outcome
    detail: int
    inputs: tuple[Input, ...]
    steps: int | None
    invented: int = 0


@dataclass(frozen=True, slots=True)
class SearchState:
    """Runs and steps made so far, edges covered, inputs kept because they covered something new."""

    runs: int = 0
    steps: int = 0
    edges: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """How a search ended. `exhausted`: the program consumes no input, and its only run was made. `dull`: as many runs
    as were asked for covered nothing new.

    `corpus` are inputs of runs that covered something new, as many as were asked for, spread over the search.
    """

    state: SearchState
    violation: NativeRun | None = None
    exhausted: bool = False
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    unsupported_site: int | None = None
    corpus: tuple[tuple[Input, ...], ...] = ()
    dull: bool = False


COUNTED = (
    Outcome.FINISHED, Outcome.VIOLATED, Outcome.ASSUMPTION, Outcome.UNSUPPORTED, Outcome.STEPS,
    Outcome.DEPTH, Outcome.MEMORY, Outcome.CRASHED, Outcome.INPUTS,
    Outcome.STRAYED,
)  # fmt: skip
"""The order of the numbers in an executable's `outcomes` line."""


def encode(inputs: Iterable[Input]) -> bytes:
    """Inputs as replay reads them: counts of records and content bytes, the records, the bytes."""
    records: list[bytes] = []
    contents = bytearray()
    scalars: dict[int, tuple[Input, bytes]] = {}  # by identity: of long runs one object often stands for many values
    for given in inputs:
        if (known := scalars.get(id(given))) is not None:
            records.append(known[1])
            continue
        records += records_of(given, contents)
        if isinstance(given, ScalarInput):
            scalars[id(given)] = given, records[-1]
    return struct.pack("<II", len(records), len(contents)) + b"".join(records) + bytes(contents)


NEXT_SEQUENCE = -3
"""The site of what stands between two sequences of inputs (runtime.h)."""


def in_one(sequences: Iterable[tuple[Input, ...]]) -> Iterator[Input]:
    """Several sequences of inputs as a search takes them, those that are not empty."""
    for number, one in enumerate(one for one in sequences if one):
        if number:
            yield ScalarInput(NEXT_SEQUENCE, 0, 1)
        yield from one


RECORD_BYTES = _RECORD.size


def records_of(given: Input, contents: bytearray) -> Iterator[bytes]:
    """The records of one input, whose bytes go behind `contents`."""
    match given:
        case ScalarInput(site, value, bits):
            yield _RECORD.pack(site, bits, value & (2**64 - 1), value >> 64 & (2**64 - 1))
        case MemoryInput(site, size, pairs):
            parts = _external_objects(pairs) if site == EXTERNAL_CONTENTS else [(size, pairs)]
            for low, part in parts:
                flat = _flat(part)
                yield _MEMORY_RECORD.pack(site, 0, low, len(contents), len(flat))
                contents.extend(flat)


def _flat(pairs: Sequence[tuple[int, int]]) -> bytes:
    size = pairs[-1][0] + 1 if pairs else 0
    if size > LARGEST_CONTENTS:
        raise InternalError("contents of more than 256 MB cannot be replayed")
    flat = bytearray(size)
    for offset, byte in pairs:
        flat[offset] = byte
    return bytes(flat)


def _external_objects(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The external region's contents by object: where each starts in the region, its own contents."""
    for index, part in groupby(pairs, lambda pair: pair[0] // EXTERNAL_SIZE):
        start = index * EXTERNAL_SIZE
        yield start, [(offset - start, byte) for offset, byte in part]


def decode(lines: Iterable[str], pointer_bits: int) -> tuple[Input, ...]:
    """Inputs from the lines that an executable prints; the pieces of the external region become one input. Scalars that
    are equal are one object."""
    inputs: list[Input] = []
    scalars: dict[str, ScalarInput] = {}
    external: dict[int, int] = {}
    found_external = False
    for line in lines:
        if (known := scalars.get(line)) is not None:
            inputs.append(known)
            continue
        parts = line.split(" ")
        site = int(parts[1])
        if parts[0] == "s":
            value = int(parts[4], 16)
            if parts[3] != "0":
                value |= int(parts[3], 16) << 64
            scalars[line] = scalar = ScalarInput(site, value, int(parts[2]))
            inputs.append(scalar)
            continue
        size, contents = int(parts[2]), bytes.fromhex(parts[3])
        pairs = tuple((at, byte) for at, byte in enumerate(contents) if byte)
        if site == EXTERNAL_CONTENTS:
            found_external = True
            external.update((size + at, byte) for at, byte in pairs)
        else:
            inputs.append(MemoryInput(site, size, pairs))
    if found_external:
        size = external_end(pointer_bits) - external_base(pointer_bits)
        inputs.insert(0, MemoryInput(EXTERNAL_CONTENTS, size, tuple(sorted(external.items()))))
    return tuple(inputs)
