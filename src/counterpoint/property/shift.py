"""Shifts that C defines: amounts are below the width of the promoted left operand, left operands not negative.

No property of SV-COMP; what `no-overflow` leaves out (docs/decisions/shifts.md). `-fwrapv` must be absent: with it
clang regards every left operand as defined.
"""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="shift",
    aliases=("shifts",),
    specification=(("init(main()), LTL(G ! undefined-shift)", "shift"),),
    kinds=("shift",),
    instruments=frozenset({Instrument.SHIFTS}),
    compile_flags=("-fsanitize=shift-base", "-fsanitize-recover=shift-base"),
)
