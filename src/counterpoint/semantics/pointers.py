"""Which objects an address points into, read off the structure of its term.

Every value that depends on an object's address contains that object's ADDRESS term, so the ADDRESS
terms in a term bound its targets; sums and ITEs over them give the exact guards and offsets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from counterpoint.semantics.objects import RAW, World
from counterpoint.semantics.summary import earlier_targets
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V

Target: TypeAlias = tuple[V, int, V]
"""(guard, object index or RAW, offset in bytes; for RAW the address itself). One per object at most."""

_NOTHING: frozenset[int] = frozenset()
_mentioned: dict[Term, frozenset[int]] = {}


def mentioned_objects(value: V) -> frozenset[int]:
    """Indices of all objects whose address occurs in the term. Linear in its new nodes; memoised."""
    if isinstance(value, int):
        return _NOTHING
    found = _mentioned.get(value)
    if found is not None:
        return found
    stack = [value]
    while stack:
        term = stack[-1]
        if term in _mentioned:
            stack.pop()
            continue
        waiting = [arg for arg in term.args if isinstance(arg, Term) and arg not in _mentioned]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            _mentioned[term] = frozenset((term.payload,))
        elif term.op is Op.VARIABLE:
            assert isinstance(term.payload, str)
            _mentioned[term] = hidden_objects(term.payload)
        else:
            union = _NOTHING
            for arg in term.args:
                if isinstance(arg, Term):
                    more = _mentioned[arg]
                    if more and more is not union:
                        union = more if not union else union | more
            _mentioned[term] = union
    return _mentioned[value]


HIDES = "~>"


def hiding(name: str, objects: Iterable[int]) -> str:
    """The name of a variable whose value may be computed from the addresses of these objects.

    Such variables stand for what earlier instructions computed; the name travels with the variable.
    """
    listed = ".".join(map(str, sorted(objects)))
    return f"{name}{HIDES}{listed}" if listed else name


def hidden_objects(name: str) -> frozenset[int]:
    """The objects that a variable of this name hides."""
    _, mark, listed = name.rpartition(HIDES)
    if not mark or not all(part.isascii() and part.isdigit() for part in listed.split(".")):
        return _NOTHING
    return frozenset(map(int, listed.split(".")))


@dataclass(slots=True)
class Resolver:
    """Resolves addresses to targets, remembering the answers; one per World."""

    world: World
    known: dict[Term, tuple[Target, ...]] = field(default_factory=dict)

    def belongs(self, address: V, base: V, offset: V) -> None:
        """Says that `address` = base + offset belongs to the object of `base`.

        Needed only where the sum does not show it: when the offset itself depends on addresses.
        """
        if isinstance(address, Term) and address not in self.known and mentioned_objects(offset):
            self.known[address] = self._shifted(self.targets(base), offset)

    def targets(self, address: V) -> tuple[Target, ...]:
        """The targets; guards exclude each other and cover all cases."""
        if isinstance(address, int):
            return ((1, RAW, address),)
        known = self.known
        if address in known:
            return known[address]
        stack = [address]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            waiting = [arg for arg in self._parts(term) if isinstance(arg, Term) and arg not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            known[term] = self._resolve(term)
        return known[address]

    def _parts(self, term: Term) -> tuple[V, ...]:
        """The arguments that carry the object: those whose targets are needed."""
        if not mentioned_objects(term):
            return ()
        match term.op:
            case Op.ITE:
                return term.args[1:]
            case Op.ADD | Op.SUB:
                left, right = term.args
                if not mentioned_objects(right):
                    return (left,)
                if not mentioned_objects(left) and term.op is Op.ADD:
                    return (right,)
        return ()

    def _resolve(self, term: Term) -> tuple[Target, ...]:
        if not mentioned_objects(term):
            return ((1, RAW, term),)
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            return ((1, term.payload, 0),)
        if term.op is Op.ITE:
            condition, yes, no = term.args
            return self._either(condition, self.targets(yes), self.targets(no))
        parts = self._parts(term)
        if not parts:
            return self._by_address(term)
        (base,) = parts
        left, right = term.args
        other = right if base is left else left
        if term.op is Op.SUB:
            other = build.neg(other, self.world.pointer_bits)
        return self._shifted(self.targets(base), other)

    def _shifted(self, targets: tuple[Target, ...], offset: V) -> tuple[Target, ...]:
        bits = self.world.pointer_bits
        return tuple((guard, index, build.add(start, offset, bits)) for guard, index, start in targets)

    def _either(self, condition: V, yes: tuple[Target, ...], no: tuple[Target, ...]) -> tuple[Target, ...]:
        """One target per object: offsets that differ become an ite."""
        others = {index: (guard, offset) for guard, index, offset in no}
        merged: list[Target] = []
        for guard, index, offset in yes:
            other = others.pop(index, None)
            if other is None:
                merged.append((build.and_(condition, guard), index, offset))
            else:
                either = build.ite(condition, guard, other[0], BOOL)
                place = build.ite(condition, offset, other[1], BitVec(self.world.pointer_bits))
                merged.append((either, index, place))
        opposite = build.not_(condition)
        merged.extend((build.and_(opposite, guard), index, offset) for index, (guard, offset) in others.items())
        return tuple(target for target in merged if target[0] != 0)

    def _by_address(self, term: Term) -> tuple[Target, ...]:
        """A value computed from addresses in some other way: its owner is found by comparing.

        Complete because every object that it can point into is mentioned in it.
        """
        world, bits = self.world, self.world.pointer_bits
        if world.past is not None:
            return earlier_targets(world, term, sorted(mentioned_objects(term)))
        options: list[Target] = []
        nowhere: V = 1
        for index in sorted(mentioned_objects(term)):
            offset = build.sub(term, world.base(index), bits)
            inside = build.ule(offset, world.objects[index].size, bits)
            guard = build.and_(nowhere, inside)
            if guard != 0:
                options.append((guard, index, offset))
            nowhere = build.and_(nowhere, build.not_(inside))
        options.append((nowhere, RAW, term))
        return tuple(options)
