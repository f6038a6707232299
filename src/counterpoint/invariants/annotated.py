"""Conditions of annotations as formulas over the components of a place.

Numbers have no bounds in specifications: a value is a bit-vector that is wide enough, with its sign, and arithmetic
makes it wider; under a cast, and where two values of one type meet, it is the machine's. Names mean variables of the
source (`Annotations.variables`); what they lead to is read as pointees are (regions/pointees.py). What is said of all
elements of an array becomes a fact about one ghost: the array's index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.frontend.annotations import expressions as e
from counterpoint.program import model as m
from counterpoint.program.annotations import Annotations
from counterpoint.program.names import original, plain
from counterpoint.program.source_types import (
    ArrayOf,
    CodeType,
    EnumType,
    NumberType,
    PointerTo,
    SourceType,
    StructType,
)
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.regions.pointees import Reader
from counterpoint.semantics.components import Cell, Component, Elements, Old, RegisterValue, ResultValue, variable_of
from counterpoint.semantics.facts import ghost
from counterpoint.static.access_paths import Path, access_paths
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

WIDEST: Final = 160
"""Bits of what is computed."""

_ORDERS: Final = {"<": (False, False), ">": (True, False), ">=": (False, True), "<=": (True, True)}
"""Whether the sides change places, and whether the result is turned, where `<` is asked for."""

_ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul"}
_BITWISE: Final = {"&": "bvand", "|": "bvor", "^": "bvxor"}
_DIVISIONS: Final = {"/": ("sdiv", "udiv"), "%": ("srem", "urem")}

_SIZES: Final = {"char": 8, "short": 16, "int": 32, "long long": 64, "_Bool": 8}
_FIXED: Final = {f"{sign}int{bits}_t": (bits, not sign) for sign in ("", "u") for bits in (8, 16, 32, 64)}


class NotSaid(Exception):
    """The place has no words for it, or it is no candidate."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number: `term` has `width` bits. `type`: of the source, where it is known; `steps`: how a pointer was come by,
    a register and the offsets of loads."""

    term: V
    width: int
    signed: bool
    type: SourceType | None = None
    steps: tuple[m.Register | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """What lies at `offset` of a pointer, or of the global `thing`: an object of a type. `index` (with its bits, as
    wide as a pointer): of an element further on."""

    type: SourceType
    offset: int
    pointer: Value | None = None
    thing: int = -1
    index: V = 0


Lvalue: TypeAlias = Value | Memory


@dataclass(slots=True)
class Reading:
    """Reads conditions at one place; `old`: as of the function's entry."""

    graph: CutGraph
    place: Place
    annotations: Annotations
    old: bool = False
    bound: Mapping[str, V] = field(default_factory=dict)
    reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        components = self.graph.components(self.place)
        before: dict[Component, Component] = {c.of: c for c in components if isinstance(c, Old) and self.old}
        bits = self.bits
        self.reader = Reader(
            self.graph, self.graph.cuts[self.place], components,
            lambda c: variable_of(before.get(c, c), bits),
        )  # fmt: skip

    @property
    def bits(self) -> int:
        return self.graph.program.layout.pointer_bits

    def before(self) -> Reading:
        """The same as of the function's entry."""
        return self if self.old else Reading(self.graph, self.place, self.annotations, True, self.bound)

    # ------------------------------------------------------------ conditions

    def condition(self, found: e.Expression) -> V:
        """Raises NotSaid."""
        match found:
            case e.Name("\\true"):
                return 1
            case e.Name("\\false"):
                return 0
            case e.Unary("!", arg):
                return build.not_(self.condition(arg))
            case e.Binary("&&", one, two):
                return build.and_(self.condition(one), self.condition(two))
            case e.Binary("||", one, two):
                return build.or_(self.condition(one), self.condition(two))
            case e.Binary("==>", one, two):
                return build.implies(self.condition(one), self.condition(two))
            case e.Binary("<==>", one, two):
                return build.iff(self.condition(one), self.condition(two))
            case e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" as sign, one, two):
                return self._compared(sign, self.value(one), self.value(two))
            case e.Every(name, body, True) if not self.bound:
                return self._of_elements(name, body)
        value = self.value(found)
        return build.not_(build.eq(value.term, 0, value.width))

    def _compared(self, sign: str, one: Value, two: Value) -> V:
        one, two = _fitted(one, two)
        width, signed = one.width, one.signed
        if sign in ("==", "!="):
            same = build.eq(one.term, two.term, width)
            return same if sign == "==" else build.not_(same)
        swapped, turned = _ORDERS[sign]
        left, right = (two.term, one.term) if swapped else (one.term, two.term)
        less = build.slt(left, right, width) if signed else build.ult(left, right, width)
        return build.not_(less) if turned else less

    def _of_elements(self, name: str, body: e.Expression) -> V:
        """What holds for each index: the first array that it is an index of gives the ghost."""
        array = _indexed(body, name)
        if array is None:
            raise NotSaid
        start = self._array(array)
        this = ghost(0, self.bits)
        index: V = this
        if isinstance(start, Memory) and start.pointer is not None:
            size = self._size(start.type)
            index = build.sub(this, build.lshr(start.pointer.term, size.bit_length() - 1, self.bits), self.bits)
        inside = replace(self, bound={name: index})
        return inside.condition(body)

    # ------------------------------------------------------------ numbers

    def value(self, found: e.Expression) -> Value:
        """Raises NotSaid."""
        match found:
            case e.Number(number):
                return Value(number, number.bit_length() + 1, True)
            case e.Name("\\null"):
                return Value(0, self.bits, False)
            case e.Unary("-" | "~" | "+" as sign, arg):
                return self._negated(sign, self.value(arg))
            case e.Cast(type_, arg):
                return self._cast(type_, arg)
            case e.Binary("+" | "-" | "*" as sign, one, two):
                return self._computed(sign, self.value(one), self.value(two))
            case e.Binary("&" | "|" | "^" as sign, one, two):
                left, right = _fitted(self.value(one), self.value(two))
                term = _made(_BITWISE[sign], left.term, right.term, left.width)
                return Value(term, left.width, left.signed)
            case e.Binary("/" | "%" as sign, one, two):
                return self._divided(sign, self.value(one), self.value(two))
            case e.Choice(condition, one, two):
                left, right = _fitted(self.value(one), self.value(two))
                term = build.ite(self.condition(condition), left.term, right.term, BitVec(left.width))
                return Value(term, left.width, left.signed)
            case e.Apply("\\old", (arg,)) | e.Apply("\\at", (arg, e.Name("Pre" | "Old"))):
                return self.before().value(arg)
            case e.Unary("*" | "&", _) | e.Name() | e.Field() | e.Element():
                return self.read(self.lvalue(found))
        raise NotSaid

    def _negated(self, sign: str, value: Value) -> Value:
        if sign == "+":
            return value
        wide = _wider(value, value.width + 1)
        term = build.neg(wide.term, wide.width) if sign == "-" else build.bvnot(wide.term, wide.width)
        return Value(term, wide.width, True)

    def _computed(self, sign: str, one: Value, two: Value) -> Value:
        extra = max(one.width, two.width) + 2 if sign != "*" else one.width + two.width + 2
        if extra > WIDEST:
            raise NotSaid
        left, right = _wider(one, extra), _wider(two, extra)
        return Value(_made(_ARITHMETIC[sign], left.term, right.term, extra), extra, True)

    def _divided(self, sign: str, one: Value, two: Value) -> Value:
        if not isinstance(two.term, int) or two.term == 0:
            raise NotSaid
        left, right = _fitted(one, two)
        signed, unsigned = _DIVISIONS[sign]
        operation = signed if left.signed else unsigned
        return Value(_made(operation, left.term, right.term, left.width), left.width, left.signed)

    def _cast(self, type_: str, arg: e.Expression) -> Value:
        width, signed = self._kind(type_)
        return Value(self._modular(arg, width), width, signed)

    def _kind(self, type_: str) -> tuple[int, bool]:
        """Width and sign of a type of numbers."""
        if type_.endswith("*"):
            return self.bits, False
        words = [word for word in type_.split() if word not in ("const", "volatile", "signed", "unsigned")]
        name = " ".join(word for word in words if word != "int" or len(words) == 1) or "int"
        if name in _FIXED:
            return _FIXED[name]
        if name in ("size_t", "uintptr_t"):
            return self.bits, False
        width = self.bits if name in ("long", "ssize_t", "intptr_t") else _SIZES.get(name)
        if width is None:
            raise NotSaid
        return width, "unsigned" not in type_.split() and name != "_Bool"

    def _modular(self, found: e.Expression, width: int) -> V:
        """The lowest bits of the number, computed in so many where that is the same."""
        match found:
            case e.Binary("+" | "-" | "*" as sign, one, two):
                return _made(_ARITHMETIC[sign], self._modular(one, width), self._modular(two, width), width)
            case e.Unary("-", arg):
                return build.neg(self._modular(arg, width), width)
        value = self.value(found)
        if value.width > width:
            return build.extract(width - 1, 0, value.term, value.width)
        return _wider(value, width).term if value.width < width else value.term

    # ------------------------------------------------------------ variables and memory

    def lvalue(self, found: e.Expression) -> Lvalue:
        """Raises NotSaid."""
        match found:
            case e.Name(name):
                return self._named(name)
            case e.Apply("\\old", (arg,)):
                return self.before().lvalue(arg)
            case e.Unary("*", arg):
                return self._behind(self.value(arg), 0)
            case e.Unary("&", arg):
                return self._address(self.lvalue(arg))
            case e.Field(of, name, True):
                return self._member(self._behind(self.value(of), 0), name)
            case e.Field(of, name, False):
                return self._member(self.lvalue(of), name)
            case e.Element(start, index):
                number = self._modular(index, self.bits)
                array = self._array(start)
                return replace(array, index=number)
        raise NotSaid

    def _array(self, start: e.Expression) -> Memory:
        """The first element of what is indexed."""
        found = self.lvalue(start) if not isinstance(start, e.Apply) else self.before().lvalue(start.args[0])
        if isinstance(found, Memory) and isinstance(found.type, ArrayOf):
            return replace(found, type=self._type(found.type.element))
        pointer = found if isinstance(found, Value) else self.read(found)
        return self._behind(pointer, 0)

    def _named(self, name: str) -> Lvalue:
        if name in self.bound:
            return Value(self.bound[name], self.bits, False)
        if name == "\\result":
            return self._result()
        function = original(self.place[0])
        type_ = self.annotations.variables.get((function, name))
        if type_ is not None:
            return self._register(name, self._type(type_))
        type_ = self.annotations.variables.get(("", name))
        things = [t.number for t in self.graph.points.objects if t.item is not None and original(t.name) == name]
        if type_ is None or len(things) != 1:
            raise NotSaid
        return Memory(self._type(type_), 0, thing=things[0])

    def _register(self, name: str, type_: SourceType) -> Value:
        """The variable's register at the place: what the loop changes goes before parameters of the function."""
        head = self.graph.cuts[self.place]
        body = head.function
        inside = body.blocks[head.block].parameters if head.block > 0 else ()
        named = [r for r in (() if self.old else inside) if plain(r.name) == name]
        named = named or [r for r in body.parameters if plain(r.name) == name]
        named = named or ([] if self.old else [r for r in head.registers if plain(r.name) == name])
        known = {c.register for c in self.graph.components(self.place) if isinstance(c, RegisterValue)}
        named = [register for register in named if register in known]
        if len(named) != 1:
            raise NotSaid
        term = variable_of(RegisterValue(body.name, named[0]), self.bits)
        return _typed(term, type_, (named[0],))

    def _result(self) -> Value:
        results = [c for c in self.graph.components(self.place) if isinstance(c, ResultValue)]
        known = self.annotations.names.functions.get(self.place[0])
        code = self.annotations.names.type(known.type) if known is not None else None
        if len(results) != 1 or not isinstance(code, CodeType):
            raise NotSaid
        return _typed(variable_of(results[0], self.bits), self._type(code.result))

    def _type(self, index: int | None) -> SourceType:
        return self.annotations.names.type(index)

    def _size(self, type_: SourceType) -> int:
        """In bytes, a power of two. Raises NotSaid."""
        size = 0 if isinstance(type_, CodeType) else type_.size
        if size <= 0 or size & (size - 1):
            raise NotSaid
        return size

    def _behind(self, pointer: Value, offset: int) -> Memory:
        if not isinstance(pointer.type, PointerTo) or pointer.type.target is None:
            raise NotSaid
        return Memory(self._type(pointer.type.target), offset, pointer)

    def _member(self, of: Lvalue, name: str) -> Memory:
        if not isinstance(of, Memory) or not isinstance(of.type, StructType) or of.index != 0:
            raise NotSaid
        for one in of.type.members:
            if one.name == name and one.offset % 8 == 0 and one.bits % 8 == 0:
                return replace(of, type=self._type(one.type), offset=of.offset + one.offset // 8)
        raise NotSaid

    def _address(self, of: Lvalue) -> Value:
        if not isinstance(of, Memory) or of.index != 0:
            raise NotSaid
        base = of.pointer.term if of.pointer is not None else self.reader.base(of.thing)
        if base is None:
            raise NotSaid
        return Value(build.add(base, of.offset, self.bits), self.bits, False)

    def read(self, found: Lvalue) -> Value:
        """What lies there. Raises NotSaid."""
        if isinstance(found, Value):
            return found
        size = self._size(found.type)
        if found.pointer is not None:
            return self._loaded(found, found.pointer, size)
        term = self._of_global(found, size)
        return _typed(term, found.type)

    def _of_global(self, found: Memory, size: int) -> V:
        for component in self.reader.components:
            match component:
                case Cell(number, _, offset, bytes_) if (number, bytes_) == (found.thing, size):
                    if isinstance(found.index, int) and offset == found.offset + size * found.index:
                        return self.reader.variable(component)
                case Elements(number, _, granule) if (number, granule) == (found.thing, size) and not found.offset:
                    return build.select(self.reader.variable(component), found.index)
        raise NotSaid

    def _loaded(self, found: Memory, pointer: Value, size: int) -> Value:
        steps = (*pointer.steps, found.offset)
        shift = size.bit_length() - 1
        distance = build.shl(found.index, shift, self.bits) if found.index != 0 else 0
        address = build.add(build.add(pointer.term, found.offset, self.bits), distance, self.bits)
        if found.index != 0 and found.offset == 0:
            value = self._element(pointer, found.index, size)
        else:
            value = self.reader.at(address, self._targets(steps), size)
        if value is None:
            raise NotSaid
        return _typed(value, found.type, steps)

    def _element(self, pointer: Value, index: V, size: int) -> V | None:
        """`p[i]` of an array whose elements are as wide as memory's: read at an element, not at an address."""
        start = build.lshr(pointer.term, size.bit_length() - 1, self.bits)
        targets = self._targets((*pointer.steps, 0))
        for number in self.reader.summaries(targets):
            granule, array = self.reader.memory.get(number, (0, None))
            if granule == size and array is not None:
                return build.select(array, build.add(start, index, self.bits))
        return None

    def _targets(self, steps: tuple[m.Register | int, ...]) -> int:
        """The objects that the last step may lead into."""
        function = self.graph.cuts[self.place].function
        match steps:
            case (m.Register() as register, int()):
                return self.graph.points.registers.get((function.name, register.index), 0)
        for path in access_paths(self.graph.points, function.name):
            if isinstance(path, Path) and path.root == steps[0] and len(path.steps) >= len(steps) - 1:
                some = path.steps[: len(steps) - 1]
                if tuple(step.offset for step in some[:-1]) == steps[1:-1]:
                    return some[-1].targets
        raise NotSaid


def _made(constructor: str, one: V, two: V, width: int) -> V:
    made: V = getattr(build, constructor)(one, two, width)
    return made


def _typed(term: V, type_: SourceType, steps: tuple[m.Register | int, ...] = ()) -> Value:
    """Raises NotSaid for what is no number and no pointer."""
    sort = term.sort if isinstance(term, Term) else None
    if not isinstance(sort, BitVec):
        raise NotSaid
    match type_:
        case NumberType(encoding="float"):
            raise NotSaid
        case NumberType(encoding=encoding):
            return Value(term, sort.width, encoding == "signed", type_)
        case EnumType(signed=signed):
            return Value(term, sort.width, signed, type_)
        case PointerTo():
            return Value(term, sort.width, False, type_, steps)
    raise NotSaid


def _wider(value: Value, width: int) -> Value:
    """The same number in more bits, read as signed ones."""
    if width <= value.width:
        return value
    extend = build.sext if value.signed else build.zext
    return Value(extend(value.term, value.width, width), width, True)


def _fitted(one: Value, two: Value) -> tuple[Value, Value]:
    """Both in as many bits, of one sign: as they are where a constant fits into the other's type. Raises NotSaid."""
    if (one.width, one.signed) == (two.width, two.signed):
        return one, two
    for left, right, turned in ((one, two, False), (two, one, True)):
        if isinstance(right.term, int) and not isinstance(left.term, int):
            number = right.term - (1 << right.width) if right.signed and right.term >> (right.width - 1) else right.term
            low, high = (-(1 << (left.width - 1)), 1 << (left.width - 1)) if left.signed else (0, 1 << left.width)
            if low <= number < high:
                same = Value(number % (1 << left.width), left.width, left.signed)
                return (same, left) if turned else (left, same)
    if one.width == two.width or max(one.width, two.width) + 1 > WIDEST:
        width = max(one.width, two.width) + 1
    else:
        wide, narrow = (one, two) if one.width > two.width else (two, one)
        if (not narrow.signed and not wide.signed) or (wide.signed and wide.width > narrow.width):
            extend = build.sext if narrow.signed else build.zext
            same = Value(extend(narrow.term, narrow.width, wide.width), wide.width, wide.signed)
            return (one, same) if wide is one else (same, two)
        width = wide.width + 1
    if width > WIDEST:
        raise NotSaid
    return _wider(one, width), _wider(two, width)


def _indexed(found: e.Expression, name: str) -> e.Expression | None:
    """The array that stands in the expression with the variable as its index, and not inside \\old where one is."""
    match found:
        case e.Element(start, e.Name(index)) if index == name:
            return start
        case e.Binary(_, one, two):
            return _indexed(one, name) or _indexed(two, name)
        case e.Unary(_, arg) | e.Cast(_, arg):
            return _indexed(arg, name)
        case e.Choice(condition, one, two):
            return _indexed(condition, name) or _indexed(one, name) or _indexed(two, name)
        case e.Apply("\\old", (arg,)):
            return _indexed(arg, name)
    return None
