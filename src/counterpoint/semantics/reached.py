"""Lost memory in an encoding that starts in the middle of a run: what was reachable at its start is so at its end.

At each cut point of the entry function this holds, and is a claim of proofs: *every live heap block is reached* from
roots, the pointers that registers hold there and that single objects have in their slots, by pointers in the slots of
live blocks, as far as they are followed (static/pointer_slots.py, which says the same of a kind of blocks at each
place). Fewer pointers are followed than the property would follow, so that what is reached here is reachable.

A region changes finitely much. Let a block be live at its start and at its end. At the start a chain of blocks led to
it from a root. By induction along the chain, each of its blocks that is live at the end is reached then, if

- what a root of the start points to is reached from roots of the end (1);
- where a block does not point to the next one any more, or is dead, the next one, if it is live, is reached at the end
  from the roots (2), or from that block while it is live (3), or, where that block is dead, from each other block that
  pointed to it, all of which are live, and no root of the start points to it (4).

Each of these is about pointers that the region wrote, and blocks that it freed. A block that is made in the region has
to be reached from the roots, or from any block that was there before (5). Runs without an end are covered as well,
since each comes to cut points again and again, and what is lost stays lost.

That *no* block is live at the end is shown in the same way: where a block dies, all that it points to has died (6).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.records import dataclass
from counterpoint.program.graph import contract_functions, reachable_functions
from counterpoint.semantics.contents import ArrayContents
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import RAW, BeyondModel, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.summary import block_at
from counterpoint.static.pointer_slots import Slots, followed_slots, heap_objects
from counterpoint.static.points_to import PointsTo
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

STEPS = 3
"""Pointers of blocks that are followed one behind another from the roots, or from one block."""

FURTHER = 16
"""As many are followed to blocks that nothing reaches in STEPS on any condition: to the end of a chain that a region
makes, while formulas do not grow where few steps are enough."""

MOST_BLOCKS = 40
"""Blocks that one region may change."""


def walks_all_calls(points: PointsTo) -> bool:
    """Nothing is called by contract: such a function may change what is reachable, and where it never returns, no
    place of the entry function comes behind a loss in front of its call."""
    program = points.program
    return not contract_functions(program) & reachable_functions(program) - {program.entry}


# ---------------------------------------------------------------- the claim


def lost(
    memory: Memory, roots: Sequence[V], kept: Container[int] | None = None, *, reachable: bool = True
) -> V:
    """When some live heap block is not reached from these pointers and objects that are no heap blocks, of those made
    in the encoding from the `kept` ones (None: all); without `reachable`, when one is live. Where it is 0 for all
    values of what is arbitrary, none is lost.

    Raises BeyondModel where that has no formula.
    """
    past = memory.shared.world.past
    assert past is not None and past.points is not None
    if not heap_objects(past.points):
        return 0
    if past.start is None or not walks_all_calls(past.points):
        raise BeyondModel("memory may be lost in functions that go by contract, or before they run for ever")
    change = _Change(memory, tuple(dict.fromkeys(roots)), kept, reachable)
    return build.disjunction([*change.roots_lost(), *change.targets_lost(), *change.made_lost()])


@dataclass(slots=True)
class _Change:
    """From the start of an encoding to a later point, with `now` as memory and `roots` as pointers in registers."""

    now: Memory
    roots: tuple[V, ...]
    kept: Container[int] | None
    reachable: bool
    world: World = field(init=False)
    then: Memory = field(init=False)
    old_roots: tuple[V, ...] = field(init=False)
    holders: list[int] = field(init=False)
    old: list[int] = field(init=False)
    made: list[int] = field(init=False)
    _slots: dict[int, Slots] = field(default_factory=dict)
    _from_roots: dict[int, V] | None = None

    def __post_init__(self) -> None:
        self.world = world = self.now.shared.world
        past = world.past
        assert past is not None and isinstance(past.start, Memory)
        self.then, self.old_roots = past.start, past.roots
        objects = world.objects
        self.holders = [i for i in past.earlier if not objects[i].heap and not objects[i].code]
        here = [i for i in world.made if not objects[i].heap and i in self.now.contents]
        self.holders += [i for i in here if self.kept is None or i in self.kept]
        earlier = [i for i in past.earlier if objects[i].heap]
        changed = [i for i in past.changed if objects[i].heap]
        if len(changed) > MOST_BLOCKS:
            raise BeyondModel("a leak check behind changes of many blocks")
        self.old = [*earlier, *changed]
        self.made = [i for i in world.made if objects[i].heap and i in self.now.contents]
        for contents in self.now.contents.values():
            if isinstance(contents, ArrayContents) and contents.owners is not None:
                raise BeyondModel("a leak check with pointers outside their objects")

    # ------------------------------------------------------------ what has to be reached

    def roots_lost(self) -> Iterator[V]:
        """(1) What the roots of the start point to, is not reached at the end."""
        for pointer in self.old_roots:
            if not (self.reachable and pointer in self.roots):
                yield from self._lost(pointer, 1, self.reached)
        for holder in self.holders:
            if holder in self.world.made:
                continue
            for offset in self._offsets(holder):
                was, before = self._slot(self.then, holder, offset)
                still, now = self._slot(self.now, holder, offset)
                if self.reachable and was == still and before == now:
                    continue
                gone = build.not_(build.and_(still, self._same(before, now))) if self.reachable else 1
                yield from self._lost(before, build.and_(was, gone), self._also(holder, offset))

    def _also(self, holder: int, offset: V) -> Callable[[int], V]:
        """Reached from the roots, or from this very slot, which is one of many."""
        if isinstance(offset, int):
            return self.reached
        still, now = self._slot(self.now, holder, offset)
        return lambda block: build.or_(build.and_(still, self._into(now, block)), self.reached(block))

    def targets_lost(self) -> Iterator[V]:
        """(2), (3), (4), (6): where a block from before does not point to now, or is dead."""
        for block in self.old:
            for offset in self._offsets(block):
                was, before = self._slot(self.then, block, offset)
                still, now = self._slot(self.now, block, offset)
                if was == 0 or (self.reachable and was == still and before == now):
                    continue
                broken = build.not_(build.and_(still, self._same(before, now)))
                if not self.reachable:
                    broken = build.not_(self.now.live(block))
                yield from self._lost(before, build.and_(was, broken), partial(self._instead, block))

    def _instead(self, block: int, target: int) -> V:
        """(2), (3) or (4): how the target is reached, where the block pointed to it."""
        alive = self.now.live(block)
        around: V = 0
        if alive not in (1, self.then.live(block)):
            around = build.and_(build.not_(alive), self._by_predecessors(block, target))
        beyond = build.and_(alive, self._reached_by(block, target))
        return build.disjunction([self.reached(target), beyond, around])

    def _by_predecessors(self, block: int, target: int) -> V:
        """(4) One arbitrary block of each kind stands for all others that pointed to the dead block."""
        conditions: list[V] = [build.not_(self._touched(pointer, block)) for pointer in self.old_roots]
        for holder in self.holders:
            for offset in self._offsets(holder) if holder not in self.world.made else ():
                was, before = self._slot(self.then, holder, offset)
                conditions.append(build.not_(build.and_(was, self._touched(before, block))))
        bits = self.world.pointer_bits
        for other in self._any_blocks():
            another = build.ne(self.world.base(other), self.world.base(block), bits)
            for offset in self._offsets(other):
                was, before = self._slot(self.then, other, offset)
                pointed = build.conjunction([another, was, self._touched(before, block)])
                still = build.and_(self.now.live(other), self._reached_by(other, target))
                conditions.append(build.implies(pointed, still))
        return build.conjunction(conditions)

    def _touched(self, pointer: V, block: int) -> V:
        """The pointer had an address in the block, or one past it: so it does wherever `_into` says so."""
        if isinstance(pointer, int):
            return 0
        bits = self.world.pointer_bits
        away = build.sub(build.plain(pointer), self.world.base(block), bits)
        return build.ule(away, self.world.objects[block].size, bits)

    def _any_blocks(self) -> Iterator[int]:
        past = self.world.past
        assert past is not None
        for summary in past.live:
            if self.world.objects[summary].heap:
                start = self.world.unknown(BitVec(self.world.pointer_bits), "any block")
                yield block_at(self.world, start, summary)
        yield from (block for block in self.old if self.world.objects[block].block_of < 0)

    def made_lost(self) -> Iterator[V]:
        """(5) What was made is not reached from anything."""
        if not self.reachable:
            yield from (self.now.live(block) for block in self.made)
            return
        first = {block: self._directly(block) for block in self.made}
        for block in self.made:
            for other in self.old:
                first[block] = build.or_(first[block], self._points(other, block))
        reached = self._closure(self.made, first)
        for block in self.made:
            yield build.and_(self.now.live(block), build.not_(reached[block]))

    def _lost(self, pointer: V, condition: V, reached: Callable[[int], V]) -> Iterator[V]:
        """The block that the pointer, on some condition, pointed into at the start is live, but not reached."""
        if condition == 0:
            return
        for guard, index, offset in self.now.shared.resolver.targets(pointer):
            if index == RAW or not self.world.objects[index].heap or index in self.world.made:
                continue
            inside = build.ule(offset, self.world.objects[index].size, self.world.pointer_bits)
            alive = build.and_(self.then.live(index), self.now.live(index))
            here = build.conjunction([condition, guard, inside, alive])
            if here != 0:
                yield build.and_(here, build.not_(reached(index)) if self.reachable else 1)

    # ------------------------------------------------------------ what is reached

    def reached(self, block: int) -> V:
        """From the roots at the end, by pointers of blocks that the region knows."""
        if self._from_roots is None:
            known = [*self.made, *self.old]
            self._from_roots = self._closure(known, {b: self._directly(b) for b in known})
        found = self._directly(block)
        for other in (*self.made, *self.old):
            if other != block:
                found = build.or_(found, build.and_(self._from_roots[other], self._points(other, block)))
        return found

    def _reached_by(self, source: int, target: int) -> V:
        """From the block, which is live at the end, by its pointers and those of blocks that were made."""
        beyond = self._closure(self.made, {b: self._points(source, b) for b in self.made})
        found = self._points(source, target)
        for other in self.made:
            found = build.or_(found, build.and_(beyond[other], self._points(other, target)))
        return found

    def _closure(self, blocks: Sequence[int], first: dict[int, V]) -> dict[int, V]:
        """What is reached from these blocks, of which `first` says where they are reached at once: as far as pointers
        are followed, so that less may be said to be reached than is, never more."""
        reached = first
        for step in range(min(FURTHER, len(blocks) - 1)):
            following = dict(reached)
            for block in blocks if step < STEPS else [b for b in blocks if reached[b] == 0]:
                for other in blocks:
                    if other != block and reached[other] != 0:
                        via = build.and_(reached[other], self._points(other, block))
                        following[block] = build.or_(following[block], via)
            if following == reached:
                break
            reached = following
        return reached

    def _directly(self, block: int) -> V:
        """A root points into the block."""
        found: list[V] = [self._into(pointer, block) for pointer in self.roots]
        for holder in self.holders:
            for offset in self._offsets(holder):
                if isinstance(offset, int):
                    still, now = self._slot(self.now, holder, offset)
                    found.append(build.and_(still, self._into(now, block)))
        return build.disjunction(found)

    def _points(self, source: int, target: int) -> V:
        """The source is live at the end and has a pointer into the target."""
        found: list[V] = []
        for offset in self._offsets(source):
            still, now = self._slot(self.now, source, offset)
            found.append(build.and_(still, self._into(now, target)))
        return build.disjunction(found)

    def _into(self, pointer: V, block: int) -> V:
        """The pointer points into the block, or one past it, and the block is live."""
        live = self.now.live(block)
        if isinstance(pointer, int) or live == 0:
            return 0
        world, bits, resolver = self.world, self.world.pointer_bits, self.now.shared.resolver
        thing = world.objects[block]
        if thing.block_of in mentioned_objects(pointer) and resolver.shown_by_address(pointer):
            away = build.sub(build.plain(pointer), world.base(block), bits)
            return build.and_(live, build.ule(away, thing.size, bits))
        found: list[V] = []
        for guard, index, offset in resolver.targets(pointer):
            inside = build.and_(guard, build.ule(offset, thing.size, bits))
            if index == block:
                found.append(inside)
            elif index != RAW and thing.block_of >= 0 and world.objects[index].block_of == thing.block_of:
                same = build.eq(world.base(index), world.base(block), bits)
                found.append(build.and_(inside, same))
        return build.and_(live, build.disjunction(found))

    # ------------------------------------------------------------ slots

    def _offsets(self, index: int) -> list[V]:
        """The offsets at which the object has pointers; an arbitrary one stands for all that vary."""
        slots = self._slots.get(index)
        if slots is None:
            slots = self._slots[index] = self._slots_of(index)
        found: list[V] = list(slots.offsets)
        if slots.anywhere:
            width = self.world.pointer_bits // 8
            low, bits = width.bit_length() - 1, self.world.pointer_bits
            number = build.variable(f"any slot {index}", BitVec(bits - low))
            found.append(build.concat(number, bits - low, 0, low))
        return found

    def _slots_of(self, index: int) -> Slots:
        past, world = self.world.past, self.world
        assert past is not None and past.points is not None
        slots = followed_slots(past.points)
        whole = world.objects[index].block_of if world.objects[index].block_of >= 0 else index
        if whole in world.made:
            numbers = [past.points.of_allocation(world.made[whole][0]).number]
        else:
            numbers = [number for number, place in past.places.items() if place == whole]
        known = [slots[number] for number in numbers if number in slots]
        return Slots(tuple(sorted({o for k in known for o in k.offsets})), any(k.anywhere for k in known))

    def _slot(self, memory: Memory, index: int, offset: V) -> tuple[V, V]:
        """(whether the object is live in that memory and has the slot, the pointer in it)."""
        if index not in memory.contents and self.world.objects[index].block_of < 0:
            return 0, 0
        there = memory.inside(index, offset, self.world.pointer_bits // 8)
        if there == 0:
            return 0, 0
        return there, memory.read_at(index, offset, self.world.pointer_bits // 8, True)

    def _same(self, before: V, now: V) -> V:
        if isinstance(before, int) or isinstance(now, int) or before.sort == now.sort:
            return build.eq(before, now, self.world.pointer_bits)
        return 0
