"""No local is read before it was given a value: as far as a local is one that only its own function looks at.

No property of SV-COMP. A local whose address is never taken and that was never assigned to has no value that may be
read (C17 6.3.2.1p2); members and elements of structures and arrays count in the same way, each by itself. Which locals
are looked at: frontend/definition/initialised.py. What is not looked at is an assumption of the result.
"""

from counterpoint.property.model import Instrument, Kind, Property

PROPERTY = Property(
    name="uninitialised",
    summary="no local that only its own function uses is read before it was given a value",
    aliases=("uninitialized",),
    specification=(("init(main()), LTL(G ! uninitialised-read)", "uninitialised"),),
    checks=(
        Kind(
            "uninitialised",
            "A local is read before it was given a value",
            "CWE-457",
            build=("-fwrapv",),
            unsure="no option of gcc makes a run fail there; clang's -fsanitize=memory does where the value decides"
            " a branch or an address",
        ),
    ),
    instruments=frozenset({Instrument.INITIALISED}),
    compile_flags=("-fwrapv",),
    covers=(
        "scalars, and members and elements of structures and arrays, of locals whose address goes nowhere;"
        " any use is a read",
        "not: locals whose address is passed on or stored, allocated memory, unions, bit-fields, vectors,"
        " volatile objects",
    ),
)
