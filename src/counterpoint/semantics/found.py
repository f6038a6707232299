"""Pointers found in external memory: null or the base of a shared external object (given.py).

What memory there holds is arbitrary, and whether a word of it is a pointer shows when it is used as one. A run is none
that loads, as a pointer, from there or from where a copy brought it, another aligned word that was there at the start;
execute/outside.py and runtime_external.c end it in the same way. Words that only numbers are read from have any value.

An encoding may assume less than runs do, never more. It knows words by their terms (World.words); in an array, by
comparing with what was there at first; in the middle of a run, where points-to says that external memory is never
written. Nothing is assumed of a load whose pointer becomes a number (given.is_pointer_only).
"""

from __future__ import annotations

from collections.abc import Container

from counterpoint.program.external import SHARED
from counterpoint.semantics import contents as store_
from counterpoint.semantics.contents import EMPTY, Cells, Initial
from counterpoint.semantics.given import sees_order, shared_or_null
from counterpoint.semantics.layout import EXTERNAL_SIZE, external_base, external_end
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import World
from counterpoint.semantics.stored import known_alignment
from counterpoint.static.points_to import EXTERNAL
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import choices, substitute

# ---------------------------------------------------------------- what is loaded as a pointer


def brought(world: World, value: V) -> V:
    """What a copy from external memory writes elsewhere: its words are known there by other names, for what is computed
    from a word and written there has its own. No register holds such a name (Memory.load)."""
    if not any(one in world.words for one in choices((value,)) if isinstance(one, Term)):
        return value
    return substitute(value, {word: _name_of_copy(world, word) for word in choices((value,)) if word in world.words})


def _name_of_copy(world: World, word: V) -> Term:
    if word not in world.copies:
        assert isinstance(word, Term)
        name = build.variable(f"brought!{len(world.copies)}", BitVec(world.pointer_bits))
        world.axiom(build.eq(name, word, world.pointer_bits))
        world.copies[word], world.brought[name] = name, word
    return world.copies[word]


def pointer_found(memory: Memory, address: V | None, value: V) -> tuple[V, V]:
    """(what the load of a pointer gives, where the run is none): `value` is in external memory, at the address, or in
    an object of the program."""
    world = memory.shared.world
    if isinstance(value, int):
        return value, 0
    aligned = _aligned(address, world.pointer_bits)
    put_together = any(_is_put_together(world, one) for one in choices((value,)))
    there = _as_at_first(world, address, value) if put_together and address is not None else 0
    words = world.brought.keys() if address is None else world.words | world.brought.keys()
    if there == 0 and not any(one in words for one in choices((value,)) if isinstance(one, Term)):
        return value, 0
    if world.past is not None or (world.shared and sees_order(world.program)):
        _, where = _with_pointer(words, value, value, there, aligned)
        return value, build.and_(where, build.not_(is_shared(world, value)))
    if value not in world.found:
        world.found[value] = shared_or_null(world, f"found!{len(world.found)}")
    pointer = world.found[value]
    given, where = _with_pointer(words, value, pointer, there, aligned)
    return given, build.and_(where, build.not_(build.eq(value, pointer, world.pointer_bits)))


def _is_put_together(world: World, choice: V) -> bool:
    """Whether the term does not tell if it is a word: of an array's elements, or of bytes some of which are written."""
    if not isinstance(choice, Term) or choice in world.words:
        return False
    if choice.op is Op.CONCAT or world.past is not None:
        return True
    return world.external is not None and world.external.whole is not None


def _with_pointer(words: Container[V], value: Term, pointer: V, there: V, aligned: V) -> tuple[V, V]:
    """The value with `pointer` for what the environment's memory held, and where that is the case: where it is one of
    `words`, and, for what no term tells, `there`; both where it is `aligned`. Linear in the value's choices."""
    done: dict[V, tuple[V, V]] = {}
    stack: list[V] = [value]
    while stack:
        top = stack[-1]
        if top in done:
            stack.pop()
        elif isinstance(top, Term) and top.op is Op.ITE:
            waiting = [branch for branch in top.args[1:] if branch not in done]
            if waiting:
                stack += waiting
                continue
            condition, (yes, one), (no, other) = top.args[0], done[top.args[1]], done[top.args[2]]
            done[top] = build.ite(condition, yes, no, value.sort), build.ite(condition, one, other, BOOL)
        elif isinstance(top, int):
            done[top] = top, 0
        else:
            where = build.and_(aligned, 1 if top in words else there)
            done[top] = build.ite(where, pointer, top, value.sort), where
    return done[value]


def _as_at_first(world: World, address: V, value: V) -> V:
    """Where a value, of which no term tells it, is a word of external memory as the run found it."""
    bits, past, initial = world.pointer_bits, world.past, world.outside
    if past is not None and past.points is not None and not past.points.written >> EXTERNAL & 1:
        return 1
    if not isinstance(initial, Initial):
        return 0
    offset, extent = build.sub(address, external_base(bits), bits), external_end(bits) - external_base(bits)
    before = store_.read(Cells(EMPTY, initial), offset, bits // 8, extent, "external memory", world, True)
    return build.eq(before, value, bits)


def _aligned(address: V | None, bits: int) -> V:
    if address is None or known_alignment(address) >= bits // 8:
        return 1
    return build.eq(build.bvand(address, bits // 8 - 1, bits), 0, bits)


def is_shared(world: World, value: V) -> V:
    """Whether the address is null or the base of a shared object."""
    bits = world.pointer_bits
    low, wide = EXTERNAL_SIZE.bit_length() - 1, SHARED.bit_length() - 1
    high = build.extract(bits - 1, low + wide, value, bits)
    above = build.eq(high, external_base(bits) >> (low + wide), bits - low - wide)
    base = build.and_(above, build.eq(build.extract(low - 1, 0, value, bits), 0, low))
    return build.or_(build.eq(value, 0, bits), base)
