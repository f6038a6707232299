"""Vectors: elements by number, and operations that are undefined for some operands, lane by lane.

A number that names no element is an access outside of the vector: reading gives an arbitrary value, writing changes
nothing, and memory safety is violated.
"""

from __future__ import annotations

from collections.abc import Callable

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import argument, debug_of, leading_type
from counterpoint.frontend.lower.text import split_commas
from counterpoint.property import Instrument

_OPERATION = regex(r"^  (%[^ ]+) = (\w+) (<(\d+) x ([^<>]+)> .*)$")
_ELEMENT = regex(r"^  (%[^ ]+) = (extract|insert)element (.*)$")
_VECTOR = regex(r"<(\d+) x ([^<>]+)>$")


def is_vector_operation(line: str) -> bool:
    """Whether the line computes with whole vectors."""
    return _OPERATION.match(line) is not None


def by_lanes(body: Body, line: str, scalar: Callable[[str], None]) -> None:
    """Writes a binary operation or a conversion of vectors as one of `scalar`'s lines for each lane."""
    match = _OPERATION.match(line)
    assert match is not None, line
    result, operation, rest, count, lane = match.groups()
    debug = debug_of(line)
    operands, _, target = rest.partition(", !dbg ")[0].partition(" to ")
    values = split_commas(operands[operands.index("> ") + 2 :])
    source, made = f"<{count} x {lane}>", target or f"<{count} x {lane}>"
    suffix = f" to {_VECTOR.match(target)[2]}" if target else ""  # type: ignore[index]
    place = f", !dbg {debug}" if debug else ""
    whole = "zeroinitializer"
    for number in range(int(count)):
        parts = [body.compute(f"extractelement {source} {value}, i32 {number}", debug) for value in values]
        own = body.fresh()
        scalar(f"  {own} = {operation} {lane} {', '.join(parts)}{suffix}{place}")
        last = number == int(count) - 1
        text = f"insertelement {made} {whole}, {_VECTOR.match(made)[2]} {own}, i32 {number}"  # type: ignore[index]
        whole = body.compute(text, debug, result if last else "")


def element(body: Body, line: str) -> None:
    """extractelement and insertelement."""
    match = _ELEMENT.match(line)
    parts = split_commas(match[3].partition(", !dbg ")[0]) if match else []
    shape = _VECTOR.match(leading_type(parts[0])) if parts else None
    if match is None or shape is None:
        body.out.append(line)
        return
    type_, position = argument(parts[-1])
    count, debug = int(shape[1]), debug_of(line)
    if position.isdigit() and int(position) < count:
        body.out.append(line)
        return
    inside = body.compute(f"icmp ult {type_} {position}, {count}", debug)
    if body.shared.property.asks_for(Instrument.ACCESSES):
        index = body.shared.tables.check("valid-deref", "a vector has no element of this number", debug)
        body.kernel("__cp_check", f"i1 {inside}, i32 {index}", debug)
    safe = body.compute(f"select i1 {inside}, {type_} {position}, {type_} 0", debug)
    changed = body.compute(f"{match[2]}element {', '.join(parts[:-1])}, {type_} {safe}", debug)
    if match[2] == "extract":
        other, made = body.nondet(shape[2], "undef", "a vector element out of range", debug), shape[2]
    else:
        made, other = leading_type(parts[0]), argument(parts[0])[1]
    body.compute(f"select i1 {inside}, {made} {changed}, {made} {other}", debug, match[1])
