"""Puts a loop's closed form into the function.

    before ---> head <--> body            before --> accelerated --> behind --> rest
                 |                                        | (only where the counter might wrap around)
                 rest                                     head <--> body ... head --> behind

The head's registers that are used behind the loop become parameters of the block `behind`.
"""

from __future__ import annotations

from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.engines.bmc.acceleration.affine import Affine
from counterpoint.engines.bmc.acceleration.counted import Counted, Kind
from counterpoint.program import model as m
from counterpoint.program.graph import Loop
from counterpoint.program.order import operands, terminator_operands
from counterpoint.program.rebuild import renamed, renamed_terminator
from counterpoint.program.types import TRUTH, IntType, Type


def by_stop(function: m.Function, loop: Loop) -> m.Function:
    """The loop's head ends the run."""
    head = function.blocks[loop.head]
    blocks = list(function.blocks)
    blocks[loop.head] = replace(
        head, name=f"endless {head.name}", instructions=(), terminator=m.Stop(head.terminator.at)
    )
    return replace(function, blocks=tuple(blocks))


def by_stop_inside(function: m.Function, loop: Loop) -> m.Function:
    """Going on from the loop's head ends the run; leaving it at once stays possible."""
    head, count, inside = function.blocks[loop.head], len(function.blocks), set(loop.blocks)
    edges = tuple(replace(edge, target=count, arguments=()) if edge.target in inside else edge for edge in head.edges)
    blocks = list(function.blocks)
    blocks[loop.head] = replace(head, terminator=m.Branch(edges, head.terminator.at))
    blocks.append(m.Block(count, f"endless {head.name}", (), (), m.Stop(head.terminator.at)))
    return replace(function, blocks=tuple(blocks))


def by_closed_form(function: m.Function, loop: Loop, found: Counted) -> m.Function:
    """The function with the loop's closed form before it; unreachable blocks may be left."""
    head, leave = function.blocks[loop.head], found.leave
    inside = set(loop.blocks)
    count = len(function.blocks)
    text = _Text(function.registers)
    initial = {p: text.register(p.type, p.name) for p in head.parameters}
    before = dict(initial)  # what registers are before the loop
    for early in found.hoisted:
        before[early.result] = text.compute(
            early.operation,
            [before.get(o, o) if isinstance(o, m.Register) else o for o in early.operands],
            early.result.type,
        )
    iterations, exact = _iterations(text, found, before)
    final = {p: _final(text, found, p, iterations, before) for p in head.parameters}
    here: dict[m.Register, m.Value] = dict(final)
    for instruction in head.instructions:
        assert isinstance(instruction, m.Compute)
        value = text.compute(
            instruction.operation,
            [here.get(o, o) if isinstance(o, m.Register) else o for o in instruction.operands],
            instruction.result.type,
        )
        here[instruction.result] = value
    used = _used_behind(
        function, inside, [*head.parameters, *(i.result for i in head.instructions if isinstance(i, m.Compute))]
    )
    renames = {register: text.register(register.type, register.name) for register in used}

    def behind(value: m.Value) -> m.Value:
        return renames.get(value, value) if isinstance(value, m.Register) else value

    at = head.terminator.at
    skip = m.Edge(m.ALWAYS, count + 1, tuple(here[r] for r in used))
    edges: tuple[m.Edge, ...] = (skip,)
    if exact is not None:
        again = m.Edge(m.Guard(exact, (0,)), loop.head, tuple(initial.values()))
        edges = (replace(skip, guard=m.Guard(exact, (1,))), again)
    blocks: list[m.Block] = []
    for block in function.blocks:
        if block.index == loop.head:
            stay_or_leave = tuple(
                replace(edge, target=count + 1, arguments=tuple(used)) if edge is leave else edge
                for edge in block.edges
            )
            name = block.name if exact is None else f"accelerated before: {block.name}"
            blocks.append(replace(block, name=name, terminator=m.Branch(stay_or_leave, at)))
        elif block.index in inside:
            blocks.append(block)
        else:
            blocks.append(_outside(block, loop.head, count, behind))
    blocks.append(
        m.Block(
            count, f"closed form of {head.name}", tuple(initial.values()), tuple(text.instructions), m.Branch(edges, at)
        )
    )
    onwards = m.Edge(m.ALWAYS, leave.target, tuple(behind(value) for value in leave.arguments))
    blocks.append(m.Block(count + 1, f"behind {head.name}", tuple(renames.values()), (), m.Branch((onwards,), at)))
    return replace(function, blocks=tuple(blocks), registers=text.registers)


def _outside(block: m.Block, head: int, closed: int, behind: object) -> m.Block:
    """A block outside of the loop: it reads the parameters of `behind`, and enters by the closed form."""
    assert callable(behind)
    return replace(
        block,
        instructions=tuple(renamed(i, behind, lambda register: register) for i in block.instructions),
        terminator=renamed_terminator(block.terminator, behind, lambda target: closed if target == head else target),
    )


def _used_behind(function: m.Function, inside: set[int], defined: list[m.Register]) -> list[m.Register]:
    read: set[m.Value] = set()
    for block in function.blocks:
        if block.index in inside:
            for edge in block.edges:
                if edge.target not in inside:
                    read.update(edge.arguments)
            continue
        for instruction in block.instructions:
            read.update(operands(instruction))
        read.update(terminator_operands(block.terminator))
    return [register for register in defined if register in read]


# ---------------------------------------------------------------- arithmetic as instructions


