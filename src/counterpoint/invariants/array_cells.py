"""What loops say about single cells of arrays, with the index generalised to a ghost.

An access `a[f(x)]` of a region, where f is affine in a variable x, is one about cell g of `a` once x is replaced by
the inverse of f at g. So a store `a[x] := e(x)` is the property `a[g] == e(g)`, and a test of `a[x]` one of `a[g]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.core.records import dataclass
from counterpoint.logic.atoms import atoms, both_ways, literals, relaxed
from counterpoint.logic.loop_shape import leaves
from counterpoint.regions.cut_graph import START, CutGraph, Region, Way
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

MAX_ACCESSES = 24
"""Different indices of one region that are generalised."""

MAX_TESTS = 80
"""Conditions of one region that are looked at."""

UNITS = (1, 2, 4, 8)
"""By how much x grows when the index grows by 1: 1 for indices, sizes of elements for pointers."""


@dataclass(frozen=True, slots=True)
class Index:
    """`term` (as wide as a pointer) is `slope * x / unit + a term without x`; slope is not 0, and 1 or -1 if the
    unit is not 1."""

    term: Term
    x: Term
    slope: int
    unit: int

    def at(self, value: V) -> V:
        """The index for another value of x."""
        return substitute(self.term, {self.x: value})


def without_invalid_reads(values: Iterable[V]) -> list[V]:
    """The values on runs whose reads are all valid: what an invalid read, or one of memory that is no object of the
    program's, would give is dropped from choices."""
    values = list(values)
    done: dict[Term, V] = {}
    for term in reachable(values):
        args: list[V] = [arg if isinstance(arg, int) else done[arg] for arg in term.args]
        if term.op is Op.ITE and _invalid(term.args[1]):
            done[term] = args[2]
        elif term.op is Op.ITE and _invalid(term.args[2]):
            done[term] = args[1]
        else:
            changed = any(new is not old for new, old in zip(args, term.args, strict=True))
            done[term] = rebuild(term, args) if changed else term
    return [value if isinstance(value, int) else done[value] for value in values]


def _invalid(value: V) -> bool:
    if not isinstance(value, Term):
        return False
    if value.op is Op.SELECT and isinstance(value.args[0], Term):
        return value.args[0].op is Op.VARIABLE and "external memory" in str(value.args[0].payload)
    return value.op is Op.VARIABLE and str(value.payload).startswith("invalid-read")


# ---------------------------------------------------------------- indices


def accesses(terms: Iterable[V], pointer_bits: int) -> list[tuple[Term, V]]:
    """(SELECT or STORE, its index) of all arrays indexed by pointer-wide values, bottom-up."""
    found: list[tuple[Term, V]] = []
    for term in reachable(terms):
        if term.op in (Op.SELECT, Op.STORE):
            array = term.args[0]
            if isinstance(array, Term) and isinstance(array.sort, ArraySort) and array.sort.index == pointer_bits:
                found.append((term, term.args[1]))
    return found


def indices(term: V) -> list[Index]:
    """The ways to see a term as an affine index; one for each variable in which it is one."""
    if not isinstance(term, Term):
        return []
    found: list[Index] = []
    for x in variables(term)[:6]:
        if isinstance(x.sort, BitVec):
            form = _affine(term, x)
            if form is not None:
                found.append(Index(term, x, *form))
    return found


def _affine(term: Term, x: Term) -> tuple[int, int] | None:
    """(slope, unit), found and checked on a few values of x and the other variables."""
    assert isinstance(term.sort, BitVec)
    names = [str(v.payload) for v in variables(term)]
    half, mask = 1 << (term.sort.width - 1), term.sort.mask

    def at(value: int, others: int) -> int:
        given = {name: others * (k + 3) for k, name in enumerate(names)}
        result = evaluate(term, given | {str(x.payload): value})
        assert isinstance(result, int)
        return result

    for unit in UNITS:
        slope = (at(1024 + unit, 64) - at(1024, 64)) & mask
        points = ((1024, 64), (2048, 64), (4096, 128), (1024, 320))
        if slope == 0 or any((at(v + unit, o) - at(v, o)) & mask != slope for v, o in points):
            continue
        signed = (slope ^ half) - half
        if unit == 1 or abs(signed) == 1:
            return signed, unit
    return None


def solved(index: Index, cell: Term) -> tuple[V, V]:
    """(x such that the index is `cell`, the condition under which there is one)."""
    assert isinstance(index.x.sort, BitVec) and isinstance(cell.sort, BitVec)
    bits, width = cell.sort.width, index.x.sort.width
    far = build.sub(cell, index.at(0), bits)
    size = abs(index.slope)
    if index.slope < 0:
        far = build.neg(far, bits)
    whole: V = 1 if size == 1 else build.eq(build.urem(far, size, bits), 0, bits)
    steps = build.mul(far if size == 1 else build.udiv(far, size, bits), index.unit, bits)
    narrow = build.extract(width - 1, 0, steps, bits) if width < bits else steps
    return (build.zext(narrow, bits, width) if width > bits else narrow), whole


def generalised(formula: V, index: Index | V, cell: Term) -> V:
    """The formula about cell `cell`, where the index's variable takes the value that reaches it."""
    if not isinstance(index, Index):
        return substitute(formula, {index: cell}) if isinstance(index, Term) else _at_constant(formula, index, cell)
    x, whole = solved(index, cell)
    return build.implies(whole, substitute(formula, {index.term: cell, index.x: x}))


