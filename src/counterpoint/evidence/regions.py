"""What runs do between two cut points: the checker's own walk of one acyclic region.

The region (evidence/walk.py) ends at the places of its function, all loop heads among them, and at the function's
end; calls of functions without loops or recursion are walked, the others go by contract.

All that happens is numbered by the contract calls walked *before* it: to show that a call's precondition or a
check holds, only the postconditions of earlier calls may be used. A contract that is not fulfilled yet must not
excuse what comes before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.evidence.places import START, Place, Places
from counterpoint.evidence.walk import Node, Walk
from counterpoint.program import model as m
from counterpoint.semantics import beliefs, framing, losses, strays
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.arrays import definitions
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.contracts import call_by_contract
from counterpoint.semantics.cutpoint import EXIT, CutPoint, arbitrary_state, cut_point, first_state, value_of
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State, read
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V

Values = Mapping[Term, V]
"""Components' values by the components' variables. Components without a value are absent."""

Wanted = Callable[[Place], Mapping[Term, Component]]
"""The components whose values are needed at a place, by variable."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Runs where `guard` holds get to `target`; components have `values` there."""

    target: Place
    guard: V
    values: Values
    earlier: int


@dataclass(frozen=True, slots=True)
class ContractCall:
    """Runs where `guard` holds call `callee` by its contract, or come to the loop's `head` in it, which is framed. Its
    number is its place in Region.calls."""

    callee: str
    guard: V
    before: Values
    after: Values
    head: int = 0

    @property
    def entry(self) -> Place:
        """Where facts are shown of `before`."""
        return (self.callee, self.head)

    @property
    def behind(self) -> Place:
        """Where facts are known of `after`."""
        return (self.callee, self.head or EXIT)


@dataclass(frozen=True, slots=True)
class Claim:
    """No run may fulfil `formula`: it fails a check, or meets something without a meaning (`what`)."""

    what: str
    formula: V
    earlier: int


FEW_OBJECTS = 32
"""Of more, only those are placed that a question talks about: the axioms are as many as the pairs of them."""


@dataclass(slots=True)
class Region:
    """All runs from a state at `start`, where components have the values `begin`, to the next places."""

    start: Place
    world: World
    begin: Values
    arrivals: list[Arrival] = field(default_factory=list)
    calls: list[ContractCall] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    instructions: int = 0

    def axioms(self, formulas: Sequence[V]) -> list[V]:
        """What holds on every run, as far as the formulas talk about it, and where the objects of the region lie, if
        these are few: that the next one lies above them all is known of those that no formula talks about, too."""
        known = [*self.world.axioms, *definitions(self.world, formulas)]
        indices = {o.index for o in self.world.objects} if len(self.world.objects) <= FEW_OBJECTS else set()
        for formula in (*formulas, *known):
            indices |= mentioned_objects(formula)
        return [axiom for axiom in (*known, *address_axioms(self.world, indices)) if axiom != 1]


def region(places: Places, start: Place, wanted: Wanted, granules: dict[str, int], budget: Budget) -> Region:
    """Walks the region that begins at `start`. Linear in its instructions.

    Raises OutOfBudget; GranuleConflict when it has to be done again with the granules as they are then.
    """
    program = places.program
    world = World(program, granules)
    if start == START:
        cut = cut_point(places.points, program.entry, 0)
        state = first_state(world, cut)
        begin: Values = {}
    else:
        cut = places.cuts[start]
        state = arbitrary_state(world, cut)
        begin = _values(wanted(start), cut, state, ())
    ends = _RegionEnds(places, Region(start, world, begin), wanted, state)
    walk = Walk(world, ends, budget)
    walk.run(cut.function, cut.block, state)
    ends.region.instructions = walk.instructions
    return ends.region


def _values(components: Mapping[Term, Component], cut: CutPoint, state: State, results: tuple[V, ...]) -> Values:
    found: dict[Term, V] = {}
    for variable, component in components.items():
        try:
            found[variable] = value_of(component, cut, state, results)
        except BeyondModel:
            continue
    return found


def is_unknown(term: Term, shared: int = 0) -> bool:
    """A variable, or the address of an object but the first `shared`, which all regions have in common."""
    if term.op is Op.ADDRESS:
        return not (isinstance(term.payload, int) and term.payload < shared)
    return term.op is Op.VARIABLE


def own_unknowns(terms: Iterable[Term], suffix: str, shared: int = 0) -> dict[Term, V]:
    """Names for the unknowns of one instance of a region. Those of two differ by what is behind the last #."""
    sigil = {Op.VARIABLE: "", Op.ADDRESS: "&"}
    unknowns = [term for term in terms if is_unknown(term, shared)]
    return {term: build.variable(f"{sigil[term.op]}{term.payload}{suffix}", term.sort) for term in unknowns}


