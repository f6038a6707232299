"""Snapshots as tables of numbers, and formulas over their columns: what learners of invariants share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Place, Snapshot, constants
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import values_of
from counterpoint.program import model as m
from counterpoint.program.types import IntType, PointerType
from counterpoint.regions.pointees import old_cells, pointees
from counterpoint.semantics import evaluate
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Elements,
    Old,
    RegisterValue,
    ResultValue,
    variable_of,
)
from counterpoint.semantics.facts import Fact
from counterpoint.semantics.terms import TERMS
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate as value_under
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

MOST_COLUMNS = 16
"""Numbers at a place that learners look at: registers and results first, then cells."""


MOST_COMPUTED = 3
"""Further columns that the program computes from those."""

ENOUGH = 40
"""Visits that a column is judged by."""

NONLINEAR = frozenset({"udiv", "sdiv", "urem", "srem", "lshr", "ashr", "and"})
"""What those are made by; sums and products are left to the learners."""


@dataclass(frozen=True, slots=True)
class Column:
    """A component of integer type, a pointer's distance from the base of its object, or a term over those, and what
    it was at the visits; `width` in bits, 8 to 64.
    """

    variable: Term
    width: int
    unsigned: tuple[int, ...]
    signed: tuple[int, ...]

    @property
    def constant(self) -> bool:
        """The same value at all visits."""
        return len(set(self.unsigned)) <= 1

    def at_visits(self, rows: Sequence[int]) -> Column:
        """The column at these visits only."""
        unsigned, signed = (tuple(numbers[row] for row in rows) for numbers in (self.unsigned, self.signed))
        return Column(self.variable, self.width, unsigned, signed)


@dataclass(frozen=True, slots=True)
class Table:
    """The integer columns of one place; all as long as there were visits."""

    place: Place
    columns: tuple[Column, ...]
    snapshots: Sequence[Snapshot]
    numbers: frozenset[int] = field(default_factory=frozenset)

    def fact(self, formula: V) -> Fact:
        return Fact(*self.place, formula)


def tables(context: Context, most: int = MOST_COLUMNS) -> Iterator[Table]:
    """The places that have snapshots, with at most `most` columns each, and MOST_COMPUTED more that the program
    computes from those. `numbers`: the program's constants.
    """
    numbers = signed_constants(context)
    for place in context.graph.cuts:
        snapshots = _that_know(context, place)
        if snapshots:
            bits = context.graph.program.layout.pointer_bits
            found = [column_of(variable_of(c, bits), width, snapshots) for c, width in numeric(context, place)]
            found += [_distance(pointer, base, bits, snapshots) for pointer, base in pointers(context, place)]
            found += [column_of(term, width, snapshots) for term, width in further(context, place)]
            columns = [c for c in found if c is not None][:most]
            columns += computed(context, place, columns)
            yield Table(place, tuple(columns), snapshots, numbers)


def _that_know(context: Context, place: Place) -> Sequence[Snapshot]:
    """The visits with values of all numbers that enough visits have values of, if there are enough of these; else all.
    States that were extrapolated know nothing of what depends on memory, and a column needs all visits."""
    snapshots = context.snapshots.at.get(place, ())
    bits, enough = context.graph.program.layout.pointer_bits, min(ENOUGH, len(snapshots) // 2)
    numbers = [variable_of(component, bits) for component, _ in numeric(context, place)]
    known = [{row for row, s in enumerate(snapshots) if number in s.values} for number in numbers]
    rows = set(range(len(snapshots))).intersection(*(some for some in known if len(some) >= enough))
    return [snapshots[row] for row in sorted(rows)] if len(rows) >= enough else snapshots


def further(context: Context, place: Place) -> list[tuple[Term, int]]:
    """(term, bits) of what functions that go by contract were entered with, and of numbers that pointers point to."""
    if not context.graph.cuts[place].by_contract:
        return []
    terms = {old: old.sort.width for _, old in old_cells(context.graph, place) if isinstance(old.sort, BitVec)}
    for pointee in pointees(context.graph, place):
        if not pointee.pointer and pointee.bits in (8, 16, 32, 64):
            terms.update((term, pointee.bits) for term in (pointee.now, pointee.old) if term is not None)
    return list(terms.items())


def computed(context: Context, place: Place, columns: Sequence[Column]) -> list[Column]:
    """Quotients, remainders and the like of the place's registers and constants, which the function computes."""
    function = context.graph.cuts[place].function
    bits = context.graph.program.layout.pointer_bits
    known = {column.variable: column for column in columns}
    found: dict[Term, Column] = {}
    for instruction in (i for block in function.blocks for i in block.instructions):
        if not isinstance(instruction, m.Compute) or instruction.operation not in NONLINEAR:
            continue
        operands: list[V] = []
        for operand in instruction.operands:
            if isinstance(operand, m.Register):
                operands.append(variable_of(RegisterValue(function.name, operand), bits))
            elif isinstance(operand, m.Constant):
                operands.append(operand.bits)
        used = [operand for operand in operands if isinstance(operand, Term)]
        if len(operands) < 2 or not used or any(variable not in known for variable in used):
            continue
        term = evaluate(instruction, operands, TERMS)
        if isinstance(term, Term) and term not in found and len(found) < MOST_COMPUTED:
            found[term] = _computed(term, [known[variable] for variable in used])
    return list(found.values())


