"""What of a program has to be kept so that a proof about it can be carried over to what it was edited into.

A *shape* has a line for each instruction, without the numbers that shift, and beside it what these numbers were.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.documents import Given
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.program.names import plain
from counterpoint.program.render import render_instruction, render_terminator
from counterpoint.semantics.objects import origin_of
from counterpoint.static.points_to import PointsTo

MOST = 1 << 31

_REGISTER = regex(r"%\d+")
_NUMBER = regex(r"\b(site|number|goto) -?\d+")


@dataclass(frozen=True, slots=True)
class Line:
    """A block's head (position -1), an instruction, or a terminator (position -2): where it stood, the registers that
    it gave values to, and the number of the object that it made, or -1."""

    text: str
    block: int
    position: int
    registers: tuple[int, ...] = ()
    thing: int = -1


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """The first line has the parameters. `heads` are the loops'."""

    lines: tuple[Line, ...]
    heads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """An abstract object that instructions make: the function, its label in names, and the origin of what it holds."""

    function: str
    label: str
    origin: str


@dataclass(frozen=True, slots=True)
class Shape:
    """`things` by their numbers in PointsTo.objects."""

    functions: Mapping[str, FunctionShape]
    things: Mapping[int, Thing]


def shape_of(points: PointsTo) -> Shape:
    """Linear in the program."""
    functions = {name: function_shape(points, function) for name, function in points.program.functions.items()}
    things = {
        thing.number: Thing(
            thing.function, f"{thing.function}.{plain(thing.name)}#{thing.number}", origin_of(thing.allocation)
        )
        for thing in points.objects
        if thing.allocation is not None
    }
    return Shape(functions, things)


def function_shape(points: PointsTo, function: m.Function) -> FunctionShape:
    signature = f"function ({_types(function.parameters)}) -> ({', '.join(map(str, function.results))})"
    lines = [Line(signature, -1, -1, tuple(one.index for one in function.parameters))]
    for block in function.blocks:
        given = tuple(one.index for one in block.parameters)
        lines.append(Line(f"block ({_types(block.parameters)})", block.index, -1, given))
        for position, instruction in enumerate(block.instructions):
            thing = points.of_allocation(instruction).number if isinstance(instruction, m.Allocate) else -1
            text = _text(render_instruction(instruction, names=False))
            lines.append(Line(text, block.index, position, _results(instruction), thing))
        lines.append(Line(_text(render_terminator(block.terminator)), block.index, -2))
    return FunctionShape(tuple(lines), loop_heads(function))


def _types(registers: tuple[m.Register, ...]) -> str:
    return ", ".join(str(register.type) for register in registers)


def _text(rendered: str) -> str:
    return _NUMBER.sub(r"\1", _REGISTER.sub("%", rendered))


def _results(instruction: m.Instruction) -> tuple[int, ...]:
    if isinstance(instruction, m.Call):
        return tuple(register.index for register in instruction.results)
    single = getattr(instruction, "result", None)
    return (single.index,) if isinstance(single, m.Register) else ()


# ---------------------------------------------------------------- as data


def written(shape: Shape) -> object:
    """What JSON can hold."""
    return {
        "functions": {
            name: {
                "lines": [[x.text, x.block, x.position, list(x.registers), x.thing] for x in function.lines],
                "heads": list(function.heads),
            }
            for name, function in shape.functions.items()
        },
        "things": {str(number): [x.function, x.label, x.origin] for number, x in shape.things.items()},
    }


def read(given: Given) -> Shape:
    """What `written` made. Raises UnusableInput for anything else."""
    functions = {name: _function(Given(value, name)) for name, value in given.at("functions").object().items()}
    things: dict[int, Thing] = {}
    for number, value in given.at("things").object().items():
        function, label, origin = Given(value, "things").texts()
        things[int(number)] = Thing(function, label, origin)
    return Shape(functions, things)


def _function(given: Given) -> FunctionShape:
    lines = []
    for entry in given.at("lines").items():
        text, block, position, registers, thing = entry.items()
        defined = tuple(one.integer(0, MOST) for one in registers.items())
        where = block.integer(-1, MOST), position.integer(-2, MOST)
        lines.append(Line(text.text(), *where, defined, thing.integer(-1, MOST)))
    return FunctionShape(tuple(lines), tuple(head.integer(0, MOST) for head in given.at("heads").items()))
