"""What functions make of the values that they were entered with: of globals, and of what their pointers point to.

Linear equations between numbers now, at the entry, and their differences, and with powers of two where there are none;
differences of differences that take few values; values that changed places. Each also for the visits at which two
pointers are equal, and at which they are not. At entries: that arguments are not negative, or positive.

Source: Daikon's orig() variables and splitting conditions (Ernst et al., The Daikon system, 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import values_of
from counterpoint.invariants.fitting import linear
from counterpoint.invariants.samples import Column, at_width, numeric, once, to_signed
from counterpoint.program.types import PointerType
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.pointees import old_cells, pointees
from counterpoint.semantics.components import Base, RegisterValue, ResultValue, variable_of
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

MOST = 150
"""Facts per place."""

MOST_REGISTERS = 6
MOST_PAIRS = 8
"""Numbers of one place, and pairs of a value and its entry value, that are related."""

MOST_SPLITS = 3
"""Pairs of pointers by which the visits of a place are divided."""

FEWEST = 3
"""Visits on either side."""

MOST_VALUES = 3
"""Values of a difference, and ways to change places, that are told apart."""


@dataclass(frozen=True, slots=True)
class EntryValues:
    """See the module's docstring."""

    name: str = "entry_values"
    stage: int = 0
    summary: str = "Linear equations with entry values of globals and pointees, split by aliasing (Daikon's orig)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for place in context.graph.cuts:
            if context.graph.cuts[place].by_contract and context.budget.remaining() > 0:
                yield from once((Fact(*place, formula) for formula in _of_place(context, place)), MOST)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The columns of one place: registers, those of them that are `results`, and values with what they were."""

    registers: tuple[Column, ...]
    pairs: tuple[tuple[Column, Column | None], ...]
    results: frozenset[Term] = frozenset()

    def at(self, rows: Sequence[int]) -> _Numbers:
        pairs = tuple((now.at_visits(rows), old and old.at_visits(rows)) for now, old in self.pairs)
        return _Numbers(tuple(column.at_visits(rows) for column in self.registers), pairs, self.results)


def _of_place(context: Context, place: Place) -> Iterator[V]:
    visits = context.snapshots.at.get(place, ())
    numbers, known = _numbers(context, place, visits)
    if place[1] == 0:
        yield from _signs(numbers.registers)
    if not known or not (numbers.pairs or numbers.results):
        return
    always: dict[V, None] = {}
    for formula in _related(numbers):
        always[formula] = None
        yield formula
    for condition, truth in splits(context, place, visits):
        for wanted in (True, False):
            rows = [number for number, row in enumerate(known) if truth[row] is wanted]
            for formula in _related(numbers.at(rows)):
                if formula not in always:
                    yield _under(condition, wanted, formula)


def _under(condition: Term, wanted: bool, formula: V) -> V:
    """Where the equality is `wanted`, the formula holds: said without choices that it decides."""
    one, two = condition.args
    known: dict[Term, V] = {condition: int(wanted)}
    if wanted and isinstance(one, Term) and isinstance(two, Term):
        known[one if one.op is Op.VARIABLE and not str(one.payload).startswith("&") else two] = (
            two if one.op is Op.VARIABLE and not str(one.payload).startswith("&") else one
        )
    simpler = substitute(substitute(formula, {condition: int(wanted)}), known)
    return build.or_(build.not_(condition) if wanted else condition, simpler)


def _numbers(context: Context, place: Place, visits: Sequence[Snapshot]) -> tuple[_Numbers, list[int]]:
    """The columns, at those visits at which all that they are about is known, and these."""
    bits = context.graph.program.layout.pointer_bits
    registers = [
        (variable_of(component, bits), width)
        for component, width in numeric(context, place)
        if isinstance(component, RegisterValue | ResultValue)
    ][:MOST_REGISTERS]
    pairs = related_values(context, place)
    both = [(term, width) for now, old, width in pairs for term in (now, old) if term is not None]
    wanted = dict([*registers, *both])
    known = {term: values for term in wanted if _mostly(values := values_of(term, visits))}
    rows = [row for row in range(len(visits)) if all(values[row] is not None for values in known.values())]
    columns = {term: _column(term, wanted[term], [values[row] for row in rows]) for term, values in known.items()}
    seen = [(columns[now], None if old is None else columns.get(old)) for now, old, _ in pairs if now in columns]
    plain = tuple(columns[term] for term, _ in registers if term in columns)
    results = {variable_of(c, bits) for c in context.graph.components(place) if isinstance(c, ResultValue)}
    return _Numbers(plain, tuple(seen[:MOST_PAIRS]), frozenset(results)), rows


def _mostly(values: Sequence[int | None]) -> bool:
    """Known at most visits."""
    return 2 * values.count(None) < len(values)


def _column(term: Term, width: int, values: Sequence[int]) -> Column:
    return Column(term, width, tuple(values), tuple(to_signed(value, width) for value in values))


def related_values(context: Context, place: Place) -> list[tuple[Term, Term | None, int]]:
    """(value, at the entry, bits) of cells that the function may change, and of pointees that are no pointers."""
    found: dict[Term, tuple[Term, Term | None, int]] = {}
    for now, old in old_cells(context.graph, place):
        assert isinstance(now.sort, BitVec)
        found[now] = now, old, now.sort.width
    for pointee in pointees(context.graph, place):
        if not pointee.pointer:
            found.setdefault(pointee.now, (pointee.now, pointee.old, pointee.bits))
    return [one for one in found.values() if one[2] in (8, 16, 32, 64)]


def _related(numbers: _Numbers) -> Iterator[V]:
    """Between registers and changes; then, of values not yet related, registers and values now; and the entry's."""
    registers = list(numbers.registers)
    changes = [change for now, old in numbers.pairs if (change := _change(now, old)) is not None]
    found: dict[V, None] = {}
    found.update(dict.fromkeys(linear([*registers, *changes])))
    known = frozenset(reachable(found))
    nows = [now for now, old in numbers.pairs if now.variable not in known or (old is not None and old.constant)]
    found.update(dict.fromkeys(linear([*registers, *nows])))
    found.update(dict.fromkeys(_few_values(changes)))
    found.update(dict.fromkeys(_changed_places(numbers)))
    mentioned = frozenset(reachable(found))
    unrelated = [change for change in changes if mentioned.isdisjoint(variables(change.variable))]
    found.update(dict.fromkeys(_powers(numbers, unrelated)))
    left = [pair for pair in numbers.pairs if pair[1] is not None and pair[0].variable not in mentioned]
    found.update(dict.fromkeys(linear([*registers, *(column for pair in left for column in pair if column)])))
    yield from found


