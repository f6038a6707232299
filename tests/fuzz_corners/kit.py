"""What shapes are made of: C's integer types, values hidden from constant folding, the registry of shapes."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

UNREACH = "unreach-call"
MEMORY = "memory-safety"
OVERFLOW = "no-overflow"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CType:
    """An integer type: its name in C, its bits, the suffix of its `__VERIFIER_nondet_` (or none), its rank."""

    name: str
    bits: int
    signed: bool
    nondet: str = ""
    rank: int = 0

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def most(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    def holds(self, value: int) -> bool:
        return self.least <= value <= self.most

    def wrap(self, value: int) -> int:
        """The value after conversion to this type."""
        if self.name == "_Bool":
            return int(value != 0)
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value


BOOL = CType("_Bool", 1, False, "bool", 0)
CHAR = CType("char", 8, True, "char", 1)
SCHAR = CType("signed char", 8, True, "", 1)
UCHAR = CType("unsigned char", 8, False, "uchar", 1)
SHORT = CType("short", 16, True, "short", 2)
USHORT = CType("unsigned short", 16, False, "ushort", 2)
INT = CType("int", 32, True, "int", 3)
UINT = CType("unsigned", 32, False, "uint", 3)
LLONG = CType("long long", 64, True, "longlong", 5)
ULLONG = CType("unsigned long long", 64, False, "ulonglong", 5)
INT128 = CType("__int128", 128, True, "", 6)
UINT128 = CType("unsigned __int128", 128, False, "", 6)


@dataclass(frozen=True, slots=True)
class Model:
    """A data model by its name."""

    name: str

    @property
    def word(self) -> int:
        return 64 if self.name == "LP64" else 32

    @property
    def long(self) -> CType:
        return CType("long", self.word, True, "long", 4)

    @property
    def ulong(self) -> CType:
        return CType("unsigned long", self.word, False, "ulong", 4)

    @property
    def integers(self) -> tuple[CType, ...]:
        wide = (INT128, UINT128) if self.word == 64 else ()
        return (BOOL, CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, self.long, self.ulong, LLONG, ULLONG, *wide)


def literal(value: int, type: CType) -> str:
    """The value as an expression of the type, a constant for clang."""
    if type.bits == 128:
        high, low = value >> 64 & (1 << 64) - 1, value & (1 << 64) - 1
        return f"(({type.name})(((unsigned __int128){high:#x}ull << 64) | {low:#x}ull))"
    if type is INT and abs(value) < 1 << 31:
        return str(value) if value >= 0 else f"({value})"
    if type is UINT:
        return f"{value}u"
    if type is LLONG and abs(value) < 1 << 63:
        return f"{value}LL" if value >= 0 else f"({value}LL)"
    suffix = "ull" if type.bits > 32 else "u"
    return f"(({type.name}){value & (1 << max(type.bits, 8)) - 1:#x}{suffix})"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a program. `$` in the text is replaced by a number of the part's own, so that names don't meet.

    `body` are statements (one per line) in a `void` function; `outside` comes before it. With `main` the part is the
    whole program and can't be joined with others.
    """

    body: str = ""
    outside: str = ""
    headers: tuple[str, ...] = ()
    main: str = ""


