"""Removes arbitrary values that nothing uses after the passes.

They came from locals that are always written first and from guards that turned out constant: kept,
they would be noise among a run's inputs. Inputs that the program asks for stay, used or not. A site goes
with all of its copies or not at all: runs of other preparations find its k-th value by counting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import Site

REMOVABLE = frozenset({"uninitialised", "undef", "variable"})

_NONDET = regex(r"^  (?:(%[^ ]+) = )?call [^@]* @__cp_nondet_\w+\(i32 (\d+)\)")
_REGISTER = regex(r"%[-\w.$]+")


@dataclass(frozen=True, slots=True)
class _Body:
    """A function's lines; `unused` are the registers, by line, of removable calls that nothing uses."""

    lines: list[str]
    unused: Mapping[int, tuple[str, int]]


def without_unused_inputs(text: str, sites: Sequence[Site]) -> str:
    """The module without the calls of `__cp_nondet_*` of the sites of a removable kind that are all unused."""
    parts: list[str | _Body] = []
    used: set[int] = set()
    position = 0
    while (start := text.find("\ndefine ", position)) >= 0:
        end = text.find("\n}\n", start)
        parts.append(text[position:start])
        body = text[start:end]
        parts.append(_body(body, sites, used) if "@__cp_nondet_" in body else body)
        position = end
    parts.append(text[position:])
    return "".join(part if isinstance(part, str) else _without(part, used) for part in parts)


def _body(text: str, sites: Sequence[Site], used: set[int]) -> _Body | str:
    """The function with its candidates; the sites whose values it uses are added to `used`."""
    lines = text.split("\n")
    candidates = {
        index: (found[1] or "", int(found[2]))
        for index, line in enumerate(lines)
        if "@__cp_nondet_" in line
        and (found := _NONDET.match(line)) is not None
        and sites[int(found[2])].kind in REMOVABLE
    }
    if not candidates:
        return text
    uses = Counter(name for line in lines if "#dbg_" not in line for name in _REGISTER.findall(line))
    used.update(site for name, site in candidates.values() if uses[name] > 1)
    return _Body(lines, {index: found for index, found in candidates.items() if uses[found[0]] <= 1})


def _without(body: _Body, used: set[int]) -> str:
    """The function's text without the unused calls of sites that nothing uses anywhere."""
    removed = {index: name for index, (name, site) in body.unused.items() if site not in used}
    names = set(removed.values())
    return "\n".join(
        line
        for index, line in enumerate(body.lines)
        if index not in removed and not ("#dbg_" in line and names.intersection(_REGISTER.findall(line)))
    )
