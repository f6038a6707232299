"""No copy reads and writes overlapping memory: `memcpy`, `strcpy` and their relatives, and assignments of structures.

No property of SV-COMP; `memory-safety` has the same check among those of valid accesses. Here it is asked by itself, of
the part of both ranges that lies in their objects: what lies outside is a matter of `memory-safety`. `memmove` may
overlap, and so may a copy onto itself (as AddressSanitizer has it), but none of a string.
"""

from counterpoint.property.model import Instrument, Kind, Property

PROPERTY = Property(
    name="overlap",
    summary="no copy of memory or strings reads what it writes",
    aliases=("memcpy-overlap",),
    specification=(("init(main()), LTL(G ! overlapping-copy)", "overlap"),),
    checks=(
        Kind(
            "overlap",
            "Memory is copied onto an overlapping part of itself",
            "CWE-475",
            build=("-fsanitize=address", "-fno-builtin", "-fwrapv"),
            blind="AddressSanitizer sees calls of library functions alone, no assignments of structures.",
        ),
    ),
    instruments=frozenset({Instrument.OVERLAPS}),
    compile_flags=("-fwrapv",),
    covers=(
        "memcpy, mempcpy, memccpy, strcpy, stpcpy, strncpy, strcat, strncat, assignments of structures; not"
        " sprintf, not wide strings",
        "the part of both ranges that lies in their objects; memory-safety has the same check as valid-deref",
    ),
)
