"""Choices of an arbitrary caller, at random: mostly small, many like the code's own numbers or like each other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.entries.environment import Environment
from counterpoint.entries.given import Given, What, settled
from counterpoint.entries.literals import State

PAIRED: Final = 0.5
LARGEST_PAIRED: Final = 64
"""How often a block has as many elements as a number beside it says, if that is no more than so many."""

LARGE: Final = 0.15
"""How often it has many."""

MINE: Final = 0.5
"""How often a constant is one of the function's own code."""

SMALL: Final = 0.8
"""How often a number is 0 or 1, where small ones are asked for."""


@dataclass(slots=True)
class Callers:
    """Of one environment; `constants` are numbers of the program, `own_constants` of the function."""

    environment: Environment
    constants: Sequence[int]
    own_constants: Sequence[int]
    choose: random.Random
    _beside: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [one for one in self.environment.given if one.what is What.NUMBER]
        for one in self.environment.given:
            if one.what is What.LENGTH:
                self._beside[one.source] = [n.source for n in numbers if _owner(n.text) == _owner(one.text)]

    def drawn(self, small: bool = False) -> dict[str, int]:
        choose = self.choose
        some = choose.choice((0.5, 0.75, 0.95))
        state: dict[str, int] = {}
        for one in sorted(self.environment.given, key=lambda one: one.what is What.LENGTH):
            match one.what:
                case What.POINTER:
                    state[one.source] = int(choose.random() < some)
                case What.LENGTH:
                    state[one.source] = self.length(one, state)
                case What.NUMBER if small and choose.random() < SMALL:
                    state[one.source] = choose.randrange(2)
                case What.NUMBER:
                    state[one.source] = self.number(one, state)
        return settled(self.environment.given, state)

    def length(self, one: Given, state: State) -> int:
        beside = [state[source] for source in self._beside[one.source] if 0 < state[source] <= LARGEST_PAIRED]
        if beside and self.choose.random() < PAIRED:
            return self.choose.choice(beside)
        if self.choose.random() < LARGE:
            return 1 << self.choose.randrange(4, 14)
        return self.choose.randrange(1, 10)

    def number(self, one: Given, state: State) -> int:
        choose = self.choose
        kind = choose.random()
        if kind < 0.65:
            value = choose.randrange(-2 if one.signed else 0, 10)
        elif kind < 0.8 and self.constants:
            mine = self.own_constants and choose.random() < MINE
            value = choose.choice(self.own_constants if mine else self.constants) + choose.randrange(-1, 2)
        elif kind < 0.9 and state:
            value = choose.choice(list(state.values())) + choose.randrange(-1, 2)
        else:
            value = choose.getrandbits(choose.randrange(1, 32))
        return value if one.signed else abs(value)


def _owner(text: str) -> str:
    """What has this member; "" for an argument or a variable."""
    return text.rpartition("->")[0] or text.rpartition(".")[0]
