"""LLVM's textual form, cut into the pieces that lowering asks for by name.

Only what is asked for is parsed: function bodies, initialisers and metadata stay text until then.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.debug_fields import nodes

NAME = r'(?:[-\w.$]+|"[^"]*")'
_DEFINE = regex(rf"^define .*?@({NAME})\(.*$", re.MULTILINE)
_TYPE = regex(rf"^(%{NAME}) = type (.*)$", re.MULTILINE)
_GLOBAL = regex(rf"^@({NAME}) = (.*)$", re.MULTILINE)
_DECLARE = regex(rf"^declare .*?@({NAME})\(", re.MULTILINE)
_LAYOUT = regex(r'^target datalayout = "(.*)"$', re.MULTILINE)
_TRIPLE = regex(r'^target triple = "(.*)"$', re.MULTILINE)
_ESCAPE = regex(r"\\(\\|[0-9A-Fa-f]{2})")
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ATTRIBUTE = regex(
    r"(?:align(?: \d+)?|allocalign|allocptr|byref|byval|captures|dead_on_return|dead_on_unwind"
    r"|dereferenceable|dereferenceable_or_null|elementtype|immarg|inalloca|initializes|inreg|nest|noalias|nocapture|noext"
    r"|nofpclass|nofree|nonnull|noundef|preallocated|range|readnone|readonly|returned|signext|sret|swiftself|writable"
    r"|writeonly|zeroext)(?=[ (])"
)
_NESTING = regex(r'[(\[{<"]')


@dataclass(frozen=True, slots=True)
class FunctionText:
    """`header` is the `define` line, `body` the lines up to the closing brace."""

    name: str
    header: str
    body: str


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The named pieces of a module; all keys are unquoted names, types and metadata keep `%` and `!`."""

    functions: dict[str, FunctionText]
    declared: frozenset[str]
    globals: dict[str, str]
    types: dict[str, str]
    metadata: dict[str, str]
    datalayout: str
    triple: str


def split_module(text: str) -> ModuleText:
    """Cuts a module's text in one pass; nothing is checked here."""
    functions: dict[str, FunctionText] = {}
    for match in _DEFINE.finditer(text):
        name = unquoted(match.group(1))
        start = match.end() + 1
        functions[name] = FunctionText(name, match.group(0), text[start : text.find("\n}", start)])
    layout, triple = _LAYOUT.search(text), _TRIPLE.search(text)
    return ModuleText(
        functions,
        frozenset(unquoted(name) for name in _DECLARE.findall(text)),
        {unquoted(name): rest for name, rest in _GLOBAL.findall(text)},
        dict(_TYPE.findall(text)),
        nodes(text),
        layout.group(1) if layout else "",
        triple.group(1) if triple else "",
    )


def unquoted(name: str) -> str:
    """A name as it is in the object file: quotes removed, `\\xx` escapes replaced."""
    if name[0] != '"':
        return name
    return _ESCAPE.sub(lambda match: chr(_escaped(match.group(1))), name[1:-1])


def string_bytes(literal: str) -> bytes:
    """The bytes of `c"..."`."""
    return unescaped(literal[2:-1])


def unescaped(text: str) -> bytes:
    """The bytes that stand between quotes: characters, `\\xx` and `\\\\`."""
    if "\\" not in text:
        return text.encode("latin-1")
    if text[::3] == "\\" * (len(text) // 3) and 3 * text.count("\\") == len(text):
        return bytes.fromhex(text.replace("\\", ""))
    return _ESCAPE.sub(lambda match: chr(_escaped(match.group(1))), text).encode("latin-1")


def quoted(text: str) -> str:
    """What stands between quotes, for people: characters that cannot be printed as `\\xNN`."""
    said = unescaped(text).decode("utf-8", "backslashreplace")
    return said if said.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in said)


def _escaped(code: str) -> int:
    return 92 if code == "\\" else int(code, 16)


def matching(text: str, start: int) -> int:
    """The position of the bracket that closes the one at `start`; -1 if there is none."""
    stack: list[str] = []
    position, end = start, len(text)
    while position < end:
        character = text[position]
        if character == '"':
            position = text.find('"', position + 1)
            if position < 0:
                return -1
        elif character in "([{<":
            stack.append(_CLOSING[character])
        elif stack and character == stack[-1]:
            stack.pop()
            if not stack:
                return position
        position += 1
    return -1


def split_commas(text: str) -> list[str]:
    """The parts between commas that are in no bracket and no string."""
    if not text:
        return []
    if _NESTING.search(text) is None:
        return text.split(", ")
    parts: list[str] = []
    start = position = 0
    while position < len(text):
        character = text[position]
        if character == '"':
            position = text.find('"', position + 1)
        elif character in "([{<":
            position = matching(text, position)
        elif character == ",":
            parts.append(text[start:position].strip())
            start = position + 1
        if position < 0:
            break
        position += 1
    parts.append(text[start:].strip())
    return parts


def split_type(text: str) -> tuple[str, str]:
    """`text` is a type, a space and something: these two. The type may be nested or have an address space."""
    if text[0] in "[{<":
        end = matching(text, 0) + 1
        return text[:end], text[end + 1 :]
    head, _, rest = text.partition(" ")
    if rest.startswith("addrspace("):
        space, _, rest = rest.partition(" ")
        return f"{head} {space}", rest
    return head, rest


def split_argument(text: str) -> tuple[str, str]:
    """`text` is a type, parameter attributes and an operand, as in a call: the type and the operand."""
    type_text, rest = split_type(text)
    while " " in rest:
        attribute = _ATTRIBUTE.match(rest)
        if attribute is not None:
            end = attribute.end()
        elif rest[0] == '"':
            end = rest.find('"', 1) + 1
            if rest.startswith('="', end):
                end = rest.find('"', end + 2) + 1
        else:
            break
        if rest[end] == "(":
            end = matching(rest, end) + 1
        rest = rest[end:].lstrip()
    return type_text, rest
