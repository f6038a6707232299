"""Control flow and call graphs: predecessors, dominance, loops, recursion, cut points.

Weak topological order and liveness are in `order`. Everything is computed once per Function object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from counterpoint.core.closure import components, reached
from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.program.model import Call, Function, Program, Stop
from counterpoint.program.names import original
from counterpoint.program.order import weak_topological_order

T = TypeVar("T")
_REMEMBERED = 512


class _PerFunction:
    """Results by object identity: hashing a whole function would cost more than most analyses."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Function, object]] = {}

    def get(self, function: Function, what: str, compute: Callable[[Function], T]) -> T:
        key = (id(function), what)
        known = self._known.get(key)
        if known is not None and known[0] is function:
            return known[1]  # type: ignore[return-value]
        if len(self._known) >= _REMEMBERED:
            self._known.pop(next(iter(self._known)))
        result = compute(function)
        self._known[key] = (function, result)
        return result


_memory = _PerFunction()

# ---------------------------------------------------------------- edges and orders


def successors(function: Function) -> tuple[tuple[int, ...], ...]:
    """The targets of each block's edges, each once, in the edges' order."""
    return _memory.get(function, "successors", _successors)


def _successors(function: Function) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(dict.fromkeys(edge.target for edge in block.edges)) for block in function.blocks)


def predecessors(function: Function) -> tuple[tuple[int, ...], ...]:
    """The blocks with an edge to each block, each once, in rising order."""
    return _memory.get(function, "predecessors", lambda f: _reversed(successors(f)))


