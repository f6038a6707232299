"""Static objects that an arbitrary caller leaves as they are at the start of the program.

Its C text cannot name static variables of functions and of other files, nor what only initial values of tables lead to.
What is found of a function holds for their first values alone, so that each is named beside it.
"""

from __future__ import annotations

from counterpoint.contracts.views import PREFIX
from counterpoint.program import model as m
from counterpoint.program.names import original
from counterpoint.program.order import operands, terminator_operands


def at_start(program: m.Program, caller: str, tables: bool = True) -> tuple[str, ...]:
    """Names of the variables in the program's own code that the function `caller` does not mention; `program` is
    unprepared, and has what its entry may get to. Without `tables`: but for those that are of functions only."""
    given = {
        value.symbol
        for function in program.functions.values()
        if original(function.name) == caller
        for value in _mentioned(function)
    }
    found = [item for item in program.globals.values() if item.name not in given and _is_variable(item)]
    found = [item for item in found if tables or not _is_table(program, item)]
    return tuple(sorted({_name(program, item) for item in found}))


def _mentioned(function: m.Function) -> list[m.Address]:
    values: list[m.Value] = []
    for block in function.blocks:
        for instruction in block.instructions:
            values += operands(instruction)
        values += terminator_operands(block.terminator)
        values += [value for edge in block.edges for value in edge.arguments]
    return [value for value in values if isinstance(value, m.Address)]


def _is_variable(item: m.Global) -> bool:
    """Of the user's: the arbitrary caller's own and the library models' objects are none."""
    name = original(item.name)
    ours = name.startswith((PREFIX, "__cp_", ".str")) or item.at.file.startswith("<")
    return not (ours or item.constant or item.code or item.size == 0)


def _is_table(program: m.Program, item: m.Global) -> bool:
    """Each of its words is the address of a function: no access fails for want of another value."""
    functions = (value for _, value in item.pieces if isinstance(value, m.Address) and _is_code(program, value.symbol))
    return 0 < item.size <= sum(value.type.bits // 8 for value in functions)


def _is_code(program: m.Program, symbol: str) -> bool:
    return symbol in program.globals and program.globals[symbol].code


def _name(program: m.Program, item: m.Global) -> str:
    known = program.names.objects.get(item.name)
    return known.name if known is not None else original(item.name)
