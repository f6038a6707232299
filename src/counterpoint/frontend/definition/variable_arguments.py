"""Variable arguments: how a caller lays them out in memory, and how a callee takes them from there.

The area of a call has two halves. The upper one holds the arguments in the order and at the alignment in which the
target passes them on the stack; the lower one, a fixed distance below, says at each slot what kind of argument
begins there. So `va_arg` sees whether there is an argument and whether it has the type asked for (C17 7.16.1.1p2), as
far as LLVM's types tell: signed and unsigned are one there, so are pointers, and integers of one width. A structure
that clang hands over in pieces is only seen to be there.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import accesses
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.va_arg import aligned, slot_size
from counterpoint.frontend.irtext import Call, argument, leading_type, parse_call
from counterpoint.frontend.lower.irtypes import TypeTable
from counterpoint.property import Instrument

AREA = "%cp.va"
"""The parameter that a function with a list gets: the address of the first variable argument."""

_BYVAL = regex(r"byval\(((?:[^()]|\([^()]*\))*)\)")
_X86_64 = 8  # where a list of x86-64 has the address of the next argument on the stack

_NONE, _PIECE, _REST, _POINTER, _DOUBLE = 0, 1, 2, 3, 4
"""What a slot says: no argument, an argument of another kind, one that began before, ...; integers: 16 + bytes."""

_INTEGER_CLASSES = frozenset({1, 2, 3, 4})
_POINTER_CLASS, _REAL_CLASS = 5, 8
TOO_FEW = "there is no variable argument left, or the list is not open"
_OTHER_TYPE = "the variable argument has another type"


def distance(lines: Iterable[str], types: TypeTable) -> int:
    """How far below an argument its kind is written, in bytes: enough for every call of the program.

    Linear in the lines; each argument is counted with 16 bytes at least.
    """
    most = 0
    for line in lines:
        if "...)" in line and " call " in line and (call := parse_call(line)) is not None:
            most = max(most, sum(_room(text, types) for text in call.arguments))
    return most + 64


def _room(text: str, types: TypeTable) -> int:
    inside = _BYVAL.search(text)
    size = types.size(types.parse(inside[1] if inside else leading_type(text)))
    return -(-size // 16) * 16


def lay_out(body: Body, arguments: list[str], debug: str) -> str | None:
    """Stores the arguments into an array of the calling function; its address, None if one has no place."""
    shared = body.shared
    triple = shared.module.triple
    slot = slot_size(triple)
    if slot is None:
        return None
    places: list[tuple[int, str, str, int]] = []  # offset, type, value, bytes to copy (0: a value)
    kinds: dict[int, int] = {}
    end = 0
    for text in arguments:
        type_, value = argument(text)
        inside = _BYVAL.search(text)
        parsed = shared.types.parse(inside[1] if inside else type_)
        size = shared.types.size(parsed)
        if size == 0 and not inside:
            return None
        alignment = aligned(triple, shared.types.alignment(parsed))
        end = -(-end // alignment) * alignment
        places.append((end, type_, value, size if inside else 0))
        after = end + -(-size // slot) * slot
        kinds |= dict.fromkeys(range(end, after, slot), _REST)
        if size:
            kinds[end] = _PIECE if inside else _kind(type_)
        end = after
    below = shared.distance
    if end + 32 > below:
        return None
    area = body.fresh()
    body.top.append(f"  {area} = alloca [{below + end} x i8], align 16")
    for offset in range(0, end + 32, slot):
        body.emit(f"store i8 {kinds.get(offset, _NONE)}, ptr {_at(body, area, offset, debug)}, align 1", debug)
    for offset, type_, value, size in places:
        address = _at(body, area, below + offset, debug)
        if size:
            copy(body, address, value, size, debug)
        else:
            body.emit(f"store {type_} {value}, ptr {address}, align 1", debug)
    return _at(body, area, below, debug)


def _at(body: Body, address: str, offset: int, debug: str) -> str:
    if not offset:
        return address
    return body.compute(f"getelementptr i8, ptr {address}, {body.shared.word} {offset}", debug)


def _kind(type_: str) -> int:
    """What a slot says of an argument of LLVM's type."""
    if type_ in ("i32", "i64", "i128"):
        return 16 + int(type_[1:]) // 8
    return {"ptr": _POINTER, "double": _DOUBLE}.get(type_, _PIECE)


def copy(body: Body, to: str, source: str, size: int, debug: str) -> None:
    """memcpy of a known number of bytes."""
    word = body.shared.word
    accesses.check_access(body, source, word, str(size), debug)
    body.shared.module.declared.setdefault(
        f"llvm.memcpy.p0.p0.{word}", f"declare void @llvm.memcpy.p0.p0.{word}(ptr, ptr, {word}, i1)"
    )
    body.emit(f"call void @llvm.memcpy.p0.p0.{word}(ptr {to}, ptr {source}, {word} {size}, i1 false)", debug)


# ------------------------------------------------------------------ lists


