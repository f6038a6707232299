"""External memory of one run: bytes that are asked for when they are first read, and the pointers found there.

A pointer that the environment gives or has in its memory is null or the base of a shared object (semantics/found.py).
A run is none that loads another word as a pointer from there, if it is an aligned word of external memory as it was at
the start: `foreign` are these words, as far as they were read. Copies bring them into the program's objects, where
loading them as pointers is the same: `carried`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal

from counterpoint.core.records import dataclass
from counterpoint.execute.outcome import AssumptionFailed, EndOfRun
from counterpoint.program.external import SHARED
from counterpoint.semantics import layout


@dataclass(slots=True)
class Outside:
    """`initial_byte(offset)` gives the first contents; `choose(known)` the number of a pointer's object (0: null), of
    which `known` were met before, or None if its bytes say. `initial` is by offset, `contents` by address; `own` and
    `shared` count the objects given out. `carried` are words by their new addresses; `on_first` is called once, when
    there is one.
    """

    bits: int
    big_endian: bool
    initial_byte: Callable[[int], int]
    choose: Callable[[int], int | None] = lambda known: None
    contents: dict[int, int] = field(default_factory=dict)
    initial: dict[int, int] = field(default_factory=dict)
    foreign: set[int] = field(default_factory=set)
    carried: dict[int, int] = field(default_factory=dict)
    on_first: Callable[[], None] | None = None
    own: int = 0
    shared: int = 0
    base: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        self.base, self.end = layout.external_base(self.bits), layout.external_end(self.bits)

    # ---------------------------------------------------------------- objects

    def new_own(self) -> int:
        """The base of the next object to which one pointer only is given out."""
        address = layout.external_address(SHARED + self.own, self.bits)
        self.own += 1
        return address

    def claim_own(self, address: int) -> bool:
        """Whether the address is that of such an object that was not given out before; it is, from now on."""
        if not self.base <= address <= self.end:
            return False
        number, inside = divmod(address - self.base, layout.EXTERNAL_SIZE)
        if inside or number < SHARED + self.own:
            return False
        self.own = number - SHARED + 1
        return True

    def shared_pointer(self, number: int) -> int:
        """Null for 0, else the base of the shared object with that number, counted from 1; the last one for others."""
        if number == 0:
            return 0
        number = min(number, SHARED)
        self.shared = max(self.shared, number)
        return layout.external_address(number - 1, self.bits)

    def claim_shared(self, value: int) -> int:
        """The pointer, if the environment may give it; else to the next shared object."""
        if value == 0 or layout.is_shared(value, self.bits):
            return self.shared_pointer((value - self.base) // layout.EXTERNAL_SIZE + 1 if value else 0)
        return self.shared_pointer(self.shared + 1)

    # ---------------------------------------------------------------- contents

    def contains(self, address: int, size: int) -> bool:
        return self.base <= address and address + size <= self.end

    def read(self, address: int, size: int) -> bytes:
        """The bytes of a range inside the region."""
        return bytes(self._byte(at) for at in range(address, address + size))

    def write(self, address: int, contents: bytes) -> None:
        self.contents.update(zip(range(address, address + len(contents)), contents, strict=True))

    def meet_pointer(self, address: int) -> None:
        """A pointer is about to be loaded from there: a word of which nothing is known may be chosen as a whole."""
        size = self.bits // 8
        if address % size or not self.contains(address, size):
            return
        if any(at in self.contents for at in range(address, address + size)):
            return
        chosen = self.choose(self.shared)
        if chosen is not None:
            word = self.shared_pointer(chosen).to_bytes(size, "big" if self.big_endian else "little")
            self.write(address, word)
            self.initial.update(enumerate(word, address - self.base))

    def load_pointer(self, address: int, value: int) -> int:
        """A pointer that was loaded from there. Raises EndOfRun where no run loads it."""
        outside = self.contains(address, 1) and not address % (self.bits // 8)
        if value in self.foreign if outside else self.carried.get(address) == value:
            raise EndOfRun(AssumptionFailed())
        return value

    def copied(self, target: int, source: int, contents: bytes) -> None:
        """Bytes were copied."""
        size = self.bits // 8
        if not self.foreign or len(contents) < size:
            return
        if self.contains(source, len(contents)):
            order: Literal["big", "little"] = "big" if self.big_endian else "little"
            for at in range(-source % size, len(contents) - size + 1, size):
                word = int.from_bytes(contents[at : at + size], order)
                if word in self.foreign:
                    self._carry(target + at, word)
        elif self.carried:
            last = source + len(contents) - size
            for at, word in [(at, word) for at, word in self.carried.items() if source <= at <= last]:
                self._carry(target + at - source, word)

    def _carry(self, address: int, word: int) -> None:
        self.carried[address] = word
        if self.on_first is not None:
            first, self.on_first = self.on_first, None
            first()

    def _byte(self, address: int) -> int:
        known = self.contents.get(address)
        if known is None:
            offset = address - self.base
            known = self.initial_byte(offset) & 0xFF
            self.initial[offset] = known
            self.contents[address] = known
            self._note_word(offset)
        return known

    def _note_word(self, offset: int) -> None:
        """A byte of the word was read: once all are known, it is a pointer or foreign."""
        size = self.bits // 8
        offset -= offset % size
        if any(at not in self.initial for at in range(offset, offset + size)):
            return
        order: Literal["big", "little"] = "big" if self.big_endian else "little"
        word = int.from_bytes(bytes(self.initial[at] for at in range(offset, offset + size)), order)
        if word == 0:
            return
        if layout.is_shared(word, self.bits):
            self.claim_shared(word)
            return
        self.foreign.add(word)
