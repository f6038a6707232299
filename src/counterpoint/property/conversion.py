"""No implicit conversion of an integer changes its value, as clang's `-fsanitize=implicit-conversion` sees it.

No property of SV-COMP, and none of `all`: C defines these conversions, and much code relies on them. A cast says that
the change is meant; `c += 1` for a `char` says no such thing.
"""

from counterpoint.property.model import Instrument, Kind, Property, Trap

_TESTS = "implicit-unsigned-integer-truncation,implicit-signed-integer-truncation,implicit-integer-sign-change"

PROPERTY = Property(
    name="conversion",
    summary="no implicit conversion of an integer changes its value",
    aliases=("implicit-conversion",),
    specification=(("init(main()), LTL(G ! lossy-conversion)", "conversion"),),
    checks=(
        Kind(
            "conversion",
            "An implicit conversion of an integer changes its value",
            "CWE-197",
            build=("-fsanitize=implicit-conversion", "-fno-sanitize-recover=all", "-fwrapv"),
            unsure="clang alone has this sanitizer; gcc refuses the option",
        ),
    ),
    instruments=frozenset({Instrument.CONVERSIONS}),
    compile_flags=("-fwrapv", f"-fsanitize={_TESTS}", f"-fsanitize-trap={_TESTS}", f"-fno-sanitize-merge={_TESTS}"),
    traps=(Trap("conversion", "an implicit conversion changes the value"),),
    extra=True,
    covers=(
        "truncations and changes of sign between integers that no cast asks for, in all of the program but the library",
        "not: explicit casts, conversions to bit-fields and _Bool, from and to floating numbers, static initialisers",
    ),
)
