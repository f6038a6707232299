"""The rules of accesses as a table: which are valid, by the state of the object that owns the pointer, by where the
accessed bytes lie, and by whether they are read or written.

docs/access-rules.md shows it (`rendered`). tests/test_access_rules.py makes a program of every case, and asks the
encoding, the interpreter and the native runtime about it.
"""

from __future__ import annotations

from enum import StrEnum

from counterpoint.core.records import dataclass


class Owner(StrEnum):
    """The state of the object that the pointer was derived from."""

    LIVE = "a live local, static object or heap block"
    CONSTANT = "a string literal, or an object defined const"
    DEAD = "a local outside of its block, or of a function that returned"
    FREED = "a heap block that was freed"
    CODE = "a function"
    EXTERNAL = "external memory"
    NULL = "none: null"
    NUMBER = "none: a number that was computed from no address"


class Place(StrEnum):
    """Where the accessed bytes lie."""

    INSIDE = "inside the owner"
    PARTLY = "partly outside the owner"
    ONE_PAST = "one past the owner"
    BEFORE = "before the owner"
    ANOTHER = "in another live object"
    WRAPPING = "where offset times size wraps around"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: accesses of one byte or more. `why` is said where the row is not plain."""

    owner: Owner
    place: Place
    read: bool
    write: bool
    why: str = ""


def _outside(owner: Owner) -> tuple[Rule, ...]:
    places = (Place.PARTLY, Place.ONE_PAST, Place.BEFORE, Place.ANOTHER, Place.WRAPPING)
    return tuple(Rule(owner, place, False, False) for place in places)


RULES: tuple[Rule, ...] = (
    Rule(Owner.LIVE, Place.INSIDE, True, True, "also if the pointer was outside in between"),
    *_outside(Owner.LIVE),
    Rule(Owner.CONSTANT, Place.INSIDE, True, False),
    *_outside(Owner.CONSTANT),
    Rule(Owner.DEAD, Place.INSIDE, False, False, "also by a number that is its address"),
    Rule(Owner.DEAD, Place.ANOTHER, False, False),
    Rule(Owner.FREED, Place.INSIDE, False, False, "also by a number that is its address"),
    Rule(Owner.FREED, Place.ANOTHER, False, False),
    Rule(Owner.CODE, Place.INSIDE, False, False, "functions have no bytes"),
    Rule(Owner.CODE, Place.ANOTHER, False, False),
    Rule(Owner.EXTERNAL, Place.INSIDE, True, True),
    Rule(Owner.NULL, Place.INSIDE, False, False, "the null page"),
    Rule(Owner.NULL, Place.ANOTHER, False, False, "null plus an offset points into nothing"),
    Rule(Owner.NUMBER, Place.INSIDE, False, False),
)

_TEXT = """\
# Access rules

A pointer is an address and an owner: the object that it was derived from, by whatever way: arithmetic, registers,
calls, memory (the bytes of a stored pointer keep it; put together again in their order they are that pointer).
Addresses may lie anywhere in between; comparisons look at addresses only. An integer made into a pointer belongs to
the object into which, or one past which, it points, if that object is exposed (its address was made into an integer,
or the bytes of a stored pointer to it were read at another type), dead ones included; else to none.

| property | an invalid read | an invalid write |
|---|---|---|
| memory-safety | violates valid-deref | violates valid-deref |
| any other | gives an arbitrary value | changes nothing |

`memcpy`, `memmove` and assignments of structures read and write ranges: each is one access. An access of no bytes is
valid. Library models access memory by the same rules.

| the pointer's owner | the bytes lie | read | write | |
|---|---|---|---|---|
"""

_END = """
This page is made from `semantics/access_rules.py`; `tests/test_access_rules.py` makes a program of every row and asks
the encoding, the interpreter and the native runtime about it. Native code, where a pointer is a machine word, does
not judge a run in which a pointer comes to lie in another object than its own.
"""


def rendered() -> str:
    """The text of docs/access-rules.md."""
    words = {True: "valid", False: "invalid"}
    rows = [f"| {r.owner} | {r.place} | {words[r.read]} | {words[r.write]} | {r.why} |" for r in RULES]
    return _TEXT + "\n".join(rows) + "\n" + _END
