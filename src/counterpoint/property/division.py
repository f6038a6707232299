"""Every integer quotient and remainder exists: no divisor is 0, and the least number is not divided by -1.

No property of SV-COMP. Signed and unsigned numbers of any width, `/` and `%` alike; of floating numbers every quotient
exists. A shift to the right is none. Signed overflow elsewhere is a property of its own: sums wrap around here.
"""

from counterpoint.property.model import Instrument, Kind, Property, Trap

ZERO = "integer division by 0"
RANGE = "the least number is divided by -1: the quotient is out of range"

PROPERTY = Property(
    name="division",
    summary="no integer is divided by 0, nor the least number by -1",
    aliases=("division-by-zero",),
    specification=(("init(main()), LTL(G ! undefined-division)", "division"),),
    checks=(
        Kind(
            "division",
            "An integer is divided by 0, or the least number by -1",
            "CWE-369",
            build=("-fsanitize=integer-divide-by-zero", "-fno-sanitize-recover=all", "-fwrapv"),
            blind="Of the least number divided by -1 no sanitizer tells with these options; an x86 processor traps.",
        ),
    ),
    instruments=frozenset({Instrument.DIVISIONS}),
    compile_flags=(
        "-fwrapv",
        "-fsanitize=integer-divide-by-zero",
        "-fsanitize-trap=integer-divide-by-zero",
        "-fno-sanitize-merge=integer-divide-by-zero",
    ),
    traps=(Trap("division", ZERO, frozenset({3})),),
    covers=(
        "integers of any width, / and %, div() and its relatives; not floating numbers, not shifts",
    ),
)
