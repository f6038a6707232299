"""From a prepared program to a block graph.

Checks and assumptions become branches, switches chains of comparisons, and constants with an offset variables
of their own. What the format and its extensions cannot say is refused by name and place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.frontend.bgd.lifetimes import access_to_dead_local
from counterpoint.program import model as m
from counterpoint.program.inline import inline
from counterpoint.program.render import render_instruction
from counterpoint.program.types import TRUTH, IntType, PointerType, Type

_SAME = frozenset({"add", "sub", "mul", "and", "or", "xor"})
_COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
_CONVERSIONS = {"trunc": "trunc", "zext": "zext", "sext": "sext", "int_from_pointer": "ptrtoint",
                "pointer_from_int": "inttoptr"}  # fmt: skip
_DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})
_CHOICES = {"smin": ("slt", 0), "smax": ("slt", 1), "umin": ("ult", 0), "umax": ("ult", 1)}
_IN_MEMORY = frozenset({8, 16, 32, 64})


def block_graph(program: m.Program) -> str:
    """The program as BGD text, with all calls inlined.

    Raises UnusableInput, with the place in the source, for what the format has no words for: calls of
    recursive functions, floating point, the heap, memory-safety checks, constructs without a meaning.
    """
    program = inline(program)
    function = program.main
    dead = access_to_dead_local(program, function)
    writer = _Writer(program, function)
    if dead is not None:
        raise writer.refused(dead.at, "an access to a local that may be out of scope")
    lines = [writer.declaration(item) for item in program.globals.values() if not item.code]
    writer.blocks()
    return "\n".join([*lines, *writer.text()]) + "\n"


@dataclass(slots=True)
class _Block:
    """`place` is the program's block that starts here, -1 for one in between; `written` the last source line."""

    name: int
    place: int
    lines: list[str] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    written: str = ""


