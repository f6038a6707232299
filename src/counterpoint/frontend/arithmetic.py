"""Operations that C leaves undefined for some operands: there the result is a fresh arbitrary value.

The operation itself is computed on operands made safe, so that no run of it is undefined:
`select bad, arbitrary, op(a, select bad, harmless, b)`.
"""

from __future__ import annotations

import re
import struct

from counterpoint.frontend.body import Body
from counterpoint.frontend.irtext import debug_of

_BINARY = re.compile(r"^  (%[^ ]+) = (\w+) (i\d+) ([^,]+), ([^,]+)(?:, !dbg .*)?$")
_CONVERSION = re.compile(r"^  (%[^ ]+) = (fpto[su]i) (float|double) ([^ ,]+) to i(\d+)")


def guard_division(body: Body, line: str) -> None:
    """sdiv, udiv, srem, urem: a divisor of 0, and the least number divided by -1, are undefined."""
    match = _BINARY.match(line)
    if match is None:  # vectors; the lowering has no meaning for them
        body.out.append(line)
        return
    result, operation, type_, left, right = match.groups()
    debug, bits = debug_of(line), int(type_[1:])
    signed = operation[0] == "s"
    least = -(1 << (bits - 1))
    divisor = _constant(right)
    if divisor is not None and divisor != 0 and not (signed and divisor == -1):
        body.out.append(line)
        return
    bad = body.compute(f"icmp eq {type_} {right}, 0", debug)
    dividend = _constant(left)
    if signed and bits > 1 and (dividend is None or dividend == least):
        minus = body.compute(f"icmp eq {type_} {right}, -1", debug)
        lowest = body.compute(f"icmp eq {type_} {left}, {least}", debug)
        overflow = body.compute(f"and i1 {minus}, {lowest}", debug)
        bad = body.compute(f"or i1 {bad}, {overflow}", debug)
    safe = body.compute(f"select i1 {bad}, {type_} 1, {type_} {right}", debug)
    value = body.compute(f"{operation} {type_} {left}, {safe}", debug)
    _choose(body, bad, value, type_, (result, "division"), debug)


def guard_shift(body: Body, line: str) -> None:
    """shl, lshr, ashr: an amount that is not below the width is undefined."""
    match = _BINARY.match(line)
    if match is None:
        body.out.append(line)
        return
    result, operation, type_, left, right = match.groups()
    debug, bits = debug_of(line), int(type_[1:])
    amount = _constant(right)
    if amount is not None and 0 <= amount < bits:
        body.out.append(line)
        return
    bad = body.compute(f"icmp uge {type_} {right}, {bits}", debug)
    safe = body.compute(f"select i1 {bad}, {type_} 0, {type_} {right}", debug)
    value = body.compute(f"{operation} {type_} {left}, {safe}", debug)
    _choose(body, bad, value, type_, (result, "shift amount"), debug)


def guard_conversion(body: Body, line: str) -> None:
    """fptosi, fptoui: a value that is out of range after truncation (or NaN) is undefined."""
    match = _CONVERSION.match(line)
    if match is None:
        body.out.append(line)
        return
    result, operation, source, value, width = match.groups()
    debug, bits, type_ = debug_of(line), int(width), f"i{width}"
    precision = 24 if source == "float" else 53
    if operation == "fptosi":
        exact = bits <= precision  # is the least number minus 1 a float of this precision?
        low, relation = -(2.0 ** (bits - 1)) - (1.0 if exact else 0.0), "ogt" if exact else "oge"
        high = 2.0 ** (bits - 1)
    else:
        low, relation, high = -1.0, "ogt", 2.0**bits
    above = body.compute(f"fcmp {relation} {source} {value}, {float_text(low, source)}", debug)
    below = body.compute(f"fcmp olt {source} {value}, {float_text(high, source)}", debug)
    fits = body.compute(f"and i1 {above}, {below}", debug)
    safe = body.compute(f"select i1 {fits}, {source} {value}, {source} {float_text(0.0, source)}", debug)
    converted = body.compute(f"{operation} {source} {safe} to {type_}", debug)
    bad = body.compute(f"xor i1 {fits}, true", debug)
    _choose(body, bad, converted, type_, (result, "float conversion"), debug)


def float_text(value: float, type_: str) -> str:
    """LLVM's hexadecimal spelling of a float or double constant; beyond the type's range, infinity."""
    if type_ == "float":
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = float("inf") if value > 0 else float("-inf")
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _choose(body: Body, bad: str, value: str, type_: str, named: tuple[str, str], debug: str) -> None:
    """`named` is the result's register and what was undefined."""
    arbitrary = body.nondet(type_, "undef", named[1], debug)
    body.compute(f"select i1 {bad}, {type_} {arbitrary}, {type_} {value}", debug, named[0])


def _constant(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None
