"""A module as the front end reads it: LLVM's printed text, in which no user's string and no odd name is left.

Rewriting works with regular expressions over text, so it must not meet text of the user's: a string constant that
looks like an instruction, a symbol with blanks or brackets in it, the template of inline assembly. So all text that
LLVM prints goes through here first, and is cut into tokens once:

- between quotes nothing but escapes is left: `c"@g"` becomes `c"\\40\\67"`, which means the same to LLVM. No expression
  that looks for words, symbols or brackets can match inside; `lower.text.quoted` gives the string back;
- names of symbols, types and labels become plain (program/names.py) and lose their quotes;
- comments are gone, but for the one that says that nothing leads to a block.

It is all that has to be known: what is between quotes matters to those who ask for it, and names are names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import llvmlite.binding as llvm

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.frontend.lower.text import unescaped
from counterpoint.program.names import original, plain

UNREACHED: Final = "; No predecessors!"
"""The comment that stays: LLVM prints it behind the label of a block that nothing leads to."""

_TOKEN: Final = regex(r'^target [^\n]*|;[^\n]*|^"[^"\n]*":|[@%$]?"[^"\n]*"', re.MULTILINE)
_NAMED: Final = regex(
    r'^target [^\n]*|;[^\n]*|^"([^"\n]*)":|([@%$])"([^"\n]*)"|"[^"\n]*"'
    r"|([@%$])([\w.]*[-$][-\w.$]*)|^([\w.]*[-$][-\w.$]*):",
    re.MULTILINE,
)

_MARK: Final = regex('[";]')
_FIRST_MARK: Final = regex('[";$-]')


def printed(module: llvm.ModuleRef) -> str:
    """The text of a module that was made from such text, after LLVM worked on it."""
    return _rewritten(str(module), _MARK, _TOKEN, _sheltered)


def printed_first(module: llvm.ModuleRef) -> str:
    """The text of a module that comes from a compiler: names become plain here, once. Raises UnusableInput."""
    module.name = "program"  # a comment has it as it is, and it may be a path with quotes and line ends
    return _rewritten(str(module), _FIRST_MARK, _NAMED, _named)


def _rewritten(
    text: str, mark: re.Pattern[str], tokens: re.Pattern[str], replaced: Callable[[re.Match[str]], str]
) -> str:
    """The text with its tokens replaced: each has a mark in it, and ends with its line.

    Few lines have a mark, and single characters are found much sooner than tokens.
    """
    parts: list[str] = []
    position = 0
    while (found := mark.search(text, position)) is not None:
        start = max(position, text.rfind("\n", position, found.start()) + 1)
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        parts += (text[position:start], tokens.sub(replaced, text[start:end]))
        position = end
    return "".join((*parts, text[position:]))


def _sheltered(token: re.Match[str]) -> str:
    text = token[0]
    if text[0] in "@%$" or (text[0] == '"' and text[-1] == ":"):  # plain, but LLVM quotes names with `$`
        return text.replace('"', "")
    if text[0] == '"':
        data = unescaped(text[1:-1])
        return '"\\' + data.hex("\\") + '"' if data else text
    return text if text[0] == "t" or text == UNREACHED else ""


def _named(token: re.Match[str]) -> str:
    label, sigil, name, bare_sigil, bare, bare_label = token.groups()
    if sigil is not None:
        return sigil + _plain(name)
    if bare_sigil is not None:
        return bare_sigil + plain(bare)
    if label is not None:
        return _plain(label) + ":"
    if bare_label is not None:
        return plain(bare_label) + ":"
    return _sheltered(token)


def _plain(quoted: str) -> str:
    """What stands between the quotes of a name, as a plain one. Its bytes are UTF-8 as a rule."""
    name = unescaped(quoted).decode("utf-8", "surrogateescape")
    if name[:1] == "\x01":
        raise UnusableInput(f"the symbol {original(plain(name))}: names that begin with the byte 1 are not supported")
    return plain(name)
