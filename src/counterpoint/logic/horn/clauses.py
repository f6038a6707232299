"""The program as constrained Horn clauses: one relation per place of the cut graph.

A relation holds of the values that the components of its place have on some run. A clause says which values
follow: `head <- body and formula`; without a head, that a check fails. The relations' interpretations in a
model of all clauses are inductive invariants (at a function's entry its precondition, at its EXIT the postcondition).

Source: one relation per loop head over live, relevant variables; functions by a reached-call relation and a
summary, as in [Spacer: Komuravelli, Gurfinkel, Chaki, CAV 2014].
Deviation: a call made on some paths of a region only is one atom with a guard, not a case split: the summary has a
Boolean argument and holds of everything where that is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.regions.instance import Instance
from counterpoint.regions.pointees import pointees
from counterpoint.semantics.components import RegisterValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, array_indices, ghosts, instances
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, Float
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, reachable_outside, substitute_all, variables

MAX_INDICES = 16
"""Array indices of a clause for which facts with ghosts are assumed."""


@dataclass(frozen=True, slots=True)
class Atom:
    """The relation of `place` holds of `values`, one per argument; at an EXIT only where `guard` is true."""

    place: Place
    arguments: tuple[Term, ...]
    values: tuple[V, ...]
    guard: V = 1


@dataclass(frozen=True, slots=True)
class Clause:
    """`head` (None: a failure) follows from `body` and `formula`, for all values of their variables."""

    head: Atom | None
    body: tuple[Atom, ...]
    formula: V

    def roots(self) -> Iterator[V]:
        """Every term in the clause."""
        yield self.formula
        for atom in (*self.body, *([self.head] if self.head else [])):
            yield from atom.values
            yield atom.guard


@dataclass(frozen=True, slots=True)
class Horn:
    """`relations` gives each place its arguments: variables of components, no floats."""

    relations: Mapping[Place, tuple[Term, ...]]
    clauses: tuple[Clause, ...]


def horn_clauses(graph: CutGraph, known: Iterable[Fact] = (), *, scalars: bool = False) -> Horn:
    """The clauses of all regions from which a failing check can be reached, over the components that matter there.

    Bodies assume the `known` facts: then a model of the clauses is inductive together with them. Facts with ghosts are
    assumed with `scalars` only, for the indices at hand. Linear in the regions' formulas, times the depth of the
    dependences between places.

    `scalars`: relations speak of no arrays, but of what pointers point to (regions/pointees.py). This leaves out what
    memory has elsewhere: more runs, never fewer.
    """
    symbols = Symbols()
    drafts = [draft for region in graph.regions for draft in _drafts(region, symbols)]
    drafts = [_knowing(draft, tuple(known), graph, scalars) for draft in _towards_failure(drafts)]
    if scalars:
        drafts = [_over_scalars(draft, graph) for draft in drafts]
    valued = _valued(graph, drafts, scalars)
    relevant = _relevant(graph, drafts, valued, symbols)
    relations = {place: tuple(v for v in arguments if v in relevant[place]) for place, arguments in valued.items()}
    return Horn(relations, tuple(_finished(draft, relations, symbols) for draft in drafts))


# ---------------------------------------------------------------- clauses with all components


@dataclass(frozen=True, slots=True)
class _Part:
    place: Place
    values: Mapping[Term, V]
    guard: V = 1


@dataclass(slots=True)
class _Draft:
    """A clause before it is known which components matter. `assumed` and `known` hold on every run."""

    head: _Part | None
    body: tuple[_Part, ...]
    formula: V
    assumed: tuple[V, ...]
    known: tuple[V, ...] = ()


def _drafts(region: Region, symbols: Symbols) -> Iterator[_Draft]:
    start = () if region.start == START else (_Part(region.start, region.start_values.values),)
    calls = [way for way in region.ways if not way.leaves]
    for position, way in enumerate(calls):
        yield _draft(region, start, way, calls[:position])
    for way in region.ways:
        if way.leaves:
            yield _draft(region, start, way, calls)
    failing = [f.formula for f in region.failures] + [b.formula for b in region.blocks]
    groups: dict[tuple[int, ...], list[V]] = {}
    for formula in failing:
        groups.setdefault(_calls_before(formula, calls, symbols), []).append(formula)
    for earlier, formulas in groups.items():
        formula = build.disjunction(formulas)
        if formula != 0:
            made = _returned(formula, [calls[k] for k in earlier])
            yield _Draft(None, (*start, *made), formula, region.assumed)


def _draft(region: Region, start: tuple[_Part, ...], way: Way, before: Sequence[Way]) -> _Draft:
    head = _Part(way.target, way.values.values)
    return _Draft(head, (*start, *_returned(way.formula, before)), way.formula, region.assumed)


def _returned(formula: V, calls: Iterable[Way]) -> Iterator[_Part]:
    """What the calls leave behind where they are made; `formula` may tell that they are."""
    for call in calls:
        both = build.and_(formula, call.formula)
        if both != 0:
            assert call.returned is not None
            guard = 1 if both == formula else call.formula
            yield _Part((call.target[0], EXIT), call.returned.values, guard)


def _calls_before(formula: V, calls: Sequence[Way], symbols: Symbols) -> tuple[int, ...]:
    """Calls that were surely made before what `formula` speaks of, where they are made at all.

    Soundness: behind a call that never returns everything holds, so a call that may come later must not be
    among them. A formula that mentions a call's results speaks of a later point.
    """
    found: list[int] = []
    mentioned = symbols.of([formula])
    names = {str(variable.payload) for variable in variables(formula)}
    for position in range(len(calls) - 1, -1, -1):
        call = calls[position]
        assert call.returned is not None
        values = [call.formula, *call.values.values.values()]
        before = symbols.of(values)
        if symbols.of(call.returned.values.values()) & ~before & mentioned or names & _made_by(call, names):
            found.append(position)
            mentioned |= before
            names |= {str(variable.payload) for variable in variables(*values)}
    return tuple(reversed(found))


def _made_by(call: Way, names: Iterable[str]) -> set[str]:
    """Those of the variables that the call made: the caller's objects are read back into variables of their own."""
    assert call.returned is not None
    before = set(variables(call.formula, *call.values.values.values()))
    new = [v for v in variables(*call.returned.values.values()) if v not in before]
    calls = {label for v in new if (label := str(v.payload).partition(".")[0]).startswith("call")}
    return {name for name in names if name.partition(".")[0] in calls}


