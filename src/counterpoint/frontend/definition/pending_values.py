"""Values that only an unfinished expression holds, while it calls something that may end the run.

`use(malloc(4), test())`: where `test` calls exit, the block is an argument already and not lost. For clang it is in a
register, which the question for lost memory does not see; here such registers are copied into locals that stay in
memory (leaks.py) and cleared where they are used last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.scopes import Block, blocks_of
from counterpoint.frontend.irtext import leading_type, parse_call
from counterpoint.frontend.lower.text import NAME, split_commas

PREFIX = "%cp.pending."
"""Begins the names of the locals that are made here."""

_REGISTER = regex(rf"%{NAME}")
_RESULT = regex(rf"^  (%{NAME}) = (\w+) ?(.*)$")
_INCOMING = regex(rf"\[ ([^\[\]]+), %({NAME}) \]")
_NUMBERS = frozenset({"add", "sub", "or", "and", "xor"})


def in_slots(lines: list[str], entry: str, is_watched: Callable[[str], bool], width: int, numbers: bool) -> list[str]:
    """The body's lines with a local for each register that may hold a pointer across a call that `is_watched`.

    `width`: bits of a pointer; `numbers`: integers may hold pointers. Linear in the lines, but for registers that are
    used in another block than their own: linear in the blocks for each.
    """
    if not any(" call " in line and is_watched(line) for line in lines):
        return lines
    found = _Pending(lines, entry, is_watched)
    held = [
        (name, type_)
        for name, type_ in _candidates(lines, width, numbers)
        if found.is_held(name)
    ]
    return found.written(held) if held else lines


def _candidates(lines: Sequence[str], width: int, numbers: bool) -> Iterator[tuple[str, str]]:
    """The registers that may hold pointers, with their types."""
    for line in lines:
        found = _RESULT.match(line)
        if found is None:
            continue
        type_ = _type(found[2], found[3], line)
        number = type_[:1] == "i" and type_[1:].isdigit() and int(type_[1:]) >= width
        if "ptr" in type_ or (number and (numbers or found[2] in ("call", "load"))):
            yield found[1], type_


def _type(opcode: str, rest: str, line: str) -> str:
    """The type of an instruction's result, "" if it is none that holds pointers."""
    if opcode in ("call", "tail", "notail", "musttail"):
        call = parse_call(line)
        return call.type if call is not None else ""
    if opcode in ("getelementptr", "inttoptr"):
        return "ptr"
    if opcode == "ptrtoint":
        return rest.rpartition(" to ")[2].partition(",")[0]
    if opcode in ("load", "phi", "freeze", "insertvalue") or opcode in _NUMBERS:
        words = rest.removeprefix("volatile ")
        while words.startswith(("nsw ", "nuw ", "disjoint ")):
            words = words.partition(" ")[2]
        return leading_type(words)
    if opcode == "select":
        return leading_type(split_commas(rest)[1])
    if opcode == "extractvalue":
        whole = leading_type(rest)
        index = split_commas(rest)[1]
        parts = split_commas(whole[1:-1].strip()) if whole[0] == "{" else []
        return parts[int(index)] if index.isdigit() and int(index) < len(parts) else ""
    return ""


