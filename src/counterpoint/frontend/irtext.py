"""LLVM IR as text that can be rewritten: a module's lines by what they are, bodies line by line.

The text comes from LLVM's own printer, so its form is regular: one instruction per line (a switch
spans several), two blanks in front, results and blocks named by numbers. New values and blocks get
names that begin with `cp.`; they need no renumbering.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.lower.text import NAME, matching, split_commas, unquoted

_HEADER = regex(rf"^define (.*?)@({NAME})\((.*)$")
_SYMBOL = regex(rf"@({NAME})")
_DECLARE = regex(rf"^declare .*?@({NAME})\(")
_GLOBAL = regex(rf"^@({NAME}) = ")


@dataclass(slots=True)
class FunctionText:
    """A defined function. `header` is `define ... {`, `lines` its body without the closing brace.

    `result` is the type it returns; `parameters` pair each parameter's type with its name (`%0`);
    `reads_list`: it starts to read its variable arguments somewhere; `own_frame`: what it allocates can be told to
    end only by its return, so that it must not be inlined.
    """

    name: str
    header: str
    lines: list[str]
    result: str
    parameters: list[tuple[str, str]]
    variadic: bool
    debug: str = ""
    reads_list: bool = False
    own_frame: bool = False

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(type_ for type_, _ in self.parameters)


@dataclass(slots=True)
class ModuleText:
    """A module cut into its parts; `globals`, `declared` and `functions` are by unquoted name."""

    datalayout: str
    triple: str
    preamble: list[str]
    types: dict[str, str]
    globals: dict[str, str]
    declared: dict[str, str]
    functions: dict[str, FunctionText]
    attributes: list[str]
    metadata: list[str]
    aliases: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The module as LLVM reads it."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from self.preamble
        yield from (f"{name} = type {body}" for name, body in self.types.items())
        yield from self.globals.values()
        yield from self.aliases.values()
        for function in self.functions.values():
            yield function.header
            yield from function.lines
            yield "}"
        yield from self.declared.values()
        yield from self.attributes
        yield from self.metadata


def parse(text: str) -> ModuleText:
    """Cuts LLVM's printed module into lines; nothing is rewritten."""
    module = ModuleText("", "", [], {}, {}, {}, {}, [], [])
    lines = iter(text.split("\n"))
    for line in lines:
        if not line or line[0] == ";":
            continue
        first = line[0]
        if first == "!":
            module.metadata.append(line)
        elif first == "@":
            name = unquoted(_GLOBAL.match(line)[1])  # type: ignore[index]
            (module.aliases if _is_alias(line) else module.globals)[name] = line
        elif first == "%":
            name, _, body = line.partition(" = type ")
            module.types[name] = body
        elif line.startswith("define "):
            body_lines = []
            for inner in lines:
                if inner == "}":
                    break
                if inner:
                    body_lines.append(inner)
            function = _function(line, body_lines)
            module.functions[function.name] = function
        elif line.startswith("declare "):
            module.declared[unquoted(_DECLARE.match(line)[1])] = line  # type: ignore[index]
        elif line.startswith("attributes "):
            module.attributes.append(line)
        else:
            module.preamble.append(line)
            if line.startswith("target datalayout"):
                module.datalayout = line.split('"')[1]
            elif line.startswith("target triple"):
                module.triple = line.split('"')[1]
    return module


def _is_alias(line: str) -> bool:
    return re.search(r" = [\w ()]*\b(?:alias|ifunc) ", line) is not None


def _function(header: str, lines: list[str]) -> FunctionText:
    match = _HEADER.match(header)
    assert match is not None, header
    close = matching(header, match.end(2))
    result, _, parameters, variadic = signature(header)
    debug = re.search(r"!dbg (!\d+)", header[close:])
    name = unquoted(match[2])
    reads = variadic and any("@llvm.va_start" in line for line in lines)
    place = debug[1] if debug else ""
    return FunctionText(name, header, lines, result, parameters, variadic, place, reads)


