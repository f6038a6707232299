"""Recognises loops that are left at their head when a counter has gone far enough, and whose body is linear."""

from __future__ import annotations

from dataclasses import field
from enum import Enum, auto

from counterpoint.core.records import dataclass
from counterpoint.engines.bmc.acceleration.affine import Affine, of_compute, of_value
from counterpoint.program import model as m
from counterpoint.program.graph import Loop
from counterpoint.program.types import TRUTH, IntType
from counterpoint.semantics.terms import evaluate

REVERSED = {"ult": "ule", "ule": "ult", "slt": "sle", "sle": "slt", "eq": "ne", "ne": "eq"}
"""not (a < b) is b <= a; eq and ne keep their operands' order."""


class Kind(Enum):
    """How a variable of the loop changes in an iteration."""

    STEPS = auto()  # by an amount that the loop does not change
    SET = auto()  # to a value that the loop does not change
    SUMS = auto()  # by an affine form of variables that STEP
    FOLLOWS = auto()  # to an affine form of variables that STEP


@dataclass(frozen=True, slots=True)
class Change:
    """`by`: the amount added (STEPS, SUMS), or the new value (SET, FOLLOWS), over the variables at the head."""

    kind: Kind
    by: Affine


@dataclass(frozen=True, slots=True)
class Counted:
    """The loop goes on while `left relation right` (ult, ule, slt, sle, ne, eq) holds at its head.

    `left` moves by `step` (a constant, not 0) per iteration, `right` does not move. `mirrored`: both were
    complemented (bvnot), which turns > into <. `changes` has every parameter of the head.
    """

    relation: str
    left: Affine
    right: Affine
    step: int
    changes: dict[m.Register, Change]
    leave: m.Edge
    stay: m.Edge
    mirrored: bool = False
    hoisted: list[m.Compute] = field(default_factory=list)


def counted(function: m.Function, loop: Loop) -> Counted | None:
    """The loop in that form, or None."""
    head = function.blocks[loop.head]
    if not loop.natural or not _pure(function, loop) or len(head.edges) != 2:
        return None
    inside = set(loop.blocks)
    stays = [edge for edge in head.edges if edge.target in inside]
    leaves = [edge for edge in head.edges if edge.target not in inside]
    if len(stays) != 1 or len(leaves) != 1:
        return None
    body = _body(function, loop, stays[0])
    if body is None:
        return None
    changes = _changes(head, body)
    if changes is None:
        return None
    return _condition(head, stays[0], leaves[0], body, changes)


def _pure(function: m.Function, loop: Loop) -> bool:
    """Nothing but Compute inside."""
    return all(isinstance(i, m.Compute) for block in loop.blocks for i in function.blocks[block].instructions)


@dataclass(slots=True)
class _Body:
    """One iteration: `forms` over the head's parameters and what the loop does not change; `opaque` registers
    change in a way that has no form; `arguments` go back to the head; `hoisted` can be computed before the loop."""

    forms: dict[m.Register, Affine] = field(default_factory=dict)
    opaque: set[m.Register] = field(default_factory=set)
    hoisted: list[m.Compute] = field(default_factory=list)
    arguments: tuple[m.Value, ...] = ()

    def form(self, value: m.Value) -> Affine | None:
        found = of_value(value, self.forms)
        return None if found is None or not self.opaque.isdisjoint(found.terms) else found


def _body(function: m.Function, loop: Loop, stay: m.Edge) -> _Body | None:
    """Walks once around a loop without branches."""
    head = function.blocks[loop.head]
    body = _Body()
    moving = set(head.parameters)
    block, edge = head, stay
    for _ in range(len(loop.blocks) + 1):
        for instruction in block.instructions:
            assert isinstance(instruction, m.Compute)
            _execute(instruction, body, moving)
        if block is not head:
            taken = _only_edge(block, body)
            if taken is None:
                return None
            edge = taken
        if edge.target == loop.head:
            body.arguments = edge.arguments
            return body
        if edge.target not in loop.blocks:
            return None
        block = function.blocks[edge.target]
        for parameter, value in zip(block.parameters, edge.arguments, strict=True):
            form = body.form(value)
            if form is None:
                return None
            body.forms[parameter] = form
            moving.add(parameter)
    return None


def _only_edge(block: m.Block, body: _Body) -> m.Edge | None:
    """The edge that is always taken: the only one, or the one that a constant chooses."""
    if len(block.edges) == 1:
        return block.edges[0]
    for edge in block.edges:
        form = None if edge.guard.value is None else body.form(edge.guard.value)
        if form is None or form.terms:
            return None
        if (form.constant in edge.guard.cases) is not edge.guard.negated:
            return edge
    return None