class _Pending:
    """One body: where its registers are made and used, and where it makes watched calls."""

    def __init__(self, lines: Sequence[str], entry: str, is_watched: Callable[[str], bool]) -> None:
        self.entry = entry
        self.blocks: dict[str, Block] = blocks_of(lines, entry)
        self.before: dict[str, list[str]] = {label: [] for label in self.blocks}
        self.calls: dict[str, list[int]] = {}
        self.made: dict[str, tuple[str, int]] = {}
        self.uses: dict[str, dict[str, list[int]]] = {}
        for label, block in self.blocks.items():
            for target in block.targets:
                self.before[target].append(label)
            for index, line in enumerate(block.lines):
                if "#dbg_" not in line:
                    self._note(label, index, line)
                if " call " in line and "@llvm." not in line and is_watched(line):
                    self.calls.setdefault(label, []).append(index)

    def _note(self, label: str, index: int, line: str) -> None:
        operands = line
        if " = " in line:
            result, _, operands = line.partition(" = ")
            self.made[result[2:]] = (label, index)
        if " = phi " in line:
            for value, source in _INCOMING.findall(line):
                if value[0] == "%" and source in self.blocks:
                    self._use(value, source, len(self.blocks[source].lines))
        else:
            for name in dict.fromkeys(_REGISTER.findall(operands)):
                self._use(name, label, index)

    def _use(self, name: str, label: str, index: int) -> None:
        self.uses.setdefault(name, {}).setdefault(label, []).append(index)

    def alive_at(self, name: str) -> set[str]:
        """The blocks at whose beginning the register is still of use."""
        here, at = self.made[name]
        waiting = [
            label for label, indices in self.uses.get(name, {}).items() if label != here or min(indices) <= at
        ]
        alive: set[str] = set()
        while waiting:
            label = waiting.pop()
            if label not in alive:
                alive.add(label)
                waiting += [before for before in self.before[label] if before != here]
        return alive

    def is_held(self, name: str) -> bool:
        """Whether a watched call is made between the register's making and its last use."""
        here, at = self.made[name]
        uses = self.uses.get(name, {})
        if len(uses) <= 1 and (not uses or (here in uses and min(uses[here]) > at)):
            return any(at < call < max(uses[here]) for call in self.calls.get(here, ())) if uses else False
        alive = self.alive_at(name)
        for label, calls in self.calls.items():
            start = at if label == here else -1
            if label not in alive and label != here:
                continue
            end = self._end(label, alive, uses)
            if any(start < call < end for call in calls):
                return True
        return False

    def _end(self, label: str, alive: set[str], uses: dict[str, list[int]]) -> int:
        """Up to which line of the block the register is of use."""
        if any(target in alive for target in self.blocks[label].targets):
            return len(self.blocks[label].lines)
        return max(uses.get(label, [-1]))

    def _clear(self, name: str, at: int, clear: str, new: dict[tuple[str, int], list[str]]) -> None:
        """Puts the line `clear` behind the last uses of the value that is made at line `at` of its block."""
        alive, uses = self.alive_at(name), self.uses[name]
        for label in {self.made[name][0], *alive}:
            targets = self.blocks[label].targets
            if not any(target in alive for target in targets):
                last = min(max(uses.get(label, [at])), self.blocks[label].end)
                new.setdefault((label, last), []).append(clear)
                continue
            for point in [(target, self._first(target)) for target in targets if target not in alive]:
                if clear not in new.setdefault(point, []):
                    new[point].insert(0, clear)

    def written(self, held: Sequence[tuple[str, str]]) -> list[str]:
        """The lines with the slots."""
        top: list[str] = []
        new: dict[tuple[str, int], list[str]] = {}
        for number, (name, type_) in enumerate(held):
            slot = f"{PREFIX}{number}"
            clear = f"  store {type_} zeroinitializer, ptr {slot}, align 1"
            top.append(f"  {slot} = alloca {type_}, align 8")
            new.setdefault((self.entry, self._first(self.entry)), []).append(clear)
            here, at = self.made[name]
            if " = phi " in self.blocks[here].lines[at]:
                at = self._first(here) - 1
            new.setdefault((here, at + 1), []).append(f"  store {type_} {name}, ptr {slot}, align 1")
            self._clear(name, at, clear, new)
        result = []
        for label, block in self.blocks.items():
            if block.heading:
                result.append(block.heading)
            if label == self.entry:
                result += top
            for index, line in enumerate(block.lines):
                result += new.get((label, index), ())
                result.append(line)
        return result

    def _first(self, label: str) -> int:
        """The first line of a block behind its phi instructions and allocas."""
        lines = self.blocks[label].lines
        return next(
            (i for i, line in enumerate(lines) if " = phi " not in line and " = alloca " not in line), len(lines)
        )
