"""Shifts as C defines them, before clang brings the amount to the width of what is shifted.

`x << n` with an amount wider or narrower than `x` is a `trunc` or `zext` of the amount in clang's IR, after which it is
too late to see that it was out of range. clang's shift sanitizer tests the amount as it was written, so files are
compiled with it, and its branches are taken out again here, on lines without promises: of each test stays one line,

    shiftcheck <fits>, <signed>, <left>, <amount>, <width>

before the shift. `fits` is the condition that the amount is in range (an i1 value), `signed` 1 where a signed value is
shifted left under a property that asks about this, else 0. Where both operands were constants clang has already
computed the shift: then `left` and `amount` are these, and `width` the left one's; else `-`, `-` and 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.body import label_of
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.text import string_bytes

HANDLER = "@__ubsan_handle_shift_out_of_bounds("
MARK = "shiftcheck"

_CALL = regex(r"^  call void @__ubsan_handle_shift_out_of_bounds\(ptr (@[^ ,]+), i\d+ ([^ ,]+), i\d+ ([^ ,)]+)\)")
_JUMP = regex(r"^  br label %([^ ,]+)")
_BRANCH = regex(r"^  br i1 ([^ ,]+), label %([^ ,]+), label %([^ ,]+)")
_MEETING = regex(r"^  (%[^ ]+) = phi i1 \[ true, %[^ ]+ \], \[ [^ ]+, %[^ ]+ \]")
_BOTH = regex(r"^  (%[^ ]+) = and i1 ([^ ,]+), ([^ ,]+)")
_DATA = regex(r", ptr (@[^ ,]+), ptr (@[^ ,]+) \}")
_TYPE = regex(r'\} \{ i16 (\d+), i16 (\d+), \[\d+ x i8\] (c"[^"]*")')
_SPILLED = regex(r"^  store i\d+ (-?\w+), ptr (%[^ ,]+)")
_ADDRESS = regex(r"^  (%[^ ]+) = ptrtoint ptr (%[^ ]+) to ")
_WIDE = regex(r"^  (%[^ ]+) = alloca i\d+, align ")
_REGISTER = regex(r"%[-\w.$]+")
_INCOMING = regex(r", %([^ \]]+) \]")
_MARKED = regex(rf"^  {MARK} ([^ ,]+), ([01]), ([^ ,]+), ([^ ,]+), (\d+)")


@dataclass(slots=True)
class _Block:
    label: str
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShiftCheck:
    """What is known of the next shift: see the module. `constants` are its operands, as numbers, and its width,
    where clang computed its value."""

    fits: str
    signed: bool
    constants: tuple[int, int, int] | None
    debug: str


def marked(line: str) -> ShiftCheck:
    """What a line that `without_branches` wrote says."""
    found = _MARKED.match(line)
    assert found is not None, line
    constants = None if found[3] == "-" else (int(found[3]), int(found[4]), int(found[5]))
    return ShiftCheck(found[1], found[2] == "1", constants, debug_of(line))


def without_branches(lines: list[str], entry: str, objects: Mapping[str, str]) -> list[str]:
    """A body with each test of a shift as one line; `entry` is the label of its first block, `objects` the lines of the
    module's globals by their names, where clang describes the types.

    Tests of another form than clang's stay; their handlers are calls without a meaning.
    """
    if not any(HANDLER in line for line in lines):
        return lines
    blocks = [_Block(entry)]
    for line in lines:
        if line[0] != " ":
            blocks.append(_Block(label_of(line)))
        blocks[-1].lines.append(line)
    kept: list[_Block] = []
    merged: dict[str, str] = {}
    rest = iter(blocks)
    for block in rest:
        call = next((line for line in block.lines if HANDLER in line), None)
        taken = _taken_out(kept, block, call, objects) if call is not None else None
        if taken is None:
            kept.append(block)
            continue
        following = next(rest)
        kept[-1].lines += [taken, *following.lines[1:]]
        merged[following.label] = kept[-1].label
    written = [_moved(line, merged) if " = phi " in line else line for block in kept for line in block.lines]
    return _without_unused(written)


def _without_unused(lines: list[str]) -> list[str]:
    """Without the temporaries in which handlers found wide operands."""
    uses = Counter(name for line in lines for name in _REGISTER.findall(line))
    return [line for line in lines if (own := _WIDE.match(line)) is None or uses[own[1]] > 1]


def _moved(line: str, merged: Mapping[str, str]) -> str:
    """A phi whose predecessors may have become parts of earlier blocks."""

    def now(match: re.Match[str]) -> str:
        label = match[1]
        while label in merged:
            label = merged[label]
        return f", %{label} ]"

    return _INCOMING.sub(now, line)


def _taken_out(kept: list[_Block], handler: _Block, call: str, objects: Mapping[str, str]) -> str | None:
    """Removes the branch into `handler` from the last of `kept`, and for a signed left shift the blocks in which its
    result is tested; the line that stays instead. None if that is not what clang writes: always in this order."""
    leaves = _JUMP.match(handler.lines[-1])
    branch = _BRANCH.match(kept[-1].lines[-1]) if kept else None
    if leaves is None or branch is None or (branch[2], branch[3]) != (leaves[1], handler.label):
        return None
    fits, signed = branch[1], False
    if len(kept) > 2 and (tested := _tested_result(kept[-3:], fits)) is not None:
        del kept[-2:]
        fits, signed = tested, True
    kept[-1].lines.pop()
    left, amount, width = _constants(handler, call, objects)
    debug = debug_of(call)
    return f"  {MARK} {fits}, {int(signed)}, {left}, {amount}, {width}" + (f", !dbg {debug}" if debug else "")


def _tested_result(last: list[_Block], condition: str) -> str | None:
    """The condition that the amount fits, if these three blocks test the amount, then the result."""
    amount = _BRANCH.match(last[0].lines[-1])
    meeting = [line for line in last[2].lines if line[0] == " "]
    if amount is None or len(meeting) != 3 or (amount[2], amount[3]) != (last[1].label, last[2].label):
        return None
    phi, both = _MEETING.match(meeting[0]), _BOTH.match(meeting[1])
    if phi is None or both is None or both[1] != condition or (both[2], both[3]) != (amount[1], phi[1]):
        return None
    return amount[1]


def _constants(handler: _Block, call: str, objects: Mapping[str, str]) -> tuple[str, str, int]:
    """Left operand, bits of the amount and width of the left one if clang knew both operands, else `-`, `-` and 0."""
    found = _CALL.match(call)
    if found is None:
        return "-", "-", 0
    left, amount = _constant(handler, found[2]), _constant(handler, found[3])
    data = _DATA.search(objects.get(found[1][1:], ""))
    type_ = _TYPE.search(objects.get(data[1][1:], "")) if data is not None else None
    if left is None or amount is None or type_ is None:
        return "-", "-", 0
    bits, signed = 1 << (int(type_[2]) >> 1), int(type_[2]) & 1
    if type_[1] == "2":  # _BitInt: its width stands behind its name
        behind = string_bytes(type_[3]).partition(b"\0")[2]
        bits = int.from_bytes(behind[:4], "little")
    left &= (1 << bits) - 1
    return str(left - (1 << bits) if signed and left >> (bits - 1) else left), str(amount), bits


def _constant(handler: _Block, operand: str) -> int | None:
    """An operand of the handler as a number, None if it is none; wide ones lie in memory."""
    for line in handler.lines:
        address = _ADDRESS.match(line)
        if address is None or address[1] != operand:
            continue
        stores = (_SPILLED.match(store) for store in handler.lines)
        operand = next((store[1] for store in stores if store is not None and store[2] == address[2]), operand)
    return int(operand) if operand.lstrip("-").isdigit() else None
