"""A whole module: the functions that are reached, then the objects that are mentioned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from counterpoint.core.source import CheckSite, Site
from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.constants import Leaf
from counterpoint.frontend.lower.context import Context
from counterpoint.frontend.lower.function import lower_function
from counterpoint.frontend.lower.irtypes import NotModelled
from counterpoint.frontend.lower.memory import store_leaf
from counterpoint.frontend.lower.objects import read_object
from counterpoint.frontend.lower.source_names import source_names
from counterpoint.frontend.lower.text import split_module
from counterpoint.program.model import (
    Address,
    Function,
    Global,
    Instruction,
    Program,
    Stop,
    Unsupported,
)
from counterpoint.program.source_types import SourceNames


def lower_module(
    text: str,
    sites: Sequence[Site],
    checks: Sequence[CheckSite],
    assumptions: tuple[str, ...],
    entry: str,
    named: bool = False,
) -> Program | None:
    """The program that starts at `entry`; None if there is no such function without parameters. `named`: with the
    source's names and types of its objects."""
    context = Context(split_module(text), sites, checks)
    functions: dict[str, Function] = {}
    context.called.append(entry)
    for name in context.called:  # grows while functions are lowered
        signature = context.signature(name)
        if name not in functions and signature is not None:
            functions[name] = lower_function(context, signature)
    main = functions.get(entry)
    if main is None or main.parameters or main.results:
        return None
    objects, start = _objects(context)
    if start:
        functions[entry] = _starting_with(main, context, start)
    ordered = {name: functions[name] for name in context.module.functions if name in functions}
    return Program(
        ordered, objects, context.types.layout, entry, tuple(context.sites), tuple(checks), assumptions,
        context.locations.sources(), source_names(context, functions, objects) if named else SourceNames(),
    )  # fmt: skip


def _objects(context: Context) -> tuple[dict[str, Global], list[tuple[str, int, Leaf] | NotModelled]]:
    """All objects that are mentioned, also by initialisers; what must be computed or is unsupported."""
    objects: dict[str, Global] = {}
    start: list[tuple[str, int, Leaf] | NotModelled] = []
    waiting = list(context.mentioned)
    while waiting:
        for name in waiting:
            try:
                found = read_object(context, name)
            except NotModelled as reason:
                objects[name] = Global(name, 0, 1)
                start.append(reason)
                continue
            objects[name] = found.object
            start.extend((name, offset, leaf) for offset, leaf in found.computed)
        waiting = [name for name in context.mentioned if name not in objects]
    return objects, start


def _starting_with(main: Function, context: Context, start: list[tuple[str, int, Leaf] | NotModelled]) -> Function:
    """`main` with the initialisation of objects that is not constant here put before it."""
    signature = context.signature(main.name)
    assert signature is not None  # it was lowered from it
    body = Body(context, signature, {})
    body.registers = main.registers
    entry = main.blocks[0]
    for item in start:
        if isinstance(item, NotModelled):
            site = context.new_site("unsupported", str(item), "", main.at)
            nothing = replace(entry, instructions=(Unsupported(site, main.at),), terminator=Stop(main.at))
            return replace(main, blocks=(nothing,), registers=0)
        name, offset, leaf = item
        store_leaf(body, Address(name, offset, context.types.pointer), body.materialised(leaf))
    instructions: tuple[Instruction, ...] = (*body.instructions, *entry.instructions)
    first = replace(entry, instructions=instructions)
    return replace(main, blocks=(first, *main.blocks[1:]), registers=body.registers)
