"""`__VERIFIER_nondet_*`: the inputs of a verification task."""

from __future__ import annotations

from counterpoint.frontend import accesses, variadic
from counterpoint.frontend.body import Body
from counterpoint.frontend.irtext import Call, argument

C_TYPES = {
    "bool": "_Bool", "_Bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char",
    "short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned int",
    "unsigned": "unsigned int", "unsigned_int": "unsigned int", "long": "long", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long", "int128": "__int128",
    "uint128": "unsigned __int128", "float": "float", "double": "double", "size_t": "size_t",
    "loff_t": "long long", "sector_t": "unsigned long", "u8": "unsigned char", "u16": "unsigned short",
    "u32": "unsigned int", "u64": "unsigned long long", "pointer": "void *", "pchar": "char *",
}  # fmt: skip


def rewrite(body: Body, call: Call, name: str, debug: str) -> None:
    """An input of the call's type; a truth value is 0 or 1 whatever type it is declared with."""
    kind = name.removeprefix("__VERIFIER_nondet_")
    if kind == "memory" and len(call.arguments) == 2:
        address, given = (argument(text) for text in call.arguments)
        start = variadic.convert(body, address, "ptr", debug)
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
    elif call.type != "void":
        body.nondet(call.type, "call", name, debug, call.result, C_TYPES.get(kind, call.type))


def _as_size(body: Body, given: tuple[str, str], debug: str) -> str | None:
    """A number of bytes as wide as a pointer: without a prototype an `int` is passed."""
    type_, value = given
    bits = body.shared.pointer_bits
    if type_[0] == "i" and type_[1:].isdigit() and int(type_[1:]) < bits:
        return body.compute(f"sext {type_} {value} to i{bits}", debug)
    return variadic.convert(body, given, f"i{bits}", debug)
