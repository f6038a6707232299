"""Functions of a Program as Python source, from the definitions of semantics/instructions.

Registers are Python locals `r0, r1, ...`; calls are Python calls, which need no C stack from Python 3.11
on. Blocks with one predecessor are written in place; the others (*heads*) are found through `b` by
binary search, and a head that is its own successor loops without leaving. `s` counts the steps left and
is written back to `m.left` wherever others read it. Other names are those of interpreter.Machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from counterpoint.core.errors import InternalError
from counterpoint.core.source import SourceLocation
from counterpoint.execute.points import Point, Probe, block_location
from counterpoint.program import model as p
from counterpoint.program.types import FloatType, PointerType, Type, size_in_bytes
from counterpoint.semantics import definition, signature
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.source import SOURCE, Expression, atom, render

MAX_DEPTH = 30
"""Levels of indentation inside of one head; Python allows 100, of which the search for a head takes some."""

MAX_CHAIN = 8
"""Edges of a block that are tried one by one; more of them are found through a table."""


@dataclass(slots=True)
class ProgramText:
    """What the texts of all functions share: names, addresses, and the points that events refer to.

    With `probes`, by function and block (or EXIT), the code calls them, and `born(number, address)` after each
    allocation that `allocations` numbers by the id of its instruction.
    """

    program: p.Program
    addresses: Mapping[str, int]
    recording: bool
    probes: Mapping[tuple[str, int], Probe] = field(default_factory=dict)
    allocations: Mapping[int, int] = field(default_factory=dict)
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


@dataclass(slots=True)
class FunctionText:
    """Writes one function."""

    text: ProgramText
    function: p.Function
    lines: list[str] = field(default_factory=list)
    has_locals: bool = False
    _indent: int = 1
    _temporaries: int = 0
    _block: int = 0
    _head: int = 0
    _loops: bool = False
    _heads: frozenset[int] = frozenset()
    _stepped: SourceLocation | None = None
    _definitions: dict[int, p.Instruction] = field(default_factory=dict)
    _globals: list[str] = field(default_factory=list)
    _revived: frozenset[p.Value] = frozenset()

    def write(self) -> str:
        """`def f...: ...` for the function."""
        function = self.function
        self.has_locals = any(
            isinstance(i, p.Allocate) and not i.heap for block in function.blocks for i in block.instructions
        )
        instructions = (i for block in function.blocks for i in block.instructions)
        self._revived = frozenset(i.address for i in instructions if isinstance(i, p.BeginLife))
        self._heads = self._find_heads()
        self._definitions = {
            i.result.index: i
            for block in function.blocks
            for i in block.instructions
            if isinstance(i, p.Allocate | p.Offset)
        }
        parameters = ", ".join(f"r{parameter.index}" for parameter in function.parameters)
        self.lines = [f"def {self.text.functions[function.name]}({parameters}):", " s = m.left"]
        if self.has_locals:
            self.lines.append(" frame = []")
        if self.text.recording:
            for parameter in function.parameters:
                self._block = 0
                self._record_register(parameter, function.at)
        heads = sorted(self._heads)
        if heads == [0]:
            self._write_head(0)
        else:
            self.lines += [" b = 0", " while True:"]
            self._indent = 2
            self._dispatch(heads)
        if self._globals:
            self.lines.insert(1, f" global {', '.join(self._globals)}")
        return "\n".join(self.lines) + "\n"

    # ---------------------------------------------------------------- control flow

    def _find_heads(self) -> frozenset[int]:
        """The entry, blocks with several ways in, and enough others to keep nesting shallow."""
        blocks = self.function.blocks
        arrivals = [0] * len(blocks)
        for block in blocks:
            for edge in block.edges:
                arrivals[edge.target] += 1
        heads = {0} | {index for index, count in enumerate(arrivals) if count > 1}
        waiting = [(head, 0) for head in sorted(heads)]
        while waiting:
            index, depth = waiting.pop()
            edges = blocks[index].edges
            below = depth + (1 if len(edges) <= MAX_CHAIN else len(edges).bit_length())
            for edge in edges:
                if edge.target in heads:
                    continue
                if below > MAX_DEPTH:
                    heads.add(edge.target)
                    waiting.append((edge.target, 0))
                else:
                    waiting.append((edge.target, below))
        return frozenset(heads)

    def _emit(self, line: str) -> None:
        self.lines.append(" " * self._indent + line)

    def _dispatch(self, heads: list[int]) -> None:
        if len(heads) == 1:
            self._write_head(heads[0])
            return
        middle = len(heads) // 2
        self._emit(f"if b < {heads[middle]}:")
        self._indent += 1
        self._dispatch(heads[:middle])
        self._indent -= 1
        self._emit("else:")
        self._indent += 1
        self._dispatch(heads[middle:])
        self._indent -= 1

    def _write_head(self, head: int) -> None:
        self._head = head
        self._loops = self._reaches_itself(head)
        if self._loops:
            self._emit("while True:")
            self._indent += 1
        self._write_block(head)
        if self._loops:
            self._indent -= 1

    def _reaches_itself(self, head: int) -> bool:
        waiting = [head]
        while waiting:
            for edge in self.function.blocks[waiting.pop()].edges:
                if edge.target == head:
                    return True
                if edge.target not in self._heads:
                    waiting.append(edge.target)
        return False

    def _write_block(self, index: int) -> None:
        block = self.function.blocks[index]
        self._block = index
        self._stepped = None
        self._emit(f"s -= {len(block.instructions) + 1}")
        if index in self._heads:
            self._emit("if s < 0: s = m.more(s)")
        if self.text.recording:
            self._record(Point(self.function.name, index, "block", "", None, block_location(block)), "0")
            for parameter in block.parameters:
                self._record_register(parameter, block_location(block))
        self._probe(index, ())
        for instruction in block.instructions:
            _EMITTERS[type(instruction)](self, instruction)
        match block.terminator:
            case p.Branch(edges, at):
                if len(edges) > 1:
                    self._record_step(at)
                self._write_edges(edges)
            case p.Return(values, at):
                self._record_step(at)
                self._write_return(values)
            case p.Stop(at):
                self._record_step(at)
                self._end("Finished()")

    def _write_edges(self, edges: tuple[p.Edge, ...]) -> None:
        ordered = sorted(edges, key=lambda edge: (edge.guard.negated, len(edge.guard.cases)))
        if len(ordered) == 1:
            self._jump(ordered[0])
            return
        if len(ordered) > MAX_CHAIN:
            self._emit(f"e = {self._table(ordered)}")
            self._search(ordered, 0)
            return
        for position, edge in enumerate(ordered):
            if position == len(ordered) - 1:
                self._emit("else:")
            else:
                self._emit(f"{'elif' if position else 'if'} {self._condition(edge.guard)}:")
            self._indent += 1
            self._jump(edge)
            self._indent -= 1

    def _table(self, edges: list[p.Edge]) -> str:
        """An expression for the position of the edge that is taken. The negated edge is the last one."""
        value = edges[0].guard.value
        if value is None or any(edge.guard.value != value for edge in edges):
            raise InternalError(f"{self.function.name}: the edges of a switch test different values")
        cases = {case: position for position, edge in enumerate(edges[:-1]) for case in edge.guard.cases}
        name = f"table{len(self.text.tables)}"
        self.text.tables[name] = cases
        return f"{name}.get({self._address(value)}, {len(edges) - 1})"

    def _search(self, edges: list[p.Edge], first: int) -> None:
        """Jumps along edges[e - first]."""
        if len(edges) == 1:
            self._jump(edges[0])
            return
        middle = len(edges) // 2
        self._emit(f"if e < {first + middle}:")
        self._indent += 1
        self._search(edges[:middle], first)
        self._indent -= 1
        self._emit("else:")
        self._indent += 1
        self._search(edges[middle:], first + middle)
        self._indent -= 1

    def _condition(self, guard: p.Guard) -> str:
        if guard.value is None:
            return "True"
        value = f"({self._address(guard.value)})" if guard.value.type.bits > 1 else self.text.value(guard.value)
        if guard.value.type.bits == 1 and len(guard.cases) == 1:
            return value if (guard.cases[0] == 1) != guard.negated else f"not {value}"
        if len(guard.cases) == 1:
            return f"{value} {'!=' if guard.negated else '=='} {guard.cases[0]}"
        if not guard.cases:
            return str(guard.negated)
        return f"{value} {'not in' if guard.negated else 'in'} {{{', '.join(map(str, guard.cases))}}}"

    def _jump(self, edge: p.Edge) -> None:
        parameters = self.function.blocks[edge.target].parameters
        moves = [
            (f"r{parameter.index}", self.text.value(argument))
            for parameter, argument in zip(parameters, edge.arguments, strict=True)
        ]
        moves = [(target, source) for target, source in moves if target != source]
        if moves:
            targets, sources = zip(*moves, strict=True)
            self._emit(f"{', '.join(targets)} = {', '.join(sources)}")
        if edge.target not in self._heads:
            outer = self._block
            self._write_block(edge.target)
            self._block = outer
        elif edge.target == self._head:
            self._emit("continue")
        else:
            self._emit(f"b = {edge.target}")
            self._emit("break" if self._loops else "continue")

    def _write_return(self, values: tuple[p.Value, ...]) -> None:
        self._emit("m.left = s")
        self._probe(EXIT, values)
        if self.has_locals:
            self._emit("leave(frame)")
        self._emit(f"return {', '.join(self.text.value(value) for value in values)}".rstrip())

    def _end(self, outcome: str) -> None:
        self._emit("m.left = s")
        self._emit(f"raise EndOfRun({outcome})")

    def _end_unless(self, condition: str, outcome: str) -> None:
        self._emit(f"if not {condition}:")
        self._indent += 1
        self._end(outcome)
        self._indent -= 1

    # ---------------------------------------------------------------- recording

    def _probe(self, block: int, results: tuple[p.Value, ...]) -> None:
        probe = self.text.probes.get((self.function.name, block))
        if probe is not None:
            pointers = pointer_registers(self.function)
            mask = (1 << self.text.program.layout.pointer_bits) - 1
            values = [f"r{index} & {mask}" if index in pointers else f"r{index}" for index in probe.registers]
            values += [self._address(result) for result in results]
            self._emit(f"{probe.name}({', '.join(values)})")

    def _record(self, point: Point, value: str) -> None:
        self._emit(f"record(({self.text.point(point)}, {value}))")

    def _record_step(self, at: SourceLocation) -> None:
        if self.text.recording and at.line and at != self._stepped:
            self._stepped = at
            self._record(Point(self.function.name, self._block, "step", "", None, at), "0")

    def _record_register(self, register: p.Register, at: SourceLocation) -> None:
        if self.text.recording and register.name:
            point = Point(self.function.name, self._block, "register", register.name, register.type, at)
            self._record(point, self._address(register))

    # ---------------------------------------------------------------- instructions

    def _fresh(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def _assign(self, register: p.Register, text: str, at: SourceLocation) -> None:
        self._emit(f"r{register.index} = {text}")
        self._record_register(register, at)

    def compute(self, i: p.Compute) -> None:
        self._record_step(i.at)
        operands = [self._operand(i.operation, operand) for operand in i.operands]
        expression = definition(i.operation)(SOURCE, operands, signature(i))
        statements, text = render(expression, self._fresh)
        for statement in statements:
            self._emit(statement)
        self._assign(i.result, text, i.at)

    def _operand(self, operation: str, value: p.Value) -> Expression:
        """Operations look at a pointer's address only; `select` passes it on (execute/owners.py)."""
        if not isinstance(value.type, PointerType) or operation == "select":
            return atom(self.text.value(value))
        mask = (1 << value.type.bits) - 1
        if isinstance(value, p.Address):
            return atom(str(self.text.address(value) & mask))
        here = atom(self.text.value(value))
        return here if isinstance(value, p.Constant) else SOURCE.and_(here, atom(str(mask)), value.type.bits)

    def _address(self, value: p.Value) -> str:
        """A pointer's address, for those who look at no more."""
        if isinstance(value.type, PointerType) and isinstance(value, p.Register):
            return f"r{value.index} & {(1 << value.type.bits) - 1}"
        return self.text.value(value)

    def offset(self, i: p.Offset) -> None:
        mask = (1 << i.result.type.bits) - 1
        base, away, result = self.text.value(i.base), self.text.value(i.offset), f"r{i.result.index}"
        known = self._known(i.base)
        if known is not None:
            owner, at, size = known
            if isinstance(i.offset, p.Constant) and 0 <= at + i.offset.bits <= size:
                self._assign(i.result, f"{base} + {away}", i.at)
                return
            self._emit(f"{result} = {base} + {away} & {mask}")
            low, high = (f"{owner}", f"{owner} + {size}") if owner.startswith("r") else (owner, str(int(owner) + size))
            self._emit(f"if not {low} <= {result} <= {high}: {result} = outside({owner}, {result})")
        else:
            least, most = self.text.range_cache()
            self._globals += (least, most)
            self._emit(f"{result} = {base} + {away} & {mask}")
            self._emit(f"if not ({least} <= {base} <= {most} and {least} <= {result} <= {most}):")
            self._emit(f" {result}, {least}, {most} = offset({base}, {away})")
        self._record_register(i.result, i.at)

    def _known(self, value: p.Value) -> tuple[str, int, int] | None:
        """(base, offset from there, size) of a pointer that surely lies in, or one past, the object at that base."""
        away = 0
        for _ in range(MAX_DEPTH):
            if isinstance(value, p.Address):
                size = self.text.program.globals[value.symbol].size
                inside = value.offset >= 0 and value.offset + away <= size
                return (str(self.text.addresses[value.symbol]), value.offset + away, size) if inside else None
            made = self._definitions.get(value.index) if isinstance(value, p.Register) else None
            if isinstance(made, p.Allocate):
                inside = isinstance(made.size, p.Constant) and away <= made.size.bits
                return (f"r{made.result.index}", away, made.size.bits) if inside else None  # type: ignore[union-attr]
            if not isinstance(made, p.Offset) or not isinstance(made.offset, p.Constant):
                return None
            if made.offset.bits >= 1 << (made.result.type.bits - 1):
                return None
            away += made.offset.bits
            value = made.base
        return None

    def load(self, i: p.Load) -> None:
        self._record_step(i.at)
        direct = self._static_cell(i.address, i.result.type, write=False)
        if direct is not None:
            name, offset = direct
            text = f"unpack_{type_key(i.result.type)}({name}, {offset})[0]"
        else:
            text = f"load_{type_key(i.result.type)}({self.text.value(i.address)})"
        self._assign(i.result, text, i.at)

    def store(self, i: p.Store) -> None:
        self._record_step(i.at)
        direct = self._static_cell(i.address, i.value.type, write=True)
        address, value = self.text.value(i.address), self.text.value(i.value)
        if direct is not None:
            name, offset = direct
            pack = f"pack_{type_key(i.value.type)}({name}, {offset}, {value})"
            if isinstance(i.value.type, PointerType) and not isinstance(i.value, p.Constant):
                limit = (1 << i.value.type.bits) - 1
                self._emit(f"if {value} > {limit}: store_{type_key(i.value.type)}({address}, {value})")
                self._emit(f"else: {pack}")
            else:
                self._emit(pack)
        else:
            self._emit(f"store_{type_key(i.value.type)}({address}, {value})")
        if self.text.recording:
            point = Point(self.function.name, self._block, "store", "", i.value.type, i.at)
            value = self._address(i.value)
            self._record(point, f"(name_of({address}, {size_in_bytes(i.value.type)}), {value})")

    def _static_cell(self, address: p.Value, type_: Type, write: bool) -> tuple[str, int] | None:
        """A cell of a global at a constant address, if its bytes are a machine integer's."""
        if not isinstance(address, p.Address) or isinstance(type_, FloatType):
            return None
        if type_.bits not in (8, 16, 32, 64):
            return None
        item = self.text.program.globals.get(address.symbol)
        if item is None or item.code or (write and (item.constant or item.constant_parts)):
            return None
        if not 0 <= address.offset <= item.size - type_.bits // 8:
            return None
        return self.text.statics[address.symbol], address.offset

    def allocate(self, i: p.Allocate) -> None:
        self._record_step(i.at)
        self._emit("m.left = s")
        size, target = self.text.value(i.size), f"r{i.result.index}"
        if i.heap:
            self._emit(f"{target} = allocate({size}, {i.alignment}, {not i.zeroed}, {i.site}, {i.name!r})")
        else:
            self._emit(f"{target} = allocate_local({size}, {i.alignment}, {i.site}, {i.name!r}, frame, {i.constant})")
        number = self.text.allocations.get(id(i))
        if number is not None:
            self._emit(f"born({number}, {target})")

    def begin_life(self, i: p.BeginLife) -> None:
        self._emit(f"begin_life({self.text.value(i.address)})")

    def end_life(self, i: p.EndLife) -> None:
        how = "end_life" if i.address in self._revived else "end_for_good"
        self._emit(f"{how}({self.text.value(i.address)})")

    def free(self, i: p.Free) -> None:
        self._record_step(i.at)
        self._emit(f"free({self.text.value(i.address)})")

    def copy(self, i: p.Copy) -> None:
        self._record_step(i.at)
        target, source, size = (self.text.value(value) for value in (i.target, i.source, i.size))
        self._emit(f"s -= {'initialise' if i.initial else 'copy'}({target}, {source}, {size}) >> 5")

    def fill(self, i: p.Fill) -> None:
        self._record_step(i.at)
        target, byte, size = (self.text.value(value) for value in (i.target, i.byte, i.size))
        self._emit(f"s -= fill({target}, {byte}, {size}) >> 5")

    def havoc(self, i: p.Havoc) -> None:
        self._emit("m.left = s")
        self._emit(f"havoc({self.text.value(i.target)}, {self.text.value(i.size)}, {i.site})")

    def nondet(self, i: p.Nondet) -> None:
        self._record_step(i.at)
        self._emit("m.left = s")
        type_ = i.result.type
        if isinstance(type_, PointerType):
            text = f"nondet_pointer({i.site})"
        elif isinstance(type_, FloatType):
            form = f"Float({type_.exponent}, {type_.significand})"
            text = f"ints.fp_from_bits(nondet({i.site}, {type_.bits}), {form})"
        else:
            text = f"nondet({i.site}, {type_.bits})"
        self._assign(i.result, text, i.at)
        if self.text.recording:
            sites = self.text.program.sites
            name = sites[i.site].name if 0 <= i.site < len(sites) else ""
            point = Point(self.function.name, self._block, "input", name, type_, i.at)
            self._record(point, f"r{i.result.index}")

    def assume(self, i: p.Assume) -> None:
        self._end_unless(self.text.value(i.condition), "AssumptionFailed()")

    def hint(self, i: p.Hint) -> None:
        """Nothing happens."""

    def check(self, i: p.Check) -> None:
        self._record_step(i.at)
        self._end_unless(self.text.value(i.holds), f"Violated({i.check})")

    def unsupported(self, i: p.Unsupported) -> None:
        self._record_step(i.at)
        self._end(f"UnsupportedAt({i.site})")

    def valid_access(self, i: p.ValidAccess) -> None:
        address, size = (self.text.value(value) for value in (i.address, i.size))
        self._assign(i.result, f"valid_access({address}, {size}, {i.write})", i.at)

    def apart(self, i: p.Apart) -> None:
        target, source, size = (self.text.value(value) for value in (i.target, i.source, i.size))
        self._assign(i.result, f"apart({target}, {source}, {size})", i.at)

    def valid_free(self, i: p.ValidFree) -> None:
        self._assign(i.result, f"valid_free({self.text.value(i.address)})", i.at)

    def no_leak(self, i: p.NoLeak) -> None:
        self._assign(i.result, f"no_leak({i.reachable_ok})", i.at)

    def object_size(self, i: p.ObjectSize) -> None:
        self._assign(i.result, f"object_size({self.text.value(i.address)})", i.at)

    def call(self, i: p.Call) -> None:
        self._record_step(i.at)
        arguments = ", ".join(self.text.value(argument) for argument in i.arguments)
        if i.callee not in self.text.functions:
            raise InternalError(f"{i.at}: {i.callee} is called but not in the program")
        results = ", ".join(f"r{result.index}" for result in i.results)
        self._emit("m.left = s")
        if self.text.recording:
            self._record(Point(self.function.name, self._block, "call", i.callee, None, i.at), "0")
        self._emit(f"{results} = {self.text.functions[i.callee]}({arguments})".removeprefix(" = "))
        if self.text.recording:
            self._record(Point(self.function.name, self._block, "return", i.callee, None, i.at), "0")
        self._emit("s = m.left")
        for result in i.results:
            self._record_register(result, i.at)


_EMITTERS: Mapping[type, Callable[..., None]] = {
    p.Compute: FunctionText.compute,
    p.Offset: FunctionText.offset,
    p.Load: FunctionText.load,
    p.Store: FunctionText.store,
    p.Allocate: FunctionText.allocate,
    p.BeginLife: FunctionText.begin_life,
    p.EndLife: FunctionText.end_life,
    p.Free: FunctionText.free,
    p.Copy: FunctionText.copy,
    p.Fill: FunctionText.fill,
    p.Havoc: FunctionText.havoc,
    p.Nondet: FunctionText.nondet,
    p.Assume: FunctionText.assume,
    p.Hint: FunctionText.hint,
    p.Check: FunctionText.check,
    p.Unsupported: FunctionText.unsupported,
    p.ValidAccess: FunctionText.valid_access,
    p.ValidFree: FunctionText.valid_free,
    p.Apart: FunctionText.apart,
    p.NoLeak: FunctionText.no_leak,
    p.ObjectSize: FunctionText.object_size,
    p.Call: FunctionText.call,
}
