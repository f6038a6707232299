"""Program, functions, blocks, edges and instructions.

A function is in SSA form; instead of phi instructions a block has parameters and an edge passes
arguments to them, all at once. Aggregates do not exist: the lowering splits them into scalars, so a
call may have several results. Everything here is immutable after construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import LOST as LOST
from counterpoint.core.source import NOWHERE, CheckSite, Site, SourceLocation
from counterpoint.program.annotations import NONE as NO_ANNOTATIONS
from counterpoint.program.annotations import Annotations
from counterpoint.program.source_types import SourceNames
from counterpoint.program.types import Layout, Type

# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Register:
    """An SSA value of one function; `index` is unique there and dense from 0."""

    index: int
    type: Type
    name: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"%{self.name or self.index}"


@dataclass(frozen=True, slots=True)
class Constant:
    """Bits of a known value: unsigned, below 2**type.bits; floats as their IEEE bits."""

    bits: int
    type: Type

    def __str__(self) -> str:
        return f"{self.type} {self.bits}"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a global or function plus a constant offset in bytes (any sign)."""

    symbol: str
    offset: int
    type: Type

    def __str__(self) -> str:
        return f"@{self.symbol}{self.offset:+d}" if self.offset else f"@{self.symbol}"


Value: TypeAlias = Register | Constant | Address

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Parts of an object: (offset, size) in bytes, in rising order, not overlapping."""

# ---------------------------------------------------------------- instructions


@dataclass(frozen=True, slots=True)
class Compute:
    """`result := operation(operands)`: no effect, defined for all operands.

    `operation` names an entry of semantics/instructions (the only place that says what it computes).
    The widths are those of the operands' and the result's types.
    """

    result: Register
    operation: str
    operands: tuple[Value, ...]
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Offset:
    """`result := base + offset` (offset as wide as a pointer, bytes).

    `result` belongs to base's object, wherever it lies.
    """

    result: Register
    base: Value
    offset: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Load:
    """`result := memory[address]`, size_in_bytes(result.type) bytes.

    An invalid access (not inside one live object) gives an arbitrary value.
    """

    result: Register
    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Store:
    """`memory[address] := value`; an invalid access changes nothing."""

    address: Value
    value: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Allocate:
    """A fresh live object of `size` bytes, contents arbitrary (or zero).

    `heap` objects die by Free; others (locals, variable-length arrays) when their function returns or by
    EndLife. `size` is as wide as a pointer. `site` is the index of the site that names its contents. `constant`:
    what only its initialiser writes.
    """

    result: Register
    size: Value
    alignment: int
    heap: bool
    zeroed: bool
    site: int
    name: str = ""
    at: SourceLocation = field(default=NOWHERE, compare=False)
    constant: Ranges = ()


@dataclass(frozen=True, slots=True)
class BeginLife:
    """The local that `address` starts is live (again); contents keep their values unless havocked."""

    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class EndLife:
    """The local that `address` starts is dead: accesses are invalid until BeginLife. Null: no effect."""

    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Free:
    """The live heap block that starts at `address` dies; any other address: no effect."""

    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Copy:
    """memmove: `size` bytes from `source` to `target` (size as wide as a pointer).

    Nothing is written if the target is not inside one live object (that may be written), arbitrary bytes if the source
    is not. An `initial` one may write constant parts.
    """

    target: Value
    source: Value
    size: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)
    initial: bool = False


@dataclass(frozen=True, slots=True)
class Fill:
    """memset: `size` bytes at `target` become `byte` (8 bits); an invalid range changes nothing."""

    target: Value
    byte: Value
    size: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Havoc:
    """`size` bytes at `target` become arbitrary; an invalid range changes nothing."""

    target: Value
    size: Value
    site: int
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Nondet:
    """`result` is arbitrary; of pointer type: null or a fresh external object (docs/soundness.md)."""

    result: Register
    site: int
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Assume:
    """Runs on which `condition` (1 bit) is false do not exist."""

    condition: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Hint:
    """No effect: the user suggests that `condition` (1 bit) holds whenever this is reached.

    Engines may try it as an invariant here; nothing may rely on it.
    """

    condition: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Check:
    """A violation of the property where `holds` (1 bit) is false; afterwards it holds.

    `check` is the index into Program.checks.
    """

    holds: Value
    check: int
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The run meets a construct without a meaning here (Program.sites[site]); nothing follows."""

    site: int
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ValidAccess:
    """`result` (1 bit) := address[0..size) lies inside the live object that `address` belongs to.

    With `write`, also: that object may be written.
    """

    result: Register
    address: Value
    size: Value
    write: bool = False
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ValidFree:
    """`result` (1 bit) := address is null or the start of a live heap block."""

    result: Register
    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Apart:
    """`result` (1 bit) := target[0..size) and source[0..size), both valid, share no byte or are the same."""

    result: Register
    target: Value
    source: Value
    size: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NoLeak:
    """`result` (1 bit) := no heap block is live; with `reachable_ok`, only ones that are still reachable
    from live globals and locals by pointers stored in memory."""

    result: Register
    reachable_ok: bool
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ObjectSize:
    """`result` := bytes from address to the end of its live object; 0 if there is none."""

    result: Register
    address: Value
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """Calls a function of the program by name; scalars of an aggregate result are separate results."""

    results: tuple[Register, ...]
    callee: str
    arguments: tuple[Value, ...]
    at: SourceLocation = field(default=NOWHERE, compare=False)


