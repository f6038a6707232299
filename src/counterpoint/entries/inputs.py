"""Values of a run from the arbitrary caller: its choices are made already, what lies in memory is like what the code
compares with, or like what an earlier run had."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.execute.inputs import Contents, SmallInputs
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.program.model import Constant, Program

SPOKEN: Final = 0.4
"""How often the bytes of a block are characters that the code speaks of."""

FEW: Final = 4
"""So many different ones in one block, at most."""

GIVEN: Final = 0.5
"""How often one of them is a number that the caller gives: a character that is looked for."""

LONGEST: Final = 64
"""Bytes of a block that are so."""

SAME: Final = 0.85
"""How often a value of a run near another one is that one's."""

ORDINARY: Final = b"a1 "

OWN: Final = 0.5
"""How often they are those of the function's own code."""

WORDS: Final = 0.2
FARTHEST: Final = 8
"""How often a text of the program's is put into a block, and where at most."""

SHORTEST_WORD: Final = 2
LONGEST_WORD: Final = 16
MOST_WORDS: Final = 64
ORDINARY_TEXT: Final = range(32, 127)
"""Texts that are: their bytes, without the zero behind them, how many, and with what they begin."""


def characters(constants: Sequence[int]) -> bytes:
    """What the code compares characters with, and some more."""
    return bytes(dict.fromkeys((*(one for one in constants if 0 < one < 256), *ORDINARY)))


def words(program: Program) -> tuple[bytes, ...]:
    """Texts in the program's static memory: what the code may look for in its input."""
    found: dict[bytes, None] = {}
    for item in program.globals.values():
        numbers = [(offset, one) for offset, one in item.pieces if isinstance(one, Constant)]
        if not numbers or len(numbers) < len(item.pieces) or item.size > LONGEST_WORD + 1:
            continue
        image = bytearray(item.size)
        for offset, one in numbers:
            width = (one.type.bits + 7) // 8
            image[offset : offset + width] = one.bits.to_bytes(width, "little")
        text = bytes(image[:-1])
        if len(text) >= SHORTEST_WORD and all(one in ORDINARY_TEXT for one in text[:SHORTEST_WORD]):
            found[text] = None
    return tuple(found)[:MOST_WORDS]


@dataclass(slots=True)
class CallerInputs:
    """Inputs of a run whose caller's choices are made already, by site."""

    chosen: Mapping[int, int]
    others: SmallInputs
    choose: random.Random
    alphabet: bytes = ORDINARY
    own: bytes = b""
    words: Sequence[bytes] = ()

    def character(self) -> int:
        """One that the code speaks of."""
        return self.choose.choice(self.own if self.own and self.choose.random() < OWN else self.alphabet)

    def scalar(self, site: int, bits: int) -> int:
        value = self.chosen.get(site)
        return self.others.scalar(site, bits) if value is None else value & ((1 << bits) - 1)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self.others.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        if size == 0 or self.choose.random() >= SPOKEN:
            return self.others.memory(site, size)
        some = bytes(self.character() for _ in range(FEW))
        given = [value & 255 for value in self.chosen.values() if value and value != 1 and -129 < value < 256]
        if given and self.choose.random() < GIVEN:
            some = bytes((self.choose.choice(given), *some[1:]))
        text = bytearray(self.choose.choices(some, k=min(size, LONGEST)))
        if self.words and self.choose.random() < WORDS:
            word, start = self.choose.choice(self.words), self.choose.randrange(FARTHEST)
            text[start : start + len(word)] = word
        return tuple(enumerate(text[:size]))

    def external_byte(self, offset: int) -> int:
        return self.others.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self.others.found(site, known)


@dataclass(slots=True)
class NearInputs:
    """Inputs that are mostly those of an earlier run, the k-th of a site for the k-th; `same`: how often."""

    earlier: Sequence[Input]
    others: CallerInputs
    same: float = SAME
    _scalars: dict[int, deque[int]] = field(default_factory=dict)
    _memories: dict[int, deque[Contents]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for item in self.earlier:
            match item:
                case ScalarInput(site, value, _):
                    self._scalars.setdefault(site, deque()).append(value)
                case MemoryInput(site, _, contents):
                    self._memories.setdefault(site, deque()).append(contents)

    def scalar(self, site: int, bits: int) -> int:
        queue = self._scalars.get(site)
        earlier = queue.popleft() if queue else None
        if earlier is None or site in self.others.chosen or not self.is_kept():
            return self.others.scalar(site, bits)
        return earlier & ((1 << bits) - 1)

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self.others.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        queue = self._memories.get(site)
        earlier = queue.popleft() if queue else None
        if earlier is None or not self.is_kept():
            return self.others.memory(site, size)
        contents = {offset: byte for offset, byte in earlier if offset < size}
        if contents and not self.is_kept():
            contents[self.others.choose.choice([*contents])] = self.others.character()
        return tuple(sorted(contents.items()))

    def is_kept(self) -> bool:
        return self.others.choose.random() < self.same

    def external_byte(self, offset: int) -> int:
        return self.others.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self.others.found(site, known)