def _change(now: Column, old: Column | None) -> Column | None:
    """The value less what it was."""
    if old is None or old.width != now.width:
        return None
    term = build.sub(now.variable, old.variable, now.width)
    if not isinstance(term, Term):
        return None
    half, mask = 1 << (now.width - 1), (1 << now.width) - 1
    unsigned = tuple((a - b) & mask for a, b in zip(now.unsigned, old.unsigned, strict=True))
    return Column(term, now.width, unsigned, tuple((a ^ half) - half for a in unsigned))


def _powers(numbers: _Numbers, changes: Sequence[Column]) -> Iterator[V]:
    """Changes and results, each as a linear function of a power of two."""
    unknown = [*changes, *(column for column in numbers.registers if column.variable in numbers.results)]
    for register in numbers.registers:
        values = set(register.signed)
        if register.variable in numbers.results or len(values) < FEWEST or not 0 <= min(values) <= max(values) < 64:
            continue
        for column in unknown:
            width = column.width
            exponent = at_width(register, width, unsigned=True)
            power = build.shl(1, exponent, width)
            if isinstance(power, Term):
                unsigned = tuple((1 << value) & ((1 << width) - 1) for value in register.unsigned)
                signed = tuple(to_signed(value, width) for value in unsigned)
                yield from linear([Column(power, width, unsigned, signed), column])


def _signs(registers: Sequence[Column]) -> Iterator[V]:
    for column in registers:
        if column.signed and min(column.signed) in (0, 1):
            yield build.sle(min(column.signed), column.variable, column.width)


def _few_values(changes: Sequence[Column]) -> Iterator[V]:
    """x - y is one of few numbers, for changes x and y."""
    for one, two in combinations(changes, 2):
        if one.width != two.width:
            continue
        mask = (1 << one.width) - 1
        seen = {(a - b) & mask for a, b in zip(one.unsigned, two.unsigned, strict=True)}
        if 1 < len(seen) <= MOST_VALUES < len(set(one.unsigned)):
            difference = build.sub(one.variable, two.variable, one.width)
            yield build.disjunction(build.eq(difference, value, one.width) for value in sorted(seen))


def _changed_places(numbers: _Numbers) -> Iterator[V]:
    """Two values are what two values were, in one of few ways."""
    both = [(now, old) for now, old in numbers.pairs if old is not None]
    for (now, old), (other, before) in combinations(both, 2):
        if now.width == other.width:
            yield from _permuted((now, other), (old, before, *numbers.registers))


def _permuted(now: tuple[Column, Column], before: Sequence[Column]) -> Iterator[V]:
    """The least sets of equations, of which each visit fulfils one."""
    before = [column for column in before if column.width == now[0].width]
    rows: set[frozenset[tuple[int, int]]] = set()
    for row in range(len(now[0].unsigned)):
        same = [(k, j) for k in (0, 1) for j, old in enumerate(before) if now[k].unsigned[row] == old.unsigned[row]]
        rows.add(frozenset(same))
    least = [row for row in rows if not any(other < row for other in rows)]
    if 1 < len(least) <= MOST_VALUES and all({k for k, _ in row} == {0, 1} for row in least):
        ways = sorted(sorted(row) for row in least)
        yield build.disjunction(
            build.conjunction(build.eq(now[k].variable, before[j].variable, now[k].width) for k, j in way)
            for way in ways
        )


# ---------------------------------------------------------------- equal pointers


def splits(context: Context, place: Place, visits: Sequence[Snapshot]) -> list[tuple[Term, list[bool | None]]]:
    """Equalities between pointers, and of them to globals, that hold at some visits only, with these (None: not known);
    each of them divides the visits in another way."""
    bits = context.graph.program.layout.pointer_bits
    registers: list[Term] = []
    bases: list[Term] = []
    for component in context.graph.components(place):
        match component:
            case RegisterValue(_, register) if isinstance(register.type, PointerType):
                registers.append(variable_of(component, bits))
            case Base():
                bases.append(variable_of(component, bits))
    pairs = [*combinations(registers, 2), *((register, base) for register in registers for base in bases)]
    found: list[tuple[Term, list[bool | None]]] = []
    for one, two in pairs:
        condition = build.eq(one, two, bits)
        if not isinstance(condition, Term):
            continue
        truth = values_of(condition, visits)
        other = [None if value is None else not value for value in truth]
        alike = any(before in (truth, other) for _, before in found)
        if truth.count(True) >= FEWEST and truth.count(False) >= FEWEST and not alike:
            found.append((condition, truth))
    return found[:MOST_SPLITS]


SOURCE = EntryValues()
