"""The rules of a well-formed Program, checked."""

from __future__ import annotations

from counterpoint.core.errors import InternalError
from counterpoint.program.graph import dominators, reverse_postorder
from counterpoint.program.model import (
    Address,
    Allocate,
    Apart,
    Assume,
    Block,
    Branch,
    Call,
    Check,
    Compute,
    Constant,
    Edge,
    Fill,
    Function,
    Global,
    Havoc,
    Hint,
    Instruction,
    NoLeak,
    Nondet,
    ObjectSize,
    Offset,
    Program,
    Register,
    Return,
    Unsupported,
    ValidAccess,
    ValidFree,
    Value,
)
from counterpoint.program.names import is_plain
from counterpoint.program.order import operands, results, terminator_operands
from counterpoint.program.render import render_instruction, render_terminator
from counterpoint.program.signatures import RULES
from counterpoint.program.types import BYTE, TRUTH, IntType, PointerType, size_in_bytes


def validate(program: Program) -> None:
    """Raises InternalError with function, block and rule if the program breaks one. Linear in its size."""
    main = program.functions.get(program.entry)
    if main is None or main.parameters or main.results:
        raise InternalError(
            f"the program has no entry function {program.entry} without parameters and results"
        )
    for name in (*program.globals, *program.functions):
        if not is_plain(name):
            raise InternalError(f"{name!r} is no plain name")
    for name, item in program.globals.items():
        _check_global(program, name, item)
    for name, function in program.functions.items():
        if name != function.name:
            raise InternalError(f"function {function.name} is filed under {name}")
        _Rules(program, function).check()


def _check_global(program: Program, name: str, item: Global) -> None:
    end = 0
    if name != item.name or item.size < 0 or item.alignment < 1 or item.alignment & (item.alignment - 1):
        raise InternalError(f"object {name}: name, size or alignment is wrong")
    for offset, value in item.pieces:
        if offset < end:
            raise InternalError(f"object {name}: the piece at {offset} overlaps the one before")
        end = offset + size_in_bytes(value.type)
        if end > item.size:
            raise InternalError(f"object {name}: the piece at {offset} is outside of its {item.size} bytes")
        if isinstance(value, Register):
            raise InternalError(f"object {name}: the piece at {offset} is a register")
        if isinstance(value, Constant) and value.bits >> value.type.bits:
            raise InternalError(f"object {name}: the piece at {offset} has more bits than its type")
        if isinstance(value, Address) and value.symbol not in program.globals:
            raise InternalError(
                f"object {name}: the piece at {offset} refers to {value.symbol}, which is missing"
            )


