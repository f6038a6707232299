"""What a check is about: the access, or the arithmetic, that it judges, and the values that a run has there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.explain.expressions import Expressions
from counterpoint.program import model as p
from counterpoint.program.graph import predecessors

ACCESS: Final = 0
ARITHMETIC: Final = 1

OPERATIONS: Final = {
    "sadd_overflows": "+", "ssub_overflows": "-", "smul_overflows": "*", "uadd_overflows": "+",
    "usub_overflows": "-", "umul_overflows": "*",
}  # fmt: skip
QUOTIENTS: Final = {"sdiv": "/", "udiv": "/", "srem": "%", "urem": "%"}
_DEEP: Final = 8

Operands: TypeAlias = dict[tuple[str, int, int], tuple[int, tuple[p.Value, ...]]]


@dataclass(frozen=True, slots=True)
class Access:
    """`write` None: a block is freed. `start` is the pointer that the address was computed from."""

    address: p.Value
    size: p.Value | None
    start: p.Value
    write: bool | None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left sign right`."""

    sign: str
    left: p.Value
    right: p.Value
    bits: int
    signed: bool = True


@dataclass(slots=True)
class Checked:
    """The instructions of one check in a program before any pass."""

    program: p.Program
    check: int

    def sites(self) -> Iterator[tuple[p.Function, p.Block, int, p.Check]]:
        for function in self.program.functions.values():
            for block in function.blocks:
                for position, i in enumerate(block.instructions):
                    if isinstance(i, p.Check) and i.check == self.check:
                        yield function, block, position, i

    def operands(self) -> Operands:
        """What a run has to tell, by where: ACCESS as (address, start, size); ARITHMETIC as (left, right)."""
        found: Operands = {}
        for function, block, position, i in self.sites():
            known = Expressions(self.program.names, function)
            access = self.access(known, i)
            if access is not None:
                size = access.size or p.Constant(0, access.address.type)
                found[function.name, block.index, position] = (ACCESS, (access.address, access.start, size))
                continue
            said = self.arithmetic(known, function, block, i)
            if said is not None:
                where = _position_of(function, known.made(said[0])) if said[0] is not None else None
                where = where if said[0] is not None else (block.index, position)
                if where is not None:
                    found[function.name, *where] = (ARITHMETIC, (said[1].left, said[1].right))
        return found

    def access(self, known: Expressions, i: p.Check) -> Access | None:
        match known.made(i.holds):
            case p.ValidAccess(_, address, size, write):
                return Access(address, size, known.start(address), write)
            case p.ValidFree(_, address):
                return Access(address, None, known.start(address), None)
        return None

    def arithmetic(
        self, known: Expressions, function: p.Function, block: p.Block, i: p.Check
    ) -> tuple[p.Value | None, Arithmetic] | None:
        """The operation, with the value at which its operands are there (None: the check)."""
        if self.program.checks[self.check].kind == "division":
            return self._division(known, function, i)
        waiting: list[tuple[p.Value, int]] = [(i.holds, 0)]
        if isinstance(i.holds, p.Constant):
            before = predecessors(function)[block.index]
            if len(before) != 1:
                return None
            waiting = [(edge.guard.value, 0) for edge in function.blocks[before[0]].edges if edge.guard.value][:1]
        while waiting:
            value, depth = waiting.pop(0)
            made = known.made(value)
            if not isinstance(made, p.Compute) or depth > _DEEP:
                continue
            if made.operation in OPERATIONS:
                left, right = made.operands
                signed = made.operation.startswith("s")
                return value, Arithmetic(OPERATIONS[made.operation], left, right, left.type.bits, signed)
            if made.operation == "shl":
                left, right = made.operands
                chosen = known.made(right)
                if isinstance(chosen, p.Compute) and chosen.operation == "select":
                    right = chosen.operands[1]
                return value, Arithmetic("<<", left, right, left.type.bits)
            waiting += [(operand, depth + 1) for operand in made.operands]
        return None


    def _division(
        self, known: Expressions, function: p.Function, i: p.Check
    ) -> tuple[None, Arithmetic] | None:
        """The division at the place of the check; its divisor is replaced where it is not checked."""
        at = i.at.inlined_at or i.at
        for block in function.blocks:
            for made in block.instructions:
                if isinstance(made, p.Compute) and made.operation in QUOTIENTS and _same_place(made.at, at):
                    left, right = made.operands
                    chosen = known.made(right)
                    if isinstance(chosen, p.Compute) and chosen.operation == "select":
                        right = chosen.operands[2]
                    signed = made.operation.startswith("s")
                    return None, Arithmetic(QUOTIENTS[made.operation], left, right, left.type.bits, signed)
        return None


def _same_place(one: SourceLocation, other: SourceLocation) -> bool:
    return (one.file, one.line, one.column) == (other.file, other.line, other.column) and one.line > 0


def _position_of(function: p.Function, made: p.Instruction | None) -> tuple[int, int] | None:
    for block in function.blocks:
        for position, i in enumerate(block.instructions):
            if i is made:
                return block.index, position
    return None
