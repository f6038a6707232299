"""Loops replaced by what they compute, where that is exact in modular arithmetic.

Source: [srtool, section IX.2], whose two examples are tests. Deviations: exact modulo 2^w, with the loop kept
where its counter might wrap around; sums of counters (quadratic closed forms) as well; nested loops from the inside
out; and loops that can never be left and do nothing observable end the run.

The accelerated program has the same failing runs on the same inputs. It is for search; certificates speak of the
original loops (the closed forms are candidates there: candidates/induction_variables.py).
"""

from __future__ import annotations

from dataclasses import replace

from counterpoint.engines.bmc.acceleration.counted import counted
from counterpoint.engines.bmc.acceleration.endless import endless, endless_once_entered
from counterpoint.engines.bmc.acceleration.rewrite import by_closed_form, by_stop, by_stop_inside
from counterpoint.program.graph import loops
from counterpoint.program.model import Function, Program
from counterpoint.program.rebuild import pruned

MOST_LOOPS = 200
"""Loops of one function that are looked at for replacement, again after each replacement."""


def accelerate(program: Program) -> Program:
    """The program with closed forms; the very same object if no loop has one."""
    functions = {name: _accelerated(function) for name, function in program.functions.items()}
    if all(functions[name] is function for name, function in program.functions.items()):
        return program
    return replace(program, functions=functions)


def _accelerated(function: Function) -> Function:
    for _ in range(MOST_LOOPS):
        better = _one_less(function)
        if better is None:
            return function
        function = pruned(better)
    return function


def _one_less(function: Function) -> Function | None:
    """The function with one loop replaced."""
    for loop in reversed(loops(function)):
        if any(block.name.startswith("accelerated") and block.index in loop.blocks for block in function.blocks):
            continue
        if endless(function, loop):
            return by_stop(function, loop)
        if endless_once_entered(function, loop):
            return by_stop_inside(function, loop)
        found = counted(function, loop)
        if found is not None:
            return by_closed_form(function, loop, found)
    return None