def rewrite_list(body: Body, call: Call, name: str, debug: str) -> None:
    """va_start, va_copy and va_end, which leaves no list behind."""
    word, bits = body.shared.word, body.shared.pointer_bits
    address = argument(call.arguments[0])[1]
    on_x86_64 = body.shared.module.triple.startswith("x86_64")
    if slot_size(body.shared.module.triple) is None:
        if "va_end" not in name:
            body.unsupported("variable arguments on this target", debug)
    elif "va_copy" in name:
        copy(body, address, argument(call.arguments[1])[1], 24 if on_x86_64 else bits // 8, debug)
    elif on_x86_64 and "va_start" in name:
        fields = ((0, "i32 48"), (4, "i32 176"), (8, f"ptr {AREA}"), (16, "ptr null"))
        for offset, value in fields:
            place = body.compute(f"getelementptr i8, ptr {address}, {word} {offset}", debug)
            body.emit(f"store {value}, ptr {place}, align 1", debug)
    else:
        place = _at(body, address, _X86_64, debug) if on_x86_64 else address
        if "va_end" in name:
            accesses.check_access(body, place, word, str(bits // 8), debug, "write")
        body.emit(f"store ptr {'null' if 'va_end' in name else AREA}, ptr {place}, align 1", debug)


def take(body: Body, call: Call, debug: str) -> None:
    """va_arg: the address of the next argument, which is of the type asked for; the list goes on behind it."""
    shared = body.shared
    triple, word = shared.module.triple, shared.word
    slot = slot_size(triple)
    (_, list_), *numbers = [argument(text) for text in call.arguments]
    constants = [int(value) for _, value in numbers if value.isdigit()]
    if slot is None or len(constants) != 3 or call.type != "ptr":
        body.unsupported("a variable argument of this kind", debug)
        return
    size, alignment, class_ = constants
    on_x86_64 = triple.startswith("x86_64")
    if on_x86_64 and alignment > slot:  # callers that hand over its halves do not say where it begins
        body.unsupported("a variable argument that is aligned beyond a word", debug)
        return
    place = _at(body, list_, _X86_64, debug) if on_x86_64 else list_
    accesses.check_access(body, place, word, str(shared.pointer_bits // 8), debug)
    here = body.compute(f"load ptr, ptr {place}, align 1", debug)
    _require(body, body.compute(f"icmp ne ptr {here}, null", debug), TOO_FEW, debug)
    if (wanted := aligned(triple, alignment)) > slot:
        here = _rounded_up(body, here, wanted, debug)
    _check(body, here, (size, class_, slot), debug)
    after = _at(body, here, -(-size // slot) * slot, debug)
    body.emit(f"store ptr {after}, ptr {place}, align 1", debug)
    body.compute(f"freeze ptr {here}", debug, call.result)


def _check(body: Body, here: str, wanted: tuple[int, int, int], debug: str) -> None:
    """There is an argument here, and it has the type; `wanted`: size, class, bytes of a slot."""
    size, class_, slot = wanted
    if not size:
        return
    first = _kind_at(body, here, 0, debug)
    if (expected := _expected(size, class_)) is None:
        last = _kind_at(body, here, (size - 1) // slot * slot, debug) if size > slot else first
        for kind in dict.fromkeys((first, last)):
            _require(body, body.compute(f"icmp ne i8 {kind}, {_NONE}", debug), TOO_FEW, debug)
        return
    same = body.compute(f"icmp eq i8 {first}, {expected}", debug)
    right, wrong = body.fresh_label("right"), body.fresh_label("wrong")
    body.emit(f"br i1 {same}, label %{right}, label %{wrong}", debug)
    body.split(wrong)
    _require(body, body.compute(f"icmp ne i8 {first}, {_NONE}", debug), TOO_FEW, debug)
    body.undefined(_OTHER_TYPE, debug)
    body.emit("unreachable")
    body.split(right)


def _kind_at(body: Body, here: str, offset: int, debug: str) -> str:
    place = body.compute(
        f"getelementptr i8, ptr {here}, {body.shared.word} {offset - body.shared.distance}", debug
    )
    accesses.check_access(body, place, body.shared.word, "1", debug)
    return body.compute(f"load i8, ptr {place}, align 1", debug)


def _expected(size: int, class_: int) -> int | None:
    """What the slot has to say; None for structures and the like, of which it says nothing.

    Nothing promoted is a `char`, a `short` or a `float`: for these no slot says it.
    """
    if class_ in _INTEGER_CLASSES:
        return 16 + size
    if class_ == _POINTER_CLASS:
        return _POINTER
    return _DOUBLE if class_ == _REAL_CLASS and size == 8 else 255 if class_ == _REAL_CLASS and size == 4 else None


def _require(body: Body, holds: str, what: str, debug: str) -> None:
    """Where it does not hold there is nothing to be read."""
    good, bad = body.fresh_label("given"), body.fresh_label("missing")
    body.emit(f"br i1 {holds}, label %{good}, label %{bad}", debug)
    body.split(bad)
    if body.shared.property.asks_for(Instrument.ACCESSES):
        body.violation("valid-deref", what, debug)
    else:
        body.undefined(what, debug)
    body.emit("unreachable")
    body.split(good)


def _rounded_up(body: Body, address: str, alignment: int, debug: str) -> str:
    word = body.shared.word
    number = body.compute(f"ptrtoint ptr {address} to {word}", debug)
    negative = body.compute(f"sub {word} 0, {number}", debug)
    gap = body.compute(f"and {word} {negative}, {alignment - 1}", debug)
    return body.compute(f"getelementptr i8, ptr {address}, {word} {gap}", debug)
