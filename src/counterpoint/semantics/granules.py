"""Granules: how many bytes the elements of an SMT array have that models an object's contents.

All encodings of one program share them (`World.granules`, by allocation). Each array begins with the size of its first
access; one that does not fit makes it an array of single bytes, and everything built so far has to be built again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from counterpoint.core.errors import CounterpointError, Unsupported

T = TypeVar("T")


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
