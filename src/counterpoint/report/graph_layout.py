"""Nodes of a graph in layers for drawing, in the order of control flow (after Sugiyama, Tagawa and Toda)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

Edge = tuple[int, int]

SWEEPS = 6
"""Passes over all layers that look for an order with fewer crossings."""


def layered(nodes: Sequence[int], edges: Iterable[Edge]) -> list[list[int]]:
    """All nodes, each in one layer; an edge leads to a later layer unless it closes a cycle.

    A node is as high as its predecessors allow. Within a layer, nodes stand near those that they are joined with.
    Linear in the edges, for each sweep; the result depends on the order of `nodes` (roots first) and `edges`.
    """
    successors: dict[int, dict[int, None]] = {node: {} for node in nodes}
    for source, target in edges:
        if source != target:
            successors[source][target] = None
    order = _reverse_postorder(nodes, successors)
    rank = {node: index for index, node in enumerate(order)}
    forward = [(node, target) for node in order for target in successors[node] if rank[node] < rank[target]]
    depth = dict.fromkeys(order, 0)
    for source, target in forward:  # sources come in topological order
        depth[target] = max(depth[target], depth[source] + 1)
    layers: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in order:
        layers[depth[node]].append(node)
    for sweep in range(SWEEPS):
        _order_by_neighbours(layers, forward, down=sweep % 2 == 0)
    return layers


def _reverse_postorder(nodes: Sequence[int], successors: Mapping[int, Iterable[int]]) -> list[int]:
    """Of depth-first search: edges that go back in it are just those that close a cycle."""
    seen: set[int] = set()
    postorder: list[int] = []
    for root in nodes:
        stack: list[tuple[int, Iterator[int]]] = []
        if root not in seen:
            seen.add(root)
            stack.append((root, iter(successors[root])))
        while stack:
            node, rest = stack[-1]
            target = next((target for target in rest if target not in seen), None)
            if target is None:
                postorder.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(successors[target])))
    return postorder[::-1]


def _order_by_neighbours(layers: list[list[int]], edges: Sequence[Edge], down: bool) -> None:
    """Sorts each layer by the mean position of its nodes' neighbours in the layers that were sorted before it."""
    neighbours: dict[int, list[int]] = {}
    for source, target in edges:
        inner, outer = (target, source) if down else (source, target)
        neighbours.setdefault(inner, []).append(outer)
    at: dict[int, float] = {}
    for layer in layers if down else reversed(layers):
        middle = (len(layer) - 1) / 2
        for place, node in enumerate(layer):
            known = [at[other] for other in neighbours.get(node, ())]
            at[node] = sum(known) / len(known) if known else place - middle
        layer.sort(key=at.__getitem__)
        for place, node in enumerate(layer):
            at[node] = place - middle
