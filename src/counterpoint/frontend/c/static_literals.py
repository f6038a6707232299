"""Compound literals that are static objects: which of their members are const.

LLVM has them as objects without debug information. Those that are const as a whole are constants there; of the others
the types that the syntax tree has, and debug information of these, tell. It is written beside them as for variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.c.syntax import static_literals
from counterpoint.frontend.c.value_names import compiled_with_names
from counterpoint.frontend.c.written_types import constant_parts_of
from counterpoint.frontend.irtext import leading_type, parse
from counterpoint.frontend.lower.irtypes import TypeTable
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Ranges

_STATIC = regex(r"^(@\.compoundliteral[\w.]*) = (?:\w+ )*?global (.*)$", re.MULTILINE)
_STRUCTURE = regex(r"%(?:struct|union)\.([A-Za-z_]\w*)")
_STRUCTURED = regex(r"[{%]")
_WORDS = regex(r"[^\W\d]\w*")
_REFERENCE = regex(r"^!(\d+) = ", re.MULTILINE)


def with_static_literals(task: SourceTask, text: str) -> tuple[str, bool]:
    """The linked program with debug information of the const members of such objects; whether it is known of all."""
    written = [found for found in _STATIC.finditer(text) if _STRUCTURED.search(leading_type(found[2])) is not None]
    if not written or task.is_translated:
        return text, True
    module = parse(text)
    types = TypeTable(module.datalayout, module.triple, module.types)
    found = [(compiled_with_names(task, file), static_literals(task, file)) for file in task.files]
    parts: dict[str, Ranges] = {}
    known = all(literals is not None for _, literals in found)
    for line in written:
        type_ = leading_type(line[2])
        size = types.size(types.parse(type_))
        answers = {
            constant_parts_of(again.metadata, literal.type, size)
            for again, literals in found
            for literal in literals or ()
            if _may_be(literal.type, type_)
        } - {((0, size),)}
        answer = answers.pop() if len(answers) == 1 else None
        known = known and answer is not None
        parts[line[1]] = answer or ()
    return _described(text, {name: ranges for name, ranges in parts.items() if ranges}), known


def _may_be(written: str, type_: str) -> bool:
    """Whether objects of a type of the source may have that type in LLVM, by the names of structures."""
    names = _STRUCTURE.findall(type_)
    return not names or "struct anon" in type_ or not set(names).isdisjoint(_WORDS.findall(written))


def _described(text: str, parts: Mapping[str, Ranges]) -> str:
    """The program with debug information of objects that are const in parts."""
    if not parts:
        return text
    number = 1 + max(map(int, _REFERENCE.findall(text)), default=0)
    nodes: list[str] = []

    def node(content: str) -> str:
        nodes.append(f"!{number + len(nodes)} = {content}")
        return nodes[-1].partition(" ")[0]

    def described(line: re.Match[str]) -> str:
        ranges = parts.get(line[1])
        if ranges is None:
            return line[0]
        members = []
        for start, size in ranges:
            bytes_ = node(f"!DICompositeType(tag: DW_TAG_structure_type, size: {8 * size})")
            const = node(f"!DIDerivedType(tag: DW_TAG_const_type, baseType: {bytes_})")
            where = f"size: {8 * size}, offset: {8 * start}"
            members.append(node(f"!DIDerivedType(tag: DW_TAG_member, baseType: {const}, {where})"))
        elements = node(f"!{{{', '.join(members)}}}")
        type_ = node(f"!DICompositeType(tag: DW_TAG_structure_type, elements: {elements})")
        variable = node(f'distinct !DIGlobalVariable(name: "compound literal", type: {type_})')
        return f"{line[0]}, !dbg {node(f'!DIGlobalVariableExpression(var: {variable}, expr: !DIExpression())')}"

    text = _STATIC.sub(described, text)
    return text.rstrip("\n") + "\n" + "\n".join(nodes) + "\n"
