"""Signed arithmetic for which clang writes no test of overflow, so that `no-overflow` cannot be proved of it.

`x.f++` of an unsigned bit-field of 31 bits is computed with as `int` (C17, 6.3.1.1), and what is done with complex
integers (GNU C) is signed; in the code both look like arithmetic of unsigned words. Debug information says where such
types are: then any `+ 1` of 32 bits may be of such a field, and runs in which that exceeds an `int` are UNSUPPORTED; a
program with complex integers is not proved.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import NAME_FIELD
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.text import quoted

FIELD = "`++` of a bit-field of 31 bits, or of an unsigned number, that exceeds an int"
COMPLEX = "arithmetic on complex integers, which may overflow"

_FIELD = regex(r"\bsize: 31,.*\bDIFlagBitField\b")
_FLOAT = "DW_ATE_complex_float"
_SUM = regex(r"^  %[^ ]+ = add i32 (%[^ ,]+), 1(?:,|$)")


def has_fields(metadata: Mapping[str, str]) -> bool:
    """Whether some bit-field is one bit narrower than an `int`."""
    return any(_FIELD.search(text) for text in metadata.values())


def has_complex_integers(metadata: Mapping[str, str]) -> bool:
    """Whether something has a complex integer type."""
    numbers = (text for text in metadata.values() if text.startswith("!DIBasicType(") and _FLOAT not in text)
    names = (NAME_FIELD.search(text) for text in numbers)
    return any(quoted(name[1]) == "complex" for name in names if name is not None)


def refuse_greatest(body: Body, line: str) -> None:
    """Runs in which the `add` of this line adds 1 to the greatest `int` are UNSUPPORTED."""
    found = _SUM.match(line)
    if found is not None:
        debug = debug_of(line)
        body.supported(body.compute(f"icmp ne i32 {found[1]}, {(1 << 31) - 1}", debug), FIELD, debug)


def leave_open(body: Body, debug: str) -> None:
    """Where a run starts: it goes on, or nothing is known of it. So a violation is one, and nothing is proved."""
    body.supported(body.nondet("i1", "undef", "whether a complex integer overflows", debug), COMPLEX, debug)
