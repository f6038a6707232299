"""What one symbolic encoding of a program shares: memory objects, arbitrary values, axioms.

A `World` lives as long as one encoding (one unrolling, one verification condition). Everything in it only
grows, in a deterministic order, and is valid on every path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.program.model import Allocate, Program, Ranges
from counterpoint.program.types import FloatType, Type
from counterpoint.semantics.copied import Copied
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Float, ScalarSort, Sort
from counterpoint.term.term import Term, V

if TYPE_CHECKING:
    from counterpoint.static.pointer_slots import Distances
    from counterpoint.static.points_to import PointsTo

RAW = -1
"""Stands for "no object": null, integers made into pointers, external memory."""

Target: TypeAlias = tuple[V, int, V]
"""(guard, object index or RAW, offset in bytes; for RAW the address itself) of a pointer. One per object at most."""


class BeyondModel(CounterpointError):
    """An operation on memory whose effect has no encoding (its size has no bound, ...).

    The path that meets it is UNSUPPORTED; never approximated.
    """


def sort_of(type_: Type) -> ScalarSort:
    """The sort of a register's term: Bool for i1, Float for floats, else a bit-vector."""
    if isinstance(type_, FloatType):
        return Float(type_.exponent, type_.significand)
    return BOOL if type_.bits == 1 else BitVec(type_.bits)


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A global, local, heap block or external block. `size` in bytes, as wide as a pointer.

    `origin` names the allocation (global's name or allocation site): the same for all objects made there.
    `constant`: it must not be written at all; `constant_parts`: only there, None where it is not known.
    At cut points (semantics/summary.py) a `summary` stands for any number of objects, and the object that
    some pointer into summary `block_of` points into has its own entry, with the base address `start`.
    """

    index: int
    origin: str
    size: V
    alignment: int
    heap: bool = False
    constant: bool = False
    constant_parts: Ranges | None = ()
    code: bool = False
    is_global: bool = False
    summary: bool = False
    block_of: int = -2
    start: V = 0


def origin_of(allocation: Allocate) -> str:
    """The origin of the objects that the instruction makes; copies of it by inlining share one."""
    return f"{allocation.name or 'block'}@{allocation.at}"


@dataclass(frozen=True, slots=True)
class ScalarRecord:
    """A Nondet that ran when `path` held and gave `value`."""

    site: int
    path: V
    value: V
    bits: int


@dataclass(slots=True)
class ArbitraryBytes:
    """The variables that stand for bytes of an object that nothing has been written to, as far as they were read.

    `given`: sizes and values by offset; `whole`: an array of elements of `granule` bytes, if one was needed.
    """

    given: dict[int, tuple[int, V]] = field(default_factory=dict)
    whole: Term | None = None
    granule: int = 0


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """An Allocate or Havoc that ran when `path` held; its `size` bytes were arbitrary."""

    site: int
    path: V
    size: V
    initial: ArbitraryBytes


@dataclass(slots=True)
class Past:
    """What is arbitrary in an encoding that starts in the middle of a run: see semantics/summary.py.

    `counter`: where the next object may lie at the earliest, at the start. `live` and `sizes`, by summary: arrays from
    base address to 1 for a live object (at the start, and behind each call by contract, with the counter then), and to
    its size. `calls`: those that may have made objects, in their order: how many the encoding had made before, on which
    path, and the counter behind it. `floors`: the counter when an object was made, as far as calls say. `blocks` are
    the entries made so far, by pointer. `places`: the object of this encoding for each object of the points-to
    analysis that existed at the start (for several, their summary); `earlier` are those that are no summaries.
    `start` is the Memory there and `roots` are pointers in registers, for questions about lost memory: None in
    functions that go by contract. `changed` are the blocks (of `blocks`) that the encoding writes to or frees. `near`:
    for pointers in registers, at which distances from the start of which objects (of the analysis) they are.
    """

    counter: V
    live: dict[int, list[tuple[Term, V]]] = field(default_factory=dict)
    sizes: dict[int, Term] = field(default_factory=dict)
    blocks: dict[tuple[Term, int], int] = field(default_factory=dict)
    earlier: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    calls: list[tuple[int, V, Term]] = field(default_factory=list)
    floors: dict[int, V] = field(default_factory=dict)
    points: PointsTo | None = None
    start: object | None = None
    roots: tuple[V, ...] = ()
    changed: dict[int, None] = field(default_factory=dict)
    near: dict[V, Mapping[int, Distances]] = field(default_factory=dict)


@dataclass(slots=True)
class World:
    """The shared part of one encoding of `program`.

    `axioms` hold on every run; `records` are the arbitrary values in the order in which any one path
    meets them; `granules` (origin -> bytes per element) is remembered between encodings; `made` says which
    instruction made an object, and on which path. `past` is None where the encoding starts with the run.
    `copied` are the arrays that are defined where they are read (semantics/copied.py), with how many of them are
    behind one another; `copied_inside` remembers which of them an array is made from; `targets`, what addresses point
    into (pointers.Resolver).

    `externals` and `shared` count the external objects given out, one pointer to each or several (program/external.py);
    `words` are the pointer-sized words of external memory as the run found it, `found` the pointers that loads of such
    words give, `brought` says which word a name of `copies` stands for (found.py); `outside` is the Initial of
    external memory, if known, `outside_reads` are the offsets there that were read, with sizes.

    `orders` (of pointers, "", and by the comparison of numbers) and `distances` are those of different objects, and
    `touching` says of two addresses that the objects touch there;
    `anywhere` are the numbers that addresses count as where something hangs on where objects lie (low_bits.py).

    `staying`: that numbers which the last load found as pointers are near what they were computed from.

    `ends_invalid`: runs end at the check before an access that is invalid.

    `exposed` are the objects, in the order in which the encoding came upon that, whose address was cast to an
    integer, or of which a stored pointer's bytes were read at another type. On some path to a cast an object
    of these may not be exposed, where C gives the pointer that hits it no owner at all. But such a path does not know
    the object's base, but by comparing pointers: in another run the same address is in no object. `looked_at`: so many
    of the objects are exposed that may be (pointers.expose_existing).
    """

    program: Program
    granules: dict[str, int] = field(default_factory=dict)
    objects: list[MemoryObject] = field(default_factory=list)
    axioms: list[V] = field(default_factory=list)
    records: list[ScalarRecord | MemoryRecord] = field(default_factory=list)
    globals: dict[str, int] = field(default_factory=dict)
    made: dict[int, tuple[Allocate, V]] = field(default_factory=dict)
    copied: dict[Term, tuple[Copied, int]] = field(default_factory=dict)
    copied_inside: dict[Term, tuple[Term, ...]] = field(default_factory=dict)
    exposed: list[int] = field(default_factory=list)
    looked_at: int = 0
    targets: dict[Term, tuple[Target, ...]] = field(default_factory=dict)
    past: Past | None = None
    external: ArbitraryBytes | None = None
    externals: int = 0
    shared: int = 0
    words: set[Term] = field(default_factory=set)
    brought: dict[Term, Term] = field(default_factory=dict)
    copies: dict[V, Term] = field(default_factory=dict)
    found: dict[Term, V] = field(default_factory=dict)
    outside: object | None = None
    outside_reads: dict[V, int] = field(default_factory=dict)
    orders: dict[tuple[str, V, V], V] = field(default_factory=dict)
    distances: dict[tuple[V, V], V] = field(default_factory=dict)
    touching: dict[tuple[V, V], V] = field(default_factory=dict)
    staying: list[V] = field(default_factory=list)
    anywhere: dict[V, V] = field(default_factory=dict)
    fresh: int = 0
    pointer_bits: int = 0
    memory_safety: bool = False
    ends_invalid: bool = False
    big_endian: bool = False

    def __post_init__(self) -> None:
        self.pointer_bits = self.program.layout.pointer_bits
        self.big_endian = self.program.layout.big_endian
        self.ends_invalid = any(check.kind == "valid-deref" for check in self.program.checks)
        self.memory_safety = any(check.kind.startswith("valid-") for check in self.program.checks)

    @property
    def base_alignment(self) -> int:
        """What divides every object's base: nothing is assumed, unless objects of the past are summarised by
        arrays over addresses, whose elements an aligned base lets accesses find."""
        return 1 if self.past is None else OBJECT_ALIGNMENT

    def add_object(self, make: Callable[[int], MemoryObject]) -> MemoryObject:
        """Makes the next object; `make` is given its index."""
        made = make(len(self.objects))
        self.objects.append(made)
        return made

    def base(self, index: int) -> Term:
        """The base address of an object as a term."""
        thing = self.objects[index]
        if thing.block_of >= 0:
            assert isinstance(thing.start, Term)
            return thing.start
        return build.address(index, self.pointer_bits)

    def unknown(self, sort: Sort, name: str = "") -> Term:
        """A fresh variable."""
        self.fresh += 1
        return build.variable(f"{name or 'v'}!{self.fresh}", sort)

    def expose(self, indices: Iterable[int]) -> None:
        """Integers may be made into pointers to these objects from now on; of a summary's blocks, to all."""
        for index in indices:
            whole = self.objects[index].block_of if index != RAW and self.objects[index].block_of >= 0 else index
            if whole != RAW and whole not in self.exposed:
                self.exposed.append(whole)

    def axiom(self, formula: V) -> None:
        if formula != 1:
            self.axioms.append(formula)