def _computed(term: Term, columns: Sequence[Column]) -> Column:
    """The term's values at the visits."""
    names, width = [str(column.variable.payload) for column in columns], columns[0].width
    memory: dict[tuple[int, ...], int] = {}
    numbers: list[int] = []
    for row in zip(*(column.unsigned for column in columns), strict=True):
        if row not in memory:
            value = value_under(term, dict(zip(names, row, strict=True)))
            assert isinstance(value, int)
            memory[row] = value
        numbers.append(memory[row])
    return Column(term, width, tuple(numbers), tuple(to_signed(value, width) for value in numbers))


def signed_constants(context: Context) -> frozenset[int]:
    """The program's constants, each as an unsigned and as a signed number of 8 to 64 bits."""
    found: set[int] = {0, 1}
    for bits in constants(context.graph.program):
        found.add(bits)
        found.update(to_signed(bits, width) for width in (8, 16, 32, 64) if bits >> width == 0)
    return frozenset(found)


def numeric(context: Context, place: Place) -> list[tuple[Component, int]]:
    """(component, bits): registers and results of integer type, and cells of one to eight bytes, with what these were
    at the entry, but for those of objects that are accessed as arrays.
    """
    arrays = {c.thing for c in context.graph.components(place) if isinstance(c, Elements)}
    registers: list[tuple[Component, int]] = []
    cells: list[tuple[Component, int]] = []
    for component in context.graph.components(place):
        match component:
            case RegisterValue(_, register) if isinstance(register.type, IntType) and 8 <= register.type.bits <= 64:
                registers.append((component, register.type.bits))
            case ResultValue(_, _, IntType(bits)) if 8 <= bits <= 64:
                registers.append((component, bits))
            case Cell(thing, _, _, size) | Old(Cell(thing, _, _, size)) if size in (1, 2, 4, 8) and thing not in arrays:
                cells.append((component, 8 * size))
    return registers + cells


def pointers(context: Context, place: Place) -> Iterator[tuple[Term, Term]]:
    """(register, base of a single object) for registers that were pointers into that object at all visits."""
    bits = context.graph.program.layout.pointer_bits
    snapshots = context.snapshots.at.get(place, ())
    components = context.graph.components(place)
    bases = [variable_of(c, bits) for c in components if isinstance(c, Base)]
    for component in components:
        if isinstance(component, RegisterValue) and isinstance(component.register.type, PointerType):
            pointer = variable_of(component, bits)
            for base in bases:
                if snapshots and all(_inside(s.values, pointer, base, bases) for s in snapshots):
                    yield pointer, base


def _inside(values: Mapping[Term, object], pointer: Term, base: Term, bases: Sequence[Term]) -> bool:
    """No base of another object is nearer below the pointer."""
    at, start = values.get(pointer), values.get(base)
    if not isinstance(at, int) or not isinstance(start, int) or start > at:
        return False
    return not any(isinstance(other := values.get(b), int) and start < other <= at for b in bases)


def column_of(term: Term, width: int, snapshots: Sequence[Snapshot]) -> Column | None:
    """The column of a component, or of a term over components; None where a visit has no value."""
    if term.op is Op.VARIABLE:
        numbers = [value for s in snapshots if isinstance(value := s.values.get(term), int)]
    else:
        numbers = [value for value in values_of(term, snapshots) if value is not None]
    if len(numbers) != len(snapshots):
        return None
    return Column(term, width, tuple(numbers), tuple(to_signed(value, width) for value in numbers))


def _distance(pointer: Term, base: Term, bits: int, snapshots: Sequence[Snapshot]) -> Column | None:
    """A pointer as its distance from the start of its object, in bytes."""
    ends, starts = column_of(pointer, bits, snapshots), column_of(base, bits, snapshots)
    away = build.sub(pointer, base, bits)
    if ends is None or starts is None or not isinstance(away, Term):
        return None
    numbers = tuple(end - start for end, start in zip(ends.unsigned, starts.unsigned, strict=True))
    return Column(away, bits, numbers, numbers)


def to_signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


# ---------------------------------------------------------------- formulas


def at_width(column: Column, width: int, *, unsigned: bool = False) -> V:
    """The column's variable in `width` bits: extended (by its sign, or zeros), or its low bits."""
    if width < column.width:
        return build.extract(width - 1, 0, column.variable, column.width)
    extend = build.zext if unsigned else build.sext
    return extend(column.variable, column.width, width)


def equation(terms: Sequence[tuple[int, V]], constant: int, width: int) -> V:
    """sum of coefficient * value == constant modulo 2**width; negative parts go to the other side."""
    left = _sum([(a, v) for a, v in terms if a > 0], max(-constant, 0), width)
    right = _sum([(-a, v) for a, v in terms if a < 0], max(constant, 0), width)
    return build.eq(left, right, width)


def _sum(terms: Sequence[tuple[int, V]], constant: int, width: int) -> V:
    mask = (1 << width) - 1
    total: V = constant & mask
    for coefficient, value in terms:
        part = value if coefficient == 1 else build.mul(coefficient & mask, value, width)
        total = build.add(total, part, width)
    return total


def once(facts: Iterator[Fact], most: int) -> Iterator[Fact]:
    """Each fact whose formula is no constant once, and per place at most `most`."""
    seen: set[Fact] = set()
    count: dict[Place, int] = {}
    for fact in facts:
        if isinstance(fact.formula, int) or fact in seen or count.get(fact.place, 0) >= most:
            continue
        seen.add(fact)
        count[fact.place] = count.get(fact.place, 0) + 1
        yield fact
