"""Array constructors: reads are looked up through the stores below them as far as indices can be told apart.

Two indices differ for certain when both are constants, or the same term plus different constants.
"""

from __future__ import annotations

from typing import Final

from counterpoint.term.arithmetic import split_constant
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V, array_sort, intern

_STORE = Op.STORE
_SELECT = Op.SELECT
_CONSTANT_ARRAY = Op.CONSTANT_ARRAY

MOST_STORES: Final = 64
"""How many stores a read is looked up through."""


def constant_array(sort: ArraySort, value: V) -> Term:
    """The array whose every element is `value`."""
    return intern(_CONSTANT_ARRAY, (value,), None, sort)


def surely_differ(a: V, b: V) -> bool:
    """Whether two bit-vectors of one width differ under every assignment, by their form alone."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    x, left = split_constant(a)
    y, right = split_constant(b)
    return x is y and left != right and not isinstance(x, int)


def select(array: Term, index: V) -> V:
    """The element of `array` at `index`."""
    sort = array_sort(array)
    current = array
    for _ in range(MOST_STORES):
        if current.op is _STORE:
            below, at, value = current.args
            if at is index or (type(at) is int and type(index) is int and at == index):
                return value
            if not surely_differ(at, index):
                break
            assert isinstance(below, Term)
            current = below
        elif current.op is _CONSTANT_ARRAY:
            return current.args[0]
        else:
            break
    return intern(_SELECT, (current, index), None, BitVec(sort.element))


def store(array: Term, index: V, value: V) -> Term:
    """`array` with `value` at `index`."""
    if array.op is _STORE:
        at = array.args[1]
        if at is index or (type(at) is int and type(index) is int and at == index):
            below = array.args[0]
            assert isinstance(below, Term)
            return store(below, index, value)
    if isinstance(value, Term):
        if value.op is _SELECT and value.args[0] is array and value.args[1] == index:
            return array
    elif array.op is _CONSTANT_ARRAY and array.args[0] == value:
        return array
    return intern(_STORE, (array, index, value), None, array.sort)
