"""Terms as flat tuples, so that they can be pickled between processes however deep they are.

Importing the package `term` makes `pickle` do this for every Term.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from counterpoint.term.boolean import negated
from counterpoint.term.choice import choose
from counterpoint.term.sorts import Sort
from counterpoint.term.term import Op, Payload, Term, V, intern
from counterpoint.term.walk import reachable

Node: TypeAlias = tuple[int, tuple[tuple[bool, int], ...], Payload, Sort]
"""Operator, arguments (whether an earlier node, its position or the constant), payload, sort."""

Packed: TypeAlias = tuple[tuple[Node, ...], tuple[tuple[bool, int], ...]]


def pack(values: Iterable[V]) -> Packed:
    """The values and all they are built of, shared parts once."""
    values = list(values)
    position: dict[Term, int] = {}
    nodes: list[Node] = []

    def reference(value: V) -> tuple[bool, int]:
        return (False, value) if isinstance(value, int) else (True, position[value])

    for term in reachable(values):
        nodes.append((int(term.op), tuple(reference(arg) for arg in term.args), term.payload, term.sort))
        position[term] = len(position)
    return tuple(nodes), tuple(reference(value) for value in values)


def unpack(packed: Packed) -> list[V]:
    """The values that were packed, interned in this process."""
    nodes, roots = packed
    made: list[Term] = []

    def value(reference: tuple[bool, int]) -> V:
        return made[reference[1]] if reference[0] else reference[1]

    for op, args, payload, sort in nodes:
        made.append(_restored(Op(op), [value(arg) for arg in args], payload, sort))
    return [value(root) for root in roots]


def _restored(op: Op, args: Sequence[V], payload: Payload, sort: Sort) -> Term:
    """Interned with the marks that the constructors leave on terms."""
    if op is Op.NOT:
        assert isinstance(args[0], Term)
        return negated(args[0])
    if op is Op.ITE:
        assert isinstance(args[0], Term)
        return choose(args[0], args[1], args[2], sort)
    return intern(op, tuple(args), payload, sort)


def unpack_one(packed: Packed) -> Term:
    """The one term that was packed."""
    (term,) = unpack(packed)
    assert isinstance(term, Term)
    return term


def _reduced(term: Term) -> tuple[Callable[[Packed], Term], tuple[Packed]]:
    return unpack_one, (pack((term,)),)


copyreg.pickle(Term, _reduced)
