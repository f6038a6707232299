"""Static objects and constants of a module, for the bounds table and for guessing values.

Every global becomes an object of its own section with at least GAP bytes that belong to nothing behind
it, so that an access past its end is seen; constants become variables (the table says that they must not
be written).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Mapping

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.constant_parts import constant_globals
from counterpoint.frontend.irtext import ModuleText, leading_type
from counterpoint.frontend.lower.irtypes import TypeTable, constant_offset
from counterpoint.frontend.lower.text import NAME, matching, split_commas
from counterpoint.program.model import Ranges

MANY_GLOBALS = 500
"""From this many on, gaps are small: all globals are copied back before each run."""

MOST_CONSTANTS = 4096

_GLOBAL = regex(
    rf"^@({NAME}) = (?:[\w()]+ )*?((?:external |extern_weak )?)"
    r"(?:[\w()]+ )*?(global|constant) "
)
_SUFFIX = regex(
    r'section "[^"]*"|partition "[^"]*"|comdat(?:\([^)]*\))?|align \d+|code_model "[^"]*"'
    r"|no_sanitize_\w+|sanitize_\w+|![\w.]+ !\d+"
)
_ALIGN = regex(r"align (\d+)")
_DROPPED = frozenset(
    {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used", "llvm.embedded.module"}
)


@dataclass(frozen=True, slots=True)
class Statics:
    """`lines` define the globals and the tables of the runtime; `sizes` are in bytes, by quoted `@name`."""

    lines: list[str]
    sizes: dict[str, int]
    constant: frozenset[str]


def lay_out(module: ModuleText, types: TypeTable, check_kinds: list[int]) -> Statics:
    """The globals with gaps, and the tables `__cp_globals`, `__cp_constants` (and of floats), `__cp_check_kinds`."""
    sizes: dict[str, int] = {}
    constant = set()
    data: list[str] = []
    zero: list[str] = []
    gap = 16 if len(module.globals) > MANY_GLOBALS else 64
    for name, line in module.globals.items():
        match = _GLOBAL.match(line)
        if match is None or name in _DROPPED:
            continue
        symbol = f"@{match[1]}"
        type_ = leading_type(line[match.end() :])
        rest = line[match.end() + len(type_) :].strip()
        alignment: re.Match[str] | None = None
        while (cut := rest.rfind(", ")) >= 0 and _SUFFIX.fullmatch(rest, cut + 2) is not None:
            alignment = _ALIGN.fullmatch(rest, cut + 2) or alignment
            rest = rest[:cut]
        if rest.startswith(",") or match[2] or not rest:
            rest = "zeroinitializer"
        size = types.size(types.parse(type_))
        sizes[symbol] = size
        if match[3] == "constant":
            constant.add(symbol)
        pad = (size + gap + 15) // 16 * 16 - size
        aligned = max(16, int(alignment[1]) if alignment else 0)
        empty = rest == "zeroinitializer"
        initial = "zeroinitializer" if empty else f"<{{ {type_} {rest}, [{pad} x i8] zeroinitializer }}>"
        section = ".bss.cp" if empty else "cp_data"
        text = f'{symbol} = internal global <{{ {type_}, [{pad} x i8] }}> {initial}, section "{section}"'
        (zero if empty else data).append(f"{text}, align {aligned}")
    lines = [_border("data_begin", "cp_data"), *data, _border("data_end", "cp_data")]
    lines += [_border("zero_begin", ".bss.cp"), *zero, _border("zero_end", ".bss.cp")]
    lines += _tables(sizes, constant, types, check_kinds)
    parts = constant_globals(module.globals, module.metadata)
    lines += _parts(parts, types)
    constant |= {f"@{quoted}" for quoted in parts}
    lines += _constants("", mine(module), types) + _constants("float_", floats_of(module), types)
    return Statics(lines, sizes, frozenset(constant))


def _border(name: str, section: str) -> str:
    return f'@__cp_{name} = global [4096 x i8] zeroinitializer, section "{section}", align 4096'


def _tables(sizes: dict[str, int], constant: set[str], types: TypeTable, kinds: list[int]) -> list[str]:
    word = f"i{types.pointer.bits}"
    row = f"{{ ptr, {word}, {word} }}"
    rows = ", ".join(
        f"{row} {{ ptr {symbol}, {word} {size}, {word} {int(symbol in constant)} }}" for symbol, size in sizes.items()
    )
    table = f"[{len(sizes)} x {row}] [{rows}]" if sizes else f"[0 x {row}] zeroinitializer"
    kind_bytes = ", ".join(f"i8 {kind}" for kind in kinds) or "i8 0"
    return [
        f"@__cp_globals = constant {table}",
        f"@__cp_global_count = constant {word} {len(sizes)}",
        f"@__cp_check_kinds = constant [{max(1, len(kinds))} x i8] [{kind_bytes}]",
    ]


def _parts(parts: Mapping[str, Ranges], types: TypeTable) -> list[str]:
    word = f"i{types.pointer.bits}"
    row = f"{{ ptr, {word}, {word} }}"
    rows = [
        f"{row} {{ ptr @{name}, {word} {offset}, {word} {size} }}"
        for name, ranges in parts.items()
        for offset, size in ranges
    ]
    table = f"[{len(rows)} x {row}] [{', '.join(rows)}]" if rows else f"[0 x {row}] zeroinitializer"
    return [
        f"@__cp_global_parts = constant {table}",
        f"@__cp_global_part_count = constant {word} {len(rows)}",
    ]


def _constants(kind: str, values: list[int], types: TypeTable) -> list[str]:
    rows = ", ".join(f"i64 {value}" for value in values) or "i64 0"
    return [
        f"@__cp_{kind}constants = constant [{max(1, len(values))} x i64] [{rows}]",
        f"@__cp_{kind}constant_count = constant i{types.pointer.bits} {len(values)}",
    ]


# ---------------------------------------------------------------- constants worth trying

_COMPARED = regex(r" = icmp \w+ i(\d+) [^,]+, (-?\d+)")
_CASE = regex(r"^    i\d+ (-?\d+), label ")
_FLOAT = regex(r" = fcmp \w+ (float|double) .*?(-?\d+\.\d+e[+-]\d+|0x[0-9A-F]{16})")
_DIMENSION = regex(r"\[(\d+) x ")


def mine(module: ModuleText) -> list[int]:
    """Constants that the program compares with, and array lengths; in the order of appearance."""
    found: dict[int, None] = {}
    for line in _body_lines(module):
        if " icmp " in line and (match := _COMPARED.search(line)) is not None:
            found.setdefault(int(match[2]))
        elif line.startswith("    i") and (match := _CASE.match(line)) is not None:
            found.setdefault(int(match[1]))
        elif " fcmp " in line and (match := _FLOAT.search(line)) is not None:
            found.setdefault(_nearest(match[2]))
    for line in (*module.types.values(), *module.globals.values()):
        for length in _DIMENSION.findall(line[:400]):
            found.setdefault(int(length))
    fitting = [value for value in found if -(2**63) <= value < 2**64 and not -1 <= value <= 1]
    return [value - 2**64 if value >= 2**63 else value for value in fitting[:MOST_CONSTANTS]]


def floats_of(module: ModuleText) -> list[int]:
    """Floats that the program compares with, as the bits of doubles; in the order of appearance."""
    lines = (line for line in _body_lines(module) if " fcmp " in line)
    found = (match[2] for line in lines if (match := _FLOAT.search(line)) is not None)
    bits = (int(text, 16) if text.startswith("0x") else _bits(float(text)) for text in found)
    return [value - 2**64 if value >= 2**63 else value for value in list(dict.fromkeys(bits))[:MOST_CONSTANTS]]


def _bits(value: float) -> int:
    return int.from_bytes(struct.pack(">d", value), "big")


def _body_lines(module: ModuleText) -> Iterable[str]:
    for function in module.functions.values():
        yield from function.lines


def _nearest(text: str) -> int:
    value = struct.unpack(">d", bytes.fromhex(text[2:]))[0] if text.startswith("0x") else float(text)
    return int(value) if math.isfinite(value) and abs(value) < 2**62 else 0


# ---------------------------------------------------------------- constant offsets

_CONSTANT_ADDRESS = regex(r"getelementptr (?:\w+ )*\(")
def static_address(types: TypeTable, pointer: str) -> tuple[str, int] | None:
    """Symbol and offset in bytes of an address that is a symbol plus constants, else None."""
    if pointer.startswith("@"):
        return pointer, 0
    match = _CONSTANT_ADDRESS.match(pointer)
    if match is None:
        return None
    inner = split_commas(pointer[match.end() : matching(pointer, match.end() - 1)])
    base = static_address(types, inner[1].removeprefix("ptr "))
    offset = constant_offset(types, inner[0], inner[2:])
    if base is None or offset is None:
        return None
    return base[0], base[1] + offset
