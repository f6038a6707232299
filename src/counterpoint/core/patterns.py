"""Regular expressions that are compiled when they are first used.

The package's modules name some five hundred at their top; one check of one file uses a few dozen of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    regex = re.compile
else:

    def regex(pattern: str, flags: int = 0) -> _Waiting:
        """`re.compile`, but that the pattern is looked at, and may be refused with `re.error`, at the first use only.

        What is returned has all methods and attributes of `re.Pattern`; functions of `re` do not take it for one.
        """
        return _Waiting(pattern, flags)


class _Waiting:
    """A pattern that compiles itself when it is asked for what it does not have, and keeps what was asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask for such before there is anything to compile
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value
