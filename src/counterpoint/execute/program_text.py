"""A Program as Python source: what the texts of all functions share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.execute.points import Point, Probe, Watch
from counterpoint.program import model as p
from counterpoint.program.types import FloatType, PointerType, Type


@dataclass(slots=True)
class ProgramText:
    """What the texts of all functions share: names, addresses, and the points that events refer to.

    With `probes`, by function and block (or EXIT), the code calls them, and `born(number, address)` after each
    allocation that `allocations` numbers by the id of its instruction; `watches` are by function, block, position.
    """

    program: p.Program
    addresses: Mapping[str, int]
    recording: bool
    probes: Mapping[tuple[str, int], Probe] = field(default_factory=dict)
    allocations: Mapping[int, int] = field(default_factory=dict)
    watches: Mapping[tuple[str, int, int], Sequence[Watch]] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)
    statics: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[int, int]] = field(default_factory=dict)
    ranges: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.functions = {name: f"f{index}" for index, name in enumerate(self.program.functions)}
        self.statics = {name: f"g{index}" for index, name in enumerate(self.program.globals)}

    def point(self, point: Point) -> int:
        self.points.append(point)
        return len(self.points) - 1

    def value(self, value: p.Value) -> str:
        match value:
            case p.Register(index, _, _):
                return f"r{index}"
            case p.Constant(bits, _):
                return str(bits)
            case p.Address(symbol, offset, type_):
                address = self.address(value) & ((1 << type_.bits) - 1)
                inside = 0 <= offset <= self.program.globals[symbol].size
                return str(address if inside else self.addresses[symbol] << type_.bits | address)

    def address(self, value: p.Address) -> int:
        """Without wrapping around."""
        if value.symbol not in self.addresses:
            raise InternalError(f"the program has no object called {value.symbol}")
        return self.addresses[value.symbol] + value.offset

    def range_cache(self) -> tuple[str, str]:
        """Two global names, of 1 and 0 at the start of a run: no address lies between them."""
        names = (f"l{len(self.ranges)}", f"h{len(self.ranges)}")
        self.ranges.append(names)
        return names


def type_key(type_: Type) -> str:
    """The ending of the names of the load and store functions for a type: `i32`, `ptr`, `f8_24`."""
    if isinstance(type_, FloatType):
        return f"f{type_.exponent}_{type_.significand}"
    return "ptr" if isinstance(type_, PointerType) else f"i{type_.bits}"


def pointer_registers(function: p.Function) -> frozenset[int]:
    """The registers of pointer type."""
    found = [*function.parameters]
    for block in function.blocks:
        found += block.parameters
        for i in block.instructions:
            found += i.results if isinstance(i, p.Call) else [r for r in [getattr(i, "result", None)] if r is not None]
    return frozenset(register.index for register in found if isinstance(register.type, PointerType))
