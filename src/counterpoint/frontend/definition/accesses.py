"""Memory-safety checks: every access lies inside the live object that its address came from.

The checks stand before the accesses and are written before any LLVM pass runs, so that none is lost.
An access at a constant offset inside a local or global that is named in the instruction needs none.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument, debug_of, leading_type
from counterpoint.frontend.lower.irtypes import accessed_bytes, constant_offset
from counterpoint.frontend.lower.text import split_commas, unquoted
from counterpoint.property import Instrument

_GEP = regex(r"^  (%[^ ]+) = getelementptr (.*)$")
_CONSTANT_GEP = regex(r"^getelementptr (?:\w+ )*\((.*)\)$")
_LOAD = regex(r"^  %[^ ]+ = load (?:volatile )?")
_STORE = regex(r"^  store (?:volatile )?")
_DEFINED = regex(r" = (?:[\w()]+ )*?(?:global|constant) ")


def note_address(body: Body, line: str) -> None:
    """Remembers from which base a getelementptr line computes, and the offset in bytes if it is constant."""
    match = _GEP.match(line)
    if match is not None:
        base, offset = _computed(body, match[2].partition(", !dbg")[0])
        body.bases[match[1]] = (base, offset)


def is_outside(body: Body, address: str) -> bool:
    """Whether the address is at a constant offset outside the local or global that it starts from."""
    base, offset = _start(body, address)
    extent = _extent(body, base) if offset else None
    return extent is not None and offset is not None and not 0 <= offset < extent


def arbitrary_read(body: Body, line: str) -> bool:
    """Replaces a load from outside its object by an arbitrary value; False if it is none.

    LLVM would take the value for undefined and use that.
    """
    start = _LOAD.match(line)
    if start is None:
        return False
    type_ = leading_type(line[start.end() :])
    if not is_outside(body, _pointer(line[start.end() + len(type_) + 2 :])):
        return False
    result = line[2 : line.index(" = ")]
    body.nondet(type_, "undef", "a read outside an object", debug_of(line), result)
    return True


def check_load(body: Body, line: str) -> None:
    """Writes the check of a `load` line, if it needs one."""
    start = _LOAD.match(line)
    if start is None:
        return
    type_ = leading_type(line[start.end() :])
    address = _pointer(line[start.end() + len(type_) + 2 :])
    check_access(body, address, body.shared.word, str(accessed_bytes(body.shared.types, type_)), debug_of(line), "read")


def check_store(body: Body, line: str) -> None:
    """Writes the check of a `store` line, if it needs one."""
    start = _STORE.match(line)
    if start is None:
        return
    parts = split_commas(line[start.end() :])
    type_ = leading_type(parts[0])
    size = str(accessed_bytes(body.shared.types, type_))
    check_access(body, _pointer(parts[1]), body.shared.word, size, debug_of(line), "write")


def check_block(body: Body, call: Call, debug: str) -> None:
    """Writes the checks of memcpy (whose ranges must not overlap), memmove and memset."""
    type_, size = argument(call.arguments[2])
    check_access(body, argument(call.arguments[0])[1], type_, size, debug, "write")
    if "memset" not in call.callee:
        check_access(body, argument(call.arguments[1])[1], type_, size, debug, "read")
    if "memcpy" in call.callee:
        _check_apart(body, argument(call.arguments[0])[1], argument(call.arguments[1])[1], type_, size, debug)


def check_access(body: Body, address: str, type_: str, size: str, debug: str, what: str = "read") -> None:
    """Writes the check that `address`[0..size) is valid; `type_` is size's type."""
    if not body.shared.property.asks_for(Instrument.ACCESSES):
        return
    base, offset = _start(body, address)
    write = what == "write"
    if size.isdigit() and not (write and _is_constant(body, base)):
        extent = _extent(body, base)
        if extent is not None and offset is not None and offset >= 0 and offset + int(size) <= extent:
            return
    if type_ != body.shared.word:
        size = body.compute(f"{_resize(body, type_)} {type_} {size} to {body.shared.word}", debug)
    amount = f"{size} byte{'' if size == '1' else 's'}" if size.isdigit() else "memory"
    index = body.shared.tables.check("valid-deref", f"invalid {what} of {amount}", debug)
    word = body.shared.word
    name = "__cp_check_write" if write else "__cp_check_access"
    body.kernel(name, f"ptr {address}, ptr {base}, {word} {size}, i32 {index}", debug)


