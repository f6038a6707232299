"""_BitInt: its own widths, no promotion, overflow."""

from __future__ import annotations

from fuzz_corners.kit import INT, OVERFLOW, UNREACH, CType, Draw, Part, shape


def _type(bits: int, signed: bool) -> CType:
    return CType(f"{'signed' if signed else 'unsigned'} _BitInt({bits})", bits, signed)


@shape(UNREACH, "error", compilers=("clang",), weight=3)
def wraps_at_its_width(d: Draw) -> Part:
    bits = d.choose((2, 3, 7, 9, 17, 24, 31, 33, 48, 63))
    signed = d.coin()
    type = _type(bits, signed)
    a, b = type.wrap(d.random.getrandbits(62)), type.wrap(d.random.getrandbits(62))
    op = d.choose("+-*&|^")
    result = type.wrap({"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op])
    if d.fault:
        result = type.wrap(result + 1)
    return d.part(
        f"{type.name} x = ({type.name})({a}LL), y = ({type.name})({b}LL);", f"{type.name} z = x {op} y;", f"A((long long)z == {result}LL);"
    )


@shape(UNREACH, "error", compilers=("clang",), weight=2)
def compared_and_shifted(d: Draw) -> Part:
    bits = d.choose((5, 12, 20, 40))
    type = _type(bits, True)
    a = type.wrap(d.random.getrandbits(bits))
    amount = d.below(bits)
    result = (a >> amount) + int(d.fault)
    return d.part(f"{type.name} x = ({type.name})({a}LL);", f"A((long long)(x >> {d.hide(amount)}) == {result}LL);")


@shape(UNREACH, "error", compilers=("clang",), weight=2)
def mixed_with_int(d: Draw) -> Part:
    """With an int the arithmetic is the int's if that is wider."""
    bits = d.choose((4, 9, 17))
    type = _type(bits, True)
    a = type.most
    return d.part(f"{type.name} x = ({type.name}){a};", f"A(x + {d.hide(1, INT, inputs=False)} {'!=' if d.fault else '=='} {a + 1});")


@shape(OVERFLOW, "undefined|", compilers=("clang",), weight=3)
def overflow_at_its_width(d: Draw) -> Part:
    bits = d.choose((9, 17, 33, 40))
    type = _type(bits, True)
    by = d.between(1, 5)
    most = type.most - (0 if d.fault else by)
    change = d.choose((f"x = x + ({type.name}){by};", f"x += ({type.name}){by};"))
    if d.coin():
        return d.part(f"{type.name} x = ({type.name})({most}LL);", change)
    return d.part(f"{type.name} x = ({type.name})({-most - 1}LL);", change.replace("+", "-"))
