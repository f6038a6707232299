"""Instructions of a function as lines of Python, from the definitions of semantics/instructions.

Registers are Python locals `r0, r1, ...`; calls are Python calls, which need no C stack from Python 3.11
on. `s` counts the steps left and is written back to `m.left` wherever others read it. Other names are those of
interpreter.Machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.points import Point, Watch
from counterpoint.execute.program_text import ProgramText, pointer_registers, type_key
from counterpoint.program import model as p
from counterpoint.program.types import FloatType, PointerType, Type, size_in_bytes
from counterpoint.semantics import definition, signature
from counterpoint.semantics.source import SOURCE, Expression, atom, render

MOST_OFFSETS = 30
"""Offsets that are followed back to the object that they begin at."""


@dataclass(slots=True)
class InstructionText:
    """The lines of one function, and how an instruction is added to them."""

    text: ProgramText
    function: p.Function
    lines: list[str] = field(default_factory=list)
    _indent: int = 1
    _temporaries: int = 0
    _block: int = 0
    _stepped: SourceLocation | None = None
    _definitions: dict[int, p.Instruction] = field(default_factory=dict)
    _globals: list[str] = field(default_factory=list)
    _revived: frozenset[p.Value] = frozenset()

    def look_through(self) -> None:
        """What instructions have to know of others."""
        instructions = [i for block in self.function.blocks for i in block.instructions]
        self._revived = frozenset(i.address for i in instructions if isinstance(i, p.BeginLife))
        self._definitions = {i.result.index: i for i in instructions if isinstance(i, p.Allocate | p.Offset)}

    def instruction(self, position: int, i: p.Instruction) -> None:
        watches = self.text.watches.get((self.function.name, self._block, position), ())
        self._watch(i, [watch for watch in watches if not watch.after])
        _EMITTERS[type(i)](self, i)
        self._watch(i, [watch for watch in watches if watch.after])

    def _watch(self, i: p.Instruction, watches: list[Watch]) -> None:
        for watch in watches:
            self._emit(f"{watch.name}({', '.join(self.text.value(value) for value in watch.values)})")

    def _emit(self, line: str) -> None:
        self.lines.append(" " * self._indent + line)

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
            pointers = pointer_registers(self.function) if probe.registers else frozenset()
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
        for _ in range(MOST_OFFSETS):
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
    p.Compute: InstructionText.compute,
    p.Offset: InstructionText.offset,
    p.Load: InstructionText.load,
    p.Store: InstructionText.store,
    p.Allocate: InstructionText.allocate,
    p.BeginLife: InstructionText.begin_life,
    p.EndLife: InstructionText.end_life,
    p.Free: InstructionText.free,
    p.Copy: InstructionText.copy,
    p.Fill: InstructionText.fill,
    p.Havoc: InstructionText.havoc,
    p.Nondet: InstructionText.nondet,
    p.Assume: InstructionText.assume,
    p.Hint: InstructionText.hint,
    p.Check: InstructionText.check,
    p.Unsupported: InstructionText.unsupported,
    p.ValidAccess: InstructionText.valid_access,
    p.ValidFree: InstructionText.valid_free,
    p.Apart: InstructionText.apart,
    p.NoLeak: InstructionText.no_leak,
    p.ObjectSize: InstructionText.object_size,
    p.Call: InstructionText.call,
}
