"""Pointers at loop heads that stay in what they were given: on each edge back they are an offset of themselves, or of
what was there in front of the loop.

An offset belongs to what its base belongs to, wherever it lies (program/model.Offset). So whatever such a pointer's
address becomes, it belongs to what one of its *roots* belongs to: values that it is computed from by offsets, choices
and joins alone, each of them its own value when the loop is entered, or one that is computed outside of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from counterpoint.program import model as m
from counterpoint.program.graph import Loop, loops
from counterpoint.program.types import PointerType
from counterpoint.static.points_to import PointsTo

Roots: TypeAlias = frozenset[m.Value]

MOST: Final = 3
"""Roots of one pointer: of more the choice tells little."""


def loop_roots(points: PointsTo, function: m.Function, head: int) -> Mapping[int, tuple[m.Value, ...]]:
    """For parameters of the head of a natural loop, by their registers: the values, in a fixed order, one of which each
    belongs to; a parameter of the head among them stands for what it is when the loop is entered. Others are left out.
    Remembered with `points`."""
    return points.remember("loop roots", f"{function.name} {head}", lambda: _loop_roots(function, head))


def _loop_roots(function: m.Function, head: int) -> dict[int, tuple[m.Value, ...]]:
    loop = next((one for one in loops(function) if one.head == head and one.natural), None)
    if loop is None:
        return {}
    sources = dict(_sources(function, loop))
    found: dict[int, tuple[m.Value, ...]] = {}
    for parameter in function.blocks[head].parameters:
        roots = _roots(parameter, sources, frozenset(function.blocks[head].parameters))
        if roots and len(roots) <= MOST and isinstance(parameter.type, PointerType):
            found[parameter.index] = tuple(sorted(roots, key=repr))
    return found


def _roots(
    parameter: m.Register, sources: Mapping[m.Register, tuple[m.Value, ...] | None], first: frozenset[m.Register]
) -> Roots:
    """What it goes back to; nothing where it may be something else, too."""
    roots: set[m.Value] = set()
    waiting: list[m.Value] = [parameter]
    seen: set[m.Value] = {parameter}
    while waiting:
        value = waiting.pop()
        if value in first or value not in sources:
            roots.add(value)
        if isinstance(value, m.Register) and value in sources:
            before = sources[value]
            if before is None:
                return frozenset()
            waiting += [one for one in dict.fromkeys(before) if one not in seen]
            seen.update(before)
    return frozenset(roots)


def _sources(function: m.Function, loop: Loop) -> Iterator[tuple[m.Register, tuple[m.Value, ...] | None]]:
    """For what is computed in the loop, and for the parameters of its blocks: what it belongs to one of, on edges of
    the loop; None: something else."""
    inside = frozenset(loop.blocks)
    given: dict[m.Register, list[m.Value]] = {p: [] for n in inside for p in function.blocks[n].parameters}
    for number in sorted(inside):
        block = function.blocks[number]
        for edge in block.edges:
            if edge.target in inside:
                for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                    given[parameter].append(value)
        for instruction in block.instructions:
            yield from _of(instruction)
    yield from ((parameter, tuple(values)) for parameter, values in given.items())


def _of(instruction: m.Instruction) -> Iterator[tuple[m.Register, tuple[m.Value, ...] | None]]:
    match instruction:
        case m.Offset(result, base):
            yield result, (base,)
        case m.Compute(result, "select", (_, yes, no)):
            yield result, (yes, no)
        case m.Call(results):
            yield from ((result, None) for result in results)
        case _:
            made = getattr(instruction, "result", None)
            if isinstance(made, m.Register):
                yield made, None
