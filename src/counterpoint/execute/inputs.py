"""Where the arbitrary values of a run come from."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite, Site
from counterpoint.execute.outcome import EndOfRun, InputsExhausted
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput
from counterpoint.semantics.given import SHARED_KINDS
from counterpoint.semantics.layout import EXTERNAL_CONTENTS

Contents: TypeAlias = Sequence[tuple[int, int]]
"""(offset, byte) pairs; all other bytes are 0."""


class InputSource(Protocol):
    """Gives values; the interpreter records which ones were used."""

    def scalar(self, site: int, bits: int) -> int:
        """Bits of a value, unsigned; what exceeds `bits` is dropped."""

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        """A pointer: 0, or an external address; `fresh()` gives the next one that no run has used."""

    def memory(self, site: int, size: int) -> Contents:
        """Contents of `size` bytes."""

    def external_byte(self, offset: int) -> int:
        """Initial contents of external memory, `offset` bytes from its start; asked once per byte."""

    def found(self, site: int, known: int) -> int | None:
        """A pointer of the environment: 0 for null, else the number of its object, of which `known` were met before;
        None where `pointer` says, or, for those in its memory (EXTERNAL_CONTENTS), `external_byte`."""


def raw_pointers(sites: Iterable[Site], checks: Iterable[CheckSite]) -> frozenset[int]:
    """The sites whose pointers may be any bits: what memory safety calls an uninitialised value.

    Pointers of all others are null, or external objects, each one of its own. What a replay is given instead
    of one is replaced by the next one.
    """
    if not any(check.kind.startswith("valid-") for check in checks):
        return frozenset()
    return frozenset(site.index for site in sites if site.kind in ("uninitialised", "undef"))


def shared_pointers(sites: Iterable[Site]) -> frozenset[int]:
    """The sites whose pointers several others may equal, and pointers found in external memory."""
    return frozenset(site.index for site in sites if site.kind in SHARED_KINDS)


MOST_UNREAD = 1 << 24
"""Bytes of one invalid copy that are replayed; zeros follow."""


def _image(contents: Contents, size: int) -> bytearray:
    image = bytearray(size)
    for offset, byte in contents:
        if offset < size:
            image[offset] = byte
    return image


@dataclass(slots=True)
class ReplayInputs:
    """The k-th value of a site is the k-th input of that site and kind; what invalid reads give is one stream of bytes,
    because preparations may cut an access into several, or make a copy one.

    A missing value is 0 and counted in `missing`; if `strict`, it ends the run as InputsExhausted.
    One object serves one run.
    """

    inputs: Iterable[Input]
    strict: bool = False
    missing: int = 0
    _scalars: dict[int, deque[int]] = field(default_factory=dict)
    _memories: dict[int, deque[Contents]] = field(default_factory=dict)
    _external: dict[int, int] = field(default_factory=dict)
    _unread: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        for item in self.inputs:
            match item:
                case ScalarInput(site, value, bits) if site == INVALID_READ:
                    self._unread += value.to_bytes((bits + 7) // 8, "little")
                case MemoryInput(site, size, contents) if site == INVALID_READ:
                    self._unread += _image(contents, min(size, MOST_UNREAD))
                case ScalarInput(site, value, _):
                    self._scalars.setdefault(site, deque()).append(value)
                case MemoryInput(site, _, contents):
                    if site == EXTERNAL_CONTENTS:
                        self._external.update(contents)
                    else:
                        self._memories.setdefault(site, deque()).append(contents)

    def scalar(self, site: int, bits: int) -> int:
        if site == INVALID_READ:
            return int.from_bytes(self._take((bits + 7) // 8), "little")
        queue = self._scalars.get(site)
        if queue:
            return queue.popleft()
        self._miss(site)
        return 0

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self.scalar(site, bits)

    def memory(self, site: int, size: int) -> Contents:
        if site == INVALID_READ:
            return tuple(enumerate(self._take(size)))
        queue = self._memories.get(site)
        if queue:
            return queue.popleft()
        self._miss(site)
        return ()

    def external_byte(self, offset: int) -> int:
        return self._external.get(offset, 0)

    def found(self, site: int, known: int) -> int | None:
        return None

    def _take(self, size: int) -> bytes:
        """The next bytes that invalid reads give; zeros follow."""
        if not self._unread:
            self._miss(INVALID_READ)
        taken = bytes(self._unread[:size])
        del self._unread[:size]
        return taken

    def _miss(self, site: int) -> None:
        if self.strict:
            raise EndOfRun(InputsExhausted(site))
        self.missing += 1


@dataclass(slots=True)
class RandomInputs:
    """Random values with a bias to small ones, to the bounds of a width, to repetitions and to `pool`."""

    seed: int
    pool: Sequence[int] = ()
    _random: random.Random = field(init=False)
    _earlier: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def scalar(self, site: int, bits: int) -> int:
        value = self._value(bits) & ((1 << bits) - 1)
        if len(self._earlier) < 64:
            self._earlier.append(value)
        return value

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return fresh() if self._random.random() < 0.7 else 0

    def _value(self, bits: int) -> int:
        choose = self._random
        if bits == 1:
            return choose.getrandbits(1)
        kind = choose.random()
        if kind < 0.3:
            return choose.randrange(-4, 17)
        if kind < 0.4:
            return (1 << choose.randrange(bits)) + choose.randrange(-1, 2)
        if kind < 0.5 and self._earlier:
            return choose.choice(self._earlier) + choose.randrange(-1, 2)
        if kind < 0.7 and self.pool:
            return choose.choice(self.pool) + choose.randrange(-1, 2)
        return choose.getrandbits(choose.randrange(1, bits + 1))

    def memory(self, site: int, size: int) -> Contents:
        if size == 0 or self._random.random() < 0.5:
            return ()
        count = self._random.randrange(1, min(size, 256) + 1)
        return tuple((offset, byte) for offset in range(count) if (byte := self._byte()))

    def external_byte(self, offset: int) -> int:
        return self._byte()

    def found(self, site: int, known: int) -> int | None:
        kind = self._random.random()
        return 0 if kind < 0.3 else self._random.randint(1, known) if known and kind < 0.5 else known + 1

    def _byte(self) -> int:
        choose = self._random
        return choose.getrandbits(8) if choose.random() < 0.25 else 0


@dataclass(slots=True)
class SmallInputs:
    """Mostly values from -span/4 to `span`, so that loops end soon and assumptions are often met."""

    seed: int
    span: int
    pool: Sequence[int] = ()
    _random: random.Random = field(init=False)
    _wide: RandomInputs = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._wide = RandomInputs(self.seed, self.pool)

    def scalar(self, site: int, bits: int) -> int:
        choose = self._random
        kind = choose.random()
        if bits == 1:
            return choose.getrandbits(1)
        if kind < 0.85:
            return choose.randrange(-(self.span // 4), self.span + 1) & ((1 << bits) - 1)
        if kind < 0.95 and self.pool:
            return choose.choice(self.pool) + choose.randrange(-1, 2) & ((1 << bits) - 1)
        return self._wide.scalar(site, bits)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self._wide.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        return self._wide.memory(site, size)

    def external_byte(self, offset: int) -> int:
        return self._wide.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self._wide.found(site, known)


@dataclass(slots=True)
class HabitualInputs:
    """Small values, of which most sites have a favourite for the whole run: one process starves, another always runs.

    Source: Groce et al., "Swarm testing" (ISSTA 2012): runs that leave something out get where others rarely do.
    """

    seed: int
    pool: Sequence[int] = ()
    _random: random.Random = field(init=False)
    _small: SmallInputs = field(init=False)
    _habits: dict[int, tuple[int, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._small = SmallInputs(self.seed, self._random.choice((1, 4, 12)), self.pool)

    def scalar(self, site: int, bits: int) -> int:
        if site not in self._habits:
            favourite = self._random.choice((0, 0, 1, self._small.scalar(site, bits)))
            self._habits[site] = favourite, self._random.choice((0.0, 0.5, 0.9, 0.98))
        favourite, share = self._habits[site]
        return favourite if self._random.random() < share else self._small.scalar(site, bits)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self._small.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        return self._small.memory(site, size)

    def external_byte(self, offset: int) -> int:
        return self._small.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self._small.found(site, known)
