"""Shifts that C defines: amounts are below the width of the promoted left operand, left operands not negative.

No property of SV-COMP; what `no-overflow` leaves out (docs/decisions/shifts.md). `-fwrapv` must be absent: with it
clang regards every left operand as defined.
"""

from counterpoint.property.model import Instrument, Kind, Property

PROPERTY = Property(
    name="shift",
    summary="amounts of shifts are in range, and no negative number is shifted left",
    aliases=("shifts",),
    specification=(("init(main()), LTL(G ! undefined-shift)", "shift"),),
    checks=(
        Kind(
            "shift",
            "A shift is undefined: its amount is out of range, or its left operand negative",
            "CWE-1335",
            build=("-fsanitize=shift", "-fno-sanitize-recover=all"),
        ),
    ),
    instruments=frozenset({Instrument.SHIFTS}),
    compile_flags=("-fsanitize=shift-base", "-fsanitize-recover=shift-base"),
    covers=(
        "all shifts of integers; a left shift that overflows is a matter of no-overflow",
    ),
)
