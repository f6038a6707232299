"""Whether the program has the functions whose calls are to go by contract."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.execute.subject import ALL, Subject
from counterpoint.program.names import original

MOST: Final = 8
"""Functions that are named where none is meant."""

_DEFINED: Final = regex(r'^define[^@\n]*@"?([A-Za-z0-9_.$]+)', re.MULTILINE)


def check_contracts(option: str, subject: Subject) -> None:
    """Raises UnusableInput where the option names what is no function of the program."""
    wanted = [name for name in (part.strip() for part in option.split(",")) if name not in ("", ALL)]
    known = _functions(subject) if wanted else []
    for name in wanted:
        if name not in known:
            near = [one for one in known if name.lower() in one.lower()]
            near = near or get_close_matches(name, known, MOST) or list(known)
            there = ", ".join(shown(one) for one in near[:MOST])
            raise UnusableInput(f"--contracts {shown(name)}: no function of the program; there is {there or 'none'}")


def _functions(subject: Subject) -> list[str]:
    """Those that it defines, as the source and as the program call them, the user's own first."""
    found: dict[str, None] = {}
    for name in _DEFINED.findall(subject.defined.text):
        found |= {original(name): None, name: None}
    return sorted(found, key=lambda name: (name.startswith("__"), name))
