"""What an arbitrary caller chooses, within which bounds, and how a run of it is told from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from counterpoint.contracts.views import PREFIX
from counterpoint.core.records import dataclass

ASSUME: Final = f"{PREFIX}assume"

LONGEST: Final = 1 << 28
AT_MOST: Final = f"blocks of unknown length have at most {LONGEST >> 20} MiB"
"""Bytes of a block that may be of any length, and how that is told."""

FEW: Final = 4
"""Elements of an array with pointers in it that are made one by one."""

MORE: Final = " > "
"""What stands in `Given.needs` between an argument and a number."""


class What(Enum):
    """What a choice of the caller is about."""

    POINTER = "pointer"
    NUMBER = "number"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Given:
    """A choice of the caller: the value of the C expression `text` (`code` in the driver), which the input of the name
    `source` decides: not 0 where a POINTER is not null, the bits of a NUMBER, the elements of a block that `text`
    points to for a LENGTH. It means something where the pointers `needs` (by their texts) are not null, and where there
    are MORE elements than the place has in front, as an argument says (`n > 2`).
    `least`, `most`: the choice that it is not below, "" for none, and the choice or number that it does not exceed."""

    what: What
    text: str
    code: str
    source: str
    signed: bool | None = None
    needs: tuple[str, ...] = ()
    least: str = ""
    most: str | int = ""


def present(need: str) -> str:
    """What `Given.needs` names is there, as contracts say it."""
    return need if MORE in need else f"{need} != \\null"


def settled(given: Sequence[Given], state: Mapping[str, int]) -> dict[str, int]:
    """The choices, with those between bounds that lie outside of them brought there."""
    found = dict(state)
    for one in given:
        most = one.most if isinstance(one.most, int) else found.get(one.most)
        if one.most == "" or most is None or one.source not in found:
            continue
        least = found.get(one.least, 0) if one.least else int(one.what is What.LENGTH)
        if not least <= found[one.source] <= most:
            found[one.source] = least + found[one.source] % (most - least + 1) if least <= most else most
    return found
