"""Which objects a pointer points into: its owners, read off the structure of its term.

A pointer is an address and the object that owns it, the one from which it was derived; wherever its address lies,
accesses through it are valid in that object alone. The owner is part of the term:

- ADDRESS(i) belongs to object i; an ITE to what its branches belong to; a sum of a pointer and an offset that
  mentions no object to what the pointer belongs to. Nothing else is needed in most programs.
- OWNED(address, pointer) belongs to what `pointer` belongs to: base + offset where the offset mentions objects.
- OWNED(address), payload n, is an integer made into a pointer. It belongs to the object, of those that the address
  mentions and of the first n that were exposed (World.exposed), into which or one past which it points; if
  there is none, to none. Dead objects count: accesses through it are invalid then.
- Any other term (an array's element, a variable) is as an integer made into a pointer, of what it mentions.

Every value that depends on an object's address contains that object's ADDRESS term, so the ADDRESS terms in a
term bound its targets.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.records import dataclass
from counterpoint.semantics.layout import NULL_PAGE, external_base, external_end
from counterpoint.semantics.objects import RAW, Target, World
from counterpoint.semantics.summary import earlier_targets, was_live
from counterpoint.static.points_to import PointsTo, members
from counterpoint.static.shown import shows_touching
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import choices, substitute

BY_ADDRESS = 0
NOTHING = 1
"""Owners that are no base of an object (Resolver.owner): both lie on the null page."""

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
        _mentioned[term] = _mentioned_in(term)
    return _mentioned[value]


def _mentioned_in(term: Term) -> frozenset[int]:
    """`mentioned_objects` of a term of whose arguments it is known."""
    if term.op is Op.ADDRESS:
        assert isinstance(term.payload, int)
        return frozenset((term.payload,))
    if term.op is Op.VARIABLE:
        assert isinstance(term.payload, str)
        return hidden_objects(term.payload)
    union = _NOTHING
    for arg in term.args:
        if isinstance(arg, Term):
            more = _mentioned[arg]
            if more and more is not union:
                union = more if not union else union | more
    return union


def may_touch(world: World) -> bool:
    """Whether bases may be one where another object ends: then a pointer of unknown owner belongs to what it points
    into, rather than to what it is one past."""
    return world.past is None and shows_touching(world.program)


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


def objects_of(points: PointsTo, targets: int, world: World) -> list[int]:
    """All objects of the encoding for a set of abstract ones: from before its start, and made in it."""
    past = world.past
    assert past is not None
    known = {past.places[number] for number in members(targets) if number in past.places}
    known.update(i for i, (made, _) in world.made.items() if targets >> points.of_allocation(made).number & 1)
    return sorted(known)


def expose_existing(world: World) -> None:
    """Exposes all objects that exist by now, as far as numbers that are made into pointers may hit them.

    Not only those whose address the encoding has seen made into a number: LLVM moves such casts, and those of constants
    stand where the number is used. In an encoding with a past points-to says it, of the whole program, where
    `__cp_exposed` keeps the casts that LLVM drops.
    """
    past, first, count = world.past, world.looked_at, len(world.objects)
    if first == count:
        return
    world.looked_at = count
    if past is None:
        world.expose(index for index in range(first, count) if not world.objects[index].code)
    else:
        assert past.points is not None
        world.expose(objects_of(past.points, past.points.exposed, world))


def _is_number(term: Term) -> bool:
    """Whether a choice among pointers is a number made into one, or put together from parts: not of elements of arrays,
    which are parts of pointers as a rule."""
    if term.op is Op.OWNED:
        return len(term.args) == 1
    return term.op is Op.CONCAT and any(isinstance(arg, Term) and arg.op not in _ELEMENTS for arg in term.args)


def _is_of_elements(term: Term) -> bool:
    """Whether all its parts are elements of arrays, byte by byte."""
    waiting: list[V] = [term]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Term) and part.op is Op.CONCAT:
            waiting += part.args
        elif not isinstance(part, Term) or part.op not in _ELEMENTS:
            return False
    return True


_ELEMENTS = (Op.SELECT, Op.VARIABLE)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves addresses to targets. The answers are remembered in the world."""

    world: World

    # ------------------------------------------------------------ making pointers and integers

    def moved(self, base: V, offset: V) -> V:
        """Offset: base + offset, which belongs to what `base` belongs to."""
        bits = self.world.pointer_bits
        offset = build.plain(offset)
        if not mentioned_objects(offset):
            return build.add(base, offset, bits)
        return build.owned(build.add(build.plain(base), offset, bits), base, 0, bits)

    def from_int(self, address: V) -> V:
        """pointer_from_int: belongs to the object that it points into, or one past, as far as that is exposed.

        Where the structure shows an address inside of what it was computed from, that is it.
        """
        address = build.plain(address)
        if not mentioned_objects(address) or self.surely_inside(address):
            return address
        expose_existing(self.world)
        return build.owned(address, None, len(self.world.exposed), self.world.pointer_bits)

    def stays(self, number: V) -> V:
        """Whether a number that becomes a pointer is in, or one past, an object that it was computed from, or where
        no object lies. What it hits else hangs on where objects lie, of which an encoding with a past knows too much:
        new ones lie above others."""
        world, bits = self.world, self.world.pointer_bits
        address = build.plain(number)
        if world.past is None or isinstance(address, int) or self.surely_inside(address):
            return 1
        low, high = external_base(bits), external_end(bits)
        outside = build.ult(build.sub(address, low, bits), high - low, bits)
        stays = [build.ult(address, NULL_PAGE, bits), outside]
        for guard, index, offset in self.targets(address):
            if index != RAW:
                stays.append(build.and_(guard, self._existed_there(index, offset)))
            elif not mentioned_objects(offset):
                stays.append(guard)
        return build.disjunction(stays)

    def _existed_there(self, index: int, offset: V) -> V:
        thing = self.world.objects[index]
        inside = build.ule(offset, thing.size, self.world.pointer_bits)
        there = was_live(self.world, thing.block_of, thing.start) if thing.block_of >= 0 else 1
        return build.and_(there, inside)

    def loaded(self, value: V) -> V:
        """A pointer out of memory: what was put together there from parts is a number made into one, and so is a number
        of the program's, by what is exposed now; that they stay is left in `World.staying`."""
        if isinstance(value, int) or not mentioned_objects(value):
            return value
        numbers = [one for one in choices((value,)) if isinstance(one, Term) and _is_number(one)]
        for one in numbers:
            if not _is_of_elements(one):
                taken = build.eq(value, one, self.world.pointer_bits)
                self.world.staying.append(build.implies(taken, self.stays(one)))
        return substitute(value, {one: self.from_int(one) for one in numbers}) if numbers else value

    def put_together(self, value: V) -> V:
        """A pointer of parts that are all there, in their order: those of a pointer, or of a number that was computed
        from one; which, the term does not say where it may have left its object."""
        if isinstance(value, int) or value.op not in (Op.ADD, Op.SUB) or not mentioned_objects(value):
            return value
        if self.surely_inside(value):
            return value
        world = self.world
        return build.ite(world.unknown(BOOL, "number"), self.from_int(value), value, BitVec(world.pointer_bits))

    def to_int(self, pointer: V) -> V:
        """int_from_pointer: the address. Its object is exposed."""
        if isinstance(pointer, Term) and mentioned_objects(pointer):
            self.world.expose(index for _, index, _ in self.targets(pointer))
        return build.plain(pointer)

    # ------------------------------------------------------------ asking

    def surely_inside(self, pointer: V) -> bool:
        """Whether the structure shows that the pointer points into, or one past, what it belongs to; or that its
        address was computed from no object's."""
        bits, objects = self.world.pointer_bits, self.world.objects
        return all(
            not mentioned_objects(offset) if index == RAW else build.ule(offset, objects[index].size, bits) == 1
            for _, index, offset in self.targets(pointer)
        )

    def shown_by_address(self, pointer: V) -> bool:
        """Whether the structure shows that the pointer belongs to what it points into, of what it mentions."""
        return all(self._shown(choice) for choice in choices((pointer,)))

    def _shown(self, pointer: V) -> bool:
        if isinstance(pointer, int):
            return True
        if pointer.op is Op.OWNED and len(pointer.args) == 1:
            assert isinstance(pointer.payload, int)
            return mentioned_objects(pointer).issuperset(self.world.exposed[: pointer.payload])
        return pointer.op not in (Op.OWNED, Op.ADD, Op.SUB) or self.surely_inside(pointer)

    def owner(self, pointer: V) -> V:
        """A number that says what the pointer belongs to: the base of its object, NOTHING for none, BY_ADDRESS where
        the address shows it."""
        if self.shown_by_address(pointer):
            return BY_ADDRESS
        bits = self.world.pointer_bits
        owner: V = BY_ADDRESS
        for guard, index, offset in self.targets(pointer):
            if index != RAW:
                mine: V = self.world.base(index)
            else:
                mine = NOTHING if mentioned_objects(offset) else BY_ADDRESS
            owner = build.ite(guard, mine, owner, BitVec(bits))
        return owner

    def with_owner(self, address: V, owner: V) -> V:
        """The pointer with this address and `owner`."""
        bits = self.world.pointer_bits
        if owner == BY_ADDRESS or not mentioned_objects(address):
            return address
        unknown = build.eq(owner, BY_ADDRESS, bits)
        return build.ite(unknown, address, build.owned(address, owner, 0, bits), BitVec(bits))

    def targets(self, address: V) -> tuple[Target, ...]:
        """The targets; guards exclude each other and cover all cases."""
        if isinstance(address, int):
            return ((1, RAW, address),)
        known = self.world.targets
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
            case Op.OWNED:
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
        if term.op is Op.OWNED:
            return self._of_owned(term)
        parts = self._parts(term)
        if not parts:
            return self._by_address(term, mentioned_objects(term))
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

    def _of_owned(self, term: Term) -> tuple[Target, ...]:
        address = term.args[0]
        if len(term.args) == 1:
            assert isinstance(term.payload, int) and isinstance(address, Term)
            return self._by_address(address, mentioned_objects(address).union(self.world.exposed[: term.payload]))
        bits = self.world.pointer_bits
        return tuple(
            (guard, index, address if index == RAW else build.sub(address, self.world.base(index), bits))
            for guard, index, _ in self.targets(term.args[1])
        )

    def _by_address(self, term: Term, among: frozenset[int]) -> tuple[Target, ...]:
        """The owner is found by comparing."""
        world, bits = self.world, self.world.pointer_bits
        if world.past is not None:
            return earlier_targets(world, term, sorted(among))
        options: list[Target] = []
        nowhere: V = 1
        offsets = {index: build.sub(term, world.base(index), bits) for index in sorted(among)}
        within = {index: build.ult(offset, world.objects[index].size, bits) for index, offset in offsets.items()}
        in_some = build.disjunction(list(within.values())) if may_touch(world) else 0
        for index, offset in offsets.items():
            inside = build.ule(offset, world.objects[index].size, bits)
            if in_some != 0:
                inside = build.ite(in_some, within[index], inside, BOOL)
            guard = build.and_(nowhere, inside)
            if guard != 0:
                options.append((guard, index, offset))
            nowhere = build.and_(nowhere, build.not_(inside))
        options.append((nowhere, RAW, term))
        return tuple(options)
