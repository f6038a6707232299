"""Signed arithmetic for which clang writes no test of overflow, so that `no-overflow` cannot be proved of it.

`x.f++` of an unsigned bit-field of 31 bits is computed with as `int` (C17, 6.3.1.1), and what is done with complex
integers (GNU C) is signed; in the code both look like arithmetic of unsigned words. Debug information says where such
types are: then a `+ 1` to 31 bits of a word may be of such a field, and runs in which that exceeds an `int` are
UNSUPPORTED; a program with complex integers is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import NAME_FIELD
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.text import quoted

FIELD = "`++` of a bit-field of 31 bits, or of an unsigned number, that exceeds an int"
COMPLEX = "arithmetic on complex integers, which may overflow"

_FIELD = regex(r"\bsize: 31,.*\bDIFlagBitField\b")
_FLOAT = "DW_ATE_complex_float"
FIELD_BITS = 31
_DEFINED = regex(r"^  (%[^ ]+) = ")
_CUT = regex(r"^  %[^ ]+ = trunc (?:nuw |nsw )*i\d+ (%[^ ,]+) to i32")
_MASKED = regex(r"^  %[^ ]+ = and i\d+ [^ ,]+, 2147483647(?:,|$)")
_SHIFTED = regex(r"^  %[^ ]+ = lshr i(\d+) [^ ,]+, (\d+)(?:,|$)")
_SUM = regex(r"^  %[^ ]+ = add (i\d+) (%[^ ,]+), 1(?:,|$)")


def has_fields(metadata: Mapping[str, str]) -> bool:
    """Whether some bit-field is one bit narrower than an `int`."""
    return any(_FIELD.search(text) for text in metadata.values())


def has_complex_integers(metadata: Mapping[str, str]) -> bool:
    """Whether something has a complex integer type."""
    numbers = (text for text in metadata.values() if text.startswith("!DIBasicType(") and _FLOAT not in text)
    names = (NAME_FIELD.search(text) for text in numbers)
    return any(quoted(name[1]) == "complex" for name in names if name is not None)


def definitions(lines: Iterable[str]) -> dict[str, str]:
    """The line of each register of a function."""
    return {found[1]: line for line in lines if (found := _DEFINED.match(line))}


def refuse_greatest(body: Body, line: str, defined: Mapping[str, str]) -> None:
    """Runs in which the `add` of this line adds 1 to the greatest `int` are UNSUPPORTED, if it may be of such a field:
    clang reads one by a mask, or by a shift where it is the upper part, of a word that may be wider."""
    found = _SUM.match(line)
    if found is None:
        return
    type_, value = found.groups()
    made = defined.get(value, "")
    if cut := _CUT.match(made):
        made = defined.get(cut[1], "")
    shifted = _SHIFTED.match(made)
    if _MASKED.match(made) or (shifted is not None and int(shifted[1]) - int(shifted[2]) == FIELD_BITS):
        debug = debug_of(line)
        body.supported(body.compute(f"icmp ne {type_} {value}, {(1 << FIELD_BITS) - 1}", debug), FIELD, debug)


def leave_open(body: Body, debug: str) -> None:
    """Where a run starts: it goes on, or nothing is known of it. So a violation is one, and nothing is proved."""
    body.supported(body.nondet("i1", "undef", "whether a complex integer overflows", debug), COMPLEX, debug)
