"""A case for each value of a register, from Program to Program.

What follows a place of the entry function is copied for each of some values that a register may have there, with the
value in the register's stead. For all others the program has no meaning there: a proof has to show that there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from counterpoint.core.records import dataclass
from counterpoint.core.source import Site
from counterpoint.program.graph import dominates, loops, postorder, recursive_functions, successors
from counterpoint.program.model import (
    Block,
    Branch,
    Compute,
    Constant,
    Edge,
    Function,
    Guard,
    Program,
    Register,
    Stop,
    Unsupported,
    Value,
)
from counterpoint.program.order import results
from counterpoint.program.rebuild import pruned, renamed, renamed_terminator

OTHERS = "case"
"""The kind of the site that stands for all other values."""


@dataclass(frozen=True, slots=True)
class Place:
    """In front of an instruction (or the terminator) of a block of the entry function that no loop contains."""

    block: int
    position: int


def split_by_value(program: Program, place: Place, register: Register, values: Sequence[int]) -> Program:
    """The program with a copy of all behind `place` for each of the values of `register`, an integer that is defined
    there. Checks are as before, and so are sites, but for a last one: other values. Linear in the result's size.

    Raises ValueError for a place that a run may pass twice.
    """
    function = program.main
    if any(place.block in loop.blocks for loop in loops(function)) or program.entry in recursive_functions(program):
        raise ValueError(f"block {place.block} may be executed more than once")
    others = Site(len(program.sites), OTHERS, f"a value of {register} beside {len(values)}", "", function.at)
    made = _Copies(function, place, register, others).function(values)
    functions = {**program.functions, program.entry: made}
    return replace(program, functions=functions, sites=(*program.sites, others))


class _Copies:
    """Copies of the blocks behind the place; the first of each is the rest of the place's own block."""

    def __init__(self, function: Function, place: Place, register: Register, others: Site) -> None:
        before = function.blocks[place.block]
        self.split, self.register = function, register
        again = tuple(_computed(function, place, register))
        instructions = (*again, *before.instructions[place.position :])
        rest = Block(len(function.blocks), before.name, (), instructions, before.terminator)
        self.head = replace(before, instructions=before.instructions[: place.position])
        unknown = Unsupported(others.index, others.at)
        nothing = Block(len(function.blocks) + 1, "others", (), (unknown,), Stop(others.at))
        self.blocks = [*function.blocks, rest, nothing]
        behind = postorder([*successors(function), tuple(edge.target for edge in rest.edges), ()], rest.index)
        self.behind = [rest.index, *sorted(set(behind) - {rest.index})]
        self.registers = function.registers

    def function(self, values: Sequence[int]) -> Function:
        edges, blocks = [], list(self.blocks)
        for value in values:
            edges.append(Edge(Guard(self.register, (value,)), len(blocks)))
            blocks += self._copy(len(blocks), Constant(value, self.register.type))
        edges.append(Edge(Guard(self.register, tuple(values), negated=True), len(self.blocks) - 1))
        blocks[self.head.index] = replace(self.head, terminator=Branch(tuple(edges), self.head.terminator.at))
        return pruned(replace(self.split, blocks=tuple(blocks), registers=self.registers))

    def _copy(self, first: int, constant: Constant) -> list[Block]:
        """The blocks from number `first` on, with registers of their own for all that they define."""
        number = {old: first + new for new, old in enumerate(self.behind)}
        mine: dict[int, Register] = {}
        for old in self.behind:
            block = self.blocks[old]
            for defined in (*block.parameters, *(r for i in block.instructions for r in results(i))):
                mine[defined.index] = Register(self.registers, defined.type, defined.name)
                self.registers += 1

        def value(used: Value) -> Value:
            if not isinstance(used, Register):
                return used
            return constant if used.index == self.register.index else mine.get(used.index, used)

        return [
            Block(
                number[old],
                self.blocks[old].name,
                tuple([mine[parameter.index] for parameter in self.blocks[old].parameters]),
                tuple([renamed(i, value, lambda made: mine[made.index]) for i in self.blocks[old].instructions]),
                renamed_terminator(self.blocks[old].terminator, value, number.__getitem__),
            )
            for old in self.behind
        ]


def _computed(function: Function, place: Place, register: Register) -> Iterator[Compute]:
    """What is computed from the register on all ways to the place: with its value known, that is computed anew."""
    known = {register.index}
    above = [block for block in function.blocks if dominates(function, block.index, place.block)]
    above.sort(key=lambda block: sum(dominates(function, other.index, block.index) for other in above))
    for block in above:
        end = place.position if block.index == place.block else len(block.instructions)
        for instruction in block.instructions[:end]:
            if isinstance(instruction, Compute) and any(
                isinstance(value, Register) and value.index in known for value in instruction.operands
            ):
                known.add(instruction.result.index)
                yield instruction
