"""Loops and calls that may go on for ever, told from the text of bodies as clang writes them.

They are where lost memory is looked for although no end of the run is in sight (leaks.py). What is lost stays lost,
so that the question is right anywhere: a place too many costs time, a place too few leaves a run without an answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from counterpoint.core.closure import reached
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.body import label_of
from counterpoint.frontend.definition.scopes import Block, blocks_of
from counterpoint.frontend.irtext import FunctionText
from counterpoint.frontend.lower.text import NAME, unquoted

_VALUE = rf"[%@]{NAME}"
_REGISTER = regex(rf"%{NAME}")
_LOADED = regex(rf"^  %{NAME} = load (?:volatile )?[^%@]*, ptr ({_VALUE})(?:,|$)")
_STORED = regex(rf"^  store (?:volatile )?(.*), ptr ({_VALUE})(?:,|$)")
_CALLED = regex(rf"\bcall [^@%]*@({NAME})\(")
_SYMBOL = regex(rf"@{NAME}")
_OPCODE = regex(rf"^  (%{NAME}) = (\w+)")
_COPIES = frozenset({"icmp", "fcmp", "zext", "sext", "trunc", "xor", "and", "or", "select", "phi", "freeze", "load"})
"""What tests and hands on values; anything else that a loop computes counts as getting on."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: the block that its edges back lead to, and the labels of all its blocks."""

    head: str
    labels: frozenset[str]


def entry_of(function: FunctionText) -> str:
    """The label of the entry block."""
    first = function.lines[0]
    unnamed = sum(1 for _, name in function.parameters if name[1:].isdigit())
    return label_of(first) if first[0] != " " else str(unnamed)


def stuck_loops(function: FunctionText, entry: str, foreign: Container[str]) -> frozenset[str]:
    """The heads of loops that no path leaves, and of those that are left only where something has changed that
    nothing in them changes. `foreign`: the globals that calls in it may change. Linear in the loops' lines."""
    if not any(line.startswith(("  br ", "  switch ", "  indirectbr ")) for line in function.lines):
        return frozenset()
    blocks = blocks_of(function.lines, entry)
    return frozenset(loop.head for loop in _loops(blocks, entry) if _is_stuck(blocks, loop, foreign))


def changed_elsewhere(functions: Mapping[str, FunctionText]) -> dict[str, frozenset[str]]:
    """For each function the globals that other functions mention otherwise than to read them."""
    users: dict[str, set[str]] = {}
    for name, function in functions.items():
        for line in function.lines:
            if "@" in line and " = load " not in line:
                for symbol in _SYMBOL.findall(line):
                    users.setdefault(symbol, set()).add(name)
    several = frozenset(symbol for symbol, by in users.items() if len(by) > 1)
    only: dict[str, set[str]] = {}
    for symbol, by in users.items():
        if len(by) == 1:
            only.setdefault(next(iter(by)), set()).add(symbol)
    every = several.union(*only.values())
    return {name: every - only.get(name, set()) for name in functions}


def stuck_functions(functions: Mapping[str, FunctionText]) -> frozenset[str]:
    """The functions that on each path to an end call themselves, by whatever way. Calls through pointers are not
    looked at."""
    calls = {
        name: {unquoted(callee) for line in function.lines for callee in _CALLED.findall(line)} & functions.keys()
        for name, function in functions.items()
    }
    found = set()
    for name, function in functions.items():
        fellows = {callee for callee in calls[name] if name in reached(callee, calls.__getitem__)}
        if fellows and not _ends_without(function, fellows):
            found.add(name)
    return frozenset(found)


def _ends_without(function: FunctionText, fellows: Container[str]) -> bool:
    """Whether some path through the body ends and calls none of them."""
    entry = entry_of(function)
    blocks = blocks_of(function.lines, entry)
    seen = {entry}
    waiting = [entry]
    while waiting:
        block = blocks[waiting.pop()]
        if any(unquoted(callee) in fellows for line in block.lines for callee in _CALLED.findall(line)):
            continue
        if not block.targets:
            return True
        waiting += [target for target in block.targets if target not in seen]
        seen.update(block.targets)
    return False


