"""Sizes of variable-length arrays: positive, and no more than PTRDIFF_MAX bytes in all.

clang tests each length by itself (-fsanitize=vla-bound). What it multiplies them to is computed here again, wide
enough not to wrap.
"""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.property import NO_LENGTH, Instrument

LENGTH_TRAP = "i8 24"
"""The argument of llvm.ubsantrap where the length of an array is not positive."""

_PRODUCT = regex(r"^  (%[^ ]+) = mul i(\d+) ([^ ]+), ([^ ,]+)")


def note_product(body: Body, line: str) -> None:
    """Remembers the factors of a multiplication: an array of arrays has as many elements."""
    found = _PRODUCT.match(line)
    if found is not None:
        body.products[found[1]] = (found[3], found[4])


def check_size(body: Body, type_: str, count: str, element: int, debug: str) -> None:
    """Writes the test that `count` (of `type_`) elements of so many bytes are no more than PTRDIFF_MAX bytes."""
    if element == 0 or count.lstrip("-").isdigit():
        return
    width = int(type_[1:])
    limit = (1 << body.shared.pointer_bits - 1) - 1
    factors = _factors(body, count)
    if len(factors) == 1:
        least, most = body.ranges.get(count, (0, (1 << width) - 1))
        if least >= 0 and most * element <= limit:
            return
        require(body, body.compute(f"icmp ule {type_} {count}, {limit // element}", debug), debug)
        return
    wide = f"i{2 * max(width, body.shared.pointer_bits)}"
    total = str(element)
    for factor in factors:
        extended = factor if factor.isdigit() else body.compute(f"zext {type_} {factor} to {wide}", debug)
        total = body.compute(f"mul {wide} {total}, {extended}", debug)
        require(body, body.compute(f"icmp ule {wide} {total}, {limit}", debug), debug)


def _factors(body: Body, count: str) -> list[str]:
    """What was multiplied to get the value, from left to right."""
    if count not in body.products:
        return [count]
    left, right = body.products[count]
    return [*_factors(body, left), *_factors(body, right)]


def require(body: Body, holds: str, debug: str) -> None:
    """Where the size is none that an array can have: an invalid access, or a run without a meaning."""
    if body.shared.property.asks_for(Instrument.ACCESSES):
        index = body.shared.tables.check("valid-deref", NO_LENGTH, debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)
        return
    with body.where_not(holds, debug):
        body.undefined(NO_LENGTH, debug)


def refuse(body: Body, debug: str) -> None:
    """A run gets where an array has no such size."""
    if body.shared.property.asks_for(Instrument.ACCESSES):
        body.violation("valid-deref", NO_LENGTH, debug)
    else:
        body.undefined(NO_LENGTH, debug)
