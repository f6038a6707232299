"""Shifts: the amount's own type, the promoted type of the left operand, signed left shifts."""

from __future__ import annotations

from fuzz_corners.kit import (
    CHAR,
    INT,
    INT128,
    LLONG,
    OVERFLOW,
    SHORT,
    UCHAR,
    UINT,
    UINT128,
    ULLONG,
    UNREACH,
    USHORT,
    Draw,
    Part,
    literal,
    shape,
)


@shape(UNREACH, "undefined|error", weight=4)
def amount_is_too_large(d: Draw) -> Part:
    """An amount whose low bits look right: the result is arbitrary if there is a fault."""
    left = d.choose((INT, UINT, d.model.ulong, ULLONG, LLONG, UCHAR, SHORT))
    bits = max(32, left.bits)
    low = d.between(1, 7)
    wide = d.choose((LLONG, ULLONG)) if d.model.word == 32 else d.choose((LLONG, ULLONG, d.model.long))
    choices = [(bits + low, INT), ((1 << 32) + low, wide), ((1 << 40) + low, wide), (low - (1 << 31), INT)]
    value, type = d.choose(choices) if d.fault else (low, d.choose((INT, wide, UCHAR, CHAR, USHORT)))
    x = d.between(1, 100)
    right = d.coin()
    op, result = (">>", x >> low) if right else ("<<", x << low)
    shifted = f"{d.hide(x, left)} {op} {d.hide(value, type)}"
    return d.part(f"A(({shifted}) == {result});")


@shape(UNREACH, "undefined|error", models=("LP64",), weight=2)
def amount_of_128_bits(d: Draw) -> Part:
    left = d.choose((INT, LLONG, INT128, UINT128))
    bits = left.bits
    low = d.between(1, 5)
    value = d.choose(((1 << 64) + low, (1 << 100) + low, bits + low)) if d.fault else low
    return d.part(f"A(({d.hide(3, left)} << {d.hide(value, d.choose((INT128, UINT128)))}) == {3 << low});")


@shape(UNREACH, "error", weight=3)
def arithmetic_shift_right(d: Draw) -> Part:
    """Of a negative number: rounds down; of a negative narrow number: promoted first."""
    type = d.choose((INT, LLONG, SHORT, CHAR, d.model.long))
    amount = d.below(max(type.bits, 32) if type.bits > 16 else 31)
    value = -abs(d.value(type)) or -1
    result = (value >> amount) + (d.choose((1, -1)) if d.fault else 0)
    return d.part(f"A(({d.hide(value, type)} >> {d.hide(amount, d.choose((INT, CHAR, ULLONG)))}) == {literal(result, LLONG)});")


@shape(UNREACH, "error", weight=2)
def power_of_two_of_any_amount(d: Draw) -> Part:
    bits, type = d.choose(((32, "unsigned"), (64, "unsigned long long")))
    given = d.asked(LLONG, 7)
    return d.part(
        f"long long n = {given};",
        f"if (n < 0 || n >= {bits}) return;",
        f"{type} r = ({type})1 << n;",
        f"A(r != 0 && (r & (r - 1)) == 0 && (r >> n) == {1 if not d.fault else 'n - 6 + (n == 7)'});",
    )


@shape(OVERFLOW, "undefined", weight=4)
def signed_left_shift(d: Draw) -> Part:
    """Of a value that is not negative: the mathematical result is representable or not."""
    type = d.choose((INT, LLONG, d.model.long, SHORT, UCHAR))
    bits = max(32, type.bits)
    amount = d.between(1, min(bits - 2, 30))
    least = 1 << (bits - 1 - amount)
    if d.fault:
        if type.bits < 32:
            amount, value = d.between(31 - type.bits + (type is SHORT) + 1, 30), type.most
            if value << amount < 1 << 31:
                amount = 31
        else:
            value = d.choose((least, least + 1, type.most))
    else:
        value = min(type.most, least - 1)
    how = d.below(3)
    x, n = d.hide(value, type), d.hide(amount, d.choose((INT, UCHAR, ULLONG)))
    if how == 0 and type.bits >= 32:
        return d.part(f"{type.name} x = {x};", f"x <<= {n};", "volatile long long r = x;")
    return d.part(f"volatile long long r = {x} << {n};")
