"""Which functions are summarised.

Source: [div, section 3]: the roots of subtrees of those functions that are not on the call stack when control reaches
the assertion.
"""

from __future__ import annotations

from counterpoint.core.closure import reached
from counterpoint.program.focus import asked
from counterpoint.program.graph import callees, reachable_functions
from counterpoint.program.model import Check, Program


def on_the_way(program: Program) -> frozenset[str]:
    """The functions that can be active when a check that counts is met."""
    wanted = asked(program)
    reachable = reachable_functions(program)
    callers: dict[str, list[str]] = {name: [] for name in reachable}
    for name in sorted(reachable):
        for callee in callees(program.functions[name]):
            callers[callee].append(name)
    found: set[str] = {program.entry}
    for name in sorted(reachable):
        instructions = (i for block in program.functions[name].blocks for i in block.instructions)
        if name not in found and any(isinstance(i, Check) and i.check in wanted for i in instructions):
            found.update(reached(name, lambda at: callers[at]))
    return frozenset(found)


def roots(program: Program) -> tuple[str, ...]:
    """The functions off that way that are called from it, in the order of the program's text."""
    on_it = on_the_way(program)
    called = {callee for name in on_it for callee in callees(program.functions[name])}
    return tuple(name for name in program.functions if name in called - on_it)
