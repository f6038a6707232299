"""Traversals of the term DAG: once per shared node, without recursion.

Terms are created after their arguments, so the order of `Term.index` is bottom-up.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import TypeVar

from counterpoint.term.rebuild import rebuild
from counterpoint.term.term import Op, Term, V

R = TypeVar("R")

_by_index = attrgetter("index")


def reachable(roots: Iterable[V]) -> list[Term]:
    """Every term below the roots, themselves included, arguments before what is built on them."""
    found: set[Term] = set()
    stack = [root for root in roots if isinstance(root, Term)]
    while stack:
        term = stack.pop()
        if term not in found:
            found.add(term)
            for arg in term.args:
                if type(arg) is not int and arg not in found:
                    stack.append(arg)  # type: ignore[arg-type]
    return sorted(found, key=_by_index)


def choices(values: Iterable[V]) -> Iterator[V]:
    """What ITEs choose among, each once, the first branch first. Iterative, each node once."""
    seen: set[V] = set()
    stack = [*values][::-1]
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Term) and value.op is Op.ITE:
            stack += reversed(value.args[1:])
        else:
            yield value


def reachable_outside(values: Iterable[V], known: Container[Term]) -> list[Term]:
    """`reachable`, without the terms in `known` and without looking below them."""
    found: set[Term] = set()
    stack = [value for value in values if isinstance(value, Term) and value not in known]
    while stack:
        term = stack.pop()
        if term not in found:
            found.add(term)
            for arg in term.args:
                if type(arg) is not int and arg not in found and arg not in known:
                    stack.append(arg)  # type: ignore[arg-type]
    return sorted(found, key=_by_index)


def fold(root: Term, visit: Callable[[Term, tuple[R | int, ...]], R]) -> R:
    """Bottom-up: `visit` gets each term and the results for its arguments (ints stand for themselves)."""
    return fold_all((root,), visit)[root]


def fold_all(roots: Iterable[V], visit: Callable[[Term, tuple[R | int, ...]], R]) -> dict[Term, R]:
    """`fold` over several roots at once; the results of all terms that they reach."""
    done: dict[Term, R] = {}
    for term in reachable(roots):
        done[term] = visit(term, tuple(arg if isinstance(arg, int) else done[arg] for arg in term.args))
    return done


def substitute(value: V, mapping: Mapping[Term, V]) -> V:
    """`value` with every key of `mapping` replaced by what it maps to (not looked into again), simplified."""
    return substitute_all((value,), mapping)[0]


def substitute_all(values: Iterable[V], mapping: Mapping[Term, V]) -> list[V]:
    """`substitute` in several values at once; shared parts are done once."""
    values = list(values)
    done: dict[Term, V] = dict(mapping)
    for term in reachable_outside(values, mapping):
        args = [arg if isinstance(arg, int) else done[arg] for arg in term.args]
        changed = any(new is not old for new, old in zip(args, term.args, strict=True))
        done[term] = rebuild(term, args) if changed else term
    return [value if isinstance(value, int) else done[value] for value in values]


def variables(*roots: V) -> list[Term]:
    """The VARIABLEs below the roots, oldest first."""
    if len(roots) == 1 and (isinstance(roots[0], int) or not roots[0].args):
        return [root for root in roots if isinstance(root, Term) and root.op is Op.VARIABLE]
    return [term for term in reachable(roots) if term.op is Op.VARIABLE]


def addresses(*roots: V) -> list[Term]:
    """The ADDRESSes below the roots, oldest first."""
    if len(roots) == 1 and (isinstance(roots[0], int) or not roots[0].args):
        return [root for root in roots if isinstance(root, Term) and root.op is Op.ADDRESS]
    return [term for term in reachable(roots) if term.op is Op.ADDRESS]


def size(*roots: V) -> int:
    """How many different terms the roots reach."""
    return len(reachable(roots))


def conjuncts(formula: V) -> list[V]:
    """The conjuncts of a formula that is a tree of ANDs (nothing under a NOT is opened), left to right."""
    result: list[V] = []
    seen: set[Term] = set()
    stack: list[V] = [formula]
    while stack:
        value = stack.pop()
        if isinstance(value, Term):
            if value in seen:
                continue
            seen.add(value)
            if value.op is Op.AND:
                stack.extend(reversed(value.args))
                continue
        elif value == 1:
            continue
        result.append(value)
    return result
