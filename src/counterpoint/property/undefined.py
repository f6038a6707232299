"""No run does what C gives no meaning to: as far as it is a place in the program, or an operation without a value.

`__builtin_unreachable`, the return of a function that is declared noreturn, a call through a pointer to data, to null
or to a function of another type, `exit` while the run ends: under every other property runs that get to such a place
make the answer UNKNOWN(UNDEFINED). Quotients that do not exist, floating numbers converted to what does not hold them,
`__builtin_clz(0)`, the value of a function that returned none, missing arguments: these are arbitrary elsewhere.
Invalid accesses and overflows are properties of their own.
"""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="undefined",
    aliases=("undefined-behaviour",),
    specification=(),
    kinds=("undefined",),
    instruments=frozenset({Instrument.UNDEFINED}),
    compile_flags=(
        "-fwrapv",
        "-fsanitize=integer-divide-by-zero,float-cast-overflow",
        "-fsanitize-trap=integer-divide-by-zero,float-cast-overflow",
        "-fno-sanitize-merge=integer-divide-by-zero,float-cast-overflow",
    ),
)
