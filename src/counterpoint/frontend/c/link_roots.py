"""What linking keeps although nothing in the program mentions it: what the environment calls."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.lower.text import quoted

REGISTERING = frozenset({"atexit", "on_exit", "at_quick_exit"})
AT_EXIT, AT_QUICK_EXIT = "__cp_at_exit", "__cp_at_quick_exit"
"""The models' functions that run what was registered (libc/exit_handlers.c)."""

NO_PRIORITY = 65535

_STRING = regex(r'(?:[@$]|\bc)"[^"]*"')
_IN_SECTION = regex(r', section "([^"]*)"')
_SECTION = regex(r"\.(preinit_array|init_array|fini_array|ctors|dtors)(?:\.([0-9]+))?")


def section_of(line: str) -> tuple[str, int]:
    """The section in which a global's line puts pointers to functions that run before or after the program, or "",
    and the priority that is part of the section's name."""
    named = _IN_SECTION.search(_STRING.sub("", line)) if " section " in line else None
    found = _SECTION.fullmatch(quoted(named[1])) if named is not None else None
    if found is None:
        return "", NO_PRIORITY
    return found[1], int(found[2]) if found[2] else NO_PRIORITY
