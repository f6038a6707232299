"""Control-flow analyses against their definitions, on random graphs."""

from __future__ import annotations

import random

import pytest

from counterpoint.program import graph
from counterpoint.program.model import (
    ALWAYS,
    Block,
    Branch,
    Call,
    Edge,
    Function,
    Guard,
    Program,
    Register,
    Return,
    Stop,
)
from counterpoint.program.order import live_in, weak_topological_order
from counterpoint.program.types import IntType, Layout

CHOICE = IntType(8)


def flow(targets: list[list[int]], name: str = "f") -> Function:
    """A function whose block k may go to each of targets[k]."""
    blocks = []
    for index, following in enumerate(targets):
        if not following:
            end: Branch | Return = Return()
        elif len(following) == 1:
            end = Branch((Edge(ALWAYS, following[0]),))
        else:
            value = Register(0, CHOICE)
            edges = [Edge(Guard(value, (case,)), target) for case, target in enumerate(following[1:])]
            rest = Edge(Guard(value, tuple(range(len(following) - 1)), negated=True), following[0])
            end = Branch((*edges, rest))
        blocks.append(Block(index, "", (), (), end))
    return Function(name, (Register(0, CHOICE),), (), tuple(blocks), 1)


def random_flow(seed: int) -> Function:
    random_ = random.Random(seed)
    count = random_.randint(1, 12)
    targets = [
        sorted({random_.randrange(1, count) for _ in range(random_.randint(0, 3))}) if count > 1 else []
        for _ in range(count)
    ]
    return flow(targets)


def reaches(targets: tuple[tuple[int, ...], ...], start: int, without: int = -1) -> set[int]:
    found = set() if start == without else {start}
    waiting = list(found)
    while waiting:
        for target in targets[waiting.pop()]:
            if target != without and target not in found:
                found.add(target)
                waiting.append(target)
    return found


@pytest.mark.parametrize("seed", range(150))
def test_dominators_are_what_every_path_goes_through(seed: int) -> None:
    function = random_flow(seed)
    targets = graph.successors(function)
    reached = reaches(targets, 0)
    for upper in reached:
        cut = reaches(targets, 0, upper)
        for lower in reached:
            assert graph.dominates(function, upper, lower) == (lower not in cut)


@pytest.mark.parametrize("seed", range(100))
def test_postdominators_are_what_every_way_out_goes_through(seed: int) -> None:
    function = random_flow(seed)
    targets = graph.successors(function)
    reached = reaches(targets, 0)
    if not all(any(not targets[end] for end in reaches(targets, block)) for block in reached):
        return  # a loop without an exit: what post-dominates is a convention
    above = graph.postdominators(function)
    for lower in reached:
        chain = {lower}
        current = lower
        while (current := above[current]) >= 0:
            chain.add(current)
        for upper in reached:
            escapes = any(not targets[end] for end in reaches(targets, lower, upper))
            assert (upper in chain) == (not escapes)


@pytest.mark.parametrize("seed", range(150))
def test_every_cycle_goes_through_a_loop_head(seed: int) -> None:
    function = random_flow(seed)
    targets = graph.successors(function)
    order = weak_topological_order(function)
    heads = set(graph.loop_heads(function))
    for block in reaches(targets, 0):
        for target in targets[block]:
            if order.position[target] <= order.position[block]:
                assert target in order.heads[block] and target in heads
    for loop in graph.loops(function):
        assert loop.head in loop.blocks
        inside = [b for b in graph.predecessors(function)[loop.head] if b in loop.blocks]
        assert inside
        entries = {
            t for b in range(len(targets)) if b not in loop.blocks for t in targets[b] if t in loop.blocks
        }
        assert loop.natural == (entries <= {loop.head})
    for points in graph.cut_points(function):
        assert points == 0 or points in heads or not targets[points]


@pytest.mark.parametrize("seed", range(60))
def test_reverse_postorder_starts_at_the_entry_and_has_each_block_once(seed: int) -> None:
    function = random_flow(seed)
    order = graph.reverse_postorder(function)
    assert order[0] == 0
    assert sorted(order) == sorted(reaches(graph.successors(function), 0))


def test_postdominators_of_a_loop_without_exit() -> None:
    function = flow([[1, 3], [2], [1], []])
    above = graph.postdominators(function)
    assert above[0] == -1 and above[3] == -1


def test_nested_loops() -> None:
    function = flow([[1], [2, 5], [3], [2, 4], [1], []])
    found = {loop.head: loop for loop in graph.loops(function)}
    assert set(found) == {1, 2}
    assert found[1].blocks == (1, 2, 3, 4) and found[1].outer == -1 and found[1].natural
    assert found[2].blocks == (2, 3) and found[2].outer == 1
    assert graph.cut_points(function) == (0, 1, 2, 5)


def test_irreducible_loops_are_loops() -> None:
    function = flow([[1, 2], [2], [1, 3], []])
    (loop,) = graph.loops(function)
    assert set(loop.blocks) == {1, 2} and not loop.natural


def test_live_registers_of_a_loop() -> None:
    function = flow([[1], [1, 2], []])
    assert live_in(function)[1] == (0,)
    assert live_in(function)[2] == ()


def calling(name: str, *callees: str, stop: bool = False) -> Function:
    calls = tuple(Call((), callee, ()) for callee in callees)
    return Function(name, (), (), (Block(0, "", (), calls, Stop() if stop else Return()),), 0)


def test_call_graph() -> None:
    functions = {
        f.name: f
        for f in (
            calling("main", "a", "d"),
            calling("a", "b"),
            calling("b", "a", "c"),
            calling("c", stop=True),
            calling("d", "d"),
            calling("e", "main"),
        )
    }
    program = Program(functions, {}, Layout(32), "main")
    components = [set(component) for component in graph.call_components(program)]
    assert components.index({"c"}) < components.index({"a", "b"}) < components.index({"main"})
    assert graph.recursive_functions(program) == {"a", "b", "d"}
    assert graph.can_stop(program) == {"c", "a", "b", "main", "e"}
    assert graph.reachable_functions(program) == {"main", "a", "b", "c", "d"}