def _loops(blocks: Mapping[str, Block], entry: str) -> list[Loop]:
    """Every cycle has an edge back in a search from the entry; blocks from which it is reached are its loop."""
    sources: dict[str, list[str]] = {}
    done = {entry}
    path = [(entry, iter(blocks[entry].targets))]
    on_path = {entry}
    while path:
        label, targets = path[-1]
        target = next(targets, "")
        if not target:
            path.pop()
            on_path.discard(label)
        elif target in on_path:
            sources.setdefault(target, []).append(label)
        elif target not in done:
            done.add(target)
            on_path.add(target)
            path.append((target, iter(blocks[target].targets)))
    if not sources:
        return []
    before: dict[str, list[str]] = {label: [] for label in blocks}
    for label, block in blocks.items():
        for target in block.targets:
            before[target].append(label)
    found = []
    for head, waiting in sources.items():
        inside = {head}
        while waiting:
            label = waiting.pop()
            if label not in inside and label in done:
                inside.add(label)
                waiting += before[label]
        found.append(Loop(head, frozenset(inside)))
    return found


def _is_stuck(blocks: Mapping[str, Block], loop: Loop, foreign: Container[str]) -> bool:
    """Whether the loop has no exits, or nothing that decides about them ever changes in it."""
    inside = [blocks[label] for label in loop.labels]
    lines = [line for block in inside for line in block.lines]
    branches = [name for block in inside if len(block.targets) > 1 for name in _tested(block)]
    deciding = [name for block in inside if not loop.labels.issuperset(block.targets) for name in _tested(block)]
    return not deciding or not _Changes(lines, branches, foreign).any_of(deciding)


def _tested(block: Block) -> list[str]:
    """The register that decides where control goes from the block."""
    return _REGISTER.findall(block.lines[block.end].partition("label ")[0])


class _Changes:
    """What may have another value in the next round of a loop, given by its lines and what its branches test."""

    def __init__(self, lines: Sequence[str], branches: Sequence[str], foreign: Container[str]) -> None:
        self.foreign = foreign
        self.branches = branches
        given = (line for line in lines if " call " in line and "@llvm." not in line)
        self.handed_on = {name for line in given for name in _REGISTER.findall(line.partition("(")[2])}
        self.defined = {found[1]: (found[2], line) for line in lines if (found := _OPCODE.match(line)) is not None}
        self.stores: dict[str, list[str]] = {}
        self.calls = any(" call " in line and "@llvm." not in line for line in lines)
        for line in lines:
            if (stored := _STORED.match(line)) is not None:
                self.stores.setdefault(stored[2], []).append(stored[1].rpartition(" ")[2])

    def any_of(self, deciding: Sequence[str]) -> bool:
        """Whether one of the registers depends on what changes."""
        seen: set[str] = set()
        waiting = list(deciding)
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self.defined:
                continue
            seen.add(name)
            opcode, line = self.defined[name]
            if opcode in ("call", "getelementptr") or (opcode == "load" and self._changes(line, waiting)):
                return True
            waiting += _REGISTER.findall(line.partition(" = ")[2])
            if opcode in ("phi", "select"):
                waiting += self.branches
        return False

    def _changes(self, load: str, waiting: list[str]) -> bool:
        """Whether the place that is read gets values that the loop computes; `waiting` gets those it hands on."""
        found = _LOADED.match(load)
        if found is None or found[1] in self.defined or found[1] in self.handed_on:
            return True
        if found[1][0] == "@" and self.calls and found[1] in self.foreign:
            return True
        for value in self.stores.get(found[1], ()):
            if value in self.defined and not self._hands_on(value):
                return True
            waiting.append(value)
        if found[1] in self.stores:
            waiting += self.branches
        return False

    def _hands_on(self, value: str) -> bool:
        seen: set[str] = set()
        waiting = [value]
        while waiting:
            name = waiting.pop()
            if name in self.defined and name not in seen:
                seen.add(name)
                if self.defined[name][0] not in _COPIES:
                    return False
                waiting += _REGISTER.findall(self.defined[name][1].partition(" = ")[2])
        return True
