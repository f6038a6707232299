"""Removes arbitrary values that nothing uses after the passes.

They came from locals that are always written first and from guards that turned out constant: kept,
they would be noise among a run's inputs. Inputs that the program asks for stay, used or not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from counterpoint.core.source import Site

REMOVABLE = frozenset({"uninitialised", "undef"})

_NONDET = re.compile(r"^  (%[^ ]+) = call [^@]* @__cp_nondet_\w+\(i32 (\d+)\)")
_REGISTER = re.compile(r"%[-\w.$]+")


def without_unused_inputs(text: str, sites: Sequence[Site]) -> str:
    """The module without unused calls of `__cp_nondet_*` of a removable kind."""
    kept: list[str] = []
    position = 0
    while (start := text.find("\ndefine ", position)) >= 0:
        end = text.find("\n}\n", start)
        kept.append(text[position:start])
        kept.append(_without(text[start:end], sites))
        position = end
    kept.append(text[position:])
    return "".join(kept)


def _without(body: str, sites: Sequence[Site]) -> str:
    if "@__cp_nondet_" not in body:
        return body
    lines = body.split("\n")
    candidates = {
        found[1]: index
        for index, line in enumerate(lines)
        if "@__cp_nondet_" in line
        and (found := _NONDET.match(line)) is not None
        and sites[int(found[2])].kind in REMOVABLE
    }
    if not candidates:
        return body
    uses = Counter(name for line in lines if "#dbg_" not in line for name in _REGISTER.findall(line))
    unused = {index for name, index in candidates.items() if uses[name] == 1}
    if not unused:
        return body
    names = {name for name, index in candidates.items() if index in unused}
    return "\n".join(
        line
        for index, line in enumerate(lines)
        if index not in unused and not ("#dbg_" in line and names.intersection(_REGISTER.findall(line)))
    )
