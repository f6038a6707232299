"""SV-COMP `valid-memsafety`: valid accesses, valid frees, and no block is lost.

`valid-memtrack` looks at the end of a run: a live block that nothing points to any more was leaked.
"""

from counterpoint.property.model import Cause, Instrument, Kind, Property

_BUILD = ("-fsanitize=address", "-fwrapv")

PROPERTY = Property(
    name="memory-safety",
    summary="accesses lie inside of live objects, frees are of live blocks, and no block is lost",
    aliases=("valid-memsafety",),
    specification=(
        ("init(main()), LTL(G valid-free)", "valid-free"),
        ("init(main()), LTL(G valid-deref)", "valid-deref"),
        ("init(main()), LTL(G valid-memtrack)", "valid-memtrack"),
    ),
    checks=(
        Kind(
            "valid-deref",
            "An access outside a live object",
            "CWE-119",
            build=_BUILD,
            blind="AddressSanitizer sees no access to other live memory, or to a dead array of variable length.",
            causes=(
                Cause("null", "A null pointer is used for an access", "CWE-476"),
                Cause("bounds", "An access lies outside of its object", "CWE-119"),
                Cause("freed", "An access to memory that was freed", "CWE-416"),
                Cause("scope", "An access to a local that no longer exists", "CWE-825"),
                Cause("string", "A string function reads what is not terminated", "CWE-170"),
            ),
        ),
        Kind(
            "valid-free",
            "An invalid free",
            "CWE-763",
            build=_BUILD,
            causes=(
                Cause("freed", "Memory is freed for the second time", "CWE-415"),
                Cause("bounds", "What is freed is no start of a block", "CWE-761"),
            ),
        ),
        Kind(
            "valid-memtrack",
            "Allocated memory becomes unreachable",
            "CWE-401",
            build=_BUILD,
            blind="LeakSanitizer looks for lost memory only where the run ends.",
            lost=True,
        ),
    ),
    instruments=frozenset({Instrument.ACCESSES, Instrument.FREES, Instrument.LEAKS}),
    compile_flags=("-fwrapv",),
    covers=(
        "reads and writes by the program and by the library functions that it calls; valid-memtrack wherever"
        " a run ends or goes on for ever",
    ),
)
