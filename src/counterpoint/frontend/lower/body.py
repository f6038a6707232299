"""A function body in the making: named values, the instructions of the current block."""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.frontend.lower.constants import Expression, Leaf, Undef
from counterpoint.frontend.lower.context import Context, Signature
from counterpoint.frontend.lower.irtypes import IRType, NotModelled
from counterpoint.frontend.lower.text import split_argument
from counterpoint.program.model import (
    Address,
    Compute,
    Constant,
    Instruction,
    Nondet,
    Offset,
    Register,
    Terminator,
    Value,
)
from counterpoint.program.types import FloatType, IntType, PointerType, Type


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the body (block label, index of instruction) and the register or saved stack it is about."""

    block: str
    index: int
    about: Register | str


class Body:
    """Lowers into one block at a time. An LLVM value is a tuple of leaves, one for each of its scalars."""

    __slots__ = (
        "allocas",
        "at",
        "block",
        "context",
        "dynamic",
        "entry",
        "instructions",
        "last_at",
        "registers",
        "restores",
        "saves",
        "signature",
        "terminator",
        "types",
        "values",
        "variables",
    )

    def __init__(self, context: Context, signature: Signature, variables: dict[str, tuple[str, str]]) -> None:
        self.context = context
        self.types = context.types
        self.signature = signature
        self.variables = variables
        self.values: dict[str, tuple[Leaf | Register, ...]] = {}
        self.allocas: set[str] = set()
        self.dynamic: list[Mark] = []  # variable-length arrays, and what else is allocated where it is met
        self.saves: dict[str, Mark] = {}  # llvm.stacksave, by result
        self.restores: list[Mark] = []
        self.block = self.entry = ""
        self.registers = 0
        self.instructions: list[Instruction] = []
        self.terminator: Terminator | None = None
        self.at = NOWHERE
        self.last_at = signature.at

    # ------------------------------------------------------------ making

    def emit(self, instruction: Instruction) -> None:
        self.instructions.append(instruction)

    def register(self, type_: Type, name: str = "") -> Register:
        """A new register; `name` is the LLVM value that it stands for, if any."""
        index = self.registers
        self.registers = index + 1
        return Register(index, type_, self.name(name))

    def name(self, value: str) -> str:
        """What the user calls an LLVM value; "" if nothing."""
        known = self.variables.get(value) if value else None
        return known[0] if known is not None else ""

    def declare(self, value: str, site: int) -> None:
        """The LLVM value is the address of the object that is allocated with this site."""
        known = self.variables.get(value)
        if known is not None:
            self.context.declared[site] = known[1]

    def compute(self, operation: str, operands: tuple[Value, ...], type_: Type, name: str = "") -> Register:
        result = self.register(type_, name)
        self.instructions.append(Compute(result, operation, operands, self.at))
        return result

    def define(self, name: str, *values: Leaf | Register) -> None:
        if name:
            self.values[name] = values

    def location(self) -> SourceLocation:
        """The location for sites: the current one or, if the compiler gave none, the nearest before."""
        return self.last_at if self.at is NOWHERE else self.at

    # ------------------------------------------------------------ reading

    def leaves(self, type_: IRType, text: str) -> tuple[Leaf | Register, ...]:
        """The scalars of an operand, undefined ones still as such."""
        if text[0] == "%":
            try:
                return self.values[text]
            except KeyError:
                raise NotModelled(f"the value {text}") from None
        return self.context.constants.read(type_, text)

    def operands(self, type_: IRType, text: str) -> tuple[Value, ...]:
        """The scalars of an operand of any type."""
        leaves = self.leaves(type_, text)
        for leaf in leaves:
            if type(leaf) is Undef or type(leaf) is Expression:
                return tuple([self.materialised(leaf) for leaf in leaves])
        return leaves  # type: ignore[return-value]  # the others are values

    def typed(self, text: str) -> tuple[IRType, tuple[Value, ...]]:
        """The same for `type operand`, attributes between them skipped."""
        type_text, rest = split_argument(text)
        type_ = self.types.parse(type_text)
        return type_, self.operands(type_, rest)

    def scalar(self, type_: IRType, text: str) -> Value:
        values = self.operands(type_, text)
        if len(values) != 1:
            raise NotModelled("an operation on an aggregate")
        return values[0]

    def scalar_type(self, text: str) -> Type:
        type_ = self.types.parse(text)
        if isinstance(type_, IntType | FloatType | PointerType):
            return type_
        self.types.leaves(type_)  # raises, with a better name, for types that are not modelled
        raise NotModelled(f"an operation on {text}")

    def materialised(self, leaf: Leaf | Register) -> Value:
        """The leaf as an operand; expressions are computed, an undefined value is a fresh arbitrary one."""
        match leaf:
            case Register() | Constant() | Address():
                return leaf
            case Undef(type_):
                result = self.register(type_)
                site = self.context.new_site("undef", "undefined value", type_, self.location())
                self.emit(Nondet(result, site, self.at))
                return result
            case Expression(operation, parts, type_):
                operands = tuple([self.materialised(part) for part in parts])
                if operation == "offset":
                    result = self.register(type_)
                    self.emit(Offset(result, operands[0], operands[1], self.at))
                    return result
                return self.compute(operation, operands, type_)

    # ------------------------------------------------------------ widths

    def resized(self, value: Value, bits: int, operation: str = "zext") -> Value:
        """An integer in another width, by `zext` or `sext` where it grows."""
        if value.type.bits == bits:
            return value
        type_ = IntType(bits)
        if isinstance(value, Constant):
            known = value.bits
            if operation == "sext" and known >> (value.type.bits - 1):
                known -= 1 << value.type.bits
            return Constant(known & (1 << bits) - 1, type_)
        return self.compute(operation if bits > value.type.bits else "trunc", (value,), type_)

    def word(self, value: Value) -> Value:
        """An unsigned size as wide as a pointer."""
        return self.resized(value, self.types.word.bits)
