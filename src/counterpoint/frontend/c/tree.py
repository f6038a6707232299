"""Clang's syntax trees as it prints them, in JSON: their nodes, where these stand, and their types.

Lines and files are printed only where they change, so places are read in the order of the text. Two deviations of
clang's from that are undone or lived with: parts of a list that does not initialise a whole array come as a filler's;
and a line that `#line` gives is not printed where it is the one of the token before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import syntax_tree
from counterpoint.frontend.task import SourceTask

Node = dict[str, Any]


class Place(NamedTuple):
    """A token; of what a macro writes (`macro`) the macro's name where it is used. `file` and `line` are of the text as
    it is, the presumed ones as `#line` says; `column` counts bytes from 1. `offset` and `length` are bytes, `offset`
    None where clang knows no place. An own tuple, as there are some for each node."""

    file: str
    line: int
    presumed_file: str
    presumed_line: int
    column: int
    offset: int | None
    length: int
    macro: bool

    @property
    def plain(self) -> bool:
        """The token stands there itself."""
        return self.offset is not None and not self.macro


class Stretch(NamedTuple):
    """From the first token to the last, which is part of it."""

    first: Place
    last: Place


@dataclass(frozen=True, slots=True)
class Tree:
    """A node with all below: `names` are where the names of declarations stand, `stretches` where nodes do, both by the
    identity of a node, which has none where clang does not print any."""

    root: Node
    names: dict[int, Place]
    stretches: dict[int, Stretch]

    def __iter__(self) -> Iterator[Node]:
        """The declarations of a file."""
        return iter(parts(self.root))


def trees(task: SourceTask, file: Path, function: str = "") -> Iterator[Tree]:
    """Of the file as a whole, or of the functions with this in their names. Raises ValueError where the text is cut
    off, and RecursionError."""
    text = syntax_tree(task, file, function).decode("utf-8", "replace")
    decoder, position = json.JSONDecoder(), 0
    text = text.replace(*_FILLER)
    while (position := text.find("{", position)) >= 0:
        node, position = decoder.raw_decode(text, position)
        yield located(node)


def file_tree(task: SourceTask, file: Path, purpose: str) -> Tree:
    """Raises UnusableInput, with what the tree is for, where it cannot be read."""
    try:
        return next(trees(task, file))
    except (ValueError, RecursionError, StopIteration):
        raise UnusableInput(f"{file}: clang's syntax tree of it cannot be read: {purpose}") from None


def node_of(text: bytes) -> Node:
    """One node's text. Raises ValueError and RecursionError."""
    node: Node = json.loads(text.decode("utf-8", "replace").replace(*_FILLER))
    return node


_FILLER = '"array_filler": [', '"inner": ['
"""No text of a file can be taken for it: its quotes are escaped."""


def located(root: Node, line: int = 0) -> Tree:
    """`line`: the one that counts where the node begins."""
    tree, reader, waiting = Tree(root, {}, {}), _Reader(line), [root]
    while waiting:
        node = waiting.pop()
        if "loc" in node:
            tree.names[id(node)] = reader.place(node["loc"])
        if "range" in node:
            first = reader.place(node["range"].get("begin", {}))
            tree.stretches[id(node)] = Stretch(first, reader.place(node["range"].get("end", {})))
        waiting.extend(part for part in reversed(node.get("inner", ())) if part)
    return tree


class _Reader:
    """What counts until something else is printed."""

    def __init__(self, line: int) -> None:
        self.file = self.presumed_file = ""
        self.line = self.presumed_line = line

    def place(self, given: Node, macro: bool = False) -> Place:
        if "expansionLoc" in given:
            self.place(given.get("spellingLoc", {}))
            return self.place(given["expansionLoc"], True)
        if "file" in given:
            self.file = self.presumed_file = given["file"]
        if "line" in given:
            self.line = self.presumed_line = given["line"]
        self.presumed_file = given.get("presumedFile", self.presumed_file)
        self.presumed_line = given.get("presumedLine", self.presumed_line)
        return Place(
            self.file, self.line, self.presumed_file, self.presumed_line, given.get("col", 0), given.get("offset"),
            given.get("tokLen", 1), macro,
        )  # fmt: skip


# ---------------------------------------------------------------- nodes


def parts(node: Node) -> list[Node]:
    """Those right below. Some are empty, as the parts that a `for` lacks."""
    found: list[Node] = node.get("inner", [])
    return found


def nodes(root: Node) -> Iterator[Node]:
    """The node and all below, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(part for part in reversed(node.get("inner", ())) if part)


def first_part(node: Node) -> Node:
    """{} where there is none."""
    return next(iter(node.get("inner", ())), {})


def body_of(function: Node) -> Node | None:
    """None of a function that is only declared."""
    return next((part for part in parts(function) if part.get("kind") == "CompoundStmt"), None)


def written_type(node: Node) -> str:
    """As it is written; "" where the node has none."""
    return str(node.get("type", {}).get("qualType", ""))


def type_of(node: Node) -> str:
    """Without names of types at its outside."""
    given = node.get("type", {})
    return str(given.get("desugaredQualType") or given.get("qualType", ""))
