"""How DASH ends: with the region graph as a proof, or with the reason why there is none."""

from __future__ import annotations

from counterpoint.engines.answers import unmodelled
from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.region_graph import Region, RegionForest, first_abstraction
from counterpoint.engines.dash.state import State
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Reason, Unknown
from counterpoint.regions.cut_graph import START
from counterpoint.regions.locations import ERROR
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build


def beyond_model(state: State) -> bool:
    """Places in the proof where a construct without a meaning may be met get an edge to ERROR."""
    found = False
    for region in state.forest.reachable([state.forest.start]):
        place = region.place
        if place in state.examined or place == ERROR or place[1] == EXIT or state.forest.error in region.after:
            continue
        state.examined.add(place)
        if state.questions.preimages.encoded.step(place).step.blocks:
            for leaf in state.forest.leaves(place):
                state.forest.connect(leaf, state.forest.error)
            state.told.changed(state.forest)
            found = True
    return found


def proved(state: State) -> list[Region[Visit]] | None:
    """The regions that edges lead to, if these are neither ERROR nor assumed to be out of reach."""
    reached = state.forest.reachable([state.forest.start])
    if state.forest.error in reached or any(region in state.calls.closed for region in reached):
        return None
    return reached


def without_splits(state: State) -> list[Region[Visit]] | None:
    """The regions of the first abstraction, if facts alone keep them from ERROR."""
    if not state.learning.known or not state.calls.untouched:
        return None
    first: RegionForest[Visit] = first_abstraction(state.where)
    for source in list(first.error.before):
        found = state.questions.impossible(source, ERROR, ())
        if found is None:
            return None
        state.learning.use(source.place, found.facts)
        first.disconnect(source, first.error)
    return first.reachable([first.start])


def certificate(state: State, reached: list[Region[Visit]]) -> RegionGraph:
    """Theorem 1: the regions that edges lead to, and these edges."""
    regions = [region for region in reached if region.place != START]
    number = {region: index for index, region in enumerate(regions)}
    number |= {region: -1 for region in reached if region.place == START}
    facts = state.learning.needed(everything=state.calls.facts_used)
    states = tuple(
        Fact(*region.place, build.conjunction([region.formula, *facts.get(region.place, ())])) for region in regions
    )
    edges = tuple((number[source], number[target]) for source in reached for target in source.after)
    granules, contracts = tuple(sorted(state.granules.items())), state.where.program.contracts
    return RegionGraph(state.preparation, states, edges, granules, contracts)


def gave_up(state: State) -> Unknown:
    """No abstract error trace that could be tried is left."""
    if state.blocked:
        return unmodelled([state.blocked])
    where = state.where.name(next(f for goal in state.goals() for f in state.forest.frontiers(goal)).source.place)
    if state.questions.paths.queries.unknown:
        return Unknown(Reason.SOLVER_UNKNOWN, f"a query at {where} had no answer")
    return Unknown(Reason.NO_PROGRESS, f"no suitable predicate was found at {where}")