class _Rules:
    """The rules of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self._program = program
        self._function = function
        self._pointer = program.layout.pointer
        self._word = IntType(program.layout.pointer_bits)
        self._defined: dict[int, tuple[Register, int]] = {}

    def _fail(self, block: int, rule: str, text: str = "") -> None:
        place = f"function {self._function.name}, block {block}"
        raise InternalError(f"{place}: {rule}" + (f": {text}" if text else ""))

    def check(self) -> None:
        function = self._function
        if not function.blocks or function.blocks[0].parameters:
            self._fail(0, "there is no entry block, or it has parameters")
        for register in function.parameters:
            self._define(register, 0)
        for index, block in enumerate(function.blocks):
            if block.index != index:
                self._fail(index, f"the block has the index {block.index}")
            for edge in block.edges:
                if not 0 < edge.target < len(function.blocks):
                    self._fail(index, f"an edge leads to block {edge.target}")
            for register in block.parameters:
                self._define(register, index)
            for instruction in block.instructions:
                for register in results(instruction):
                    self._define(register, index)
        if sorted(self._defined) != list(range(function.registers)):
            self._fail(0, f"its {function.registers} registers are not numbered from 0 without gaps")
        reached = set(reverse_postorder(function))
        for block in function.blocks:
            if block.index not in reached:
                self._fail(block.index, "no path from the entry leads to the block")
            for position, instruction in enumerate(block.instructions):
                self._instruction(block.index, instruction, position)
            self._terminator(block)
        self._dominance()

    def _define(self, register: Register, block: int) -> None:
        if register.index in self._defined:
            self._fail(block, f"register {register.index} is defined twice")
        self._defined[register.index] = (register, block)

    # ------------------------------------------------------------ values

    def _value(self, block: int, value: Value) -> None:
        match value:
            case Register(index, type_):
                known = self._defined.get(index)
                if known is None or known[0].type != type_:
                    self._fail(block, f"register {index} of type {type_} is not defined")
            case Constant(bits, type_):
                if bits < 0 or bits >> type_.bits:
                    self._fail(block, f"the constant {bits} does not fit {type_}")
            case Address(symbol, _, type_):
                if symbol not in self._program.globals:
                    self._fail(block, f"the object {symbol} is missing")
                if type_ != self._pointer:
                    self._fail(block, f"the address of {symbol} has the type {type_}")

    def _dominance(self) -> None:
        """Definitions dominate uses: per block the walk up the dominator tree is a set that grows."""
        function = self._function
        above = dominators(function)
        depth = {0: 0}
        for index in reverse_postorder(function)[1:]:
            depth[index] = depth[above[index]] + 1
        for block in function.blocks:
            local = {register.index for register in block.parameters}
            for instruction in block.instructions:
                for value in operands(instruction):
                    self._dominated(block.index, value, local, above, depth)
                local.update(register.index for register in results(instruction))
            for value in terminator_operands(block.terminator):
                self._dominated(block.index, value, local, above, depth)

    def _dominated(
        self, block: int, value: Value, local: set[int], above: tuple[int, ...], depth: dict[int, int]
    ) -> None:
        if not isinstance(value, Register) or value.index in local:
            return
        wanted = self._defined[value.index][1]
        if wanted == block and value not in self._function.parameters:
            self._fail(block, f"register {value.index} is used before its definition")
        current = block
        while depth[current] > depth[wanted]:
            current = above[current]
        if current != wanted:
            self._fail(block, f"the definition of register {value.index} does not dominate its use")

    # ------------------------------------------------------------ instructions

    def _instruction(self, block: int, instruction: Instruction, position: int) -> None:
        for value in operands(instruction):
            self._value(block, value)
        if not self._well_typed(instruction):
            self._fail(
                block,
                f"instruction {position} has operands of the wrong types",
                render_instruction(instruction),
            )

    def _well_typed(self, instruction: Instruction) -> bool:
        pointer, word = self._pointer, self._word
        match instruction:
            case Compute(result, operation, values):
                rule = RULES.get(operation)
                return rule is not None and rule(tuple([value.type for value in values]), result.type)
            case Offset(result, base, offset):
                return result.type == base.type == pointer and offset.type == word
            case Allocate(result, size, alignment, _, _, site):
                return result.type == pointer and size.type == word and alignment >= 1 and self._site(site)
            case Fill(target, byte, size):
                return target.type == pointer and byte.type == BYTE and size.type == word
            case Havoc(target, size, site):
                return target.type == pointer and size.type == word and self._site(site)
            case Nondet(_, site) | Unsupported(site):
                return self._site(site)
            case Assume(condition) | Hint(condition):
                return condition.type == TRUTH
            case Check(holds, check):
                return holds.type == TRUTH and 0 <= check < len(self._program.checks)
            case ValidAccess(result, address, size):
                return result.type == TRUTH and address.type == pointer and size.type == word
            case Apart(result, target, source, size):
                return result.type == TRUTH and target.type == source.type == pointer and size.type == word
            case ValidFree(result, address):
                return result.type == TRUTH and address.type == pointer
            case NoLeak(result):
                return result.type == TRUTH
            case ObjectSize(result, address):
                return result.type == word and address.type == pointer
            case Call():
                return self._call(instruction)
        return self._addresses(instruction)

    def _addresses(self, instruction: Instruction) -> bool:
        """Load, Store, Copy, Free and the lifetimes: pointers where addresses stand, sizes in words."""
        for name in ("address", "target", "source"):
            value = getattr(instruction, name, None)
            if value is not None and value.type != self._pointer:
                return False
        size = getattr(instruction, "size", None)
        if size is not None:
            return bool(size.type == self._word)
        held = getattr(instruction, "value", None) or getattr(instruction, "result", None)
        return held is None or not isinstance(held.type, IntType) or held.type.bits % 8 == 0

    def _site(self, site: int) -> bool:
        return 0 <= site < len(self._program.sites)

    def _call(self, call: Call) -> bool:
        callee = self._program.functions.get(call.callee)
        if callee is None:
            return False
        given = tuple(value.type for value in call.arguments)
        wanted = tuple(register.type for register in callee.parameters)
        return given == wanted and tuple(register.type for register in call.results) == callee.results

    # ------------------------------------------------------------ control flow

    def _terminator(self, block: Block) -> None:
        end = block.terminator
        for value in terminator_operands(end):
            self._value(block.index, value)
        match end:
            case Return(values):
                if tuple(value.type for value in values) != self._function.results:
                    self._fail(block.index, "the values returned are not the results", render_terminator(end))
            case Branch(edges):
                for edge in edges:
                    self._edge(block.index, edge)
                if not _exclusive_and_covering(edges):
                    self._fail(block.index, "the guards overlap or leave a gap", render_terminator(end))

    def _edge(self, block: int, edge: Edge) -> None:
        wanted = tuple(register.type for register in self._function.blocks[edge.target].parameters)
        if tuple(value.type for value in edge.arguments) != wanted:
            self._fail(block, f"the arguments to block {edge.target} are not its parameters")


def _exclusive_and_covering(edges: tuple[Edge, ...]) -> bool:
    if len(edges) == 1 and edges[0].guard.value is None:
        return True
    values = {edge.guard.value for edge in edges}
    if len(values) != 1 or None in values:
        return False
    value = edges[0].guard.value
    positive = [case for edge in edges if not edge.guard.negated for case in edge.guard.cases]
    negated = [edge.guard.cases for edge in edges if edge.guard.negated]
    if value is None or isinstance(value.type, PointerType) or not isinstance(value.type, IntType):
        return False
    if len(set(positive)) != len(positive) or any(case < 0 or case >> value.type.bits for case in positive):
        return False
    if not negated:
        return len(positive) == 1 << value.type.bits
    return len(negated) == 1 and set(negated[0]) == set(positive) and len(negated[0]) == len(positive)
