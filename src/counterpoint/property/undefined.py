"""No run does what C gives no meaning to: as far as it is a place in the program, or an operation without a value.

`__builtin_unreachable`, the return of a function that is declared noreturn, a call through a pointer to data, to null
or to a function of another type, `exit` while the run ends: under every other property runs that get to such a place
make the answer UNKNOWN(UNDEFINED). Quotients that do not exist, floating numbers converted to what does not hold them,
`__builtin_clz(0)`, the value of a function that returned none, missing arguments: these are arbitrary elsewhere.
Invalid accesses and overflows are properties of their own.
"""

from counterpoint.property.model import Instrument, Kind, Property, Trap

NO_QUOTIENT = "a quotient does not exist: the divisor is 0, or it is out of range"
NO_INTEGER = "a floating number is converted to an integer type that does not hold it"

PROPERTY = Property(
    name="undefined",
    summary="no run gets to a place without a meaning in C, or to an operation without a value",
    aliases=("undefined-behaviour",),
    specification=(),
    checks=(
        Kind(
            "undefined",
            "The program does what C gives no meaning to",
            "CWE-758",
            build=("-fsanitize=undefined", "-fno-sanitize-recover=all", "-fwrapv"),
            unsure="compilers find only some of the places that have no meaning",
        ),
    ),
    instruments=frozenset({Instrument.UNDEFINED}),
    compile_flags=(
        "-fwrapv",
        "-fsanitize=integer-divide-by-zero,float-cast-overflow",
        "-fsanitize-trap=integer-divide-by-zero,float-cast-overflow",
        "-fno-sanitize-merge=integer-divide-by-zero,float-cast-overflow",
    ),
    traps=(Trap("undefined", NO_QUOTIENT, frozenset({3})), Trap("undefined", NO_INTEGER)),
    extra=True,
    covers=(
        "quotients that do not exist, floating numbers converted to what does not hold them,"
        " __builtin_clz(0), calls through wrong pointers",
        "missing return values and arguments, __builtin_unreachable; not accesses, overflows or shifts:"
        " these are properties of their own",
    ),
)
