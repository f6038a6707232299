"""What can be reached from something in any number of steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(start: T, following: Callable[[T], Iterable[T]]) -> set[T]:
    """The start and all that follows it, directly or not. Linear in the steps."""
    found = {start}
    waiting = [start]
    while waiting:
        for one in following(waiting.pop()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found
