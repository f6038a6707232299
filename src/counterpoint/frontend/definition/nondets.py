"""`__VERIFIER_nondet_*`: the inputs of a verification task."""

from __future__ import annotations

from counterpoint.frontend.definition import accesses, call_types
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import Call, argument

C_TYPES = {
    "bool": "_Bool", "_Bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char",
    "short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned int",
    "unsigned": "unsigned int", "unsigned_int": "unsigned int", "long": "long", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long", "int128": "__int128",
    "uint128": "unsigned __int128", "float": "float", "double": "double", "size_t": "size_t",
    "loff_t": "long long", "sector_t": "unsigned long", "pthread_t": "unsigned long", "pointer": "void *",
    "pchar": "char *", "charp": "char *", "const_char_pointer": "const char *", "Bool": "_Bool",
}  # fmt: skip
_WIDTHS = {8: "char", 16: "short", 32: "int", 64: "long long"}
for _bits, _type in _WIDTHS.items():
    C_TYPES |= dict.fromkeys((f"u{_bits}", f"U{_bits}", f"uint{_bits}_t"), f"unsigned {_type}")
    C_TYPES |= dict.fromkeys((f"s{_bits}", f"S{_bits}", f"int{_bits}_t"), f"signed {_type}" if _bits == 8 else _type)

_BITS = {"char": 8, "short": 16, "int": 32, "long long": 64, "__int128": 128}

_SHARED_VALUES = {
    "char": (0, 1 << 7), "schar": (-1 << 7, 1 << 8), "uchar": (0, 1 << 8),
    "short": (-1 << 15, 1 << 16), "ushort": (0, 1 << 16),
    "int": (-1 << 31, 1 << 32), "uint": (0, 1 << 32), "unsigned": (0, 1 << 32), "unsigned_int": (0, 1 << 32),
}  # fmt: skip
"""Least value and how many there are, of the types that are narrower than some declared ones, on every target."""


def rewrite(body: Body, call: Call, name: str, debug: str) -> None:
    """An input of the call's type; a truth value is 0 or 1 whatever type it is declared with."""
    kind = name.removeprefix("__VERIFIER_nondet_")
    if kind == "memory" and len(call.arguments) == 2:
        address, given = (argument(text) for text in call.arguments)
        start = call_types.convert(body, address, "ptr", debug)
        size = _as_size(body, given, debug)
        if start is None or size is None:
            body.unsupported(f"call of {name} with arguments of other types", debug)
            return
        accesses.check_access(body, start, body.shared.word, size, debug, "write")
        index = body.site("call", name, "unsigned char", debug)
        body.kernel("__cp_havoc", f"ptr {start}, {body.shared.word} {size}, i32 {index}", debug)
    elif kind in ("bool", "_Bool") and call.type[0] == "i" and call.type != "i1":
        bit = body.nondet("i1", "call", name, debug, shown="_Bool")
        body.compute(f"zext i1 {bit} to {call.type}", debug, call.result)
    elif call.type != "void" and _is_other_type(body, C_TYPES.get(kind, ""), call.type):
        what = f"call of {name}, declared to return {call.type}, not {C_TYPES[kind]}"
        if kind in _SHARED_VALUES and call.type[0] == "i":
            shown = _WIDTHS.get(int(call.type[1:]), call.type)
            value = body.nondet(call.type, "call", name, debug, call.result, shown)
            _as_declared(body, call.type, value, _SHARED_VALUES[kind], what, debug)
        else:
            body.unsupported(what, debug)
    elif call.type != "void":
        body.nondet(call.type, "call", name, debug, call.result, C_TYPES.get(kind, call.type))


def _as_declared(body: Body, type_: str, value: str, shared: tuple[int, int], what: str, debug: str) -> None:
    """Goes on with the values that the function's type and the wider declared one share: a run with one of them is a
    run whichever type is meant. There is no proof, as such a function may hand on any other value too."""
    least, count = shared
    distance = body.compute(f"sub {type_} {value}, {least}", debug)
    fits = body.compute(f"icmp ult {type_} {distance}, {count}", debug)
    with body.where_not(fits, ""):  # no branch of the source
        body.unsupported(what, debug)


def _is_other_type(body: Body, named: str, declared: str) -> bool:
    """Whether a declared type has values that the type of the function's name ("" for none) has not."""
    if not named:
        return False
    if named in ("float", "double") or named[-1] == "*":
        return declared != ("ptr" if named[-1] == "*" else named)
    if declared[0] != "i" or not declared[1:].isdigit():
        return True
    plain = named.removeprefix("unsigned ").removeprefix("signed ")
    bits = _BITS.get(plain, body.shared.pointer_bits)
    return int(declared[1:]) > max(bits, 64 if named == "unsigned long" else 0)


def _as_size(body: Body, given: tuple[str, str], debug: str) -> str | None:
    """A number of bytes as wide as a pointer: without a prototype an `int` is passed."""
    type_, value = given
    bits = body.shared.pointer_bits
    if type_[0] == "i" and type_[1:].isdigit() and int(type_[1:]) < bits:
        return body.compute(f"sext {type_} {value} to i{bits}", debug)
    return call_types.convert(body, given, f"i{bits}", debug)
