"""SV-COMP `valid-memsafety`: valid accesses, valid frees, and no block is lost.

`valid-memtrack` looks at the end of a run: a live block that nothing points to any more was leaked.
"""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="memory-safety",
    aliases=("valid-memsafety",),
    specification=(
        ("init(main()), LTL(G valid-free)", "valid-free"),
        ("init(main()), LTL(G valid-deref)", "valid-deref"),
        ("init(main()), LTL(G valid-memtrack)", "valid-memtrack"),
    ),
    kinds=("valid-deref", "valid-free", "valid-memtrack"),
    instruments=frozenset({Instrument.ACCESSES, Instrument.FREES, Instrument.LEAKS}),
    compile_flags=("-fwrapv",),
)
