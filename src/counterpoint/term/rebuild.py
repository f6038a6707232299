"""Building a term like a given one from other arguments, through the smart constructors.

`build` says which constructor makes which operator's terms (`MAKERS`), and is loaded with the package: constructors may
themselves need terms rebuilt (`owned`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from counterpoint.term.term import Op, Term, V

Rebuild: TypeAlias = Callable[[Term, Sequence[V]], V]

MAKERS: Final[dict[Op, Rebuild]] = {}
"""By operator; all but VARIABLE and ADDRESS, which have no arguments."""


def rebuild(like: Term, args: Sequence[V]) -> V:
    """The operator and payload of `like` on `args` (of the same sorts), simplified."""
    return MAKERS[like.op](like, args) if args else like
