"""What a driver shows of the calls of a function, and by which C expressions contracts mean it."""

from __future__ import annotations

from typing import Final

from counterpoint.core.records import dataclass

PREFIX: Final = "counterpoint_"
DRIVER: Final = f"{PREFIX}driver"
SEEN: Final = f"{PREFIX}seen"
ELEMENT: Final = f"{PREFIX}element"


@dataclass(frozen=True, slots=True)
class Seen:
    """One value: the C expression `text`; `old`: before the call, else after it, unless it is an `argument`.

    `needs`: pointers that must not be null for it to mean anything; `place`: the location that it is the value of, by
    which an old value finds the new one; `small`: below 2^63, so that signed and unsigned it is the same number.
    """

    text: str
    signed: bool | None
    old: bool = False
    argument: bool = False
    result: bool = False
    pointer: bool = False
    needs: tuple[str, ...] = ()
    small: bool = False
    type: str = "int"


@dataclass(frozen=True, slots=True)
class View:
    """A function that is handed values: SEEN, or one for the elements of `array` at `index` below `length`."""

    name: str
    values: tuple[Seen, ...]
    array: str = ""
    length: str = ""
    index: str = "k"

    @property
    def element(self) -> str:
        """The element that is shown."""
        return f"{self.array}[{self.index}]"

    @property
    def opposite(self) -> str:
        """The element that is as far from the end."""
        return f"{self.array}[{self.length} - 1 - {self.index}]"


@dataclass(frozen=True, slots=True)
class Location:
    """What the function may change: `text` in contracts, `object` the driver's object that it lies in ("" for a global
    of that name), `value`: the text of the values that tell of it; "" where nothing tells of it."""

    text: str
    object: str
    value: str = ""
    needs: tuple[str, ...] = ()
    elements: bool = False

    @property
    def root(self) -> str:
        """The variable that the text begins with."""
        return self.text.split("[")[0].split(".")[0]

    @property
    def whole(self) -> str:
        """Of a member, the structure that it is in, which has bytes between members; else the text itself."""
        base, arrow, _ = self.text.rpartition("->")
        root, dot, _ = self.text.split("[")[0].partition(".")
        return f"*{base}" if arrow else root if dot else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A claim about an array that is asked as a check: `text` is a program that reaches an error where it is false.

    `said`: the claim in ACSL; `changed`: the same where elements may be others by now; `value`: what it says to be one
    of the elements, if that is the claim.
    """

    text: str
    said: str
    changed: str
    array: str
    length: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Driver:
    """`text`: what stands behind the file; `requires`: what it takes for granted, as C or ACSL; `assumed`: the same in
    words, where C cannot say it."""

    function: str
    text: str
    requires: tuple[str, ...]
    assumed: tuple[str, ...]
    views: tuple[View, ...]
    locations: tuple[Location, ...]
    questions: tuple[Question, ...] = ()


class NoDriver(Exception):
    """The function cannot be called by a driver; the reason in words."""