def check_overlap(body: Body, call: Call, debug: str) -> None:
    """Writes the check that a library model asks for, after it has checked the two ranges."""
    (_, target), (_, source), (type_, size) = map(argument, call.arguments[:3])
    _check_apart(body, target, source, type_, size, debug)


def _check_apart(body: Body, target: str, source: str, type_: str, size: str, debug: str) -> None:
    """Writes the check that the ranges of a copy do not overlap, unless they start from two named objects."""
    asked = body.shared.property.asks_for
    if not (asked(Instrument.ACCESSES) or asked(Instrument.OVERLAPS)) or target == source:
        return
    ends = {_start(body, target)[0], _start(body, source)[0]}
    if len(ends) == 2 and all(_extent(body, end) is not None for end in ends):
        return
    word = body.shared.word
    if type_ != word and not size.isdigit():
        size = body.compute(f"{_resize(body, type_)} {type_} {size} to {word}", debug)
    kind = "valid-deref" if asked(Instrument.ACCESSES) else "overlap"
    index = body.shared.tables.check(kind, "memory is copied onto an overlapping part of itself", debug)
    if asked(Instrument.ACCESSES):  # both ranges were checked to be valid
        body.kernel("__cp_check_apart", f"ptr {target}, ptr {source}, {word} {size}, i32 {index}", debug)
    else:
        _check_valid_parts_apart(body, target, source, size, index, debug)


def _check_valid_parts_apart(body: Body, target: str, source: str, size: str, index: int, debug: str) -> None:
    """Writes the check of two ranges that may be invalid, of which `__cp_check_apart` says nothing: of both where both
    are valid, and of as much of them as lies in objects of the program."""
    word = body.shared.word
    whole = [body.kernel("__cp_inside", f"ptr {place}, {word} {size}", debug) for place in (target, source)]
    body.kernel("__cp_check_apart", f"ptr {whole[0]}, ptr {whole[1]}, {word} {size}, i32 {index}", debug)
    inside = size
    for place in (target, source):
        there = body.kernel("__cp_object_size", f"ptr {place}", debug)
        fewer = body.compute(f"icmp ult {word} {there}, {inside}", debug)
        inside = body.compute(f"select i1 {fewer}, {word} {there}, {word} {inside}", debug)
    body.kernel("__cp_check_apart", f"ptr {target}, ptr {source}, {word} {inside}, i32 {index}", debug)


def is_numeric(body: Body, address: str) -> bool:
    """Whether the address is a constant number, or computed from one by constant offsets."""
    base, offset = _start(body, address)
    return offset is not None and base.startswith("inttoptr (")


def _resize(body: Body, type_: str) -> str:
    return "zext" if int(type_[1:]) < body.shared.pointer_bits else "trunc"


def _pointer(text: str) -> str:
    """The address in `ptr ADDRESS, align 4, ...`."""
    return split_commas(text.strip().removeprefix("ptr "))[0]


def start_of(body: Body, address: str) -> str:
    """The value that the computation of an address started from."""
    return _start(body, address)[0]


def _start(body: Body, address: str) -> tuple[str, int | None]:
    """Where the computation of an address started and the constant offset from there, None if it varies."""
    if address in body.bases:
        return body.bases[address]
    constant = _CONSTANT_GEP.match(address)
    if constant is not None:
        return _computed(body, constant[1])
    return address, 0


def _computed(body: Body, operands: str) -> tuple[str, int | None]:
    parts = split_commas(operands)
    flagless = re.sub(r"^(?:(?:inbounds|nuw|nusw) )+", "", parts[0])
    base, before = _start(body, parts[1].removeprefix("ptr "))
    offset = constant_offset(body.shared.types, flagless, parts[2:])
    return base, None if before is None or offset is None else before + offset


def _extent(body: Body, base: str) -> int | None:
    """The size in bytes of the local or global that `base` names, None if it names neither."""
    if base in body.locals:
        return body.locals[base]
    if base.startswith("@"):
        line = body.shared.module.globals.get(unquoted(base[1:]))
        match = _DEFINED.search(line) if line else None
        if line and match is not None and not re.search(r"= (?:external|extern_weak) ", line):
            return body.shared.types.size(body.shared.types.parse(leading_type(line[match.end() :])))
    return None


def _is_constant(body: Body, base: str) -> bool:
    """Whether `base` names a global or local that must not be written, or not everywhere."""
    if base in body.constant or (base[0] == "@" and unquoted(base[1:]) in body.shared.partly_constant):
        return True
    line = body.shared.module.globals.get(unquoted(base[1:])) if base.startswith("@") else None
    return line is not None and re.search(r"\bconstant ", line) is not None
