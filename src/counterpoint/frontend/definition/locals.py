"""Locals: which there are, when they live, and the arbitrary value of their own at each start of a life.

A life starts at clang's lifetime marker or, where clang gives none or wrong ones, where the run enters the
block of the source that declares the local (scopes.py), or the function. The value is stored there, and again at
a declaration that jumps may come back to. Nothing is stored where the next thing that happens to the
local overwrites all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c import constant_parts
from counterpoint.frontend.debug_fields import LINE_AND_COLUMN, NAME_FIELD
from counterpoint.frontend.definition import array_sizes
from counterpoint.frontend.definition.body import Body, scalar_text
from counterpoint.frontend.definition.initialisers import Definition
from counterpoint.frontend.definition.scopes import Scopes, block_of_temporary, with_crossings
from counterpoint.frontend.definition.va_arg import TAKE
from counterpoint.frontend.irtext import debug_of, leading_type
from counterpoint.frontend.lower.irtypes import Array, IRType, NotModelled, Opaque, Struct
from counterpoint.frontend.lower.text import quoted, split_commas
from counterpoint.program.model import Ranges
from counterpoint.program.names import original

MOST_LEAVES = 64
LOOKAHEAD = 60  # lines

ALLOCA = regex(r"^  (%[^ ]+) = alloca (.*)$")
LIFETIME = regex(r"@llvm\.lifetime\.start\.p0\((?:i64 [-\d]+, )?ptr (%[^ )]+)\)")
DECLARED = regex(r"^ +#dbg_declare\(ptr (%[^ ,]+), (!\d+), .*, (!\d+)\)$")
_REGISTER = regex(r"%[-\w.$]+")


_REGION = regex(r"@llvm\.lifetime\.(?:start|end)\.p0\((?:i64 [-\d]+, )?ptr (%[^ )]+)\)")
_DIRECT = regex(rf"@llvm\.(?:mem(?:cpy|move|set)|va_|lifetime\.|dbg\.)|@{TAKE}\(")
_VALUE = regex(r"^  ret .* (%[-\w.$]+)(?:, !dbg .*)?$")
_READ = regex(r"^  (%[-\w.$]+) = (?:load .*, ptr|getelementptr .*?, ptr) (%[-\w.$]+)(?:,|$)")
_STORED = regex(r"^  store ptr (%[-\w.$]+),")

_NOTHING: Final[Mapping[str, Definition]] = {}

BEGIN = "  #cp_begin "
"""Begins a line of a body that stands for the start of a local's life, before lifetimes.py writes it."""
END = "  #cp_end "


class Life(Enum):
    """How long a local lives: in the whole call, between clang's markers, in a block of the source."""

    CALL = auto()
    MARKED = auto()
    BLOCK = auto()


@dataclass(frozen=True, slots=True)
class Local:
    """An alloca of fixed size: the type's text, its source name ("" if clang made it), where it stands.

    `fresh`: each of its lives is an object of its own, because its address may outlast one, or because something
    else than what names it may try to write its `constant` parts; `alignment` in bytes; `definition`: what the syntax
    tree says of it, where debug information does not say all.
    """

    name: str
    type: str
    variable: str
    debug: str
    alignment: str
    life: Life
    fresh: bool
    constant: Ranges = ()
    definition: Definition | None = None

    @property
    def marked(self) -> bool:
        """Whether lines of the body say where it becomes arbitrary, apart from its declaration."""
        return self.life is not Life.CALL


