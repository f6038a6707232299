"""Which blocks of a function count steps and coverage, and which ones a run can never leave again."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

LABEL = regex(r'^("[^"]*"|[-\w.$]+):')
_TARGET = regex(r'label %("[^"]*"|[-\w.$]+)')
_CHANGES = regex(r"^  (?:%[^ ]+ = )?(?:phi|load|store|(?:tail |musttail |notail )?call) ")
_BRANCHES = ("  br ", "  switch ", "  indirectbr ")
_ENTRY = ""


@dataclass(slots=True)
class _Block:
    targets: list[str] = field(default_factory=list)
    inert: bool = True


@dataclass(frozen=True, slots=True)
class Flow:
    """`counted` are names of blocks that count; `endless` those of them that, entered twice in a row, are
    entered for ever. `leaving` are the others that a cycle with such a block is left by. `decided` are the
    registers that branches test."""

    counted: frozenset[str]
    endless: frozenset[str]
    leaving: frozenset[str]
    decided: frozenset[str]


def flow_of(lines: list[str]) -> Flow:
    """The flow of a function's body.

    Counted are blocks with several predecessors, and those whose predecessor has several successors. Of the
    two successors of a branch the first does without if the second is entered by this branch alone: whether
    that one was passed tells the outcomes apart. Every cycle keeps a counted block, the one it is entered by.
    """
    blocks, decided = _blocks(lines)
    reached: dict[str, int] = {}
    for block in blocks.values():
        for target in block.targets:
            reached[target] = reached.get(target, 0) + 1
    counted = {name for name, count in reached.items() if count > 1}
    for block in blocks.values():
        if len(block.targets) > 1:
            one_tells = len(block.targets) == 2 and reached[block.targets[1]] == 1
            counted.update(block.targets[1:] if one_tells else block.targets)
    endless: set[str] = set()
    leaving: set[str] = set()
    for cycle in _inert_cycles(blocks):
        entries = {
            target for name, block in blocks.items() if name not in cycle for target in block.targets if target in cycle
        }
        if len(entries) == 1:
            counted -= cycle
            counted |= entries
            endless |= entries
            leaving |= {target for name in cycle for target in blocks[name].targets if target not in cycle}
    return Flow(frozenset(counted), frozenset(endless), frozenset(leaving - endless), frozenset(decided))


def _blocks(lines: list[str]) -> tuple[dict[str, _Block], set[str]]:
    blocks = {_ENTRY: _Block()}
    decided = set()
    current = blocks[_ENTRY]
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if not line.startswith(" "):
            label = LABEL.match(line)
            if label is not None:
                current = blocks[label[1]] = _Block()
        elif line.startswith(_BRANCHES):
            text = line
            if line.endswith("["):
                while not lines[position].startswith("  ]"):
                    text += lines[position]
                    position += 1
            elif line.startswith("  br i1 "):
                decided.add(line[8 : line.index(",")])
            current.targets = list(dict.fromkeys(_TARGET.findall(text)))
        elif _CHANGES.match(line) is not None:
            current.inert = False
    return blocks, decided


def _inert_cycles(blocks: dict[str, _Block]) -> list[set[str]]:
    """Strongly connected sets of blocks that change nothing: whatever keeps a run there once, keeps it."""
    inert = {name for name, block in blocks.items() if block.inert}
    forward = {name: [t for t in blocks[name].targets if t in inert] for name in inert}
    cycles = []
    done: set[str] = set()
    for start in blocks:
        if start not in inert or start in done:
            continue
        ahead = _reachable(forward, start)
        if start not in ahead:
            continue
        cycle = {name for name in ahead if start in _reachable(forward, name)}
        done |= cycle
        cycles.append(cycle)
    return cycles


def _reachable(forward: dict[str, list[str]], start: str) -> set[str]:
    """What can be reached from `start` in one step or more."""
    found: set[str] = set()
    waiting = list(forward[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += forward[name]
    return found
