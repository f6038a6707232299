"""Where a run enters and leaves a block of the source, told from the places of instructions.

clang gives no lifetime markers to locals that a jump may pass (goto, switch), and wrong ones where a jump goes
back to before a declaration in the same block. The debug information says in which block a variable is
declared and to which block each instruction belongs; a run enters the block where it goes from an instruction
outside of it to one inside. Leaving a block and coming back always passes an instruction of the surrounding
block: the jump to a loop's head, or to a label, is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.debug_fields import SCOPE_FIELD
from counterpoint.frontend.irtext import debug_of

_INLINED_AT = regex(r"\binlinedAt: (!\d+)")
TERMINATOR = regex(r"^  (?:br|switch|ret|unreachable|indirectbr|callbr)\b")
_TARGET = regex(r"label %([-\w.$]+|\"[^\"]*\")")
_REGISTER = regex(r"%[-\w.$]+")
_STORE = regex(r"^  store .*, ptr (%[-\w.$]+)(?:,|$)")
_COPY = regex(r"^  call void @llvm\.mem(?:cpy|move|set)[\w.]*\(ptr (?:\w+ |align \d+ )*(%[-\w.$]+)")
_LABEL = regex(r'^([-\w.$]+|"[^"]*"):')


class Scopes:
    """The nesting of the source's blocks. A scope is the metadata reference of its DILexicalBlock."""

    def __init__(self, metadata: Mapping[str, str]) -> None:
        self._metadata = metadata
        self._around: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, tuple[str, ...]] = {}

    def of_variable(self, variable: str) -> str:
        """The block that a DILocalVariable is declared in; "" for the function itself."""
        found = SCOPE_FIELD.search(self._metadata.get(variable, ""))
        blocks = self.blocks(found[1]) if found is not None else ()
        return blocks[0] if blocks else ""

    def at(self, location: str) -> tuple[str, ...]:
        """The blocks that a DILocation lies in, innermost first."""
        known = self._places.get(location)
        if known is None:
            text = self._metadata.get(location, "")
            outer, scope = _INLINED_AT.search(text), SCOPE_FIELD.search(text)
            known = self.at(outer[1]) if outer is not None else self.blocks(scope[1]) if scope is not None else ()
            self._places[location] = known
        return known

    def blocks(self, scope: str) -> tuple[str, ...]:
        """The blocks around (and including) a scope, innermost first."""
        known = self._around.get(scope)
        if known is None:
            text = self._metadata.get(scope, "")
            outer = SCOPE_FIELD.search(text)
            known = ()
            if "!DILexicalBlock" in text and outer is not None:
                own = () if "!DILexicalBlockFile" in text else (scope,)
                known = (*own, *self.blocks(outer[1]))
            self._around[scope] = known
        return known

    def extend_by_cleanups(self, lines: Sequence[str], named: Mapping[str, str]) -> None:
        """Calls of cleanup functions are made inside of the block that they end, though clang says a place outside.

        They show by naming a local of that block, which the source cannot do there. `named`: locals, their blocks.
        """
        for line in lines:
            if named and " call " in line and "@llvm." not in line and (location := debug_of(line)):
                for name in _REGISTER.findall(line.partition(" call ")[2]):
                    if name in named and named[name] not in self.at(location):
                        self._places[location] = self.blocks(named[name])

    def common(self, locations: Sequence[str]) -> str:
        """The innermost block that all places lie in, "" if that is the function."""
        shared: tuple[str, ...] | None = None
        for location in locations:
            here = self.at(location)
            shared = here if shared is None else tuple(block for block in shared if block in here)
        return shared[0] if shared else ""


@dataclass(slots=True)
class Block:
    """`lines` without the label's; `first` and `last`: whether the run is inside at its start and end."""

    label: str
    heading: str
    lines: list[str]
    end: int = 0
    targets: list[str] = field(default_factory=list)
    first: bool | None = None
    last: bool | None = None
    before: dict[int, list[str]] = field(default_factory=dict)


def blocks_of(lines: Sequence[str], entry: str) -> dict[str, Block]:
    """The basic blocks of a body by label, in order."""
    found: dict[str, Block] = {}
    current = found[entry] = Block(entry, "", [])
    for line in lines:
        label = _LABEL.match(line) if line[0] != " " else None
        if label is not None:
            if current.lines or current.heading:
                current = Block(label[1], line, [])
            else:
                current.heading = line
            found[label[1]] = current
            continue
        if TERMINATOR.match(line) is not None:
            current.end = len(current.lines)
        current.lines.append(line)
    for block in found.values():
        text = "\n".join(block.lines[block.end :])
        block.targets = list(dict.fromkeys(target for target in _TARGET.findall(text) if target in found))
    return found


def block_of_temporary(lines: Sequence[str], name: str, scope: str, scopes: Scopes) -> str:
    """The block that a local without a declaration lives in, where all that mentions it lies in `scope`; "" for the
    function.

    The value of a statement expression is read after its block is left, but clang says a place inside of it: such a
    temporary belongs to a block around. It shows by code that comes into the block without a jump and reads first; or
    by the switch with which clang goes on where a block has been left, by its end or by jumps: that has no place.
    """
    while scope and _is_read_on_entry(lines, name, scope, scopes):
        scope = next(iter(scopes.blocks(scope)[1:]), "")
    return scope