class Locals:
    """The fixed-size allocas of one function, found before its lines are rewritten.

    `lines` is the body with the starts and ends of the lives that are not clang's to say. `once`: the function is
    the program's entry, so that what lives in a whole call of it lives until the end of the run. `held`: those that
    keep memory from being lost (leaks.py).
    """

    def __init__(
        self,
        lines: list[str],
        metadata: Mapping[str, str],
        scopes: Scopes,
        entry: str,
        once: bool,
        held: frozenset[str] = frozenset(),
        defined: Mapping[str, Definition] = _NOTHING,
    ) -> None:
        marked: set[str] = set()
        declared: dict[str, tuple[str, str, str]] = {}
        allocas: list[tuple[str, str, str]] = []
        labels = jumps = False
        for line in lines:
            if "lifetime.start" in line and (found := LIFETIME.search(line)) is not None:
                marked.add(found[1])
            elif "#dbg_declare(" in line and (found := DECLARED.match(line)) is not None:
                variable = variable_name(metadata, found[2])
                declared.setdefault(found[1], (variable, found[3], found[2]))
            elif " = alloca " in line and (found := ALLOCA.match(line)) is not None:
                if dynamic_count(found[2]) is None:
                    allocas.append((found[1], leading_type(found[2]), alignment_of(found[2])))
            elif "#dbg_label(" in line:
                labels = True
            elif line.startswith("  switch "):
                jumps = True
        kept = kept_addresses(lines, [name for name, _, _ in allocas])
        blocks = {name: scopes.of_variable(declared[name][2]) for name, _, _ in allocas if name in declared}
        passed = {name for name, _, _ in allocas} if labels or jumps else kept
        for name, places in _places(lines, passed - declared.keys() - marked).items():
            common = scopes.common(places) if all(places) else ""
            blocks[name] = block_of_temporary(lines, name, common, scopes)
        blocks.pop(returned_variable(lines, metadata), None)  # read where the function returns, wherever declared
        self.any_kept = not kept.isdisjoint(name for name, _, _ in allocas)
        self.by_name: dict[str, Local] = {}
        for alloca, type_, alignment in allocas:
            life = Life.CALL
            if alloca in marked and not (labels and alloca in kept and alloca in declared):
                life = Life.MARKED
            elif blocks.get(alloca):
                life = Life.BLOCK
            whole = not blocks.get(alloca) and (alloca in declared or alloca not in marked)
            variable, debug, reference = declared.get(alloca, ("", "", ""))
            fresh = alloca in kept and not (once and whole)
            definition = defined.get(alloca)
            constant = constant_parts.of_variable(metadata, reference) if reference else ()
            all_of_it = bool(reference) and constant_parts.is_whole(metadata, reference)
            if definition is not None and not reference:
                constant, all_of_it = definition.constant, definition.whole
            if constant:
                fresh |= alloca in kept or not all_of_it
            fresh |= alloca in held and life is Life.BLOCK  # what it held is lost where its block ends
            self.by_name[alloca] = Local(alloca, type_, variable, debug, alignment, life, fresh, constant, definition)
        self.lines = self._with_lives(lines, scopes, entry, marked, blocks)

    def _with_lives(
        self, lines: list[str], scopes: Scopes, entry: str, marked: set[str], blocks: Mapping[str, str]
    ) -> list[str]:
        ours = {name for name in marked & self.by_name.keys() if self.by_name[name].life is not Life.MARKED}
        marks = {name for name in marked & self.by_name.keys() if self.by_name[name].fresh} - ours
        if ours or marks:
            lines = [new for line in lines if (new := _without_marker(line, ours, marks))]
        ours_by_name = [name for name, local in self.by_name.items() if local.life is Life.BLOCK and local.variable]
        scopes.extend_by_cleanups(lines, {name: blocks[name] for name in ours_by_name})
        wanted: dict[str, tuple[list[str], list[str]]] = {}
        for name, local in self.by_name.items():
            if local.life is Life.BLOCK:
                entered, left = wanted.setdefault(blocks[name], ([], []))
                entered.append(f"{BEGIN}{name}")
                if local.fresh:
                    left.append(f"{END}{name}")
        return with_crossings(lines, entry, scopes, wanted) if wanted else lines

    def unset_at_entry(self, body: Body) -> set[str]:
        """Unmarked locals that the entry block does not overwrite as a whole before anything else."""
        waiting = {name for name, local in self.by_name.items() if not local.marked}
        unset = set()
        for line in self.lines:
            if not waiting or not line.startswith(" "):
                break
            if " = alloca " in line or "#dbg_" in line:
                continue
            for name in _REGISTER.findall(line):
                if name in waiting:
                    waiting.discard(name)
                    if not overwrites(line, self.by_name[name], body):
                        unset.add(name)
        return unset | waiting


