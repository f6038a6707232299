"""SV-COMP `valid-memcleanup`: every heap block is freed before the program ends."""

from counterpoint.property.model import Instrument, Kind, Property

PROPERTY = Property(
    name="valid-memcleanup",
    summary="every heap block is freed before the program ends",
    aliases=("memory-cleanup",),
    specification=(("init(main()), LTL(G valid-memcleanup)", "valid-memcleanup"),),
    checks=(
        Kind(
            "valid-memcleanup",
            "Allocated memory is not freed at the end",
            "CWE-401",
            build=("-fsanitize=address", "-fwrapv"),
            unsure="LeakSanitizer does not report blocks that can still be reached at the end",
            lost=True,
        ),
    ),
    instruments=frozenset({Instrument.LEAKS}),
    extra=True,
    compile_flags=("-fwrapv",),
    covers=(
        "memory of malloc and its relatives that is left at the end, also if it can still be reached",
    ),
)
