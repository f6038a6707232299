"""Expressions that a call without a return cuts short.

Behind a call of a function that is declared noreturn clang writes nothing: of `use(malloc(4), stop())` it leaves the
calls of `malloc` and `stop`, as of `malloc(4); stop();`. Where memory may be lost the two differ. Such programs are
compiled again, with `noreturn` as an attribute that means nothing; what was declared so is known from the first time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from counterpoint.core.patterns import regex
from counterpoint.frontend.irtext import FunctionText
from counterpoint.frontend.lower.text import NAME

_LIBRARY = ("abort", "exit", "_exit", "_Exit", "longjmp", "_longjmp", "siglongjmp")
"""Functions of which clang knows without a word that they do not return."""

RETURNING = (
    "-D_Noreturn=", "-Dnoreturn=unused", "-D__noreturn__=__unused__", *(f"-fno-builtin-{name}" for name in _LIBRARY)
)  # fmt: skip
"""Options under which every function may return."""

_BODY = regex(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_REGISTER = regex(rf"%{NAME}")
_RESULT = regex(rf"^  (%{NAME}) = (?:call|load|getelementptr|phi|select|inttoptr|extractvalue|add|sub|or|and)\b")
_POINTER = regex(
    rf"^  (%{NAME}) = (?:(?:tail )?call (?:[a-z]+ )*?(?:\w+\(\d+\) )*ptr |load (?:volatile )?ptr|getelementptr|phi ptr"
    r"|select i1 [^,]+, ptr |inttoptr|extractvalue)"
)
_CALL = regex(r"^  (?:%[^ ]+ = )?(?:tail )?call ")
_THROUGH_POINTER = regex(r"^  (?:%[^ ]+ = )?(?:tail )?call [^@]*?%[^ ]+\(")


def is_cut_short(text: str) -> bool:
    """Whether in some block of the linked program a value is computed, then never used, and the block's last call
    does not return; or beside such a call a pointer waits in one block for its use in another (`c ? stop() : 1`).
    Not if a call through a pointer does not return either: of that nothing else would tell.

    Linear in the text.
    """
    found = False
    for body in _BODY.findall(text):
        if "\n  unreachable" not in body:
            continue
        lines = body.split("\n")
        stops = (at for at, line in enumerate(lines) if line.startswith("  unreachable"))
        ends = [at - 1 for at in stops if _CALL.match(lines[at - 1])]
        if any(_THROUGH_POINTER.match(lines[at]) for at in ends):
            return False
        if not found and ends:
            uses = Counter(name for line in lines if "#dbg_" not in line for name in _REGISTER.findall(line))
            found = any(_computes_unused(lines, at, uses) for at in ends) or _pointer_waits(lines)
    return found


def _computes_unused(lines: list[str], end: int, uses: Counter[str]) -> bool:
    """Whether a line before `end` in its block gives a value that nothing uses."""
    for line in reversed(lines[:end]):
        if line[:1] != " ":
            return False
        if (made := _RESULT.match(line)) is not None and uses[made[1]] == 1:
            return True
    return False


def _pointer_waits(lines: list[str]) -> bool:
    """Whether a pointer that is no variable's is used in another block than the one that computes it. Before all passes
    variables are in memory, so it is part of an expression that branches."""
    block, made = 0, dict[str, int]()
    for line in lines:
        if line[:1] not in (" ", ""):
            block += 1
        if "#dbg_" in line:
            continue
        if any(made.get(name, block) != block for name in _REGISTER.findall(line)):
            return True
        if (pointer := _POINTER.match(line)) is not None:
            made[pointer[1]] = block
    return False


def end_where_they_return(functions: Iterable[FunctionText]) -> None:
    """Makes the returns of functions that are declared noreturn what they are: undefined."""
    for function in functions:
        function.lines = [
            "  unreachable" + "".join(line.partition(", !dbg")[1:]) if line.startswith("  ret ") else line
            for line in function.lines
        ]
