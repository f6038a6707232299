"""SV-COMP `no-overflow`: no signed integer operation leaves its range.

Left shifts and conversions are not arithmetic overflows there and carry no check. `-fwrapv` must be
absent: with it clang regards overflow as defined and emits none of the checks.
"""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="no-overflow",
    aliases=("overflow",),
    specification=(("init(main()), LTL(G ! overflow)", "overflow"),),
    kinds=("overflow",),
    instruments=frozenset({Instrument.OVERFLOWS}),
    compile_flags=(
        "-fsanitize=signed-integer-overflow",
        "-fsanitize-trap=signed-integer-overflow",
        "-fno-sanitize-merge=signed-integer-overflow",
    ),
)
