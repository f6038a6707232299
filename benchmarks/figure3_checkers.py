"""The checkers of figure 3 as choices among a program's checks; what the other checks ask for is assumed.

    A  array bounds: accesses in the sources at a computed offset
    N  null: a pointer that the sources follow is not null
    S  strings: accesses of library models, and of blocks of a computed size
    D  all accesses
    O  overflow
    R  calls of reach_error

The paper's checkers are F-Soft's, of which it says no more than their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from counterpoint.core.source import CheckSite
from counterpoint.program import model as m
from counterpoint.program.focus import focused
from counterpoint.program.order import results
from counterpoint.program.types import TRUTH

NULL = "a null pointer is followed"


@dataclass(frozen=True, slots=True)
class Checker:
    """`choose` gives the program in which only its checks count."""

    property: str
    choose: Callable[[m.Program], m.Program]


@dataclass(frozen=True, slots=True)
class Access:
    """An access of a function, with the check that it is valid, and the instructions that define registers."""

    valid: m.ValidAccess
    check: int
    made: Mapping[int, m.Instruction]

    @property
    def base(self) -> m.Value:
        return self._origin()[0]

    @property
    def in_sources(self) -> bool:
        """Not in a library model, or made by the tool."""
        return not self.valid.at.file.startswith("<")

    @property
    def of_object(self) -> bool:
        """The base is a static or local object."""
        base = self.base
        made = self.made.get(base.index) if isinstance(base, m.Register) else None
        return not isinstance(base, m.Register) or (isinstance(made, m.Allocate) and not made.heap)

    @property
    def computed_offset(self) -> bool:
        return self._origin()[1]

    @property
    def computed_size(self) -> bool:
        return not isinstance(self.valid.size, m.Constant)

    def _origin(self) -> tuple[m.Value, bool]:
        """What the address is an offset of, and whether that is computed."""
        value, computed = self.valid.address, False
        while isinstance(value, m.Register) and isinstance(made := self.made.get(value.index), m.Offset):
            computed = computed or not isinstance(made.offset, m.Constant)
            value = made.base
        return value, computed


def accesses(function: m.Function) -> Iterator[Access]:
    every = [instruction for block in function.blocks for instruction in block.instructions]
    made = {register.index: instruction for instruction in every for register in results(instruction)}
    for instruction in every:
        if isinstance(instruction, m.Check) and isinstance(instruction.holds, m.Register):
            valid = made.get(instruction.holds.index)
            if isinstance(valid, m.ValidAccess):
                yield Access(valid, instruction.check, made)


def _of_kind(kind: str) -> Callable[[m.Program], m.Program]:
    def choose(program: m.Program) -> m.Program:
        return focused(program, frozenset(site.index for site in program.checks if site.kind == kind))

    return choose


def _accesses(chosen: Callable[[Access], bool]) -> Callable[[m.Program], m.Program]:
    """Those of which `chosen` says so."""

    def choose(program: m.Program) -> m.Program:
        every = [access for function in program.functions.values() for access in accesses(function)]
        return focused(program, frozenset(access.check for access in every if chosen(access)))

    return choose


# ---------------------------------------------------------------- null


def _null(program: m.Program) -> m.Program:
    """In front of each access a check of its base, one for each base in a block; no base is null that is an object."""
    sites = list(program.checks)
    functions = {name: _with_null_checks(function, sites) for name, function in program.functions.items()}
    checked = replace(program, functions=functions, checks=tuple(sites))
    return focused(checked, frozenset(range(len(program.checks), len(sites))))


def _with_null_checks(function: m.Function, sites: list[CheckSite]) -> m.Function:
    every = accesses(function)
    followed = {access.valid: access.base for access in every if access.in_sources and not access.of_object}
    registers, blocks = function.registers, []
    for block in function.blocks:
        seen, instructions = set[m.Value](), list[m.Instruction]()
        for instruction in block.instructions:
            base = followed.get(instruction) if isinstance(instruction, m.ValidAccess) else None
            if base is not None and base not in seen:
                seen.add(base)
                test = m.Register(registers, TRUTH)
                registers += 1
                instructions.append(m.Compute(test, "ne", (base, m.Constant(0, base.type)), instruction.at))
                instructions.append(m.Check(test, len(sites), instruction.at))
                sites.append(CheckSite(len(sites), "valid-deref", NULL, instruction.at))
            instructions.append(instruction)
        blocks.append(replace(block, instructions=tuple(instructions)))
    return replace(function, blocks=tuple(blocks), registers=registers)


CHECKERS = {
    "A": Checker("memory-safety", _accesses(lambda access: access.in_sources and access.computed_offset)),
    "N": Checker("memory-safety", _null),
    "S": Checker("memory-safety", _accesses(lambda access: not access.in_sources or access.computed_size)),
    "D": Checker("memory-safety", _of_kind("valid-deref")),
    "O": Checker("no-overflow", _of_kind("overflow")),
    "R": Checker("unreach-call", _of_kind("unreach-call")),
}
