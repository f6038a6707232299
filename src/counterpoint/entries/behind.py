"""What is said of checks that stay open as something without a meaning in formulas comes before them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import Answer, CheckAnswer
from counterpoint.program.cutting import Spot, behind
from counterpoint.program.model import LOST, Program
from counterpoint.regions.summary import Block

BEHIND: Final = "behind "
"""How that begins."""

_PLACE: Final = regex(r"\S+:\d+(?::\d+)?: ")


def said_behind(program: Program, met: Iterable[Block]) -> dict[int, str]:
    """For the checks behind what was met, where and what it is: of several, the one with fewest checks behind it."""
    found: dict[int, str] = {}
    lost = {site.index for site in program.checks if site.kind == LOST}
    spots = {block.spot: block.reason for block in met if block.spot is not None}
    every = [(behind(program, [spot]) - lost, spot, reason) for spot, reason in spots.items()]
    for checks, spot, reason in sorted(every, key=lambda one: (len(one[0]), one[2])):
        at = _place(program, spot)
        text = f"{BEHIND}{Path(at.file).name}:{at.line}: {_PLACE.sub('', reason, 1)}"
        for check in checks:
            found.setdefault(check, text)
    return found


def still_behind(earlier: CheckAnswer | None, one: CheckAnswer) -> CheckAnswer:
    """A later answer, which keeps why the check was open if it is no other."""
    if earlier is None or not earlier.why.startswith(BEHIND) or one.answer is not Answer.UNKNOWN:
        return one
    return replace(one, why=earlier.why)


def _place(program: Program, spot: Spot) -> SourceLocation:
    """In the user's code, if something there leads to it."""
    block = program.functions[spot.function].blocks[spot.block]
    behind_all = spot.position >= len(block.instructions)
    at = block.terminator.at if behind_all else block.instructions[spot.position].at
    while at.file.startswith("<") and at.inlined_at is not None:
        at = at.inlined_at
    return at
