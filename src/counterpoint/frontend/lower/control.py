"""Terminators: branches become guarded edges, phis become block parameters."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.lower.arithmetic import without_flags
from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.irtypes import IRType, NotModelled
from counterpoint.frontend.lower.text import NAME, split_commas, split_type
from counterpoint.program.model import ALWAYS, Constant, Guard, Return, Stop, Value

_LABEL = regex(rf"label (%{NAME})")
_CASE = regex(rf"(?:i\d+) (-?\w+), label (%{NAME})")
_INCOMING = regex(rf"\[ ([^\[\]<>{{}}()\"]+?), (%{NAME}) \]")


@dataclass(frozen=True, slots=True)
class Phi:
    """One phi of a block: `incoming` maps predecessors' labels to operands' texts."""

    name: str
    type: IRType
    incoming: dict[str, str]


@dataclass(frozen=True, slots=True)
class Exit:
    """An edge whose target is still a label."""

    guard: Guard
    label: str


def read_phi(body: Body, name: str, text: str) -> Phi:
    """`text` is what follows `phi`."""
    type_text, rest = split_type(without_flags(text))
    incoming = {label: operand for operand, label in _INCOMING.findall(rest)}
    if len(incoming) < rest.count(" ], [ ") + 1:
        incoming = {}
        for part in split_commas(rest):
            operand, _, label = part[2:-2].rpartition(", ")
            incoming[label] = operand
    return Phi(name, body.types.parse(type_text), incoming)


def terminate(body: Body, opcode: str, text: str) -> list[Exit]:
    """Lowers a terminator: sets `body.terminator`, or gives the exits of a branch.

    Raises NotModelled for terminators that have no meaning here (exceptions, computed goto).
    """
    match opcode:
        case "br":
            return _branch(body, text)
        case "switch":
            return _switch(body, text)
        case "ret":
            values = () if text == "void" else body.typed(text)[1]
            body.terminator = Return(values, body.at)
        case "unreachable":
            body.terminator = Stop(body.at)
        case "indirectbr":
            raise NotModelled("computed goto")
        case _:
            raise NotModelled(f"the instruction {opcode}")
    return []


def _branch(body: Body, text: str) -> list[Exit]:
    labels = _LABEL.findall(text)
    if len(labels) == 1 or labels[0] == labels[1]:
        return [Exit(ALWAYS, labels[0])]
    condition = body.typed(split_commas(text)[0])[1][0]
    if isinstance(condition, Constant):
        return [Exit(ALWAYS, labels[0] if condition.bits else labels[1])]
    return [Exit(Guard(condition, (1,)), labels[0]), Exit(Guard(condition, (0,)), labels[1])]


def _switch(body: Body, text: str) -> list[Exit]:
    head, _, cases_text = text.partition("[")
    if not cases_text.rstrip().endswith("]"):
        raise NotModelled("a switch without an end")
    default = _LABEL.findall(head)[0]
    value: Value = body.typed(head[: head.index(", label ")])[1][0]
    mask = (1 << value.type.bits) - 1
    targets: dict[str, list[int]] = {}
    for number, label in _CASE.findall(cases_text):
        case = int(number == "true") if number in ("true", "false") else int(number) & mask
        if isinstance(value, Constant) and case == value.bits:
            return [Exit(ALWAYS, label)]
        if label != default:
            targets.setdefault(label, []).append(case)
    if isinstance(value, Constant) or not targets:
        return [Exit(ALWAYS, default)]
    exits = [Exit(Guard(value, tuple(sorted(cases))), label) for label, cases in targets.items()]
    every = tuple(sorted(case for cases in targets.values() for case in cases))
    if len(every) > mask:
        return exits  # the default is never taken
    return [*exits, Exit(Guard(value, every, negated=True), default)]