Instruction: TypeAlias = (
    Compute
    | Offset
    | Load
    | Store
    | Allocate
    | BeginLife
    | EndLife
    | Free
    | Copy
    | Fill
    | Havoc
    | Nondet
    | Assume
    | Hint
    | Check
    | Unsupported
    | ValidAccess
    | ValidFree
    | Apart
    | NoLeak
    | ObjectSize
    | Call
)

# ---------------------------------------------------------------- control flow


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an edge: `value` is one of `cases` (or none of them, if `negated`).

    `value` None: always. A two-way branch is cases (1,) and cases (0,) of a 1-bit value; a switch is one
    edge per target plus a negated one with all cases. The guards of a block's edges exclude each other
    and cover everything.
    """

    value: Value | None = None
    cases: tuple[int, ...] = ()
    negated: bool = False


ALWAYS = Guard()


@dataclass(frozen=True, slots=True)
class Edge:
    """Goes to block `target` (index in the function) when `guard` holds, passing `arguments`."""

    guard: Guard
    target: int
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """The block goes on along the one edge whose guard holds."""

    edges: tuple[Edge, ...]
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Return:
    """The function ends with these values (as many as its results)."""

    values: tuple[Value, ...] = ()
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Stop:
    """The whole run ends normally (exit, abort, unreachable code)."""

    at: SourceLocation = field(default=NOWHERE, compare=False)


Terminator: TypeAlias = Branch | Return | Stop


@dataclass(frozen=True, slots=True)
class Block:
    """Straight-line instructions; `parameters` get their values from the edge taken."""

    index: int
    name: str
    parameters: tuple[Register, ...]
    instructions: tuple[Instruction, ...]
    terminator: Terminator

    @property
    def edges(self) -> tuple[Edge, ...]:
        return self.terminator.edges if isinstance(self.terminator, Branch) else ()


@dataclass(frozen=True, slots=True)
class Function:
    """`blocks[0]` is the entry and has no parameters and no predecessors; registers are dense below `registers`."""

    name: str
    parameters: tuple[Register, ...]
    results: tuple[Type, ...]
    blocks: tuple[Block, ...]
    registers: int
    at: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Global:
    """A static object of `size` bytes.

    `pieces` are (offset in bytes, value), not overlapping, in rising order; all other bytes are zero.
    Values are Constant or Address. `constant` objects reject stores (an invalid access), and so do the
    `constant_parts` of others. Functions whose address is taken are Globals of size 0 with `code` set.
    """

    name: str
    size: int
    alignment: int
    pieces: tuple[tuple[int, Value], ...] = ()
    constant: bool = False
    code: bool = False
    at: SourceLocation = field(default=NOWHERE, compare=False)
    constant_parts: Ranges = ()


@dataclass(frozen=True, slots=True)
class Program:
    """All functions that are reachable from `entry` (no parameters, no results), and the static objects.

    `sites` and `checks` are indexed by Nondet.site, Check.check and so on. `assumptions` are sentences
    about what was assumed (undefined functions and the like) for the result. `sources`: the files that were compiled,
    with their MD5 (program/source_lines.py). `names`: what the objects are in the source, if that was asked for.
    `focus`: the checks that count, where the others were made assumptions (program/focus.py); None: all.
    `contracts`: functions whose calls are to go by contract though they have neither loops nor recursion.
    `annotations`: what comments in the source say; no part of its meaning.
    """

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    layout: Layout
    entry: str
    sites: tuple[Site, ...] = ()
    checks: tuple[CheckSite, ...] = ()
    assumptions: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    names: SourceNames = field(default_factory=SourceNames)
    focus: frozenset[int] | None = None
    contracts: tuple[str, ...] = ()
    annotations: Annotations = NO_ANNOTATIONS

    @property
    def main(self) -> Function:
        return self.functions[self.entry]