def _is_read_on_entry(lines: Sequence[str], name: str, scope: str, scopes: Scopes) -> bool:
    """Whether straight code comes from outside of the block to a read of the local, writing none of it before."""
    inside, waiting, names = True, False, {name}
    from_outside: set[str] = set()  # blocks of code to which clang goes on from outside
    cases: list[str] = []
    for line in lines:
        if line[0] != " " or "#dbg_label(" in line:
            label = _LABEL.match(line)
            inside, waiting, cases = label is None or label[1] not in from_outside, False, []
        elif line.startswith("    ") and not inside:
            cases += _TARGET.findall(line)
        elif line.startswith("  ]") and not debug_of(line):
            from_outside.update(cases)
        if " = alloca " in line or "#dbg_" in line or not (location := debug_of(line)):
            continue
        now = scope in scopes.at(location)
        waiting = now and (waiting or not inside)
        inside = now
        if not names.intersection(_REGISTER.findall(line)):
            continue
        if " = getelementptr " in line:
            names.add(line[2 : line.index(" = ")])
        elif written(line) in names:
            waiting = False
        elif waiting:
            return True
    return False


def written(line: str) -> str:
    """The register through which a store, memcpy or memset writes; "" for any other line."""
    found = _STORE.match(line) or _COPY.match(line)
    return found[1] if found is not None else ""


def in_cycle(blocks: Mapping[str, Block], label: str) -> bool:
    """Whether a run may come to the block again."""
    seen: set[str] = set()
    waiting = list(blocks[label].targets)
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += blocks[here].targets
    return label in seen


def with_crossings(
    lines: list[str], entry: str, scopes: Scopes, wanted: Mapping[str, tuple[list[str], list[str]]]
) -> list[str]:
    """The body with lines where runs enter and leave blocks.

    `wanted`: by scope, the lines for where it is entered and for where it is left. An edge of the flow graph that
    needs a block of its own for them gets one.
    """
    blocks = blocks_of(lines, entry)
    before: dict[str, list[str]] = {label: [] for label in blocks}
    for label, block in blocks.items():
        for target in block.targets:
            before[target].append(label)
    crossed: dict[tuple[str, str], list[str]] = {}
    for scope, (entered, left) in wanted.items():
        _locate(blocks, before, entry, scopes, scope, entered, left)
        for label, block in blocks.items():
            for target in block.targets:
                if bool(block.last) is not bool(blocks[target].first):
                    crossed.setdefault((label, target), []).extend(left if block.last else entered)
    split: list[Block] = []
    for (source, target), new in crossed.items():
        _cross(blocks, before, source, target, new, split)
    return [line for block in (*blocks.values(), *split) for line in _text(block)]


def _locate(
    blocks: Mapping[str, Block],
    before: Mapping[str, list[str]],
    entry: str,
    scopes: Scopes,
    scope: str,
    entered: list[str],
    left: list[str],
) -> None:
    """Says of each block's ends whether they are inside the scope; notes crossings within blocks."""
    for block in blocks.values():
        inside: bool | None = False if block.label == entry else None
        block.first = inside
        for index, line in enumerate(block.lines):
            if "#dbg_value(" in line or "#dbg_declare(" in line:
                continue
            location = debug_of(line) if "!dbg !" in line else _record_place(line)
            if not location:
                continue
            now = scope in scopes.at(location)
            if inside is None:
                block.first = now
            elif now is not inside and " = phi " not in line:
                block.before.setdefault(index, []).extend(entered if now else left)
            inside = now
        block.last = inside
    silent = [block for block in blocks.values() if block.first is None]
    changed = True
    while changed:  # a block without places goes on with what all blocks before it have
        changed = False
        for block in silent:
            known = [last for label in before[block.label] if (last := blocks[label].last) is not None]
            passed = all(known) if known else None
            if passed is not block.last:
                block.first = block.last = passed
                changed = True


def _record_place(line: str) -> str:
    """The place of a `#dbg_label`."""
    if "#dbg_label(" not in line:
        return ""
    return line[line.rindex("!") : line.rindex(")")]


def _cross(
    blocks: Mapping[str, Block],
    before: Mapping[str, list[str]],
    source: str,
    target: str,
    new: list[str],
    split: list[Block],
) -> None:
    """Puts lines on an edge."""
    one, two = blocks[source], blocks[target]
    indirect = one.lines[one.end].startswith("  indirectbr")
    if len(before[target]) == 1 or indirect:
        start = next((index for index, line in enumerate(two.lines) if " = phi " not in line), 0)
        two.before[start] = [*new, *two.before.get(start, ())]
    elif len(one.targets) == 1:
        one.before.setdefault(one.end, []).extend(new)
    else:
        label = f"cp.scope.{len(split)}"
        old = re.compile(rf"label %{re.escape(target)}(?![-\w.$])")
        one.lines[one.end :] = [old.sub(f"label %{label}", line) for line in one.lines[one.end :]]
        edge = re.compile(rf", %{re.escape(source)} \]")
        again = re.compile(rf"\[ [^\[\]]+, %{re.escape(source)} \], (?=.*{edge.pattern})")
        for index, line in enumerate(two.lines):
            if " = phi " in line:
                two.lines[index] = edge.sub(f", %{label} ]", again.sub("", line))
        debug = debug_of(one.lines[-1])
        place = f", !dbg {debug}" if debug else ""
        split.append(Block(label, f"{label}:", [*new, f"  br label %{target}{place}"]))


def _text(block: Block) -> list[str]:
    lines = [block.heading] if block.heading else []
    for index, line in enumerate(block.lines):
        lines += block.before.get(index, ())
        lines.append(line)
    return lines
