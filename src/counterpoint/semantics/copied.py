"""Copies and fills of many bytes at once, their number unknown: arrays that are defined where they are read.

What the object contains afterwards is an array variable `after`, defined by

    after[i] = new[i - start]   where the instruction has an effect and i - start < size,
    after[i] = before[i]        elsewhere,

for all i at once. A formula sees of an array what it reads, so the definition is given, as an axiom, for each index
at which `after`, or an array made from it by stores and choices, is read. Within one encoding that loses nothing: a
model gives values at these indices, and the definition continues it to all others, because no formula compares
arrays (Bradley, Manna, Sipma, "What's Decidable About Arrays?", VMCAI 2006). At a cut point the array becomes the
value of a component, and what is read there later is arbitrary: more runs, sound for proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import hiding, mentioned_objects
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

MAX_NESTED = 5
"""So many may be behind one another: reading what the last wrote takes two reads of the one before."""

Source: TypeAlias = tuple[V, Term, V]
"""(guard, array of bytes, index of the first): where a copy may read. Guards exclude each other."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The definition of one such array of bytes: its effect where `condition` holds, from the index `start` on.

    The new bytes come from `sources`, one of whose guards holds then; all are `byte` if there are none.
    """

    before: Term
    condition: V
    start: V
    size: V
    sources: tuple[Source, ...] = ()
    byte: V = 0

    def arrays(self) -> tuple[Term, ...]:
        """The arrays that it reads."""
        return self.before, *(array for _, array, _ in self.sources)


def copied_array(world: World, copied: Copied) -> Term:
    """The array with this definition. Raises BeyondModel where too many are made from one another."""
    nested = 1 + max((world.copied[name][1] for array in copied.arrays() for name in _inside(array, world)), default=0)
    if nested > MAX_NESTED:
        raise BeyondModel(f"a copy of unknown size behind {MAX_NESTED} others")
    world.fresh += 1
    hides = mentioned_objects(copied.byte).union(*(mentioned_objects(array) for array in copied.arrays()))
    after = build.variable(hiding(f"copied!{world.fresh}", hides), copied.before.sort)
    world.copied[after] = copied, nested
    return after


def element(array: Term, index: V, world: World) -> V:
    """The element at an index, of an array with elements of any size. The copied arrays in it are defined there.

    At most (1 + sources)^MAX_NESTED axioms for each, said again each time: where a tree of paths shares a world,
    each path has the axioms of what it reads.
    """
    for after in _inside(array, world) if world.copied else ():
        copied, _ = world.copied[after]
        distance = build.sub(index, copied.start, world.pointer_bits)
        here = build.and_(copied.condition, build.ult(distance, copied.size, world.pointer_bits))
        value = element(copied.before, index, world)
        if here != 0:
            value = build.ite(here, _new(copied, distance, world), value, BitVec(8))
        world.axiom(build.eq(build.select(after, index), value, 8))
    return build.select(array, index)


def _new(copied: Copied, distance: V, world: World) -> V:
    """The byte at a distance from the first."""
    value = copied.byte
    for number, (guard, array, first) in enumerate(copied.sources):
        there = element(array, build.add(first, distance, world.pointer_bits), world)
        value = there if number == 0 else build.ite(guard, there, value, BitVec(8))
    return value


def _inside(array: Term, world: World) -> tuple[Term, ...]:
    """The copied arrays that the array is made from by stores and choices. Linear in its new nodes; memoised."""
    known = world.copied_inside
    stack = [array]
    while stack:
        term = stack[-1]
        parts = term.args[:1] if term.op is Op.STORE else term.args[1:] if term.op is Op.ITE else ()
        waiting = [part for part in parts if isinstance(part, Term) and part not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        below = [name for part in parts if isinstance(part, Term) for name in known[part]]
        known[term] = (term,) if term in world.copied else tuple(dict.fromkeys(below))
    return known[array]
