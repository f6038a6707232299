"""What happened to a region graph in words: the parts of the sentences under its picture."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.core.events import ERROR, START, TestWalked

MOST_EDGES = 5
"""Edges that a sentence names."""

FIRST, LAST = 8, 6
"""Regions of a long walk that it names."""

SHORT = 120
"""Characters of a predicate or of inputs in it."""

_ANSWERS = {"sat": "satisfiable", "unsat": "unsatisfiable", "unknown": "the solver has no answer"}
_NAMES = {START: "start", ERROR: "error"}


def tried(source: int, target: int, answer: str) -> str:
    """The query at a frontier."""
    return f"frontier {_edge(source, target)}: {_ANSWERS.get(answer, answer)}"


def split(region: int, number: int, predicate: str, holds: int, fails: int) -> str:
    """A region gave way to two, by predicate `number` (from 1)."""
    name = f"p{number}: {shortened(predicate)}"
    return f"region {region} is split by {name} into {holds} (it holds) and {fails} (it does not)"


def walked(walk: TestWalked) -> str:
    """A new test."""
    inputs = f" with input {shortened(walk.inputs)}" if walk.inputs else " without input"
    way = f" goes to {_path(walk.regions)}," if walk.regions else ""
    return f"test {walk.number}{inputs}{way} {walk.outcome}"


def removed(edges: Sequence[tuple[int, int]], reason: str) -> str:
    """One edge or more went."""
    names = [_edge(*edge) for edge in edges[:MOST_EDGES]]
    more = f" and {len(edges) - MOST_EDGES:,} more" if len(edges) > MOST_EDGES else ""
    what = f"edge {names[0]} is" if len(edges) == 1 else f"edges {', '.join(names)}{more} are"
    return f"{what} removed{f': {reason}' if reason else ''}"


def _path(regions: Sequence[int]) -> str:
    names = [_name(region) for region in regions]
    if len(names) > FIRST + LAST + 2:
        names[FIRST:-LAST] = ["..."]
    return ", ".join(names)


def _edge(source: int, target: int) -> str:
    return f"({_name(source)}, {_name(target)})"


def _name(region: int) -> str:
    return _NAMES.get(region, str(region))


def shortened(text: str) -> str:
    """A text that may be long, for a sentence."""
    return text if len(text) <= SHORT else text[:SHORT] + " ..."
