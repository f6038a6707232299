"""Programs as readable text, and their fingerprints."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import assert_never

from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.program.model import (
    Allocate,
    Apart,
    Assume,
    BeginLife,
    Block,
    Branch,
    Call,
    Check,
    Compute,
    Copy,
    Edge,
    EndLife,
    Fill,
    Free,
    Function,
    Global,
    Guard,
    Havoc,
    Hint,
    Instruction,
    Load,
    NoLeak,
    Nondet,
    ObjectSize,
    Offset,
    Program,
    Register,
    Return,
    Stop,
    Store,
    Terminator,
    Unsupported,
    ValidAccess,
    ValidFree,
    Value,
)


def render(program: Program, locations: bool = False) -> str:
    """The whole program: objects, functions, sites and checks. `locations` adds source places as comments."""
    lines = [f"layout {program.layout.pointer_bits} {'big' if program.layout.big_endian else 'little'}"]
    lines.append(f"entry {program.entry}")
    lines.extend(render_global(item) for item in program.globals.values())
    for function in program.functions.values():
        lines += ["", *_function(function, locations)]
    lines.append("")
    for site in program.sites:
        lines.append(f"site {site.index}: {site.kind} {site.name!r} {site.type!r}")
    for check in program.checks:
        lines.append(f"check {check.index}: {check.kind} {check.message!r}")
    return "\n".join(lines) + "\n"


def fingerprint(program: Program) -> str:
    """SHA-256 in hexadecimal of all that decides what the program means.

    The same for equal programs in any process; places in the source, names of registers and blocks, and
    assumptions do not count.
    """
    digest = hashlib.sha256()
    digest.update(f"{program.layout.pointer_bits} {program.layout.big_endian} {program.entry}\n".encode())
    for name in sorted(program.globals):
        digest.update((render_global(program.globals[name]) + "\n").encode())
    for name in sorted(program.functions):
        plain = "\n".join(_function(program.functions[name], locations=False, names=False))
        digest.update((plain + "\n").encode())
    for site in program.sites:
        digest.update(f"{site.kind} {site.name} {site.type}\n".encode())
    for check in program.checks:
        digest.update(f"{check.kind}\n".encode())
    return digest.hexdigest()


def render_global(item: Global) -> str:
    kind = "code" if item.code else "constant" if item.constant else "global"
    pieces = ", ".join(f"{offset}: {_value(value)}" for offset, value in item.pieces)
    return f"{kind} @{item.name} size {item.size} align {item.alignment} {{{pieces}}}" + (
        f" constant {item.constant_parts}" if item.constant_parts else ""
    )


def render_function(function: Function, locations: bool = False) -> str:
    return "\n".join(_function(function, locations))


def _function(function: Function, locations: bool, names: bool = True) -> list[str]:
    parameters = ", ".join(f"{_defined(r, names)}" for r in function.parameters)
    results = ", ".join(map(str, function.results))
    lines = [f"function {function.name}({parameters}) -> ({results}) {{"]
    for block in function.blocks:
        lines.extend(_block(block, locations, names))
    lines.append("}")
    return lines


def _block(block: Block, locations: bool, names: bool) -> list[str]:
    parameters = ", ".join(_defined(r, names) for r in block.parameters)
    label = f"  {block.index}({parameters}):"
    if names and block.name:
        label += f"  ; {block.name}"
    lines = [label]
    for instruction in block.instructions:
        text = f"    {render_instruction(instruction, names)}"
        lines.append(text + _comment(instruction.at) if locations else text)
    end = f"    {render_terminator(block.terminator)}"
    lines.append(end + _comment(block.terminator.at) if locations else end)
    return lines


def _comment(at: SourceLocation) -> str:
    if at is NOWHERE:
        return ""
    chain = str(at)
    while at.inlined_at is not None:
        at = at.inlined_at
        chain += f" < {at}"
    return f"  ; {chain}"


def _defined(register: Register, names: bool = True) -> str:
    name = f".{register.name}" if names and register.name else ""
    return f"%{register.index}{name}: {register.type}"


def _value(value: Value) -> str:
    if isinstance(value, Register):
        return f"%{value.index}"
    return str(value)


def _values(values: Iterable[Value]) -> str:
    return ", ".join(map(_value, values))


def render_instruction(instruction: Instruction, names: bool = True) -> str:
    """One line, without its place."""

    def made(register: Register) -> str:
        return _defined(register, names)

    match instruction:
        case Compute(result, operation, operands):
            return f"{made(result)} = {operation} {_values(operands)}"
        case Offset(result, base, offset):
            return f"{made(result)} = offset {_value(base)}, {_value(offset)}"
        case Load(result, address):
            return f"{made(result)} = load {_value(address)}"
        case Store(address, value):
            return f"store {_value(value)} to {_value(address)}" + _type_of(value)
        case Allocate(result, size, alignment, heap, zeroed, site, name, _, constant):
            kind = ("heap" if heap else "local") + (" zeroed" if zeroed else "")
            label = f" {name!r}" if name and names else ""
            kept = f" constant {constant}" if constant else ""
            return f"{made(result)} = allocate {kind} {_value(size)} align {alignment} site {site}{label}{kept}"
        case BeginLife(address):
            return f"begin {_value(address)}"
        case EndLife(address):
            return f"end {_value(address)}"
        case Free(address):
            return f"free {_value(address)}"
        case Copy(target, source, size, _, initial):
            return f"{'initialise' if initial else 'copy'} {_values((target, source, size))}"
        case Fill(target, byte, size):
            return f"fill {_values((target, byte, size))}"
        case Havoc(target, size, site):
            return f"havoc {_values((target, size))} site {site}"
        case Nondet(result, site):
            return f"{made(result)} = nondet site {site}"
        case Assume(condition):
            return f"assume {_value(condition)}"
        case Hint(condition):
            return f"hint {_value(condition)}"
        case Check(holds, check):
            return f"check {_value(holds)} number {check}"
        case Unsupported(site):
            return f"unsupported site {site}"
        case ValidAccess(result, address, size, write):
            return f"{made(result)} = valid_{'write' if write else 'access'} {_values((address, size))}"
        case Apart(result, target, source, size):
            return f"{made(result)} = apart {_values((target, source, size))}"
        case ValidFree(result, address):
            return f"{made(result)} = valid_free {_value(address)}"
        case NoLeak(result, reachable_ok):
            return f"{made(result)} = no_leak {'unreachable' if reachable_ok else 'any'}"
        case ObjectSize(result, address):
            return f"{made(result)} = object_size {_value(address)}"
        case Call(results, callee, arguments):
            left = ", ".join(map(made, results))
            return f"{left + ' = ' if left else ''}call {callee}({_values(arguments)})"
    assert_never(instruction)


def _type_of(value: Value) -> str:
    return "" if not isinstance(value, Register) else f" as {value.type}"


def render_terminator(terminator: Terminator) -> str:
    """One line, without its place."""
    match terminator:
        case Branch(edges):
            return "; ".join(map(_edge, edges))
        case Return(values):
            return f"return {_values(values)}".rstrip()
        case Stop():
            return "stop"
    assert_never(terminator)


def _edge(edge: Edge) -> str:
    arguments = f"({_values(edge.arguments)})" if edge.arguments else ""
    return f"{_guard(edge.guard)}goto {edge.target}{arguments}"


def _guard(guard: Guard) -> str:
    if guard.value is None:
        return ""
    relation = "not in" if guard.negated else "in"
    return f"if {_value(guard.value)} {relation} {{{', '.join(map(str, guard.cases))}}} "
