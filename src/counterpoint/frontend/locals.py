"""Uninitialised locals: each holds an arbitrary value of its own whenever its block is entered.

The value is stored where the local's lifetime starts. Locals without a lifetime marker (a jump
passes their declaration, or clang made them) get one at the function's entry and again at their
declaration. Nothing is stored where the next thing that happens to the local overwrites all of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from counterpoint.frontend.body import Body, scalar_text
from counterpoint.frontend.irtext import debug_of, leading_type
from counterpoint.frontend.lower.irtypes import Array, IRType, NotModelled, Opaque, Struct
from counterpoint.frontend.lower.text import quoted, split_commas
from counterpoint.program.names import original

MOST_LEAVES = 64
LOOKAHEAD = 60  # lines

_ALLOCA = re.compile(r"^  (%[^ ]+) = alloca (.*)$")
_LIFETIME = re.compile(r"@llvm\.lifetime\.start\.p0\((?:i64 [-\d]+, )?ptr (%[^ )]+)\)")
_DECLARED = re.compile(r"^ +#dbg_declare\(ptr (%[^ ,]+), (!\d+), .*, (!\d+)\)$")
_NAME = re.compile(r'\bname: "([^"]*)"')
_REGISTER = re.compile(r"%[-\w.$]+")


@dataclass(frozen=True, slots=True)
class Local:
    """An alloca of fixed size: the type's text, its source name ("" if clang made it), where it stands."""

    name: str
    type: str
    variable: str
    debug: str
    marked: bool


class Locals:
    """The fixed-size allocas of one function, found before its lines are rewritten."""

    def __init__(self, lines: list[str], metadata: Mapping[str, str]) -> None:
        marked = set()
        declared: dict[str, tuple[str, str]] = {}
        allocas: list[tuple[str, str]] = []
        for line in lines:
            if "lifetime.start" in line and (found := _LIFETIME.search(line)) is not None:
                marked.add(found[1])
            elif "#dbg_declare(" in line and (found := _DECLARED.match(line)) is not None:
                name = _NAME.search(metadata.get(found[2], ""))
                declared.setdefault(found[1], (quoted(name[1]) if name else "", found[3]))
            elif " = alloca " in line and (found := _ALLOCA.match(line)) is not None:
                type_ = leading_type(found[2])
                if dynamic_count(found[2]) is None:
                    allocas.append((found[1], type_))
        self.by_name = {
            name: Local(name, type_, *declared.get(name, ("", "")), name in marked) for name, type_ in allocas
        }

    def unset_at_entry(self, lines: list[str], body: Body) -> set[str]:
        """Unmarked locals that the entry block does not overwrite as a whole before anything else."""
        waiting = {name for name, local in self.by_name.items() if not local.marked}
        unset = set()
        for line in lines:
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
    found = _DECLARED.match(line)
    return (found[1], found[3]) if found else None


def lifetime_start(line: str) -> str | None:
    """The alloca whose lifetime starts at this line."""
    found = _LIFETIME.search(line)
    return found[1] if found else None


def make_dynamic_arbitrary(body: Body, line: str) -> None:
    """Havocs the variable-length array that the alloca line just made."""
    found = _ALLOCA.match(line)
    assert found is not None, line
    count = dynamic_count(found[2].partition(", !dbg")[0])
    if count is None:
        return
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
    index = body.site("uninitialised", f"an array of {original(body.function.name)}", type_, debug)
    body.kernel("__cp_havoc", f"ptr {found[1]}, {word} {amount}, i32 {index}", debug)