@dataclass(slots=True)
class _Text:
    """Instructions of the new block; constants are folded by the engines."""

    registers: int
    instructions: list[m.Instruction] = field(default_factory=list)

    def register(self, type_: Type, name: str = "") -> m.Register:
        self.registers += 1
        return m.Register(self.registers - 1, type_, name)

    def compute(self, operation: str, values: list[m.Value], type_: Type) -> m.Register:
        result = self.register(type_)
        self.instructions.append(m.Compute(result, operation, tuple(values)))
        return result

    def affine(self, form: Affine, values: dict[m.Register, m.Register]) -> m.Value:
        type_ = IntType(form.width)
        total: m.Value = m.Constant(form.constant, type_)
        for register, coefficient in form.terms.items():
            value = values.get(register, register)
            part = self.compute("mul", [value, m.Constant(coefficient, type_)], type_)
            total = self.compute("add", [total, part], type_)
        return total

    def resized(self, value: m.Value, width: int) -> m.Value:
        have = value.type.bits
        if have == width:
            return value
        return self.compute("zext" if have < width else "trunc", [value], IntType(width))


def _iterations(text: _Text, found: Counted, initial: dict[m.Register, m.Register]) -> tuple[m.Value, m.Value | None]:
    """(how often the body runs, a truth value: the closed form is exact; None: it always is)."""
    type_ = IntType(found.left.width)
    left, right = text.affine(found.left, initial), text.affine(found.right, initial)
    zero, one = m.Constant(0, type_), m.Constant(1, type_)
    stays = text.compute(found.relation, [left, right], TRUTH)
    if found.relation == "eq":
        return text.compute("select", [stays, one, zero], type_), None
    if found.relation == "ne":
        return _until_equal(text, found, left, right)
    size = abs(found.step)
    inclusive = found.relation in ("ule", "sle")
    stride = m.Constant(size, type_)
    if found.step > 0:
        distance = text.compute("sub", [right, left], type_)
    else:  # down to the least value, and around
        least = m.Constant(0 if found.relation[0] == "u" else 1 << (type_.bits - 1), type_)
        distance, inclusive = text.compute("sub", [left, least], type_), True
    if not inclusive:
        distance = text.compute("sub", [distance, one], type_)
    many = text.compute("add", [text.compute("udiv", [distance, stride], type_), one], type_)
    iterations = text.compute("select", [stays, many, zero], type_)
    step = m.Constant(found.step & ((1 << type_.bits) - 1), type_)
    last = text.compute("add", [left, text.compute("mul", [iterations, step], type_)], type_)
    again = text.compute(found.relation, [last, right], TRUTH)
    over = text.compute("xor", [again, m.Constant(1, TRUTH)], TRUTH)
    possible = text.compute("ne", [many, zero], TRUTH)  # 2^w iterations do not fit
    always = size == 1 and found.step > 0 and found.relation in ("ult", "slt")
    return iterations, None if always else text.compute("and", [over, possible], TRUTH)


def _until_equal(text: _Text, found: Counted, left: m.Value, right: m.Value) -> tuple[m.Value, m.Value | None]:
    """left + k * step = right has exactly one k below 2^w for an odd step: distance / step."""
    type_ = IntType(found.left.width)
    distance = text.compute("sub", [right, left], type_)
    if found.step % 2:
        inverse = pow(found.step, -1, 1 << type_.bits)
        return text.compute("mul", [distance, m.Constant(inverse, type_)], type_), None
    size = m.Constant(abs(found.step), type_)
    if found.step < 0:
        distance = text.compute("sub", [left, right], type_)
    rest = text.compute("urem", [distance, size], type_)
    meets = text.compute("eq", [rest, m.Constant(0, type_)], TRUTH)
    return text.compute("udiv", [distance, size], type_), meets


def _final(
    text: _Text, found: Counted, variable: m.Register, iterations: m.Value, initial: dict[m.Register, m.Register]
) -> m.Value:
    """The variable's value after all iterations."""
    change, first = found.changes[variable], initial[variable]
    width, type_ = change.by.width, IntType(change.by.width)
    times = text.resized(iterations, width)
    match change.kind:
        case Kind.STEPS:
            grown = text.compute("mul", [times, text.affine(change.by, initial)], type_)
            return text.compute("add", [first, grown], type_)
        case Kind.SUMS:
            grown = text.compute("mul", [times, text.affine(change.by, initial)], type_)
            per_step = text.compute(
                "mul", [_pairs(text, iterations, width), text.affine(_slope(found, change.by), initial)], type_
            )
            return text.compute("add", [first, text.compute("add", [grown, per_step], type_)], type_)
        case Kind.SET | Kind.FOLLOWS:
            before = text.compute("sub", [times, m.Constant(1, type_)], type_)
            moved = text.compute("mul", [before, text.affine(_slope(found, change.by), initial)], type_)
            value = text.compute("add", [text.affine(change.by, initial), moved], type_)
            none = text.compute("eq", [iterations, m.Constant(0, iterations.type)], TRUTH)
            return text.compute("select", [none, first, value], type_)


def _slope(found: Counted, form: Affine) -> Affine:
    """How far the form moves per iteration."""
    total = Affine(form.width, 0)
    for register, coefficient in form.terms.items():
        if register in found.changes:
            total = total.plus(found.changes[register].by, coefficient)
    return total


def _pairs(text: _Text, iterations: m.Value, width: int) -> m.Value:
    """n * (n - 1) / 2 modulo 2^width for the true n, which fits its own width."""
    type_ = iterations.type
    one = m.Constant(1, type_)
    less = text.compute("sub", [iterations, one], type_)
    even = text.compute("eq", [text.compute("and", [iterations, one], type_), m.Constant(0, type_)], TRUTH)
    half = text.compute("lshr", [text.compute("select", [even, iterations, less], type_), one], type_)
    whole = text.compute("select", [even, less, iterations], type_)
    return text.compute("mul", [text.resized(half, width), text.resized(whole, width)], IntType(width))
