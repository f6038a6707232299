"""Models in which most inputs are 0, and external objects lie where external memory begins: short to read, and runs of
no more memory than need be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from counterpoint.semantics.layout import own_base
from counterpoint.solver.answers import Model, Sat, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

EXTERNAL = ".external"
"""What the names of variables contain that say where external objects are (semantics/contents.py)."""

SECONDS = 4.0
"""Limit of the search for one."""


def plain_model(parts: Sequence[V], model: Model, pointer_bits: int) -> Model:
    """A model of the parts in which variables have plain values as far as conflicts with that allow, each of which
    frees those that take part in it; the given one if there was not enough time."""
    wanted = dict.fromkeys(_wishes(variables(*parts), pointer_bits))
    started = time.monotonic()
    solver = standard_solver()
    try:
        for part in parts:
            solver.add(part)
        while (left := SECONDS - (time.monotonic() - started)) > 0:
            answer = solver.check(list(wanted), left)
            if isinstance(answer, Sat):
                return answer.model
            if not isinstance(answer, Unsat) or not answer.core:
                break
            for wish in answer.core:
                del wanted[wish]
    finally:
        solver.close()
    return model


def _wishes(found: Sequence[Term], pointer_bits: int) -> Iterator[V]:
    placed = 0
    for variable in found:
        if variable.sort is BOOL:
            yield build.not_(variable)
        elif isinstance(variable.sort, BitVec):
            width, value = variable.sort.width, 0
            if EXTERNAL in str(variable.payload):
                value = (own_base(pointer_bits) >> (pointer_bits - width)) + placed
                placed += 1
            yield build.eq(variable, value, width)