class _RegionEnds:
    """What a region's walk ends at: the places of the function at its root, and that function's end."""

    def __init__(self, places: Places, region: Region, wanted: Wanted, state: State) -> None:
        self.places = places
        self.region = region
        self.wanted = wanted
        function = places.cuts[region.start].function if region.start != START else places.program.main
        mine = {parameter.index for parameter in function.parameters}
        self.parameters = {index: value for index, value in state.registers.items() if index in mine}

    def claim(self, what: str, formula: V) -> None:
        if formula != 0:
            self.region.claims.append(Claim(what, formula, len(self.region.calls)))

    def edge(self, here: Node, target: int, again: bool, guard: V, state: State) -> bool:
        place = (here.activation.function.name, target)
        if here.activation.caller is not None or place not in self.places.cuts:
            return False
        if place in self.places.framed:
            self._kept_at(place, guard, state)
            if again:
                values = _values(self.wanted(place), self.places.cuts[place], state, ())
                self.region.arrivals.append(Arrival(place, guard, values, len(self.region.calls)))
            return again
        self._arrive(place, guard, state, ())
        return True

    def _kept_at(self, place: Place, guard: V, state: State) -> None:
        """What a state has to fulfil on the way to a head at which states are framed."""
        cut = self.places.cuts[place]
        self.claim(strays.WHAT, build.and_(guard, framing.strays_at_head(cut, state)))
        self.claim(beliefs.WHAT, build.and_(guard, beliefs.wrong_at(cut, state)))
        self.claim(losses.WHAT, build.and_(guard, losses.lost_at_call(cut.points)))

    def begin(self, here: Node) -> None:
        """Frames the state at a loop's head."""
        place = (here.activation.function.name, here.block)
        if here.activation.caller is not None or place not in self.places.framed:
            return
        cut, wanted = self.places.cuts[place], self.wanted(place)
        before = _values(wanted, cut, here.state, ())
        framing.frame(cut, here.state, self.region.world)
        after = _values(wanted, cut, here.state, ())
        self.region.calls.append(ContractCall(place[0], here.guard, before, after, place[1]))

    def end(self, here: Node, results: tuple[V, ...]) -> None:
        place = (here.activation.function.name, EXIT)
        if place in self.places.cuts:  # else it is the entry function's end: the run is over
            self._arrive(place, here.guard, here.state, results)

    def _arrive(self, place: Place, guard: V, state: State, results: tuple[V, ...]) -> None:
        """The region ends. A function's parameters keep their values, so facts may speak of them."""
        state.registers = {**self.parameters, **state.registers}
        cut = self.places.cuts[place]
        self.claim(strays.WHAT, build.and_(guard, strays.strays_at(cut, state, results)))
        self.claim(beliefs.WHAT, build.and_(guard, beliefs.wrong_at(cut, state, results)))
        self.claim(losses.WHAT, build.and_(guard, losses.lost_at(cut, state)))
        values = _values(self.wanted(place), cut, state, results)
        self.region.arrivals.append(Arrival(place, guard, values, len(self.region.calls)))

    def _misbelieved(self, call: m.Call, entry: CutPoint, here: Node) -> V:
        """When the callee's first state is not as believed."""
        values = [read(here.state, value, self.region.world) for value in call.arguments]
        passed = dict(zip((p.index for p in entry.function.parameters), values, strict=True))
        return beliefs.wrong_at(entry, State(passed, here.state.memory, here.guard))

    def call(self, call: m.Call, position: int, here: Node) -> str | None:
        """Passes those by contract; where that has no meaning no run goes on."""
        if call.callee not in self.places.contracts:
            return ""
        caller = here.activation.function.name
        entry, exit_ = self.places.cuts[call.callee, 0], self.places.cuts[call.callee, EXIT]
        self.claim(beliefs.WHAT, build.and_(here.guard, self._misbelieved(call, entry, here)))
        self.claim(losses.WHAT, build.and_(here.guard, losses.lost_at_call(entry.points)))
        try:
            values = call_by_contract(call, caller, entry, exit_, here.state, self.region.world)
        except BeyondModel as missing:
            self.claim(f"{call.at}: {missing}", here.guard)
            here.guard = 0
            return None
        self.claim(strays.WHAT, build.and_(here.guard, values.strayed))
        bits = self.region.world.pointer_bits
        before = {variable_of(component, bits): value for component, value in values.before.items()}
        after = {variable_of(component, bits): value for component, value in values.after.items()}
        self.region.calls.append(ContractCall(call.callee, here.guard, before, after))
        return None
