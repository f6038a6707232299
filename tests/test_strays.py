"""Pointers chosen by many conditions: looking for strays does not depend on Python's stack."""

from __future__ import annotations

from counterpoint.semantics.objects import World
from counterpoint.semantics.strays import _in_another, _strayed
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V, intern


def test_deep_choices_between_pointers() -> None:
    world = World.__new__(World)
    world.pointer_bits = 64
    pointers = [intern(Op.ADDRESS, (), index, BitVec(64)) for index in range(2)]
    value: V = pointers[0]
    for number in range(5000):
        value = build.ite(build.variable(f"c{number}", BOOL), pointers[number % 2], value, BitVec(64))
    assert isinstance(value, Term)
    assert _strayed(value, world, _in_another, {}) == 0