def _execute(instruction: m.Compute, body: _Body, moving: set[m.Register]) -> None:
    """Gives the result a form, hoists the instruction, or calls its result opaque."""
    read = [operand for operand in instruction.operands if isinstance(operand, m.Register)]
    form = of_compute(instruction, body.forms) if body.opaque.isdisjoint(read) else None
    if form is None:
        form = _folded(instruction, body)
    if form is not None:
        body.forms[instruction.result] = form
    elif moving.isdisjoint(read) and body.opaque.isdisjoint(read) and body.forms.keys().isdisjoint(read):
        body.hoisted.append(instruction)
        return
    else:
        body.opaque.add(instruction.result)
    moving.add(instruction.result)


def _folded(instruction: m.Compute, body: _Body) -> Affine | None:
    """The result as a constant, if the operands are constants."""
    forms = [body.form(operand) for operand in instruction.operands]
    if not isinstance(instruction.result.type, IntType) or any(form is None or form.terms for form in forms):
        return None
    value = evaluate(instruction, tuple(form.constant for form in forms if form is not None))
    return Affine(instruction.result.type.bits, value) if isinstance(value, int) else None


def _changes(head: m.Block, body: _Body) -> dict[m.Register, Change] | None:
    variables = set(head.parameters)
    changes: dict[m.Register, Change] = {}
    new: dict[m.Register, Affine] = {}
    for parameter, value in zip(head.parameters, body.arguments, strict=True):
        form = body.form(value)
        if form is None:
            return None
        new[parameter] = form
    for parameter, form in new.items():  # first those that only depend on themselves
        rest = form.without(parameter)
        if variables.isdisjoint(rest.terms) and form.terms.get(parameter, 0) in (0, 1):
            changes[parameter] = Change(Kind.STEPS if parameter in form.terms else Kind.SET, rest)
    steps = {p for p, change in changes.items() if change.kind is Kind.STEPS}
    for parameter, form in new.items():
        if parameter in changes:
            continue
        rest = form.without(parameter)
        if not (variables & set(rest.terms)) <= steps or form.terms.get(parameter, 0) not in (0, 1):
            return None
        changes[parameter] = Change(Kind.SUMS if parameter in form.terms else Kind.FOLLOWS, rest)
    return changes


def _condition(
    head: m.Block, stay: m.Edge, leave: m.Edge, body: _Body, changes: dict[m.Register, Change]
) -> Counted | None:
    test, flipped = _test(head, stay.guard.value)
    if test is None or test.operation not in REVERSED or not isinstance(test.operands[0].type, IntType):
        return None
    left, right = body.form(test.operands[0]), body.form(test.operands[1])
    if left is None or right is None or stay.guard.cases not in ((0,), (1,)):
        return None
    hoisted = body.hoisted
    relation = test.operation
    holds = (stay.guard.cases == (1,)) is not stay.guard.negated
    if holds is flipped:
        relation = REVERSED[relation]
        if relation in ("ult", "ule", "slt", "sle"):
            left, right = right, left
    moves_left, moves_right = _step(left, changes), _step(right, changes)
    if moves_left is None or moves_right is None:
        return None
    if moves_left and not moves_right:
        return Counted(relation, left, right, moves_left, changes, leave, stay, False, hoisted)
    if moves_right and not moves_left:
        if relation in ("eq", "ne"):
            return Counted(relation, right, left, moves_right, changes, leave, stay, False, hoisted)
        ones = Affine(left.width, (1 << left.width) - 1)
        return Counted(
            relation, ones.plus(right, -1), ones.plus(left, -1), -moves_right, changes, leave, stay, True, hoisted
        )
    return None


def _test(head: m.Block, value: m.Value | None) -> tuple[m.Compute | None, bool]:
    """The comparison behind a truth value, and whether it is negated on the way."""
    computed = {i.result: i for i in head.instructions if isinstance(i, m.Compute)}
    flipped = False
    while isinstance(value, m.Register) and value in computed:
        test = computed[value]
        if test.operation != "xor" or test.operands[1] != m.Constant(1, TRUTH):
            return test, flipped
        flipped, value = not flipped, test.operands[0]
    return None, flipped


def _step(form: Affine, changes: dict[m.Register, Change]) -> int | None:
    """How far the form moves per iteration, signed; None if that is no constant."""
    total = Affine(form.width, 0)
    for register, coefficient in form.terms.items():
        change = changes.get(register)
        if change is None:
            continue
        if change.kind is not Kind.STEPS:
            return None
        total = total.plus(change.by, coefficient)
    return None if total.terms else total.signed_constant
