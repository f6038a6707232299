"""Operations that C leaves undefined for some operands: there the result is a fresh arbitrary value.

The operation itself is computed on operands made safe, so that no run of it is undefined:
`select bad, arbitrary, op(a, select bad, harmless, b)`.
"""

from __future__ import annotations

import struct

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.shifts import ShiftCheck
from counterpoint.frontend.irtext import Call, FunctionText, argument, debug_of
from counterpoint.property import Instrument
from counterpoint.property.division import RANGE, ZERO
from counterpoint.property.undefined import NO_INTEGER, NO_QUOTIENT

_BINARY = regex(r"^  (%[^ ]+) = (\w+) (i\d+) ([^,]+), ([^,]+)(?:, !dbg .*)?$")

_CONVERSION = regex(r"^  (%[^ ]+) = (fpto[su]i) (float|double) ([^ ,]+) to i(\d+)")


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
    _check_quotient(body, bad, ZERO, debug)
    dividend = _constant(left)
    if signed and bits > 1 and (dividend is None or dividend == least):
        minus = body.compute(f"icmp eq {type_} {right}, -1", debug)
        lowest = body.compute(f"icmp eq {type_} {left}, {least}", debug)
        overflow = body.compute(f"and i1 {minus}, {lowest}", debug)
        _check_quotient(body, overflow, RANGE, debug)
        bad = body.compute(f"or i1 {bad}, {overflow}", debug)
    _check_meaning(body, bad, NO_QUOTIENT, debug)
    safe = body.compute(f"select i1 {bad}, {type_} 1, {type_} {right}", debug)
    value = body.compute(f"{operation} {type_} {left}, {safe}", debug)
    _choose(body, bad, value, type_, (result, "division"), debug)


def guard_shift(body: Body, line: str, check: ShiftCheck | None = None) -> None:
    """shl, lshr, ashr: an amount that is not below the width is undefined. `check` says what clang tests of this shift,
    None if nothing; then the amount is tested as it is here."""
    match = _BINARY.match(line)
    if match is None:
        body.out.append(line)
        return
    result, operation, type_, left, right = match.groups()
    debug, bits = debug_of(line), int(type_[1:])
    amount = _constant(right)
    inside = amount is not None and 0 <= amount < bits
    fits = check.fits if check is not None else "true"
    if check is None and not inside:
        fits = body.compute(f"icmp ult {type_} {right}, {bits}", debug)
    if fits == "true" and inside:
        if check is not None and check.signed:
            _check_left_shift(body, type_, left, right, debug)
        body.out.append(line)
        return
    _check(body, Instrument.SHIFTS, fits, _AMOUNT, debug)
    safe = body.compute(f"select i1 {fits}, {type_} {right}, {type_} 0", debug)
    if check is not None and check.signed:
        _check_left_shift(body, type_, left, safe, debug)
    value = body.compute(f"{operation} {type_} {left}, {safe}", debug)
    arbitrary = body.nondet(type_, "undef", "shift amount", debug)
    body.compute(f"select i1 {fits}, {type_} {value}, {type_} {arbitrary}", debug, result)


def check_folded_shift(body: Body, check: ShiftCheck) -> None:
    """A shift of constants, of which clang has left the result alone."""
    assert check.constants is not None
    left, amount, width = check.constants
    if check.fits == "true":
        if check.signed:
            _check(body, Instrument.SHIFTS, _bit(left >= 0), _NEGATIVE, check.debug)
            limit = 1 << (width - 1)
            _check(body, Instrument.OVERFLOWS, _bit(-limit <= left << amount < limit), _RANGE, check.debug)
        return
    _check(body, Instrument.SHIFTS, "false", _AMOUNT, check.debug)
    if amount % (1 << width) < width:  # else clang has written an undefined constant, which is made arbitrary
        body.unsupported("a shift of a constant by a constant amount that is out of range", check.debug)


ABSOLUTE = frozenset({"abs", "labs", "llabs", "imaxabs"})
QUOTIENT = frozenset({"div", "ldiv", "lldiv", "imaxdiv"})


def check_library_result(body: Body, call: Call, function: FunctionText, debug: str) -> None:
    """abs and div of the library overflow as the operators do that they stand for; their models wrap."""
    name = function.name
    if not body.shared.is_model(function) or not body.shared.property.asks_for(Instrument.OVERFLOWS):
        return
    arity = 1 if name in ABSOLUTE else 2 if name in QUOTIENT else 0
    operands = [argument(text) for text in call.arguments][-arity:]
    if not arity or len(operands) != arity or any(_WIDTH.match(type_) is None for type_, _ in operands):
        return
    type_, value = operands[0]
    holds = body.compute(f"icmp ne {type_} {value}, {-(1 << (int(type_[1:]) - 1))}", debug)
    if arity == 2:
        other = body.compute(f"icmp ne {type_} {operands[1][1]}, -1", debug)
        holds = body.compute(f"or i1 {holds}, {other}", debug)
    _check(body, Instrument.OVERFLOWS, holds, f"the result of {name} is out of range", debug)


_WIDTH = regex(r"i\d+$")
_AMOUNT = "the amount of a shift is negative or not below the width"
_NEGATIVE = "a negative number is shifted left"
_RANGE = "the result of a left shift is out of range"


def _check_left_shift(body: Body, type_: str, left: str, amount: str, debug: str) -> None:
    """Writes what the property asks of a signed left shift by an amount that is in range: that its result is the left
    operand times a power of two, or that this operand is not negative."""
    wanted = body.shared.property.asks_for
    if wanted(Instrument.SHIFTS):
        positive = body.compute(f"icmp sge {type_} {left}, 0", debug)
        _check(body, Instrument.SHIFTS, positive, _NEGATIVE, debug)
    if wanted(Instrument.OVERFLOWS):
        shifted = body.compute(f"shl {type_} {left}, {amount}", debug)
        back = body.compute(f"ashr {type_} {shifted}, {amount}", debug)
        exact = body.compute(f"icmp eq {type_} {back}, {left}", debug)
        _check(body, Instrument.OVERFLOWS, exact, _RANGE, debug)


def _check(body: Body, instrument: Instrument, holds: str, message: str, debug: str) -> None:
    """The check that `holds` if the property asks for its kind."""
    if body.shared.property.asks_for(instrument) and holds != "true":
        kind = "overflow" if instrument is Instrument.OVERFLOWS else "shift"
        index = body.shared.tables.check(kind, message, debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)


def _check_meaning(body: Body, bad: str, message: str, debug: str) -> None:
    if body.shared.property.asks_for(Instrument.UNDEFINED):
        body.meaningful(body.compute(f"xor i1 {bad}, true", debug), message, debug)


def _check_quotient(body: Body, bad: str, message: str, debug: str) -> None:
    if body.shared.property.asks_for(Instrument.DIVISIONS):
        index = body.shared.tables.check("division", message, debug)
        body.kernel("__cp_check", f"i1 {body.compute(f'xor i1 {bad}, true', debug)}, i32 {index}", debug)


def _bit(truth: bool) -> str:
    return "true" if truth else "false"


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
    body.meaningful(fits, NO_INTEGER, debug)
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
