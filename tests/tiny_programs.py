"""Small Programs by hand, for tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterpoint.core.source import CheckSite, Site, SourceLocation
from counterpoint.program import model as p
from counterpoint.program.types import TRUTH, IntType, Layout, PointerType, Type

I8, I16, I32, I64 = IntType(8), IntType(16), IntType(32), IntType(64)
AT = SourceLocation("tiny.c", 1)


def const(value: int, type_: Type = I32) -> p.Constant:
    return p.Constant(value & ((1 << type_.bits) - 1), type_)


@dataclass
class FunctionBuilder:
    """Blocks are opened with `block`, filled by the methods below, and closed by a terminator."""

    name: str
    parameter_types: tuple[Type, ...] = ()
    results: tuple[Type, ...] = ()
    registers: int = 0
    _line: int = 0
    _blocks: dict[int, p.Block] = field(default_factory=dict)
    _open: tuple[int, tuple[p.Register, ...], list[p.Instruction]] | None = None

    def __post_init__(self) -> None:
        self.parameters = tuple(self.register(type_) for type_ in self.parameter_types)

    def register(self, type_: Type, name: str = "") -> p.Register:
        self.registers += 1
        return p.Register(self.registers - 1, type_, name)

    def block(self, index: int, *parameters: p.Register) -> None:
        self._open = (index, parameters, [])

    def at(self) -> SourceLocation:
        self._line += 1
        return SourceLocation("tiny.c", self._line, function=self.name)

    def add(self, instruction: p.Instruction) -> None:
        assert self._open is not None
        self._open[2].append(instruction)

    def compute(self, operation: str, type_: Type, *operands: p.Value, name: str = "") -> p.Register:
        result = self.register(type_, name)
        self.add(p.Compute(result, operation, operands, self.at()))
        return result

    def load(self, address: p.Value, type_: Type = I32) -> p.Register:
        result = self.register(type_)
        self.add(p.Load(result, address, self.at()))
        return result

    def store(self, address: p.Value, value: p.Value) -> None:
        self.add(p.Store(address, value, self.at()))

    def nondet(self, type_: Type, site: int = 0) -> p.Register:
        result = self.register(type_)
        self.add(p.Nondet(result, site, self.at()))
        return result

    def allocate(self, size: int, heap: bool = False, name: str = "", zeroed: bool = False) -> p.Register:
        result = self.register(PointerType(64))
        self.add(p.Allocate(result, const(size, I64), 8, heap, zeroed, 1, name, self.at()))
        return result

    def offset(self, base: p.Value, away: int | p.Value) -> p.Register:
        result = self.register(PointerType(64))
        self.add(p.Offset(result, base, const(away, I64) if isinstance(away, int) else away, self.at()))
        return result

    def check(self, holds: p.Value, check: int = 0) -> None:
        self.add(p.Check(holds, check, self.at()))

    def check_equal(self, left: p.Value, right: p.Value, check: int = 0) -> None:
        self.check(self.compute("eq", TRUTH, left, right), check)

    def call(self, callee: str, arguments: tuple[p.Value, ...], *types: Type) -> tuple[p.Register, ...]:
        results = tuple(self.register(type_) for type_ in types)
        self.add(p.Call(results, callee, arguments, self.at()))
        return results

    def _close(self, terminator: p.Terminator) -> None:
        assert self._open is not None
        index, parameters, instructions = self._open
        self._blocks[index] = p.Block(index, f"b{index}", parameters, tuple(instructions), terminator)
        self._open = None

    def goto(self, target: int, *arguments: p.Value) -> None:
        self._close(p.Branch((p.Edge(p.ALWAYS, target, arguments),), self.at()))

    def branch(
        self, condition: p.Value, yes: int, no: int, a: tuple[p.Value, ...] = (), b: tuple[p.Value, ...] = ()
    ) -> None:
        edges = (
            p.Edge(p.Guard(condition, (1,)), yes, a),
            p.Edge(p.Guard(condition, (0,)), no, b),
        )
        self._close(p.Branch(edges, self.at()))

    def switch(self, value: p.Value, cases: dict[int, int], default: int) -> None:
        edges = [p.Edge(p.Guard(value, (case,)), target) for case, target in cases.items()]
        edges.append(p.Edge(p.Guard(value, tuple(cases), negated=True), default))
        self._close(p.Branch(tuple(edges), self.at()))

    def ret(self, *values: p.Value) -> None:
        self._close(p.Return(values, self.at()))

    def stop(self) -> None:
        self._close(p.Stop(self.at()))

    def done(self) -> p.Function:
        blocks = tuple(self._blocks[index] for index in sorted(self._blocks))
        return p.Function(self.name, self.parameters, self.results, blocks, self.registers)


def program(
    *functions: FunctionBuilder,
    objects: tuple[p.Global, ...] = (),
    bits: int = 64,
    big_endian: bool = False,
    sites: int = 4,
    kinds: tuple[str, ...] = ("unreach-call",),
) -> p.Program:
    """The first function is the entry."""
    return p.Program(
        {function.name: function.done() for function in functions},
        {item.name: item for item in objects},
        Layout(bits, big_endian),
        functions[0].name,
        tuple(Site(index, "call", f"site{index}", "int", AT) for index in range(sites)),
        tuple(CheckSite(index, kind, kind, AT) for index, kind in enumerate(kinds)),
    )
