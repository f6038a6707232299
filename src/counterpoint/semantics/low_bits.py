"""Low bits of addresses in encodings with a past, where objects begin at multiples of OBJECT_ALIGNMENT."""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.static.low_bits import low_bits
from counterpoint.term.term import V


def look_at_low_bits(i: m.Compute, number: V, world: World) -> None:
    """Raises BeyondModel where the instruction may tell how an object is aligned whose address the number is made of,
    and C does not promise it."""
    past = world.past
    assert past is not None
    if past.points is None:
        return
    needed = low_bits(past.points).get(id(i), 1)
    if needed > 1 and any(_alignment(world, index) < needed for index in mentioned_objects(number)):
        raise BeyondModel("the low bits of an address, of which C promises nothing")


def _alignment(world: World, index: int) -> int:
    """What divides the object's base whatever compiler placed it; of a summary, the least of its objects'."""
    thing, past = world.objects[index], world.past
    assert past is not None and past.points is not None
    whole = thing.block_of if thing.block_of >= 0 else index if thing.summary else None
    if whole is None:
        return thing.alignment
    objects = past.points.objects
    made = [objects[number].allocation for number, place in past.places.items() if place == whole]
    return min((OBJECT_ALIGNMENT if a is None else a.alignment for a in made), default=OBJECT_ALIGNMENT)
