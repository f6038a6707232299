"""Names that are plain, and what they stand for.

Functions and objects of a Program have *plain* names: ASCII letters, digits, `_`, `.` and `$`, no digit first.
What is put together from them with other characters (`%`, `#`, `@`, `!`, `~`, brackets, blanks) can be taken apart
again in one way only, so two things never get one name. What the user calls them may be any text (`asm("a b")`,
identifiers with letters of any script). `plain` writes it with plain characters and `original` reads it back: no table
has to travel with the program, and a name is the same in all files and all runs.

Letters, digits, `_` and `.` stand for themselves; any other character is its code in hexadecimal between two `$`, and
so is a digit at the start, and the first character of such a name where it would look like one of the checker's own.
"""

from __future__ import annotations

import re
from typing import Final

from counterpoint.core.patterns import regex

RESERVED: Final = "__cp_"
"""How names begin that are the checker's own. No plain name of the user's does that has other characters in it."""

_PLAIN: Final = regex(r"[A-Za-z_.][A-Za-z0-9_.]*\Z")
_SAFE: Final = regex(r"[A-Za-z_.$][A-Za-z0-9_.$]*\Z")
_OTHER: Final = regex(r"\A[0-9]|[^A-Za-z0-9_.]")
_CODE: Final = regex(r"\$([0-9a-f]+)\$")


def plain(name: str) -> str:
    """A name of any characters as a plain one; different names stay different. Not to be applied twice."""
    if _PLAIN.match(name):
        return name
    coded = _OTHER.sub(lambda found: f"${ord(found[0]):x}$", name) or "$$"
    return f"$5f${coded[1:]}" if coded.startswith(RESERVED) else coded


def original(name: str) -> str:
    """The name that `plain` was given, for people: characters that cannot be printed as `\\xNN`."""
    if "$" not in name:
        return name
    return "" if name == "$$" else _CODE.sub(_character, name)


def is_plain(name: str) -> bool:
    """Whether functions and objects of a Program may be called so."""
    return _SAFE.match(name) is not None


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    if code >= 0x110000:
        return found[0]
    return chr(code) if chr(code).isprintable() else f"\\x{code & 0xFF if 0xDC80 <= code <= 0xDCFF else code:02x}"