def _towards_failure(drafts: list[_Draft]) -> list[_Draft]:
    """The clauses that a failure can depend on."""
    places: set[Place] = set()
    while True:
        used = [draft for draft in drafts if draft.head is None or draft.head.place in places]
        reached = {part.place for draft in used for part in draft.body}
        if reached <= places:
            return used
        places |= reached


def _knowing(draft: _Draft, known: tuple[Fact, ...], graph: CutGraph, scalars: bool) -> _Draft:
    """With what the facts say where the clause's atoms are; with `scalars`, those with ghosts too."""
    found: list[V] = []
    indices: list[V] = []
    if scalars and any(ghosts(fact.formula) for fact in known):
        parts = (*draft.body, *([draft.head] if draft.head else []))
        read = [value for part in parts for value in _with_pointees(part, graph).values.values()]
        indices = array_indices([draft.formula, *read], graph.program.layout.pointer_bits)[:MAX_INDICES]
    for part in draft.body:
        values = Instance(part.values)
        for fact in known:
            if fact.place != part.place or not values.covers(fact.formula):
                continue
            if not ghosts(fact.formula) or indices:
                meant = instances(values.of(fact.formula), indices)
                found += (build.implies(part.guard, one) for one in meant)
    return replace(draft, known=tuple(found))


def _over_scalars(draft: _Draft, graph: CutGraph) -> _Draft:
    head = None if draft.head is None else _with_pointees(draft.head, graph)
    return replace(draft, head=head, body=tuple(_with_pointees(part, graph) for part in draft.body))


def _with_pointees(part: _Part, graph: CutGraph) -> _Part:
    """The values of pointees, where they have one."""
    values, found = Instance(part.values), dict(part.values)
    for term in _pointee_terms(graph, part.place):
        if values.covers(term):
            found[term] = values.of(term)
    return replace(part, values=found)


def _pointee_terms(graph: CutGraph, place: Place) -> list[Term]:
    """What the place's pointers point to, and pointed to at the entry."""
    known = pointees(graph, place)
    terms = (term for pointee in known for term in (pointee.now, pointee.old) if term is not None)
    return list(dict.fromkeys(terms))


# ---------------------------------------------------------------- which components matter


def _valued(graph: CutGraph, drafts: Iterable[_Draft], scalars: bool) -> dict[Place, tuple[Term, ...]]:
    """The components (and pointees, but no arrays) that have a value wherever a clause speaks of the place."""
    bits = graph.program.layout.pointer_bits
    found: dict[Place, list[Term]] = {}
    for draft in drafts:
        for part in (*draft.body, *([draft.head] if draft.head else [])):
            known = found.get(part.place)
            if known is None:
                known = [variable_of(component, bits) for component in graph.components(part.place)]
                if scalars:
                    known += _pointee_terms(graph, part.place)
                    known = [v for v in known if not isinstance(v.sort, ArraySort)]
                known = [v for v in dict.fromkeys(known) if not isinstance(v.sort, Float)]
            found[part.place] = [v for v in known if v in part.values]
    return {place: tuple(found[place]) for place in sorted(found)}