def returned_variable(lines: Iterable[str], metadata: Mapping[str, str]) -> str:
    """The alloca in which clang keeps what the function returns, "" if none. It is read where the `ret` stands; a local
    without a declaration, which a jump goes past, may be read in front of that, where the source names it."""
    read: dict[str, str] = {}
    places: dict[str, list[str]] = {}
    returns = [(found[1], line) for line in lines if line.startswith("  ret ") and (found := _VALUE.match(line))]
    if len(returns) != 1:
        return ""
    returned, end = returns[0]
    for line in lines:
        if (" = load " in line or " = getelementptr " in line) and (found := _READ.match(line)) is not None:
            read[found[1]] = found[2]
            places[found[1]] = LINE_AND_COLUMN.findall(metadata.get(debug_of(line), ""))
    source = read.get(returned, "")
    source = read.get(source, source)
    if source not in fixed_allocas(lines):
        return ""
    is_declared = any("#dbg_declare(" in line and f"(ptr {source}," in line for line in lines)
    here = LINE_AND_COLUMN.findall(metadata.get(debug_of(end), ""))
    return source if is_declared or places[returned] == here else ""


def fixed_allocas(lines: Iterable[str]) -> dict[str, str]:
    """The types of the allocas of fixed size."""
    found = (ALLOCA.match(line) for line in lines if " = alloca " in line)
    return {one[1]: leading_type(one[2]) for one in found if one is not None and dynamic_count(one[2]) is None}


def variable_name(metadata: Mapping[str, str], reference: str) -> str:
    """The name of a DILocalVariable, "" if it is none."""
    found = NAME_FIELD.search(metadata.get(reference, ""))
    return quoted(found[1]) if found is not None else ""


def declared_references(lines: Iterable[str]) -> dict[str, str]:
    """The DILocalVariable of each alloca that is declared."""
    found = (DECLARED.match(line) for line in lines if "#dbg_declare(" in line)
    return {one[1]: one[2] for one in found if one is not None}


def _without_marker(line: str, ours: set[str], marks: set[str]) -> str:
    """The line; "" for a marker of a local in `ours`, our own form of one in `marks`."""
    if "@llvm.lifetime." not in line or (found := _REGION.search(line)) is None:
        return line
    if found[1] in ours:
        return ""
    return f"{BEGIN if '.start.' in line else END}{found[1]}" if found[1] in marks else line


def _places(lines: list[str], names: set[str]) -> dict[str, list[str]]:
    """The locations of the lines that mention each local, "" for a line without one.

    They tell its block where no declaration does: that of a compound literal, or of a local whose declaration
    no run reaches.
    """
    found: dict[str, list[str]] = {}
    if names:
        for line in lines:
            if " = alloca " not in line and "%" in line:
                for name in names.intersection(_REGISTER.findall(line)):
                    found.setdefault(name, []).append(debug_of(line))
    return found


def kept_addresses(lines: list[str], names: Iterable[str]) -> set[str]:
    """The locals whose address goes anywhere but into direct accesses and comparisons.

    Registers of clang's code do not outlast the evaluation of an expression, so that only what is kept otherwise
    (in memory, by a function, as a number) can be used when the local is dead.
    """
    from_: dict[str, frozenset[str]] = {name: frozenset((name,)) for name in names}
    kept: set[str] = set()
    if not from_:
        return kept
    for line in lines:
        if "ptr" not in line or " = load " in line or "#dbg_" in line or " = icmp " in line or " = alloca " in line:
            continue
        if line.startswith("  store "):
            stored = _STORED.match(line)
            if stored is not None:
                kept |= from_.get(stored[1], frozenset())
            continue
        result = line[2 : line.index(" = ")] if " = " in line else ""
        if " = getelementptr " in line or " = phi ptr " in line or " = select " in line:
            bases = _REGISTER.findall(line.partition(" = ")[2])
            from_[result] = frozenset(name for base in bases for name in from_.get(base, ()))
        elif _DIRECT.search(line) is None:
            given = BYVAL_ARGUMENT.sub("", line) if " byval(" in line else line
            for name in _REGISTER.findall(given):
                kept |= from_.get(name, frozenset())
    return kept


