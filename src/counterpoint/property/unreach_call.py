"""SV-COMP `unreach-call`: no call of reach_error is reachable."""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="unreach-call",
    aliases=("unreachability", "reachability"),
    specification=(
        ("init(main()), LTL(G ! call(reach_error()))", "unreach-call"),
        ("init(main()), LTL(G ! call(__VERIFIER_error()))", "unreach-call"),
    ),
    kinds=("unreach-call",),
    instruments=frozenset({Instrument.ERROR_CALLS}),
    compile_flags=("-fwrapv",),
)