def _relevant(
    graph: CutGraph, drafts: Sequence[_Draft], known: Mapping[Place, tuple[Term, ...]], symbols: Symbols
) -> dict[Place, set[Term]]:
    """Backwards: what formulas mention, and what relevant components at the target are computed from."""
    relevant: dict[Place, set[Term]] = {place: set() for place in known}
    while True:
        before = sum(map(len, relevant.values()))
        for draft in drafts:
            need = symbols.of([draft.formula, *(part.guard for part in draft.body)])
            if draft.head is not None:
                wanted = relevant[draft.head.place]
                need |= symbols.of(draft.head.values[v] for v in known[draft.head.place] if v in wanted)
            need = _closed(need, draft, symbols)
            for part in draft.body:
                need |= _required(graph, part, need, known[part.place], relevant[part.place], symbols)
        if sum(map(len, relevant.values())) == before:
            return relevant


def _required(
    graph: CutGraph, part: _Part, need: int, known: tuple[Term, ...], relevant: set[Term], symbols: Symbols
) -> int:
    """Adds to `relevant` the arguments of the atom that say something about `need`; the symbols of all of them.

    What a call returns depends on its parameters, so these are relevant where anything is.
    """
    found = 0
    for variable in known:
        mask = symbols.of([part.values[variable]])
        if variable in relevant or mask & need:
            relevant.add(variable)
            found |= mask
    if part.place[1] == EXIT and relevant:
        parameters = _parameters(graph, part.place[0])
        for variable in known:
            if variable in parameters:
                relevant.add(variable)
                found |= symbols.of([part.values[variable]])
    return found


def _parameters(graph: CutGraph, function: str) -> set[Term]:
    bits = graph.program.layout.pointer_bits
    registers = graph.program.functions[function].parameters
    return {variable_of(RegisterValue(function, register), bits) for register in registers}


def _closed(need: int, draft: _Draft, symbols: Symbols) -> int:
    """`need` with the symbols of all assumptions that are connected to it."""
    while True:
        before = need
        for fact in draft.assumed:
            mask = symbols.of([fact])
            if mask & need:
                need |= mask
        if need == before:
            return need


class Symbols:
    """Which variables and addresses values are built of, as masks; each term is looked at once."""

    def __init__(self) -> None:
        self._masks: dict[Term, int] = {}
        self._count = 0

    def of(self, values: Iterable[V]) -> int:
        values = [value for value in values if isinstance(value, Term)]
        masks = self._masks
        for term in reachable_outside(values, masks):
            if term.op is Op.VARIABLE or term.op is Op.ADDRESS:
                masks[term] = 1 << self._count
                self._count += 1
                continue
            mask = 0
            for arg in term.args:
                if isinstance(arg, Term):
                    mask |= masks[arg]
            masks[term] = mask
        found = 0
        for value in values:
            found |= masks[value]  # type: ignore[index]
        return found


# ---------------------------------------------------------------- the end


def _finished(draft: _Draft, relations: Mapping[Place, tuple[Term, ...]], symbols: Symbols) -> Clause:
    """The clause over the relations' arguments, with the assumptions that touch it, without floats."""

    def atom(part: _Part) -> Atom:
        arguments = relations[part.place]
        return Atom(part.place, arguments, tuple(part.values[v] for v in arguments), part.guard)

    head = None if draft.head is None else atom(draft.head)
    clause = Clause(head, tuple(atom(part) for part in draft.body), draft.formula)
    need = _closed(symbols.of(clause.roots()), draft, symbols)
    assumed = [fact for fact in draft.assumed if symbols.of([fact]) & need]
    assumed += (fact for fact in draft.known if not symbols.of([fact]) & ~need)
    return without_floats(replace(clause, formula=build.conjunction([draft.formula, *assumed])))


def without_floats(clause: Clause) -> Clause:
    """Each float comparison or conversion is an arbitrary value instead: more runs, never fewer."""
    unknown: dict[Term, V] = {}
    for term in reachable(clause.roots()):
        if not isinstance(term.sort, Float) and any(_is_float(arg) for arg in term.args):
            unknown[term] = build.variable(f"float!{term.index}", term.sort)
    if not unknown:
        return clause
    replaced = iter(substitute_all(list(clause.roots()), unknown))
    formula = next(replaced)
    atoms = [
        replace(atom, values=tuple(next(replaced) for _ in atom.values), guard=next(replaced))
        for atom in (*clause.body, *([clause.head] if clause.head else []))
    ]
    head = atoms.pop() if clause.head else None
    return Clause(head, tuple(atoms), formula)


def _is_float(value: V) -> bool:
    return isinstance(value, Term) and isinstance(value.sort, Float)