BYVAL_ARGUMENT = regex(r"ptr (?:[^(),]+ )?byval\((?:[^()]|\([^()]*\))*\)[^,)]*")


def alignment_of(alloca: str) -> str:
    """The alignment in bytes that `alloca` operands state, "1" if none."""
    found = re.search(r", align (\d+)", alloca)
    return found[1] if found is not None else "1"


def dynamic_count(alloca: str) -> tuple[str, str] | None:
    """Type and value of the element count of `alloca` operands, None if it is one or a constant."""
    parts = split_commas(alloca)
    if len(parts) < 2 or parts[1].startswith(("align ", "addrspace(", "!dbg")):
        return None
    type_, _, value = parts[1].partition(" ")
    return type_, value


def overwritten_next(lines: list[str], position: int, local: Local, body: Body) -> bool:
    """Whether the first line after `position` that mentions the local, in its block, overwrites all of it."""
    mention = re.compile(re.escape(local.name) + r"(?![-\w.$])")
    for line in lines[position + 1 : position + 1 + LOOKAHEAD]:
        if not line.startswith("  ") or line.startswith(("  br ", "  switch ", "  ret ")):
            return False
        if "#dbg_" not in line and mention.search(line) is not None:
            return overwrites(line, local, body)
    return False


def overwrites(line: str, local: Local, body: Body) -> bool:
    """Whether the line writes every byte of the local and reads none."""
    target = f", ptr {local.name}"
    if line.startswith("  store "):
        stored = leading_type(line[8:])
        return stored == local.type and f"{target}," in f"{line}," and line.count(f"{local.name},") == 1
    if "@llvm.mem" in line:
        size = body.shared.types.size(body.shared.types.parse(local.type))
        start = line.partition("(")[2]
        first = re.match(r"ptr (?:align \d+ )?" + re.escape(local.name) + ",", start)
        whole = f", {body.shared.word} {size}, i1 " in start
        return first is not None and whole and local.name not in start[first.end() :]
    return False


def make_arbitrary(body: Body, local: Local, debug: str) -> None:
    """Stores a fresh arbitrary value into the local, scalar by scalar, or as bytes if it has many."""
    pieces = scalars(body, local.type)
    name = local.variable or f"a temporary of {original(body.function.name)}"
    fill(body, local.name, local.type, pieces, ("uninitialised", name), debug)


def fill(
    body: Body,
    address: str,
    type_: str,
    pieces: list[tuple[int, str]] | None,
    origin: tuple[str, str],
    debug: str,
) -> None:
    """Overwrites the object of `type_` at `address` with arbitrary values; `origin` is site kind and name."""
    if pieces is None:
        size = body.shared.types.size(body.shared.types.parse(type_))
        index = body.site(*origin, type_, debug)
        body.kernel("__cp_havoc", f"ptr {address}, {body.shared.word} {size}, i32 {index}", debug)
        return
    for offset, scalar in pieces:
        place = address
        if offset:
            place = body.compute(f"getelementptr i8, ptr {address}, {body.shared.word} {offset}", debug)
        value = body.nondet(scalar, *origin, debug)
        body.emit(f"store {scalar} {value}, ptr {place}, align 1", debug)