def _reversed(graph: Sequence[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    backwards: list[list[int]] = [[] for _ in graph]
    for source, targets in enumerate(graph):
        for target in targets:
            backwards[target].append(source)
    return tuple(map(tuple, backwards))


def reverse_postorder(function: Function) -> tuple[int, ...]:
    """The blocks that the entry reaches: each before its successors, but for edges that close a cycle."""
    return _memory.get(function, "order", lambda f: tuple(reversed(postorder(successors(f), 0))))


def postorder(graph: Sequence[Sequence[int]], root: int) -> list[int]:
    """The nodes that `root` reaches, successors before their predecessors where there is no cycle."""
    order: list[int] = []
    seen = {root}
    stack = [(root, iter(graph[root]))]
    while stack:
        node, rest = stack[-1]
        for following in rest:
            if following not in seen:
                seen.add(following)
                stack.append((following, iter(graph[following])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


# ---------------------------------------------------------------- dominance


def dominators(function: Function) -> tuple[int, ...]:
    """The immediate dominator of each block; -1 for the entry and for blocks that it does not reach."""
    return _memory.get(function, "dominators", lambda f: _immediate(successors(f), predecessors(f), 0))


def postdominators(function: Function) -> tuple[int, ...]:
    """The immediate post-dominator of each block; -1 where only the end of the function is one.

    The end is what all returns, stops and blocks that cannot reach either lead to.
    """
    return _memory.get(function, "postdominators", _postdominators)


def _postdominators(function: Function) -> tuple[int, ...]:
    count = len(function.blocks)
    forward = [list(targets) for targets in successors(function)] + [[]]
    for index in range(count):
        if not forward[index]:
            forward[index].append(count)
    ending = set(postorder(_reversed(forward), count))
    for index in reversed(reverse_postorder(function)):
        if index not in ending:  # a loop without an exit
            forward[index].append(count)
            ending.update(postorder(_reversed(forward), count))
    above = _immediate(_reversed(forward), forward, count)
    return tuple(-1 if block == count else block for block in above[:count])


def _immediate(graph: Sequence[Sequence[int]], back: Sequence[Sequence[int]], root: int) -> tuple[int, ...]:
    """Immediate dominators, -1 for the root and unreachable nodes [cooper2001dominance]."""
    order = postorder(graph, root)
    number = {node: index for index, node in enumerate(order)}
    above = {root: root}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            best = -1
            for previous in back[node]:
                if previous not in above:
                    continue
                best = previous if best < 0 else _nearest_common(best, previous, above, number)
            if above.get(node) != best:
                above[node] = best
                changed = True
    return tuple(-1 if node == root else above.get(node, -1) for node in range(len(graph)))


def _nearest_common(one: int, other: int, above: Mapping[int, int], number: Mapping[int, int]) -> int:
    """The nearest node above both, where `number` is higher the further up a node is."""
    while one != other:
        if number[one] < number[other]:
            one = above[one]
        else:
            other = above[other]
    return one


def dominates(function: Function, upper: int, lower: int) -> bool:
    """Every path from the entry to block `lower` goes through block `upper` (true if they are the same)."""
    above = dominators(function)
    while lower != upper and lower >= 0:
        lower = above[lower]
    return lower == upper


# ---------------------------------------------------------------- loops


@dataclass(frozen=True, slots=True)
class Loop:
    """A strongly connected part of the graph that `head` opens; `blocks` in rising order, with the head.

    `outer` is the head of the loop around it, -1 if there is none. `natural`: only its head can be
    entered from outside.
    """

    head: int
    blocks: tuple[int, ...]
    outer: int
    natural: bool


def loops(function: Function) -> tuple[Loop, ...]:
    """All loops of the weak topological order, outer ones before inner ones; irreducible ones included."""
    return _memory.get(function, "loops", _loops)


def _loops(function: Function) -> tuple[Loop, ...]:
    order = weak_topological_order(function)
    members: dict[int, list[int]] = {}
    outer: dict[int, int] = {}
    for block, heads in enumerate(order.heads):
        for depth, head in enumerate(heads):
            members.setdefault(head, []).append(block)
            outer[head] = heads[depth - 1] if depth else -1
    before = predecessors(function)
    result: list[Loop] = []
    for head in sorted(members, key=lambda block: order.position[block]):
        inside = set(members[head])
        natural = all(p in inside for block in inside if block != head for p in before[block])
        result.append(Loop(head, tuple(members[head]), outer[head], natural))
    return tuple(result)


def loop_heads(function: Function) -> tuple[int, ...]:
    """The heads of all loops, in rising order: every cycle goes through one."""
    return tuple(sorted(loop.head for loop in loops(function)))


def cut_points(function: Function) -> tuple[int, ...]:
    """Entry, loop heads and the blocks where the function ends: between two of them there is no cycle."""
    ends = {block.index for block in function.blocks if not block.edges}
    return tuple(sorted({0, *loop_heads(function), *ends}))


# ---------------------------------------------------------------- calls


def callees(function: Function) -> tuple[str, ...]:
    """The functions that it calls, each once, in the order of the text."""
    return _memory.get(function, "callees", _callees)


def _callees(function: Function) -> tuple[str, ...]:
    calls = (i.callee for block in function.blocks for i in block.instructions if isinstance(i, Call))
    return tuple(dict.fromkeys(calls))


def call_components(program: Program) -> tuple[tuple[str, ...], ...]:
    """The strongly connected components of the call graph, callees before their callers."""
    return components({name: callees(function) for name, function in program.functions.items()})


def reachable_functions(program: Program) -> frozenset[str]:
    """The functions that the entry calls, directly or not, and itself."""
    return frozenset(reached(program.entry, lambda name: callees(program.functions[name])))


def recursive_functions(program: Program) -> frozenset[str]:
    """The functions that can be active twice at a time."""
    return frozenset(
        name
        for component in call_components(program)
        for name in component
        if len(component) > 1 or name in callees(program.functions[name])
    )


_contracts: dict[int, tuple[Program, frozenset[str]]] = {}


def contract_functions(program: Program) -> frozenset[str]:
    """The functions whose calls a region between cut points does not walk through: those with loops or recursion, in
    themselves or below, and those that were chosen (`by_contract`). Remembered per program object.

    Raises Unsupported where an edge leads back to the entry block of one: there, what was when the function was called
    and what is now could not be told apart."""
    known = _contracts.get(id(program))
    if known is not None and known[0] is program:
        return known[1]
    found = set(recursive_functions(program))
    for component in call_components(program):
        for name in component:
            function = program.functions[name]
            if loop_heads(function) or found & set(callees(function)):
                found.add(name)
    found.update(program.contracts)
    for name in sorted(found - {program.entry}):
        if any(edge.target == 0 for block in program.functions[name].blocks for edge in block.edges):
            raise Unsupported(f"an edge of {original(name)} leads back to its first block")
    _contracts.clear()
    _contracts[id(program)] = (program, frozenset(found))
    return _contracts[id(program)][1]


def by_contract(program: Program, names: Iterable[str]) -> Program:
    """The program whose calls of these functions go by contract, too: the checks in them are shown where they stand,
    for all calls that their preconditions allow. The entry function and what is no function are left out."""
    chosen = tuple(sorted(frozenset(names) & (program.functions.keys() - {program.entry})))
    return program if chosen == program.contracts else replace(program, contracts=chosen)


def call_sites(program: Program) -> Counter[str]:
    """How many calls of each function stand in the program."""
    return Counter(
        instruction.callee
        for function in program.functions.values()
        for block in function.blocks
        for instruction in block.instructions
        if isinstance(instruction, Call)
    )


def can_stop(program: Program) -> frozenset[str]:
    """The functions in which, or below which, the whole run may end."""
    stopping = {
        name
        for name, function in program.functions.items()
        if any(isinstance(block.terminator, Stop) for block in function.blocks)
    }
    for component in call_components(program):
        if any(name in stopping or stopping & set(callees(program.functions[name])) for name in component):
            stopping.update(component)
    return frozenset(stopping)
