"""No run does what C gives no meaning to: as far as it is a place in the program.

`__builtin_unreachable`, the return of a function that is declared noreturn, a call through a pointer to data, to null
or to a function of another type, `exit` while the run ends. Under every other property runs that get to such a place
make the answer UNKNOWN(UNDEFINED). Invalid accesses and overflows are properties of their own.
"""

from counterpoint.property.model import Instrument, Property

PROPERTY = Property(
    name="undefined",
    aliases=("undefined-behaviour",),
    specification=(),
    kinds=("undefined",),
    instruments=frozenset({Instrument.UNDEFINED}),
    compile_flags=("-fwrapv",),
)
