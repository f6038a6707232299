"""Calling contexts: the calls through which a function is reached from another one, up to the start of the program.

Source: [inertial refinement, Hoist]: error conditions are brought up to the entry function through a bounded set of
calling contexts, in which all calls beside the way are placeholders.
Deviation: contexts that end in a function that calls itself (as loops do) stand for all numbers of activations up to
one, which doubles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from heapq import heappop, heappush

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import reachable_functions

MOST_OCCURRENCES = 2
"""Of one function in a context, calls of itself apart."""

MOST_TIMES = 64
"""Activations of a function that calls itself in one step of a context."""

MOST_TRIED = 20_000
"""Contexts that are looked at to find the nearest ones of a function."""

_ITERATIONS = regex(r"\[[^]]*\]")


@dataclass(frozen=True, slots=True)
class Step:
    """A call of `callee` that stands at `site` (as names of instances have it, without iterations), and up to `times`
    activations of it by calls of itself."""

    site: str
    callee: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Context:
    """Calls from an activation of `root` on, one after the other."""

    root: str
    steps: tuple[Step, ...] = ()

    @property
    def function(self) -> str:
        """Where it ends."""
        return self.steps[-1].callee if self.steps else self.root

    def enters(self, instance: str, own: Mapping[str, frozenset[str]]) -> bool:
        """The call instance is one of the context's; `own`: the sites at which functions call themselves."""
        at, times = 0, 1
        for site in sites(instance):
            if at and times < self.steps[at - 1].times and site in own[self.steps[at - 1].callee]:
                times += 1
            elif at < len(self.steps) and site == self.steps[at].site:
                at, times = at + 1, 1
            else:
                return False
        return True


def sites(instance: str) -> tuple[str, ...]:
    """The calls that a name is made of, without iterations."""
    return tuple(_ITERATIONS.sub("", instance).removesuffix("/").split("/"))


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a program: `callers` of each function, (function, site), but for its own; `own` sites."""

    callers: Mapping[str, tuple[tuple[str, str], ...]]
    own: Mapping[str, frozenset[str]]


def calls_of(program: m.Program) -> Calls:
    """All calls that stand in functions that the entry reaches."""
    callers: dict[str, list[tuple[str, str]]] = {name: [] for name in program.functions}
    own: dict[str, set[str]] = {name: set() for name in program.functions}
    for name in sorted(reachable_functions(program)):
        for callee, site in _sites_in(program.functions[name]):
            if callee == name:
                own[name].add(site)
            else:
                callers[callee].append((name, site))
    return Calls(
        {name: tuple(found) for name, found in callers.items()},
        {name: frozenset(found) for name, found in own.items()},
    )


def _sites_in(function: m.Function) -> Iterator[tuple[str, str]]:
    for block in function.blocks:
        for position, instruction in enumerate(block.instructions):
            if isinstance(instruction, m.Call):
                yield instruction.callee, f"{function.name}:{block.index}.{position}"


@dataclass(slots=True)
class Hoisting:
    """Contexts further and further out; or, if `most` is not 0, at once so many of each function that begin at `entry`,
    the shortest ones. `cut_short`: some have not been made, so that nothing is shown by the rest."""

    calls: Calls
    entry: str
    most: int = 0
    cut_short: bool = field(default=False)

    def outwards(self, context: Context) -> Iterator[Context]:
        """The context with each call of its root in front of it; or, of a function's own, the nearest ones."""
        if self.most:
            yield from self._nearest(context)
            return
        for caller, site in self.calls.callers[context.root]:
            if sum(step.callee == caller for step in context.steps) + 1 > MOST_OCCURRENCES:
                self.cut_short = True
                continue
            yield Context(caller, (Step(site, context.root), *context.steps))

    def longer(self, context: Context) -> Context | None:
        """The context with twice as many activations of the function of its first step."""
        first = context.steps[0]
        if self.most or 2 * first.times > MOST_TIMES:
            self.cut_short = True
            return None
        return replace(context, steps=(replace(first, times=2 * first.times), *context.steps[1:]))

    def _nearest(self, context: Context) -> Iterator[Context]:
        """Shortest ones first (A*): none in which a function stands twice."""
        far = _distances(self.calls, self.entry)
        waiting = [(far.get(context.root, 0), 0, context)]
        found = tried = 0
        while waiting:
            _, _, one = heappop(waiting)
            if one.root == self.entry:
                yield one
                found += 1
                self.cut_short |= found == self.most and bool(waiting)
            if found == self.most or tried > MOST_TRIED:
                self.cut_short |= tried > MOST_TRIED
                return
            for caller, site in self.calls.callers[one.root]:
                tried += 1
                if caller == context.root or any(step.callee == caller for step in one.steps):
                    self.cut_short = True
                elif caller in far:
                    longer = Context(caller, (Step(site, one.root), *one.steps))
                    heappush(waiting, (len(longer.steps) + far[caller], tried, longer))


def _distances(calls: Calls, entry: str) -> Mapping[str, int]:
    """How many calls each function is away from the entry."""
    callees: dict[str, list[str]] = {}
    for callee, callers in calls.callers.items():
        for caller, _ in callers:
            callees.setdefault(caller, []).append(callee)
    far, reached = {entry: 0}, deque([entry])
    while reached:
        name = reached.popleft()
        for callee in callees.get(name, ()):
            if callee not in far:
                far[callee] = far[name] + 1
                reached.append(callee)
    return far