class _Writer:
    """Names are numbers: registers from 1, then blocks, then what is made here."""

    def __init__(self, program: m.Program, function: m.Function) -> None:
        self.program = program
        self.function = function
        self.globals = {name: index for index, name in enumerate(program.globals, 1)}
        self.last = function.registers + len(function.blocks)
        self.made: dict[int, _Block] = {}
        self.edges: dict[tuple[int, int], tuple[str, ...]] = {}
        """(source, target) names: the arguments passed along."""
        self.current = _Block(0, -1)
        self.at = NOWHERE

    def refused(self, at: SourceLocation, what: str) -> UnusableInput:
        while at.file.startswith("<") and at.inlined_at is not None:
            at = at.inlined_at
        return UnusableInput(f"{at}: {what} cannot be written as a block graph (docs/bgd.md): leave --bgd out")

    # ------------------------------------------------------------ names and types

    def new(self) -> int:
        self.last += 1
        return self.last

    def name_of(self, index: int) -> int:
        """The name of the program's block."""
        return self.function.registers + 1 + index

    def type(self, type_: Type) -> str:
        match type_:
            case IntType(bits) if bits <= 64:
                return f"i{bits}"
            case PointerType():
                return "ptr"
        raise self.refused(self.at, f"a value of type {type_}")

    def value(self, value: m.Value) -> str:
        match value:
            case m.Register(index):
                self.type(value.type)
                return f"%{index + 1}"
            case m.Constant(bits):
                self.type(value.type)
                return f"{bits:x}"
            case m.Address(symbol, offset):
                if self.program.globals[symbol].code:
                    raise self.refused(self.at, f"the address of the function {symbol}")
                base = f"@{self.globals[symbol]}"
                shift = offset & (1 << value.type.bits) - 1
                return self.define("ptr", f"offset {base} {shift:x}") if offset else base

    def variable(self, value: m.Value) -> str:
        """The value with a type of its own: never a number."""
        text = self.value(value)
        return self.define(self.type(value.type), text) if isinstance(value, m.Constant) else text

    def define(self, type_: str, rvalue: str) -> str:
        name = f"%{self.new()}"
        self.emit(f"eq {type_} {name} {rvalue}")
        return name

    def emit(self, line: str) -> None:
        place = f"; {self.at.file}:{self.at.line}"
        if place != self.current.written and self.at.line:
            self.current.lines.append(place)
            self.current.written = place
        self.current.lines.append(line)

    # ------------------------------------------------------------ globals

    def declaration(self, item: m.Global) -> str:
        self.at = item.at
        start = f"{'constant' if item.constant else 'global'} {_extent(item.size, item.alignment)}"
        pieces = [piece for offset, value in item.pieces for piece in self.piece(offset, value)]
        first = f" = {{ {' '.join(pieces)} }}" if pieces else ""
        return f"{start} @{self.globals[item.name]}{first} ; {item.name}"

    def piece(self, offset: int, value: m.Value) -> list[str]:
        match value:
            case m.Address(symbol, displacement):
                if self.program.globals[symbol].code:
                    raise self.refused(self.at, f"the address of the function {symbol}")
                if displacement < 0:
                    raise self.refused(self.at, f"an address before the start of {symbol}")
                more = f" + {displacement:x}" if displacement else ""
                return [f"{offset:x} ptr @{self.globals[symbol]}{more}"]
            case m.Constant(0):
                return []
            case m.Constant(bits, type_) if type_.bits in _IN_MEMORY:
                return [f"{offset:x} i{type_.bits} {bits:x}"]
            case m.Constant(bits, type_) if not self.program.layout.big_endian:
                size = (type_.bits + 7) // 8
                return [f"{offset + index:x} i8 {bits >> 8 * index & 255:x}" for index in range(size)]
        raise self.refused(self.at, f"the initial value {value}")

    # ------------------------------------------------------------ instructions

    def instruction(self, instruction: m.Instruction) -> bool:
        """Whether the block goes on."""
        self.at = instruction.at
        match instruction:
            case m.Compute(result, operation, operands):
                self.emit(
                    f"eq {self.type(result.type)} {self.value(result)} {self.computed(result, operation, operands)}"
                )
            case m.Offset(result, base, offset):
                self.emit(f"eq ptr {self.value(result)} offset {self.value(base)} {self.value(offset)}")
            case m.Load(result, address):
                type_ = self.held(result.type, "a load")
                self.emit(f"eq {type_} {self.value(result)} load {self.variable(address)}")
            case m.Store(address, value):
                self.held(value.type, "a store")
                stored = self.variable(value)
                self.emit(f"store {stored} {self.variable(address)}")
            case m.Allocate(result, m.Constant(size), alignment, heap=False, zeroed=False):
                self.emit(f"alloca {self.value(result)} {_extent(size, alignment)}")
            case m.Copy(target, source, size_):
                self.emit(f"copy {self.value(target)} {self.value(source)} {self.value(size_)}")
            case m.Fill(target, byte, size_):
                self.emit(f"fill {self.value(target)} {self.value(byte)} {self.value(size_)}")
            case m.Havoc(target, size_):
                self.emit(f"havoc {self.value(target)} {self.value(size_)}")
            case m.Nondet(result):
                self.emit(f"eq {self.type(result.type)} {self.value(result)} input")
            case m.Assume(condition):
                return self.guarded(condition, "unreachable")
            case m.Check(holds):
                return self.guarded(holds, "assertfail", "unreachable")
            case m.BeginLife() | m.EndLife() | m.Hint():
                pass
            case m.Unsupported(site):
                raise self.refused(instruction.at, f"`{self.program.sites[site].name}`, which has no meaning here,")
            case m.Call(_, callee):
                raise self.refused(instruction.at, f"a call of {callee}, which is recursive,")
            case m.Allocate(heap=heap):
                raise self.refused(instruction.at, "memory from malloc" if heap else "a local of variable size")
            case _:
                raise self.refused(instruction.at, f"the instruction `{render_instruction(instruction)}`")
        return True

    def held(self, type_: Type, what: str) -> str:
        if isinstance(type_, PointerType) or (isinstance(type_, IntType) and type_.bits in _IN_MEMORY):
            return self.type(type_)
        raise self.refused(self.at, f"{what} of type {type_}")

    def guarded(self, condition: m.Value, *otherwise: str) -> bool:
        """Goes on where the condition holds; else the run ends as `otherwise` says."""
        if isinstance(condition, m.Constant):
            if not condition.bits:
                for line in otherwise:
                    self.emit(line)
            return bool(condition.bits)
        good, bad = self.new(), self.new()
        self.emit(f"br {self.value(condition)} %{good} %{bad}")
        self.current.targets += [good, bad]
        self.start(bad, -1)
        for line in otherwise:
            self.emit(line)
        self.start(good, -1)
        return True

    def computed(self, result: m.Register, operation: str, operands: Sequence[m.Value]) -> str:
        """A right-hand side. Division and shifts are SMT-LIB's where LLVM IR's are not defined."""
        if operation in _CONVERSIONS:
            width = f" {result.type.bits}" if isinstance(result.type, IntType) else ""
            return f"{_CONVERSIONS[operation]} {self.variable(operands[0])}{width}"
        if operation in _SAME:
            return f"{operation} {self.value(operands[0])} {self.value(operands[1])}"
        if operation in _COMPARISONS:
            typed = any(not isinstance(operand, m.Constant) for operand in operands)
            left = self.value(operands[0]) if typed else self.variable(operands[0])
            return f"{operation} {left} {self.value(operands[1])}"
        if operation == "select":
            return f"select {' '.join(map(self.value, operands))}"
        if operation in _DIVISIONS or operation in _SHIFTS:
            total = "" if _is_defined(operation, operands[1]) else "bv"
            return f"{total}{operation} {self.value(operands[0])} {self.value(operands[1])}"
        if operation in _CHOICES:
            compared, first = _CHOICES[operation]
            less = self.define("i1", f"{compared} {self.variable(operands[0])} {self.value(operands[1])}")
            return f"select {less} {self.value(operands[first])} {self.value(operands[1 - first])}"
        if operation == "abs":
            operand = self.variable(operands[0])
            negative = self.define("i1", f"slt {operand} 0")
            return f"select {negative} {self.define(self.type(operands[0].type), f'sub 0 {operand}')} {operand}"
        raise self.refused(self.at, f"the operation `{operation}`")

    # ------------------------------------------------------------ control flow

    def start(self, name: int, place: int) -> None:
        self.current = self.made[name] = _Block(name, place)

    def blocks(self) -> None:
        for block in self.function.blocks:
            self.start(self.name_of(block.index), block.index)
            if all(self.instruction(instruction) for instruction in block.instructions):
                self.at = block.terminator.at
                self.terminator(block.terminator)

    def terminator(self, terminator: m.Terminator) -> None:
        match terminator:
            case m.Return():
                self.emit("retvoid")
            case m.Stop():
                self.emit("unreachable")
            case m.Branch(edges):
                self.branch(edges)

    def branch(self, edges: tuple[m.Edge, ...]) -> None:
        """The edges exclude each other and cover everything: the last is taken where no other is."""
        ordered = sorted(edges, key=lambda edge: edge.guard.negated or edge.guard.value is None)
        for edge in ordered[:-1]:
            condition = self.guard(edge.guard)
            then = self.jump(edge)
            if edge is ordered[-2]:
                other = self.jump(ordered[-1])
                self.emit(f"br {condition} %{then} %{other}")
                return
            following = self.new()
            self.current.targets.append(following)
            self.emit(f"br {condition} %{then} %{following}")
            self.start(following, -1)
        self.emit(f"goto %{self.jump(ordered[-1])}")

    def guard(self, guard: m.Guard) -> str:
        """A variable that is true where the edge is taken."""
        value = self.variable(guard.value) if guard.value is not None else self.define("i1", "1")
        if guard.value is None or (guard.value.type == TRUTH and guard.cases == (1,) and not guard.negated):
            return value
        tests = [self.define("i1", f"eq {value} {case:x}") for case in guard.cases] or [self.define("i1", "0")]
        found = tests[0]
        for test in tests[1:]:
            found = self.define("i1", f"or {found} {test}")
        return self.define("i1", f"xor {found} 1") if guard.negated else found

    def jump(self, edge: m.Edge) -> int:
        """The block to go to from the current one; one in between if there is an edge to the target already."""
        target = self.name_of(edge.target)
        arguments = tuple(map(self.value, edge.arguments))
        if target not in self.current.targets:
            self.current.targets.append(target)
            self.edges[self.current.name, target] = arguments
            return target
        between = self.new()
        self.current.targets.append(between)
        self.made[between] = _Block(between, -1, [f"goto %{target}"], [target])
        self.edges[between, target] = arguments
        return between

    # ------------------------------------------------------------ the text

    def text(self) -> list[str]:
        first = self.name_of(0)
        sources: dict[int, list[int]] = {first: []}
        work = [first]
        while work:
            name = work.pop()
            for target in self.made[name].targets:
                if target not in sources:
                    sources[target] = []
                    work.append(target)
                sources[target].append(name)
        lines = []
        for block in self.made.values():
            if block.name not in sources:
                continue
            lines += ["", f"block %{block.name} {{"]
            if block.place >= 0:
                lines += [f"    {line}" for line in self.phis(block, sources[block.name])]
            lines += [*(f"    {line}" for line in block.lines), "}"]
        return lines

    def phis(self, block: _Block, sources: list[int]) -> list[str]:
        lines = []
        for position, parameter in enumerate(self.function.blocks[block.place].parameters):
            pairs = (f"{self.edges[source, block.name][position]} %{source}" for source in sources)
            lines.append(f"eq {self.type(parameter.type)} {self.value(parameter)} phi {' '.join(pairs)}")
        return lines


def _extent(size: int, alignment: int) -> str:
    """Elements as large as the alignment asks for, at most 8 bytes."""
    element = next(bytes_ for bytes_ in (8, 4, 2, 1) if bytes_ <= alignment and size % bytes_ == 0)
    return f"i{8 * element}" if size == element else f"[ {size // element} x i{8 * element} ]"


def _is_defined(operation: str, right: m.Value) -> bool:
    """Whether LLVM IR defines the operation for this right operand, whatever the left one is."""
    if not isinstance(right, m.Constant):
        return False
    if operation in _SHIFTS:
        return right.bits < right.type.bits
    return right.bits not in (0, (1 << right.type.bits) - 1)
