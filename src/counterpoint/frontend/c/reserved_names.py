"""Names that belong to the checker: a program can neither call nor define what is called `__cp_...`."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import ATTACHED, nodes
from counterpoint.frontend.definition.va_arg import TAKE
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.locations import Locations
from counterpoint.frontend.printed import printed_first
from counterpoint.program.names import RESERVED, original

_SYMBOL = regex(r"^(?:(?:define|declare) [^\n]*?)?@(__cp_[\w.$]*)(?:\(| = )", re.MULTILINE)


def refuse_reserved(code: bytes, module: llvm.ModuleRef) -> None:
    """Raises UnusableInput, naming file and line, if a symbol of a file's module begins with `__cp_`.

    `code` is the module's bitcode, in which all symbols stand as they are.
    """
    if RESERVED.encode() not in code:
        return
    text = printed_first(module)
    found = next((one for one in _SYMBOL.finditer(text) if not _is_taking(one)), None)
    if found is not None:
        raise UnusableInput(
            f"{_where(text, found[1])}: the name {original(found[1])} belongs to the checker: names of functions and"
            f" objects must not begin with {RESERVED}"
        )


def _is_taking(symbol: re.Match[str]) -> bool:
    """Whether it is the declaration of what our macro for `va_arg` calls."""
    return symbol[1] == TAKE and symbol[0].startswith("declare ") and " ptr @" in symbol[0]


def _where(text: str, name: str) -> str:
    """The location of the symbol's declaration, or of what mentions it first."""
    locations = Locations(nodes(text))
    mentions = re.compile(rf"@{re.escape(name)}(?![-\w.$])")
    lines = [line for line in text.split("\n") if mentions.search(line)]
    lines.sort(key=lambda line: line.startswith(" "))
    for line in lines:
        reference = ATTACHED.search(line) if not line.startswith(" ") else re.match(r"!\d+", debug_of(line))
        at = locations.location(reference[reference.re.groups]) if reference is not None else None
        if at is not None and at.line:
            return f"{at.file}:{at.line}"
    return "the program"
