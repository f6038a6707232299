"""What can be reached from something in any number of steps, and what reaches each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(start: T, following: Callable[[T], Iterable[T]]) -> set[T]:
    """The start and all that follows it, directly or not. Linear in the steps."""
    found = {start}
    waiting = [start]
    while waiting:
        for one in following(waiting.pop()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


def components(graph: Mapping[T, Iterable[T]]) -> tuple[tuple[T, ...], ...]:
    """The strongly connected components of the graph, successors first (Tarjan's algorithm, without recursion).

    Successors that are no key do not count. Linear.
    """
    number: dict[T, int] = {}
    low: dict[T, int] = {}
    open_: list[T] = []
    finished: set[T] = set()
    found: list[tuple[T, ...]] = []
    for root in graph:
        stack: list[tuple[T, Iterator[T]]] = []
        following: T | None = root if root not in number else None
        while following is not None or stack:
            if following is not None:
                number[following] = low[following] = len(number)
                open_.append(following)
                stack.append((following, iter(graph[following])))
            node, rest = stack[-1]
            following = _unnumbered(node, rest, graph, finished, number, low)
            if following is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == number[node]:
                    found.append(_closed(open_, node))
                    finished.update(found[-1])
    return tuple(found)


def _unnumbered(
    node: T,
    rest: Iterator[T],
    graph: Mapping[T, Iterable[T]],
    finished: Set[T],
    number: dict[T, int],
    low: dict[T, int],
) -> T | None:
    """The next successor that was not met; of those on the stack that come before it, `low` is brought up to date."""
    for following in rest:
        if following not in graph or following in finished:
            continue
        if following not in number:
            return following
        low[node] = min(low[node], number[following])
    return None


def _closed(open_: list[T], node: T) -> tuple[T, ...]:
    """Takes the component that begins with `node` off the stack."""
    start = len(open_) - 1
    while open_[start] != node:
        start -= 1
    found = tuple(open_[start:])
    del open_[start:]
    return found
