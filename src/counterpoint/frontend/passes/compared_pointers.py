"""Pointers that a program compares, kept from LLVM while it propagates what is known.

Behind `if (q == &b)` LLVM's passes take `q` for `&b`, as for the machine both are one number. But a pointer has an
owner: `q` may have come to that place from another object, and an access through it is none to `b`. So while passes run
that could replace one side by the other, comparisons see a copy of each pointer about which nothing is known; null has
no owner and stays.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.lower.text import NAME, split_commas

_COPY = "__cp_compared"
_DECLARATION = f"declare ptr @{_COPY}(ptr) memory(none) nounwind willreturn\n"
_COMPARISON = regex(r"^(  %[^ ]+ = icmp (?:eq|ne) ptr )(.*?)((?:, ![\w.]+ !\d+)*)$", re.MULTILINE)
_COPIED = regex(
    rf"^  (%{NAME}) = (?:tail )?call ptr @{_COPY}\(ptr (.*)\)(?: #\d+)?(?:, ![\w.]+ !\d+)*\n", re.MULTILINE
)
_DECLARED = regex(rf"^declare ptr @{_COPY}\(.*\n", re.MULTILINE)


def hidden(text: str, round_: int) -> str:
    """The module in which pointers are compared by copies; `round_` keeps new names apart."""
    count = 0

    def apart(match: re.Match[str]) -> str:
        nonlocal count
        sides = [side.strip() for side in split_commas(match[2])]
        if "null" in sides:
            return match[0]
        lines = []
        for number, side in enumerate(sides):
            name = f"%cp.compared.{round_}.{count}.copy"  # LLVM puts digits behind a clone's name
            count += 1
            lines.append(f"  {name} = call ptr @{_COPY}(ptr {side})\n")
            sides[number] = name
        return f"{''.join(lines)}{match[1]}{', '.join(sides)}{match[3]}"

    changed = _COMPARISON.sub(apart, text)
    return f"{changed}\n{_DECLARATION}" if count else text


def shown(text: str) -> str:
    """Undoes `hidden`: each copy is what was copied."""
    copied = dict(_COPIED.findall(text))
    if not copied and _COPY not in text:
        return text
    text = _DECLARED.sub("", _COPIED.sub("", text))
    return re.sub(rf"%{NAME}", lambda match: copied.get(match[0], match[0]), text)
