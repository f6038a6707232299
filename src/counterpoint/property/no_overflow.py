"""SV-COMP `no-overflow`: no signed integer operation leaves its range.

A left shift multiplies by a power of two: it overflows where that product is out of range. Negative operands and
amounts out of range are a matter of the property `shift` (docs/decisions/shifts.md), conversions are none of either.
`-fwrapv` must be absent: with it clang regards overflow as defined and emits none of the checks.
"""

from counterpoint.property.model import Instrument, Kind, Property, Trap

PROPERTY = Property(
    name="no-overflow",
    summary="no signed integer operation leaves its range",
    aliases=("overflow",),
    specification=(("init(main()), LTL(G ! overflow)", "overflow"),),
    checks=(
        Kind(
            "overflow",
            "A signed integer operation overflows",
            "CWE-190",
            verdict="no-overflow",
            build=("-fsanitize=signed-integer-overflow", "-fno-sanitize-recover=all"),
            blind="gcc adds up the constants of a sum like `x + 1 + 2` before its sanitizer looks; clang does not.",
        ),
    ),
    instruments=frozenset({Instrument.OVERFLOWS}),
    compile_flags=(
        "-fsanitize=signed-integer-overflow",
        "-fsanitize-trap=signed-integer-overflow",
        "-fno-sanitize-merge=signed-integer-overflow",
        "-fsanitize=shift-base",
        "-fsanitize-recover=shift-base",
        "-ftrapv",  # ++, --, += and -= of atomic objects are tested only with it: else they are instructions that wrap
    ),
    traps=(Trap("overflow", "signed integer overflow", in_clangs_words=True),),
    covers=(
        "+ - * / % and unary - of signed integers, ++ and --, left shifts, abs() and div() and their"
        " relatives; not conversions, not unsigned",
    ),
)