@dataclass(slots=True)
class Draw:
    """The choices of one part. `fault`: one fault is to be planted. `inputs`: what nondet calls give, in their order.

    A maker sets `unsure` where sanitizers may miss this fault, although they see the shape's others.
    """

    random: random.Random
    fault: bool
    model: Model
    inputs: list[int] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    names: int = 0
    unsure: bool = False

    def below(self, n: int) -> int:
        return self.random.randrange(n)

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def coin(self, of: int = 2) -> bool:
        return self.random.randrange(of) == 0

    def choose(self, values: Sequence[T]) -> T:
        return self.random.choice(values)

    def some(self, values: Sequence[T], count: int) -> list[T]:
        return self.random.sample(values, count)

    def name(self, prefix: str = "h") -> str:
        self.names += 1
        return f"{prefix}$_{self.names}"

    def value(self, type: CType) -> int:
        """A value of the type, more often one at an edge."""
        edges = (0, 1, 2, -1, type.least, type.most, type.most - 1, type.least + 1, type.most >> 1, (type.most >> 1) + 1)
        pick = self.below(4)
        if pick == 0:
            return type.wrap(self.choose(edges))
        if pick == 1:
            return type.wrap(self.between(-9, 300))
        return type.wrap(self.random.getrandbits(type.bits))

    def asked(self, type: CType, value: int) -> str:
        """A call that gives any value of the type; in the run of the fault this one."""
        self.inputs.append(value & (1 << 64) - 1)
        return f"__VERIFIER_nondet_{type.nondet}()"

    def hide(self, value: int, type: CType = INT, inputs: bool = True) -> str:
        """An expression of the type that has the value whenever the part goes on."""
        name, text = self.name(), literal(value, type)
        match self.below(10 if inputs and type.nondet else 8):
            case 0:
                return text
            case 1:
                self.first.append(f"{type.name} {name} = {text};")
            case 2:
                self.outside.append(f"static {type.name} {name} = {text};")
            case 3:
                self.first.append(f"volatile {type.name} {name} = {text};")
            case 4:
                self.outside.append(f"static {type.name} {name}({type.name} x) {{ return x; }}")
                return f"{name}({text})"
            case 5:
                self.outside.append(f"struct {name}s {{ char c; {type.name} v; }};")
                self.first.append(f"struct {name}s {name} = {{ 1, {text} }};")
                return f"{name}.v"
            case 6:
                size, at = self.between(2, 4), self.below(2)
                self.first.append(f"{type.name} {name}[{size}];")
                self.first.append(f"{name}[{at}] = {text};")
                return f"{name}[{at}]"
            case 7:
                self.first.append(f"{type.name} {name}v = {text}, *{name} = &{name}v;")
                return f"(*{name})"
            case _:
                self.first.append(f"{type.name} {name} = {self.asked(type, value)};")
                self.first.append(f"if ({name} != {text}) return;")
        return name

    def part(self, *body: str, outside: Sequence[str] = (), headers: Sequence[str] = ()) -> Part:
        """A part of the statements, after what `hide` declared."""
        return Part("\n".join([*self.first, *body]), "\n".join([*self.outside, *outside]), tuple(headers))

    def whole(self, text: str, headers: Sequence[str] = ()) -> Part:
        """A part that is a program with a `main` of its own."""
        return Part(main=text, outside="\n".join(self.outside), headers=tuple(headers))


Maker = Callable[[Draw], Part]


@dataclass(frozen=True, slots=True)
class Shape:
    """A maker of parts, and how its fault shows.

    `violates` is the check that fails ("valid-deref" for memory-safety, else the property). `seen`: what the sanitized
    run with the part's inputs must end with: "error" (reach_error), "address" (AddressSanitizer or a signal), "leak",
    "undefined" (UBSan), joined by "|" where compilers may choose, "" where none can be relied upon. `compilers` that know
    the language used. `alone`: not to be joined with other parts. `weight`: how often, against others of its property.
    """

    name: str
    property: str
    violates: str
    make: Maker
    seen: str
    compilers: tuple[str, ...] = ("gcc", "clang")
    models: tuple[str, ...] = ("ILP32", "LP64")
    alone: bool = False
    weight: int = 2
    clean: bool = True


_registered: dict[str, Shape] = {}


def shape(
    property: str, seen: str, violates: str = "", compilers: tuple[str, ...] = ("gcc", "clang"),
    models: tuple[str, ...] = ("ILP32", "LP64"), alone: bool = False, weight: int = 2, clean: bool = True,
) -> Callable[[Maker], Maker]:  # fmt: skip
    """Registers a maker under its file's and its own name. `clean`: sanitizers have no complaint about the safe one."""

    def register(make: Maker) -> Maker:
        name = f"{make.__module__.rpartition('.')[2]}.{make.__name__}"
        kind = violates or ("valid-deref" if property == MEMORY else property)
        assert name not in _registered, name
        _registered[name] = Shape(name, property, kind, make, seen, compilers, models, alone, weight, clean)
        return make

    return register


@cache
def shapes() -> dict[str, Shape]:
    """All shapes of `corners/*.py`, by name."""
    from fuzz_corners import corners

    for found in pkgutil.iter_modules(corners.__path__):
        importlib.import_module(f"{corners.__name__}.{found.name}")
    return dict(sorted(_registered.items()))


def numbered(part: Part, number: int) -> Part:
    """The part with its own names."""
    own = {field_: getattr(part, field_).replace("$", str(number)) for field_ in ("body", "outside", "main")}
    return replace(part, **own)
