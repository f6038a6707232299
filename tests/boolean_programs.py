"""Boolean programs by enumeration, for tests: small random ones, and their runs with an explicit stack."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge
from counterpoint.engines.predicates.slam.program import BooleanProgram, Choice, Cubes, Tracked, Transition, Variable
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.sorts import BOOL

Values = tuple[bool, ...]

MAIN = [START, ("main", 1), ("main", 2)]
CALLEE = [("f", 0), ("f", 1), ("f", EXIT)]


# ---------------------------------------------------------------- random programs


def boolean_program(random: Random) -> BooleanProgram:
    """A main procedure, and one that may call itself. Predicates are Boolean variables."""
    procedures = {name: tuple(Variable(f"b{n}", "") for n in range(3)) for name in ("main", "f")}
    tracked: dict[Place, tuple[Tracked, ...]] = {START: ()}
    for place in (*MAIN[1:], *CALLEE):
        chosen = random.sample(range(3), random.randint(0, 2))
        tracked[place] = tuple(Tracked(n, build.variable(f"{place[0]}.p{n}", BOOL)) for n in chosen)
    calls: dict[Place, tuple[str, ...]] = {}
    impossible: dict[Place, Cubes] = {}
    for place, found in tracked.items():
        counts = [0, 0, 1, 2] if place[0] == "f" else [0, 1, 1, 2]
        calls[place] = () if place[1] == EXIT else ("f",) * random.choice(counts)
        impossible[place] = cubes(random, len(found)) if random.random() < 0.25 else ()
    program = BooleanProgram("main", procedures, tracked, impossible, calls, {})
    return replace(program, transitions={place: tuple(steps(random, program, place)) for place in tracked})


def steps(random: Random, program: BooleanProgram, place: Place) -> list[Transition]:
    """The calls' entries, and a few others."""
    if place[1] == EXIT:
        return []
    count = len(program.calls[place])
    inputs, made = program.inputs(place), []
    for k in range(count):
        before = sum(call < k for call, _ in inputs)
        made.append(((),) if random.random() < 0.5 else cubes(random, before))
    found = [transition(random, program, Edge(place, ("f", 0), k), made[:k]) for k in range(count)]
    targets = CALLEE[1:] if place[0] == "f" else MAIN[1:]
    if place == MAIN[-1] or (place[0] == "f" and random.random() < 0.1):
        targets = [*targets, ERROR]
    for target in random.choices(targets, k=random.randint(1, 3)):
        found.append(transition(random, program, Edge(place, target), made[: random.choice([0, count, count])]))
    return found


def transition(random: Random, program: BooleanProgram, edge: Edge, made: list[Cubes]) -> Transition:
    there = sum(call < len(made) for call, _ in program.inputs(edge.source))
    targets = program.tracked.get(edge.target, ())
    choices = [Choice(cubes(random, there), cubes(random, there)) for _ in targets]
    return Transition(edge, cubes(random, there), tuple(made), tuple(choices))


def cubes(random: Random, count: int) -> Cubes:
    """Up to two cubes of up to two literals; without inputs, mostly false."""
    if not count:
        return ((),) if random.random() < 0.1 else ()
    found = []
    for _ in range(random.randint(0, 2)):
        numbers = sorted(random.sample(range(count), min(count, random.randint(1, 2))))
        found.append(tuple((n, random.random() < 0.5) for n in numbers))
    return tuple(found)


# ---------------------------------------------------------------- their runs


@dataclass(frozen=True)
class Running:
    """In the middle of a step; `taken` is the transition that was decided on, `results` what its calls gave so far."""

    place: Place
    state: Values
    taken: Transition | None
    results: tuple[Values, ...]
    outer: tuple[Running, ...]


BEGIN = Running(START, (), None, (), ())


def moves(program: BooleanProgram, now: Running) -> Iterator[tuple[Edge | None, Running]]:
    """What may come next, and the edge that this takes, if any."""
    if now.place == ERROR:
        return
    if now.place[1] == EXIT:
        if now.outer:
            *outer, caller = now.outer
            yield None, replace(caller, results=(*caller.results, now.state), outer=tuple(outer))
        return
    if now.taken is None:
        for transition in program.transitions[now.place]:
            yield None, replace(now, taken=transition)
        return
    inputs = now.state + tuple(value for result in now.results for value in result)
    call = len(now.results)
    if call < len(now.taken.made):
        if not holds(now.taken.made[call], inputs):
            for values in product((False, True), repeat=len(program.tracked["f", EXIT])):
                yield None, replace(now, results=(*now.results, values))
        entering = next(t for t in program.transitions[now.place] if t.edge.call == call)
        for state in after(program, entering, inputs):
            yield entering.edge, Running(entering.edge.target, state, None, (), (*now.outer, replace(now, outer=())))
        return
    edge = now.taken.edge
    outer = now.outer if edge.call == NO_CALL else ()
    for state in after(program, now.taken, inputs):
        yield edge, Running(edge.target, state, None, (), outer)


def after(program: BooleanProgram, transition: Transition, inputs: Values) -> Iterator[Values]:
    target = transition.edge.target
    if holds(transition.blocked, inputs):
        return
    for values in product((False, True), repeat=len(transition.choices)):
        fits = all(
            (value or not holds(choice.positive, inputs)) and not (value and holds(choice.negative, inputs))
            for value, choice in zip(values, transition.choices, strict=True)
        )
        if fits and not holds(program.impossible.get(target, ()), values):
            yield values


def holds(cubes_: Cubes, inputs: Values) -> bool:
    return any(all(inputs[number] is value for number, value in cube) for cube in cubes_)


@dataclass
class Enumerated:
    """`error` is the least number of edges to ERROR, None if none was found; `whole`: there is nothing else."""

    error: int | None
    visited: set[tuple[Place, Values]]
    whole: bool


def enumerated(program: BooleanProgram, most: int) -> Enumerated:
    """Breadth first, by edges; at most so many configurations."""
    queue, seen = deque([(0, BEGIN)]), {BEGIN}
    visited: set[tuple[Place, Values]] = set()
    done: set[Running] = set()
    while queue and len(seen) < most:
        distance, now = queue.popleft()
        if now in done:
            continue
        done.add(now)
        visited.add((now.place, now.state))
        if now.place == ERROR:
            return Enumerated(distance, visited, False)
        for edge, next_ in moves(program, now):
            if next_ not in done:
                seen.add(next_)
                if edge is None:
                    queue.appendleft((distance, next_))
                else:
                    queue.append((distance + 1, next_))
    return Enumerated(None, visited, not queue)


def is_run(program: BooleanProgram, edges: tuple[Edge, ...], states: tuple[Values, ...]) -> bool:
    """The program has a run along these edges and states, to ERROR."""
    here = {BEGIN}
    for edge, state in zip(edges, states, strict=True):
        waiting, seen, there = list(here), set(here), set()
        while waiting:
            for taken, next_ in moves(program, waiting.pop()):
                if taken is None and next_ not in seen:
                    seen.add(next_)
                    waiting.append(next_)
                elif taken == edge and next_.state == state:
                    there.add(next_)
        here = there
    return any(now.place == ERROR for now in here)
