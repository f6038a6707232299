"""Address computations that do not wrap: an index whose scaled value leaves the address space leads nowhere.

LLVM computes addresses modulo their width, so that `a[1L << 62]` would be `a[0]`. Here the bytes that an index
adds are taken exactly: where they do not fit, the result is an address at which nothing lies (NOWHERE). An
index as wide as a pointer, or wider, counts as signed. Sums of addresses in range stay sums modulo the width, so that
`p + n < p` and pointers far outside their object mean what they mean for the machine.
"""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition import wide_index
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.irtypes import Array, NotModelled, Struct
from counterpoint.frontend.lower.text import matching, split_commas
from counterpoint.program.external import NOWHERE

CHAIN = 4
"""Indices of one computation whose bytes may be added: each gets this part of the address space, so that their
sum does not wrap either. In 32 bits a single index of a large array needs more."""
SCALARS = frozenset({2, 4, 8})  # bytes

_GEP = regex(r"^  (%[^ ]+) = getelementptr (.*)$")
_FLAGS = regex(r"^(?:(?:inbounds|nuw|nusw) )+")
_EXTENDED = regex(r"^  (%[^ ]+) = (zext|sext) i(\d+) [^ ]+ to i\d+")
_MASKED = regex(r"^  (%[^ ]+) = (?:and|urem) i(\d+) [^ ]+, (\d+)(?=,|$)")
_CONSTANT = regex(r"getelementptr (?:\w+ )*\(")
_LONG = regex(r"\d{9}")

Terms = tuple[int, list[tuple[int, str, int]]]
"""Constant bytes, and (width, value, bytes per unit) of each index that varies."""


def note_range(body: Body, line: str) -> None:
    """Remembers the range of a register that was made from a narrower one or by a mask."""
    found = _EXTENDED.match(line)
    if found is not None:
        bits = int(found[3])
        body.ranges[found[1]] = (0, (1 << bits) - 1) if found[2] == "zext" else (-(1 << bits - 1), (1 << bits - 1) - 1)
        return
    found = _MASKED.match(line)
    if found is not None and int(found[3]) < 1 << int(found[2]) - 1:
        body.ranges[found[1]] = (0, int(found[3]))


def guarded_address(body: Body, line: str) -> str:
    """Writes what a getelementptr line of one pointer needs before it; returns the line that defines its result."""
    found = _GEP.match(line)
    if found is None or "<" in found[2].partition(" x ")[0]:
        return line
    parts = split_commas(found[2].partition(", !dbg")[0])
    terms = _terms(body, parts)
    if terms is None:
        return line
    source = parts[1].removeprefix("ptr ")
    constant, varying = terms
    bits = body.shared.pointer_bits
    word, debug = body.shared.word, debug_of(line)
    nowhere = f"inttoptr ({word} {NOWHERE} to ptr)"
    if not -(1 << bits - 1) <= constant < 1 << bits - 1:
        return _defined(found[1], f"getelementptr i8, ptr {nowhere}, {word} 0", line)
    conditions = []
    for width, value, stride in varying:
        wide = wide_index.as_written(body, value, debug) if bits < 64 else None
        if wide is not None:
            width, value = wide
        elif stride == 1:
            continue
        lone = bits == 32 and stride in SCALARS and source not in body.bases and len(varying) == 1
        room = (1 << bits - 1) // (1 if lone else CHAIN)
        low, high = -(room // stride), room // stride  # both ends are outside of any object
        least, most = body.ranges.get(value, (-(1 << width - 1), (1 << width - 1) - 1))
        if low <= least and most <= high:
            continue
        moved = body.compute(f"add i{width} {value}, {-low}", debug)
        conditions.append(body.compute(f"icmp ule i{width} {moved}, {high - low}", debug))
    if not conditions:
        return line
    fits = conditions[0]
    for other in conditions[1:]:
        fits = body.compute(f"and i1 {fits}, {other}", debug)
    raw = body.compute(f"getelementptr {found[2].partition(', !dbg')[0]}", debug)
    return _defined(found[1], f"select i1 {fits}, ptr {raw}, ptr {nowhere}", line)


def guarded_constants(body: Body, line: str) -> str:
    """The line with every constant address whose exact offset leaves the address space leading nowhere."""
    if _LONG.search(line) is None:
        return line
    position = 0
    while (found := _CONSTANT.search(line, position)) is not None:
        close = matching(line, found.end() - 1)
        position = found.end()
        if _leaves(body, line[found.end() : close]):
            nowhere = f"inttoptr ({body.shared.word} {NOWHERE} to ptr)"
            line = f"{line[: found.start()]}{nowhere}{line[close + 1 :]}"
    return line


def _leaves(body: Body, operands: str) -> bool:
    """Whether a constant computation, or one that it starts from, adds more than there are addresses."""
    half = 1 << body.shared.pointer_bits - 1
    total = 0
    while True:
        parts = split_commas(operands)
        terms = _terms(body, parts)
        if terms is None:
            return False
        total += terms[0]
        if not -half <= terms[0] < half or not -half <= total < half:
            return True
        base = parts[1].removeprefix("ptr ")
        inner = _CONSTANT.match(base)
        if inner is None:
            return False
        operands = base[inner.end() : matching(base, inner.end() - 1)]


def _defined(name: str, text: str, line: str) -> str:
    debug = line.find(", !dbg")
    return f"  {name} = {text}{line[debug:] if debug >= 0 else ''}"


def _terms(body: Body, parts: list[str]) -> Terms | None:
    """What the indices add, None where the type has no layout here (nothing accesses through it then)."""
    types = body.shared.types
    try:
        type_ = types.parse(_FLAGS.sub("", parts[0]))
        constant = 0
        varying: list[tuple[int, str, int]] = []
        for position, text in enumerate(parts[2:]):
            index_type, _, value = text.rpartition(" ")
            if position and isinstance(type_, Struct):
                constant += types.offsets(type_)[int(value)]
                type_ = type_.fields[int(value)]
                continue
            if position:
                if not isinstance(type_, Array):
                    return None
                type_ = type_.element
            stride = types.size(type_)
            if value.lstrip("-").isdigit():
                constant += int(value) * stride
            elif stride >= 1:
                varying.append((int(index_type[1:]), value, stride))
        return constant, varying
    except (NotModelled, ValueError):
        return None