def _at_constant(formula: V, index: int, cell: Term) -> V:
    mapping: dict[Term, V] = {}
    for term in reachable((formula,)):
        if term.op is Op.SELECT and term.args[1] == index and isinstance(term.args[0], Term):
            mapping[term] = build.select(term.args[0], cell)
    return substitute(formula, mapping)


# ---------------------------------------------------------------- properties


def properties(graph: CutGraph, region: Region) -> Iterator[V]:
    """Facts about one cell, ghost 0, that the region's checks, stores and tests suggest, over its components."""
    bits = graph.program.layout.pointer_bits
    cell = ghost(0, bits)
    if region.start == START:
        return
    for formula in _suggested(region, bits):
        for index in _choices(formula, bits):
            fact = region.start_values.back(generalised(formula, index, cell))
            if fact is not None and cell in variables(fact):
                yield fact


def written(graph: CutGraph, region: Region) -> Iterator[tuple[Term, V]]:
    """(array, what a store of the region puts into its cell ghost 0), over components at the region's start.

    Only stores through indices with slope 1 or -1; the value may mention the cell as it was before.
    """
    bits = graph.program.layout.pointer_bits
    cell = ghost(0, bits)
    arrays = region.start_values.values
    for way in region.ways:
        for component, value in way.values.values.items():
            if not isinstance(component.sort, ArraySort) or value is arrays.get(component):
                continue
            stores = _stores(*without_invalid_reads((value,)))
            for stored in (stored for store, _ in stores for stored in _stored_at(store, cell)):
                fact = region.start_values.back(stored)
                if fact is not None:
                    yield component, fact


def _stored_at(store: Term, cell: Term) -> Iterator[V]:
    """What a store puts into a cell, if that is the one that it writes and it changes it."""
    here = build.select(store.args[0], store.args[1]) if isinstance(store.args[0], Term) else 0
    for index in indices(store.args[1]):
        x, whole = solved(index, cell)
        for leaf in leaves(store.args[2]) or () if whole == 1 else ():
            if leaf is not here:
                yield substitute(leaf, {index.term: cell, index.x: x})


def _choices(formula: V, bits: int) -> list[Index | V]:
    """All ways to generalise one access of the formula."""
    found: dict[Index | V, None] = {}
    for _, term in accesses((formula,), bits):
        ways = indices(term)
        found.update((index, None) for index in ways)
        if not ways or not isinstance(term, Term):
            found[term] = None
    return list(found)[:MAX_ACCESSES]


def _suggested(region: Region, bits: int) -> Iterator[V]:
    """Conditions over the region's variables that mention single cells, the likeliest first."""
    failing = without_invalid_reads(failure.formula for failure in region.failures)
    for formula in failing:
        for literal in literals(formula):
            if accesses((literal,), bits):
                yield build.not_(literal)
    for way in region.ways:
        yield from _stored(region, way)
    terms = [value for way in region.ways for value in (way.formula, *way.values.values.values())]
    tests = [atom for atom in atoms(without_invalid_reads([*failing, *terms])) if accesses((atom,), bits)]
    for atom in tests[:MAX_TESTS]:
        yield from (atom, build.not_(atom)) if atom.op is Op.EQ else both_ways(atom)


def _stored(region: Region, way: Way) -> Iterator[V]:
    """For each store on the way: the cell has the stored value, or one of its choices, or what was tested of it."""
    for component, value in way.values.values.items():
        if not isinstance(component.sort, ArraySort) or value is region.start_values.values.get(component):
            continue
        array = region.start_values.values.get(component)
        if not isinstance(array, Term):
            continue
        (clean,) = without_invalid_reads((value,))
        (path,) = without_invalid_reads((way.formula,))
        for store, under in _stores(clean):
            index, stored = store.args[1], store.args[2]
            here = build.select(array, index)
            yield from _about(here, stored, [*under, *literals(path)], array)


def _stores(value: V) -> Iterator[tuple[Term, list[V]]]:
    """The STOREs of a value, with the literals of the choices that lead to them."""
    stack: list[tuple[V, list[V]]] = [(value, [])]
    seen: set[Term] = set()
    while stack:
        term, under = stack.pop()
        if not isinstance(term, Term) or term in seen:
            continue
        seen.add(term)
        if term.op is Op.STORE:
            yield term, under
            stack.append((term.args[0], under))
        elif term.op is Op.ITE:
            condition = term.args[0]
            stack.append((term.args[2], [*under, *literals(build.not_(condition))]))
            stack.append((term.args[1], [*under, *literals(condition)]))


def _about(here: V, stored: V, held: list[V], array: Term) -> Iterator[V]:
    width = array.sort.element if isinstance(array.sort, ArraySort) else 0
    choices = [leaf for leaf in leaves(stored) or [stored] if leaf is not here]
    for leaf in choices:
        yield build.eq(here, leaf, width)
    if len(choices) > 1:
        yield build.eq(here, stored, width)
        yield build.disjunction(build.eq(here, leaf, width) for leaf in choices)
    for condition in held:
        for leaf in choices:
            if isinstance(leaf, Term) and leaf in reachable((condition,)):
                for weaker in relaxed(condition):
                    yield substitute(weaker, {leaf: here})
            elif not isinstance(leaf, Term) or not accesses((condition,), 0):
                yield build.implies(condition, build.eq(here, leaf, width))