def signature(header: str) -> tuple[str, str, list[tuple[str, str]], bool]:
    """Result type, quoted name, parameters and whether it is variadic, of a `define` or `declare` line.

    Attributes of parameters are skipped; parameters of a declaration have the name "".
    """
    name = _SYMBOL.search(header)
    assert name is not None, header
    result = last_type(header[: name.start()].rstrip())
    close = matching(header, name.end())
    parameters, variadic = [], False
    for part in split_commas(header[name.end() + 1 : close]):
        if part == "...":
            variadic = True
            continue
        type_ = leading_type(part)
        last = part.rpartition(" ")[2]
        parameters.append((type_, last if last.startswith("%") and len(part) > len(type_) else ""))
    return result, name[1], parameters, variadic


def leading_type(text: str) -> str:
    """The type that `text` begins with."""
    if text[0] in "[{<":
        return text[: matching(text, 0) + 1]
    word = re.match(r'%"[^"]*"|[^\s,()]+', text)
    assert word is not None, text
    if text.startswith("ptr addrspace("):
        return text[: text.index(")") + 1]
    return word[0]


def last_type(text: str) -> str:
    """The type that `text` ends with (linkage, conventions and attributes may stand before it)."""
    if text[-1] not in "]}>":
        return text.rpartition(" ")[2]
    opening = {"]": "[", "}": "{", ">": "<"}
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        character = text[position]
        if character in "]}>":
            depth += 1
        elif character in "[{<":
            depth -= 1
            if depth == 0 and character == opening[text[-1]]:
                return text[position:]
    return text


@dataclass(frozen=True, slots=True)
class Call:
    """The parts of a call line after its attributes were stripped.

    `callee` is `@name`, a register or a constant; `function_type` is the type before it as written
    (the result's type, or the whole type of a variadic callee); `arguments` are `type value` texts.
    """

    result: str
    type: str
    callee: str
    arguments: list[str]
    function_type: str
    tail: str


_CALL_HEAD = regex(r"^  (?:(%[^ ]+) = )?(?:tail |musttail |notail )?call ")


def parse_call(line: str) -> Call | None:
    """The parts of a `call` line; None for inline assembly and other forms that are not plain calls."""
    head = _CALL_HEAD.match(line)
    if head is None or " asm " in line.partition("(")[0]:
        return None
    rest = line[head.end() :]
    type_ = leading_type(rest)
    position = len(type_) + 1
    function_type = type_
    if rest[position] == "(":
        close = matching(rest, position)
        function_type = rest[: close + 1]
        position = close + 2
    callee_match = re.compile(rf"(?:[@%]{NAME}|null|inttoptr |getelementptr )").match(rest, position)
    if callee_match is None:
        return None
    if callee_match[0].endswith(" "):
        constant_close = matching(rest, rest.index("(", position))
        callee, open_ = rest[position : constant_close + 1], constant_close + 1
    else:
        callee, open_ = callee_match[0], callee_match.end()
    if open_ >= len(rest) or rest[open_] != "(":
        return None
    close = matching(rest, open_)
    return Call(
        head[1] or "", type_, callee, split_commas(rest[open_ + 1 : close]), function_type, rest[close + 1 :]
    )


def argument(text: str) -> tuple[str, str]:
    """Type and value of a call's argument (attributes between them are skipped)."""
    type_ = leading_type(text)
    rest = text[len(type_) + 1 :]
    while (skipped := _ATTRIBUTE.match(rest)) is not None:
        rest = rest[skipped.end() :]
    return type_, rest


_ATTRIBUTE = regex(
    r"(?:byval|sret|byref|inalloca|preallocated|elementtype)\((?:[^()]|\([^()]*\))*\) |align \d+ |inreg "
)


def debug_of(line: str) -> str:
    """The `!dbg` reference of a line (`!12`), or ""."""
    position = line.rfind("!dbg !")
    if position < 0:
        return ""
    end = line.find(",", position)
    return line[position + 5 : end if end > 0 else len(line)].strip()
