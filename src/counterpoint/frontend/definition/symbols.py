"""What a linked program's text says of its symbols: aliases, functions that do not return, objects of unknown size."""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import main_arguments
from counterpoint.frontend.irtext import FunctionText, ModuleText
from counterpoint.frontend.lower.text import NAME, unquoted

_ALIAS = regex(rf"^@({NAME}) = [^\n]*?\balias [^\n]*, ptr @({NAME})[^\n]*\n", re.MULTILINE)
_UNSIZED = regex(rf"^@({NAME}) = (?:[\w()]+ )*?external (?:[\w()]+ )*?(?:global|constant) \[0 x ")


def without_aliases(text: str, kept: frozenset[str]) -> str:
    """The module with aliases replaced by what they stand for; those in `kept` become declared functions."""
    if " alias " not in text:
        return text
    targets = dict(_ALIAS.findall(text))
    declared = [name for name in targets if name in kept]
    for name in declared:
        del targets[name]
    text = _ALIAS.sub("", text) + "".join(f"declare void @{name}()\n" for name in declared)

    def target(match: re.Match[str]) -> str:
        name = match[1]
        for _ in range(16):  # an alias may name another; a cycle is rejected by the compiler
            name = targets.get(name, name)
        return f"@{name}"

    return re.sub(rf"@({NAME})", target, text)


_ATTRIBUTED = regex(rf"^(?:define|declare) [^\n]*?@({NAME})\([^\n]*\) [^\n]*?#(\d+)", re.MULTILINE)
_NORETURN_GROUP = regex(r"^attributes #(\d+) = \{[^\n]*?\bnoreturn\b", re.MULTILINE)


def arguments_read(entry: FunctionText | None) -> frozenset[int]:
    """The positions of the parameters that the entry function reads."""
    parameters = entry.parameters if entry is not None else []
    return frozenset(p for p in range(len(parameters)) if entry is not None and main_arguments.is_read(entry, p))


def noreturn_functions(text: str) -> frozenset[str]:
    """The functions that are declared not to return."""
    groups = set(_NORETURN_GROUP.findall(text))
    return frozenset(unquoted(name) for name, group in _ATTRIBUTED.findall(text) if group in groups)


def unsized_externals(module: ModuleText) -> re.Pattern[str] | None:
    """Finds mentions of extern arrays whose size no file tells: there is no object to give them."""
    names = [found[1] for line in module.globals.values() if (found := _UNSIZED.match(line)) is not None]
    if not names:
        return None
    return re.compile("@(?:" + "|".join(map(re.escape, names)) + r")(?![-\w.$])")
