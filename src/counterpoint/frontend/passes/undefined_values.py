"""Between passes: what LLVM gave up on becomes an arbitrary value again.

A pass that finds an access outside its object replaces the value by `poison` (or `undef`). Here such a
read yields an arbitrary value instead, so each is replaced before the next pass could draw conclusions
from it. Blocks that nothing reaches are removed on the way.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex
from counterpoint.core.source import Site
from counterpoint.frontend.definition.body import Body, Rewriting, label_of
from counterpoint.frontend.definition.tables import Tables
from counterpoint.frontend.definition.undefined_constants import arbitrary_operands
from counterpoint.frontend.irtext import FunctionText, parse
from counterpoint.frontend.lower.locations import Locations
from counterpoint.property import Property

_UNDEFINED = regex(r"^  (?! *#dbg).*(?<![@%\w.$\"-])(?:poison|undef)(?![\w.$\"-])", re.MULTILINE)
_TARGET = regex(r"label %([-\w.$]+|\"[^\"]*\")")
_INCOMING = regex(r"\[ [^\[\]]+, %([-\w.$]+|\"[^\"]*\") \](?:, )?")
_OPCODE = regex(r"^  (?:%[^ ]+ = )?(\w+)")


def needs_settling(text: str) -> bool:
    """Whether a printed module has undefined operands or unreachable blocks."""
    return "; No predecessors!" in text or (_may_be_undefined(text) and _UNDEFINED.search(text) is not None)


def _may_be_undefined(text: str) -> bool:
    """Quickly, for what is long and mostly is not."""
    return "poison" in text or "undef" in text


def settle(text: str, sites: list[Site], property_: Property, round_: int) -> str:
    """The module without undefined operands; new sites are appended to `sites`.

    `round_` keeps the new names apart from those of earlier rounds.
    """
    module = parse(text)
    metadata = dict(line.split(" = ", 1) for line in module.metadata)
    tables = Tables(Locations(metadata), metadata, sites)
    shared = Rewriting(module, tables, property_)
    for function in module.functions.values():
        lines = function.lines
        if any(line.endswith("; No predecessors!") for line in lines):
            function.lines = lines = without_unreachable(function)
        if any(_may_be_undefined(line) and _UNDEFINED.match(line) for line in lines):
            _replace(Body(shared, function, f"cp{round_}"), lines)
    missing = {name: line for name, line in shared.kernel.items() if name not in module.declared}
    module.declared |= missing
    return module.text()


def _replace(body: Body, lines: list[str]) -> None:
    for line in lines:
        if line[0] != " ":
            body.start_block(label_of(line))
        elif _may_be_undefined(line) and _UNDEFINED.match(line) and (opcode := _OPCODE.match(line)) is not None:
            line = arbitrary_operands(body, line, opcode[1])
        body.out.append(line)
    body.finish()


def without_unreachable(function: FunctionText) -> list[str]:
    """The body without the blocks that no path from the entry reaches, and without their phi edges."""
    blocks: dict[str, list[str]] = {}
    entry = "" if function.lines[0].startswith(" ") else label_of(function.lines[0])
    current = blocks.setdefault(entry, [])
    for line in function.lines:
        if line[0] != " ":
            current = blocks.setdefault(label_of(line), [])
        current.append(line)
    reached = {entry}
    work = [entry]
    while work:
        for line in blocks[work.pop()]:
            if "label %" in line:
                found = [label for label in _TARGET.findall(line) if label not in reached]
                reached.update(found)
                work += found
    dead = blocks.keys() - reached

    def alive(line: str) -> str:
        edges = _INCOMING.sub(lambda edge: "" if edge[1] in dead else edge[0], line)
        return re.sub(r", (?=$|, !dbg)", "", edges)

    kept = (line for label, lines in blocks.items() if label in reached for line in lines)
    return [alive(line) if " = phi " in line else line for line in kept]
