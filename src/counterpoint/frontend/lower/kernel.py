"""Kernel calls: the functions that the front end writes into IR (docs/kernel-calls.md)."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.irtypes import NotModelled
from counterpoint.program.external import NOWHERE
from counterpoint.program.model import (
    LOST,
    Allocate,
    Apart,
    Assume,
    Check,
    Constant,
    Copy,
    EndLife,
    Free,
    Havoc,
    Hint,
    NoLeak,
    Nondet,
    ObjectSize,
    Register,
    Stop,
    Unsupported,
    ValidAccess,
    ValidFree,
    Value,
)
from counterpoint.program.types import DOUBLE, SINGLE, TRUTH, IntType, Type

HEAP_ALIGNMENT = 16


def kernel_call(body: Body, name: str, callee: str, texts: list[str]) -> None:
    """Lowers one kernel call; a name that is none of them is NotModelled."""
    arguments = [body.typed(text)[1][0] for text in texts]
    if callee.startswith("__cp_nondet_"):
        result = body.register(_nondet_type(body, callee[12:]), name)
        body.emit(Nondet(result, _site(body, arguments[0]), body.at))
        body.define(name, result)
        return
    if callee.startswith("__cp_check"):
        _kernel_check(body, callee, arguments)
        return
    match callee, arguments:
        case "__cp_assume", [condition]:
            body.emit(Assume(condition, body.at))
        case "__cp_hint", [condition]:
            body.emit(Hint(condition, body.at))
        case "__cp_havoc", [target, size, number]:
            body.emit(Havoc(target, body.word(size), _site(body, number), body.at))
        case (("__cp_allocate" | "__cp_allocate_zeroed"), [size, number]):
            _allocate(body, name, body.word(size), callee.endswith("zeroed"), _site(body, number))
        case "__cp_local", [size, Constant(alignment), number]:
            site = _site(body, number)
            body.declare(name, site)
            _local(body, name, body.word(size), alignment, site)
        case "__cp_constant", [Register() as made, Constant(offset), Constant(size)]:
            _make_constant(body, made, offset, size)
        case "__cp_initialise", [target, source, size]:
            body.emit(Copy(target, source, body.word(size), body.at, initial=True))
        case "__cp_local_end", [address]:
            body.emit(EndLife(address, body.at))
        case "__cp_keep", [_]:
            pass  # said to LLVM only: what is in memory here stays there
        case "__cp_exposed", [address]:
            body.compute("int_from_pointer", (address,), body.types.word, "")
        case "__cp_free", [address]:
            body.emit(Free(address, body.at))
        case "__cp_object_size", [address]:
            size_of = body.register(body.types.word, name)
            body.emit(ObjectSize(size_of, address, body.at))
            body.define(name, size_of)
        case ("__cp_whole" | "__cp_inside"), [address, size]:
            holds = body.register(TRUTH)
            body.emit(ValidAccess(holds, address, body.word(size), False, body.at))
            nowhere = Constant(NOWHERE, body.types.pointer)
            body.define(name, body.compute("select", (holds, address, nowhere), body.types.pointer, name))
        case "__cp_pointer", [number]:
            body.define(name, body.compute("pointer_from_int", (number,), body.types.pointer, name))
        case "__cp_stop", _:
            body.terminator = Stop(body.at)
        case "__cp_unsupported", [number]:
            body.emit(Unsupported(_site(body, number), body.at))
            body.terminator = Stop(body.at)
        case _:
            raise NotModelled(f"the kernel call {callee}")


def _kernel_check(body: Body, callee: str, arguments: list[Value]) -> None:
    """Lowers a call that says what has to hold there."""
    match callee, arguments:
        case "__cp_check", [holds, number]:
            body.emit(Check(holds, _check(body, number), body.at))
        case ("__cp_check_access" | "__cp_check_write"), [address, _, size, number]:
            holds = body.register(TRUTH)
            body.emit(ValidAccess(holds, address, body.word(size), callee == "__cp_check_write", body.at))
            body.emit(Check(holds, _check(body, number), body.at))
        case "__cp_check_apart", [target, source, size, number]:
            holds = body.register(TRUTH)
            body.emit(Apart(holds, target, source, body.word(size), body.at))
            body.emit(Check(holds, _check(body, number), body.at))
        case "__cp_check_free", [address, number]:
            holds = body.register(TRUTH)
            body.emit(ValidFree(holds, address, body.at))
            body.emit(Check(holds, _check(body, number), body.at))
        case "__cp_check_leak", [number]:
            check = _check(body, number)
            holds = body.register(TRUTH)
            body.emit(NoLeak(holds, body.context.checks[check].kind == LOST, body.at))
            body.emit(Check(holds, check, body.at))
        case _:
            raise NotModelled(f"the kernel call {callee}")


def _nondet_type(body: Body, suffix: str) -> Type:
    match suffix:
        case "float":
            return SINGLE
        case "double":
            return DOUBLE
        case "ptr":
            return body.types.pointer
    if suffix[:1] == "i" and suffix[1:].isdigit():
        return IntType(int(suffix[1:]))
    raise NotModelled(f"the kernel call __cp_nondet_{suffix}")


def _site(body: Body, number: Value) -> int:
    if isinstance(number, Constant) and number.bits < len(body.context.sites):
        return number.bits
    raise NotModelled("a kernel call whose site is not in the table")


def _check(body: Body, number: Value) -> int:
    if isinstance(number, Constant) and number.bits < len(body.context.checks):
        return number.bits
    raise NotModelled("a kernel call whose check is not in the table")


def _allocate(body: Body, name: str, size: Value, zeroed: bool, site: int) -> None:
    result = body.register(body.types.pointer, name)
    body.emit(Allocate(result, size, HEAP_ALIGNMENT, heap=True, zeroed=zeroed, site=site, at=body.at))
    body.define(name, result)


def _make_constant(body: Body, local: Register, offset: int, size: int) -> None:
    """A part of the local that was made last must not be written, but by its initialiser."""
    for position in reversed(range(len(body.instructions))):
        made = body.instructions[position]
        if isinstance(made, Allocate) and made.result == local:
            body.instructions[position] = replace(made, constant=(*made.constant, (offset, size)))
            return
    raise NotModelled("a constant part of what is no local")


def _local(body: Body, name: str, size: Value, alignment: int, site: int) -> None:
    result = body.register(body.types.pointer, name)
    local = body.context.sites[site].name
    body.emit(Allocate(result, size, max(1, alignment), heap=False, zeroed=False, site=site, name=local, at=body.at))
    body.define(name, result)
