"""Contracts of recursive functions, by cases of arguments that take few values: `m == 2 -> result == 2 * n + 3`.

At exits: what a result, or a changed number, is: one number, a linear function or a product of the arguments, a
multiple of a power of two with an argument as exponent; which arguments it bounds, or divides; the parity of sums;
of few arguments, each result by itself. At entries: limits, of which the recursion keeps some: the program's numbers
and all powers of two. What is said of a call's result may rest on what is said of the calls below: Houdini assumes it
behind each of these.

Source: Daikon's splitting conditions (Ernst et al., The Daikon system, 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import fit, formula, holds, linear, monomials
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import Column, Table, at_width, tables, to_signed
from counterpoint.program.graph import recursive_functions
from counterpoint.regions.pointees import old_cells
from counterpoint.semantics.components import ResultValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

MOST = 300
"""Facts per place."""

MOST_COLUMNS = 8

MOST_VALUES = 64
"""Arguments whose results are noted one by one."""

FEW_VALUES = 5
"""Values of an argument that are told apart."""

FEWEST = 3
"""States of a case from which something is learned."""

NEAR = 4
"""The largest distance in comparisons."""

MODULI = (2, 3, 4)

EXPONENTS = 64


@dataclass(frozen=True, slots=True)
class _Case:
    """What was seen where the condition holds: what the function was given, and what it made."""

    condition: V
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]

    def at_visits(self, condition: V, rows: Sequence[int]) -> _Case:
        """A case of the case."""
        inputs, outputs = (tuple(c.at_visits(rows) for c in columns) for columns in (self.inputs, self.outputs))
        return _Case(condition, inputs, outputs)


def _guesses(context: Context) -> Iterator[Guess]:
    recursive = recursive_functions(context.graph.program)
    for table in tables(context, MOST_COLUMNS):
        if table.place[0] in recursive and table.place[1] in (0, EXIT):
            learn = _results if table.place[1] == EXIT else _limits
            for case in _cases(_whole(context, table)):
                found = list(learn(case, table.numbers))
                yield from ((table.place, build.implies(case.condition, said)) for said in found)


def _whole(context: Context, table: Table) -> _Case:
    """All that was seen: a number that the function changes is an output as its difference from what it was."""
    bits = context.graph.program.layout.pointer_bits
    components = context.graph.components(table.place)
    results = {variable_of(c, bits) for c in components if isinstance(c, ResultValue)}
    known = {column.variable: column for column in table.columns}
    outputs = [column for column in table.columns if column.variable in results]
    cells = old_cells(context.graph, table.place) if table.place[1] == EXIT else []
    for now, old in cells:
        if now in known and old in known:
            outputs += _difference(known[now], known[old])
    hidden = results | {term for pair in cells for term in pair}
    return _Case(1, tuple(c for c in table.columns if c.variable not in hidden), tuple(outputs))


def _difference(now: Column, old: Column) -> Iterator[Column]:
    term, width = build.sub(now.variable, old.variable, now.width), now.width
    if isinstance(term, Term):
        unsigned = tuple((a - b) & ((1 << width) - 1) for a, b in zip(now.unsigned, old.unsigned, strict=True))
        yield Column(term, width, unsigned, tuple(to_signed(value, width) for value in unsigned))


def _cases(whole: _Case) -> Iterator[_Case]:
    """The whole, and a case for each value of an input that takes few."""
    yield whole
    for column in whole.inputs:
        values = sorted(set(column.unsigned))
        if 1 < len(values) <= FEW_VALUES:
            for value in values:
                rows = [row for row, seen in enumerate(column.unsigned) if seen == value]
                if len(rows) >= FEWEST:
                    yield whole.at_visits(build.eq(column.variable, value, column.width), rows)


# ---------------------------------------------------------------- exits


def _results(case: _Case, numbers: frozenset[int]) -> Iterator[V]:
    """Of each output equations; comparisons, too; where there is no equation, divisors and single values."""
    moving = [column for column in case.inputs if not column.constant]
    for output in case.outputs:
        if output.constant:
            yield build.eq(output.variable, output.unsigned[0], output.width)
            continue
        equations = [*linear([*moving, output]), *_powers(moving, output), *_products(moving, output)]
        yield from equations
        yield from _compared(moving, output)
        if not any(output.variable in variables(equation) for equation in equations):
            yield from _divided(moving, output)
            for column in moving:
                yield from _values(column, output)


def _powers(moving: Sequence[Column], output: Column) -> Iterator[V]:
    """The output as a linear function of a power of two, and perhaps of another input."""
    width = output.width
    for column in moving:
        if not 0 <= min(column.signed) <= max(column.signed) < EXPONENTS:
            continue
        power = build.shl(1, at_width(column, width, unsigned=True), width)
        if isinstance(power, Term):
            unsigned = tuple((1 << value) & ((1 << width) - 1) for value in column.unsigned)
            powers = Column(power, width, unsigned, tuple(to_signed(value, width) for value in unsigned))
            yield from linear([powers, output])
            for other in moving:
                if other is not column and other.width == width:
                    yield from linear([powers, other, output])


def _products(moving: Sequence[Column], output: Column) -> Iterator[V]:
    """Equations of degree 2 between the output and one or two inputs of its width."""
    usable = [column for column in moving if column.width == output.width]
    for group in (*((column,) for column in usable), *combinations(usable, 2)):
        columns = [*group, output]
        products = [m for m in monomials(len(columns), 2) if m.count(len(group)) == 0 or len(m) == 1]
        products.sort(key=lambda m: (len(group) in m, len(m)))
        for vector in fit(columns, products, surplus=2):
            if vector[-1] and holds(columns, products, vector, output.width):
                yield formula(columns, products, vector, output.width)


def _compared(moving: Sequence[Column], output: Column) -> Iterator[V]:
    """Signs, and limits by inputs: the nearest that were kept."""
    width, mask = output.width, (1 << output.width) - 1
    least, most = min(output.signed), max(output.signed)
    limits = {least, min(least, 1), min(least, 0)}
    yield from (build.sle(limit & mask, output.variable, width) for limit in sorted(limits) if abs(limit) <= NEAR)
    if most <= NEAR:
        yield build.sle(output.variable, most & mask, width)
    for column in moving:
        if column.width != width:
            continue
        distances = [b - a for a, b in zip(column.signed, output.signed, strict=True)]
        if abs(min(distances)) <= NEAR:
            yield build.sle(build.add(column.variable, min(distances) & mask, width), output.variable, width)
        if abs(max(distances)) <= NEAR:
            yield build.sle(output.variable, build.add(column.variable, max(distances) & mask, width), width)


def _divided(moving: Sequence[Column], output: Column) -> Iterator[V]:
    """The output divides an input, or is a multiple of it; sums and differences modulo a small number."""
    width = output.width
    for column in (column for column in moving if column.width == width):
        pairs = list(zip(column.unsigned, output.unsigned, strict=True))
        if len(set(output.unsigned)) > FEWEST:
            if all(b and a % b == 0 for a, b in pairs):
                yield build.eq(build.urem(column.variable, output.variable, width), 0, width)
            if all(a and b % a == 0 for a, b in pairs):
                yield build.eq(build.urem(output.variable, column.variable, width), 0, width)
        for modulus in MODULI:
            rests = {(a + b) % modulus for a, b in pairs if a + b < 1 << width}
            if len(rests) == 1:
                total = build.add(column.variable, output.variable, width)
                yield build.eq(build.urem(total, modulus, width), rests.pop(), width)


def _values(column: Column, output: Column) -> Iterator[V]:
    """The output for each value of an input that says it."""
    pairs = dict(zip(column.unsigned, output.unsigned, strict=True))
    if len(pairs) <= MOST_VALUES and all(pairs[a] == b for a, b in zip(column.unsigned, output.unsigned, strict=True)):
        for a, b in sorted(pairs.items()):
            said = build.eq(output.variable, b, output.width)
            yield build.implies(build.eq(column.variable, a, column.width), said)


# ---------------------------------------------------------------- entries


def _limits(case: _Case, numbers: frozenset[int]) -> Iterator[V]:
    """No less than zero or one; no more than numbers of the program, and powers of two."""
    for column in (column for column in case.inputs if column.variable not in variables(case.condition)):
        width, most = column.width, max(column.signed)
        yield from (build.sle(limit, column.variable, width) for limit in (0, 1) if limit <= min(column.signed))
        near = (number - k for number in numbers for k in (0, 1))
        limits = {limit for limit in near if most <= limit < 1 << (width - 1)}
        if len(set(column.unsigned)) > FEW_VALUES or case.condition != 1:
            limits |= {1 << k for k in range(width - 1) if most <= 1 << k}
        yield from (build.sle(column.variable, limit, width) for limit in sorted(limits))


SOURCE = GuessSource(
    "recursive_contracts", 0, "what recursive functions make of their arguments, by cases of few values", _guesses, MOST
)
