"""Attacks the checker of region graphs: mutants, judged by a second implementation of what a proof is.

`python tests/attack_region_graphs.py --mutants 500` prints what `attack_proofs` does. The second opinion comes from
`paths.cut_graph` and z3. It counts a region as reachable where a model says that a run may get from a reachable one
into it; the checker asks no solver for that, so the second opinion is never the stricter one.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from attack_facts import OF_FACTS
from attack_proofs import (
    SECONDS,
    Mutant,
    _all,
    _comparison,
    _constant,
    _impossible,
    _move,
    _negate,
    _swap,
    _variable,
    attack,
)
from counterpoint.core.budget import Budget
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way, cut_graph
from counterpoint.regions.instance import Instance
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build as b
from counterpoint.term.term import V
from counterpoint.term.walk import addresses, variables
from loop_proofs import PROVED, facts_of
from region_graphs import EVERY_BLOCK, MAKERS, at_every_block

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class GraphMutant(Mutant):
    """`facts` are its regions."""

    edges: Edges = ()

    @property
    def certificate(self) -> Certificate:
        return RegionGraph(self.proof.preparation, self.facts, self.edges, self.granules)

    @property
    def settings(self) -> str:
        return f"{self.granules}, edges {self.edges}"


# ---------------------------------------------------------------- mutants


def mutants(seed: int) -> Iterator[GraphMutant]:
    """Without an end, the same for the same seed."""
    chosen = random.Random(seed)
    names = sorted(PROVED)
    while True:
        name = chosen.choice(names)
        proof = PROVED[name]
        broken = chosen.random() < 0.15
        text = proof.text.replace(*chosen.choice(proof.broken)) if broken else proof.text
        maker = chosen.choice(MAKERS)
        try:
            facts, graph = _invariants(name, text, name in EVERY_BLOCK and chosen.random() < 0.5)
        except KeyError:  # the preparation of the broken program has other components
            continue
        made = maker(proof.preparation, facts, graph)
        if made is None:
            continue
        base = GraphMutant(name, maker.__name__, text, proof, made.regions, graph, made.granules, broken=broken, edges=made.edges)
        mutant = base
        for _ in range(chosen.choice([1, 1, 2, 3])):
            mutant = _mutated(mutant, chosen)
        if broken or mutant.certificate != base.certificate:
            yield mutant


@lru_cache(maxsize=256)
def _invariants(name: str, text: str, everywhere: bool) -> tuple[Sequence[Fact], CutGraph]:
    made, facts, graph = facts_of(PROVED[name], text)
    return at_every_block(made, facts) if everywhere else (facts, graph)


def _mutated(base: GraphMutant, chosen: random.Random) -> GraphMutant:
    if not base.facts:
        return base
    how, mutate = chosen.choice(_EDGES if chosen.random() < 0.5 else _REGIONS)
    made = mutate(base, chosen)
    return base if made is None else replace(made, how=f"{base.how}, {how}")


def _of_facts(mutate):
    def of_regions(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
        new = mutate(base, chosen, list(base.facts), _number(base, chosen))
        return None if new is None else replace(base, facts=tuple(new))

    return of_regions


def _instead(base: GraphMutant, number: int, formula: V) -> GraphMutant:
    facts = list(base.facts)
    facts[number] = replace(facts[number], formula=formula)
    return replace(base, facts=tuple(facts))


def _number(base: GraphMutant, chosen: random.Random) -> int:
    return chosen.randrange(len(base.facts))


def _drop_region(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    """With its edges; those of the others keep their meaning."""
    gone = _number(base, chosen)

    def new(number: int) -> int:
        return number - (number > gone)

    edges = tuple((new(s), new(t)) for s, t in base.edges if gone not in (s, t))
    return replace(base, facts=base.facts[:gone] + base.facts[gone + 1 :], edges=edges)


def _forget_region(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    """Without it, edges mean other regions, or none."""
    gone = _number(base, chosen)
    return replace(base, facts=base.facts[:gone] + base.facts[gone + 1 :])


def _another_region(base: GraphMutant, chosen: random.Random) -> GraphMutant:
    place = chosen.choice([*sorted(base.graph.cuts), START, (base.graph.program.entry, EXIT), ("nobody", 0)])
    return replace(base, facts=(*base.facts, Fact(*place, chosen.choice([0, 1]))))


def _strengthen(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    """By another region there, or by anything it says already, changed."""
    number = _number(base, chosen)
    here = base.facts[number]
    others = [fact.formula for fact in base.facts if fact.place == here.place]
    changed = _comparison(base, chosen, list(base.facts), number)
    other = changed[number].formula if changed and chosen.random() < 0.5 else chosen.choice(others)
    return _instead(base, number, b.and_(here.formula, other))


def _weaken(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    number = _number(base, chosen)
    here = base.facts[number]
    others = [fact.formula for fact in base.facts if fact.place == here.place]
    return _instead(base, number, b.or_(here.formula, chosen.choice([1, *others])))


def _drop_edge(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    if not base.edges:
        return None
    gone = chosen.randrange(len(base.edges))
    return replace(base, edges=base.edges[:gone] + base.edges[gone + 1 :])


def _drop_edges_of(base: GraphMutant, chosen: random.Random) -> GraphMutant:
    source = chosen.randrange(-1, len(base.facts))
    return replace(base, edges=tuple(edge for edge in base.edges if edge[0] != source))


def _thin_out(base: GraphMutant, chosen: random.Random) -> GraphMutant:
    return replace(base, edges=tuple(edge for edge in base.edges if chosen.random() < 0.7))


def _retarget(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    if not base.edges:
        return None
    changed = chosen.randrange(len(base.edges))
    source, _ = base.edges[changed]
    new = chosen.randrange(-1, len(base.facts) + 1)
    edges = [*base.edges[:changed], (source, new), *base.edges[changed + 1 :]]
    return replace(base, edges=tuple(edges) if chosen.random() < 0.2 else tuple(dict.fromkeys(edges)))


def _swap_numbers(base: GraphMutant, chosen: random.Random) -> GraphMutant | None:
    one, two = _number(base, chosen), _number(base, chosen)
    swapped = {one: two, two: one}
    return replace(base, edges=tuple((swapped.get(s, s), swapped.get(t, t)) for s, t in base.edges))


_REGIONS = [
    *((f.__name__, _of_facts(f)) for f in (_negate, _swap, _move, _constant, _comparison, _variable)),
    *((name, _of_facts(mutate)) for name, mutate in OF_FACTS.items()),
    *((f.__name__, f) for f in (_drop_region, _forget_region, _another_region, _strengthen, _weaken)),
]
_EDGES = [(f.__name__, f) for f in (_drop_edge, _drop_edges_of, _thin_out, _retarget, _swap_numbers)]


# ---------------------------------------------------------------- the second opinion


def is_proof(mutant: GraphMutant) -> bool | None:
    """Whether it proves its program; None if that is not known."""
    if mutant.broken:
        return False
    made = mutant.graph.program
    blocks = {(name, n) for name in (made.entry, *mutant.graph.contracts) for n in range(len(made.functions[name].blocks))}
    ends = dict.fromkeys(fact.place for fact in mutant.facts if fact.place in blocks)
    mutant = replace(mutant, graph=cut_graph(made, Budget(SECONDS), ends))
    if not _has_meaning(mutant):
        return False
    reached = _reached(mutant)
    return _all(_stays(mutant, region, number, reached) for number, region in _steps(mutant.graph, mutant, reached))


def _has_meaning(mutant: GraphMutant) -> bool:
    count = len(mutant.facts)
    if any(size not in (1, 2, 4, 8, 16) for _, size in mutant.granules) or len(set(mutant.edges)) < len(mutant.edges):
        return False
    if any(not (-1 <= source < count and 0 <= target < count) for source, target in mutant.edges):
        return False
    for fact in mutant.facts:
        if fact.place not in mutant.graph.cuts or addresses(fact.formula):
            return False
        known = {variable_of(component, 64) for component in mutant.graph.components(fact.place)}
        if any(variable not in known for variable in variables(fact.formula)):
            return False
    return True


def _reached(mutant: GraphMutant) -> set[int]:
    """The regions into which a run may get by the edges; -1 is the start."""
    reached, waiting = {-1}, [-1]
    while waiting:
        number = waiting.pop()
        for region in mutant.graph.regions_from(_place(mutant, number)):
            for way in region.ways:
                for target in _following(mutant, number, way.target) - reached:
                    within = _said(mutant, [number], region.start_values)
                    there = _said(mutant, [target], way.values)
                    if _impossible(b.conjunction([way.formula, within, there]), region.assumed) is not True:
                        reached.add(target)
                        waiting.append(target)
    return reached


def _place(mutant: GraphMutant, number: int) -> Place:
    return START if number == -1 else mutant.facts[number].place


def _following(mutant: GraphMutant, number: int, place: Place) -> set[int]:
    return {t for s, t in mutant.edges if s == number and mutant.facts[t].place == place}


def _said(mutant: GraphMutant, numbers: Iterable[int], values: Instance) -> V:
    """The disjunction of the regions in that state; the start is everything."""
    formulas = [mutant.facts[n].formula if n >= 0 else 1 for n in sorted(numbers)]
    return b.disjunction([values.of(formula) for formula in formulas if values.covers(formula)])


def _steps(graph: CutGraph, mutant: GraphMutant, reached: set[int]) -> Iterator[tuple[int, Region]]:
    for number in sorted(reached):
        for region in graph.regions_from(_place(mutant, number)):
            yield number, region


def _stays(mutant: GraphMutant, region: Region, number: int, reached: set[int]) -> bool | None:
    """From this region, the run gets into one of its successors, and no check fails."""
    calls = [way for way in region.ways if not way.leaves]
    hypotheses = [_said(mutant, [number], region.start_values), *region.assumed]
    returned = [_returned(mutant, way, reached) for way in calls]
    answers = [_impossible(region.failing, [*hypotheses, *returned])]
    for way in region.ways:
        over = returned if way.leaves else returned[: calls.index(way)]
        inside = _said(mutant, _following(mutant, number, way.target), way.values)
        answers.append(_impossible(b.and_(way.formula, b.not_(inside)), [*hypotheses, *over]))
    return _all(iter(answers))


def _returned(mutant: GraphMutant, way: Way, reached: set[int]) -> V:
    after, exit_ = way.returned or Instance({}), (way.target[0], EXIT)
    there = [n for n in sorted(reached) if n >= 0 and mutant.facts[n].place == exit_]
    if not all(after.covers(mutant.facts[n].formula) for n in there):
        return 1
    return b.implies(way.formula, _said(mutant, there, after))


if __name__ == "__main__":
    sys.exit(attack(mutants, is_proof, __doc__, as_good=False))
