"""SV-COMP `unreach-call`: no call of reach_error is reachable."""

from counterpoint.property.model import Instrument, Kind, Property

PROPERTY = Property(
    name="unreach-call",
    summary="no call of reach_error is reachable, and where there is none, no assertion fails",
    aliases=("unreachability", "reachability"),
    specification=(
        ("init(main()), LTL(G ! call(reach_error()))", "unreach-call"),
        ("init(main()), LTL(G ! call(__VERIFIER_error()))", "unreach-call"),
    ),
    checks=(Kind("unreach-call", "A call of the error function can be reached", "CWE-617", build=("-fwrapv",)),),
    instruments=frozenset({Instrument.ERROR_CALLS}),
    compile_flags=("-fwrapv",),
    covers=(
        "reach_error and __VERIFIER_error, however they are called, and labels named ERROR; assert() only in"
        " programs without these",
    ),
)
