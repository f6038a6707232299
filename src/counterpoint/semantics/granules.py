"""Granules: how many bytes the elements of an SMT array have that models an object's contents.

All encodings of one program share them (`World.granules`, by allocation). Each array begins with the size of its first
access; one that does not fit makes it an array of single bytes, and everything built so far has to be built again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from counterpoint.core.errors import CounterpointError, Unsupported

T = TypeVar("T")
K = TypeVar("K")


class GranuleConflict(CounterpointError):
    """An array was accessed at a width that its elements do not divide into.

    The encoding has to be made again; `World.granules`, which is shared between encodings, now says
    that the objects of this origin are arrays of single bytes.
    """


def with_granules(
    make: Callable[[dict[str, int]], T], granules: dict[str, int] | None = None, *, agreed: bool = False
) -> T:
    """What `make` gives, called with the granules that are known (none, or `granules`), which it may extend; after a
    conflict it is called again. With `agreed` also until a call changes none: then all of it was built with the same.

    Ends, because every conflict makes one more array one of single bytes. Raises Unsupported where one does not.
    """
    known = {} if granules is None else granules
    while True:
        before = dict(known)
        try:
            made = make(known)
            if not agreed or known == before:
                return made
        except GranuleConflict as conflict:
            if known == before:
                raise Unsupported(f"no array of bytes for {conflict}") from conflict


class _Noting(dict[str, int]):
    """Granules that note of which arrays somebody asked."""

    def __init__(self, known: dict[str, int]) -> None:
        super().__init__(known)
        self.asked = set[str]()

    def get(self, origin: str, otherwise: int | None = None) -> int | None:  # type: ignore[override]
        self.asked.add(origin)
        return super().get(origin, otherwise)


def each_with_granules(make: Callable[[K, dict[str, int]], T], keys: Iterable[K]) -> tuple[dict[K, T], dict[str, int]]:
    """What `make` gives for each of the keys, in their order, all with the same granules, which are the second: after a
    conflict only what asked for one that changed is made again. Otherwise as `with_granules`."""
    granules, wanted = _Noting({}), list(keys)
    made: dict[K, T] = {}
    asked: dict[K, set[str]] = {}
    waiting = deque(wanted)
    while waiting:
        key = waiting.popleft()
        before, granules.asked = dict(granules), set()
        try:
            made[key] = make(key, granules)
        except GranuleConflict as conflict:
            if granules == before:
                raise Unsupported(f"no array of bytes for {conflict}") from conflict
            waiting.appendleft(key)
        asked[key] = granules.asked
        if granules != before:
            changed = {origin for origin, size in granules.items() if before.get(origin) != size}
            stale = [one for one in made if not asked[one].isdisjoint(changed)]
            waiting += (one for one in stale if one not in waiting)  # last, as there may be more conflicts
            made = {one: found for one, found in made.items() if one not in stale}
    return {key: made[key] for key in wanted}, granules
