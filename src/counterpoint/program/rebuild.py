"""Functions with other registers: substitution in instructions, renumbering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TypeVar, get_args

from counterpoint.core.source import SourceLocation
from counterpoint.program import model as m
from counterpoint.program.graph import postorder
from counterpoint.program.order import results

Rename = Callable[[m.Value], m.Value]
_I = TypeVar("_I", bound=m.Instruction)


def renamed(
    instruction: _I,
    value: Rename,
    register: Callable[[m.Register], m.Register],
    at: SourceLocation | None = None,
) -> _I:
    """The instruction with all operands through `value`, all results through `register`, and a new place."""
    kind: Callable[..., _I] = type(instruction)
    arguments: list[object] = []
    for name, role in _ROLES[type(instruction)]:
        old = getattr(instruction, name)
        if role == "value":
            old = value(old)
        elif role == "values":
            old = tuple([value(item) for item in old])
        elif role == "result":
            old = register(old)
        elif role == "results":
            old = tuple([register(item) for item in old])
        elif role == "at" and at is not None:
            old = at
        arguments.append(old)
    return kind(*arguments)


_VALUES = frozenset(
    ["base", "offset", "address", "value", "size", "target", "source", "byte", "condition", "holds"]
)
_MANY = frozenset({"operands", "arguments"})


def _role(name: str) -> str:
    if name in _VALUES:
        return "value"
    return "values" if name in _MANY else name


_ROLES: dict[type, tuple[tuple[str, str], ...]] = {
    kind: tuple((item.name, _role(item.name)) for item in fields(kind)) for kind in get_args(m.Instruction)
}


def renamed_terminator(
    terminator: m.Terminator, value: Rename, target: Callable[[int], int] = lambda block: block
) -> m.Terminator:
    """The terminator with all operands through `value` and all targets through `target`."""
    match terminator:
        case m.Return(values, at):
            return m.Return(tuple([value(item) for item in values]), at)
        case m.Branch(edges, at):
            return m.Branch(tuple([_renamed_edge(edge, value, target) for edge in edges]), at)
    return terminator


def _renamed_edge(edge: m.Edge, value: Rename, target: Callable[[int], int]) -> m.Edge:
    guard = edge.guard
    if guard.value is not None:
        guard = m.Guard(value(guard.value), guard.cases, guard.negated)
    return m.Edge(guard, target(edge.target), tuple([value(item) for item in edge.arguments]))


def renumbered(function: m.Function) -> m.Function:
    """The function with its registers numbered in the order of the text, without gaps."""
    return substituted(function, {})[0]


def pruned(function: m.Function) -> m.Function:
    """The function without the blocks that its entry does not reach, renumbered."""
    order = sorted(postorder([[edge.target for edge in block.edges] for block in function.blocks], 0))
    number = {old: new for new, old in enumerate(order)}
    blocks = [
        replace(
            function.blocks[old],
            index=new,
            terminator=renamed_terminator(
                function.blocks[old].terminator, lambda value: value, number.__getitem__
            ),
        )
        for new, old in enumerate(order)
    ]
    return renumbered(replace(function, blocks=tuple(blocks)))


def substituted(
    function: m.Function, replaced: Mapping[int, m.Value]
) -> tuple[m.Function, dict[int, m.Register]]:
    """The function with registers in `replaced` read as those values (which may be replaced themselves),
    the others numbered in the order of the text, without gaps; and their new numbers.

    Nothing defines a replaced register.
    """
    known: dict[int, m.Register] = {}

    def register(old: m.Register) -> m.Register:
        new = known.get(old.index)
        if new is None:
            new = known[old.index] = m.Register(len(known), old.type, old.name)
        return new

    def value(old: m.Value) -> m.Value:
        while isinstance(old, m.Register):
            other = replaced.get(old.index)
            if other is None:
                return register(old)
            old = other
        return old

    parameters = tuple([register(item) for item in function.parameters])
    for block in function.blocks:
        for item in block.parameters:
            register(item)
        for instruction in block.instructions:
            for item in results(instruction):
                register(item)
    blocks = tuple(
        [
            m.Block(
                block.index,
                block.name,
                tuple([register(item) for item in block.parameters]),
                tuple([renamed(instruction, value, register) for instruction in block.instructions]),
                renamed_terminator(block.terminator, value),
            )
            for block in function.blocks
        ]
    )
    return replace(function, parameters=parameters, blocks=blocks, registers=len(known)), known
