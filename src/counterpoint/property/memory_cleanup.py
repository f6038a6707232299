"""SV-COMP `valid-memcleanup`: every heap block is freed before the program ends."""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="valid-memcleanup",
    aliases=("memory-cleanup",),
    specification=(("init(main()), LTL(G valid-memcleanup)", "valid-memcleanup"),),
    kinds=("valid-memcleanup",),
    instruments=frozenset({Instrument.LEAKS}),
    compile_flags=("-fwrapv",),
)