def scalars(body: Body, type_: str) -> list[tuple[int, str]] | None:
    """Offsets and types that cover every byte of the type, padding as integers; None if too many."""
    types = body.shared.types
    parsed = types.parse(type_)
    if _too_large(parsed):
        return None
    try:
        leaves = types.leaves(parsed)
    except NotModelled:
        return None
    if len(leaves) > MOST_LEAVES:
        return None
    pieces: list[tuple[int, str]] = []
    end = 0
    for offset, leaf in leaves:
        text = scalar_text(leaf)
        if text is None or leaf.bits % 8:
            return None
        if offset > end:
            pieces.append((end, f"i{8 * (offset - end)}"))
        pieces.append((offset, text))
        end = offset + leaf.bits // 8
    size = types.size(parsed)
    if end < size:
        pieces.append((end, f"i{8 * (size - end)}"))
    return pieces if len(pieces) <= MOST_LEAVES else None


def _too_large(type_: IRType) -> bool:
    match type_:
        case Array(element, count):
            return count > MOST_LEAVES or _too_large(element)
        case Struct(fields, _):
            return len(fields) > MOST_LEAVES or any(_too_large(part) for part in fields)
        case Opaque():
            return True
    return False


def declaration(line: str) -> tuple[str, str] | None:
    """Alloca and debug location of a `#dbg_declare` line."""
    found = DECLARED.match(line)
    return (found[1], found[3]) if found else None


def declared_next(lines: list[str], position: int, local: Local) -> bool:
    """Whether the first line after `position` that mentions the local, in its block, is its declaration."""
    mention = re.compile(re.escape(local.name) + r"(?![-\w.$])")
    for line in lines[position + 1 : position + 1 + LOOKAHEAD]:
        if line[0] != " " or line.startswith(("  br ", "  switch ", "  ret ")):
            return False
        if mention.search(line) is not None:
            return "#dbg_declare(" in line
    return False


def lifetime_start(line: str) -> str | None:
    """The alloca whose lifetime starts at this line."""
    found = LIFETIME.search(line)
    return found[1] if found else None


def check_dynamic_size(body: Body, line: str) -> None:
    """Writes the test of the size of the variable-length array that the alloca line makes, if it is one."""
    found = ALLOCA.match(line)
    count = dynamic_count(found[2].partition(", !dbg")[0]) if found is not None else None
    if found is not None and count is not None:
        type_ = leading_type(found[2])
        size = body.shared.types.size(body.shared.types.parse(type_))
        array_sizes.check_size(body, count[0], count[1], size, debug_of(line))


def is_dynamic(line: str) -> bool:
    """Whether an alloca line states how many elements it makes."""
    found = ALLOCA.match(line)
    return found is not None and dynamic_count(found[2].partition(", !dbg")[0]) is not None


def make_dynamic_arbitrary(body: Body, line: str) -> None:
    """Havocs the variable-length array that the alloca line just made."""
    found = ALLOCA.match(line)
    assert found is not None, line
    if dynamic_count(found[2].partition(", !dbg")[0]) is None:
        return
    debug, word, type_ = debug_of(line), body.shared.word, leading_type(found[2])
    amount = dynamic_size(body, line)
    index = body.site("uninitialised", f"an array of {original(body.function.name)}", type_, debug)
    body.kernel("__cp_havoc", f"ptr {found[1]}, {word} {amount}, i32 {index}", debug)


def dynamic_size(body: Body, line: str) -> str:
    """Computes the bytes that an alloca line with an element count asks for."""
    found = ALLOCA.match(line)
    assert found is not None, line
    count = dynamic_count(found[2].partition(", !dbg")[0])
    assert count is not None, line
    debug, word = debug_of(line), body.shared.word
    type_ = leading_type(found[2])
    size = body.shared.types.size(body.shared.types.parse(type_))
    amount = count[1]
    bits = int(count[0][1:])
    if bits != body.shared.pointer_bits:
        how = "zext" if bits < body.shared.pointer_bits else "trunc"
        amount = body.compute(f"{how} {count[0]} {amount} to {word}", debug)
    if size != 1:
        amount = body.compute(f"mul {word} {amount}, {size}", debug)
    return amount
