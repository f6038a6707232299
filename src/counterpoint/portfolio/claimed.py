"""What a check claims, in the words of its failure turned round: checks that hold and open ones are shown as well."""

from __future__ import annotations

from typing import Final

from counterpoint.core.patterns import regex

_TURNED: Final = tuple(
    (regex(f"{failure}$"), claim)
    for failure, claim in (
        (r"invalid write: the object is const", r"what is written to is not const"),
        (r"invalid (.*)", r"\1"),
        (r"this is no block that can be freed", r"what is freed is a block that can be"),
        (r"allocated memory is lost: nothing points to it", r"no memory is lost"),
        (r"allocated memory is never freed", r"all memory is freed"),
        (r"memory is copied onto an overlapping part of itself", r"the ranges of a copy are apart"),
        (r"a vector has no element of this number", r"the vector has an element of this number"),
        (r"a variable-length array has no such size", r"a variable-length array may have this size"),
        (r"an assertion fails", r"the assertion holds"),
        (r"the required invariant (.*)does not hold", r"the required invariant \1holds"),
        (r"(the label ERROR|unreachable code) is reached", r"\1 is not reached"),
        (r"(\S+\(\)) is called", r"\1 is not called"),
        (r"integer division by 0", r"the divisor is not 0"),
        (r"the least number is divided by -1: the quotient is out of range", r"the quotient is in range"),
        (r"a quotient does not exist: .*", r"the quotient exists"),
        (r"a floating number is converted .*", r"the integer type holds the floating number that is converted to it"),
        (r"an implicit conversion changes the value", r"an implicit conversion keeps the value"),
        (r"(.*) is read before it was given a value", r"\1 has a value where it is read"),
        (r"the amount of a shift is negative or not below the width", r"the amount of a shift is in range"),
        (r"a negative number is shifted left", r"what is shifted left is not negative"),
        (r"the result of (.*) is out of range", r"the result of \1 is in range"),
        (r"signed integer (\w+) overflow in '(.*)'", r"the \1 `\2` does not overflow"),
        (r"signed integer overflow", r"no signed integer overflows"),
        (r"Integer (.*) overflowed", r"the integer \1 does not overflow"),
    )
)


def claim_of(message: str) -> str:
    """What a check says that fails with this message; the message itself, where there is no better word for it."""
    for failure, claim in _TURNED:
        if (found := failure.match(message)) is not None:
            return found.expand(claim)
    return message
