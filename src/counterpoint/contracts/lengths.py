"""Which parameter tells how many elements the array of another one has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from counterpoint.contracts.declarations import Parameter
from counterpoint.contracts.shapes import Number, Shape

_LENGTHS: Final = ("n", "len", "length", "size", "count", "num", "sz", "cnt", "max", "nmemb", "bytes")


def length_of(
    parameter: Parameter, parameters: Sequence[Parameter], shape: Callable[[str], Shape]
) -> Parameter | None:
    """The integer parameter that does, by its name and place: one of a usual name, the next behind the array first, or
    the last one that a loop's condition speaks of."""
    position = list(parameters).index(parameter)
    shapes = [(p, shape(p.type)) for p in parameters]
    numbers = [p for p, one in shapes if isinstance(one, Number) and not one.character]
    named = [p for p in numbers if any(p.name.lower().endswith(n) for n in _LENGTHS)]
    behind = [p for p in named if parameters.index(p) > position]
    bounding = [p for p in numbers if p.bounding]
    return next(iter((*behind[:1], *named[:1], *reversed(bounding))), None)
